/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routines of a report, what is known of the inside of their calls, and what counters counted in them.
 */
#include "model/report/findings.h"
#include "model/report/report_lists.h"
#include "model/report/report_row.h"
#include "model/report/report_tables.h"
#include "trace/base/count.h"
#include "trace/command/counts.h"
#include "trace/command/field_text.h"
#include "trace/print/screen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- routines ------------------------------------------------------------------------------------------------ */

static const struct kt_sum *sum_of(const struct kt_at *at)
{
    return at->object;
}

static json_t *share(const struct kt_at *at)
{
    return kt_report_share(sum_of(at)->seconds, kt_report_of(at)->summary.seconds_blas);
}

static json_t *share_self(const struct kt_at *at)
{
    return kt_report_share(sum_of(at)->seconds_self, kt_report_of(at)->summary.seconds_self);
}

static json_t *gflops(const struct kt_at *at)
{
    return kt_json_number(kt_gflops(sum_of(at)->flops, sum_of(at)->seconds));
}

/* "-" for routines that only move data. */
static void gflops_cell(const struct kt_at *at, char *out, size_t size)
{
    const struct kt_sum *sum = sum_of(at);
    kt_field_number(kt_gflops(sum->flops, sum->seconds), sum->flops == 0 ? "-" : "n/a", out, size);
}

static json_t *estimate_json(const struct kt_estimate *estimate)
{
    return json_pack("{s:o, s:o, s:o}", "value", kt_json_number(estimate->value), "lo", kt_json_number(estimate->lo),
                     "hi", kt_json_number(estimate->hi));
}

static json_t *estimated(const struct kt_at *at)
{
    const struct kt_sum_estimate *estimate = sum_of(at)->estimate;
    if (!estimate)
        return NULL;
    return json_pack("{s:o, s:o, s:o, s:I, s:I}", "calls", estimate_json(&estimate->of[KT_INSIDE_CALLS]), "seconds",
                     estimate_json(&estimate->of[KT_INSIDE_SECONDS]), "seconds_self",
                     estimate_json(&estimate->of[KT_INSIDE_SELF]), "sampled", (json_int_t)estimate->sampled, "of",
                     (json_int_t)estimate->outermost);
}

/* By which part of it an estimate may be wrong; nothing if it is exact, n/a if that is not known. */
static void error_text(const struct kt_sum *sum, enum kt_inside_quantity quantity, char *out, size_t size)
{
    const struct kt_estimate *e = sum->estimate ? &sum->estimate->of[quantity] : NULL;
    double half = e ? fmax(e->hi - e->value, e->value - e->lo) : 0;
    if (half == 0)
        *out = '\0';
    else if (isnan(half))
        snprintf(out, size, "n/a");
    else if (half > e->value)
        snprintf(out, size, ">100 %%");
    else
        snprintf(out, size, "%s", kt_screen_percent(e->value > 0 ? half / e->value : NAN, (char[16]){0}));
}

static void error_cell(const struct kt_at *at, char *out, size_t size)
{
    error_text(sum_of(at), KT_INSIDE_SECONDS, out, size);
}

static void error_self_cell(const struct kt_at *at, char *out, size_t size)
{
    error_text(sum_of(at), KT_INSIDE_SELF, out, size);
}

/* {NAME: {"total", "calls", "missing"}, ...}; the total of no counted call is not 0 but null. */
static json_t *events(const struct kt_at *at)
{
    const struct kt_counted *counted = &kt_report_of(at)->counted;
    const struct kt_counted_routine *routine = kt_counted_find(counted, sum_of(at)->routine);
    if (!routine)
        return NULL;
    json_t *object = json_object();
    for (size_t i = 0; i < counted->counters; i++) {
        const struct kt_counted_sum *sum = &routine->sum[i];
        kt_json_set_named(object, counted->counter[i],
                          json_pack("{s:o, s:I, s:I}", "total", kt_json_number(sum->calls ? sum->total : NAN), "calls",
                                    (json_int_t)sum->calls, "missing", (json_int_t)sum->missing));
    }
    return object;
}

static const struct kt_field estimated_fields[] = {
    {"calls", KT_AS_RECORD, .meaning = "calls", .of = kt_field_estimate},
    {"seconds", KT_AS_RECORD, .meaning = "seconds, nested calls included", .of = kt_field_estimate},
    {"seconds_self", KT_AS_RECORD, .meaning = "seconds without nested calls", .of = kt_field_estimate},
    {"sampled", KT_AS_COUNT, .meaning = "outermost calls that contain it and whose inside is recorded"},
    {"of", KT_AS_COUNT, .meaning = "outermost calls that contain it"},
    {0}};

static const struct kt_field event_fields[] = {
    {"total", KT_AS_NUMBER, KT_NULL, .meaning = "sum over the counted calls; null: none was counted"},
    {"calls", KT_AS_COUNT, .meaning = "calls that were counted"},
    {"missing", KT_AS_COUNT, .meaning = "calls without a count"},
    {0}};
static const struct kt_field event_map[] = {{"NAME", KT_AS_RECORD, .meaning = "of each counter", .of = event_fields},
                                            {0}};

enum { SELF_ERROR = 1 };

static const struct kt_field routine_fields[] = {
    {"routine", KT_AS_TEXT, KT_SHRINK, .meaning = "Fortran name, lower case, without underscore",
     KT_AT(struct kt_sum, routine), .head = "routine"},
    {"calls", KT_AS_COUNT, .meaning = "calls", KT_AT(struct kt_sum, calls), .head = "calls"},
    {"calls_top", KT_AS_COUNT, .meaning = "outermost calls: those that the application made",
     KT_AT(struct kt_sum, calls_top), .head = "outer"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "time with nested calls", KT_AT(struct kt_sum, seconds),
     .head = "time"},
    {NULL, KT_AS_NUMBER, KT_IF_ANY, .head = "+-", .cell = error_cell},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of all BLAS and LAPACK time", .get = share, .head = "share"},
    {"seconds_self", KT_AS_SECONDS, KT_NULL, .meaning = "time without nested calls", KT_AT(struct kt_sum, seconds_self),
     .head = "self"},
    {NULL, KT_AS_NUMBER, KT_IF_ANY, .head = "+-", .cell = error_self_cell},
    {"share_self", KT_AS_SHARE, KT_NULL | KT_SPARE, .meaning = "part of the time of all routines without nested calls",
     .get = share_self, .head = "self %"},
    {"flops", KT_AS_NUMBER, KT_NULL, .unit = "operations", .meaning = "floating-point operations, by formula",
     KT_AT(struct kt_sum, flops)},
    {"gflops", KT_AS_NUMBER, KT_NULL, .unit = "10^9 operations per second",
     .meaning = "operations over time with nested calls", .get = gflops, .head = "Gflop/s", .cell = gflops_cell},
    {"bytes", KT_AS_NUMBER, KT_NULL, .unit = "bytes", .meaning = "bytes of operands read and written",
     KT_AT(struct kt_sum, bytes)},
    {"estimated", KT_AS_RECORD, KT_LACKS, .meaning = "intervals, where nested calls are a sample", .get = estimated,
     .of = estimated_fields},
    {"events", KT_AS_MAP, KT_LACKS, .meaning = "what counters counted", .get = events, .of = event_map},
    {0}};

static size_t routines(const struct kt_at *at)
{
    return kt_report_of(at)->summary.routines.count;
}

static const void *routine(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->summary.routines.sum[row];
}

const struct kt_field kt_report_routine_list[] = {{"routines", KT_AS_RECORD, KT_MANY,
                                                   .meaning = "routines, longest time first", .of = routine_fields,
                                                   .count = routines, .row = routine},
                                                  {0}};

/* --- inside of calls ----------------------------------------------------------------------------------------- */

static json_t *inside_routine(const struct kt_at *at)
{
    const struct kt_inside_outer *outer = at->object;
    return json_string(kt_report_of(at)->summary.inside.name[outer->routine]);
}

static size_t insides(const struct kt_at *at)
{
    return kt_report_of(at)->summary.inside.of.outers;
}

static const void *inside(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->summary.inside.of.outer[row];
}

static const struct kt_field inside_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "outermost routine that others are nested in", .get = inside_routine},
    {"calls", KT_AS_COUNT, .meaning = "its outermost calls", KT_AT(struct kt_inside_outer, calls)},
    {"sampled", KT_AS_COUNT, .meaning = "of these, calls whose inside is recorded",
     KT_AT(struct kt_inside_outer, sampled)},
    {"seconds_unknown", KT_AS_SECONDS, KT_NULL, .meaning = "time of calls of which it is not known what happens inside",
     KT_AT(struct kt_inside_outer, unknown)},
    {0}};

const struct kt_field kt_report_inside_list[] = {{"inside", KT_AS_RECORD, KT_MANY,
                                                  .meaning = "of how many calls the nested ones are recorded",
                                                  .of = inside_fields, .count = insides, .row = inside},
                                                 {0}};

static void print_inside(const char *routine, const struct kt_inside_outer *outer)
{
    char sampled[16];
    const char *calls = KT_COUNT(outer->calls, "call");
    kt_text_count((double)outer->sampled, sampled);
    if (outer->sampled == 0)
        printf("inside %s: not known, from none of %s\n", routine, calls);
    else if (outer->sampled < outer->calls)
        printf("inside %s: from %s of %s%s\n", routine, sampled, calls,
               outer->drawn < 2 ? ", too few for an interval" : "");
}

static const struct kt_inside_outer *find_outer(const struct kt_inside_found *found, const char *routine)
{
    for (size_t i = 0; i < found->of.outers; i++)
        if (!strcmp(found->name[found->of.outer[i].routine], routine))
            return &found->of.outer[i];
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
    kt_field_print(kt_report_routine_list, report, top, 0);
    kt_row_tell_rest(report->summary.routines.count, top, "routine");
    print_insides(report, top);
    kt_findings_print_unblocked(report);
}

/* --- counters ------------------------------------------------------------------------------------------------ */

/* A row for each counter of each routine. */
static const struct kt_sum *routine_of(const struct kt_at *at)
{
    const struct kt_report *report = kt_report_of(at);
    return &report->summary.routines.sum[at->row / report->counted.counters];
}

static size_t counts(const struct kt_at *at)
{
    return kt_report_of(at)->counted.counters * kt_report_of(at)->summary.routines.count;
}

static const void *count(const struct kt_at *at, size_t row)
{
    static const struct kt_counted_sum none; /* of routines of a profile, which counts nothing */
    const struct kt_counted *counted = &kt_report_of(at)->counted;
    const struct kt_counted_routine *of =
        kt_counted_find(counted, routine_of(&(struct kt_at){at->from, NULL, row})->routine);
    return of ? &of->sum[row % counted->counters] : &none;
}

static json_t *count_routine(const struct kt_at *at)
{
    return json_string(routine_of(at)->routine);
}

/* Said once. */
static void count_routine_cell(const struct kt_at *at, char *out, size_t size)
{
    bool is_first = at->row % kt_report_of(at)->counted.counters == 0;
    snprintf(out, size, "%s", is_first ? routine_of(at)->routine : "");
}

static json_t *counter(const struct kt_at *at)
{
    const struct kt_counted *counted = &kt_report_of(at)->counted;
    return kt_json_text(counted->counter[at->row % counted->counters]);
}

static json_t *total(const struct kt_at *at)
{
    const struct kt_counted_sum *sum = at->object;
    return kt_json_number(sum->calls ? sum->total : NAN);
}

static void total_cell(const struct kt_at *at, char *out, size_t size)
{
    const struct kt_counted_sum *sum = at->object;
    (void)size;
    kt_text_count(sum->calls ? sum->total : NAN, out);
}

static json_t *per_call(const struct kt_at *at)
{
    const struct kt_counted_sum *sum = at->object;
    return kt_json_number(sum->calls ? sum->total / (double)sum->calls : NAN);
}

static const struct kt_field count_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "routine", .get = count_routine, .head = "routine", .cell = count_routine_cell},
    {"counter", KT_AS_TEXT, KT_SHRINK, .meaning = "name of the counter", .get = counter, .head = "counter"},
    {"calls", KT_AS_COUNT, .meaning = "calls that were counted", KT_AT(struct kt_counted_sum, calls), .head = "calls"},
    {"missing", KT_AS_COUNT, .meaning = "calls without a count", KT_AT(struct kt_counted_sum, missing), .head = "n/a"},
    {"total", KT_AS_NUMBER, KT_NULL, .meaning = "sum over the counted calls; null: none was counted", .get = total,
     .head = "total", .cell = total_cell},
    {"per_call", KT_AS_NUMBER, KT_NULL, .meaning = "the same over calls", .get = per_call, .head = "per call"},
    {0}};

const struct kt_field kt_report_count_list[] = {{"counts", KT_AS_RECORD, KT_MANY,
                                                 .meaning = "a row for each counter of each routine",
                                                 .of = count_fields, .count = counts, .row = count},
                                                {0}};

void kt_report_counters(const struct kt_report *report, size_t top)
{
    const struct kt_counted *counted = &report->counted;
    kt_heading("Counters");
    if (counted->counters) {
        kt_field_print(kt_report_count_list, report, top * counted->counters, 0);
        kt_counters_about(&report->trace, true);
        kt_row_tell_rest(report->summary.routines.count, top, "counter");
    } else {
        printf("Nothing was counted: KTRACE_EVENTS=perf::PAGE-FAULTS, say, makes a run count.\n");
    }
}
