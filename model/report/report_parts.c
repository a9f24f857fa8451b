/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/report_parts.h"

#include "model/report/report_lists.h"
#include "model/report/report_row.h"
#include "trace/command/field_text.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR = 22 };

static const char *percent(double part, double whole, char out[16])
{
    kt_text_percent(whole > 0 ? part / whole : NAN, out);
    return out + strspn(out, " ");
}

/* --- in total ---------------------------------------------------------------------------------------------- */

static void print_bar(const char *name, double part, const struct kt_time *interval, double whole, const char *meaning)
{
    char seconds[32];
    char error[32] = "";
    char share[32];
    char bar[BAR + 1];
    double fraction = whole > 0 ? part / whole : NAN;
    int filled = isnan(fraction) ? 0 : (int)lround(fmin(fmax(fraction, 0.0), 1.0) * BAR);
    memset(bar, ' ', BAR);
    memset(bar, '#', (size_t)filled);
    bar[BAR] = '\0';
    if (interval && interval->hi > interval->lo) {
        kt_text_seconds(fmax(interval->hi - part, part - interval->lo), error + 3);
        memcpy(error, "+- ", 3);
    }
    kt_text_seconds(part, seconds);
    kt_text_percent(fraction, share);
    printf("%-9s %8s %10s %9s |%s| %s\n", name, seconds, error, share, bar, meaning);
}

static void print_part(const char *name, const struct kt_time *part, double whole, const char *meaning)
{
    if (!isnan(part->value))
        print_bar(name, part->value, part, whole, meaning);
}

/* Calls that ran at the same time may have cost each other something, which only a replay of that tells. */
static void print_contention(const struct kt_report *report, const struct kt_decomposition *d)
{
    static const double worth_words = 0.1; /* calls of others */
    print_part("contended", &d->contention, d->insitu, "together - alone");
    if (isnan(d->contention.value) && kt_report_has_threads(report) &&
        kt_overlap_beside(&report->overlaps.all) >= worth_words)
        printf("%-9s %7s  calls ran at the same time: ktrace replay tells what that cost\n", "contended", "?");
}

static void print_total(const struct kt_report *report, const struct kt_decomposition *d)
{
    double all = d->insitu;
    print_bar("in situ", all, NULL, all, "as measured");
    if (isnan(d->bound.value))
        print_part("warm", &d->warm, all, "bound + library");
    print_part("bound", &d->bound, all, "hardware allows");
    print_part("library", &d->library, all, "warm - bound");
    print_part("cache", &d->cache, all, "tracked - warm");
    print_contention(report, d);
    print_part("residual", &d->residual, all, "all else");
    if (d->tracked < d->shapes)
        print_part("rest", &d->unsplit, all, "all else");
    print_part("machine", &d->machine, all, d->tracked ? "of the residual" : "of the rest");
}

/* Beyond that, what the replays say of the program is worth little. */
static void explain_machine(const struct kt_decomposition *d)
{
    char error[16];
    if (fabs(d->machine.value) >= 0.01 * d->insitu)
        printf("machine: what follows from its being slower (below 0: faster) while recorded\n");
    if (kt_decomposition_is_unclear(d))
        kt_text_say(
            "Cannot tell: while recorded and while replayed the machine was in states so different that all parts "
            "may be wrong by %s. Record and replay again, one right after the other (replay --fresh).",
            kt_text_seconds((d->machine.hi - d->machine.lo) / 2, error));
}

static void explain_faults(const struct kt_decomposition *d)
{
    char all[16];
    char one[16];
    kt_text_say("%s: about %s of it are %s, %s each: new pages in calls", d->tracked ? "residual" : "rest",
                kt_text_seconds(d->fault_seconds, all), KT_COUNT(d->faults, "page fault"),
                kt_text_seconds(d->fault_seconds / d->faults, one));
}

/* A sentence for each thing that a reader would stumble over. */
static void explain(const struct kt_decomposition *d)
{
    static const char *const odd[] = {
        "shapes that were faster than their bound: its peak was measured too low",
        "shapes that were faster tracked than warm: disturbed, or other code for them",
        "shapes that were faster in situ than replayed: other data, or disturbed replays"};
    char text[16];
    if (isnan(d->bound.value))
        printf("bound, library: not known, as the machine's peaks were not measured\n");
    if (d->undivided >= 0.01 * d->insitu)
        kt_text_say("library: %s of it may be bound, too: no formula counts the operations of these routines",
                    kt_text_seconds(d->undivided, text));
    if (d->tracked < d->shapes && d->cache_most >= 0)
        printf("rest: cache and residual; operands in memory explain at most %s of it\n",
               kt_text_seconds(d->cache_most, text));
    else if (d->tracked < d->shapes)
        printf("rest: cache and residual, which only a tracked replay tells apart\n");
    if (d->fault_seconds >= 0.01 * d->insitu)
        explain_faults(d);
    for (int i = 0; i < KT_ODDS; i++)
        if (d->odd[i] >= 0.01 * d->insitu && d->odd[i] > 0)
            kt_text_say("odd: %s of this in %s", percent(d->odd[i], d->insitu, text), odd[i]);
}

/* Any part but the bound and the library's. */
static bool is_negative(const struct kt_decomposition *d, bool beyond_error)
{
    const struct kt_time *part[] = {&d->cache, &d->residual, &d->unsplit};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if ((beyond_error ? part[i]->hi : part[i]->value) < 0)
            return true;
    return false;
}

static void explain_negative(const struct kt_report *report)
{
    const struct kt_parts_groups *groups = &report->parts.shapes;
    bool negative = false;
    bool beyond_error = false;
    for (size_t i = 0; i < groups->count; i++) {
        negative = negative || is_negative(&groups->group[i].parts, false);
        beyond_error = beyond_error || is_negative(&groups->group[i].parts, true);
    }
    if (negative)
        kt_text_say("below 0: faster than the replay that it is compared with, %s",
                    beyond_error ? "some by more than the error" : "by less than the error");
}

static void print_missing(const struct kt_report *report)
{
    const struct kt_parts *parts = &report->parts;
    char share[16];
    double seconds = 0;
    for (size_t i = 0; i < parts->missings; i++)
        seconds += parts->missing[i].seconds;
    if (report->partial)
        printf("The replay was interrupted: ktrace replay goes on where it ended.\n");
    printf("%s of %s, %s of BLAS time\n", KT_COUNT(parts->total.parts.calls, "call"),
           KT_COUNT(parts->total.parts.shapes, "replayed shape"),
           percent(parts->total.parts.insitu, report->groups.seconds, share));
    if (parts->missings)
        printf("not taken apart: %s of BLAS time, in tables in the column \"in situ\" only\n",
               percent(seconds, report->groups.seconds, share));
    for (size_t i = 0; i < parts->missings && i < 5; i++)
        printf("  %8s  %.66s\n", percent(parts->missing[i].seconds, report->groups.seconds, share),
               parts->missing[i].why);
    if (parts->missings > 5)
        printf("  ... and %zu more reasons: --json\n", parts->missings - 5);
}

/* --- by routine, caller, shape ----------------------------------------------------------------------------- */

/* Only columns of parts that any group has. */
static void print_table(const char *heading, const struct kt_field *list, const struct kt_report *report, size_t top,
                        const char *by)
{
    const struct kt_decomposition *total = &report->parts.total.parts;
    kt_heading(heading);
    kt_field_print(list, report, top, total->tracked < total->shapes ? KT_REPORT_UNSPLIT : 0);
    kt_row_tell_rest(list->count(&(struct kt_at){report, report, 0}), top, by);
}

static const struct kt_parts_group *group_of(const struct kt_at *at)
{
    return at->object;
}

static json_t *number(const struct kt_at *at)
{
    return json_integer((json_int_t)group_of(at)->shape + 1);
}

static void args_cell(const struct kt_at *at, char *out, size_t size)
{
    kt_shape_text(&kt_report_of(at)->shape[group_of(at)->shape].group->first, out, size - 1);
}

static const struct kt_field shape_fields[] = {
    {NULL, KT_AS_ID, .get = number, .head = "#"},
    {NULL, KT_AS_TEXT, KT_AT(struct kt_parts_group, routine), .head = "routine"},
    {NULL, KT_AS_TEXT, KT_SHRINK, .head = "shape", .cell = args_cell},
    KT_FIELDS(kt_report_part_seconds),
    KT_FIELDS(kt_report_part_fields),
    {0}};

static size_t shapes(const struct kt_at *at)
{
    return kt_report_of(at)->parts.shapes.count;
}

static const void *shape(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->parts.shapes.group[row];
}

void kt_report_shape_parts(const struct kt_report *report, size_t top)
{
    static const struct kt_field list = {.kind = KT_AS_RECORD, .of = shape_fields, .count = shapes, .row = shape};
    print_table("Parts of the time of all calls of a shape", &list, report, top, "shape");
}

/* --- in words ---------------------------------------------------------------------------------------------- */

static void print_advice(const struct kt_report *report)
{
    const struct kt_summary *summary = &report->summary;
    char share[16];
    kt_heading("What dominates");
    for (int i = 0; i < report->advices; i++) {
        printf("- ");
        kt_text_wrap(2, 2, report->advice[i].text);
    }
    if (report->advices == 0)
        printf("That cannot be told: each part is within noise, or rests on a bound that knows no\n"
               "operations, or the program was faster than its replays (replay --fresh, when the\n"
               "machine is quiet).\n");
    if (!summary->unfinished && kt_report_blas_share(report) < 0.5)
        printf("- BLAS and LAPACK are %s of wall time; ktrace does not see the rest\n",
               percent(kt_report_blas_share(report), 1, share));
}

void kt_report_parts(const struct kt_report *report, size_t top)
{
    const struct kt_decomposition *d = &report->parts.total.parts;
    kt_heading("Decomposition of in-situ time");
    if (d->shapes == 0) {
        printf("No shape was replayed warm: ktrace replay %s\n", report->path[0]);
        if (report->replayed)
            print_missing(report);
        return;
    }
    print_total(report, d);
    explain(d);
    explain_machine(d);
    explain_negative(report);
    print_missing(report);
    printf("\n");
    print_table("Parts by routine, outermost calls", &kt_report_part_lists[0], report, top, "part");
    printf("\n");
    print_table("Parts by caller", &kt_report_part_lists[1], report, top, "part");
    printf("\n");
    print_advice(report);
}
