/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/profile_table.h"

#include "preload/apart.h"
#include "preload/disk.h"
#include "preload/file_path.h"
#include "preload/plan.h"
#include "preload/profile_memory.h"
#include "preload/slow.h"
#include "preload/system.h"
#include "preload/thread.h"
#include "preload/ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    STEP = 8 << 10,         /* what tables begin with and grow by, at least */
    TABLE_MEMORY = 8 << 10, /* struct kt_table, with its first index */
    FIRST_SLOTS = 256,      /* of the index */
    MOST_THREADS = 2048,    /* that have a cell of their own after their end */
    NESTINGS = 3,
    OVERFLOW_PLACES = KT_PLANS * NESTINGS
};

__thread struct kt_table *kt_table;
struct kt_profile_head *kt_overflow;

/* Changed within slow paths. */
static struct {
    struct kt_table *first; /* of all tables */
    uint64_t threads;       /* that have made calls */
    unsigned thread_cells;
    size_t overflow_used;
    bool overflow_in_memory;
} process;

/* Places of overflow cells, by entry and nesting; in memory that is only there where it is used. */
static _Atomic uint32_t *overflow_places;

/* Of threads without a table. */
static struct kt_profile_head no_head;

/* --- memory ------------------------------------------------------------------------------------------------------ */

static bool make_overflow_places(void)
{
    enum { BYTES = OVERFLOW_PLACES * sizeof *overflow_places };
    if (overflow_places)
        return true;
    void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED)
        overflow_places = at;
    return at != MAP_FAILED;
}

/* --- files ------------------------------------------------------------------------------------------------------- */

static void table_path(const struct kt_table *t, char out[PATH_MAX])
{
    kt_file_path(out, "s", t->tid, t->suffix);
}

static int make_file(struct kt_table *t)
{
    static char path[PATH_MAX]; /* within a slow path: one at a time */
    for (t->suffix = 0; t->suffix < 1 << 20; t->suffix++) {
        table_path(t, path);
        int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/*
 * Forked children do not get the mapping: whatever becomes of them, they cannot count in it. Some file systems cannot
 * share memory with a file; what was counted is then lost when the process is killed.
 */
static void *map_file(int file, size_t bytes, bool *in_memory)
{
    void *at = kt_disk_share(file, bytes);
    *in_memory = at == MAP_FAILED;
    if (*in_memory)
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    madvise(at, bytes, MADV_DONTFORK);
    if (kt_disk_touch(at, bytes))
        return at;
    munmap(at, bytes);
    return NULL;
}

static void begin_file(struct kt_profile_head *head, uint64_t tid)
{
    struct kt_chunk chunk = {.byte_order = KT_BYTE_ORDER,
                             .major = KT_FORMAT_MAJOR,
                             .minor = KT_FORMAT_MINOR,
                             .header_bytes = sizeof *head,
                             .pid = (uint32_t)getpid(),
                             .tid = (uint32_t)tid,
                             .anchor = kt_ticks_anchor(),
                             .used_bytes = sizeof *head};
    memcpy(chunk.magic, KT_PROFILE_MAGIC, sizeof chunk.magic);
    head->chunk = chunk;
}

struct last_words {
    const char *path;
    const struct kt_profile_head *head;
    size_t used;
};

static void write_whole(void *at)
{
    struct last_words *words = at;
    int file = open(words->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    bool written = file >= 0 && kt_disk_write(file, words->head, words->used, 0);
    if (file >= 0 && !(kt_disk_close(file) && written))
        words->used = 0;
}

/* What is in the file does not change any more; it may still be mapped. */
static void end_file(const char *path, const struct kt_profile_head *head, bool in_memory)
{
    struct last_words words = {path, head, head->chunk.used_bytes};
    if (in_memory)
        kt_apart(write_whole, &words);
    if (truncate(path, (off_t)words.used) != 0)
        return; /* zeros at the end */
}

static void commit(struct kt_profile_head *head, size_t used)
{
    /* Pairs with the reader, which takes no cell behind this. */
    atomic_store_explicit((_Atomic uint64_t *)&head->chunk.used_bytes, used, memory_order_release);
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

static struct kt_table *find_idle(void)
{
    struct kt_table *t = process.first;
    while (t && !t->is_idle)
        t = t->next;
    return t;
}

static enum kt_loss map_table(struct kt_table *t, int file)
{
    if (!kt_disk_reserve(file, 0, STEP))
        return kt_disk_loss_of(errno);
    t->head = map_file(file, STEP, &t->in_memory);
    if (!t->head)
        return KT_LOSS_ERROR;
    t->bytes = STEP;
    t->used = sizeof *t->head;
    t->slot = t->first_slot;
    t->slots = FIRST_SLOTS;
    begin_file(t->head, t->tid);
    t->next = process.first;
    process.first = t;
    return KT_LOSS_COUNT;
}

_Static_assert(sizeof(struct kt_table) + FIRST_SLOTS * sizeof(struct kt_slot_of_cell) <= TABLE_MEMORY, "fits");

struct new_table {
    struct kt_table *table;
    enum kt_loss cause;
};

static void make_apart(void *at)
{
    struct new_table *new = at;
    int file = make_file(new->table);
    new->cause = file >= 0 ? map_table(new->table, file) : kt_disk_loss_of(errno);
    if (file >= 0)
        close(file);
}

/* *OUT is NULL if there is no memory left for another one. */
static enum kt_loss make_table(struct kt_table **out)
{
    struct new_table new = {kt_profile_memory_pages(TABLE_MEMORY), KT_LOSS_COUNT};
    *out = NULL;
    if (!new.table)
        return KT_LOSS_COUNT;
    bool taken = kt_profile_memory_take(STEP);
    new.table->tid = (uint64_t)kt_system_call(SYS_gettid);
    if (taken)
        kt_apart(make_apart, &new);
    if (new.table->head) {
        *out = new.table;
        return new.cause;
    }
    munmap(new.table, TABLE_MEMORY);
    kt_profile_memory_give_back(TABLE_MEMORY + (taken ? STEP : 0));
    return new.cause;
}

static void index_cell(struct kt_table *t, uint32_t place, uint64_t hash)
{
    size_t at = hash & (t->slots - 1);
    while (t->slot[at].place)
        at = (at + 1) & (t->slots - 1);
    t->slot[at] = (struct kt_slot_of_cell){hash, place};
}

static void index_all(struct kt_table *t)
{
    const struct kt_cell *cell;
    for (size_t at = sizeof *t->head; at < t->used; at += cell->bytes) {
        cell = kt_cell_at(t->head, (uint32_t)(at / 8));
        if (cell->kind == KT_CELL_SHAPE || cell->kind == KT_CELL_BARE)
            index_cell(t, (uint32_t)(at / 8),
                       kt_hash_of(kt_plan_of(cell->entry), kt_where_of(cell), cell->entry, kt_words_of(cell)));
    }
}

static size_t index_bytes(size_t slots)
{
    size_t bytes = slots * sizeof(struct kt_slot_of_cell);
    return bytes < STEP ? STEP : bytes;
}

static void free_index(struct kt_table *t)
{
    if (t->slot != t->first_slot)
        munmap(t->slot, index_bytes(t->slots));
}

static bool index_is_full(const struct kt_table *t)
{
    return 2 * (t->cells + 1) > t->slots;
}

static bool grow_index(struct kt_table *t)
{
    size_t slots = 2 * t->slots;
    struct kt_slot_of_cell *slot = kt_profile_memory_pages(index_bytes(slots));
    if (!slot)
        return false;
    if (t->slot != t->first_slot)
        kt_profile_memory_give_back(index_bytes(t->slots));
    free_index(t);
    t->slot = slot;
    t->slots = slots;
    index_all(t);
    return true;
}

struct longer_file {
    const struct kt_table *table;
    size_t bytes;
    bool reserved;
};

static void reserve_apart(void *at)
{
    static char path[PATH_MAX]; /* within a slow path: one at a time */
    struct longer_file *longer = at;
    const struct kt_table *t = longer->table;
    table_path(t, path);
    int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    longer->reserved = file >= 0 && kt_disk_reserve(file, t->bytes, longer->bytes - t->bytes);
    if (file >= 0)
        close(file);
}

/* In memory there is no file to map more of. */
static bool extend_file(struct kt_table *t, size_t bytes)
{
    struct longer_file longer = {t, bytes, t->in_memory};
    if (!t->in_memory)
        kt_apart(reserve_apart, &longer);
    void *at = longer.reserved ? mremap(t->head, t->bytes, bytes, MREMAP_MAYMOVE) : MAP_FAILED;
    if (at == MAP_FAILED)
        return false;
    t->head = at;
    size_t before = t->bytes;
    t->bytes = kt_disk_touch((unsigned char *)at + before, bytes - before) ? bytes : before;
    return t->bytes == bytes;
}

static bool grow_file(struct kt_table *t, struct kt_stream *stream)
{
    size_t more = t->bytes / 4 / STEP * STEP;
    if (more < STEP || !kt_profile_memory_take(more)) {
        more = STEP;
        if (!kt_profile_memory_take(more))
            return false;
    }
    bool grown = extend_file(t, t->bytes + more);
    if (!grown)
        kt_profile_memory_give_back(more);
    stream->chunk = &t->head->chunk;
    return grown;
}

static bool has_room(const struct kt_table *t, size_t bytes)
{
    return t->used + bytes <= t->bytes && !index_is_full(t);
}

/* Where there is none left it is not asked for again: that takes system calls. */
bool kt_profile_table_room(struct kt_table *t, size_t bytes, size_t keep)
{
    int saved = errno;
    if (keep && !kt_profile_memory_has(keep))
        return false;
    while (!has_room(t, bytes) && !t->full && kt_slow_begin()) {
        t->full = !(index_is_full(t) ? grow_index(t) : grow_file(t, kt_self.stream));
        kt_slow_end();
    }
    errno = saved;
    return has_room(t, bytes);
}

void kt_profile_table_add(struct kt_table *t, size_t bytes, uint64_t hash)
{
    uint32_t place = (uint32_t)(t->used / 8);
    t->used += bytes;
    t->cells++;
    commit(t->head, t->used);
    index_cell(t, place, hash);
}

/* --- threads ----------------------------------------------------------------------------------------------------- */

/* What earlier threads lost stays lost. */
static void take_over(struct kt_table *t)
{
    struct kt_profile_head *head = t->head;
    for (int i = 0; i < KT_LOSS_COUNT; i++) {
        head->lost_before[i] += head->chunk.lost[i];
        head->chunk.lost[i] = 0;
    }
    head->skipped_before += head->chunk.skipped;
    head->chunk.skipped = 0;
    head->chunk.tid = (uint32_t)kt_system_call(SYS_gettid);
    t->is_idle = false;
    t->outermost = t->ticks = 0;
}

enum kt_loss kt_profile_table_open(struct kt_stream *stream)
{
    enum kt_loss cause = KT_LOSS_COUNT;
    if (!kt_plan_start() || !make_overflow_places())
        return KT_LOSS_ERROR;
    struct kt_table *t = find_idle();
    if (t)
        take_over(t);
    else
        cause = make_table(&t);
    if (cause != KT_LOSS_COUNT)
        return cause;
    kt_table = t;
    process.threads++;
    if (process.first)
        process.first->head->threads = process.threads;
    stream->chunk = t ? &t->head->chunk : &no_head.chunk;
    stream->cursor = NULL; /* never full */
    stream->limit = stream->room = stream->touched = (unsigned char *)UINTPTR_MAX;
    return KT_LOSS_COUNT;
}

static void add_thread_cell(struct kt_table *t, struct kt_stream *stream)
{
    struct kt_thread_cell *cell;
    if (process.thread_cells >= MOST_THREADS)
        return;
    if (t->used + sizeof *cell > t->bytes && !t->full)
        t->full = !grow_file(t, stream);
    if (t->used + sizeof *cell > t->bytes)
        return;
    process.thread_cells++;
    cell = (struct kt_thread_cell *)(void *)kt_cell_at(t->head, (uint32_t)(t->used / 8));
    *cell = (struct kt_thread_cell){.bytes = sizeof *cell,
                                    .kind = KT_CELL_THREAD,
                                    .tid = t->head->chunk.tid,
                                    .calls = stream->calls,
                                    .outermost = t->outermost,
                                    .ticks = t->ticks};
    t->used += sizeof *cell;
    commit(t->head, t->used);
}

/* Until the next thread comes the table is nobody's. */
void kt_profile_table_close(struct kt_stream *stream)
{
    struct kt_table *t = kt_table;
    kt_table = NULL;
    if (!t)
        return;
    add_thread_cell(t, stream);
    t->head->chunk.tid = 0;
    t->head->current = 0;
    t->is_idle = true;
}

void kt_profile_table_finish(void)
{
    static char path[PATH_MAX]; /* within a slow path: one at a time */
    for (struct kt_table *t = process.first; t; t = t->next) {
        if (!t->is_idle && !t->in_memory)
            continue; /* its thread may count at any time */
        t->is_idle = false;
        table_path(t, path);
        end_file(path, t->head, t->in_memory);
    }
    if (!kt_overflow)
        return;
    kt_file_path(path, "s0", 0, 0);
    end_file(path, kt_overflow, process.overflow_in_memory);
}

void kt_profile_table_forget(void)
{
    kt_table = NULL;
    for (struct kt_table *next, *t = process.first; t; t = next) {
        next = t->next;
        free_index(t);
        munmap(t, TABLE_MEMORY);
    }
    process.first = NULL;
    kt_overflow = NULL;
    process.threads = process.thread_cells = 0;
    kt_profile_memory_forget();
    if (overflow_places)
        memset(overflow_places, 0, OVERFLOW_PLACES * sizeof *overflow_places);
}

/* --- overflow ---------------------------------------------------------------------------------------------------- */

static void make_overflow_apart(void *at)
{
    const char *path = at;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    if (kt_disk_reserve(file, 0, KT_PROFILE_OVERFLOW))
        kt_overflow = map_file(file, KT_PROFILE_OVERFLOW, &process.overflow_in_memory);
    close(file);
    if (!kt_overflow)
        unlink(path);
}

static bool make_overflow_file(void)
{
    static char path[PATH_MAX]; /* within a slow path: one at a time */
    if (kt_overflow)
        return true;
    kt_file_path(path, "s0", 0, 0);
    kt_apart(make_overflow_apart, path);
    if (!kt_overflow)
        return false;
    begin_file(kt_overflow, 0);
    process.overflow_used = sizeof *kt_overflow;
    return true;
}

static uint32_t add_overflow_cell(unsigned entry, enum kt_nesting nesting)
{
    if (!make_overflow_file() || process.overflow_used + sizeof(struct kt_cell) > KT_PROFILE_OVERFLOW)
        return 0;
    uint32_t place = (uint32_t)(process.overflow_used / 8);
    *kt_cell_at(kt_overflow, place) = (struct kt_cell){.bytes = sizeof(struct kt_cell),
                                                       .entry = (uint16_t)entry,
                                                       .kind = KT_CELL_OVERFLOW,
                                                       .nesting = (uint8_t)nesting,
                                                       .least = UINT64_MAX};
    process.overflow_used += sizeof(struct kt_cell);
    commit(kt_overflow, process.overflow_used);
    return place;
}

/* 0: there is no room even for that. */
uint32_t kt_profile_table_overflow(unsigned entry, enum kt_nesting nesting)
{
    _Atomic uint32_t *at = &overflow_places[entry * NESTINGS + nesting];
    uint32_t place = atomic_load_explicit(at, memory_order_acquire);
    int saved = errno;
    if (place || !kt_slow_begin())
        return place;
    place = atomic_load(at);
    if (!place)
        place = add_overflow_cell(entry, nesting);
    atomic_store_explicit(at, place, memory_order_release);
    kt_slow_end();
    errno = saved;
    return place;
}
