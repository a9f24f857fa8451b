/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/result/left_out.h"
#include "replay/result/result.h"
#include "replay/result/result_totals.h"
#include "replay/sequence/sequence_result.h"
#include "trace/base/memory.h"
#include "trace/command/about.h"
#include "trace/command/subnormal.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SHAPE_WIDTH = 60, FAILED_WIDTH = 28, ROWS = 20, CELL = 32 };

void kt_job_text(const struct kt_job *job, char *out, size_t width)
{
    int used = snprintf(out, width, "%s ", job->shape->first.entry->symbol.routine->name);
    kt_shape_text(&job->shape->first, out + used, width - (size_t)used);
}

enum { COLUMNS = 6 + KT_MAX_CONTEXTS };

/* Contexts that have a column: the sequence is the last. */
static size_t columns_of(const struct kt_replay_result *r)
{
    return r->schedule->lanes + (r->sequence != NULL);
}

static struct kt_text_table *new_table(const struct kt_replay_result *r)
{
    struct kt_column column[COLUMNS] = {
        {.head = "shape", .shrink = true}, {.head = "calls", .right = true}, {.head = "in situ", .right = true}};
    size_t columns = 3;
    for (size_t l = 0; l < r->schedule->lanes; l++)
        column[columns++] = (struct kt_column){.head = r->options->context[l]->name, .right = true};
    if (r->sequence)
        column[columns++] = (struct kt_column){.head = "sequence", .right = true};
    column[columns++] = (struct kt_column){.head = "index", .right = true};
    column[columns++] = (struct kt_column){.head = "share", .right = true};
    return kt_text_table_new(column, columns);
}

/* The numbers of a row, in the order of the columns. */
struct row {
    const char *text;
    double calls, insitu, index, share;
    double lane[KT_MAX_CONTEXTS + 1];
};

static void add_row(struct kt_text_table *table, const struct row *row, size_t lanes)
{
    char text[COLUMNS][CELL];
    const char *cell[COLUMNS] = {row->text};
    for (size_t i = 1; i < COLUMNS; i++)
        cell[i] = text[i];
    kt_text_count(row->calls, text[1]);
    kt_text_seconds(row->insitu, text[2]);
    for (size_t l = 0; l < lanes; l++)
        kt_text_seconds(row->lane[l], text[3 + l]);
    kt_text_index(row->index, "", text[3 + lanes]);
    kt_text_percent(row->share, text[4 + lanes]);
    kt_text_table_row(table, cell);
}

static const char *why_absent(const struct kt_replay_result *r)
{
    return r->options->timer == KT_TIMER_CPU
               ? "too short to be timed one by\none by the processor's time (--timer wall), or of "
                 "unknown places of operands"
               : "of whose\noperands it is not known where they were";
}

static void add_shape_row(const struct kt_replay_result *r, struct kt_text_table *table, size_t i, double all)
{
    const struct kt_job *job = &r->setup->jobs.job[i];
    char text[SHAPE_WIDTH + 1];
    kt_job_text(job, text, SHAPE_WIDTH);
    struct row row = {.text = text,
                      .calls = (double)job->shape->calls,
                      .insitu = job->insitu.median,
                      .index = kt_result_index(r, i),
                      .share = job->shape->total / all};
    for (size_t l = 0; l < r->schedule->lanes; l++)
        row.lane[l] = kt_lane_stat(&r->schedule->item[i], l).median;
    if (r->sequence)
        row.lane[r->schedule->lanes] = kt_sequence_stat(r->sequence, job).median;
    add_row(table, &row, columns_of(r));
}

static void print_shapes(const struct kt_replay_result *r, const struct kt_result_totals *totals)
{
    struct kt_text_table *table = new_table(r);
    double all = totals->insitu + totals->refused + totals->left_out.seconds;
    size_t replayed = 0;
    for (size_t i = 0; i < r->schedule->reached; i++)
        if (!r->setup->jobs.job[i].refused && replayed++ < ROWS)
            add_shape_row(r, table, i, all);
    struct row sum = {.text = "all calls",
                      .calls = totals->calls,
                      .insitu = totals->insitu,
                      .index = NAN,
                      .share = totals->insitu / all};
    memcpy(sum.lane, totals->lane, sizeof totals->lane);
    if (r->sequence)
        sum.lane[r->schedule->lanes] = kt_sequence_total(r->sequence);
    add_row(table, &sum, columns_of(r));
    kt_text_table_print(table);
    kt_text_table_free(table);
    if (replayed > ROWS)
        printf("The %d shapes that took longest of %zu; all of them with --json.\n", ROWS, replayed);
    printf("Medians of calls in situ and of replays; all calls: sums of best estimates.\n"
           "Index: 0 = as fast as warm, 1 = as if all operands came from memory.\n");
    for (size_t l = 0; l < r->schedule->lanes; l++)
        if (totals->absent[l] > 0)
            printf("Not in %s: calls that took %s in situ, %s.\n", r->options->context[l]->name,
                   kt_text_seconds(totals->absent[l], (char[CELL]){0}), why_absent(r));
}

/* Shapes whose operands hold made contents, though what the call takes depends on contents. */
static bool is_uncertain(const struct kt_job *job)
{
    return !job->refused && !job->held && !job->shape->query && isnan(job->shape->flops);
}

/* Routines of such shapes: how many, and the names of the first, MOST at most. */
static size_t find_uncertain(const struct kt_replay_result *r, const char **name, size_t most)
{
    size_t found = 0;
    const struct kt_routine **known = NULL;
    for (size_t i = 0; i < r->schedule->reached; i++) {
        const struct kt_job *job = &r->setup->jobs.job[i];
        const struct kt_routine *routine = job->shape->first.entry->symbol.routine;
        size_t k = 0;
        while (k < found && known[k] != routine)
            k++;
        if (k < found || !is_uncertain(job))
            continue;
        if (found < most)
            name[found] = routine->name;
        known = kt_room_for_one(known, found, sizeof *known);
        known[found++] = routine;
    }
    free(known);
    return found;
}

static void print_uncertain(const struct kt_replay_result *r)
{
    enum { NAMED = 5 };
    const char *name[NAMED];
    size_t found = find_uncertain(r, name, NAMED);
    char list[NAMED * KT_NAME + 32] = "";
    size_t used = 0;
    for (size_t i = 0; i < found && i < NAMED; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", name[i]);
    if (found > NAMED)
        snprintf(list + used, sizeof list - used, " and %s", KT_COUNT(found - NAMED, "other"));
    if (found)
        kt_text_say("The work may depend on what operands hold, which is made here: %s.", list);
}

static void print_subnormals(const struct kt_replay_result *r)
{
    for (size_t i = 0; r->subnormal && i < r->schedule->reached; i++) {
        char shape[SHAPE_WIDTH + 1];
        char text[512];
        json_t *cost = kt_subnormal_cost_json(&r->setup->jobs.job[i], &r->subnormal[i]);
        if (!json_is_null(cost)) {
            kt_job_text(&r->setup->jobs.job[i], shape, SHAPE_WIDTH);
            kt_subnormals_cost_text(cost, text, sizeof text);
            printf("Subnormal numbers, %s:\n  %s.\n", shape, text);
        }
        json_decref(cost);
    }
}

static void print_contents(const struct kt_replay_result *r)
{
    size_t held = 0;
    for (size_t i = 0; i < r->schedule->reached; i++)
        held += r->setup->jobs.job[i].held && !r->setup->jobs.job[i].refused;
    if (r->setup->snapshots.count)
        printf("Operands of %zu of %s held what snapshots say, the others%s contents made for the routine.\n", held,
               KT_COUNT(r->schedule->reached, "shape"), r->sequence ? " and those of the sequence" : "");
    print_uncertain(r);
    print_subnormals(r);
}

static void print_disturbances(const struct kt_replay_result *r)
{
    struct kt_disturbances all = {0};
    for (size_t i = 0; i < r->schedule->reached; i++)
        for (size_t l = 0; l < r->schedule->lanes; l++)
            kt_disturbances_merge(&all, &r->schedule->item[i].lane[l].disturbances);
    if (all.disturbed == 0)
        return;
    char disturbed[16];
    printf("%s of %s disturbed (", kt_text_count((double)all.disturbed, disturbed), KT_COUNT(all.samples, "sample"));
    const char *comma = "";
    for (int i = 0; i < KT_DISTURBANCE_KINDS; i++)
        if (all.by[i]) {
            printf("%s%s: %zu", comma, kt_disturbance_key[i], all.by[i]);
            comma = ", ";
        }
    if (all.left_out)
        printf(").\n%zu of these are left out; beside the others was none without.\n", all.left_out);
    else
        printf(").\nThey count: they may be the call's own, or had no undisturbed one beside them.\n");
}

static void print_refused(const struct kt_replay_result *r, const struct kt_result_totals *totals)
{
    char seconds[CELL];
    size_t listed = 0;
    if (totals->calls_refused == 0)
        return;
    kt_text_seconds(totals->refused, seconds);
    printf("\nNot replayed: %s, %s in situ.\n", KT_COUNT(totals->calls_refused, "call"), seconds);
    for (size_t i = 0; i < r->schedule->reached && listed < ROWS / 2; i++) {
        const struct kt_job *job = &r->setup->jobs.job[i];
        if (job->refused)
            kt_failure_print(job, job->refused);
        listed += job->refused != NULL;
    }
}

void kt_failure_print(const struct kt_job *job, const char *why)
{
    char text[FAILED_WIDTH + 1];
    char seconds[CELL];
    kt_job_text(job, text, FAILED_WIDTH);
    kt_text_seconds(job->shape->total, seconds);
    printf("%8s  %-*s  %s\n", seconds, FAILED_WIDTH, text, why);
}

static void print_store(const struct kt_replay_result *r)
{
    size_t series = 0;
    char when[32];
    time_t to = (time_t)r->recall->to;
    struct tm tm;
    if (r->recall->reused == 0)
        return;
    for (size_t i = 0; i < r->schedule->reached; i++)
        series += r->setup->jobs.job[i].refused ? 0 : r->schedule->lanes;
    strftime(when, sizeof when, "%Y-%m-%d %H:%M", localtime_r(&to, &tm));
    kt_text_say("%zu of %zu series from earlier replays, the last of %s; --fresh measures them again",
                r->recall->reused, series, when);
}

void kt_result_print(const struct kt_replay_result *r)
{
    struct kt_result_totals totals;
    char seconds[CELL];
    kt_result_totals_of(r, &totals);
    kt_text_seconds(r->schedule->seconds, seconds);
    printf("%s replayed on %s, %s", r->setup->trace.path, r->worker->library.name,
           KT_COUNT(r->worker->library.threads, "thread"));
    if (r->schedule->rounds)
        printf(", in %s (%s)", seconds, KT_COUNT(r->schedule->rounds, "round"));
    printf("%s\n", r->options->timer == KT_TIMER_CPU ? ", processor time" : "");
    if (*r->worker->hello.version)
        printf("%.80s\n", r->worker->hello.version);
    print_store(r);
    kt_about_missing(&r->setup->trace, &r->setup->state);
    printf("\n");
    print_shapes(r, &totals);
    print_contents(r);
    print_disturbances(r);
    if (r->sequence)
        kt_sequence_print(r->sequence);
    print_refused(r, &totals);
    kt_left_out_print(&totals.left_out, r->recall->store);
}
