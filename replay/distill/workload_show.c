/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/distill/workload_show.h"

#include "replay/distill/workload_verdict.h"
#include "trace/base/memory.h"
#include "trace/command/document.h"
#include "trace/command/field_text.h"
#include "trace/print/text.h"
#include "trace/read/profile.h"
#include "trace/shape/shape.h"

#include <stdio.h>

enum { SHAPE_TEXT = 60, MOST_SHOWN = 25 };

struct shown_shape {
    const char *symbol;
    char *text; /* owned */
    uint64_t calls, single;
    double seconds, share;
};

/* Calls of an entry whose shapes are not told. */
struct shown_rest {
    const char *symbol;
    uint64_t calls;
    double seconds, share;
};

struct shown {
    const struct kt_trace *trace;
    struct shown_shape *shape; /* owned */
    size_t shapes;
    struct shown_rest *rest; /* owned */
    size_t rests;
    uint64_t calls, single;
    double seconds, single_seconds, rest_seconds;
    json_t *verdict; /* NULL: none; owned */
};

/* --- what there is --------------------------------------------------------------------------------------------- */

static void add_shape(struct shown *s, const struct kt_shape_group *group)
{
    struct shown_shape *shape = &s->shape[s->shapes++];
    *shape = (struct shown_shape){.symbol = group->first.entry->symbol.name,
                                  .text = kt_resize(NULL, SHAPE_TEXT + 1, 1),
                                  .calls = group->calls,
                                  .seconds = group->total};
    kt_shape_text(&group->first, shape->text, SHAPE_TEXT);
    s->calls += shape->calls;
    s->seconds += shape->seconds;
}

static void count_single(struct shown *s, const struct kt_shapes *shapes)
{
    struct kt_cursor cursor;
    struct kt_call call;
    struct kt_shapes ignored;
    struct kt_collection *collection = kt_collection_of(s->trace, shapes);
    kt_cursor_begin(s->trace, &cursor);
    while (kt_cursor_next(&cursor, &call)) {
        size_t number = kt_collection_number(collection, &call);
        if (number < s->shapes)
            s->shape[number].single++;
        s->single++;
        s->single_seconds += kt_call_seconds(&call);
    }
    kt_collection_finish(collection, &ignored);
    kt_shapes_free(&ignored);
}

static void count_rest(struct shown *s)
{
    struct kt_counts_cursor cursor;
    struct kt_counts counts;
    kt_counts_begin(s->trace, &cursor);
    while (kt_counts_next(&cursor, &counts)) {
        if (counts.call.args)
            continue;
        s->rest = kt_room_for_one(s->rest, s->rests, sizeof *s->rest);
        s->rest[s->rests++] = (struct shown_rest){counts.call.entry->symbol.name, counts.calls, counts.seconds, 0};
        s->calls += counts.calls;
        s->seconds += counts.seconds;
        s->rest_seconds += counts.seconds;
    }
}

static double share_of(double seconds, double all)
{
    return all > 0 ? seconds / all : 0;
}

static void look(const struct kt_trace *workload, struct shown *s)
{
    struct kt_shapes shapes;
    kt_shapes_collect(workload, KT_OUTERMOST, &shapes);
    *s = (struct shown){.trace = workload, .shape = kt_resize(NULL, shapes.count, sizeof *s->shape)};
    for (size_t i = 0; i < shapes.count; i++)
        add_shape(s, &shapes.shape[i]);
    count_single(s, &shapes);
    count_rest(s);
    kt_shapes_free(&shapes);
    for (size_t i = 0; i < s->shapes; i++)
        s->shape[i].share = share_of(s->shape[i].seconds, s->seconds);
    for (size_t i = 0; i < s->rests; i++)
        s->rest[i].share = share_of(s->rest[i].seconds, s->seconds);
    s->verdict = kt_workload_verdict_load(workload);
}

static void forget(struct shown *s)
{
    for (size_t i = 0; i < s->shapes; i++)
        free(s->shape[i].text);
    free(s->shape);
    free(s->rest);
    json_decref(s->verdict);
}

/* --- as tables ------------------------------------------------------------------------------------------------- */

static size_t count_shapes(const struct kt_at *at)
{
    return ((const struct shown *)at->from)->shapes;
}

static const void *shape_row(const struct kt_at *at, size_t row)
{
    return &((const struct shown *)at->from)->shape[row];
}

static size_t count_rests(const struct kt_at *at)
{
    return ((const struct shown *)at->from)->rests;
}

static const void *rest_row(const struct kt_at *at, size_t row)
{
    return &((const struct shown *)at->from)->rest[row];
}

static size_t count_libraries(const struct kt_at *at)
{
    return ((const struct shown *)at->from)->trace->process[0].objects;
}

static const void *library_row(const struct kt_at *at, size_t row)
{
    return &((const struct shown *)at->from)->trace->process[0].object[row];
}

static const struct kt_field library_fields[] = {
    {"name", KT_AS_TEXT, KT_NULL, .meaning = "name of its file", KT_AT(struct kt_object, path), .head = "library"},
    {"version", KT_AS_TEXT, KT_NULL | KT_SHRINK, .meaning = "what it says of itself", KT_AT(struct kt_object, version),
     .head = "version"},
    {"threads", KT_AS_COUNT, .meaning = "threads that it would use; 0: not known", KT_AT(struct kt_object, threads),
     .head = "threads"},
    {"int_bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "width of its integers", KT_AT(struct kt_object, int_bytes),
     .head = "int"},
    {"build_id", KT_AS_TEXT, KT_NULL, .meaning = "what tells builds apart", KT_AT(struct kt_object, build_id)},
    {0}};

static const struct kt_field shape_fields[] = {
    {"symbol", KT_AS_TEXT, .meaning = "the name that was called", KT_AT(struct shown_shape, symbol), .head = "symbol"},
    {"shape", KT_AS_TEXT, KT_SHRINK, .meaning = "arguments that make the shape", KT_AT(struct shown_shape, text),
     .head = "shape"},
    {"calls", KT_AS_COUNT, .meaning = "calls that it stands for", KT_AT(struct shown_shape, calls), .head = "calls"},
    {"single", KT_AS_COUNT, .meaning = "of these, single calls in windows of the sequence",
     KT_AT(struct shown_shape, single), .head = "single"},
    {"seconds", KT_AS_SECONDS, .meaning = "time of the calls", KT_AT(struct shown_shape, seconds), .head = "time"},
    {"share", KT_AS_SHARE, .meaning = "part of the time of all calls", KT_AT(struct shown_shape, share),
     .head = "share"},
    {0}};

static const struct kt_field rest_fields[] = {
    {"symbol", KT_AS_TEXT, .meaning = "the name that was called", KT_AT(struct shown_rest, symbol), .head = "symbol"},
    {"calls", KT_AS_COUNT, .meaning = "calls whose shapes are not told", KT_AT(struct shown_rest, calls),
     .head = "calls"},
    {"seconds", KT_AS_SECONDS, .meaning = "their time", KT_AT(struct shown_rest, seconds), .head = "time"},
    {"share", KT_AS_SHARE, .meaning = "part of the time of all calls", KT_AT(struct shown_rest, share),
     .head = "share"},
    {0}};

static json_t *verdict_value(const struct kt_at *at)
{
    json_t *verdict = ((const struct shown *)at->from)->verdict;
    return verdict ? json_incref(verdict) : json_null();
}

static json_t *processes_value(const struct kt_at *at)
{
    return json_integer(((const struct shown *)at->from)->trace->process[0].workload);
}

enum { LIBRARIES, SHAPES, RESTS };

static const struct kt_field show_fields[] = {
    [LIBRARIES] = {"libraries", KT_AS_RECORD, KT_MANY, .meaning = "libraries that calls went to, or that these use",
                   .of = library_fields, .count = count_libraries, .row = library_row},
    [SHAPES] = {"shapes", KT_AS_RECORD, KT_MANY, .meaning = "shapes, largest time first", .of = shape_fields,
                .count = count_shapes, .row = shape_row},
    [RESTS] = {"not_represented", KT_AS_RECORD, KT_MANY, .meaning = "calls that are counted by routine only",
               .of = rest_fields, .count = count_rests, .row = rest_row},
    {"processes", KT_AS_COUNT, .meaning = "processes that it stands for", .get = processes_value},
    {"calls", KT_AS_COUNT, .meaning = "outermost calls that it stands for", KT_AT(struct shown, calls)},
    {"seconds", KT_AS_SECONDS, .meaning = "their time", KT_AT(struct shown, seconds)},
    {"calls_single", KT_AS_COUNT, .meaning = "of these, single calls in windows of the sequence",
     KT_AT(struct shown, single)},
    {"seconds_single", KT_AS_SECONDS, .meaning = "their time", KT_AT(struct shown, single_seconds)},
    {"seconds_not_represented", KT_AS_SECONDS, .meaning = "time of calls that are counted by routine only",
     KT_AT(struct shown, rest_seconds)},
    {"verdict", KT_AS_RECORD, KT_NULL, .meaning = "how true it is, as --verify found; null: not known",
     .of = kt_workload_verdict_fields, .get = verdict_value},
    {0}};

const struct kt_document kt_document_distill_show = {
    .verb = "distill", .what = "ktrace distill --show --json", .version = 1, .field = show_fields};

/* --- the page -------------------------------------------------------------------------------------------------- */

json_t *kt_workload_show_json(const struct kt_trace *workload)
{
    struct shown s;
    look(workload, &s);
    json_t *json = kt_field_object(show_fields, &(struct kt_at){.from = &s, .object = &s});
    forget(&s);
    return json;
}

static void print_totals(const struct shown *s)
{
    char seconds[16], single_seconds[16], share[16];
    const struct kt_process *p = &s->trace->process[0];
    const char *cpu = kt_meta(p, "cpu_model");
    printf("a workload of %s that took %s", KT_COUNT(s->calls, "call"), kt_text_seconds(s->seconds, seconds));
    kt_text_seconds(p->seconds, seconds);
    printf(" in %s; the busiest ran %s\n", KT_COUNT(p->workload, "process"), seconds);
    printf("recorded on %s\n", cpu ? cpu : "an unknown processor");
    printf("%s with order, gaps and places in memory: %s\n", KT_COUNT(s->single, "single call"),
           kt_text_seconds(s->single_seconds, single_seconds));
    printf("not represented:%s of the time, counted by routine only\n\n",
           kt_text_percent(share_of(s->rest_seconds, s->seconds), share));
}

void kt_workload_show_print(const struct kt_trace *workload)
{
    struct shown s;
    look(workload, &s);
    print_totals(&s);
    kt_field_print(&show_fields[LIBRARIES], &s, SIZE_MAX, 0);
    printf("\n");
    kt_field_print(&show_fields[SHAPES], &s, MOST_SHOWN, 0);
    if (s.shapes > MOST_SHOWN)
        printf("and %s; --json has them all\n", KT_COUNT(s.shapes - MOST_SHOWN, "more shape"));
    if (s.rests) {
        printf("\nNot represented\n");
        kt_field_print(&show_fields[RESTS], &s, SIZE_MAX, 0);
    }
    if (s.verdict)
        kt_workload_verdict_print(s.verdict);
    else
        printf("\nHow true it is, is not known: ktrace distill --verify TRACE %s\n", workload->path);
    forget(&s);
}
