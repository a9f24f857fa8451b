/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/tape.h"

#include "preload/apart.h"
#include "preload/disk.h"
#include "preload/file_path.h"
#include "preload/settings.h"
#include "preload/system.h"
#include "preload/ticks.h"
#include "preload/yard.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { STEP = 8 << 10, RESERVE = 512 << 10 };

_Static_assert(8 * (1 + 3 + KT_CONTEXT_WORDS + 1) <= KT_TAPE_MARGIN - 256, "the longest event fits");

/* --- the file ---------------------------------------------------------------------------------------------- */

/* The kernel reuses thread ids: an earlier thread's stream is left alone. */
static int make_file(struct kt_stream *s)
{
    for (unsigned number = 0; number < 1 << 20; number++) {
        kt_file_path(s->path, "t", s->tid, number);
        int file = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

static int open_file(const struct kt_stream *s)
{
    return open(s->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
}

/* --- the chunk being written ------------------------------------------------------------------------------- */

struct kt_limit kt_limit = {UINT64_MAX, false};

/*
 * Opening the file takes as long as writing 20 KiB of it, and where that has to be done apart as writing some 100 KiB;
 * what is written to should stay in the second cache beside what the program has there. A limit leaves room for several
 * chunks, where pages and the longest event allow it.
 */
static size_t usual_chunk(void)
{
    enum { LARGEST = 64 << 10, LARGEST_APART = 256 << 10, LEAST = STEP, SEVERAL = 8 };
    size_t bytes = kt_apart_has_threads() ? LARGEST_APART : LARGEST;
    while (bytes > LEAST && bytes > kt_limit.bytes / SEVERAL)
        bytes /= 2;
    return bytes;
}

static unsigned char *chunk_end(const struct kt_stream *s)
{
    return (unsigned char *)s->chunk + s->chunk_bytes;
}

/* Reserved for all streams of the process; those of threads that have ended count. */
static _Atomic uint64_t process_bytes;

/* Calls are recorded up to some point and not beyond: room that becomes free after it stays unused. */
static _Atomic bool is_limit_met;

void kt_tape_forget(void)
{
    atomic_store(&process_bytes, 0);
    atomic_store(&is_limit_met, false);
}

/* Of what the limit allows; threads take at the same time. */
static bool take_bytes(uint64_t bytes)
{
    uint64_t taken = atomic_load(&process_bytes);
    while (!atomic_load(&is_limit_met) && taken + bytes <= kt_limit.bytes)
        if (atomic_compare_exchange_weak(&process_bytes, &taken, taken + bytes))
            return true;
    return false;
}

static void give_bytes_back(uint64_t bytes)
{
    atomic_fetch_sub(&process_bytes, bytes);
}

/* With a limit that keeps the last calls of each thread, each has a chunk. */
static enum kt_loss meet_limit(void)
{
    atomic_store(&is_limit_met, !kt_limit.keep_last);
    return KT_LOSS_LIMIT;
}

static size_t used_bytes(const struct kt_stream *s)
{
    return (size_t)(s->cursor - (unsigned char *)s->chunk);
}

/* Contexts of earlier chunks, also of a stream that had this memory before, no longer count. */
static uint64_t next_stamp(void)
{
    static _Atomic uint64_t chunks;
    return (atomic_fetch_add(&chunks, 1) + 1) << 16;
}

/* Is the file long enough for one more chunk? */
static bool has_room(const struct kt_stream *s)
{
    return s->next != s->file_bytes || s->file_bytes + s->chunk_bytes <= s->reserved;
}

/* Half way room is made for the chunk, so that making it and writing do not come together: each takes some
 * microseconds. */
static void set_limit(struct kt_stream *s)
{
    unsigned char *half = (unsigned char *)s->chunk + s->chunk_bytes / 2;
    bool stops = s->cursor <= half && s->touched > half && !has_room(s);
    s->room = (stops ? half : s->touched) - KT_TAPE_MARGIN;
    kt_yard_set_limit(s);
}

/* What was stored in this memory before no longer counts from the first store on. */
static void start_chunk(struct kt_stream *s, uint32_t index)
{
    atomic_store_explicit((_Atomic uint64_t *)&s->chunk->used_bytes, 0, memory_order_release);
    struct kt_chunk head = {.byte_order = KT_BYTE_ORDER,
                            .major = KT_FORMAT_MAJOR,
                            .minor = KT_FORMAT_MINOR,
                            .header_bytes = sizeof head,
                            .index = index,
                            .chunk_bytes = s->chunk_bytes,
                            .pid = (uint32_t)getpid(),
                            .tid = s->tid,
                            .anchor = kt_ticks_anchor(),
                            .calls = s->calls,
                            .ended = s->ended,
                            .skipped = s->skipped,
                            .second = s->is_second,
                            .passed = s->passed};
    memcpy(head.magic, KT_CHUNK_MAGIC, sizeof head.magic);
    memcpy(head.lost, s->lost, sizeof s->lost);
    *s->chunk = head;
    s->chunk_stamp = next_stamp();
    s->last = head.anchor.ticks;
    s->cpu = (uint32_t)sched_getcpu();
    s->skip = false;
    s->cursor = (unsigned char *)(s->chunk + 1);
    set_limit(s);
    atomic_store_explicit((_Atomic uint64_t *)&s->chunk->used_bytes, sizeof head, memory_order_release);
}

static bool touch_more(struct kt_stream *s)
{
    if (!s->in_memory && !kt_disk_touch(s->touched, STEP))
        return false;
    s->touched += STEP;
    set_limit(s);
    return true;
}

/*
 * Children do not get the mapping: whatever becomes of them, they cannot write into it. Some file systems cannot share
 * memory with a file; what is in the chunk is then lost when the process is killed.
 */
static bool map_chunk(struct kt_stream *s, int file)
{
    unsigned char *at = kt_disk_share(file, s->chunk_bytes);
    s->in_memory = at == MAP_FAILED;
    if (s->in_memory)
        at = mmap(NULL, s->chunk_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return false;
    madvise(at, s->chunk_bytes, MADV_DONTFORK);
    s->chunk = (struct kt_chunk *)(void *)at;
    s->touched = at;
    return true;
}

static void unmap_chunk(struct kt_stream *s)
{
    munmap(s->chunk, s->chunk_bytes);
    s->chunk = NULL;
}

static enum kt_loss first_chunk(struct kt_stream *s, int file)
{
    if (!kt_disk_reserve(file, 0, s->chunk_bytes))
        return kt_disk_loss_of(errno);
    if (!map_chunk(s, file))
        return KT_LOSS_ERROR;
    s->cursor = s->touched;
    if (!touch_more(s)) {
        unmap_chunk(s);
        return KT_LOSS_SPACE;
    }
    s->file_bytes = s->next = s->reserved = s->chunk_bytes;
    return KT_LOSS_COUNT;
}

/* What is done apart, and why it failed. */
struct errand {
    struct kt_stream *stream;
    enum kt_loss cause;
};

static void begin_apart(void *at)
{
    struct errand *errand = at;
    struct kt_stream *s = errand->stream;
    int file = make_file(s);
    if (file < 0) {
        errand->cause = kt_disk_loss_of(errno);
        return;
    }
    errand->cause = first_chunk(s, file);
    if (!kt_disk_close(file) && errand->cause == KT_LOSS_COUNT) {
        errand->cause = kt_disk_loss_of(errno);
        unmap_chunk(s);
    }
    if (errand->cause != KT_LOSS_COUNT)
        unlink(s->path);
}

enum kt_loss kt_tape_begin(struct kt_stream *stream)
{
    struct errand errand = {stream, KT_LOSS_COUNT};
    stream->chunk_bytes = usual_chunk();
    if (kt_limit.keep_last)
        atomic_fetch_add(&process_bytes, stream->chunk_bytes);
    else if (!take_bytes(stream->chunk_bytes))
        return meet_limit();
    stream->tid = (uint32_t)kt_system_call(SYS_gettid);
    kt_apart(begin_apart, &errand);
    if (errand.cause == KT_LOSS_COUNT)
        start_chunk(stream, 0);
    else
        give_bytes_back(stream->chunk_bytes);
    return errand.cause;
}

/* --- full chunks ------------------------------------------------------------------------------------------- */

/* Into room that is reserved. */
static bool write_chunk(const struct kt_stream *s, int file)
{
    struct kt_chunk head = *s->chunk;
    head.used_bytes = used_bytes(s);
    head.chunk_bytes = kt_limit.keep_last ? s->chunk_bytes : head.used_bytes;
    struct iovec part[] = {{&head, sizeof head}, {s->chunk + 1, used_bytes(s) - sizeof head}};
    return kt_disk_may_write(s->next + head.used_bytes) &&
           pwritev(file, part, 2, (off_t)s->next) == (ssize_t)head.used_bytes;
}

/*
 * In the place of another one: as the process may be killed between two pages of a write, the old head first says that
 * there is no chunk, and the new one is written when all else is.
 */
static bool overwrite_chunk(const struct kt_stream *s, int file)
{
    const uint64_t none = 0;
    struct kt_chunk head = *s->chunk;
    size_t bytes = used_bytes(s) - sizeof head;
    head.used_bytes = used_bytes(s);
    head.chunk_bytes = s->chunk_bytes;
    return kt_disk_may_write(s->next + head.used_bytes) &&
           kt_disk_write(file, &none, sizeof none, s->next + offsetof(struct kt_chunk, used_bytes)) &&
           kt_disk_write(file, s->chunk + 1, bytes, s->next + sizeof head) &&
           kt_disk_write(file, &head, sizeof head, s->next);
}

/* Why there are not that many bytes more, or KT_LOSS_COUNT. */
static enum kt_loss reserve_bytes(struct kt_stream *s, int file, size_t bytes)
{
    if (!take_bytes(bytes))
        return KT_LOSS_LIMIT;
    if (!kt_disk_reserve(file, s->reserved, bytes)) {
        enum kt_loss cause = kt_disk_loss_of(errno);
        give_bytes_back(bytes);
        return cause;
    }
    s->reserved += bytes;
    return KT_LOSS_COUNT;
}

/* Many chunks at once, unless other threads would miss them. */
static bool reserve_ahead(struct kt_stream *s, int file)
{
    enum { MANY_THREADS = 64 };
    return RESERVE <= kt_limit.bytes / MANY_THREADS && reserve_bytes(s, file, RESERVE) == KT_LOSS_COUNT;
}

/* Room for a chunk that ends at END. */
static enum kt_loss reserve_up_to(struct kt_stream *s, int file, uint64_t end)
{
    if (end <= s->reserved || reserve_ahead(s, file))
        return KT_LOSS_COUNT;
    enum kt_loss cause = reserve_bytes(s, file, s->chunk_bytes);
    return cause == KT_LOSS_LIMIT ? meet_limit() : cause;
}

/* All calls before the chunk at AT are lost. */
static void forget_before(struct kt_stream *s, int file, uint64_t at)
{
    struct kt_chunk head;
    if (pread(file, &head, sizeof head, (off_t)at) != (ssize_t)sizeof head)
        return;
    s->lost[KT_LOSS_LIMIT] = head.calls;
    s->forgotten = head.ended;
    s->forgotten_begun = head.calls;
}

/* The new chunk takes the place of the oldest one in the file; if there is none, that of the present one. */
static bool replace_oldest(struct kt_stream *s, int file)
{
    s->next = s->next == s->file_bytes ? s->chunk_bytes : s->next;
    if (s->file_bytes == s->chunk_bytes) {
        s->lost[KT_LOSS_LIMIT] = s->calls;
        s->forgotten = s->ended;
        s->forgotten_begun = s->calls;
        return true;
    }
    if (!overwrite_chunk(s, file))
        return false;
    s->next += s->chunk_bytes;
    forget_before(s, file, s->next == s->file_bytes ? s->chunk_bytes : s->next);
    return true;
}

static enum kt_loss append(struct kt_stream *s, int file)
{
    uint64_t bytes = kt_limit.keep_last ? s->chunk_bytes : used_bytes(s);
    if (s->next != s->file_bytes)
        return KT_LOSS_LIMIT;
    enum kt_loss cause = reserve_up_to(s, file, s->file_bytes + bytes);
    if (cause != KT_LOSS_COUNT)
        return cause;
    if (!write_chunk(s, file))
        return kt_disk_loss_of(errno);
    s->file_bytes += bytes;
    s->next = s->file_bytes;
    return KT_LOSS_COUNT;
}

static enum kt_loss store_chunk(struct kt_stream *s, int file)
{
    enum kt_loss cause = append(s, file);
    if (cause == KT_LOSS_LIMIT && kt_limit.keep_last && replace_oldest(s, file))
        cause = KT_LOSS_COUNT;
    return cause;
}

/* If there is no room for a copy, what is in the chunk stays where it is, and is written to the same place later. */
static void store_apart(void *at)
{
    struct errand *errand = at;
    struct kt_stream *s = errand->stream;
    const uint64_t file_bytes = s->file_bytes;
    const uint64_t next = s->next;
    int file = open_file(s);
    errand->cause = file >= 0 ? store_chunk(s, file) : kt_disk_loss_of(errno);
    if (file < 0 || kt_disk_close(file) || errand->cause != KT_LOSS_COUNT)
        return;
    errand->cause = kt_disk_loss_of(errno);
    s->file_bytes = file_bytes;
    s->next = next;
}

static enum kt_loss next_chunk(struct kt_stream *s)
{
    struct errand errand = {s, KT_LOSS_COUNT};
    kt_apart(store_apart, &errand);
    if (errand.cause == KT_LOSS_COUNT)
        start_chunk(s, s->chunk->index + 1);
    return errand.cause;
}

static void make_room_apart(void *at)
{
    struct errand *errand = at;
    struct kt_stream *s = errand->stream;
    int file = open_file(s);
    if (file < 0) {
        errand->cause = kt_disk_loss_of(errno);
        return;
    }
    reserve_up_to(s, file, s->file_bytes + s->chunk_bytes);
    close(file);
}

/* If there is none, that will be found out when the chunk is full. */
static enum kt_loss make_room(struct kt_stream *s)
{
    struct errand errand = {s, KT_LOSS_COUNT};
    kt_apart(make_room_apart, &errand);
    if (errand.cause == KT_LOSS_COUNT)
        s->room = s->touched - KT_TAPE_MARGIN;
    kt_yard_set_limit(s);
    return errand.cause;
}

enum kt_loss kt_tape_advance(struct kt_stream *stream)
{
    if (stream->touched < chunk_end(stream))
        return touch_more(stream) ? KT_LOSS_COUNT : KT_LOSS_SPACE;
    bool is_full = stream->skip || stream->room == stream->touched - KT_TAPE_MARGIN;
    return is_full ? next_chunk(stream) : make_room(stream);
}

void kt_tape_stock(struct kt_stream *stream)
{
    if (!has_room(stream))
        make_room(stream);
    while (stream->touched < chunk_end(stream) && touch_more(stream))
        ;
}

/* Nothing begins behind the limit any more, and the chunk counts as full. */
void kt_tape_skip(struct kt_stream *stream)
{
    while (stream->touched < chunk_end(stream) && touch_more(stream))
        ;
    stream->skip = true;
    stream->limit = stream->room = (unsigned char *)stream->chunk;
}

static void save_apart(void *at)
{
    struct errand *errand = at;
    const struct kt_stream *s = errand->stream;
    int file = open_file(s);
    bool saved = file >= 0 && kt_disk_write(file, s->chunk, used_bytes(s), 0);
    if (file >= 0 && kt_disk_close(file) && saved)
        errand->cause = KT_LOSS_COUNT;
}

/* A chunk that is not in the file is written to where it would have been. */
static bool save_memory(struct kt_stream *s)
{
    struct errand errand = {s, KT_LOSS_ERROR};
    kt_apart(save_apart, &errand);
    return errand.cause == KT_LOSS_COUNT;
}

/* If the thread begins another chunk meanwhile it writes the one to the file by itself. */
void kt_tape_save(struct kt_stream *stream)
{
    if (stream->in_memory && stream->chunk)
        save_memory(stream);
}

void kt_tape_end(struct kt_stream *stream)
{
    if (stream->file_bytes == stream->chunk_bytes)
        stream->file_bytes = stream->chunk->chunk_bytes = used_bytes(stream);
    if (stream->in_memory && !save_memory(stream)) {
        stream->lost[KT_LOSS_ERROR] += stream->calls - stream->chunk->calls;
        stream->ended = stream->chunk->ended;
    }
    unmap_chunk(stream);
    if (truncate(stream->path, (off_t)stream->file_bytes) != 0)
        return; /* the tail is zeros: readable all the same */
    give_bytes_back(stream->reserved - stream->file_bytes);
}
