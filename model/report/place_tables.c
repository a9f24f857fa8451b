/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where in the program calls are made: callers, lines, call paths.
 */
#include "model/report/report_lists.h"
#include "model/report/report_row.h"
#include "model/report/report_tables.h"
#include "trace/base/memory.h"
#include "trace/command/field_text.h"
#include "trace/library/installed.h"

#include <stdio.h>

/* --- callers and lines --------------------------------------------------------------------------------------- */

static const struct kt_caller *caller_of(const struct kt_at *at)
{
    return at->object;
}

/* Of a long name the end is kept, where the line is. */
static void line_cell(const struct kt_at *at, char *out, size_t size)
{
    enum { WIDEST = 24, NUMBER = 16 };
    const struct kt_place *place = caller_of(at)->place;
    char text[256];
    if (!place->file) {
        snprintf(out, size, "-");
        return;
    }
    size_t length = (size_t)snprintf(text, sizeof text, "%.*s:%d", (int)sizeof text - NUMBER, kt_base_name(place->file),
                                     place->line);
    bool cut = length > WIDEST;
    snprintf(out, size, "%s%.*s", cut ? ".." : "", WIDEST, text + (cut ? length - WIDEST + 2 : 0));
}

static json_t *object(const struct kt_at *at)
{
    return kt_json_text_or_null(caller_of(at)->place->object);
}

static void object_cell(const struct kt_at *at, char *out, size_t size)
{
    const char *path = caller_of(at)->place->object;
    snprintf(out, size, "%s", path ? kt_base_name(path) : "unknown");
}

static json_t *function(const struct kt_at *at)
{
    return kt_json_text_or_null(caller_of(at)->place->function);
}

static void function_cell(const struct kt_at *at, char *out, size_t size)
{
    kt_place_function(caller_of(at)->place, out, size);
}

static void instruction_cell(const struct kt_at *at, char *out, size_t size)
{
    kt_place_instruction(caller_of(at)->place, out, size);
}

static json_t *file(const struct kt_at *at)
{
    return kt_json_text_or_null(caller_of(at)->place->file);
}

static json_t *line(const struct kt_at *at)
{
    const struct kt_place *place = caller_of(at)->place;
    return place->file ? json_integer(place->line) : json_null();
}

static json_t *offset(const struct kt_at *at)
{
    return json_integer((json_int_t)caller_of(at)->place->offset);
}

static json_t *share(const struct kt_at *at)
{
    return kt_report_share(caller_of(at)->seconds, kt_report_of(at)->summary.seconds_blas);
}

enum { CALLERS = 1, LINES = 2 };

/* As kt_field_place has them. */
static const struct kt_field caller_fields[] = {
    {"line", KT_AS_ID, KT_NULL, .meaning = "line in the source file; the column has file and line", .get = line},
    {NULL, KT_AS_TEXT, .head = "line", .cell = line_cell},
    {"function", KT_AS_TEXT, KT_NULL | KT_SHRINK, .meaning = "function that makes the call", .get = function,
     .head = "function", .view = CALLERS, .cell = function_cell},
    {NULL, KT_AS_TEXT, KT_SHRINK, .head = "function", .view = LINES, .cell = instruction_cell},
    {"object", KT_AS_TEXT, KT_NULL | KT_SHRINK, .meaning = "program or library that contains the call", .get = object,
     .head = "object", .cell = object_cell},
    {"file", KT_AS_TEXT, KT_NULL, .meaning = "source file", .get = file},
    {"offset", KT_AS_ID, .meaning = "address of the call in the object", .get = offset},
    {"calls", KT_AS_COUNT, .meaning = "outermost calls from there", KT_AT(struct kt_caller, calls), .head = "calls"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "their time", KT_AT(struct kt_caller, seconds), .head = "time"},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of all BLAS and LAPACK time", .get = share, .head = "share"},
    {0}};

static size_t callers(const struct kt_at *at)
{
    return kt_report_of(at)->callers;
}

static const void *caller(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->caller[row];
}

static size_t lines(const struct kt_at *at)
{
    return kt_report_of(at)->lines;
}

static const void *line_at(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->line[row];
}

const struct kt_field kt_report_place_lists[] = {{"callers", KT_AS_RECORD, KT_MANY,
                                                  .meaning = "who makes outermost calls, longest time first",
                                                  .of = caller_fields, .count = callers, .row = caller},
                                                 {"lines", KT_AS_RECORD, KT_MANY, .meaning = "the same by line",
                                                  .of = caller_fields, .count = lines, .row = line_at},
                                                 {0}};

static void print_places(const struct kt_report *report, size_t which, size_t top, unsigned view)
{
    const struct kt_caller *of = view == LINES ? report->line : report->caller;
    size_t count = view == LINES ? report->lines : report->callers;
    bool unnamed = false;
    kt_field_print(&kt_report_place_lists[which], report, top, view);
    for (size_t i = 0; i < count && i < top; i++)
        unnamed = unnamed || (of[i].place->object && !of[i].place->function);
    if (unnamed)
        printf("+0x12: no known function; address in the object, as objdump shows it\n");
}

void kt_report_callers(const struct kt_report *report, size_t top)
{
    kt_heading("Callers of outermost calls");
    print_places(report, 0, top, CALLERS);
    kt_row_tell_rest(report->callers, top, "caller");
}

void kt_report_lines(const struct kt_report *report, size_t top)
{
    kt_heading("Lines that make outermost calls");
    print_places(report, 1, top, LINES);
    kt_row_tell_rest(report->lines, top, "line");
}

/* --- call paths ---------------------------------------------------------------------------------------------- */

static const struct kt_path_node *node_of(const struct kt_at *at)
{
    return at->object;
}

static json_t *node_share(const struct kt_at *at)
{
    return kt_report_share(node_of(at)->seconds, kt_report_of(at)->summary.seconds_blas);
}

static json_t *node_place(const struct kt_at *at)
{
    const struct kt_path_node *node = node_of(at);
    char text[512];
    if (!node->place)
        return json_string(node->routine);
    kt_place_text(node->place, text, sizeof text);
    return kt_json_text(text);
}

/* Deeper ones than fit on a line have a number instead. */
static void path_cell(const struct kt_at *at, char *out, size_t size)
{
    enum { DEEPEST = 12 };
    const struct kt_path_node *node = node_of(at);
    size_t used = (size_t)snprintf(out, size, "%*s", 2 * (int)(node->depth < DEEPEST ? node->depth : DEEPEST), "");
    if (node->depth > DEEPEST)
        used += (size_t)snprintf(out + used, size - used, "[%zu] ", node->depth);
    if (node->place)
        kt_place_text(node->place, out + used, size - used);
    else
        snprintf(out + used, size - used, "%s", node->routine);
}

static const struct kt_field path_fields[] = {
    {"depth", KT_AS_ID, .meaning = "how many places led to it", KT_AT(struct kt_path_node, depth)},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of all BLAS and LAPACK time", .get = node_share, .head = "share"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "time of outermost calls below it",
     KT_AT(struct kt_path_node, seconds), .head = "time"},
    {"calls", KT_AS_COUNT, .meaning = "outermost calls below it", KT_AT(struct kt_path_node, calls), .head = "calls"},
    {"place", KT_AS_TEXT, KT_SHRINK, .meaning = "line or function, or a routine", .get = node_place, .head = "path",
     .cell = path_cell},
    {0}};

static size_t nodes(const struct kt_at *at)
{
    return kt_report_of(at)->tree.count;
}

static const void *node_at(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->tree.node[row];
}

const struct kt_field kt_report_path_list[] = {
    {"path", KT_AS_RECORD, KT_MANY, .of = path_fields, .count = nodes, .row = node_at}, {0}};

void kt_report_paths(const struct kt_report *report, size_t top)
{
    static const double least = 0.01; /* of the time */
    const struct kt_paths *paths = &report->tree;
    (void)top;
    kt_heading("Call paths");
    if (!kt_paths_are_recorded(&report->trace)) {
        printf("No call paths were recorded: ktrace run --stacks paths (KTRACE_STACKS=paths)\n"
               "records them.\n");
        return;
    }
    size_t *row = kt_resize(NULL, paths->count, sizeof *row);
    size_t shown = 0;
    for (size_t i = 0; i < paths->count; i++)
        if (paths->node[i].seconds >= least * report->summary.seconds_blas)
            row[shown++] = i;
    kt_field_print_rows(kt_report_path_list, report, row, shown, 0);
    free(row);
    if (shown < paths->count)
        printf("... and %zu more below 1 %%: --json\n", paths->count - shown);
}
