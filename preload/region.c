/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/region.h"

#include "preload/quiet.h"
#include "preload/tape.h"
#include "preload/ticks.h"

#include <string.h>

/* The regions that this thread is in. */
static __thread struct {
    unsigned depth;
    struct {
        uint64_t begun; /* ticks */
        uint16_t id;
    } level[KT_REGION_LEVELS];
    double flops, bytes; /* that the innermost one did, and no stream has been told of */
} regions __attribute__((tls_model("initial-exec")));

void kt_region_after_fork(void)
{
    for (unsigned i = 0; i < KT_REGION_LEVELS; i++)
        regions.level[i].begun = kt_ticks_now();
}

static bool has_room(struct kt_stream *stream)
{
    if (!kt_tape_is_full(stream))
        return true;
    if (!kt_quiet_begin())
        return false;
    enum kt_loss cause = kt_tape_advance(stream);
    kt_quiet_end();
    return cause == KT_LOSS_COUNT;
}

static bool store_region(struct kt_stream *stream, unsigned id, uint64_t ticks)
{
    if (!has_room(stream))
        return false;
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

void kt_region_tell(struct kt_stream *stream, const struct kt_frame *now)
{
    const struct kt_told *told = &stream->told;
    if (KT_LIKELY(told->known == told->common && told->known == depth_of_regions()) || kt_extras & KT_EXTRA_PROFILE)
        return;
    uintptr_t ready = kt_open_stream(stream, now);
    store_regions(stream);
    kt_close_stream(stream, kt_is_frame(ready) ? 0 : ready);
}

bool kt_region_add_work(double flops, double bytes)
{
    if (regions.depth == 0 || regions.depth > KT_REGION_LEVELS) /* so deep a one is not told of */
        return false;
    regions.flops += flops;
    regions.bytes += bytes;
    return true;
}

bool kt_region_has_work(void)
{
    return regions.flops > 0 || regions.bytes > 0;
}

static void store_work(struct kt_stream *stream)
{
    if (!has_room(stream))
        return;
    memcpy(stream->cursor + 8, &regions.flops, sizeof regions.flops);
    memcpy(stream->cursor + 16, &regions.bytes, sizeof regions.bytes);
    kt_commit(stream, kt_event_head(KT_EVENT_WORK, KT_WORK_WORDS, 0, 0));
    regions.flops = regions.bytes = 0;
}

void kt_region_tell_work(struct kt_stream *stream, const struct kt_frame *now)
{
    const struct kt_told *told = &stream->told;
    if (!kt_region_has_work() || told->known != told->common || told->known != regions.depth)
        return;
    uintptr_t ready = kt_open_stream(stream, now);
    store_work(stream);
    kt_close_stream(stream, kt_is_frame(ready) ? 0 : ready);
}

void kt_region_begin(unsigned id)
{
    if (regions.depth < KT_REGION_LEVELS) {
        regions.level[regions.depth].id = (uint16_t)id;
        regions.level[regions.depth].begun = kt_ticks_now();
    }
    regions.depth++;
    regions.flops = regions.bytes = 0;
}

static void leave_level(struct kt_stream *stream, unsigned level)
{
    if (!stream || level >= stream->told.common)
        return;
    stream->told.common = level;
    stream->told.ended[level] = kt_ticks_now();
}

bool kt_region_end(void)
{
    if (regions.depth == 0)
        return false;
    regions.depth--;
    regions.flops = regions.bytes = 0;
    leave_level(kt_self.stream, regions.depth);
    leave_level(kt_self.second, regions.depth);
    return true;
}

void kt_region_begin_later(void)
{
    if (regions.depth && regions.depth <= KT_REGION_LEVELS)
        regions.level[regions.depth - 1].begun = kt_ticks_now();
}
