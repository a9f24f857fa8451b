/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A comparison on one screen. Lines: 2 of head, 1 of loss, 1 of column heads, six libraries and 1 for the others, 1 of
 * column heads, 2 for each of four shapes or 3 for each of three where ratios take two lines, findings, 1 for what to
 * do next: 24 unless there is more to say of results.
 */
#include "replay/compare/comparison_screen.h"

#include "replay/compare/beyond.h"
#include "replay/compare/comparison_threads.h"
#include "replay/compare/ratio_text.h"
#include "trace/base/memory.h"
#include "trace/command/about.h"
#include "trace/command/shape_source.h"
#include "trace/print/screen.h"
#include "trace/print/text.h"
#include "trace/shape/shape_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIBRARIES = 6, SHAPES = 4, SHAPE_LINES = 9, CELL = 128, TEXT = 512 };

/* --- what ran ------------------------------------------------------------------------------------------------ */

static void print_head(const struct kt_comparison *c)
{
    char command[TEXT];
    char text[3][CELL];
    const struct kt_trace *trace = &c->setup.trace;
    kt_about_command_text(trace->processes ? &trace->process[0] : NULL, command, sizeof command);
    kt_screen_line("%s", command);
    kt_text_seconds(c->insitu, text[0]);
    kt_text_seconds(c->wall, text[1]);
    kt_text_seconds(c->spent, text[2]);
    bool known = !isnan(c->wall);
    bool is_before = c->is_reused && !c->owner;
    if (c->owner)
        snprintf(text[2], CELL, "%u shares", c->options.replay.share.of);
    if (kt_comparison_in_company(c))
        snprintf(text[1], CELL, "%s added, %.2g at a time", KT_COUNT(c->threads, "thread"), c->together);
    kt_screen_line("BLAS and LAPACK took %s%s%s; compared %s%s", text[0],
                   kt_comparison_in_company(c) ? ", "
                   : known                     ? " of "
                                               : "",
                   known ? text[1] : "", is_before ? "before (--fresh compares again)" : "in ",
                   is_before ? "" : text[2]);
}

/* --- libraries ----------------------------------------------------------------------------------------------- */

static double ratio_of(const struct kt_comparison *c, size_t lane)
{
    double ratio = kt_comparison_multiple(c, lane).value;
    return isnan(ratio) ? INFINITY : ratio;
}

static int compare_lanes(const void *a, const void *b, void *c)
{
    double x = ratio_of(c, *(const size_t *)a);
    double y = ratio_of(c, *(const size_t *)b);
    return (x > y) - (x < y);
}

static void print_library(const struct kt_comparison *c, size_t lane)
{
    char seconds[16];
    char program[16];
    char times[16];
    char interval[KT_RATIO_TEXT] = "";
    struct kt_ratio ratio = kt_comparison_multiple(c, lane);
    kt_text_seconds(kt_comparison_blas(c, lane), seconds);
    kt_text_seconds(kt_comparison_application(c, lane), program);
    if (lane && !isnan(ratio.value))
        kt_ratio_interval_text(&ratio, interval);
    kt_screen_line("%-24.24s %7s %7s  %-14s %7s  %s", c->label[lane], seconds, kt_text_ratio(ratio.value, times),
                   interval, program,
                   lane             ? kt_comparison_verdict(c, lane)
                   : c->is_recorded ? "as recorded"
                                    : "baseline");
}

/* The fastest first. */
static void print_libraries(const struct kt_comparison *c)
{
    size_t order[KT_MOST_LANES];
    for (size_t l = 0; l < c->libraries; l++)
        order[l] = l;
    qsort_r(order, c->libraries, sizeof *order, compare_lanes, (void *)c);
    kt_screen_line("%-24s %7s %7s  %-14s %7s", "library", "BLAS", "ratio", "95 % interval", "program");
    for (size_t l = 0; l < c->libraries && l < LIBRARIES; l++)
        print_library(c, order[l]);
    if (c->libraries > LIBRARIES)
        kt_screen_line("%s: --all", KT_COUNT(c->libraries - LIBRARIES, "slower one"));
}

/* --- shapes -------------------------------------------------------------------------------------------------- */

/* "  blis-serial 0.77, reference ~4.59"; in so many lines. */
static int print_ratios(const struct kt_comparison *c, size_t i)
{
    char text[KT_MOST_LANES][CELL];
    const char *item[KT_MOST_LANES];
    char times[16];
    for (size_t l = 1; l < c->libraries; l++) {
        const struct kt_ratio *ratio = &kt_comparison_cell(c, i, l)->ratio;
        enum kt_verdict said = kt_ratio_verdict(ratio);
        bool certain = said == KT_FASTER || said == KT_SLOWER || isnan(ratio->value);
        snprintf(text[l], CELL, "%s %s%s", c->label[l], certain ? "" : "~",
                 isnan(ratio->value) ? "-" : kt_text_ratio(ratio->value, times));
        item[l - 1] = text[l];
    }
    return kt_screen_list(item, c->libraries - 1);
}

/* In the program. */
static double seconds_of(const struct kt_comparison *c, size_t i)
{
    return c->setup.jobs.job[i].shape->total;
}

/* In so many lines. */
static int print_shape(const struct kt_comparison *c, size_t i, const struct kt_shape_source *source)
{
    char where[CELL];
    char what[CELL];
    const struct kt_shape_group *shape = c->setup.jobs.job[i].shape;
    kt_shape_source_text(&source[shape - c->setup.shapes.shape], where, sizeof where);
    kt_shape_words(&shape->first, shape->also, what, sizeof what);
    kt_screen_place(*where ? where : "unknown", what, (double)shape->calls, seconds_of(c, i),
                    seconds_of(c, i) / c->insitu);
    return 1 + print_ratios(c, i);
}

static int compare_seconds(const void *a, const void *b, void *c)
{
    double x = seconds_of(c, *(const size_t *)a);
    double y = seconds_of(c, *(const size_t *)b);
    return (x < y) - (x > y);
}

static void print_shapes(const struct kt_comparison *c)
{
    size_t count = 0;
    int lines = 0;
    int last = 0; /* lines of the last shape: those of the next one */
    size_t *order = kt_resize(NULL, c->setup.jobs.count, sizeof *order);
    struct kt_callers *callers = kt_callers_new();
    struct kt_shape_source *source = kt_shape_sources_find(&c->setup.shapes, callers);
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (kt_comparison_counts(c, i))
            order[count++] = i;
    qsort_r(order, count, sizeof *order, compare_seconds, (void *)c);
    kt_screen_head();
    for (size_t i = 0; i < count && i < SHAPES && lines + last <= SHAPE_LINES; i++)
        lines += last = print_shape(c, order[i], source);
    kt_screen_line("  replayed time / %s; ~: may be 1; calls, time: as recorded", c->label[0]);
    free(source);
    kt_callers_free(callers);
    free(order);
}

/* --- what it means ------------------------------------------------------------------------------------------- */

/* Of the library that has fewest. */
static size_t pairs_of(const struct kt_comparison *c)
{
    size_t pairs = KT_FEWEST_PAIRS;
    for (size_t l = 1; l < c->libraries; l++)
        if (!isnan(c->sum[l].ratio.value) && c->sum[l].ratio.n < pairs)
            pairs = c->sum[l].ratio.n;
    return pairs;
}

static void say_best(const struct kt_comparison *c)
{
    char text[TEXT];
    char times[16];
    const struct kt_mix *mix = &c->mix;
    size_t used = (size_t)snprintf(text, sizeof text, "best: %s", c->label[mix->library]);
    const char *comma = "; not told apart: ";
    for (size_t l = 0; l < c->libraries && used < sizeof text; l++)
        if (l != mix->library && !mix->is_apart[l]) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", comma, c->label[l]);
            comma = ", ";
        }
    if (kt_mix_wins(mix) && used < sizeof text)
        snprintf(text + used, sizeof text - used, "; each shape on its best library would take %s of that",
                 kt_text_ratio(mix->ratio, times));
    kt_screen_finding(text);
}

static void say_threads(const struct kt_comparison *c)
{
    char text[TEXT];
    if (kt_comparison_threads_text(c, text, sizeof text))
        kt_screen_finding(text);
}

static void say_fastest(const struct kt_comparison *c)
{
    char text[TEXT];
    snprintf(text, sizeof text, "fastest so far: %s; that takes %d pairs of times to be told, there are %zu: --budget",
             c->label[c->mix.library], KT_FEWEST_PAIRS, pairs_of(c));
    kt_screen_finding(text);
}

static void say_lacking(const struct kt_comparison *c)
{
    char text[TEXT];
    char seconds[16];
    for (size_t l = 1; l < c->libraries; l++)
        if (c->sum[l].failed) {
            snprintf(text, sizeof text, "%s does not run %s (%s on %s): counted with that time; --all tells why",
                     c->label[l], KT_COUNT(c->sum[l].failed, "shape"), kt_text_seconds(c->sum[l].lacking, seconds),
                     c->label[0]);
            kt_screen_finding(text);
        }
}

/* Nothing is known of their results. */
static void say_unfinished(const struct kt_comparison *c)
{
    char text[TEXT];
    for (size_t l = 0; c->right.of && l < c->libraries; l++) {
        size_t count = kt_right_count(&c->right, l, KT_RESULT_UNFINISHED);
        if (!count)
            continue;
        snprintf(text, sizeof text,
                 "results of %s of %s are not checked: not finished within the time limit; --all tells which",
                 KT_COUNT(count, "shape"), c->label[l]);
        kt_screen_finding(text);
    }
}

/* The best library other than the program's own, if it is certain to be faster and its label is what --blas takes: one
 * that is cut, or has a number of threads, is not. */
void kt_comparison_screen_next(const struct kt_comparison *c)
{
    const char *trace = c->setup.trace.path;
    const char *label = c->label[c->mix.library];
    struct kt_ratio ratio = kt_comparison_multiple(c, c->mix.library);
    bool is_library = !strchr(label, ' ') && !strstr(label, "..");
    if (c->mix.library && is_library && kt_ratio_verdict(&ratio) == KT_FASTER)
        kt_screen_line("Next: ktrace run --blas %s -- COMMAND, or ktrace compare --all %s", label, trace);
    else
        kt_screen_line("Next: ktrace compare --all %s", trace);
}

void kt_comparison_screen(const struct kt_comparison *c)
{
    print_head(c);
    kt_about_missing(&c->setup.trace, &c->setup.state);
    print_libraries(c);
    if (c->sum[0].seconds > 0) {
        print_shapes(c);
        say_threads(c);
        if (pairs_of(c) < KT_FEWEST_PAIRS)
            say_fastest(c);
        else
            say_best(c);
    }
    say_lacking(c);
    if (kt_comparison_is_contended(c))
        kt_screen_finding("threads held calls up in the program, which other libraries may meet more or less");
    if (kt_right_found(&c->right))
        kt_comparison_print_right(c);
    else
        say_unfinished(c);
    if (c->options.fail_above >= 0)
        kt_beyond_screen(c);
}
