/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/comparison.h"

#include "replay/result.h"
#include "trace/json.h"
#include "trace/memory.h"
#include "trace/text.h"

#include <math.h>
#include <stdio.h>

enum { SHAPE_WIDTH = 60, ROWS = 20, CELL = 40, NAME_WIDTH = 12 };

static bool counts(const struct kt_comparison *c, size_t i)
{
    return c->schedule.item[i].stop != KT_STOP_FAILED;
}

/* Visits whose budget ended between two lanes have no partner yet. */
static struct kt_pairs pairs_of(const struct kt_comparison *c, size_t i, size_t library)
{
    const struct kt_item *item = &c->schedule.item[i];
    const struct kt_series *time = &item->lane[library];
    const struct kt_series *base = &item->lane[0];
    double calls = (double)c->setup.jobs.job[i].shape->calls;
    return (struct kt_pairs){.time = time->visit,
                             .base = base->visit,
                             .round = base->round,
                             .n = time->visits < base->visits ? time->visits : base->visits,
                             .weight = calls * kt_lane_stat(item, 0).best};
}

static void sum_up_library(struct kt_comparison *c, size_t library)
{
    struct kt_pairs *pairs = kt_resize(NULL, c->setup.jobs.count, sizeof *pairs);
    size_t count = 0;
    c->seconds[library] = 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        if (!counts(c, i))
            continue;
        pairs[count++] = pairs_of(c, i, library);
        double calls = (double)c->setup.jobs.job[i].shape->calls;
        c->seconds[library] += calls * kt_lane_stat(&c->schedule.item[i], library).best;
    }
    c->ratio[library] = library ? kt_ratio_of_total(pairs, count, library) : (struct kt_ratio){1, 1, 1};
    free(pairs);
}

void kt_comparison_sum_up(struct kt_comparison *c)
{
    for (size_t l = 0; l < c->libraries; l++)
        sum_up_library(c, l);
}

bool kt_comparison_found_defect(const struct kt_comparison *c)
{
    for (size_t l = 0; l < c->libraries; l++)
        for (size_t i = 0; i < c->setup.jobs.count; i++)
            if (c->worker[l].broken[i])
                return true;
    return false;
}

static const char *verdict(const struct kt_comparison *c, size_t library)
{
    const struct kt_ratio *r = &c->ratio[library];
    if (library == 0)
        return "baseline";
    if (isnan(r->value))
        return "not comparable";
    return r->hi < 1 ? "faster" : r->lo > 1 ? "slower" : "no difference";
}

static size_t best_library(const struct kt_comparison *c)
{
    size_t best = 0;
    for (size_t l = 1; l < c->libraries; l++)
        if (c->ratio[l].value < c->ratio[best].value)
            best = l;
    return best;
}

/* --- JSON -------------------------------------------------------------------------------------------------- */

static json_t *ratio_json(const struct kt_ratio *ratio)
{
    return json_pack("{s:o, s:o, s:o}", "value", kt_json_number(ratio->value), "lo", kt_json_number(ratio->lo), "hi",
                     kt_json_number(ratio->hi));
}

static json_t *failed_json(const struct kt_comparison *c, size_t library)
{
    json_t *failed = json_array();
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        const struct kt_job *job = &c->setup.jobs.job[i];
        const char *why = c->worker[library].failure[i] ? c->worker[library].failure[i] : job->refused;
        if (why)
            json_array_append_new(failed, json_pack("{s:s, s:o, s:I, s:f, s:o}", "routine",
                                                    job->shape->first.entry->symbol.routine->name, "args",
                                                    kt_json_args(&job->shape->first, false), "calls",
                                                    (json_int_t)job->shape->calls, "seconds", job->shape->total, "why",
                                                    kt_json_text(why)));
    }
    return failed;
}

static json_t *library_json(const struct kt_comparison *c, size_t library)
{
    json_t *json = kt_result_library(&c->worker[library]);
    json_object_set_new(json, "seconds", kt_json_number(c->seconds[library]));
    json_object_set_new(json, "ratio", ratio_json(&c->ratio[library]));
    json_object_set_new(json, "verdict", json_string(verdict(c, library)));
    json_object_set_new(json, "worst_residual", json_null());
    json_object_set_new(json, "failed", failed_json(c, library));
    return json;
}

static json_t *shape_json(const struct kt_comparison *c, size_t i)
{
    const struct kt_item *item = &c->schedule.item[i];
    json_t *shape = kt_result_shape(&c->setup.jobs.job[i], item);
    json_t *libraries = json_array();
    for (size_t l = 0; l < c->libraries; l++) {
        struct kt_stat stat = kt_lane_stat(item, l);
        struct kt_pairs pairs = pairs_of(c, i, l);
        struct kt_ratio ratio = kt_ratio_of(&pairs);
        json_array_append_new(libraries, json_pack("{s:o, s:o, s:o}", "name", kt_json_text(c->worker[l].library.name),
                                                   "seconds", kt_json_stat(&stat), "ratio", ratio_json(&ratio)));
    }
    json_object_set_new(shape, "libraries", libraries);
    return shape;
}

/* In-situ seconds and number of the shapes that count for no library. */
static double excluded(const struct kt_comparison *c, size_t *shapes)
{
    double seconds = 0;
    *shapes = 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (!counts(c, i)) {
            seconds += c->setup.jobs.job[i].shape->total;
            ++*shapes;
        }
    return seconds;
}

json_t *kt_comparison_json(const struct kt_comparison *c)
{
    json_t *libraries = json_array();
    json_t *shapes = json_array();
    size_t left_out;
    double seconds = excluded(c, &left_out);
    for (size_t l = 0; l < c->libraries; l++)
        json_array_append_new(libraries, library_json(c, l));
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (counts(c, i))
            json_array_append_new(shapes, shape_json(c, i));
    return json_pack("{s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:{s:I, s:f}, s:i, s:f}", "ktrace", KT_VERSION,
                     "machine", kt_result_machine(), "baseline", kt_json_text(c->worker[0].library.name), "context",
                     c->options.context[0]->name, "level", c->options.level == KT_LEAVES ? "leaves" : "outermost",
                     "libraries", libraries, "shapes", shapes, "best",
                     kt_json_text(c->worker[best_library(c)].library.name), "excluded", "shapes", (json_int_t)left_out,
                     "seconds", seconds, "rounds", (int)c->schedule.rounds, "seconds_spent", c->schedule.seconds);
}

/* --- text -------------------------------------------------------------------------------------------------- */

static void print_libraries(const struct kt_comparison *c)
{
    static const struct kt_column column[] = {{.head = "library", .shrink = true},
                                              {.head = "predicted", .right = true},
                                              {.head = "ratio", .right = true},
                                              {.head = "95 % interval"},
                                              {.head = "verdict"}};
    struct kt_text_table *table = kt_text_table_new(column, 5);
    for (size_t l = 0; l < c->libraries; l++) {
        char seconds[CELL];
        char ratio[CELL];
        char interval[CELL];
        kt_text_seconds(c->seconds[l], seconds);
        bool known = !isnan(c->ratio[l].value);
        snprintf(ratio, sizeof ratio, known ? "%.3f" : "n/a", c->ratio[l].value);
        snprintf(interval, sizeof interval, l && known ? "%.3f .. %.3f" : "", c->ratio[l].lo, c->ratio[l].hi);
        kt_text_table_row(table,
                          (const char *const[]){c->worker[l].library.name, seconds, ratio, interval, verdict(c, l)});
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
}

enum { COLUMNS = 4 + KT_MAX_LIBRARIES };

static void add_shape_row(const struct kt_comparison *c, struct kt_text_table *table, size_t i)
{
    char text[SHAPE_WIDTH + 1];
    char cells[COLUMNS][CELL];
    const char *cell[COLUMNS] = {text};
    const struct kt_job *job = &c->setup.jobs.job[i];
    size_t best = 0;
    double least = 1;
    for (size_t k = 1; k < COLUMNS; k++)
        cell[k] = cells[k];
    kt_job_text(job, text, SHAPE_WIDTH);
    kt_text_count((double)job->shape->calls, cells[1]);
    kt_text_seconds(kt_lane_stat(&c->schedule.item[i], 0).best, cells[2]);
    for (size_t l = 1; l < c->libraries; l++) {
        struct kt_pairs pairs = pairs_of(c, i, l);
        struct kt_ratio ratio = kt_ratio_of(&pairs);
        bool certain = ratio.lo > 1 || ratio.hi < 1;
        snprintf(cells[2 + l], CELL, "%s%.2f", certain ? "" : "~", ratio.value);
        best = certain && ratio.value < least ? l : best;
        least = best == l ? ratio.value : least;
    }
    snprintf(cells[2 + c->libraries], CELL, "%s", c->worker[best].library.name);
    kt_text_table_row(table, cell);
}

static void print_shapes(const struct kt_comparison *c)
{
    struct kt_column column[COLUMNS] = {{.head = "shape", .shrink = true}, {.head = "calls", .right = true}};
    char head[COLUMNS][NAME_WIDTH + 1];
    size_t listed = 0;
    for (size_t l = 0; l < c->libraries; l++) {
        snprintf(head[l], sizeof head[l], "%s", c->worker[l].library.name);
        column[2 + l] = (struct kt_column){.head = head[l], .right = true};
    }
    column[2 + c->libraries] = (struct kt_column){.head = "best", .shrink = true};
    struct kt_text_table *table = kt_text_table_new(column, 3 + c->libraries);
    for (size_t i = 0; i < c->setup.jobs.count && listed < ROWS; i++)
        if (counts(c, i)) {
            add_shape_row(c, table, i);
            listed++;
        }
    printf("\n");
    kt_text_table_print(table);
    kt_text_table_free(table);
    printf("Time on %s, then the ratios of the others to it; ~: not told apart from 1.\n", c->worker[0].library.name);
    if (listed == ROWS)
        printf("The %d shapes that took longest; all of them with --json.\n", ROWS);
}

static void print_failures(const struct kt_comparison *c)
{
    char text[256];
    size_t left_out;
    double seconds = excluded(c, &left_out);
    if (left_out == 0)
        return;
    printf("\nLeft out for all libraries: %zu shapes, %s in situ.\n", left_out, kt_text_seconds(seconds, text));
    size_t listed = 0;
    for (size_t i = 0; i < c->setup.jobs.count && listed < ROWS / 2; i++)
        for (size_t l = 0; l < c->libraries; l++) {
            const struct kt_job *job = &c->setup.jobs.job[i];
            const char *why = c->worker[l].failure[i] ? c->worker[l].failure[i] : l == 0 ? job->refused : NULL;
            if (!why)
                continue;
            snprintf(text, sizeof text, "%s: %s", c->worker[l].library.name, why);
            kt_failure_print(job, text);
            listed++;
        }
}

void kt_comparison_print(const struct kt_comparison *c)
{
    char seconds[CELL];
    kt_text_seconds(c->schedule.seconds, seconds);
    printf("%s on %zu libraries, operands %s, in %s (%u rounds)\n\n", c->setup.trace.path, c->libraries,
           c->options.context[0]->name, seconds, c->schedule.rounds);
    print_libraries(c);
    if (c->seconds[0] > 0)
        print_shapes(c);
    print_failures(c);
}
