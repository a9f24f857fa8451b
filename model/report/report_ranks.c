/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks of a parallel job, and how evenly they share the time of each routine.
 */
#include "model/report/report_lists.h"
#include "model/report/report_row.h"
#include "model/report/report_tables.h"
#include "trace/base/memory.h"
#include "trace/command/field_text.h"

#include <math.h>
#include <stdio.h>

/* --- ranks --------------------------------------------------------------------------------------------------- */

static const struct kt_rank *rank_of(const struct kt_at *at)
{
    return at->object;
}

static const struct kt_rank_time *time_of(const struct kt_at *at)
{
    return &kt_report_of(at)->imbalance.time[at->row];
}

static json_t *host(const struct kt_at *at)
{
    return kt_json_text_or_null(kt_meta(rank_of(at)->first, "host"));
}

static void host_cell(const struct kt_at *at, char *out, size_t size)
{
    const char *name = kt_meta(rank_of(at)->first, "host");
    snprintf(out, size, "%s", name ? name : "unknown");
}

static json_t *pid(const struct kt_at *at)
{
    return json_integer(rank_of(at)->first->pid);
}

static void pid_cell(const struct kt_at *at, char *out, size_t size)
{
    snprintf(out, size, "%u%s", rank_of(at)->first->pid, rank_of(at)->processes > 1 ? "+" : "");
}

static json_t *calls(const struct kt_at *at)
{
    return json_integer((json_int_t)time_of(at)->calls);
}

static json_t *calls_top(const struct kt_at *at)
{
    return json_integer((json_int_t)time_of(at)->calls_top);
}

static json_t *start(const struct kt_at *at)
{
    return kt_json_number(rank_of(at)->first->start);
}

static json_t *seconds_blas(const struct kt_at *at)
{
    return kt_json_number(time_of(at)->seconds_blas);
}

/* In which at least one thread of one of its processes is in a call, where that is known. */
static json_t *share(const struct kt_at *at)
{
    const struct kt_report *report = kt_report_of(at);
    double busy = 0;
    for (size_t p = 0; report->overlaps.known && p < report->trace.processes; p++)
        busy += report->imbalance.ranks.of[p] == at->row ? report->overlaps.busy_in[p] : 0;
    return kt_report_share(report->overlaps.known ? busy : time_of(at)->seconds_blas, rank_of(at)->seconds);
}

static json_t *pace(const struct kt_at *at)
{
    return kt_json_number(kt_report_of(at)->paces.rank[at->row].ratio);
}

static json_t *is_slow(const struct kt_at *at)
{
    return json_boolean(kt_report_of(at)->paces.rank[at->row].slow);
}

static json_t *group(const struct kt_at *at)
{
    return json_integer((json_int_t)kt_report_of(at)->paces.rank[at->row].group);
}

static json_t *over_mean(const struct kt_at *at)
{
    return kt_report_share(time_of(at)->seconds_blas, kt_report_of(at)->imbalance.all.mean);
}

enum { JOBS = 1 };

static const struct kt_field rank_fields[] = {
    {"job", KT_AS_TEXT, KT_NULL, .meaning = "name of the job", KT_AT(struct kt_rank, job), .head = "job", .view = JOBS},
    {"rank", KT_AS_ID, .meaning = "number of the rank", KT_AT(struct kt_rank, rank), .head = "rank"},
    {"host", KT_AS_TEXT, KT_NULL | KT_SHRINK, .meaning = "machine", .get = host, .head = "host", .cell = host_cell},
    {"pid", KT_AS_ID, .meaning = "process id of its first process; the column has a + where there are others",
     .get = pid, .head = "process", .cell = pid_cell},
    {"processes", KT_AS_COUNT, .meaning = "its processes", KT_AT(struct kt_rank, processes)},
    {"start", KT_AS_SECONDS, KT_NULL, .meaning = "when it began, after the first of all", .get = start},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "from the start of its first process to the end of its last",
     KT_AT(struct kt_rank, seconds), .head = "wall"},
    {"calls", KT_AS_COUNT, .meaning = "recorded calls", .get = calls, .head = "calls"},
    {"calls_top", KT_AS_COUNT, .meaning = "of these, outermost ones", .get = calls_top},
    {"seconds_blas", KT_AS_SECONDS, KT_NULL, .meaning = "time of outermost calls", .get = seconds_blas,
     .head = "BLAS time"},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of its wall time in which a thread is in a call", .get = share,
     .head = "share"},
    {"over_mean", KT_AS_NUMBER, KT_NULL, .meaning = "BLAS time over the mean of all ranks", .get = over_mean,
     .head = "x mean"},
    {"pace", KT_AS_NUMBER, KT_NULL,
     .meaning = "time of its calls over what calls of these shapes take on average on all ranks", .get = pace,
     .head = "pace"},
    {"slow", KT_AS_FLAG, .meaning = "its pace is beyond what differs among the ranks", .get = is_slow},
    {"group", KT_AS_ID, .meaning = "which of rank_groups it belongs to, from 0 on", .get = group},
    {0}};

static size_t ranks(const struct kt_at *at)
{
    return kt_report_of(at)->imbalance.ranks.count;
}

static const void *rank_at(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->imbalance.ranks.rank[row];
}

/* --- balance ------------------------------------------------------------------------------------------------- */

static const struct kt_balance *balance_of(const struct kt_at *at)
{
    return at->object;
}

static void routine_cell(const struct kt_at *at, char *out, size_t size)
{
    snprintf(out, size, "%s", balance_of(at)->routine ? balance_of(at)->routine : "all");
}

static json_t *max_rank(const struct kt_at *at)
{
    return json_integer(kt_report_of(at)->imbalance.ranks.rank[balance_of(at)->max_rank].rank);
}

static json_t *min_rank(const struct kt_at *at)
{
    return json_integer(kt_report_of(at)->imbalance.ranks.rank[balance_of(at)->min_rank].rank);
}

static json_t *ratio(const struct kt_at *at)
{
    return kt_json_number(kt_balance_ratio(balance_of(at)));
}

static const struct kt_field balance_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "routine; text has a row for all of them, too",
     KT_AT(struct kt_balance, routine), .head = "routine", .cell = routine_cell},
    {"max", KT_AS_SECONDS, KT_NULL, .meaning = "time of the busiest rank", KT_AT(struct kt_balance, max),
     .head = "most"},
    {"max_rank", KT_AS_ID, .meaning = "the busiest rank", .get = max_rank, .head = "of rank"},
    {"mean", KT_AS_SECONDS, KT_NULL, .meaning = "mean of all ranks", KT_AT(struct kt_balance, mean), .head = "mean"},
    {"min", KT_AS_SECONDS, KT_NULL, .meaning = "time of the idlest rank", KT_AT(struct kt_balance, min),
     .head = "least"},
    {"min_rank", KT_AS_ID, .meaning = "the idlest rank", .get = min_rank, .head = "of rank"},
    {"imbalance", KT_AS_NUMBER, KT_NULL, .meaning = "max over mean", .get = ratio, .head = "imbalance"},
    {0}};

static size_t balances(const struct kt_at *at)
{
    return kt_report_of(at)->imbalance.routines;
}

static const void *balance(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->imbalance.routine[row];
}

static size_t balances_and_all(const struct kt_at *at)
{
    return kt_report_of(at)->imbalance.routines + 1;
}

static const void *balance_or_all(const struct kt_at *at, size_t row)
{
    return row ? balance(at, row - 1) : &kt_report_of(at)->imbalance.all;
}

/* --- all of it ----------------------------------------------------------------------------------------------- */

static json_t *expected(const struct kt_at *at)
{
    size_t count = kt_report_of(at)->imbalance.ranks.expected;
    return count ? json_integer((json_int_t)count) : json_null();
}

static json_t *imbalance(const struct kt_at *at)
{
    const struct kt_imbalance *of = &kt_report_of(at)->imbalance;
    return kt_json_number(of->ranks.count ? kt_balance_ratio(&of->all) : NAN);
}

const struct kt_field kt_report_rank_fields[] = {
    {"ranks", KT_AS_RECORD, KT_MANY, .meaning = "ranks of a parallel job", .of = rank_fields, .count = ranks,
     .row = rank_at},
    {"ranks_expected", KT_AS_COUNT, KT_NULL, .meaning = "ranks that the launcher started", .get = expected},
    {"imbalance", KT_AS_NUMBER, KT_NULL, .meaning = "BLAS time of the busiest rank over the mean", .get = imbalance},
    {"imbalance_routines", KT_AS_RECORD, KT_MANY, .meaning = "the same for each routine", .of = balance_fields,
     .count = balances, .row = balance},
    {0}};

/* A rank with its time, to be sorted by it. */
struct ranked {
    double seconds;
    size_t rank;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* In their order; the extremes in order of time if they are too many. */
static struct ranked *order_ranks(const struct kt_imbalance *of, size_t rows)
{
    size_t count = of->ranks.count;
    struct ranked *order = kt_resize(NULL, count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (struct ranked){of->time[i].seconds_blas, i};
    if (count > rows)
        qsort(order, count, sizeof *order, compare_ranked);
    return order;
}

static void print_ranks(const struct kt_report *report, size_t rows)
{
    size_t count = report->imbalance.ranks.count;
    size_t shown = count < rows ? count : rows;
    struct ranked *order = order_ranks(&report->imbalance, rows);
    size_t *row = kt_resize(NULL, shown + 1, sizeof *row);
    size_t lines = 0;
    for (size_t i = 0; i < shown; i++) {
        bool low = count > rows && i >= (shown + 1) / 2;
        if (low && i == (shown + 1) / 2)
            row[lines++] = KT_FIELD_DOTS;
        row[lines++] = order[low ? count - shown + i : i].rank;
    }
    kt_field_print_rows(kt_report_rank_fields, report, row, lines, report->imbalance.ranks.jobs > 1 ? JOBS : 0);
    free(row);
    free(order);
    if (count > rows)
        printf("%zu of %zu ranks, with most and with least time; all: --by rank --top %zu\n", shown, count, count);
}

static void print_balances(const struct kt_report *report, size_t top)
{
    static const struct kt_field list = {
        .kind = KT_AS_RECORD, .of = balance_fields, .count = balances_and_all, .row = balance_or_all};
    kt_heading("Imbalance: time of the busiest rank over the mean");
    kt_field_print(&list, report, top + 1, 0);
    kt_row_tell_rest(report->imbalance.routines, top, "rank");
}

void kt_report_ranks(const struct kt_report *report, size_t top)
{
    kt_heading("Ranks");
    if (report->imbalance.ranks.count == 0) {
        printf("No process was started as a rank of a parallel job.\n");
        return;
    }
    print_ranks(report, top + 1);
    printf("\n");
    print_balances(report, top);
    printf("\n");
    kt_report_rank_spread(report, top);
}
