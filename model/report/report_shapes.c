/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shapes of outermost calls, in situ and as they were replayed.
 */
#include "model/report/findings.h"
#include "model/report/report_lists.h"
#include "model/report/report_parts.h"
#include "model/report/report_row.h"
#include "trace/command/field_text.h"
#include "trace/shape/shape_words.h"

#include <stdio.h>

/* --- values -------------------------------------------------------------------------------------------------- */

static const struct kt_report_shape *shape_of(const struct kt_at *at)
{
    return at->object;
}

static json_t *number(const struct kt_at *at)
{
    return json_integer((json_int_t)at->row + 1);
}

static json_t *routine(const struct kt_at *at)
{
    return json_string(shape_of(at)->group->first.entry->symbol.routine->name);
}

static json_t *symbol(const struct kt_at *at)
{
    return kt_json_text(shape_of(at)->group->first.entry->symbol.name);
}

static json_t *args(const struct kt_at *at)
{
    return kt_json_args(&shape_of(at)->group->first, false);
}

static void args_cell(const struct kt_at *at, char *out, size_t size)
{
    kt_shape_text(&shape_of(at)->group->first, out, (int)size - 1);
}

static json_t *calls(const struct kt_at *at)
{
    return json_integer((json_int_t)shape_of(at)->group->calls);
}

static json_t *total(const struct kt_at *at)
{
    return kt_json_number(shape_of(at)->group->total);
}

static json_t *share(const struct kt_at *at)
{
    return kt_report_share(shape_of(at)->group->total, kt_report_of(at)->groups.seconds);
}

static json_t *insitu(const struct kt_at *at)
{
    return kt_json_stat(&shape_of(at)->insitu);
}

/* A median that rests on a subtraction is marked, and one that stands for two kinds of calls. */
static void insitu_cell(const struct kt_at *at, char *out, size_t size)
{
    (void)size;
    if (kt_report_of(at)->kinds[at->row].found)
        *out++ = '*';
    if (shape_of(at)->group->corrected)
        *out++ = '~';
    kt_text_seconds(shape_of(at)->insitu.median, out);
}

static const struct kt_overlap *overlap_of(const struct kt_at *at)
{
    static const struct kt_overlap none;
    const struct kt_overlaps *overlaps = &kt_report_of(at)->overlaps;
    return overlaps->known ? &overlaps->shape[at->row] : &none;
}

static json_t *at_begin(const struct kt_at *at)
{
    return kt_json_number(kt_overlap_at_begin(overlap_of(at)));
}

static json_t *beside(const struct kt_at *at)
{
    return kt_json_number(kt_overlap_beside(overlap_of(at)));
}

static json_t *flops(const struct kt_at *at)
{
    return kt_json_number(shape_of(at)->group->flops);
}

static void gflops_cell(const struct kt_at *at, char *out, size_t size)
{
    const struct kt_report_shape *shape = shape_of(at);
    bool is_none = shape->group->query || shape->group->flops == 0;
    kt_field_number(shape->gflops, is_none ? "-" : "n/a", out, size);
}

static json_t *bytes(const struct kt_at *at)
{
    return kt_json_number(shape_of(at)->group->bytes);
}

static json_t *query(const struct kt_at *at)
{
    return json_boolean(shape_of(at)->group->query);
}

static json_t *page_faults(const struct kt_at *at)
{
    const struct kt_shape_group *group = shape_of(at)->group;
    return group->faults_known ? json_pack("{s:o, s:I}", "total", kt_json_number(group->faults), "calls",
                                           (json_int_t)group->faults_known)
                               : json_null();
}

static json_t *inside(const struct kt_at *at)
{
    const struct kt_shape_inside *inside = &shape_of(at)->group->inside;
    return json_pack("{s:I, s:I}", "calls", (json_int_t)inside->calls, "sampled", (json_int_t)inside->recorded);
}

static json_t *failed(const struct kt_at *at)
{
    return json_integer((json_int_t)shape_of(at)->group->failed);
}

static json_t *info(const struct kt_at *at)
{
    const struct kt_shape_group *group = shape_of(at)->group;
    return group->failed ? json_integer(group->info) : json_null();
}

static json_t *corrected(const struct kt_at *at)
{
    return json_boolean(shape_of(at)->group->corrected);
}

static json_t *kinds(const struct kt_at *at)
{
    return kt_findings_kinds_json(&kt_report_of(at)->kinds[at->row]);
}

static json_t *source(const struct kt_at *at)
{
    return kt_shape_source_json(&kt_report_of(at)->source[at->row]);
}

static void source_cell(const struct kt_at *at, char *out, size_t size)
{
    kt_shape_source_text(&kt_report_of(at)->source[at->row], out, size);
}

/* --- values of a replay -------------------------------------------------------------------------------------- */

static json_t *contexts(const struct kt_at *at)
{
    return json_incref(json_object_get(shape_of(at)->parts.replayed, "contexts"));
}

static json_t *if_replayed(const struct kt_at *at, double value)
{
    return shape_of(at)->parts.replayed ? kt_json_number(value) : NULL;
}

static json_t *index_of(const struct kt_at *at)
{
    return if_replayed(at, kt_report_index(shape_of(at)));
}

static json_t *bound(const struct kt_at *at)
{
    return if_replayed(at, shape_of(at)->parts.times.bound);
}

static json_t *warm(const struct kt_at *at)
{
    return kt_json_number(shape_of(at)->parts.times.warm.value);
}

static json_t *cold(const struct kt_at *at)
{
    return kt_json_number(shape_of(at)->parts.times.cold.value);
}

static json_t *tracked(const struct kt_at *at)
{
    return kt_json_number(shape_of(at)->parts.times.tracked.value);
}

static json_t *words(const struct kt_at *at)
{
    char text[256];
    kt_shape_words(&shape_of(at)->group->first, shape_of(at)->group->also, text, sizeof text);
    return kt_json_text(text);
}

static json_t *parts(const struct kt_at *at)
{
    const struct kt_parts_group *group = shape_of(at)->group_of_parts;
    if (!kt_report_of(at)->replayed)
        return NULL;
    if (!group || !group->parts.shapes)
        return json_null();
    return kt_field_object(kt_report_part_fields, &(struct kt_at){at->from, group, at->row});
}

/* --- columns ------------------------------------------------------------------------------------------------- */

enum { TIMES = 1, CONTEXTS = 2 }; /* tables of the same rows */

static const struct kt_field fault_fields[] = {
    {"total", KT_AS_NUMBER, KT_NULL, .meaning = "page faults in them"},
    {"calls", KT_AS_COUNT, .meaning = "calls whose page faults were counted: the long ones"},
    {0}};

static const struct kt_field inside_fields[] = {
    {"calls", KT_AS_COUNT, .meaning = "calls that may contain others"},
    {"sampled", KT_AS_COUNT, .meaning = "of these, calls whose inside is recorded"},
    {0}};

static const struct kt_field context_map[] = {
    {"CONTEXT", KT_AS_RECORD, .meaning = "time of a call in this context", .of = kt_field_context}, {0}};

static const struct kt_field shape_fields[] = {
    {"number", KT_AS_ID, .meaning = "of the shape, as repro --shape takes it", .get = number, .head = "#"},
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore", .get = routine,
     .head = "routine"},
    {"symbol", KT_AS_TEXT, .meaning = "name that was called", .get = symbol},
    {"args", KT_AS_MAP, KT_SHRINK, .meaning = "arguments of the first call, by their names", .get = args,
     .head = "shape", .cell = args_cell},
    {"calls", KT_AS_COUNT, .meaning = "calls that returned", .get = calls, .head = "calls", .view = TIMES},
    {"insitu", KT_AS_RECORD, KT_RIGHT, .meaning = "time of a call as it happened; the column is its median",
     .get = insitu, .head = "median", .view = TIMES, .cell = insitu_cell, .of = kt_field_stat},
    {"total", KT_AS_SECONDS, KT_NULL, .meaning = "time of all calls", .get = total, .head = "total", .view = TIMES},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of the time of all shapes", .get = share, .head = "share",
     .view = TIMES},
    {"flops", KT_AS_NUMBER, KT_NULL, .unit = "operations", .meaning = "floating-point operations of a call, by formula",
     .get = flops},
    {"gflops", KT_AS_NUMBER, KT_NULL, .unit = "10^9 operations per second", .meaning = "operations over time",
     KT_AT(struct kt_report_shape, gflops), .head = "Gflop/s", .view = TIMES, .cell = gflops_cell},
    {"bytes", KT_AS_NUMBER, KT_NULL, .unit = "bytes", .meaning = "bytes of operands that a call reads and writes",
     .get = bytes},
    {"query", KT_AS_FLAG, .meaning = "asks for a workspace size only", .get = query},
    {"words", KT_AS_TEXT, .meaning = "the shape in words", .get = words},
    {"others_at_begin", KT_AS_NUMBER, KT_NULL, .meaning = KT_REPORT_AT_BEGIN, .get = at_begin},
    {"others_beside", KT_AS_NUMBER, KT_NULL, .meaning = KT_REPORT_BESIDE, .get = beside},
    {"page_faults", KT_AS_RECORD, KT_NULL, .meaning = "page faults", .get = page_faults, .of = fault_fields},
    {"inside", KT_AS_RECORD, .meaning = "how many of its calls had their inside recorded", .get = inside,
     .of = inside_fields},
    {"failed", KT_AS_COUNT, .meaning = "calls that returned an info that is not 0", .get = failed},
    {"info", KT_AS_ID, KT_NULL, .meaning = "the first of these", .get = info},
    {"corrected", KT_AS_FLAG, .meaning = "what recording nested calls took is subtracted", .get = corrected},
    {NULL, KT_AS_SECONDS, KT_RIGHT, .head = "in situ", .view = CONTEXTS, .cell = insitu_cell},
    {NULL, KT_AS_SECONDS, .get = warm, .head = "warm", .view = CONTEXTS},
    {NULL, KT_AS_SECONDS, .get = cold, .head = "cold", .view = CONTEXTS},
    {"contexts", KT_AS_MAP, KT_LACKS, .meaning = "once replayed: time of a call in each context", .get = contexts,
     .of = context_map},
    {"context_index", KT_AS_INDEX, KT_NULL | KT_LACKS, .meaning = "once replayed: 0 as fast as warm, 1 as slow as cold",
     .get = index_of, .head = "index", .view = CONTEXTS},
    {NULL, KT_AS_SECONDS, KT_IF_ANY, .get = tracked, .head = "tracked", .view = CONTEXTS},
    {"bound", KT_AS_SECONDS, KT_NULL | KT_LACKS, .meaning = "once replayed: shortest time that the hardware allows",
     .get = bound},
    {"kinds", KT_AS_RECORD, KT_NULL, .meaning = "two kinds of calls, where the shape has them", .get = kinds,
     .of = kt_findings_kinds_fields},
    {"parts", KT_AS_RECORD, KT_NULL | KT_LACKS, .meaning = "once replayed: seconds of each part of the total",
     .get = parts, .of = kt_report_part_fields},
    {"source", KT_AS_RECORD, KT_NULL | KT_SHRINK | KT_SPARE,
     .meaning = "line of the program that most of the time comes from", .get = source, .head = "line", .view = TIMES,
     .cell = source_cell, .of = kt_field_source},
    {0}};

static size_t shapes(const struct kt_at *at)
{
    return kt_report_of(at)->groups.count;
}

static const void *shape(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->shape[row];
}

const struct kt_field kt_report_shape_list[] = {{"shapes", KT_AS_RECORD, KT_MANY,
                                                 .meaning = "shapes of outermost calls, longest total first",
                                                 .of = shape_fields, .count = shapes, .row = shape},
                                                {0}};

/* --- text ---------------------------------------------------------------------------------------------------- */

static void explain_marks(const struct kt_report *report, size_t top)
{
    bool any = false;
    bool any_kinds = false;
    for (size_t i = 0; i < report->groups.count && i < top; i++) {
        any = any || report->shape[i].group->corrected;
        any_kinds = any_kinds || report->kinds[i].found;
    }
    if (any_kinds)
        printf("*: of two kinds of calls, see below\n");
    if (any)
        printf("~: what recording nested calls took is subtracted, as far as that is known\n");
}

void kt_report_shapes(const struct kt_report *report, size_t top)
{
    kt_heading("Shapes of outermost calls");
    kt_field_print(kt_report_shape_list, report, top, TIMES);
    explain_marks(report, top);
    kt_findings_print_kinds(report, top);
    if (report->replayed) {
        printf("\n");
        kt_heading("The same shapes replayed: medians in controlled contexts");
        kt_field_print(kt_report_shape_list, report, top, CONTEXTS);
        printf("\n");
        kt_report_shape_parts(report, top);
    }
    kt_row_tell_rest(report->groups.count, top, "shape");
}
