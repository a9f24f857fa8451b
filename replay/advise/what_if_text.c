/* SPDX-License-Identifier: BSD-3-Clause */
/* What ktrace replay --what-if prints for people. */
#include "replay/advise/what_if.h"

#include "replay/compare/ratio_text.h"
#include "trace/command/about.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHAPE_WIDTH = 60, CELL = 128, INDENT = 3, ROWS = 20, SECONDS = 16 };

/* "1.2 ms less", "3 us more" */
static const char *difference(double seconds, char out[CELL])
{
    char text[SECONDS];
    snprintf(out, CELL, "%s %s", kt_text_seconds(fabs(seconds), text), seconds < 0 ? "more" : "less");
    return out;
}

/* "(1.1 ms to 1.3 ms)", "(3 us more to 8 us less)" */
static void print_interval(const struct kt_what_if_row *row)
{
    char text[2][CELL];
    double near = row->seconds_lo > 0 ? row->seconds_lo : row->seconds_hi;
    double far = row->seconds_lo > 0 ? row->seconds_hi : row->seconds_lo;
    if (row->seconds_lo > 0 || row->seconds_hi < 0)
        printf("(%s to %s)", kt_text_seconds(fabs(near), text[0]), kt_text_seconds(fabs(far), text[1]));
    else
        printf("(%s to %s)", difference(row->seconds_lo, text[0]), difference(row->seconds_hi, text[1]));
}

/* "faster: 1.2 ms less (1.1 ms to 1.3 ms)" */
static void print_gain(const struct kt_what_if_row *row, size_t pairs)
{
    char text[CELL];
    if (pairs < KT_FEWEST_PAIRS) {
        printf("cannot tell: too few pairs, see --budget");
        return;
    }
    printf("%s: %s ", kt_verdict_text[row->verdict], difference(row->seconds, text));
    print_interval(row);
}

static void print_part(double seconds, double of, const char *what)
{
    char share[16];
    kt_text_percent(of > 0 ? fabs(seconds) / of : NAN, share);
    printf("%s of %s", share + strspn(share, " "), what);
}

static bool is_claimed(const struct kt_what_if_row *row)
{
    return row->verdict == KT_FASTER || row->verdict == KT_SLOWER;
}

static void print_times(const struct kt_what_if *w, const struct kt_what_if_row *row)
{
    char seconds[2][SECONDS];
    char times[16];
    char interval[KT_RATIO_TEXT];
    const struct kt_tried *tried = &w->trials.tried[row->trial];
    printf("%*srecorded %s, changed %s (ratio %s, %s; %s)\n", INDENT, "",
           kt_text_seconds(row->recorded.median, seconds[0]), kt_text_seconds(row->other.median, seconds[1]),
           kt_text_ratio(tried->ratio.value, times), kt_ratio_interval_text(&tried->ratio, interval),
           KT_COUNT(tried->pairs, "pair"));
    printf("%*s", INDENT, "");
    print_gain(row, tried->pairs);
    if (is_claimed(row)) {
        printf(", ");
        print_part(row->seconds, w->blas, "BLAS");
    }
    printf("\n");
}

static void print_row(const struct kt_what_if *w, const struct kt_what_if_row *row)
{
    char seconds[SECONDS];
    char where[CELL];
    char shape[SHAPE_WIDTH + 1];
    const char *routine = row->shape->first.entry->symbol.routine->name;
    kt_shape_text(&row->shape->first, shape, (size_t)SHAPE_WIDTH - strlen(routine) % SHAPE_WIDTH);
    kt_shape_source_text(&w->source[row->number], where, sizeof where);
    printf("%s %s\n%*s%s, %s in the program%s%s\n", routine, shape, INDENT, "", KT_COUNT(row->shape->calls, "call"),
           kt_text_seconds(row->shape->total, seconds), *where ? ", " : "", where);
    if (!row->why && row->calls < (double)row->shape->calls)
        printf("%*s%s in batches, %s\n", INDENT, "", KT_COUNT(row->calls, "call"),
               kt_text_seconds(row->insitu, seconds));
    if (row->why)
        printf("%*snot timed: %s\n", INDENT, "", row->why);
    else
        print_times(w, row);
}

static void print_form(const struct kt_what_if *w, size_t form, const char *name)
{
    const struct kt_library *library = &w->trials.worker[form].library;
    printf("%s: %s, %s", name, library->name, KT_COUNT(library->threads, "thread"));
}

static void print_head(const struct kt_what_if *w)
{
    char seconds[2][SECONDS];
    char processes[KT_ABOUT_PROCESSES];
    printf("What if %s? %s%s, of which BLAS and LAPACK take %s\n", w->change.text,
           kt_text_seconds(w->program, seconds[0]), kt_about_processes(&w->setup.trace, processes),
           kt_text_seconds(w->blas, seconds[1]));
    print_form(w, KT_RECORDED_FORM, "recorded");
    if (w->trials.places > 1) {
        printf("; ");
        print_form(w, KT_OTHER_FORM, "changed");
    }
    if (w->loop > 1)
        printf("%s in each of %u threads of a loop", w->trials.places > 1 ? "" : "; changed: the same,", w->loop);
    printf("\n\n");
}

/* Of shapes that are not listed, too. */
static void print_others(const struct kt_what_if *w)
{
    char seconds[SECONDS];
    double others = 0;
    for (size_t i = ROWS; i < w->rows; i++)
        others += w->row[i].shape->total;
    if (w->rows > ROWS)
        printf("%s, %s: see --json\n", KT_COUNT(w->rows - ROWS, "lighter shape"), kt_text_seconds(others, seconds));
}

static void print_total(const struct kt_what_if *w)
{
    char seconds[SECONDS];
    printf("\n%zu of %s timed, %s in the program\n%*s", w->timed, KT_COUNT(w->rows, "shape"),
           kt_text_seconds(w->insitu, seconds), INDENT, "");
    print_gain(&w->total, w->ratio.n);
    printf("\n");
    if (!is_claimed(&w->total))
        return;
    printf("%*s", INDENT, "");
    print_part(w->total.seconds, w->blas, "BLAS, ");
    print_part(w->total.seconds, w->program, "the program\n");
}

void kt_what_if_print(const struct kt_what_if *w)
{
    print_head(w);
    for (size_t i = 0; i < w->rows && i < ROWS; i++)
        print_row(w, &w->row[i]);
    print_others(w);
    if (w->timed)
        print_total(w);
    else
        printf("\nNo shape could be timed with this change.\n");
}
