/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A call repeated on one working set after another (Whaley & Castaldo, section 4): the way to time a call that is too
 * short for one reading of the clock while its operands are not in cache.
 *
 * A large area is divided into working sets. Each call uses the next one, and until a set's turn comes again the others
 * have displaced it from every cache smaller than the area: the calls flush for each other, and nothing else is in
 * the timed loop. Sets are used from the highest to the lowest address, as most routines walk upwards: what a
 * prefetcher fetches ahead is then what the last call has used. Or in random order.
 *
 * The loop knows addresses and a thunk only; workingset.h makes it of a recorded call.
 */
#ifndef KT_ROTATION_H
#define KT_ROTATION_H

#include "replay/call/call.h"

enum kt_walk { KT_WALK_BACKWARDS, KT_WALK_RANDOM };

struct kt_rotation {
    /* set by the caller before kt_rotation_begin() */
    kt_thunk *thunk;
    void *function;
    struct kt_parameters parameters[2]; /* addresses are those in set 0; the second ones are used if ALTERNATE */
    bool alternate;                     /* every other walk over all sets is made with the second parameters */
    unsigned char word[KT_MAX_WORDS];   /* indices of the words that move with the set */
    int words;
    uint64_t stride; /* bytes from set to set */
    uint64_t sets;
    enum kt_walk walk;
    uint64_t seed; /* of the random order */

    int64_t *jump;   /* random walk: bytes from the set at each position to the next; owned */
    uint32_t *order; /* random walk: set at each position; owned */
    uint64_t left;   /* position of the next call's set: positions are walked down to 0 */
    int which;       /* parameters in use */
    double overhead; /* seconds that the loop takes for a call besides the call */
};

/* False if there are too many sets, or none. */
bool kt_rotation_begin(struct kt_rotation *rotation);
void kt_rotation_end(struct kt_rotation *rotation);

/* Makes so many calls and returns the seconds that one took: readings and loop are subtracted, not below 0. */
double kt_rotation_time(struct kt_rotation *rotation, uint64_t calls);

/* The call of nothing that the loop is measured with. */
kt_thunk kt_rotation_no_call;

/* The set that a call uses which is so many calls after the next; negative: that was used before. */
uint64_t kt_rotation_set(const struct kt_rotation *rotation, int64_t calls_ahead);

#endif
