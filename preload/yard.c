/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/yard.h"

#include "preload/system.h"
#include "preload/tape.h"
#include "preload/ticks.h"

#include <errno.h>
#include <sys/resource.h>

enum { INTERVAL_NS = 10000000, LEAST_NS = 1000000, LEAST_STEP = 512 };

/* Ticks between two readings; 0: there are none. A guess until the clocks have been read twice. */
static _Atomic uint64_t interval;
static struct kt_anchor first;

/* The kernel's clock takes the place of the ticks where these do not measure time, and in profiles there are no events.
 */
void kt_yard_start(bool wanted)
{
    const uint64_t guess = (uint64_t)1 << 26; /* more than 10 ms of every clock that there is */
    bool possible = KT_HAS_YARDSTICK && !(kt_extras & (KT_EXTRA_CLOCK | KT_EXTRA_PROFILE));
    first = kt_ticks_anchor();
    atomic_store_explicit(&interval, wanted && possible ? guess : 0, memory_order_relaxed);
}

static uint64_t ticks_between_readings(void)
{
    return atomic_load_explicit(&interval, memory_order_relaxed);
}

void kt_yard_set_limit(struct kt_stream *s)
{
    bool stops = ticks_between_readings() && s->room - s->cursor > (ptrdiff_t)s->yard.step;
    s->limit = stops ? s->cursor + s->yard.step - 8 : s->room;
}

/* Where the C library cannot read the clock by itself it asks the kernel. */
static void find_interval(void)
{
    if (!kt_system_may_ask())
        return;
    struct kt_anchor now = kt_ticks_anchor();
    uint64_t ns = now.monotonic_ns - first.monotonic_ns;
    if (ns >= LEAST_NS)
        atomic_store_explicit(&interval,
                              (uint64_t)((unsigned __int128)(now.ticks - first.ticks) * INTERVAL_NS / ns) + 1,
                              memory_order_relaxed);
}

static uint64_t microseconds(const struct timeval *t)
{
    return (uint64_t)t->tv_sec * 1000000u + (uint64_t)t->tv_usec;
}

/* What the kernel knows of the thread. */
static void ask_kernel(uint64_t *time, uint64_t *switches)
{
    struct rusage usage;
    int saved = errno;
    *time = *switches = KT_YARD_UNKNOWN;
    if (kt_system_may_ask() && getrusage(RUSAGE_THREAD, &usage) == 0) {
        *time = microseconds(&usage.ru_utime) + microseconds(&usage.ru_stime);
        *switches = (uint32_t)usage.ru_nivcsw | (uint64_t)usage.ru_nvcsw << 32;
    }
    errno = saved;
}

static uint64_t at_most_32_bits(uint64_t ticks)
{
    return ticks < UINT32_MAX ? ticks : UINT32_MAX;
}

static KT_COLD void read_machine(struct kt_stream *s)
{
    uint64_t *at = (uint64_t *)(void *)s->cursor;
    at[1] = kt_clock_start();
    ask_kernel(&at[4], &at[5]);
    struct kt_yardstick y = kt_yard_read(s->yard.lines);
    at[2] = at_most_32_bits(y.chain) | at_most_32_bits(y.wide) << 32;
    at[3] = at_most_32_bits(y.memory);
    kt_commit(s, kt_event_head(KT_EVENT_YARDSTICK, KT_YARDSTICK_WORDS, KT_YARD_LOADS, KT_YARD_ADDITIONS));
    find_interval();
    uint64_t now = kt_clock_start();
    s->yard.due = now + ticks_between_readings();
    kt_add(&s->room_ticks, now - at[1]);
}

static bool is_due(const struct kt_stream *s, uint64_t now)
{
    return ticks_between_readings() && (!s->yard.due || (int64_t)(now - s->yard.due) >= 0);
}

/* A call that another one is in would take longer by the reading. */
void kt_yard_after(struct kt_stream *s, unsigned depth, uint64_t now)
{
    if (depth == 0 && is_due(s, now) && !kt_tape_is_full(s))
        read_machine(s);
}

/* Some times between two readings. */
void kt_yard_look(struct kt_stream *s, unsigned depth)
{
    uint64_t ticks = ticks_between_readings();
    if (!ticks)
        return;
    uint64_t now = kt_clock_start();
    uint64_t since = now - s->yard.looked;
    if (s->yard.step < LEAST_STEP)
        s->yard.step = LEAST_STEP;
    else if (since < ticks / 4 && s->yard.step < s->chunk_bytes)
        s->yard.step *= 2;
    else if (since > ticks / 2 && s->yard.step > LEAST_STEP)
        s->yard.step /= 2;
    s->yard.looked = now;
    kt_yard_after(s, depth, now);
    kt_yard_set_limit(s);
}
