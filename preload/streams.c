/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The streams of the process's threads: their memory, who has one, what becomes of them when threads end and in forked
 * children.
 */
#include "preload/streams.h"

#include "preload/counters.h"
#include "preload/directory.h"
#include "preload/disk.h"
#include "preload/events.h"
#include "preload/objects.h"
#include "preload/profile_table.h"
#include "preload/region.h"
#include "preload/slow.h"
#include "preload/tally.h"
#include "preload/tape.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

/* Streams in use, and memory of streams that have ended; changed within slow paths only. */
static struct {
    struct kt_stream **open, **unused;
    size_t opens, unuseds, room;
    uint64_t made;
} registry;

static pthread_key_t exit_key;

/* Of the C library, from 2.35 on. */
static struct {
    const ptrdiff_t *offset;
    const unsigned *bytes;
} rseq;

static bool grow_registry(void)
{
    size_t room = registry.room ? 2 * registry.room : 512;
    size_t bytes = 2 * room * sizeof *registry.open;
    struct kt_stream **at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return false;
    if (registry.room) {
        memcpy(at, registry.open, registry.opens * sizeof *at);
        memcpy(at + room, registry.unused, registry.unuseds * sizeof *at);
        munmap(registry.open, 2 * registry.room * sizeof *at);
    }
    registry.open = at;
    registry.unused = at + room;
    registry.room = room;
    return true;
}

/* Where the kernel keeps the number of this thread's processor (rseq), if the C library has asked it to. */
static const uint32_t *cpu_of_thread(void)
{
    enum { SMALLEST = 20, CPU_ID = 4 };
    if (!rseq.offset || !rseq.bytes || *rseq.bytes < SMALLEST)
        return NULL;
    const uint32_t *at = (const uint32_t *)((const char *)__builtin_thread_pointer() + *rseq.offset + CPU_ID);
    return (int32_t)*at < 0 ? NULL : at; /* negative: the kernel refused */
}

static struct kt_stream *map_stream(void)
{
    struct kt_stream *s =
        mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s == MAP_FAILED)
        return NULL;
    madvise(s, sizeof *s, MADV_WIPEONFORK);
    return s;
}

static void leave_registry(const struct kt_stream *stream)
{
    for (size_t i = 0; i < registry.opens; i++)
        if (registry.open[i] == stream) {
            registry.open[i] = registry.open[--registry.opens];
            return;
        }
}

/* Memory for a stream, empty but for contexts that do not count any more. */
static struct kt_stream *take_stream(void)
{
    if (registry.opens + registry.unuseds >= registry.room && !grow_registry())
        return NULL;
    struct kt_stream *s = registry.unuseds ? registry.unused[--registry.unuseds] : map_stream();
    if (!s)
        return NULL;
    s->number = ++registry.made;
    s->cpu_now = cpu_of_thread();
    if (!s->cpu_now)
        s->cpu_now = &s->cpu;
    s->calls = s->ended = s->skipped = s->passed = s->room_ticks = s->forgotten = s->forgotten_begun = 0;
    s->told.known = s->told.common = 0;
    s->yard.due = s->yard.looked = s->yard.step = 0;
    memset(&s->insides, 0, sizeof s->insides);
    memset(s->lost, 0, sizeof s->lost);
    registry.open[registry.opens++] = s;
    return s;
}

static void give_stream(struct kt_stream *s)
{
    leave_registry(s);
    registry.unused[registry.unuseds++] = s;
    atomic_store(&s->ready, 0);
    s->chunk = NULL;
    s->number = 0;
}

enum kt_loss kt_streams_open(struct kt_stream **out)
{
    if (!kt_directory_open())
        return kt_disk_loss_of(errno);
    struct kt_stream *s = take_stream();
    if (s)
        s->is_second = out == &kt_self.second;
    if (!s || pthread_setspecific(exit_key, s) != 0) /* nobody would tell us when the thread ends */
        return KT_LOSS_ERROR;
    enum kt_loss cause = kt_extras & KT_EXTRA_PROFILE ? kt_profile_table_open(s) : kt_tape_begin(s);
    if (cause == KT_LOSS_COUNT)
        *out = s;
    else
        give_stream(s);
    return cause;
}

static void at_thread_exit(void *unused)
{
    (void)unused;
    kt_streams_close();
}

bool kt_streams_start(void)
{
    rseq.offset = kt_objects_find_next("__rseq_offset");
    rseq.bytes = kt_objects_find_next("__rseq_size");
    return pthread_key_create(&exit_key, at_thread_exit) == 0;
}

/*
 * Calls that have returned and whose events all are in the stream. Those that were in progress where it now begins have
 * lost their begin; what is in progress still was the last to begin.
 */
static uint64_t whole_calls(const struct kt_stream *s)
{
    uint64_t ended = __atomic_load_n(&s->ended, __ATOMIC_RELAXED);
    uint64_t open_then = s->forgotten_begun - s->forgotten;
    uint64_t open_now = __atomic_load_n(&s->calls, __ATOMIC_RELAXED) - ended;
    return ended - s->forgotten - (open_then > open_now ? open_then - open_now : 0);
}

/* Within a slow path. */
static void close_stream(struct kt_stream *s)
{
    if (!s || !s->chunk)
        return;
    if (kt_extras & KT_EXTRA_PROFILE)
        kt_profile_table_close(s);
    else
        kt_tape_end(s);
    atomic_fetch_add(&kt_recorder.calls, whole_calls(s));
    atomic_fetch_add(&kt_recorder.skipped, s->skipped);
    atomic_fetch_add(&kt_recorder.passed, s->passed);
    atomic_fetch_add(&kt_recorder.room_ticks, s->room_ticks);
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        atomic_fetch_add(&kt_recorder.lost[i], s->lost[i]);
    give_stream(s);
}

void kt_streams_close(void)
{
    int saved = errno;
    if (!kt_slow_begin())
        return;
    kt_counters_close();
    if (kt_self.passed) /* in a call that does not return any more */
        kt_tally_rest();
    close_stream(kt_self.stream);
    close_stream(kt_self.second);
    kt_self.stream = &kt_no_stream;
    kt_self.second = NULL;
    kt_slow_end();
    errno = saved;
}

void kt_streams_save(void)
{
    for (size_t t = 0; t < registry.opens; t++)
        kt_tape_save(registry.open[t]);
}

struct kt_totals kt_streams_totals(void)
{
    struct kt_totals t = {.calls = atomic_load(&kt_recorder.calls),
                          .skipped = atomic_load(&kt_recorder.skipped) +
                                     __atomic_load_n(&kt_control()->skipped, __ATOMIC_RELAXED),
                          .passed = atomic_load(&kt_recorder.passed),
                          .room_ticks = atomic_load(&kt_recorder.room_ticks)};
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        t.lost[i] = atomic_load(&kt_recorder.lost[i]) + __atomic_load_n(&kt_control()->lost[i], __ATOMIC_RELAXED);
    for (size_t o = 0; o < registry.opens; o++) {
        const struct kt_stream *s = registry.open[o];
        t.calls += whole_calls(s);
        t.skipped += s->skipped;
        t.passed += __atomic_load_n(&s->passed, __ATOMIC_RELAXED);
        t.room_ticks += __atomic_load_n(&s->room_ticks, __ATOMIC_RELAXED);
        for (int i = 0; i < KT_LOSS_COUNT; i++)
            t.lost[i] += s->lost[i];
    }
    return t;
}

/* Their memory is zeros here, and their chunks are not mapped. Calls in progress are the parent's. */
void kt_streams_forget(void)
{
    struct kt_thread *thread = &kt_self;
    for (size_t t = 0; t < registry.opens; t++)
        munmap(registry.open[t], sizeof *registry.open[t]);
    registry.opens = 0;
    kt_profile_table_forget();
    kt_tape_forget();
    thread->stream = &kt_no_stream;
    thread->second = NULL;
    thread->top = kt_live_frame(thread->top, __builtin_frame_address(0)); /* all else is others' */
    thread->failures = 0;
    kt_region_after_fork();
    thread->passing = NULL; /* what the child calls in them is its own */
    thread->passed = 0;
    for (struct kt_frame *frame = thread->top; frame; frame = frame->parent) {
        frame->record = 0;
        frame->outer = NULL;
        frame->passes = false;
        frame->guard = kt_guard(frame);
    }
}
