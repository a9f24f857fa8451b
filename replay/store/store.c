/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three tables: settings, whose text is long and the same for thousands of series; series; facts of a setting. Arrays
 * are stored as they are in memory: the key says which machine they are from.
 */
#include "replay/store/store.h"

#include "trace/base/memory.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

enum {
    SCHEMA = 2,
    APPLICATION = 0x4b547263 /* KTrc */,
    PATIENCE_MS = 1000,
    LONG_PATIENCE_MS = 60000,
    MOST_CELL = 64 << 20
};

/* Beyond this the older half is dropped. */
static const int64_t most_bytes = INT64_C(256) << 20;

/* The arrays of a series: name, and the field that counts its elements. */
#define SERIES_ARRAYS(X) \
    X(sample, samples)   \
    X(visit, visits)     \
    X(round, visits)     \
    X(whole, visits)     \
    X(left, lefts)

/* The columns of the statements begin with these; arrays follow. PLAIN is the structure itself, for what it may hold
 * besides its arrays. */
enum { COLUMN_STOP, COLUMN_BUDGET, COLUMN_AT, COLUMN_FAILURE, COLUMN_PLAIN, COLUMN_ARRAYS };
enum {
    BIND_SETTING = 1,
    BIND_SHAPE,
    BIND_CONTEXT,
    BIND_STOP,
    BIND_BUDGET,
    BIND_AT,
    BIND_FAILURE,
    BIND_PLAIN,
    BIND_ARRAYS
};

struct kt_store {
    sqlite3 *database;
    char *path;
    sqlite3_stmt *read, *write, *replace;
    bool failed; /* within the transaction */
};

#define NAME_ARRAY(name, count)    ", " #name
#define DECLARE_ARRAY(name, count) ", " #name " BLOB"
#define MARK_ARRAY(name, count)    ", ?"
#define UPDATE_ARRAY(name, count)  ", " #name " = excluded." #name

#define ARRAY_NAMES        SERIES_ARRAYS(NAME_ARRAY)
#define ARRAY_DECLARATIONS SERIES_ARRAYS(DECLARE_ARRAY)
#define ARRAY_MARKS        SERIES_ARRAYS(MARK_ARRAY)
#define ARRAY_UPDATES      SERIES_ARRAYS(UPDATE_ARRAY)

#define SETTINGS "CREATE TABLE setting (id INTEGER PRIMARY KEY, text TEXT UNIQUE NOT NULL);"
#define SERIES   "CREATE TABLE series (setting INTEGER NOT NULL, shape TEXT NOT NULL, context TEXT NOT NULL,"
#define NOTES    " stop TEXT, budget REAL, at REAL, failure TEXT, plain BLOB" ARRAY_DECLARATIONS ","
#define KEY      " PRIMARY KEY (setting, shape, context));"
#define FACTS \
    "CREATE TABLE fact (setting INTEGER NOT NULL, name TEXT NOT NULL, bytes BLOB, PRIMARY KEY (setting, name));"

#define INSERT_COLUMNS "INSERT INTO series (setting, shape, context, stop, budget, at, failure, plain" ARRAY_NAMES ")"
#define INSERT_VALUES  " VALUES ((SELECT id FROM setting WHERE text = ?), ?, ?, ?, ?, ?, ?, ?" ARRAY_MARKS ")"
#define ON_CONFLICT    " ON CONFLICT DO UPDATE SET stop = excluded.stop, budget = excluded.budget, at = excluded.at,"
#define MORE_UPDATES   " failure = excluded.failure, plain = excluded.plain" ARRAY_UPDATES
#define WRITE_TEXT     INSERT_COLUMNS INSERT_VALUES ON_CONFLICT MORE_UPDATES

#define SELECT_COLUMNS "SELECT stop, budget, at, failure, plain" ARRAY_NAMES " FROM series"
#define WHERE_KEY      " WHERE setting = (SELECT id FROM setting WHERE text = ?) AND shape = ? AND context = ?"

static const char schema[] = SETTINGS SERIES NOTES KEY FACTS;
static const char read_text[] = SELECT_COLUMNS WHERE_KEY;
static const char replace_text[] = WRITE_TEXT;
static const char write_text[] = WRITE_TEXT " WHERE length(excluded.sample) >= length(series.sample)";

/* --- SQL --------------------------------------------------------------------------------------------------- */

static enum kt_status fail(struct kt_store *store, struct kt_error *error)
{
    store->failed = true;
    return kt_fail(error, KT_SYSTEM, "%s: %s", store->path,
                   store->database ? sqlite3_errmsg(store->database) : "out of memory");
}

static enum kt_status execute(struct kt_store *store, const char *sql, struct kt_error *error)
{
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK ? KT_OK : fail(store, error);
}

static enum kt_status prepare(struct kt_store *store, const char *sql, sqlite3_stmt **out, struct kt_error *error)
{
    bool done = sqlite3_prepare_v2(store->database, sql, -1, out, NULL) == SQLITE_OK;
    return done ? KT_OK : fail(store, error);
}

/* Runs a statement that yields nothing. */
static enum kt_status finish(struct kt_store *store, sqlite3_stmt *statement, struct kt_error *error)
{
    enum kt_status status = sqlite3_step(statement) == SQLITE_DONE ? KT_OK : fail(store, error);
    sqlite3_reset(statement);
    return status;
}

/* The number that a statement yields. */
static enum kt_status ask(struct kt_store *store, const char *sql, int64_t *out, struct kt_error *error)
{
    sqlite3_stmt *statement = NULL;
    KT_TRY(prepare(store, sql, &statement, error));
    bool found = sqlite3_step(statement) == SQLITE_ROW;
    if (found)
        *out = sqlite3_column_int64(statement, 0);
    enum kt_status status = found ? KT_OK : fail(store, error);
    sqlite3_finalize(statement);
    return status;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

/* --- opening ----------------------------------------------------------------------------------------------- */

enum kt_status kt_store_default_path(char *out, size_t size, struct kt_error *error)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    bool has_cache = cache && *cache == '/';
    if (!has_cache && !(home && *home == '/'))
        return kt_fail(error, KT_SYSTEM, "neither HOME nor XDG_CACHE_HOME names a directory");
    snprintf(out, size, "%s%s/ktrace/store.sqlite", has_cache ? cache : home, has_cache ? "" : "/.cache");
    return KT_OK;
}

/* As the XDG specification wants them: for the user alone. */
static void make_directories(const char *path)
{
    char *copy = kt_copy(path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0700);
        *slash = '/';
    }
    free(copy);
}

/* A database of something else is left alone, one of another version of this program begun anew. */
static enum kt_status make_tables(struct kt_store *store, struct kt_error *error)
{
    char text[64];
    int64_t application = 0;
    int64_t version = 0;
    int64_t tables = 0;
    KT_TRY(ask(store, "PRAGMA application_id", &application, error));
    KT_TRY(ask(store, "PRAGMA user_version", &version, error));
    KT_TRY(ask(store, "SELECT count(*) FROM sqlite_master", &tables, error));
    if (tables && application != APPLICATION)
        return kt_fail(error, KT_BAD_INPUT, "%s: a database of something else than ktrace", store->path);
    if (tables && version == SCHEMA)
        return KT_OK;
    if (version > SCHEMA)
        return kt_fail(error, KT_BAD_INPUT, "%s: from a newer ktrace", store->path);
    if (tables)
        KT_TRY(execute(store, "DROP TABLE setting; DROP TABLE series; DROP TABLE fact", error));
    KT_TRY(execute(store, schema, error));
    snprintf(text, sizeof text, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, SCHEMA);
    return execute(store, text, error);
}

/* Somebody else may have made the file: what is in it is data, and none of it is run. */
static void distrust(sqlite3 *database)
{
    sqlite3_busy_timeout(database, PATIENCE_MS);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, MOST_CELL);
}

static enum kt_status open_database(struct kt_store *store, struct kt_error *error)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    make_directories(store->path);
    if (sqlite3_open_v2(store->path, &store->database, flags, NULL) != SQLITE_OK)
        return fail(store, error);
    distrust(store->database);
    bool writing = sqlite3_db_readonly(store->database, "main") == 0;
    KT_TRY(execute(store, writing ? "BEGIN IMMEDIATE" : "BEGIN", error));
    KT_TRY(make_tables(store, error));
    KT_TRY(execute(store, "COMMIT", error));
    KT_TRY(prepare(store, read_text, &store->read, error));
    KT_TRY(prepare(store, write_text, &store->write, error));
    KT_TRY(prepare(store, replace_text, &store->replace, error));
    store->failed = false;
    return KT_OK;
}

struct kt_store *kt_store_open(const char *path, struct kt_error *error)
{
    struct kt_store *store = kt_resize(NULL, 1, sizeof *store);
    *store = (struct kt_store){.path = kt_copy(path)};
    if (open_database(store, error) == KT_OK)
        return store;
    kt_store_close(store);
    return NULL;
}

void kt_store_be_patient(struct kt_store *store)
{
    sqlite3_busy_timeout(store->database, LONG_PATIENCE_MS);
}

void kt_store_close(struct kt_store *store)
{
    if (!store)
        return;
    sqlite3_finalize(store->read);
    sqlite3_finalize(store->write);
    sqlite3_finalize(store->replace);
    sqlite3_close(store->database);
    free(store->path);
    free(store);
}

/* --- transactions ------------------------------------------------------------------------------------------ */

enum kt_status kt_store_begin(struct kt_store *store, bool writing, struct kt_error *error)
{
    store->failed = false;
    return execute(store, writing ? "BEGIN IMMEDIATE" : "BEGIN", error);
}

static enum kt_status limit_size(struct kt_store *store, struct kt_error *error)
{
    int64_t pages = 0;
    int64_t page = 0;
    KT_TRY(ask(store, "PRAGMA page_count", &pages, error));
    KT_TRY(ask(store, "PRAGMA page_size", &page, error));
    int64_t unused = 0;
    KT_TRY(ask(store, "PRAGMA freelist_count", &unused, error));
    bool writes = sqlite3_txn_state(store->database, NULL) == SQLITE_TXN_WRITE;
    if (!writes || (pages - unused) * page <= most_bytes)
        return KT_OK;
    return execute(store,
                   "DELETE FROM fact WHERE name GLOB 'placements *' OR name GLOB 'result *'; DELETE FROM series WHERE"
                   " rowid IN (SELECT rowid FROM series ORDER BY at LIMIT (SELECT count(*) / 2 FROM series));"
                   " DELETE FROM setting WHERE id NOT IN (SELECT setting FROM series UNION SELECT setting FROM fact)",
                   error);
}

enum kt_status kt_store_commit(struct kt_store *store, struct kt_error *error)
{
    if (!store->failed && limit_size(store, error) == KT_OK && execute(store, "COMMIT", error) == KT_OK)
        return KT_OK;
    sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    return KT_SYSTEM;
}

/* --- series ------------------------------------------------------------------------------------------------ */

static void bind_key(sqlite3_stmt *statement, const struct kt_store_key *key)
{
    bind_text(statement, BIND_SETTING, key->setting);
    bind_text(statement, BIND_SHAPE, key->shape);
    bind_text(statement, BIND_CONTEXT, key->context);
}

static const size_t unknown = SIZE_MAX;

/* The bytes in a column; NULL, and none, if what is there is something else. */
static const void *bytes_in(sqlite3_stmt *statement, int column, size_t *size)
{
    bool is_blob = sqlite3_column_type(statement, column) == SQLITE_BLOB;
    const void *bytes = is_blob ? sqlite3_column_blob(statement, column) : NULL;
    *size = bytes ? (size_t)sqlite3_column_bytes(statement, column) : 0;
    return bytes;
}

/* A copy of the array in a column; *COUNT is what all arrays of that count must have. */
static void *take_array(sqlite3_stmt *statement, int column, size_t bytes, size_t *count, bool *sound)
{
    size_t size;
    const void *from = bytes_in(statement, column, &size);
    size_t elements = size / bytes;
    *sound = *sound && size % bytes == 0 && (*count == unknown || *count == elements);
    *count = elements;
    return kt_copy_of_array(from, elements, bytes);
}

static bool are_times(const double *seconds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(seconds[i]) || seconds[i] < 0)
            return false;
    return true;
}

/* Who draws rounds at random has an array of as many. */
static bool are_rounds(const unsigned *round, size_t count)
{
    enum { MOST_ROUNDS = 1 << 20 };
    for (size_t i = 0; i < count; i++)
        if (round[i] >= MOST_ROUNDS)
            return false;
    return true;
}

static void drop_series(struct kt_series *series)
{
#define FREE_ARRAY(name, count) free(series->name);
    SERIES_ARRAYS(FREE_ARRAY)
#undef FREE_ARRAY
    *series = (struct kt_series){0};
}

/* A byte that is neither 0 nor 1 is no bool. */
static void take_plain(const void *plain, struct kt_series *out)
{
    unsigned char absent;
    memcpy(out, plain, sizeof *out);
    memcpy(&absent, (const char *)plain + offsetof(struct kt_series, absent), sizeof absent);
    out->absent = absent == 1;
    out->enough = false;
}

static bool take_series(sqlite3_stmt *statement, struct kt_series *out)
{
    size_t size;
    const void *plain = bytes_in(statement, COLUMN_PLAIN, &size);
    bool sound = size == sizeof *out;
    int column = COLUMN_ARRAYS;
    if (sound)
        take_plain(plain, out);
#define FORGET_COUNT(name, count) out->count = unknown;
    SERIES_ARRAYS(FORGET_COUNT)
#undef FORGET_COUNT
#define TAKE_ARRAY(name, count) out->name = take_array(statement, column++, sizeof *out->name, &out->count, &sound);
    SERIES_ARRAYS(TAKE_ARRAY)
#undef TAKE_ARRAY
    sound = sound && are_times(out->sample, out->samples) && are_times(out->visit, out->visits) &&
            are_times(out->whole, out->visits) && are_times(out->left, out->lefts) &&
            are_rounds(out->round, out->visits) && (out->samples > 0) == (out->visits > 0);
    if (!sound)
        drop_series(out);
    return sound;
}

static bool stop_of(const char *text, enum kt_stop *out)
{
#define TRY_STOP(name, value)           \
    if (text && !strcmp(text, value)) { \
        *out = KT_STOP_##name;          \
        return true;                    \
    }
    KT_STOPS(TRY_STOP)
#undef TRY_STOP
    return false;
}

/* Seconds since 1970 are those of a year with four digits. */
static bool are_possible(const struct kt_store_note *note)
{
    static const double year_10000 = 253402300800;
    return isfinite(note->budget) && note->at >= 0 && note->at < year_10000;
}

static bool take_record(sqlite3_stmt *statement, struct kt_series *series, struct kt_store_note *note)
{
    const char *failure = (const char *)sqlite3_column_text(statement, COLUMN_FAILURE);
    *note = (struct kt_store_note){.budget = sqlite3_column_double(statement, COLUMN_BUDGET),
                                   .at = sqlite3_column_double(statement, COLUMN_AT)};
    if (!stop_of((const char *)sqlite3_column_text(statement, COLUMN_STOP), &note->stop) || !are_possible(note) ||
        !take_series(statement, series))
        return false;
    note->failure = failure ? kt_copy(failure) : NULL;
    return true;
}

enum kt_status kt_store_read(struct kt_store *store, const struct kt_store_key *key, struct kt_series *series,
                             struct kt_store_note *note, bool *found, struct kt_error *error)
{
    sqlite3_stmt *statement = store->read;
    bind_key(statement, key);
    int step = sqlite3_step(statement);
    *found = step == SQLITE_ROW && take_record(statement, series, note);
    enum kt_status status = step == SQLITE_ROW || step == SQLITE_DONE ? KT_OK : fail(store, error);
    sqlite3_reset(statement);
    return status;
}

static enum kt_status add_setting(struct kt_store *store, const char *text, struct kt_error *error)
{
    sqlite3_stmt *statement = NULL;
    KT_TRY(prepare(store, "INSERT OR IGNORE INTO setting (text) VALUES (?)", &statement, error));
    bind_text(statement, 1, text);
    enum kt_status status = finish(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

enum kt_status kt_store_write(struct kt_store *store, const struct kt_store_key *key, const struct kt_series *series,
                              const struct kt_store_note *note, bool replace, struct kt_error *error)
{
    sqlite3_stmt *statement = replace ? store->replace : store->write;
    int at = BIND_ARRAYS;
    KT_TRY(add_setting(store, key->setting, error));
    bind_key(statement, key);
    bind_text(statement, BIND_STOP, kt_stop_text[note->stop]);
    sqlite3_bind_double(statement, BIND_BUDGET, note->budget);
    sqlite3_bind_double(statement, BIND_AT, note->at);
    bind_text(statement, BIND_FAILURE, note->failure);
    sqlite3_bind_blob(statement, BIND_PLAIN, series, sizeof *series, SQLITE_STATIC);
#define BIND_ARRAY(name, count)                                                          \
    sqlite3_bind_blob64(statement, at++, series->name ? (const void *)series->name : "", \
                        series->count * sizeof *series->name, SQLITE_STATIC);
    SERIES_ARRAYS(BIND_ARRAY)
#undef BIND_ARRAY
    return finish(store, statement, error);
}

/* --- facts ------------------------------------------------------------------------------------------------- */

void *kt_store_bytes(struct kt_store *store, const char *setting, const char *name, size_t *size)
{
    sqlite3_stmt *statement = NULL;
    struct kt_error ignored = {0};
    void *bytes = NULL;
    static const char sql[] =
        "SELECT bytes FROM fact WHERE setting = (SELECT id FROM setting WHERE text = ?) AND name = ?";
    if (prepare(store, sql, &statement, &ignored) != KT_OK)
        return NULL;
    bind_text(statement, 1, setting);
    bind_text(statement, 2, name);
    const void *found = sqlite3_step(statement) == SQLITE_ROW ? bytes_in(statement, 0, size) : NULL;
    if (found)
        bytes = memcpy(kt_resize(NULL, *size, 1), found, *size);
    sqlite3_finalize(statement);
    return bytes;
}

bool kt_store_fact(struct kt_store *store, const char *setting, const char *name, void *out, size_t size)
{
    size_t found = 0;
    void *bytes = kt_store_bytes(store, setting, name, &found);
    bool known = bytes && found == size;
    if (known)
        memcpy(out, bytes, size);
    free(bytes);
    return known;
}

enum kt_status kt_store_set_fact(struct kt_store *store, const char *setting, const char *name, const void *bytes,
                                 size_t size, struct kt_error *error)
{
    sqlite3_stmt *statement = NULL;
    static const char sql[] =
        "INSERT OR REPLACE INTO fact (setting, name, bytes) VALUES ((SELECT id FROM setting WHERE text = ?), ?, ?)";
    KT_TRY(add_setting(store, setting, error));
    KT_TRY(prepare(store, sql, &statement, error));
    bind_text(statement, 1, setting);
    bind_text(statement, 2, name);
    sqlite3_bind_blob64(statement, 3, bytes, size, SQLITE_STATIC);
    enum kt_status status = finish(store, statement, error);
    sqlite3_finalize(statement);
    return status;
}

size_t kt_store_count_others(struct kt_store *store, const char *setting, const char *name)
{
    sqlite3_stmt *statement = NULL;
    struct kt_error ignored = {0};
    static const char sql[] = "SELECT count(*) FROM fact JOIN setting ON setting.id = fact.setting"
                              " WHERE fact.name = ? AND setting.text <> ?";
    if (prepare(store, sql, &statement, &ignored) != KT_OK)
        return 0;
    bind_text(statement, 1, name);
    bind_text(statement, 2, setting);
    size_t count = sqlite3_step(statement) == SQLITE_ROW ? (size_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return count;
}
