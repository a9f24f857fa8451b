/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of a report: one function per table, which names the columns and fills a row per line.
 */
#include "model/report/findings.h"
#include "model/report/report_parts.h"
#include "model/report/report_row.h"

#include "trace/command/counts.h"
#include "trace/library/installed.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_COLUMNS = KT_ROW_COLUMNS, CELL = KT_ROW_CELL };

/* --- cells ------------------------------------------------------------------------------------------------- */

/* Three digits are what timings carry. */
static void number_cell(struct kt_row *row, double value, const char *none)
{
    if (isnan(value))
        kt_row_text(row, none);
    else
        snprintf(kt_row_next(row), CELL, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
}

/* "-" for routines that only move data, "n/a" where the count is not known. */
static void gflops_cell(struct kt_row *row, double flops, double gflops)
{
    number_cell(row, gflops, flops == 0 ? "-" : "n/a");
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* --- routines ---------------------------------------------------------------------------------------------- */

static void print_exact_routines(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "routine"},
                                              {.head = "calls", .right = true},
                                              {.head = "outermost", .right = true},
                                              {.head = "time", .right = true},
                                              {.head = "share", .right = true},
                                              {.head = "self", .right = true},
                                              {.head = "self %", .right = true},
                                              {.head = "Gflop/s", .right = true}};
    const struct kt_sums *sums = &report->summary.routines;
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < least(sums->count, top); i++) {
        const struct kt_sum *sum = &sums->sum[i];
        struct kt_row row = {.columns = 0};
        kt_row_text(&row, sum->routine);
        kt_row_count(&row, sum->calls);
        kt_row_count(&row, sum->calls_top);
        kt_row_seconds(&row, sum->seconds);
        kt_row_share(&row, sum->seconds, report->summary.seconds_blas);
        kt_row_seconds(&row, sum->seconds_self);
        kt_row_share(&row, sum->seconds_self, report->summary.seconds_self);
        gflops_cell(&row, sum->flops, kt_gflops(sum->flops, sum->seconds));
        kt_row_add(table, &row);
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
}

/* By which part of it an estimate may be wrong; nothing if it is exact, n/a if that is not known. */
static void error_cell(struct kt_row *row, const struct kt_sum *sum, enum kt_inside_quantity quantity)
{
    const struct kt_estimate *e = sum->estimate ? &sum->estimate->of[quantity] : NULL;
    double half = e ? fmax(e->hi - e->value, e->value - e->lo) : 0;
    if (half == 0)
        kt_row_text(row, "");
    else if (isnan(half))
        kt_row_text(row, "n/a");
    else if (half > e->value)
        kt_row_text(row, ">100 %");
    else
        kt_row_share(row, half, e->value);
}

static void sampled_cells(struct kt_row *row, const struct kt_report *report, const struct kt_sum *sum)
{
    kt_row_text(row, sum->routine);
    kt_row_count(row, sum->calls);
    kt_row_count(row, sum->calls_top);
    kt_row_seconds(row, sum->seconds);
    error_cell(row, sum, KT_INSIDE_SECONDS);
    kt_row_share(row, sum->seconds, report->summary.seconds_blas);
    kt_row_seconds(row, sum->seconds_self);
    error_cell(row, sum, KT_INSIDE_SELF);
    kt_row_share(row, sum->seconds_self, report->summary.seconds_self);
    gflops_cell(row, sum->flops, kt_gflops(sum->flops, sum->seconds));
}

/* Of routines that others call, estimates. */
static void print_sampled_routines(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "routine", .shrink = true},  {.head = "calls", .right = true},
                                              {.head = "outermost", .right = true}, {.head = "time", .right = true},
                                              {.head = "+-", .right = true},        {.head = "share", .right = true},
                                              {.head = "self", .right = true},      {.head = "+-", .right = true},
                                              {.head = "self %", .right = true},    {.head = "Gflop/s", .right = true}};
    const struct kt_sums *sums = &report->summary.routines;
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < least(sums->count, top); i++) {
        struct kt_row row = {.columns = 0};
        sampled_cells(&row, report, &sums->sum[i]);
        kt_row_add(table, &row);
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
}

static void print_inside(const char *routine, const struct kt_inside_outer *outer)
{
    char sampled[16];
    char calls[16];
    kt_text_count((double)outer->sampled, sampled);
    kt_text_count((double)outer->calls, calls);
    if (outer->sampled == 0)
        printf("inside %s: not known, from none of %s calls\n", routine, calls);
    else if (outer->sampled < outer->calls)
        printf("inside %s: from %s of %s calls%s\n", routine, sampled, calls,
               outer->drawn < 2 ? ", too few for an interval" : "");
}

static const struct kt_inside_outer *find_outer(const struct kt_inside_found *inside, const char *routine)
{
    for (size_t i = 0; i < inside->of.outers; i++)
        if (!strcmp(inside->name[inside->of.outer[i].routine], routine))
            return &inside->of.outer[i];
    return NULL;
}

/* Outermost routines with most time first, as many as there are rows. */
static void print_insides(const struct kt_report *report, size_t top)
{
    const struct kt_sums *sums = &report->summary.routines;
    size_t printed = 0;
    for (size_t i = 0; i < sums->count && printed < top; i++) {
        const struct kt_inside_outer *outer = find_outer(&report->summary.inside, sums->sum[i].routine);
        if (outer)
            print_inside(sums->sum[i].routine, outer);
        printed += outer != NULL;
    }
}

void kt_report_routines(const struct kt_report *report, size_t top)
{
    kt_heading("Routines");
    if (report->summary.estimated)
        print_sampled_routines(report, top);
    else
        print_exact_routines(report, top);
    kt_row_tell_rest(report->summary.routines.count, top, "routine");
    print_insides(report, top);
    kt_findings_print_unblocked(report);
}

/* --- counters ---------------------------------------------------------------------------------------------- */

static void counter_row(struct kt_text_table *table, const char *routine, const char *counter,
                        const struct kt_counted_sum *sum)
{
    struct kt_row row = {.columns = 0};
    kt_row_text(&row, routine);
    kt_row_text(&row, counter);
    kt_row_count(&row, sum->calls);
    kt_row_count(&row, sum->missing);
    if (sum->calls)
        kt_text_count(sum->total, kt_row_next(&row));
    else
        kt_row_text(&row, "n/a");
    number_cell(&row, sum->calls ? sum->total / (double)sum->calls : NAN, "n/a");
    kt_row_add(table, &row);
}

void kt_report_counters(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "routine"},
                                              {.head = "counter", .shrink = true},
                                              {.head = "calls", .right = true},
                                              {.head = "n/a", .right = true},
                                              {.head = "total", .right = true},
                                              {.head = "per call", .right = true}};
    const struct kt_counted *counted = &report->counted;
    const struct kt_sums *sums = &report->summary.routines;
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < least(sums->count, top); i++) {
        const struct kt_counted_routine *routine = kt_counted_find(counted, sums->sum[i].routine);
        for (size_t j = 0; routine && j < counted->counters; j++)
            counter_row(table, j ? "" : routine->routine, counted->counter[j], &routine->sum[j]);
    }
    kt_heading("Counters");
    if (counted->counters) {
        kt_text_table_print(table);
        kt_counters_about(&report->trace, true);
        kt_row_tell_rest(sums->count, top, "counter");
    } else {
        printf("Nothing was counted: KTRACE_EVENTS=perf::PAGE-FAULTS, say, makes a run count.\n");
    }
    kt_text_table_free(table);
}

/* --- shapes ------------------------------------------------------------------------------------------------ */

static void shape_cells(struct kt_row *row, const struct kt_report_shape *shape, size_t number)
{
    snprintf(kt_row_next(row), CELL, "%zu", number);
    kt_row_text(row, shape->group->first.entry->symbol.routine->name);
    kt_shape_text(&shape->group->first, kt_row_next(row), CELL - 1);
}

/* A median that rests on a subtraction is marked, and one that stands for two kinds of calls. */
static void insitu_cell(struct kt_row *row, const struct kt_report *report, size_t i)
{
    const struct kt_report_shape *shape = &report->shape[i];
    char *cell = kt_row_next(row);
    if (report->kinds[i].found)
        *cell++ = '*';
    if (shape->group->corrected)
        *cell++ = '~';
    kt_text_seconds(shape->insitu.median, cell);
}

static void explain_marks(const struct kt_report *report, size_t top)
{
    bool any = false;
    bool any_kinds = false;
    for (size_t i = 0; i < least(report->groups.count, top); i++) {
        any = any || report->shape[i].group->corrected;
        any_kinds = any_kinds || report->kinds[i].found;
    }
    if (any_kinds)
        printf("*: of two kinds of calls, see below\n");
    if (any)
        printf("~: what recording nested calls took is subtracted, as far as that is known\n");
}

static void print_shape_times(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "#", .right = true},      {.head = "routine"},
                                              {.head = "shape", .shrink = true}, {.head = "calls", .right = true},
                                              {.head = "median", .right = true}, {.head = "total", .right = true},
                                              {.head = "share", .right = true},  {.head = "Gflop/s", .right = true},
                                              {.head = "line", .shrink = true}};
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < least(report->groups.count, top); i++) {
        const struct kt_report_shape *shape = &report->shape[i];
        struct kt_row row = {.columns = 0};
        shape_cells(&row, shape, i + 1);
        kt_row_count(&row, shape->group->calls);
        insitu_cell(&row, report, i);
        kt_row_seconds(&row, shape->group->total);
        kt_row_share(&row, shape->group->total, report->groups.seconds);
        gflops_cell(&row, shape->group->query ? 0 : shape->group->flops, shape->gflops);
        kt_shape_source_text(&report->source[i], kt_row_next(&row), CELL);
        kt_row_add(table, &row);
    }
    kt_heading("Shapes of outermost calls");
    kt_text_table_spare_last(table);
    kt_text_table_print(table);
    kt_text_table_free(table);
    explain_marks(report, top);
}

static bool has_tracked(const struct kt_report *report)
{
    for (size_t i = 0; i < report->groups.count; i++)
        if (!isnan(report->shape[i].parts.times.tracked.value))
            return true;
    return false;
}

static void print_shape_contexts(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "#", .right = true},      {.head = "routine"},
                                              {.head = "shape", .shrink = true}, {.head = "in situ", .right = true},
                                              {.head = "warm", .right = true},   {.head = "cold", .right = true},
                                              {.head = "index", .right = true},  {.head = "tracked", .right = true}};
    size_t columns = sizeof column / sizeof *column - !has_tracked(report);
    struct kt_text_table *table = kt_text_table_new(column, columns);
    for (size_t i = 0; i < least(report->groups.count, top); i++) {
        const struct kt_report_shape *shape = &report->shape[i];
        struct kt_row row = {.columns = 0};
        shape_cells(&row, shape, i + 1);
        insitu_cell(&row, report, i);
        kt_row_seconds(&row, shape->parts.times.warm.value);
        kt_row_seconds(&row, shape->parts.times.cold.value);
        kt_text_index(kt_report_index(shape), "n/a", kt_row_next(&row));
        kt_row_seconds(&row, shape->parts.times.tracked.value);
        kt_row_add(table, &row);
    }
    kt_heading("The same shapes replayed: medians in controlled contexts");
    kt_text_table_print(table);
    kt_text_table_free(table);
}

void kt_report_shapes(const struct kt_report *report, size_t top)
{
    print_shape_times(report, top);
    kt_findings_print_kinds(report, top);
    if (report->replayed) {
        printf("\n");
        print_shape_contexts(report, top);
        printf("\n");
        kt_report_shape_parts(report, top);
    }
    kt_row_tell_rest(report->groups.count, top, "shape");
}

/* --- threads, processes --------------------------------------------------------------------------- */

static void thread_cells(struct kt_row *row, const struct kt_sum *sum, double seconds_blas)
{
    kt_row_count(row, sum->calls);
    kt_row_count(row, sum->calls_top);
    kt_row_seconds(row, sum->seconds);
    kt_row_share(row, sum->seconds, seconds_blas);
}

void kt_report_threads(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "process", .right = true}, {.head = "thread", .right = true},
                                              {.head = "calls", .right = true},   {.head = "outermost", .right = true},
                                              {.head = "time", .right = true},    {.head = "share", .right = true}};
    const struct kt_sums *sums = &report->summary.threads;
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < least(sums->count, top); i++) {
        struct kt_row row = {.columns = 0};
        snprintf(kt_row_next(&row), CELL, "%u", sums->sum[i].process->pid);
        snprintf(kt_row_next(&row), CELL, "%llu", (unsigned long long)sums->sum[i].id);
        thread_cells(&row, &sums->sum[i], report->summary.seconds_blas);
        kt_row_add(table, &row);
    }
    kt_heading("Threads");
    kt_text_table_print(table);
    kt_text_table_free(table);
    kt_row_tell_rest(sums->count, top, "thread");
}

void kt_report_processes(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "process", .right = true},   {.head = "program", .shrink = true},
                                              {.head = "wall", .right = true},      {.head = "calls", .right = true},
                                              {.head = "outermost", .right = true}, {.head = "time", .right = true},
                                              {.head = "share", .right = true}};
    const struct kt_sums *sums = &report->summary.processes;
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < least(sums->count, top); i++) {
        const struct kt_process *process = sums->sum[i].process;
        const char *program = kt_meta(process, "program");
        struct kt_row row = {.columns = 0};
        snprintf(kt_row_next(&row), CELL, "%u", process->pid);
        kt_row_text(&row, program ? kt_base_name(program) : "unknown");
        kt_row_seconds(&row, process->seconds);
        thread_cells(&row, &sums->sum[i], report->summary.seconds_blas);
        kt_row_add(table, &row);
    }
    kt_heading("Processes");
    kt_text_table_print(table);
    kt_text_table_free(table);
    if (sums->count > top)
        printf("... and %zu more: --top %zu\n", sums->count - top, sums->count);
}

/* --- regions ----------------------------------------------------------------------------------------------- */

static void region_cells(struct kt_row *row, const struct kt_report *report, size_t region)
{
    const struct kt_region_sum *sum = &report->regions.sum[region];
    kt_region_path(&report->regions, region, kt_row_next(row), CELL);
    if (sum->name)
        kt_row_count(row, sum->entered);
    else
        kt_row_text(row, "-");
    if (sum->name)
        kt_row_seconds(row, sum->seconds);
    else
        kt_row_text(row, "-");
    thread_cells(row, &(struct kt_sum){.calls = sum->calls, .calls_top = sum->calls_top, .seconds = sum->seconds_blas},
                 report->summary.seconds_blas);
}

void kt_report_regions(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {
        {.head = "region", .shrink = true}, {.head = "entered", .right = true},   {.head = "inside", .right = true},
        {.head = "calls", .right = true},   {.head = "outermost", .right = true}, {.head = "BLAS time", .right = true},
        {.head = "share", .right = true}};
    const struct kt_region_sums *sums = &report->regions;
    kt_heading("Regions, with those nested in them");
    if (sums->count == 1 && !sums->unmatched) {
        printf("The program named no regions (include/ktrace/ktrace.h).\n");
        return;
    }
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < least(sums->count, top); i++) {
        struct kt_row row = {.columns = 0};
        region_cells(&row, report, sums->order[i]);
        kt_row_add(table, &row);
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
    if (sums->unmatched)
        printf("%llu ends of regions have no begin that was recorded\n", (unsigned long long)sums->unmatched);
    kt_row_tell_rest(sums->count, top, "region");
}

/* --- ranks ------------------------------------------------------------------------------------------------- */

/* "1.23": over the mean. */
static void ratio_cell(struct kt_row *row, double part, double whole)
{
    number_cell(row, whole > 0 ? part / whole : NAN, "n/a");
}

static void rank_cells(struct kt_row *row, const struct kt_report *report, size_t i)
{
    const struct kt_rank *rank = &report->imbalance.ranks.rank[i];
    const struct kt_rank_time *time = &report->imbalance.time[i];
    const char *host = kt_meta(rank->first, "host");
    if (report->imbalance.ranks.jobs > 1)
        kt_row_text(row, rank->job);
    snprintf(kt_row_next(row), CELL, "%lld", (long long)rank->rank);
    kt_row_text(row, host ? host : "unknown");
    snprintf(kt_row_next(row), CELL, "%u%s", rank->first->pid, rank->processes > 1 ? "+" : "");
    kt_row_seconds(row, rank->seconds);
    kt_row_count(row, time->calls);
    kt_row_seconds(row, time->seconds_blas);
    kt_row_share(row, time->seconds_blas, rank->seconds);
    ratio_cell(row, time->seconds_blas, report->imbalance.all.mean);
}

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
static struct ranked *order_ranks(const struct kt_imbalance *imbalance, size_t rows)
{
    size_t count = imbalance->ranks.count;
    struct ranked *order = kt_resize(NULL, count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (struct ranked){imbalance->time[i].seconds_blas, i};
    if (count > rows)
        qsort(order, count, sizeof *order, compare_ranked);
    return order;
}

static void dots_row(struct kt_text_table *table, size_t columns)
{
    struct kt_row row = {.columns = 0};
    for (size_t i = 0; i < columns; i++)
        kt_row_text(&row, "..");
    kt_row_add(table, &row);
}

static void print_ranks(const struct kt_report *report, size_t rows)
{
    static const struct kt_column column[] = {
        {.head = "job", .shrink = true},      {.head = "rank", .right = true},  {.head = "host", .shrink = true},
        {.head = "process", .right = true},   {.head = "wall", .right = true},  {.head = "calls", .right = true},
        {.head = "BLAS time", .right = true}, {.head = "share", .right = true}, {.head = "x mean", .right = true}};
    bool jobs = report->imbalance.ranks.jobs > 1;
    size_t columns = sizeof column / sizeof *column - !jobs;
    size_t count = report->imbalance.ranks.count;
    size_t shown = least(count, rows);
    struct ranked *order = order_ranks(&report->imbalance, rows);
    struct kt_text_table *table = kt_text_table_new(column + !jobs, columns);
    for (size_t i = 0; i < shown; i++) {
        bool low = count > rows && i >= (shown + 1) / 2;
        struct kt_row row = {.columns = 0};
        if (low && i == (shown + 1) / 2)
            dots_row(table, columns);
        rank_cells(&row, report, order[low ? count - shown + i : i].rank);
        kt_row_add(table, &row);
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
    free(order);
    if (count > rows)
        printf("%zu of %zu ranks, with most and with least time; all: --by rank --top %zu\n", shown, count, count);
}

static void balance_cells(struct kt_row *row, const struct kt_imbalance *imbalance, const struct kt_balance *balance)
{
    kt_row_text(row, balance->routine ? balance->routine : "all");
    kt_row_seconds(row, balance->max);
    snprintf(kt_row_next(row), CELL, "%lld", (long long)imbalance->ranks.rank[balance->max_rank].rank);
    kt_row_seconds(row, balance->mean);
    kt_row_seconds(row, balance->min);
    snprintf(kt_row_next(row), CELL, "%lld", (long long)imbalance->ranks.rank[balance->min_rank].rank);
    ratio_cell(row, balance->max, balance->mean);
}

static void print_balances(const struct kt_imbalance *imbalance, size_t top)
{
    static const struct kt_column column[] = {{.head = "routine"},
                                              {.head = "most", .right = true},
                                              {.head = "of rank", .right = true},
                                              {.head = "mean", .right = true},
                                              {.head = "least", .right = true},
                                              {.head = "of rank", .right = true},
                                              {.head = "imbalance", .right = true}};
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i <= least(imbalance->routines, top); i++) {
        struct kt_row row = {.columns = 0};
        balance_cells(&row, imbalance, i ? &imbalance->routine[i - 1] : &imbalance->all);
        kt_row_add(table, &row);
    }
    kt_heading("Imbalance: time of the busiest rank over the mean");
    kt_text_table_print(table);
    kt_text_table_free(table);
    kt_row_tell_rest(imbalance->routines, top, "rank");
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
    print_balances(&report->imbalance, top);
}
