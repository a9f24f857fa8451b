/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lists of a report, and what their columns are, from the descriptions that its tables and its JSON have.
 */
#include "model/html/html_parts.h"

#include "model/report/report_lists.h"
#include "trace/base/memory.h"
#include "trace/command/state_json.h"

#include <stdlib.h>
#include <string.h>

void kt_html_leave_out(json_t *left_out, const char *list, size_t rows, size_t of)
{
    if (rows < of)
        json_array_append_new(
            left_out, json_pack("{s:s, s:I, s:I}", "list", list, "rows", (json_int_t)rows, "of", (json_int_t)of));
}

static size_t rows_of(const struct kt_field *list, const struct kt_at *at)
{
    size_t count = list->count(at);
    return count < KT_HTML_ROWS ? count : KT_HTML_ROWS;
}

/* --- the document -------------------------------------------------------------------------------------------- */

static json_t *first_rows(const struct kt_field *list, const struct kt_at *at)
{
    json_t *array = json_array();
    for (size_t i = 0; i < rows_of(list, at); i++) {
        const struct kt_at row = kt_field_row(list, at, i);
        json_array_append_new(array, kt_field_object(list->of, &row));
    }
    return array;
}

static int compare_seconds(const void *x, const void *y)
{
    double a = *(const double *)x;
    double b = *(const double *)y;
    return a < b ? 1 : a > b ? -1 : 0;
}

enum { NODES = 2000 }; /* of call paths */

/* Nodes that take less are left out. */
static double least_of(const struct kt_paths *paths)
{
    double *seconds = kt_resize(NULL, paths->count, sizeof *seconds);
    for (size_t i = 0; i < paths->count; i++)
        seconds[i] = paths->node[i].seconds;
    qsort(seconds, paths->count, sizeof *seconds, compare_seconds);
    double least = paths->count > NODES ? seconds[NODES] : 0;
    free(seconds);
    return least;
}

/* Returns how many nodes are left. */
static size_t prune(json_t *nodes, double least)
{
    size_t left = 0;
    for (size_t i = json_array_size(nodes); i-- > 0;) {
        json_t *node = json_array_get(nodes, i);
        if (json_number_value(json_object_get(node, "seconds")) < least)
            json_array_remove(nodes, i);
        else
            left += 1 + prune(json_object_get(node, "children"), least);
    }
    return left;
}

void kt_html_cut(json_t *object, const char *key, json_t *left_out, const char *list)
{
    json_t *array = json_object_get(object, key);
    size_t size = json_array_size(array);
    kt_html_leave_out(left_out, list, size < KT_HTML_ROWS ? size : KT_HTML_ROWS, size);
    while (json_array_size(array) > KT_HTML_ROWS)
        json_array_remove(array, json_array_size(array) - 1);
}

json_t *kt_html_report(const struct kt_report *report, json_t *left_out)
{
    const struct kt_at at = {report, report, 0};
    const struct kt_field *all[KT_FIELD_COLUMNS];
    size_t fields = kt_field_flat(kt_document_report.field, all);
    json_t *out = json_object();
    for (size_t i = 0; i < fields; i++) {
        bool is_list = all[i]->count && !all[i]->get;
        json_t *value = is_list ? first_rows(all[i], &at) : kt_field_value(all[i], &at);
        if (value)
            json_object_set_new(out, all[i]->key, value);
        if (is_list)
            kt_html_leave_out(left_out, all[i]->key, rows_of(all[i], &at), all[i]->count(&at));
    }
    kt_json_add_missing(out, &report->trace, &report->state);
    size_t left = prune(json_object_get(out, "paths"), least_of(&report->tree));
    kt_html_leave_out(left_out, "paths", left, report->tree.count);
    kt_html_cut(json_object_get(out, "decomposition"), "callers", left_out, "decomposition.callers");
    kt_html_cut(json_object_get(out, "decomposition"), "routines", left_out, "decomposition.routines");
    return out;
}

/* --- columns ------------------------------------------------------------------------------------------------- */

/* What is known to the page by its name; all else is text. */
static const char *kind_name(enum kt_field_kind kind)
{
    static const char *const name[] = {
        [KT_AS_COUNT] = "count",   [KT_AS_ID] = "id",       [KT_AS_SECONDS] = "seconds", [KT_AS_SHARE] = "share",
        [KT_AS_NUMBER] = "number", [KT_AS_INDEX] = "index", [KT_AS_FLAG] = "flag",       [KT_AS_ANY] = NULL};
    return kind < sizeof name / sizeof *name && name[kind] ? name[kind] : "text";
}

static json_t *cell_of(const struct kt_field *field, const struct kt_at *at)
{
    enum { CELL = 512 };
    char text[CELL] = "";
    if (!field->cell)
        return kt_field_value(field, at);
    field->cell(at, text, sizeof text);
    return kt_json_text(text);
}

/* Texts of a column whose value is no key of the row, or an object. */
static json_t *values_of(const struct kt_field *list, const struct kt_field *field, const struct kt_at *at)
{
    bool is_simple = field->key && field->kind != KT_AS_RECORD && field->kind != KT_AS_MAP && !(field->flags & KT_MANY);
    if (is_simple)
        return NULL;
    json_t *values = json_array();
    for (size_t i = 0; i < rows_of(list, at); i++) {
        const struct kt_at row = kt_field_row(list, at, i);
        json_t *value = cell_of(field, &row);
        json_array_append_new(values, value ? value : json_null());
    }
    return values;
}

static json_t *column_of(const struct kt_field *list, const struct kt_field *field, const struct kt_at *at)
{
    json_t *column = json_pack("{s:s, s:s, s:s?, s:s?, s:s?}", "head", field->head, "kind", kind_name(field->kind),
                               "key", field->key, "meaning", field->meaning, "unit", field->unit);
    json_t *values = values_of(list, field, at);
    if (values)
        json_object_set_new(column, "values", values);
    return column;
}

/* A table of another view begins with a column that this one has, too. */
static bool is_repeated(const struct kt_field *const *field, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (!field[at]->key && field[at]->cell && field[i]->cell == field[at]->cell)
            return true;
    return false;
}

static json_t *columns_of(const struct kt_field *list, unsigned view, const struct kt_at *at)
{
    const struct kt_field *all[KT_FIELD_COLUMNS];
    size_t fields = kt_field_flat(list->of, all);
    json_t *columns = json_array();
    for (size_t i = 0; i < fields; i++)
        if (all[i]->head && (!all[i]->view || all[i]->view & view) && !is_repeated(all, i))
            json_array_append_new(columns, column_of(list, all[i], at));
    return columns;
}

json_t *kt_html_columns(const struct kt_report *report)
{
    enum { EVERY = 3, CALLERS = 1, LINES = 2 }; /* views, as the tables have them */
    static const struct {
        const char *name;
        const struct kt_field *list;
        unsigned view;
    } of[] = {{"routines", kt_report_routine_list, EVERY},
              {"shapes", kt_report_shape_list, EVERY},
              {"callers", &kt_report_place_lists[0], CALLERS},
              {"lines", &kt_report_place_lists[1], LINES},
              {"threads", kt_report_thread_list, EVERY},
              {"processes", kt_report_process_list, EVERY},
              {"regions", kt_report_region_list, EVERY},
              {"ranks", &kt_report_rank_fields[0], EVERY},
              {"decomposition.routines", &kt_report_part_lists[0], EVERY},
              {"decomposition.callers", &kt_report_part_lists[1], EVERY}};
    const struct kt_at at = {report, report, 0};
    json_t *out = json_object();
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        json_object_set_new(out, of[i].name, columns_of(of[i].list, of[i].view, &at));
    return out;
}
