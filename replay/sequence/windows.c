/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/windows.h"

#include "trace/base/random.h"
#include "trace/base/memory.h"

#include <stdbool.h>

/* --- the course ------------------------------------------------------------------------------------------------ */

enum { MOST_BLOCKS = 1 << 20 };

/* Pairs of blocks become one: there are so many calls that windows need not begin at each. */
static void join_blocks(struct kt_course *c)
{
    c->blocks /= 2;
    c->block *= 2;
    for (size_t i = 0; i < c->blocks; i++) {
        c->until[i] = c->until[2 * i + 1];
        c->played[i] = c->played[2 * i + 1];
    }
}

static double last_of(const double *sum, size_t blocks)
{
    return blocks ? sum[blocks - 1] : 0;
}

void kt_course_add(struct kt_course *c, double seconds, double gap)
{
    double before = kt_course_seconds(c);
    double played = kt_course_played(c);
    c->block = c->block ? c->block : 1;
    if (c->calls == c->blocks * c->block) {
        if (c->blocks == MOST_BLOCKS)
            join_blocks(c);
        c->until = kt_room_for_one(c->until, c->blocks, sizeof *c->until);
        c->played = kt_room_for_one(c->played, c->blocks++, sizeof *c->played);
    }
    c->until[c->blocks - 1] = before + seconds;
    c->played[c->blocks - 1] = played + gap + seconds;
    c->calls++;
}

double kt_course_seconds(const struct kt_course *c)
{
    return last_of(c->until, c->blocks);
}

double kt_course_played(const struct kt_course *c)
{
    return last_of(c->played, c->blocks);
}

void kt_course_free(struct kt_course *c)
{
    free(c->until);
    free(c->played);
    *c = (struct kt_course){0};
}

/* The first call of the block in which so many seconds of that sum are over. */
static size_t call_at(const struct kt_course *c, const double *sum, double seconds)
{
    size_t lo = 0;
    size_t hi = c->blocks - 1;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (sum[middle] <= seconds)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo * c->block;
}

/* How long the gap before a call is, or those of its block are in the mean. */
static double gap_before(const struct kt_course *c, size_t call)
{
    size_t block = call / c->block;
    double played = c->played[block] - last_of(c->played, block);
    return (played - (c->until[block] - last_of(c->until, block))) / (double)c->block;
}

/* How long it takes to play the window: all but the gap before its first call. */
static double length_of(const struct kt_course *c, const struct kt_window *window)
{
    double end = c->played[(window->end - 1) / c->block];
    return end - last_of(c->played, window->first / c->block) - gap_before(c, window->first);
}

/* --- windows --------------------------------------------------------------------------------------------------- */

/* Caches are in their state after the lead; there are many windows, so that they meet all phases of a program. */
enum { MOST_WINDOWS = 40, LEAST_LEAD = 2, MOST_LEAD = 50 };
static const double least_window = 10e-3; /* seconds */
static const double lead_part = 0.1;
static const double short_lead = 1e-3;   /* seconds of calls, of a window for one call */
static const double longest_lead = 5e-3; /* seconds, with the gaps */
static const double too_much = 1.5;      /* times what was to be kept: calls are kept whole */

static size_t before(size_t place, size_t calls)
{
    return place > calls ? place - calls : 0;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int compare_windows(const void *a, const void *b)
{
    const struct kt_window *x = a;
    const struct kt_window *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Where windows meet they become one, in which the calls of both count. */
static size_t join(struct kt_window *window, size_t count)
{
    size_t joined = 0;
    qsort(window, count, sizeof *window, compare_windows);
    for (size_t i = 0; i < count; i++) {
        struct kt_window *last = joined ? &window[joined - 1] : NULL;
        if (!last || window[i].first > last->end) {
            window[joined++] = window[i];
            continue;
        }
        last->counted = least(last->counted, window[i].counted);
        last->end = last->end < window[i].end ? window[i].end : last->end;
    }
    return joined;
}

/* The calls from FROM on that took so many seconds; the lead, of that many, is before them. */
static struct kt_window window_at(const struct kt_course *c, double from, double seconds, double lead)
{
    struct kt_window window = {.counted = call_at(c, c->until, from)};
    window.end = least(call_at(c, c->until, from + seconds) + c->block, c->calls);
    window.first = least(call_at(c, c->until, from - lead), before(window.counted, LEAST_LEAD));
    return window;
}

/* One in each of COUNT equal parts of the calls' time; to be played in about KEEP seconds. Returns in how many. */
static double spread(const struct kt_course *c, double keep, size_t count, struct kt_window *out)
{
    uint64_t state = 1;
    double sum = 0;
    double part = kt_course_seconds(c) / (double)count;
    double played = kt_course_played(c);
    double length = played > 0 ? keep * kt_course_seconds(c) / played / (double)count : 0;
    for (size_t i = 0; i < count; i++) {
        double at = (double)(kt_random(&state) >> 11) * 0x1p-53;
        out[i] = window_at(c, ((double)i + at) * part - at * length, length, lead_part * length);
        sum += length_of(c, &out[i]);
    }
    return sum;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* For one call. After a gap as long as a lead may take a single call before it is enough. */
static struct kt_window window_for(const struct kt_course *c, size_t call)
{
    size_t block = call / c->block;
    size_t lead = most(call_at(c, c->until, last_of(c->until, block) - short_lead),
                       call_at(c, c->played, last_of(c->played, block) - longest_lead));
    size_t least_lead = gap_before(c, call) < longest_lead ? LEAST_LEAD : 1;
    lead = most(lead, before(call, MOST_LEAD));
    return (struct kt_window){least(lead, before(call, least_lead)), call, call + 1};
}

static bool is_all(const struct kt_course *c, const struct kt_recording_limit *limit)
{
    return limit->calls >= c->calls && limit->seconds >= kt_course_played(c);
}

/* Where calls are long fewer windows hold what is to be kept. */
static size_t spread_as_many_as_fit(const struct kt_course *c, double keep, struct kt_window *out)
{
    size_t count = keep < MOST_WINDOWS * least_window ? (size_t)(keep / least_window) : MOST_WINDOWS;
    count = count ? count : 1;
    while (spread(c, keep, count, out) > too_much * keep && count > 1)
        count /= 2;
    return count;
}

size_t kt_windows_choose(const struct kt_course *c, const struct kt_recording_limit *limit, const size_t *must_have,
                         size_t must_haves, struct kt_window **out)
{
    *out = kt_resize(NULL, MOST_WINDOWS + must_haves, sizeof **out);
    if (is_all(c, limit)) {
        **out = (struct kt_window){0, 0, c->calls};
        return 1;
    }
    double all = kt_course_played(c);
    double of_calls = all * (double)limit->calls / (double)c->calls;
    double keep = limit->seconds < of_calls ? limit->seconds : of_calls;
    size_t count = spread_as_many_as_fit(c, keep, *out);
    double room = keep / 2;
    for (size_t i = 0; i < must_haves && room > 0; i++) {
        (*out)[count] = window_for(c, must_have[i]);
        room -= length_of(c, &(*out)[count++]);
    }
    return join(*out, count);
}
