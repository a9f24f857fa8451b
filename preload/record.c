/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams: each thread writes records into a chunk of its own file, which is mapped into memory, so that whatever
 * was committed survives the death of the process. Disk space is reserved before it is mapped: a full disk is a
 * counted loss and never a SIGBUS. Chunks are filled with zeros and written to once before use, so that recording
 * a call does not fault a page. No file descriptor stays open: the program may close all it finds.
 */
#include "preload/meta.h"
#include "preload/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FIRST_CHUNK = 64 << 10, LARGEST_CHUNK = 4 << 20, RETRY_CALLS = 1024, PAGE = 4096 };

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

__thread struct kt_thread kt_self;

static struct kt_thread *registry; /* threads with a stream; changed within slow paths only */
static pthread_key_t exit_key;

/* --- chunks ------------------------------------------------------------------------------------------------ */

static void stream_path(const struct kt_thread *t, char out[PATH_MAX])
{
    kt_process_path(out, "t", (uint64_t)syscall(SYS_gettid), (unsigned)t->file);
}

/* Growing beyond the limit would raise SIGXFSZ in the program. */
static bool may_grow_to(uint64_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

static bool write_zeros(int file, uint64_t offset, size_t bytes)
{
    static const char zeros[16 << 10];
    for (size_t done = 0; done < bytes; done += sizeof zeros)
        if (pwrite(file, zeros, sizeof zeros, (off_t)(offset + done)) != (ssize_t)sizeof zeros)
            return false;
    return true;
}

/* File systems without fallocate get real zeros: a hole could fail later, when it is written to. */
static bool reserve(int file, uint64_t offset, size_t bytes)
{
    if (!may_grow_to(offset + bytes))
        return false;
    if (fallocate(file, 0, (off_t)offset, (off_t)bytes) == 0)
        return true;
    return errno == EOPNOTSUPP && write_zeros(file, offset, bytes);
}

/* False if a store into these pages would raise SIGBUS. */
static bool touch_pages(char *at, size_t bytes)
{
    if (madvise(at, bytes, MADV_POPULATE_WRITE) == 0)
        return true;
    if (errno == EFAULT)
        return false;
    for (size_t i = 0; i < bytes; i += PAGE)
        *(volatile char *)(at + i) = 0;
    return true;
}

static int open_stream(struct kt_thread *t)
{
    char path[PATH_MAX];
    if (t->opened) {
        stream_path(t, path);
        return open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    }
    /* The kernel reuses thread ids: an earlier thread's stream is left alone. */
    for (t->file = 0; t->file < 1 << 20; t->file++) {
        stream_path(t, path);
        int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

static size_t next_chunk_bytes(const struct kt_thread *t)
{
    size_t bytes = FIRST_CHUNK;
    for (uint32_t i = 0; i < t->chunks && bytes < LARGEST_CHUNK; i++)
        bytes *= 4;
    return bytes;
}

static void write_head(const struct kt_thread *t, struct kt_chunk *chunk, size_t bytes)
{
    struct kt_chunk head = {.byte_order = KT_BYTE_ORDER,
                            .major = KT_FORMAT_MAJOR,
                            .minor = KT_FORMAT_MINOR,
                            .header_bytes = sizeof head,
                            .index = t->chunks,
                            .chunk_bytes = bytes,
                            .pid = (uint32_t)getpid(),
                            .tid = (uint32_t)syscall(SYS_gettid),
                            .anchor = kt_anchor_now()};
    memcpy(head.magic, KT_CHUNK_MAGIC, sizeof head.magic);
    memcpy(head.lost, t->lost, sizeof t->lost);
    *chunk = head;
}

static const unsigned char *end_of(const struct kt_chunk_map *map)
{
    return (const unsigned char *)map->chunk + map->bytes;
}

static void unmap(struct kt_chunk_map *map)
{
    if (map->chunk)
        munmap(map->chunk, map->bytes);
    map->chunk = NULL;
}

/* Calls in progress still complete their records in earlier chunks. */
static bool is_in_use(const struct kt_thread *t, const struct kt_chunk_map *map)
{
    const struct kt_frame *frame = t->top ? t->top->parent : NULL;
    while (frame && frame->limit != end_of(map))
        frame = frame->parent;
    return frame;
}

/* The chunk stays for one more, whatever the frames say: a wrapper stores info when its frame has ended. */
static void retire_chunk(struct kt_thread *t)
{
    struct kt_chunk_map *room = NULL;
    for (int i = 0; i < KT_OLD_CHUNKS; i++) {
        if (!is_in_use(t, &t->old[i]))
            unmap(&t->old[i]);
        if (!t->old[i].chunk)
            room = &t->old[i];
    }
    if (room)
        *room = t->current;
    else
        unmap(&t->current);
    t->current.chunk = NULL;
}

bool kt_is_mapped(struct kt_frame *frame)
{
    const struct kt_thread *t = &kt_self;
    for (int i = 0; i < KT_OLD_CHUNKS; i++)
        if (t->old[i].chunk && end_of(&t->old[i]) == frame->limit)
            return true;
    frame->record = NULL;
    return false;
}

static bool map_chunk(struct kt_thread *t, int file)
{
    size_t bytes = next_chunk_bytes(t);
    if (!reserve(file, t->file_bytes, bytes))
        return false;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)t->file_bytes);
    if (at == MAP_FAILED)
        return false;
    if (!touch_pages(at, bytes)) {
        munmap(at, bytes);
        return false;
    }
    write_head(t, at, bytes);
    retire_chunk(t);
    t->current = (struct kt_chunk_map){at, bytes};
    t->cursor = (unsigned char *)at + sizeof(struct kt_chunk);
    t->limit = (unsigned char *)at + bytes;
    t->file_bytes += bytes;
    t->chunks++;
    return true;
}

/* --- threads ----------------------------------------------------------------------------------------------- */

static void at_thread_exit(void *unused)
{
    (void)unused;
    kt_thread_close();
}

bool kt_threads_init(void)
{
    return pthread_key_create(&exit_key, at_thread_exit) == 0;
}

static void enter_registry(struct kt_thread *t)
{
    if (pthread_setspecific(exit_key, t) != 0)
        return; /* nobody would tell us when it ends */
    t->next = registry;
    registry = t;
}

static void leave_registry(struct kt_thread *t)
{
    for (struct kt_thread **at = &registry; *at; at = &(*at)->next)
        if (*at == t) {
            *at = t->next;
            return;
        }
}

static void start_stream(struct kt_thread *t)
{
    leave_registry(t);
    *t = (struct kt_thread){.top = t->top, .process = kt_process.number, .busy = t->busy, .failures = t->failures};
    enter_registry(t);
}

/* After a failure the thread asks again only now and then: a call must not cost a system call each time. */
static bool is_time_to_try(const struct kt_thread *t)
{
    return t->failures % RETRY_CALLS == 0;
}

static void remove_stream(struct kt_thread *t)
{
    char path[PATH_MAX];
    stream_path(t, path);
    unlink(path);
    t->opened = false;
}

static enum kt_loss cause_of(int error)
{
    bool space = error == ENOSPC || error == EDQUOT || error == EFBIG || error == 0;
    return space ? KT_LOSS_SPACE : KT_LOSS_ERROR;
}

static enum kt_loss add_chunk(struct kt_thread *t)
{
    int file = open_stream(t);
    if (file < 0)
        return cause_of(errno);
    t->opened = true;
    errno = 0;
    bool fine = map_chunk(t, file);
    enum kt_loss cause = cause_of(errno);
    close(file);
    if (fine)
        return KT_LOSS_COUNT;
    if (t->chunks == 0)
        remove_stream(t);
    return cause;
}

/* Where the stream has a chunk its head tells of the loss even if the process is killed. */
static void count_loss(struct kt_thread *t, enum kt_loss cause)
{
    t->failures += cause == KT_LOSS_SPACE || cause == KT_LOSS_ERROR;
    t->last_failure = cause;
    if (!t->opened) {
        atomic_fetch_add(&kt_process.lost[cause], 1);
        return;
    }
    t->lost[cause]++;
    if (t->current.chunk)
        t->current.chunk->lost[cause] = t->lost[cause];
}

/* Has a signal handler that we are in interrupted a call between moving the cursor and knowing its record? */
static bool interrupts_entry(const struct kt_thread *t)
{
    const struct kt_frame *frame = t->top ? t->top->parent : NULL; /* none: a handler on another stack cut the chain */
    while (frame && (const void *)frame->record != frame)
        frame = frame->parent;
    return frame;
}

/* Why no chunk could be had, or KT_LOSS_COUNT if there is one now. */
static enum kt_loss try_chunk(struct kt_thread *t)
{
    if (atomic_load(&kt_process.state) == KT_STATE_CLOSED)
        return KT_LOSS_EXIT;
    if (!is_time_to_try(t))
        return t->last_failure;
    if (interrupts_entry(t) || !kt_slow_begin())
        return KT_LOSS_SIGNAL;
    enum kt_loss cause;
    if (kt_process_open()) {
        if (!t->opened || t->process != kt_process.number)
            start_stream(t);
        cause = add_chunk(t);
    } else {
        cause = cause_of(errno);
    }
    kt_slow_end();
    return cause;
}

/* Signals that waited for the end of the slow path may have filled the chunk. */
static unsigned char *take(struct kt_thread *t, size_t bytes)
{
    unsigned char *at = kt_advance(&t->cursor, bytes);
    if (at + bytes <= t->limit)
        return at;
    t->cursor -= bytes;
    return NULL;
}

unsigned char *kt_room(size_t bytes)
{
    struct kt_thread *t = &kt_self;
    t->cursor -= bytes;
    enum kt_state state = atomic_load_explicit(&kt_process.state, memory_order_relaxed);
    if (state == KT_STATE_OFF || t->silent)
        return NULL;
    int saved = errno;
    enum kt_loss cause = try_chunk(t);
    errno = saved;
    unsigned char *at = cause == KT_LOSS_COUNT ? take(t, bytes) : NULL;
    if (!at)
        count_loss(t, cause == KT_LOSS_COUNT ? KT_LOSS_SIGNAL : cause);
    return at;
}

/* Without room every call asks for some. */
void kt_silence_begin(void)
{
    kt_self.silent = true;
    kt_self.silent_limit = kt_self.limit;
    kt_self.limit = NULL;
}

void kt_silence_end(void)
{
    kt_self.limit = kt_self.silent_limit;
    kt_self.silent = false;
}

static void unmap_all(struct kt_thread *t)
{
    unmap(&t->current);
    for (int i = 0; i < KT_OLD_CHUNKS; i++)
        unmap(&t->old[i]);
}

/* Gives back what the last chunk did not need. Only the thread itself may do so: nobody else knows when it writes. */
static void trim_stream(struct kt_thread *t)
{
    size_t used = (size_t)(t->cursor - (unsigned char *)t->current.chunk);
    size_t kept = (used + PAGE - 1) / PAGE * PAGE;
    char path[PATH_MAX];
    t->current.chunk->chunk_bytes = kept;
    unmap(&t->current);
    stream_path(t, path);
    if (truncate(path, (off_t)(t->file_bytes - t->current.bytes + kept)) != 0)
        return; /* the tail is zeros: readable all the same */
}

void kt_thread_close(void)
{
    struct kt_thread *t = &kt_self;
    int saved = errno;
    if (!kt_slow_begin())
        return;
    leave_registry(t);
    if (t->opened && t->process == kt_process.number) {
        atomic_fetch_add(&kt_process.calls, t->calls);
        for (int i = 0; i < KT_LOSS_COUNT; i++)
            atomic_fetch_add(&kt_process.lost[i], t->lost[i]);
        if (t->current.chunk)
            trim_stream(t);
    }
    unmap_all(t); /* should a call in progress return all the same, it finds no chunk */
    struct kt_thread fresh = {.busy = true};
    *t = fresh;
    kt_slow_end();
    errno = saved;
}

uint64_t kt_threads_calls(uint64_t lost[KT_LOSS_COUNT])
{
    uint64_t calls = atomic_load(&kt_process.calls);
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        lost[i] = atomic_load(&kt_process.lost[i]);
    for (const struct kt_thread *t = registry; t; t = t->next) {
        calls += t->calls;
        for (int i = 0; i < KT_LOSS_COUNT; i++)
            lost[i] += t->lost[i];
    }
    return calls;
}

void kt_threads_forget(void)
{
    struct kt_frame *top = kt_live_frame(kt_self.top, __builtin_frame_address(0)); /* all else is others' */
    struct kt_thread fresh = {.busy = kt_self.busy, .top = top};
    for (struct kt_frame *frame = top; frame; frame = frame->parent)
        frame->record = NULL; /* it is the parent's */
    for (struct kt_thread *t = registry; t; t = t->next)
        unmap_all(t);
    registry = NULL;
    kt_self = fresh;
}
