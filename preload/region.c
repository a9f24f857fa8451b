/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Named regions of a thread. It may enter and leave them while nothing is recorded, so the thread keeps what it is in,
 * and each of its streams is told when it next records.
 */
#include "preload/gate.h"

#include "preload/control.h"
#include "preload/meta.h"
#include "preload/process.h"
#include "preload/tape.h"

#include <errno.h>

/* The regions that this thread is in. */
static __thread struct {
    unsigned depth;
    struct {
        uint64_t begun; /* ticks */
        uint16_t id;
    } level[KT_REGION_LEVELS];
} regions __attribute__((tls_model("initial-exec")));

void kt_regions_after_fork(void)
{
    for (unsigned i = 0; i < KT_REGION_LEVELS; i++)
        regions.level[i].begun = kt_now();
}

static bool store_region(struct kt_stream *stream, unsigned id, uint64_t ticks)
{
    if (stream->cursor > stream->limit) {
        if (!kt_quiet_begin())
            return false;
        enum kt_loss cause = kt_tape_advance(stream);
        kt_quiet_end();
        if (cause != KT_LOSS_COUNT)
            return false;
    }
    ((uint64_t *)(void *)stream->cursor)[1] = ticks;
    kt_commit(stream, kt_event_head(KT_EVENT_REGION, KT_REGION_WORDS, id, 0));
    return true;
}

static unsigned depth_of_regions(void)
{
    return regions.depth < KT_REGION_LEVELS ? regions.depth : KT_REGION_LEVELS;
}

static void store_regions(struct kt_stream *stream)
{
    struct kt_told *told = &stream->told;
    while (told->known > told->common && store_region(stream, 0, told->ended[told->known - 1]))
        told->known--;
    while (told->known == told->common && told->known < depth_of_regions() &&
           store_region(stream, regions.level[told->known].id, regions.level[told->known].begun))
        told->common = ++told->known;
}

void kt_tell_regions(struct kt_stream *stream, const struct kt_frame *now)
{
    const struct kt_told *told = &stream->told;
    if (KT_LIKELY(told->known == told->common && told->known == depth_of_regions()) || kt_extras & KT_EXTRA_PROFILE)
        return;
    uintptr_t ready = kt_open_stream(stream, now);
    store_regions(stream);
    kt_close_stream(stream, kt_is_frame(ready) ? 0 : ready);
}

void kt_region_begin(unsigned id)
{
    if (regions.depth < KT_REGION_LEVELS) {
        regions.level[regions.depth].id = (uint16_t)id;
        regions.level[regions.depth].begun = kt_now();
    }
    regions.depth++;
}

static void leave_level(struct kt_stream *stream, unsigned level)
{
    if (!stream || level >= stream->told.common)
        return;
    stream->told.common = level;
    stream->told.ended[level] = kt_now();
}

bool kt_region_end(void)
{
    if (regions.depth == 0)
        return false;
    regions.depth--;
    leave_level(kt_self.stream, regions.depth);
    leave_level(kt_self.second, regions.depth);
    return true;
}

/* One of the two streams is told everything, so that times can be taken from it alone. */
static void tell_both(const struct kt_frame *now)
{
    kt_tell_regions(kt_self.stream, now);
    if (kt_self.second && !kt_interrupts_writer(kt_self.second, now))
        kt_tell_regions(kt_self.second, now);
}

static void record_within(const struct kt_frame *here)
{
    bool opens = kt_self.stream == &kt_no_stream;
    if (kt_self.silent || kt_is_paused() || kt_extras & KT_EXTRA_PROFILE || kt_pass(here) != KT_LOSS_COUNT)
        return;
    if (opens && regions.depth && regions.depth <= KT_REGION_LEVELS)
        regions.level[regions.depth - 1].begun = kt_now(); /* opening the stream is not the program's time */
    tell_both(here);
}

/* Its frame is among those in progress, so that signal handlers find that they have interrupted a writer. */
void kt_regions_record(void)
{
    int saved = errno;
    struct kt_frame here = {.self = &here, .binding = &kt_unbound};
    here.parent = kt_live_frame(kt_self.top, &here);
    here.depth = here.parent ? kt_depth_within(here.parent) : 0;
    here.guard = kt_guard(&here);
    atomic_signal_fence(memory_order_seq_cst);
    kt_self.top = &here;
    record_within(&here);
    kt_self.top = here.parent;
    errno = saved;
}
