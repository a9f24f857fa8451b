/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A database of three tables: calls, operands (of call n), trace (what info says: keys, and values as JSON).
 */
#include "trace/export/export.h"
#include "trace/command/info_json.h"
#include "trace/base/memory.h"

#include <sqlite3.h>

static const struct kt_export_column operand_columns[] = {{.name = "call", .type = "INTEGER"},
                                                          {.name = "name", .type = "TEXT"},
                                                          {.name = "access", .type = "TEXT"},
                                                          {.name = "base", .type = "INTEGER"},
                                                          {.name = "lo", .type = "INTEGER"},
                                                          {.name = "hi", .type = "INTEGER"},
                                                          {.name = "rows", .type = "INTEGER"},
                                                          {.name = "cols", .type = "INTEGER"},
                                                          {.name = "ld", .type = "INTEGER"},
                                                          {.name = "elem", .type = "INTEGER"},
                                                          {0}};

static const struct kt_export_column trace_columns[] = {
    {.name = "key", .type = "TEXT PRIMARY KEY"}, {.name = "value", .type = "TEXT"}, {0}};

struct table {
    const char *name;
    const struct kt_export_column *column;
    sqlite3_stmt *insert;
};

struct database {
    sqlite3 *handle;
    struct table calls, operands, trace;
};

static enum kt_status failed(const struct database *db, struct kt_error *error)
{
    return kt_fail(error, KT_SYSTEM, "cannot be written: %s",
                   db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
}

static enum kt_status execute(const struct database *db, const char *sql, struct kt_error *error)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? KT_OK : failed(db, error);
}

static enum kt_status make_table(const struct database *db, struct table *table, struct kt_error *error)
{
    sqlite3_str *create = sqlite3_str_new(db->handle);
    sqlite3_str *insert = sqlite3_str_new(db->handle);
    sqlite3_str_appendf(create, "CREATE TABLE \"%w\" (", table->name);
    sqlite3_str_appendf(insert, "INSERT INTO \"%w\" VALUES (", table->name);
    for (const struct kt_export_column *c = table->column; c->name; c++) {
        const char *separator = c > table->column ? ", " : "";
        sqlite3_str_appendf(create, "%s\"%w\" %s", separator, c->name, c->type);
        sqlite3_str_appendf(insert, "%s?", separator);
    }
    sqlite3_str_appendall(create, ")");
    sqlite3_str_appendall(insert, ")");
    char *sql = sqlite3_str_finish(create);
    char *row = sqlite3_str_finish(insert);
    enum kt_status status = sql && row ? execute(db, sql, error) : failed(db, error);
    if (status == KT_OK && sqlite3_prepare_v2(db->handle, row, -1, &table->insert, NULL) != SQLITE_OK)
        status = failed(db, error);
    sqlite3_free(sql);
    sqlite3_free(row);
    return status;
}

static void bind(sqlite3_stmt *insert, int at, const json_t *value, const struct kt_export_column *column)
{
    if (!value || json_is_null(value)) {
        sqlite3_bind_null(insert, at);
    } else if (json_is_integer(value)) {
        sqlite3_bind_int64(insert, at, json_integer_value(value));
    } else if (json_is_real(value)) {
        sqlite3_bind_double(insert, at, json_real_value(value));
    } else if (json_is_boolean(value)) {
        sqlite3_bind_int(insert, at, json_is_true(value));
    } else if (json_is_string(value) && *column->type == 'I') {
        sqlite3_bind_int64(insert, at, (sqlite3_int64)strtoull(json_string_value(value), NULL, 0));
    } else {
        char *text = kt_export_text(value);
        sqlite3_bind_text(insert, at, text, -1, SQLITE_TRANSIENT);
        free(text);
    }
}

static enum kt_status add_row(const struct database *db, const struct table *table, const json_t *row,
                              struct kt_error *error)
{
    int at = 1;
    for (const struct kt_export_column *c = table->column; c->name; c++)
        bind(table->insert, at++, kt_export_value(row, c), c);
    bool done = sqlite3_step(table->insert) == SQLITE_DONE;
    return sqlite3_reset(table->insert) == SQLITE_OK && done ? KT_OK : failed(db, error);
}

static enum kt_status add_call(const struct database *db, const json_t *call, struct kt_error *error)
{
    size_t i;
    json_t *operand;
    KT_TRY(add_row(db, &db->calls, call, error));
    json_array_foreach(json_object_get(call, "operands"), i, operand)
    {
        json_object_set(operand, "call", json_object_get(call, "n"));
        KT_TRY(add_row(db, &db->operands, operand, error));
    }
    return KT_OK;
}

static enum kt_status add_calls(const struct database *db, struct kt_export_calls *calls, struct kt_error *error)
{
    struct kt_call call;
    enum kt_status status = KT_OK;
    kt_export_begin(calls);
    while (status == KT_OK && kt_export_next(calls, &call)) {
        json_t *object = kt_export_call(calls, &call);
        status = add_call(db, object, error);
        json_decref(object);
    }
    return status;
}

static enum kt_status add_info(const struct database *db, const struct kt_trace *trace, struct kt_error *error)
{
    const char *key;
    json_t *value;
    enum kt_status status = KT_OK;
    json_t *info = kt_info_json(trace);
    json_object_foreach(info, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        json_t *row = json_pack("{s:s, s:s}", "key", key, "value", text);
        if (status == KT_OK)
            status = add_row(db, &db->trace, row, error);
        json_decref(row);
        free(text);
    }
    json_decref(info);
    return status;
}

/* The file is new and nobody else's: it needs no journal. */
static enum kt_status fill(struct database *db, struct kt_export_calls *calls, struct kt_error *error)
{
    KT_TRY(execute(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", error));
    KT_TRY(make_table(db, &db->calls, error));
    KT_TRY(make_table(db, &db->operands, error));
    KT_TRY(make_table(db, &db->trace, error));
    KT_TRY(add_calls(db, calls, error));
    KT_TRY(add_info(db, calls->trace, error));
    return execute(db, "CREATE INDEX operands_of ON operands (call); COMMIT", error);
}

enum kt_status kt_export_sqlite(struct kt_export_calls *calls, const char *path, struct kt_error *error)
{
    struct database db = {.calls = {.name = "calls", .column = kt_export_columns},
                          .operands = {.name = "operands", .column = operand_columns},
                          .trace = {.name = "trace", .column = trace_columns}};
    const int flags = SQLITE_OPEN_READWRITE;
    enum kt_status status =
        sqlite3_open_v2(path, &db.handle, flags, NULL) == SQLITE_OK ? fill(&db, calls, error) : failed(&db, error);
    sqlite3_finalize(db.calls.insert);
    sqlite3_finalize(db.operands.insert);
    sqlite3_finalize(db.trace.insert);
    sqlite3_close(db.handle);
    return status;
}
