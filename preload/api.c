/* SPDX-License-Identifier: BSD-3-Clause */
/* What include/ktrace/ktrace.h offers: pauses, named regions, and what these did. */
#include "preload/control.h"

#include "preload/define.h"
#include "preload/gate.h"
#include "preload/line.h"
#include "preload/process.h"
#include "preload/quiet.h"
#include "preload/region.h"
#include "preload/slow.h"
#include "preload/writer.h"

#include <errno.h>
#include <float.h>
#include <string.h>
#include <sys/mman.h>

/* The last one is that of all names that are too many. Half of the slots stay free. */
enum { MOST_REGIONS = 4096, NAME_SLOTS = 2 * MOST_REGIONS, NAME_BYTES = 200 };

static const char others[] = "(more regions)";

/* --- the names of regions
 * ----------------------------------------------------------------------------------------------- */

static struct {
    char *name[MOST_REGIONS];  /* index = id - 1 */
    uint16_t slot[NAME_SLOTS]; /* id of the name that has this place by its hash; 0: none */
    unsigned count;
} regions;

static char *copy_name(const char *name)
{
    static char *room;
    static size_t left;
    size_t bytes = strlen(name) + 1;
    if (bytes > left) {
        enum { BYTES = 64 << 10 };
        void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED)
            return NULL;
        room = at;
        left = BYTES;
    }
    char *copy = memcpy(room, name, bytes);
    room += bytes;
    left -= bytes;
    return copy;
}

static void define_region(unsigned id, const char *name)
{
    static struct kt_line line;
    line.length = 0;
    kt_line_raw(&line, "region\t");
    kt_line_unsigned(&line, id, 10);
    kt_line_raw(&line, "\t");
    kt_line_escaped(&line, name, strlen(name));
    kt_line_raw(&line, "\n");
    kt_define_line(line.text, line.length);
}

/* Where the name is, or would be. */
static uint16_t *name_slot(const char *name)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    uint16_t *slot = &regions.slot[hash % NAME_SLOTS];
    while (*slot && strcmp(regions.name[*slot - 1], name) != 0)
        slot = slot == &regions.slot[NAME_SLOTS - 1] ? regions.slot : slot + 1;
    return slot;
}

/* Within a slow path. */
static unsigned region_id(const char *name)
{
    uint16_t *slot = name_slot(name);
    if (!*slot && regions.count >= MOST_REGIONS - 1)
        slot = name_slot(name = others);
    char *copy = *slot ? NULL : copy_name(name);
    if (copy) {
        regions.name[regions.count++] = copy;
        *slot = (uint16_t)regions.count;
        define_region(regions.count, name);
    }
    return *slot ? *slot : UINT16_MAX; /* without memory it has no name */
}

/* --- what is recorded of them ------------------------------------------------------------------------------ */

/* One of the two streams is told everything, so that times can be taken from it alone. */
static void tell_both(const struct kt_frame *now)
{
    kt_region_tell(kt_self.stream, now);
    if (kt_self.second && !kt_writer_is_interrupted(kt_self.second, now))
        kt_region_tell(kt_self.second, now);
}

static void record_within(const struct kt_frame *here)
{
    bool opens = kt_self.stream == &kt_no_stream;
    if (kt_self.silent || kt_is_paused() || kt_extras & KT_EXTRA_PROFILE || kt_gate_pass(here) != KT_LOSS_COUNT)
        return;
    if (opens)
        kt_region_begin_later(); /* opening the stream is not the program's time */
    tell_both(here);
    kt_region_tell_work(kt_self.stream, here);
}

/* Its frame is among those in progress, so that signal handlers find that they have interrupted a writer. */
static void record_regions(void)
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

static void enter_region(const char *name)
{
    char text[NAME_BYTES];
    size_t length = strnlen(name, sizeof text - 1);
    memcpy(text, name, length);
    text[length] = '\0';
    if (kt_region_has_work())
        record_regions();
    if (!kt_slow_begin())
        return;
    kt_region_begin(region_id(text));
    kt_slow_end();
    record_regions();
}

static void leave_region(void)
{
    bool left = false;
    if (kt_region_has_work())
        record_regions(); /* there was no room before */
    if (kt_quiet_begin()) {
        left = kt_region_end();
        kt_quiet_end();
    }
    if (left)
        record_regions();
}

/* --- what include/ktrace/ktrace.h offers ------------------------------------------------------------------- */

/* The page may be just about to be replaced by that of the file. */
static void pause_or_not(uint32_t paused)
{
    int saved = errno;
    kt_process_start();
    bool alone = kt_slow_begin();
    __atomic_store_n(&kt_control()->paused, paused, __ATOMIC_RELAXED);
    kt_control_change();
    if (alone)
        kt_slow_end();
    errno = saved;
}

static bool is_recording(void)
{
    kt_process_start();
    enum kt_state state = atomic_load(&kt_recorder.state);
    return state == KT_STATE_READY || state == KT_STATE_OPEN;
}

KT_EXPORT void ktrace_api_pause(void);
KT_EXPORT void ktrace_api_pause(void)
{
    pause_or_not(1);
}

KT_EXPORT void ktrace_api_resume(void);
KT_EXPORT void ktrace_api_resume(void)
{
    pause_or_not(0);
}

KT_EXPORT void ktrace_api_begin(const char *name);
KT_EXPORT void ktrace_api_begin(const char *name)
{
    int saved = errno;
    if (name && is_recording())
        enter_region(name);
    errno = saved;
}

KT_EXPORT void ktrace_api_end(void);
KT_EXPORT void ktrace_api_end(void)
{
    int saved = errno;
    if (is_recording())
        leave_region();
    errno = saved;
}

static void state_work(double flops, double bytes)
{
    bool is_told = false;
    if (kt_quiet_begin()) {
        is_told = kt_region_add_work(flops, bytes);
        kt_quiet_end();
    }
    if (is_told)
        record_regions();
}

static bool is_number(double x)
{
    return x >= 0 && x <= DBL_MAX;
}

KT_EXPORT void ktrace_api_work(double flops, double bytes);
KT_EXPORT void ktrace_api_work(double flops, double bytes)
{
    int saved = errno;
    if (is_number(flops) && is_number(bytes) && is_recording() && !kt_is_paused())
        state_work(flops, bytes);
    errno = saved;
}

KT_EXPORT int ktrace_api_recording(void);
KT_EXPORT int ktrace_api_recording(void)
{
    return is_recording() && !kt_is_paused();
}
