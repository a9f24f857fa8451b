/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several stores as one, for shares that were measured where there was no common directory.
 */
#include "replay/store/store_merge.h"

#include "replay/store/store.h"
#include "trace/base/memory.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#define SETTINGS "INSERT OR IGNORE INTO main.setting (text) SELECT text FROM other.setting"
#define MAPPED   " JOIN other.setting o ON o.id = s.setting JOIN main.setting n ON n.text = o.text"
#define FACTS    "INSERT OR IGNORE INTO main.fact SELECT n.id, s.name, s.bytes FROM other.fact s" MAPPED

/* Of two series one stays: which came to an end, then with the larger budget, then the newer. Those that were measured
 * beside each other were written together, and agree in this. The setting is the first column. */
#define COLUMNS \
    "SELECT group_concat('s.' || name, ', ') FROM pragma_table_info('series', 'main') WHERE name <> 'setting'"
#define RANK(of) "(" of ".stop NOT IN ('not yet', 'interrupted'), " of ".budget, " of ".at)"
#define SERIES                                                                                                         \
    " FROM other.series s" MAPPED " LEFT JOIN main.series m ON m.setting = n.id AND m.shape = s.shape AND m.context =" \
    " s.context WHERE m.setting IS NULL OR " RANK("s") " > " RANK("m")

static enum kt_status fail(sqlite3 *database, const char *path, struct kt_error *error)
{
    return kt_fail(error, KT_BAD_INPUT, "%s: %s", path, sqlite3_errmsg(database));
}

static enum kt_status execute(sqlite3 *database, const char *sql, const char *path, struct kt_error *error)
{
    return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK ? KT_OK : fail(database, path, error);
}

/* What a statement yields first, as text; ARGUMENT may be NULL. NULL: nothing. To be freed. */
static char *ask(sqlite3 *database, const char *sql, const char *argument)
{
    sqlite3_stmt *statement = NULL;
    char *text = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        return NULL;
    if (argument)
        sqlite3_bind_text(statement, 1, argument, -1, SQLITE_STATIC);
    const char *found = sqlite3_step(statement) == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (found)
        text = kt_copy(found);
    sqlite3_finalize(statement);
    return text;
}

/* Another program's, or another version's, says something else of itself. */
static bool is_alike(sqlite3 *database, const char *pragma)
{
    char sql[2][64];
    char *text[2];
    static const char *const schema[] = {"main", "other"};
    for (int i = 0; i < 2; i++) {
        snprintf(sql[i], sizeof sql[i], "PRAGMA %s.%s", schema[i], pragma);
        text[i] = ask(database, sql[i], NULL);
    }
    bool alike = text[0] && text[1] && !strcmp(text[0], text[1]);
    free(text[0]);
    free(text[1]);
    return alike;
}

static enum kt_status take_series(sqlite3 *database, const char *path, struct kt_error *error)
{
    char *sql = NULL;
    char *columns = ask(database, COLUMNS, NULL);
    if (!columns)
        return fail(database, path, error);
    if (asprintf(&sql, "INSERT OR REPLACE INTO main.series SELECT n.id, %s%s", columns, SERIES) < 0)
        abort();
    enum kt_status status = execute(database, sql, path, error);
    free(sql);
    free(columns);
    return status;
}

static enum kt_status take_all(sqlite3 *database, const char *path, struct kt_error *error)
{
    if (!is_alike(database, "application_id") || !is_alike(database, "user_version"))
        return kt_fail(error, KT_BAD_INPUT, "%s: not a store of results of this version of ktrace", path);
    KT_TRY(execute(database, "BEGIN", path, error));
    KT_TRY(execute(database, SETTINGS, path, error));
    KT_TRY(take_series(database, path, error));
    KT_TRY(execute(database, FACTS, path, error));
    return execute(database, "COMMIT", path, error);
}

static enum kt_status take_store(sqlite3 *database, const char *path, struct kt_error *error)
{
    if (access(path, R_OK) != 0)
        return kt_fail(error, KT_BAD_INPUT, "%s: %s", path, strerror(errno));
    free(ask(database, "ATTACH ? AS other", path));
    enum kt_status status = take_all(database, path, error);
    sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL); /* after an error */
    sqlite3_exec(database, "DETACH other", NULL, NULL, NULL);
    return status;
}

/* Other people's files are data, and none of it is run. */
static enum kt_status open_output(const char *path, sqlite3 **out, struct kt_error *error)
{
    if (access(path, F_OK) == 0)
        return kt_fail(error, KT_USAGE, "%s: is there already; choose a new file with -o", path);
    struct kt_store *store = kt_store_open(path, error);
    if (!store)
        return error->status;
    kt_store_close(store);
    if (sqlite3_open_v2(path, out, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        return fail(*out, path, error);
    sqlite3_db_config(*out, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(*out, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(*out, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    return KT_OK;
}

enum kt_status kt_store_merge(char *const *path, size_t paths, const char *output, size_t *series,
                              struct kt_error *error)
{
    sqlite3 *database = NULL;
    enum kt_status status = open_output(output, &database, error);
    bool is_made = status == KT_OK;
    for (size_t i = 0; i < paths && status == KT_OK; i++)
        status = take_store(database, path[i], error);
    char *count = status == KT_OK ? ask(database, "SELECT count(*) FROM series", NULL) : NULL;
    *series = count ? strtoul(count, NULL, 10) : 0;
    free(count);
    sqlite3_close(database);
    if (is_made && status != KT_OK)
        unlink(output);
    return status;
}
