/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/field_csv.h"

#include "trace/print/csv_cell.h"

#include <stdio.h>
#include <stdlib.h>

/* --- columns: the keys that lead to a value -------------------------------------------------------------------- */

static json_t *path_to(const json_t *path, const char *key)
{
    json_t *longer = json_copy((json_t *)path);
    json_array_append_new(longer, json_string(key));
    return longer;
}

/* Of each row that value, or null. */
static json_t *values_of(const json_t *rows, const char *key)
{
    size_t i;
    json_t *row;
    json_t *values = json_array();
    json_array_foreach(rows, i, row)
    {
        json_t *value = json_object_get(row, key);
        json_array_append(values, value ? value : json_null());
    }
    return values;
}

static bool is_record(const struct kt_field *field)
{
    return field->kind == KT_AS_RECORD && !(field->flags & KT_MANY);
}

static void add_columns(const struct kt_field *field, const json_t *rows, const json_t *path, json_t *columns);

/* The values of a key of ROWS are records of these fields. */
static void add_record(const struct kt_field *of, const json_t *rows, const json_t *path, const char *key,
                       json_t *columns)
{
    json_t *values = values_of(rows, key);
    json_t *longer = path_to(path, key);
    add_columns(of, values, longer, columns);
    json_decref(longer);
    json_decref(values);
}

/* A record for each key that any of the maps has, in the order in which they are met. */
static void add_map(const struct kt_field *of, const json_t *maps, const json_t *path, json_t *columns)
{
    size_t i;
    json_t *map;
    json_t *value;
    const char *key;
    json_t *met = json_object();
    json_array_foreach(maps, i, map)
        json_object_foreach(map, key, value) if (json_object_set_new(met, key, json_true()) != 0) abort();
    json_object_foreach(met, key, value) add_record(of, maps, path, key, columns);
    json_decref(met);
}

static void add_columns(const struct kt_field *field, const json_t *rows, const json_t *path, json_t *columns)
{
    const struct kt_field *all[KT_FIELD_COLUMNS];
    size_t fields = kt_field_flat(field, all);
    for (size_t i = 0; i < fields; i++) {
        const char *key = all[i]->key;
        if (!key)
            continue;
        if (is_record(all[i])) {
            add_record(all[i]->of, rows, path, key, columns);
            continue;
        }
        json_t *longer = path_to(path, key);
        if (all[i]->kind == KT_AS_MAP && all[i]->of && is_record(all[i]->of)) {
            json_t *maps = values_of(rows, key);
            add_map(all[i]->of->of, maps, longer, columns);
            json_decref(maps);
        } else
            json_array_append(columns, longer);
        json_decref(longer);
    }
}

/* --- cells ------------------------------------------------------------------------------------------------------- */

static void print_name(const json_t *path)
{
    size_t i;
    json_t *key;
    char *name = NULL;
    size_t bytes;
    FILE *to = open_memstream(&name, &bytes);
    if (!to)
        abort();
    json_array_foreach(path, i, key) fprintf(to, "%s%s", i ? "." : "", json_string_value(key));
    fclose(to);
    kt_csv_cell(stdout, name);
    free(name);
}

static void print_value(const json_t *row, const json_t *path)
{
    size_t i;
    json_t *key;
    const json_t *value = row;
    json_array_foreach(path, i, key) value = json_object_get(value, json_string_value(key));
    if (!value || json_is_null(value))
        return;
    if (json_is_string(value)) {
        kt_csv_cell(stdout, json_string_value(value));
        return;
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    kt_csv_cell(stdout, text);
    free(text);
}

/* ROW of NULL: the names. */
static void print_line(const json_t *columns, const json_t *row)
{
    size_t i;
    json_t *path;
    json_array_foreach(columns, i, path)
    {
        if (i)
            putchar(',');
        if (row)
            print_value(row, path);
        else
            print_name(path);
    }
    putchar('\n');
}

void kt_field_csv(const struct kt_field *field, const json_t *rows)
{
    size_t i;
    json_t *row;
    json_t *root = json_array();
    json_t *columns = json_array();
    add_columns(field, rows, root, columns);
    print_line(columns, NULL);
    json_array_foreach(rows, i, row) print_line(columns, row);
    json_decref(columns);
    json_decref(root);
}
