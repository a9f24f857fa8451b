/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What verifying found: statistics, JSON, text.
 */
#include "replay/compare/verify.h"

#include "replay/compare/ratio_json.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>

enum { CELL = 40 };

/* Differences between libraries below this do not have to be predicted in the right order. */
static const double order_above = 0.03;

/* Numbers of calls that differ by more than this part tell that a program does other work. */
static const double other_work = 0.01;

/* --- statistics -------------------------------------------------------------------------------------------- */

static struct kt_stat stat_of(const double *seconds, int runs)
{
    double *known = kt_resize(NULL, (size_t)runs, sizeof *known);
    size_t n = 0;
    for (int i = 0; i < runs; i++)
        if (!isnan(seconds[i]))
            known[n++] = seconds[i];
    struct kt_stat stat = kt_stat_of(known, n, KT_BEST_MEDIAN);
    free(known);
    return stat;
}

/* Of so many runs on a library and on the baseline. */
static struct kt_ratio paired(const double *run, const double *base_run, size_t runs)
{
    double *time = kt_resize(NULL, runs, sizeof *time);
    double *base = kt_resize(NULL, runs, sizeof *base);
    struct kt_pairs pairs = {.time = time, .base = base};
    for (size_t i = 0; i < runs; i++)
        if (!isnan(run[i]) && !isnan(base_run[i])) {
            time[pairs.n] = run[i];
            base[pairs.n++] = base_run[i];
        }
    struct kt_ratio ratio = kt_ratio_of(&pairs);
    free(time);
    free(base);
    return ratio;
}

/* True unless two libraries that certainly differ by more than what counts were predicted the other way round. */
static bool is_ordered(const struct kt_verify *v, const double *predicted)
{
    for (size_t a = 0; a < v->lanes; a++)
        for (size_t b = 0; b < v->lanes; b++) {
            double measured = v->lane[a].ratio.value / v->lane[b].ratio.value;
            bool apart = v->lane[a].time.lo > v->lane[b].time.hi;
            if (measured > 1 + order_above && apart && predicted[a] < predicted[b])
                return false;
        }
    return true;
}

void kt_verify_sum_up(struct kt_verify *v, const double *predicted)
{
    for (size_t l = 0; l < v->lanes; l++) {
        struct kt_verified *one = &v->lane[l];
        one->time = stat_of(one->blas, v->runs);
        one->whole = stat_of(one->wall, v->runs);
        one->cpu_time = stat_of(one->cpu, v->runs);
        one->ratio = paired(one->blas, v->lane[0].blas, (size_t)v->runs);
        one->ratio_typical = paired(one->typical, v->lane[0].typical, (size_t)v->runs);
        one->error = l ? predicted[l] / one->ratio.value - 1 : NAN;
        one->error_typical = l ? predicted[l] / one->ratio_typical.value - 1 : NAN;
    }
    v->is_ordered = is_ordered(v, predicted);
}

/* Is there anything to put in order? */
static bool has_order(const struct kt_verify *v)
{
    size_t measured = 0;
    for (size_t l = 0; l < v->lanes; l++)
        measured += v->lane[l].time.n > 0;
    return measured > 1;
}

/* --- libraries, and the map behind them ---------------------------------------------------------------------- */

static bool is_map(const struct kt_comparison *c, size_t l)
{
    return l == c->libraries;
}

static const char *label_of(const struct kt_comparison *c, size_t l)
{
    return is_map(c, l) ? "the map" : c->label[l];
}

static int threads_of(const struct kt_comparison *c, size_t l)
{
    return c->worker[is_map(c, l) ? 0 : l].library.threads;
}

static double predicted_of(const struct kt_verify *v, const struct kt_comparison *c, size_t l)
{
    return is_map(c, l) ? v->plan->seconds : kt_comparison_blas(c, l);
}

static double ratio_of(const struct kt_verify *v, const struct kt_comparison *c, size_t l)
{
    return is_map(c, l) ? v->plan->ratio.value : kt_comparison_multiple(c, l).value;
}

static double program_of(const struct kt_verify *v, const struct kt_comparison *c, size_t l)
{
    return is_map(c, l) ? v->plan->application : kt_comparison_application(c, l);
}

/* --- JSON -------------------------------------------------------------------------------------------------- */

static json_t *lane_json(const struct kt_verify *v, const struct kt_comparison *c, size_t l)
{
    const struct kt_verified *one = &v->lane[l];
    return json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "name",
                     kt_json_text(label_of(c, l)), "threads", threads_of(c, l), "predicted",
                     kt_json_number(predicted_of(v, c, l)), "measured", kt_json_stat(&one->time), "ratio_predicted",
                     kt_json_number(ratio_of(v, c, l)), "ratio_measured", kt_ratio_json(&one->ratio), "error",
                     kt_json_number(one->error), "ratio_typical", kt_ratio_json(&one->ratio_typical), "error_typical",
                     kt_json_number(one->error_typical), "program_predicted", kt_json_number(program_of(v, c, l)),
                     "program_measured", kt_json_stat(&one->whole), "program_cpu", kt_json_stat(&one->cpu_time),
                     "calls", (json_int_t)one->calls, "failed", *one->failed ? kt_json_text(one->failed) : json_null());
}

json_t *kt_verify_json(const struct kt_verify *v, const struct kt_comparison *c)
{
    json_t *libraries = json_array();
    for (size_t l = 0; l < v->lanes; l++)
        json_array_append_new(libraries, lane_json(v, c, l));
    return json_pack("{s:i, s:o, s:o, s:o}", "runs", v->runs, "processor", kt_json_processor(v->processor),
                     "order_is_right", has_order(v) ? json_boolean(v->is_ordered) : json_null(), "libraries",
                     libraries);
}

/* --- text -------------------------------------------------------------------------------------------------- */

static void ratio_text(double ratio, double error, char *out)
{
    char percent[16] = "";
    char times[16];
    if (!isnan(error))
        snprintf(percent, sizeof percent, " %+.1f %%", 100 * error);
    snprintf(out, CELL, "%s%s", kt_text_ratio(ratio, times), percent);
}

static void add_row(struct kt_text_table *table, const struct kt_verify *v, const struct kt_comparison *c, size_t l)
{
    char cell[6][CELL];
    char seconds[16];
    const struct kt_verified *one = &v->lane[l];
    double half = (one->time.hi - one->time.lo) / 2 / one->time.median;
    kt_text_seconds(predicted_of(v, c, l), cell[0]);
    snprintf(cell[1], CELL, isnan(half) ? "%s" : "%s +-%.*f %%", kt_text_seconds(one->time.median, seconds), half < 0.1,
             100 * half);
    ratio_text(ratio_of(v, c, l), NAN, cell[2]);
    ratio_text(one->ratio.value, one->error, cell[3]);
    ratio_text(one->ratio_typical.value, one->error_typical, cell[4]);
    snprintf(cell[5], CELL, "%zu %s", l + 1, label_of(c, l));
    kt_text_table_row(table, (const char *const[]){cell[5], cell[0], cell[1], cell[2], cell[3], cell[4]});
}

static void print_notes(const struct kt_verify *v, const struct kt_comparison *c)
{
    for (size_t l = 0; l < v->lanes; l++) {
        if (*v->lane[l].failed)
            printf("%s: %s\n", label_of(c, l), v->lane[l].failed);
        else if (!*v->lane[0].failed &&
                 fabs((double)v->lane[l].calls - (double)v->lane[0].calls) > other_work * (double)v->lane[0].calls)
            printf("%s: the program made %s, on %s %llu: it does other work there.\n", label_of(c, l),
                   KT_COUNT(v->lane[l].calls, "call"), c->label[0], (unsigned long long)v->lane[0].calls);
    }
    printf("Ratios: predicted; of what all calls took; typical, with the median of each\n"
           "shape's calls, without pauses of the machine. Beside them: its error.\n");
    if (v->processor != KT_NO_PROCESSOR)
        printf("Runs with one thread stayed on processor %d, as replays do.\n", v->processor);
    if (has_order(v))
        printf("Order of the libraries%s.\n",
               v->is_ordered ? " as predicted, where they differ by more than 3 %" : ": NOT as predicted");
}

void kt_verify_print(const struct kt_verify *v, const struct kt_comparison *c)
{
    static const struct kt_column column[] = {
        {.head = "  library", .shrink = true}, {.head = "predicted", .right = true},
        {.head = "measured", .right = true},   {.head = "ratio", .right = true},
        {.head = "measured", .right = true},   {.head = "typical", .right = true}};
    if (v->runs == 0) {
        printf("\nNo run on all libraries has come to its end.\n");
        return;
    }
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    printf("\nReally run, %s on each library (BLAS time; medians, 95 %% intervals)\n\n", KT_COUNT(v->runs, "time"));
    for (size_t l = 0; l < v->lanes; l++)
        add_row(table, v, c, l);
    kt_text_table_print(table);
    kt_text_table_free(table);
    print_notes(v, c);
}
