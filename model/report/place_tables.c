/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of a report that say where in the program calls are made: callers, lines, call paths.
 */
#include "model/report/report_row.h"
#include "model/report/report_tables.h"
#include "trace/library/installed.h"
#include "trace/print/text.h"

#include <stdio.h>

enum { CELL = KT_ROW_CELL };

/* Of a long name the end is kept, where the line is. */
static void line_cell(struct kt_row *row, const struct kt_place *place)
{
    enum { WIDEST = 24 };
    char text[CELL];
    if (!place->file) {
        kt_row_text(row, "-");
        return;
    }
    size_t length = (size_t)snprintf(text, sizeof text, "%.*s:%d", CELL - 16, kt_base_name(place->file), place->line);
    bool cut = length > WIDEST;
    snprintf(kt_row_next(row), CELL, "%s%.*s", cut ? ".." : "", WIDEST, text + (cut ? length - WIDEST + 2 : 0));
}

static void object_cell(struct kt_row *row, const struct kt_place *place)
{
    kt_row_text(row, place->object ? kt_base_name(place->object) : "unknown");
}

static void sum_cells(struct kt_row *row, const struct kt_report *report, uint64_t calls, double seconds)
{
    kt_row_count(row, calls);
    kt_row_seconds(row, seconds);
    kt_row_share(row, seconds, report->summary.seconds_blas);
}

/* What names a place in a row. */
typedef void function_cell(const struct kt_place *place, char *out, size_t size);

static void print_places(const struct kt_report *report, const struct kt_caller *caller, size_t rows,
                         function_cell *function)
{
    static const struct kt_column column[] = {{.head = "line"},
                                              {.head = "function", .shrink = true},
                                              {.head = "object", .shrink = true},
                                              {.head = "calls", .right = true},
                                              {.head = "time", .right = true},
                                              {.head = "share", .right = true}};
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    bool unnamed = false;
    for (size_t i = 0; i < rows; i++) {
        const struct kt_place *place = caller[i].place;
        struct kt_row row = {.columns = 0};
        line_cell(&row, place);
        function(place, kt_row_next(&row), CELL);
        object_cell(&row, place);
        sum_cells(&row, report, caller[i].calls, caller[i].seconds);
        unnamed |= place->object && !place->function;
        kt_row_add(table, &row);
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
    if (unnamed)
        printf("+0x12: no known function; address in the object, as objdump shows it\n");
}

void kt_report_callers(const struct kt_report *report, size_t top)
{
    kt_heading("Callers of outermost calls");
    print_places(report, report->caller, report->callers < top ? report->callers : top, kt_place_function);
    kt_row_tell_rest(report->callers, top, "caller");
}

void kt_report_lines(const struct kt_report *report, size_t top)
{
    kt_heading("Lines that make outermost calls");
    print_places(report, report->line, report->lines < top ? report->lines : top, kt_place_instruction);
    kt_row_tell_rest(report->lines, top, "line");
}

/* --- call paths -------------------------------------------------------------------------------------------- */

/* Deeper ones than fit on a line have a number instead. */
static void path_cell(struct kt_row *row, const struct kt_path_node *node)
{
    enum { DEEPEST = 12 };
    char *cell = kt_row_next(row);
    int used = snprintf(cell, CELL, "%*s", 2 * (int)(node->depth < DEEPEST ? node->depth : DEEPEST), "");
    if (node->depth > DEEPEST)
        used += snprintf(cell + used, CELL - (size_t)used, "[%zu] ", node->depth);
    if (node->place)
        kt_place_text(node->place, cell + used, CELL - (size_t)used);
    else
        snprintf(cell + used, CELL - (size_t)used, "%s", node->routine);
}

void kt_report_paths(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "share", .right = true},
                                              {.head = "time", .right = true},
                                              {.head = "calls", .right = true},
                                              {.head = "path", .shrink = true}};
    static const double least = 0.01; /* of the time */
    const struct kt_paths *paths = &report->tree;
    (void)top;
    kt_heading("Call paths");
    if (!kt_paths_are_recorded(&report->trace)) {
        printf("No call paths were recorded: ktrace run --stacks paths (KTRACE_STACKS=paths)\n"
               "records them.\n");
        return;
    }
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    size_t left_out = 0;
    for (size_t i = 0; i < paths->count; i++) {
        const struct kt_path_node *node = &paths->node[i];
        struct kt_row row = {.columns = 0};
        bool is_shown = node->seconds >= least * report->summary.seconds_blas;
        left_out += !is_shown;
        kt_row_share(&row, node->seconds, report->summary.seconds_blas);
        kt_row_seconds(&row, node->seconds);
        kt_row_count(&row, node->calls);
        path_cell(&row, node);
        if (is_shown)
            kt_row_add(table, &row);
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
    if (left_out)
        printf("... and %zu more below 1 %%: --json\n", left_out);
}
