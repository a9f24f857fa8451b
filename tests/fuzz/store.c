/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores of results. An input is either a database as it is in a file, or what is in the cells of one: of a series, and
 * of the facts that replay, compare and the checks of results keep, as records of
 *
 *     place type bytes16 contents
 *
 * The database is in memory: sqlite3_open_v2 is wrapped (-Wl,--wrap). That of inputs of the second kind stays, and so
 * do the statements that readers prepare for it, which would take most of the time.
 */
#include "replay/store/store.h"

#include "replay/result/bound.h"
#include "replay/flush/eviction.h"
#include "replay/right/right_store.h"
#include "replay/setup/known_placements.h"
#include "replay/measure/worker.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"
#include "trace/base/memory.h"

#include <sqlite3.h>
#include <stdio.h>

static const char magic[] = "SQLite format 3";
static const struct kt_store_key key = {"s", "h", "c"};

enum { SHAPES = 3 };

/* Columns of a series, then facts. */
#define COLUMNS(X) X(stop) X(budget) X(at) X(failure) X(plain) X(sample) X(visit) X(round) X(whole) X(left)
#define FACTS(X)   X(hello) X(hierarchy) X(peaks) X(placements) X(result) X(first)

#define ENUM_COLUMN(name) COLUMN_##name,
#define ENUM_FACT(name)   FACT_##name,
enum { COLUMNS(ENUM_COLUMN) FACTS(ENUM_FACT) PLACES };
#define NAME_OF(name) #name,
static const char *const name_of[] = {COLUMNS(NAME_OF) FACTS(NAME_OF)};

static sqlite3 *database; /* that was opened last */
static const uint8_t *image;
static size_t image_bytes;

int __real_sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs);
int __wrap_sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs);

int __wrap_sqlite3_open_v2(const char *path, sqlite3 **out, int flags, const char *vfs)
{
    enum { FLAGS = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE };
    (void)path;
    int status = __real_sqlite3_open_v2(":memory:", out, flags, vfs);
    database = *out;
    if (status == SQLITE_OK && image) {
        const sqlite3_int64 bytes = (sqlite3_int64)image_bytes;
        unsigned char *copy = sqlite3_malloc64(image_bytes + 1);
        memcpy(copy, image, image_bytes);
        status = sqlite3_deserialize(*out, "main", copy, bytes, bytes, FLAGS);
    }
    return status;
}

/* --- statements that stay ---------------------------------------------------------------------------------- */

enum { MOST_KEPT = 16 };

static struct {
    char *text;
    sqlite3_stmt *statement;
} kept[MOST_KEPT];
static size_t statements;
static bool keeping; /* the database of cells is in use */

int __real_sqlite3_prepare_v2(sqlite3 *of, const char *sql, int bytes, sqlite3_stmt **out, const char **tail);
int __wrap_sqlite3_prepare_v2(sqlite3 *of, const char *sql, int bytes, sqlite3_stmt **out, const char **tail);
int __real_sqlite3_finalize(sqlite3_stmt *statement);
int __wrap_sqlite3_finalize(sqlite3_stmt *statement);

int __wrap_sqlite3_prepare_v2(sqlite3 *of, const char *sql, int bytes, sqlite3_stmt **out, const char **tail)
{
    for (size_t i = 0; keeping && i < statements; i++)
        if (!strcmp(kept[i].text, sql)) {
            *out = kept[i].statement;
            return SQLITE_OK;
        }
    int status = __real_sqlite3_prepare_v2(of, sql, bytes, out, tail);
    if (keeping && status == SQLITE_OK && statements < MOST_KEPT) {
        kept[statements].text = kt_copy(sql);
        kept[statements++].statement = *out;
    }
    return status;
}

int __wrap_sqlite3_finalize(sqlite3_stmt *statement)
{
    for (size_t i = 0; statement && i < statements; i++)
        if (kept[i].statement == statement) {
            sqlite3_clear_bindings(statement);
            return sqlite3_reset(statement);
        }
    return __real_sqlite3_finalize(statement);
}

/* --- what is in it ----------------------------------------------------------------------------------------- */

static void bind(sqlite3_stmt *statement, int at, unsigned type, const uint8_t *bytes, size_t size)
{
    double real = 0;
    int64_t integer = 0;
    memcpy(&real, bytes, size < sizeof real ? size : sizeof real);
    memcpy(&integer, bytes, size < sizeof integer ? size : sizeof integer);
    if (type == SQLITE_TEXT)
        sqlite3_bind_text(statement, at, (const char *)bytes, (int)size, SQLITE_STATIC);
    else if (type == SQLITE_FLOAT)
        sqlite3_bind_double(statement, at, real);
    else if (type == SQLITE_INTEGER)
        sqlite3_bind_int64(statement, at, integer);
    else if (type == SQLITE_BLOB)
        sqlite3_bind_blob(statement, at, bytes, (int)size, SQLITE_STATIC);
}

static void run(sqlite3_stmt *statement)
{
    if (sqlite3_step(statement) != SQLITE_DONE)
        abort();
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

/* Statements are prepared once, for the database of inputs that are no database. */
static sqlite3_stmt *insert_series, *insert_fact, *delete_facts;

static struct kt_store *open_cells(void)
{
    struct kt_error error = {0};
    static const char setting[] = "INSERT INTO setting VALUES (1, 's')";
    static const char series[] = "INSERT OR REPLACE INTO series VALUES (1, 'h', 'c', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    static const char fact[] = "INSERT OR REPLACE INTO fact VALUES (1, ?, ?)";
    struct kt_store *store = kt_store_open("memory", &error);
    if (!store || sqlite3_exec(database, setting, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database, series, -1, &insert_series, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database, fact, -1, &insert_fact, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database, "DELETE FROM fact", -1, &delete_facts, NULL) != SQLITE_OK)
        abort();
    return store;
}

static void fill(const uint8_t *data, size_t size)
{
    run(delete_facts);
    while (size >= 4) {
        unsigned place = data[0] % PLACES;
        size_t bytes = (size_t)data[2] | (size_t)data[3] << 8;
        bytes = bytes < size - 4 ? bytes : size - 4;
        if (place < FACT_hello) {
            bind(insert_series, 1 + (int)place, data[1], data + 4, bytes);
        } else {
            sqlite3_bind_text(insert_fact, 1, name_of[place], -1, SQLITE_STATIC);
            bind(insert_fact, 2, data[1], data + 4, bytes);
            run(insert_fact);
        }
        data += 4 + bytes;
        size -= 4 + bytes;
    }
    run(insert_series);
}

/* --- what readers make of it ------------------------------------------------------------------------------- */

static void read_series(struct kt_store *store)
{
    struct kt_error error = {0};
    struct kt_series series = {0};
    struct kt_store_note note = {0};
    struct kt_disturbances all = {0};
    bool found;
    if (kt_store_read(store, &key, &series, &note, &found, &error) == KT_OK && found) {
        volatile double sum = kt_series_visits(&series).median + note.budget + (double)(int64_t)note.at;
        sum += series.absent + kt_disturbances_clock(&series.disturbances);
        kt_disturbances_merge(&all, &series.disturbances);
        kt_series_add(&series, 1, (const double[]){1}, 1);
        kt_series_leave_out(&series, (const double[]){1, 2}, 1, 2);
        kt_series_take_in(&series);
        (void)sum;
        if (note.stop > KT_STOP_NOTHING)
            abort();
        free(note.failure);
    }
    kt_series_forget(&series);
}

static void read_machine(struct kt_store *store)
{
    static const struct kt_caches caches = {.cache = {{32768, 1}, {1 << 20, 1}, {1 << 25, 2}}, .count = 3, .line = 64};
    static const struct kt_work work = {.flops = 1e6, .read = 1e5, .written = 1e4, .footprint = 1e5};
    struct kt_hello hello;
    struct kt_hierarchy hierarchy;
    struct kt_peaks peaks;
    volatile double sum = 0;
    if (kt_store_fact(store, key.setting, "hello", &hello, sizeof hello) && kt_hello_is_sound(&hello))
        sum += (double)strlen(hello.version);
    if (kt_store_fact(store, key.setting, "hierarchy", &hierarchy, sizeof hierarchy) &&
        kt_hierarchy_is_sound(&hierarchy, &caches))
        for (unsigned i = 0; i < hierarchy.caches.count; i++)
            sum += (double)strlen(hierarchy.sweep[i].doubt) + 1.0 / hierarchy.caches.cache[i].shared;
    if (kt_store_fact(store, key.setting, "peaks", &peaks, sizeof peaks) && kt_peaks_are_sound(&peaks)) {
        kt_peaks_raise(&peaks, &peaks);
        sum += kt_bound_warm(&peaks, &work).seconds + kt_bound_cold(&peaks, &work).seconds + peaks.probed;
    }
    (void)sum;
}

static void read_others(struct kt_store *store)
{
    struct kt_placements_of_shape placed[SHAPES] = {0};
    struct kt_rightness right = {0};
    double first[SHAPES];
    size_t size = 0;
    void *bytes = kt_store_bytes(store, key.setting, "placements", &size);
    if (bytes && kt_placements_unpack(bytes, size, SHAPES, placed))
        for (int i = 0; i < SHAPES; i++)
            for (unsigned p = 0; p < placed[i].count; p++)
                if (!(placed[i].placement[p].weight > 0))
                    abort();
    free(bytes);
    if (kt_rightness_read(store, key.setting, "result", false, &right) && right.verdict == KT_RESULT_WRONG)
        abort();
    free(right.what);
    kt_store_fact(store, key.setting, "first", first, sizeof first);
}

static void read_all(struct kt_store *store)
{
    struct kt_error error = {0};
    if (kt_store_begin(store, false, &error) != KT_OK)
        return;
    read_series(store);
    read_machine(store);
    read_others(store);
    kt_store_commit(store, &error);
}

static void write_some(struct kt_store *store)
{
    struct kt_error error = {0};
    struct kt_series series = {0};
    struct kt_store_note note = {.stop = KT_STOP_CONVERGED, .budget = 1, .at = 1e9};
    kt_series_add(&series, 0, (const double[]){1}, 1);
    if (kt_store_begin(store, true, &error) == KT_OK) {
        if (kt_store_write(store, &key, &series, &note, false, &error) == KT_OK)
            kt_store_set_fact(store, "other", "fact", "x", 1, &error);
        kt_store_commit(store, &error);
    }
    kt_series_forget(&series);
}

/* --- inputs ------------------------------------------------------------------------------------------------ */

static struct kt_store *cells;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    cells = open_cells();
    return 0;
}

static void read_image(const uint8_t *data, size_t size)
{
    enum { MOST_BYTES = 1 << 18 };
    struct kt_error error = {0};
    if (size > MOST_BYTES)
        return;
    sqlite3 *of_cells = database;
    image = data;
    image_bytes = size;
    struct kt_store *store = kt_store_open("memory", &error);
    image = NULL;
    if (store) {
        read_all(store);
        write_some(store);
    } else if (!*error.text || strchr(error.text, '\n'))
        abort();
    kt_store_close(store);
    database = of_cells;
}

static bool is_image(const uint8_t *data, size_t size)
{
    return size >= sizeof magic && !memcmp(data, magic, sizeof magic);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (is_image(data, size)) {
        read_image(data, size);
    } else {
        fill(data, size);
        keeping = true;
        read_all(cells);
        keeping = false;
    }
    return 0;
}

/* The lengths of records stay. */
static size_t change_record(uint8_t *data, size_t size, uint64_t *random)
{
    size_t at = 0;
    uint64_t value = kt_mutate_limit(random);
    for (uint64_t records = kt_draw(random, PLACES); records > 0; records--) {
        size_t next = at + 4 + ((size_t)data[at + 2] | (size_t)data[at + 3] << 8);
        if (next + 4 >= size)
            break;
        at = next;
    }
    size_t bytes = (size_t)data[at + 2] | (size_t)data[at + 3] << 8;
    bytes = bytes < size - at - 4 ? bytes : size - at - 4;
    if (kt_draw(random, 10) == 0)
        data[at + 1] = (uint8_t)kt_draw(random, 6); /* its type */
    else if (bytes >= 8 && kt_draw(random, 2))
        memcpy(data + at + 4 + kt_draw(random, bytes / 4 - 1) * 4, &value, kt_draw(random, 2) ? 4 : 8);
    else if (bytes)
        data[at + 4 + kt_draw(random, bytes)] = (uint8_t)kt_draw(random, 256);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u | 1;
    if (size < 8 || is_image(data, size) || kt_draw(&random, 6) == 0)
        return LLVMFuzzerMutate(data, size, room);
    return change_record(data, size, &random);
}
