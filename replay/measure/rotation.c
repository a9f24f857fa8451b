/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/measure/rotation.h"

#include "ktrace/clock.h"
#include "trace/base/random.h"
#include "replay/call/timer.h"
#include "trace/base/memory.h"

enum { MOST_SETS = 1 << 26 };

/* --- the way over the sets --------------------------------------------------------------------------------- */

static uint64_t set_at(const struct kt_rotation *r, uint64_t position)
{
    return r->order ? r->order[position] : position;
}

static void make_order(struct kt_rotation *r)
{
    r->order = kt_resize(NULL, r->sets, sizeof *r->order);
    r->jump = kt_resize(NULL, r->sets, sizeof *r->jump);
    for (uint64_t i = 0; i < r->sets; i++) {
        uint64_t j = kt_random(&r->seed) % (i + 1);
        r->order[i] = r->order[j];
        r->order[j] = (uint32_t)i;
    }
    for (uint64_t i = 1; i < r->sets; i++)
        r->jump[i] = ((int64_t)r->order[i - 1] - (int64_t)r->order[i]) * (int64_t)r->stride;
}

static void move(struct kt_rotation *r, int64_t bytes)
{
    int64_t *word = r->parameters[r->which].word;
    for (int i = 0; i < r->words; i++)
        word[r->word[i]] += bytes;
}

/* To the first set of the next walk. Both parameters are at set 0 while they are not in use. */
static void start_walk(struct kt_rotation *r)
{
    r->left = r->sets - 1;
    move(r, (int64_t)(set_at(r, r->left) * r->stride));
}

static void turn(struct kt_rotation *r)
{
    move(r, -(int64_t)(set_at(r, 0) * r->stride));
    r->which ^= r->alternate;
    start_walk(r);
}

uint64_t kt_rotation_set(const struct kt_rotation *r, int64_t calls_ahead)
{
    int64_t sets = (int64_t)r->sets;
    int64_t position = ((int64_t)r->left - calls_ahead) % sets;
    return set_at(r, (uint64_t)(position < 0 ? position + sets : position));
}

/* --- the timed loop ---------------------------------------------------------------------------------------- */

/* Usually one comparison and one addition for each address; ends with the next call's set in place. */
static void make_calls(struct kt_rotation *r, kt_thunk *thunk, uint64_t calls)
{
    struct kt_returned returned;
    for (; calls; calls--) {
        thunk(r->function, &r->parameters[r->which], &returned);
        if (r->left) {
            move(r, r->jump ? r->jump[r->left] : -(int64_t)r->stride);
            r->left--;
        } else {
            turn(r);
        }
    }
}

static double time_calls(struct kt_rotation *r, kt_thunk *thunk, uint64_t calls)
{
    static uint64_t cost;
    if (!cost)
        cost = kt_clock_cost();
    uint64_t start = kt_clock_start();
    make_calls(r, thunk, calls);
    double ticks = (double)(kt_clock_stop() - start) - (double)cost;
    return ticks / (double)calls * kt_timer_tick();
}

void kt_rotation_no_call(void *function, const struct kt_parameters *parameters, struct kt_returned *out)
{
    (void)function, (void)parameters, (void)out;
}

static void measure_overhead(struct kt_rotation *r)
{
    enum { TRIES = 100, CALLS = 1000 };
    r->overhead = 1;
    for (int i = 0; i < TRIES; i++) {
        double seconds = time_calls(r, kt_rotation_no_call, CALLS);
        r->overhead = seconds < r->overhead ? seconds : r->overhead;
    }
}

/* Back to the beginning, as if no call had been made. */
static void rewind_walk(struct kt_rotation *r)
{
    move(r, -(int64_t)(set_at(r, r->left) * r->stride));
    r->which = 0;
    start_walk(r);
}

bool kt_rotation_begin(struct kt_rotation *r)
{
    r->order = NULL;
    r->jump = NULL;
    r->which = 0;
    if (r->sets == 0 || r->sets > MOST_SETS)
        return false;
    if (r->walk == KT_WALK_RANDOM)
        make_order(r);
    start_walk(r);
    measure_overhead(r);
    rewind_walk(r);
    return true;
}

void kt_rotation_end(struct kt_rotation *r)
{
    free(r->order);
    free(r->jump);
    r->order = NULL;
    r->jump = NULL;
}

double kt_rotation_time(struct kt_rotation *r, uint64_t calls)
{
    double seconds = time_calls(r, r->thunk, calls) - r->overhead;
    return seconds > 0 ? seconds : 0;
}
