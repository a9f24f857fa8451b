/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/field_text.h"

#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 160 };

/* --- cells --------------------------------------------------------------------------------------------------- */

void kt_field_number(double value, const char *none, char *out, size_t size)
{
    if (isnan(value))
        snprintf(out, size, "%s", none);
    else
        snprintf(out, size, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
}

static void number_text(enum kt_field_kind kind, double value, char *out)
{
    if (kind == KT_AS_SECONDS)
        kt_text_seconds(value, out);
    else if (kind == KT_AS_SHARE)
        kt_text_percent(value, out);
    else if (kind == KT_AS_INDEX)
        kt_text_index(value, "n/a", out);
    else
        kt_field_number(value, "n/a", out, CELL);
}

static void value_text(enum kt_field_kind kind, const json_t *value, char *out)
{
    *out = '\0';
    if (json_is_string(value))
        snprintf(out, CELL, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        snprintf(out, CELL, "%s", json_is_true(value) ? "yes" : "no");
    else if (kind == KT_AS_COUNT)
        kt_text_count(json_is_integer(value) ? (double)json_integer_value(value) : NAN, out);
    else if (kind == KT_AS_ID && json_is_integer(value))
        snprintf(out, CELL, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (kind == KT_AS_TEXT || kind == KT_AS_ID)
        snprintf(out, CELL, "n/a");
    else
        number_text(kind, json_is_number(value) ? json_number_value(value) : NAN, out);
}

static void cell_text(const struct kt_field *list, const struct kt_field *field, const struct kt_at *root, size_t row,
                      char out[CELL])
{
    const struct kt_at at = kt_field_row(list, root, row);
    if (field->cell) {
        *out = '\0';
        field->cell(&at, out, CELL);
        return;
    }
    json_t *value = kt_field_value(field, &at);
    value_text(field->kind, value, out);
    json_decref(value);
}

/* --- text ---------------------------------------------------------------------------------------------------- */

/* That a value is not known is worth a column only where the field says so itself. */
static bool has_value(const struct kt_field *list, const struct kt_field *field, const struct kt_at *root, size_t row)
{
    char text[CELL];
    cell_text(list, field, root, row, text);
    return *text && (field->cell || strcmp(text, "n/a") != 0);
}

/* In any row, also one that is not shown: a table has the same columns whatever its length. */
static bool has_any(const struct kt_field *list, const struct kt_field *field, const struct kt_at *root)
{
    size_t count = list->count(root);
    for (size_t i = 0; i < count; i++)
        if (has_value(list, field, root, i))
            return true;
    return false;
}

static size_t choose_columns(const struct kt_field *list, const struct kt_at *root, unsigned view,
                             const struct kt_field *column[KT_FIELD_COLUMNS])
{
    const struct kt_field *all[KT_FIELD_COLUMNS];
    size_t fields = kt_field_flat(list->of, all);
    size_t count = 0;
    for (size_t i = 0; i < fields; i++) {
        bool is_shown = all[i]->head && (!all[i]->view || all[i]->view & view);
        if (is_shown && (!(all[i]->flags & KT_IF_ANY) || has_any(list, all[i], root)))
            column[count++] = all[i];
    }
    return count;
}

static bool is_number(enum kt_field_kind kind)
{
    return kind >= KT_AS_COUNT && kind <= KT_AS_INDEX;
}

static struct kt_text_table *make_table(const struct kt_field *const *column, size_t columns)
{
    struct kt_column head[KT_FIELD_COLUMNS];
    for (size_t i = 0; i < columns; i++)
        head[i] = (struct kt_column){.head = column[i]->head,
                                     .right = is_number(column[i]->kind) || column[i]->flags & KT_RIGHT,
                                     .shrink = column[i]->flags & KT_SHRINK};
    struct kt_text_table *table = kt_text_table_new(head, columns);
    for (size_t i = 0; i < columns; i++)
        if (column[i]->flags & KT_SPARE)
            kt_text_table_spare(table, i);
    return table;
}

void kt_field_print_rows(const struct kt_field *list, const void *from, const size_t *row, size_t count, unsigned view)
{
    const struct kt_at root = {from, from, 0};
    const struct kt_field *column[KT_FIELD_COLUMNS];
    size_t columns = choose_columns(list, &root, view, column);
    struct kt_text_table *table = make_table(column, columns);
    char(*text)[CELL] = kt_resize(NULL, columns, sizeof *text);
    const char **cell = kt_resize(NULL, columns, sizeof *cell);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < columns; j++) {
            cell[j] = row[i] == KT_FIELD_DOTS ? ".." : text[j];
            if (row[i] != KT_FIELD_DOTS)
                cell_text(list, column[j], &root, row[i], text[j]);
        }
        kt_text_table_row(table, cell);
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
    free(text);
    free(cell);
}

void kt_field_print(const struct kt_field *list, const void *from, size_t top, unsigned view)
{
    const struct kt_at root = {from, from, 0};
    size_t count = list->count(&root);
    count = count < top ? count : top;
    size_t *row = kt_resize(NULL, count, sizeof *row);
    for (size_t i = 0; i < count; i++)
        row[i] = i;
    kt_field_print_rows(list, from, row, count, view);
    free(row);
}
