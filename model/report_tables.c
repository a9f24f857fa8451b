/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of a report: one function per table, which names the columns and fills a row per line.
 */
#include "model/report_tables.h"

#include "trace/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_COLUMNS = 10, CELL = 160 };

/* --- cells ------------------------------------------------------------------------------------------------- */

/* The cells of one row; a column's cell is empty until it is written. */
struct row {
    char text[MAX_COLUMNS][CELL];
    size_t columns;
};

static char *next_cell(struct row *row)
{
    char *cell = row->text[row->columns++];
    *cell = '\0';
    return cell;
}

static void add_row(struct kt_text_table *table, const struct row *row)
{
    const char *cell[MAX_COLUMNS];
    for (size_t i = 0; i < row->columns; i++)
        cell[i] = row->text[i];
    kt_text_table_row(table, cell);
}

static void text_cell(struct row *row, const char *text)
{
    snprintf(next_cell(row), CELL, "%s", text);
}

static void count_cell(struct row *row, uint64_t count)
{
    kt_text_count((double)count, next_cell(row));
}

static void seconds_cell(struct row *row, double seconds)
{
    kt_text_seconds(seconds, next_cell(row));
}

static void share_cell(struct row *row, double part, double whole)
{
    kt_text_percent(whole > 0 ? part / whole : NAN, next_cell(row));
}

/* Three digits are what timings carry. */
static void number_cell(struct row *row, double value, const char *none)
{
    if (isnan(value))
        text_cell(row, none);
    else
        snprintf(next_cell(row), CELL, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
}

/* "-" for routines that only move data, "n/a" where the count is not known. */
static void gflops_cell(struct row *row, double flops, double gflops)
{
    number_cell(row, gflops, flops == 0 ? "-" : "n/a");
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void tell_rest(size_t count, size_t top, const char *by)
{
    if (count > top)
        printf("... and %zu more: --by %s --top %zu\n", count - top, by, count);
}

/* --- routines ---------------------------------------------------------------------------------------------- */

void kt_report_routines(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "routine"},
                                              {.head = "calls", .right = true},
                                              {.head = "outermost", .right = true},
                                              {.head = "time", .right = true},
                                              {.head = "self", .right = true},
                                              {.head = "share", .right = true},
                                              {.head = "Gflop/s", .right = true}};
    const struct kt_sums *sums = &report->summary.routines;
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < least(sums->count, top); i++) {
        const struct kt_sum *sum = &sums->sum[i];
        struct row row = {.columns = 0};
        text_cell(&row, sum->routine);
        count_cell(&row, sum->calls);
        count_cell(&row, sum->calls_top);
        seconds_cell(&row, sum->seconds);
        seconds_cell(&row, sum->seconds_self);
        share_cell(&row, sum->seconds_self, report->summary.seconds_self);
        gflops_cell(&row, sum->flops, kt_gflops(sum->flops, sum->seconds));
        add_row(table, &row);
    }
    kt_heading("Routines");
    kt_text_table_print(table);
    kt_text_table_free(table);
    tell_rest(sums->count, top, "routine");
}

/* --- shapes ------------------------------------------------------------------------------------------------ */

static void shape_cells(struct row *row, const struct kt_report_shape *shape, size_t number)
{
    snprintf(next_cell(row), CELL, "%zu", number);
    text_cell(row, shape->group->first.entry->symbol.routine->name);
    kt_shape_text(&shape->group->first, next_cell(row), CELL - 1);
}

static void print_shape_times(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "#", .right = true},      {.head = "routine"},
                                              {.head = "shape", .shrink = true}, {.head = "calls", .right = true},
                                              {.head = "median", .right = true}, {.head = "total", .right = true},
                                              {.head = "share", .right = true},  {.head = "Gflop/s", .right = true}};
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < least(report->groups.count, top); i++) {
        const struct kt_report_shape *shape = &report->shape[i];
        struct row row = {.columns = 0};
        shape_cells(&row, shape, i + 1);
        count_cell(&row, shape->group->calls);
        seconds_cell(&row, shape->insitu.median);
        seconds_cell(&row, shape->group->total);
        share_cell(&row, shape->group->total, report->groups.seconds);
        gflops_cell(&row, shape->group->query ? 0 : shape->group->flops, shape->gflops);
        add_row(table, &row);
    }
    kt_heading("Shapes of outermost calls");
    kt_text_table_print(table);
    kt_text_table_free(table);
}

static bool has_tracked(const struct kt_report *report)
{
    for (size_t i = 0; i < report->groups.count; i++)
        if (!isnan(report->shape[i].times.tracked))
            return true;
    return false;
}

static void print_shape_contexts(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "#", .right = true},      {.head = "routine"},
                                              {.head = "shape", .shrink = true}, {.head = "in situ", .right = true},
                                              {.head = "warm", .right = true},   {.head = "cold", .right = true},
                                              {.head = "index", .right = true},  {.head = "tracked", .right = true}};
    size_t columns = sizeof column / sizeof *column - !has_tracked(report);
    struct kt_text_table *table = kt_text_table_new(column, columns);
    for (size_t i = 0; i < least(report->groups.count, top); i++) {
        const struct kt_report_shape *shape = &report->shape[i];
        struct row row = {.columns = 0};
        shape_cells(&row, shape, i + 1);
        seconds_cell(&row, shape->times.insitu);
        seconds_cell(&row, shape->times.warm);
        seconds_cell(&row, shape->times.cold);
        number_cell(&row, kt_report_index(shape), "n/a");
        seconds_cell(&row, shape->times.tracked);
        add_row(table, &row);
    }
    kt_heading("The same shapes replayed: medians in controlled contexts");
    kt_text_table_print(table);
    kt_text_table_free(table);
}

void kt_report_shapes(const struct kt_report *report, size_t top)
{
    print_shape_times(report, top);
    if (report->replayed) {
        printf("\n");
        print_shape_contexts(report, top);
    }
    tell_rest(report->groups.count, top, "shape");
}

/* --- callers, threads, processes --------------------------------------------------------------------------- */

/* Of a long name the end is kept, where the line is. */
static void line_cell(struct row *row, const char *file, int line)
{
    enum { WIDEST = 24 };
    char text[CELL];
    size_t length = (size_t)snprintf(text, sizeof text, "%.*s:%d", CELL - 16, file, line);
    bool cut = length > WIDEST;
    snprintf(next_cell(row), CELL, "%s%.*s", cut ? ".." : "", WIDEST, text + (cut ? length - WIDEST + 2 : 0));
}

static void caller_cells(struct row *row, const struct kt_place *place)
{
    text_cell(row, place->object ? base_name(place->object) : "unknown");
    kt_place_function(place, next_cell(row), CELL);
    if (place->file)
        line_cell(row, base_name(place->file), place->line);
    else
        text_cell(row, "-");
}

void kt_report_callers(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {
        {.head = "object", .shrink = true}, {.head = "function", .shrink = true}, {.head = "line"},
        {.head = "calls", .right = true},   {.head = "time", .right = true},      {.head = "share", .right = true}};
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    bool unnamed = false;
    for (size_t i = 0; i < least(report->callers, top); i++) {
        const struct kt_caller *caller = &report->caller[i];
        struct row row = {.columns = 0};
        caller_cells(&row, caller->place);
        unnamed |= caller->place->object && !caller->place->function;
        count_cell(&row, caller->calls);
        seconds_cell(&row, caller->seconds);
        share_cell(&row, caller->seconds, report->summary.seconds_blas);
        add_row(table, &row);
    }
    kt_heading("Callers of outermost calls");
    kt_text_table_print(table);
    kt_text_table_free(table);
    if (unnamed)
        printf("+0x12: no known function; address in the object, as objdump shows it\n");
    tell_rest(report->callers, top, "caller");
}

static void thread_cells(struct row *row, const struct kt_sum *sum, double seconds_blas)
{
    count_cell(row, sum->calls);
    count_cell(row, sum->calls_top);
    seconds_cell(row, sum->seconds);
    share_cell(row, sum->seconds, seconds_blas);
}

void kt_report_threads(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "process", .right = true}, {.head = "thread", .right = true},
                                              {.head = "calls", .right = true},   {.head = "outermost", .right = true},
                                              {.head = "time", .right = true},    {.head = "share", .right = true}};
    const struct kt_sums *sums = &report->summary.threads;
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < least(sums->count, top); i++) {
        struct row row = {.columns = 0};
        snprintf(next_cell(&row), CELL, "%u", sums->sum[i].process->pid);
        snprintf(next_cell(&row), CELL, "%llu", (unsigned long long)sums->sum[i].id);
        thread_cells(&row, &sums->sum[i], report->summary.seconds_blas);
        add_row(table, &row);
    }
    kt_heading("Threads");
    kt_text_table_print(table);
    kt_text_table_free(table);
    tell_rest(sums->count, top, "thread");
}

void kt_report_processes(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "process", .right = true},   {.head = "program", .shrink = true},
                                              {.head = "wall", .right = true},      {.head = "calls", .right = true},
                                              {.head = "outermost", .right = true}, {.head = "time", .right = true},
                                              {.head = "share", .right = true}};
    const struct kt_sums *sums = &report->summary.processes;
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < least(sums->count, top); i++) {
        const struct kt_process *process = sums->sum[i].process;
        const char *program = kt_meta(process, "program");
        struct row row = {.columns = 0};
        snprintf(next_cell(&row), CELL, "%u", process->pid);
        text_cell(&row, program ? base_name(program) : "unknown");
        seconds_cell(&row, process->seconds);
        thread_cells(&row, &sums->sum[i], report->summary.seconds_blas);
        add_row(table, &row);
    }
    kt_heading("Processes");
    kt_text_table_print(table);
    kt_text_table_free(table);
}
