/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decomposition of a report: seconds of each part, in total, by routine and by caller.
 */
#include "model/report/report_lists.h"
#include "model/report/screen_parts.h"

#include <math.h>

#define PART(member) KT_AT(struct kt_parts_group, parts.member)

static const struct kt_parts_group *group_of(const struct kt_at *at)
{
    return at->object;
}

static const struct kt_decomposition *parts_of(const struct kt_at *at)
{
    return &group_of(at)->parts;
}

static json_t *calls(const struct kt_at *at)
{
    return json_integer((json_int_t)parts_of(at)->calls);
}

static json_t *is_tracked(const struct kt_at *at)
{
    const struct kt_decomposition *d = parts_of(at);
    return json_boolean(d->shapes > 0 && d->tracked == d->shapes);
}

/* Of what was not replayed nothing is known. */
static json_t *if_any(const struct kt_at *at, const struct kt_time *time)
{
    return kt_json_number(parts_of(at)->shapes ? time->value : NAN);
}

static json_t *bound(const struct kt_at *at)
{
    return if_any(at, &parts_of(at)->bound);
}

static json_t *library(const struct kt_at *at)
{
    return if_any(at, &parts_of(at)->library);
}

static void add_interval(json_t *intervals, const char *name, const struct kt_time *time)
{
    json_object_set_new(intervals, name, json_pack("[o, o]", kt_json_number(time->lo), kt_json_number(time->hi)));
}

static json_t *intervals(const struct kt_at *at)
{
    const struct kt_decomposition *d = parts_of(at);
    json_t *out = json_object();
    add_interval(out, "bound", &d->bound);
    add_interval(out, "library", &d->library);
    add_interval(out, "warm", &d->warm);
    add_interval(out, "cache", &d->cache);
    add_interval(out, "contention", &d->contention);
    add_interval(out, "residual", &d->residual);
    add_interval(out, "unsplit", &d->unsplit);
    add_interval(out, "machine", &d->machine);
    return out;
}

static json_t *cannot_tell(const struct kt_at *at)
{
    return json_boolean(kt_decomposition_is_unclear(parts_of(at)));
}

/* The largest part, where that is told. */
static json_t *dominant(const struct kt_at *at)
{
    int most = 0;
    double part[KT_SCREEN_PARTS];
    const struct kt_decomposition *d = parts_of(at);
    kt_screen_parts_find(d, d->insitu, part);
    for (int p = 1; p < KT_SCREEN_PARTS; p++)
        most = part[p] > part[most] || isnan(part[most]) ? p : most;
    bool is_told = d->shapes && part[most] > 0 && kt_screen_parts_is_told(d, most, d->insitu);
    return is_told ? json_string(kt_screen_parts_key[most]) : json_null();
}

static const struct kt_field interval_map[] = {
    {"PART", KT_AS_SECONDS, KT_MANY | KT_NULLS, .meaning = "begin and end of a 95 % interval"}, {0}};

static const struct kt_field odd_fields[] = {
    {"warm_below_bound", KT_AS_SECONDS, KT_NULL, .meaning = "of shapes that were faster than their bound",
     PART(odd[KT_ODD_BOUND])},
    {"tracked_below_warm", KT_AS_SECONDS, KT_NULL, .meaning = "of shapes that were faster tracked than warm",
     PART(odd[KT_ODD_TRACKED])},
    {"insitu_below_replay", KT_AS_SECONDS, KT_NULL, .meaning = "of shapes that were faster in situ than replayed",
     PART(odd[KT_ODD_INSITU])},
    {0}};

const struct kt_field kt_report_part_fields[] = {
    {"insitu", KT_AS_SECONDS, KT_NULL, .meaning = "as measured in the program, of replayed shapes", PART(insitu)},
    {"bound", KT_AS_SECONDS, KT_NULL, .meaning = "what the hardware allows", .get = bound, .head = "bound"},
    {"library", KT_AS_SECONDS, KT_NULL, .meaning = "warm - bound", .get = library, .head = "library"},
    {"warm", KT_AS_SECONDS, KT_NULL, .meaning = "bound + library: operands in cache", PART(warm.value)},
    {"cache", KT_AS_SECONDS, KT_NULL | KT_IF_ANY, .meaning = "tracked - warm", PART(cache.value), .head = "cache"},
    {"contention", KT_AS_SECONDS, KT_NULL | KT_IF_ANY,
     .meaning = "what calls of other threads at the same time cost: in their company - alone", PART(contention.value),
     .head = "contended"},
    {"residual", KT_AS_SECONDS, KT_NULL | KT_IF_ANY, .meaning = "in situ - tracked - contention", PART(residual.value),
     .head = "residual"},
    {"unsplit", KT_AS_SECONDS, KT_NULL,
     .meaning = "in situ - warm - contention, of shapes that no tracked replay timed", PART(unsplit.value),
     .head = "rest", .view = KT_REPORT_UNSPLIT},
    {"machine", KT_AS_SECONDS, KT_NULL,
     .meaning =
         "of residual and unsplit: what follows from the machine being slower while recorded than while replayed",
     PART(machine.value)},
    {"machine_lost", KT_AS_SECONDS, KT_NULL, .meaning = "of machine: while calls were without a processor", PART(lost)},
    {"cannot_tell", KT_AS_FLAG, .meaning = "the two states of the machine differ too much for these parts",
     .get = cannot_tell},
    {"intervals", KT_AS_MAP, .meaning = "of each part", .get = intervals, .of = interval_map},
    {"dominant", KT_AS_TEXT, KT_NULL, .meaning = "the largest part; null: it is not known well enough",
     .get = dominant},
    {"cache_most", KT_AS_SECONDS, KT_NULL, .meaning = "cold - warm of shapes that no tracked replay timed",
     PART(cache_most)},
    {"page_faults", KT_AS_NUMBER, KT_NULL, .unit = "page faults",
     .meaning = "in the calls, as far as they were counted", PART(faults)},
    {"fault_seconds", KT_AS_SECONDS, KT_NULL, .meaning = "what they take, modelled: a part of residual and unsplit",
     PART(fault_seconds)},
    {"context_index", KT_AS_INDEX, KT_NULL, .meaning = "0 as fast as warm, 1 as slow as cold", PART(index),
     .head = "index"},
    {"tracked", KT_AS_FLAG, .meaning = "a tracked replay timed all shapes", .get = is_tracked},
    {"shapes_tracked", KT_AS_COUNT, .meaning = "shapes that it timed", PART(tracked)},
    {"shapes", KT_AS_COUNT, .meaning = "shapes that were replayed warm", PART(shapes)},
    {"calls", KT_AS_COUNT, .meaning = "their calls", .get = calls},
    {"odd", KT_AS_RECORD, .meaning = "in-situ seconds of shapes whose order of times cannot be", .of = odd_fields},
    {0}};

/* --- by routine, by caller ----------------------------------------------------------------------------------- */

const struct kt_field kt_report_part_seconds[] = {{"seconds", KT_AS_SECONDS, KT_NULL,
                                                   .meaning = "in situ, also of what was not replayed",
                                                   KT_AT(struct kt_parts_group, seconds), .head = "in situ"},
                                                  {0}};

static const struct kt_field routine_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "routine", KT_AT(struct kt_parts_group, routine), .head = "routine"},
    KT_FIELDS(kt_report_part_seconds),
    KT_FIELDS(kt_report_part_fields),
    {0}};

static size_t routines(const struct kt_at *at)
{
    return kt_report_of(at)->parts.routines.count;
}

static const void *routine(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->parts.routines.group[row];
}

static json_t *object(const struct kt_at *at)
{
    return kt_json_text_or_null(group_of(at)->place->object);
}

static json_t *function(const struct kt_at *at)
{
    return kt_json_text_or_null(group_of(at)->place->function);
}

static json_t *file(const struct kt_at *at)
{
    return kt_json_text_or_null(group_of(at)->place->file);
}

static json_t *line(const struct kt_at *at)
{
    const struct kt_place *place = group_of(at)->place;
    return place->file ? json_integer(place->line) : json_null();
}

static void place_cell(const struct kt_at *at, char *out, size_t size)
{
    kt_place_text(group_of(at)->place, out, size);
}

static json_t *offset(const struct kt_at *at)
{
    return json_integer((json_int_t)group_of(at)->place->offset);
}

static const struct kt_field caller_fields[] = {
    {"object", KT_AS_TEXT, KT_NULL, .meaning = "program or library that contains the call", .get = object},
    {"function", KT_AS_TEXT, KT_NULL, .meaning = "function that makes the call", .get = function},
    {"file", KT_AS_TEXT, KT_NULL, .meaning = "source file", .get = file},
    {"line", KT_AS_ID, KT_NULL, .meaning = "line in the source file", .get = line},
    {NULL, KT_AS_TEXT, KT_SHRINK, .head = "line", .cell = place_cell},
    {"offset", KT_AS_ID, .meaning = "address of the call in the object", .get = offset},
    KT_FIELDS(kt_report_part_seconds),
    KT_FIELDS(kt_report_part_fields),
    {0}};

static size_t callers(const struct kt_at *at)
{
    return kt_report_of(at)->parts.callers.count;
}

static const void *caller(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->parts.callers.group[row];
}

const struct kt_field kt_report_part_lists[] = {
    {"routines", KT_AS_RECORD, KT_MANY, .meaning = "by routine, outermost calls", .of = routine_fields,
     .count = routines, .row = routine},
    {"callers", KT_AS_RECORD, KT_MANY, .meaning = "by caller", .of = caller_fields, .count = callers, .row = caller},
    {0}};

/* --- what is missing, advice --------------------------------------------------------------------------------- */

static size_t missings(const struct kt_at *at)
{
    return kt_report_of(at)->parts.missings;
}

static const void *missing(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->parts.missing[row];
}

static json_t *missing_calls(const struct kt_at *at)
{
    const struct kt_parts_missing *of = at->object;
    return kt_json_count(of->calls);
}

static double missing_sum(const struct kt_report *report)
{
    double seconds = 0;
    for (size_t i = 0; i < report->parts.missings; i++)
        seconds += report->parts.missing[i].seconds;
    return seconds;
}

static json_t *missing_seconds(const struct kt_at *at)
{
    return kt_json_number(missing_sum(kt_report_of(at)));
}

static json_t *missing_share(const struct kt_at *at)
{
    return kt_json_number(missing_sum(kt_report_of(at)) / kt_report_of(at)->groups.seconds);
}

static const struct kt_field reason_fields[] = {
    {"why", KT_AS_TEXT, .meaning = "in words", KT_AT(struct kt_parts_missing, why)},
    {"calls", KT_AS_COUNT, KT_NULL, .meaning = "calls", .get = missing_calls},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "their time in the program",
     KT_AT(struct kt_parts_missing, seconds)},
    {0}};

static const struct kt_field missing_fields[] = {
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "in-situ time", .get = missing_seconds},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of BLAS and LAPACK time", .get = missing_share},
    {"reasons", KT_AS_RECORD, KT_MANY, .meaning = "longest time first", .of = reason_fields, .count = missings,
     .row = missing},
    {0}};

static const struct kt_advice *advice_of(const struct kt_at *at)
{
    return at->object;
}

static size_t advices(const struct kt_at *at)
{
    return (size_t)kt_report_of(at)->advices;
}

static const void *advice(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->advice[row];
}

static json_t *advice_part(const struct kt_at *at)
{
    return json_string(kt_part_name[advice_of(at)->part]);
}

static json_t *advice_text(const struct kt_at *at)
{
    return kt_json_text(advice_of(at)->text);
}

static const struct kt_field advice_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "routine", KT_AT(struct kt_advice, routine)},
    {"part", KT_AS_TEXT, .meaning = "bound, library, cache, residual or unsplit", .get = advice_part},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "time of that part", KT_AT(struct kt_advice, seconds)},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of BLAS and LAPACK time", KT_AT(struct kt_advice, share)},
    {"text", KT_AS_TEXT, .meaning = "what it means and what to try", .get = advice_text},
    {0}};

/* --- all of it ----------------------------------------------------------------------------------------------- */

static json_t *is_partial(const struct kt_at *at)
{
    return json_boolean(kt_report_of(at)->partial);
}

static const struct kt_field decomposition_fields[] = {
    KT_FIELDS(kt_report_part_fields),
    {"partial", KT_AS_FLAG, .meaning = "the replay was interrupted", .get = is_partial},
    KT_FIELDS(kt_report_part_lists),
    {"not_replayed", KT_AS_RECORD, .meaning = "what could not be taken apart", .of = missing_fields},
    {"advice", KT_AS_RECORD, KT_MANY, .meaning = "which parts dominate", .of = advice_fields, .count = advices,
     .row = advice},
    {0}};

static json_t *decomposition(const struct kt_at *at)
{
    const struct kt_report *report = kt_report_of(at);
    const struct kt_at total = {report, &report->parts.total, 0};
    return report->replayed ? kt_field_object(decomposition_fields, &total) : NULL;
}

const struct kt_field kt_report_parts_record[] = {{"decomposition", KT_AS_RECORD, KT_LACKS,
                                                   .meaning = "once replayed: what in-situ time is made of",
                                                   .get = decomposition, .of = decomposition_fields},
                                                  {0}};
