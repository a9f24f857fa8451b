/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/clockrate.h"

#include "ktrace/clock.h"

#include <math.h>

/* An interruption falls into one of the pieces, and the fastest counts. */
enum { PIECES = 3, UNROLLED = 16, TURNS_LEAST = 64, TURNS_MOST = 64 * TURNS_LEAST };

static const double largest_jump = 0.03;
static const double least_ticks = 200; /* of a chain: one more or less is half a percent */
static const double least_costs = 50;  /* of a chain: clocks go in steps, of at most what a reading costs */

#define TWICE(x)  x x
#define UNROLL(x) TWICE(TWICE(TWICE(TWICE(x))))

#if defined(__x86_64__)
#define HAS_CHAIN 1
#define ADD       "add %1, %0\n\t"
#elif defined(__aarch64__)
#define HAS_CHAIN 1
#define ADD       "add %0, %0, %1\n\t"
#else
#define HAS_CHAIN 0
#define ADD       ""
#endif

static void chain_of_additions(int turns)
{
    uint64_t sum = 1;
    uint64_t one = 1;
    for (int i = 0; i < turns; i++)
        __asm__ volatile(UNROLL(ADD) : "+r"(sum) : "r"(one) : "cc");
}

/* Ticks of the fastest piece. The first reading waits for what was begun before. */
static uint64_t time_chain(int turns)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < PIECES; i++) {
        uint64_t start = kt_clock_stop();
        chain_of_additions(turns);
        uint64_t ticks = kt_clock_stop() - start;
        least = ticks < least ? ticks : least;
    }
    return least;
}

int kt_clockrate_turns(double ticks, double cost)
{
    double turns = TURNS_LEAST;
    while (turns * ticks < fmax(least_ticks, least_costs * cost) && turns <= TURNS_MOST)
        turns *= 2;
    return turns <= TURNS_MOST ? (int)turns : 0;
}

/* What is known of the clock that a chain is timed with. */
struct scale {
    bool is_known;
    uint64_t cost; /* of a reading, in ticks */
    int turns;     /* of a chain; 0: no chain is long enough */
};

static const struct scale *find_scale(void)
{
    static struct scale scale;
    if (!scale.is_known) {
        scale.cost = kt_clock_cost();
        scale.turns = kt_clockrate_turns((double)time_chain(TURNS_MOST) / TURNS_MOST, (double)scale.cost);
        scale.is_known = true;
    }
    return &scale;
}

/* Ticks of an instruction of the chain. */
static double time_one(const struct scale *scale)
{
    uint64_t ticks = time_chain(scale->turns);
    return (ticks > scale->cost ? (double)(ticks - scale->cost) : 1) / (scale->turns * UNROLLED);
}

double kt_clockrate(void)
{
    if (!HAS_CHAIN || find_scale()->turns == 0)
        return NAN;
    return 1 / time_one(find_scale());
}

double kt_clockrate_cycles(double ticks, double before, double after)
{
    return ticks * (before + after) / 2;
}

bool kt_clockrate_jumped(double before, double after)
{
    return fabs(after - before) > largest_jump * fmax(before, after);
}
