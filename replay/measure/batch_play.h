/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One timed batch (replay/call/batch.h): its calls one after the other, or in a loop that threads share, each of which
 * makes as many of them, one behind the other, as loops of OpenMP have it by default.
 *
 * Threads of the loop have begun to run when the clock is read: starting them, or waking them, is not counted.
 */
#ifndef KT_BATCH_PLAY_H
#define KT_BATCH_PLAY_H

#include "replay/call/batch.h"
#include "replay/call/data.h"
#include "replay/measure/disturbance.h"

#include <sched.h>

/* What plays batches in a process, one at a time. Zeros: nothing so far. */
struct kt_call_batch_player {
    cpu_set_t processors;              /* that threads of loops may use; none: as the calling thread */
    const struct kt_call_batch *batch; /* in the arena */
    const struct kt_data_pool *pool;
    struct kt_arena arena;
    struct kt_operand *operand; /* at addresses of this process; owned, as what follows */
    struct prepared *prepared;
    struct kt_seats *seats;
    unsigned threads; /* of these */
};

/* Has the operands of the batch written and its calls made ready, unless that is so already. */
enum kt_status kt_call_batch_prepare(struct kt_call_batch_player *player, const struct kt_call_batch_form *form,
                                     const struct kt_layout *layout, void *function, struct kt_error *error);

/* Seconds of the batch, divided by its calls. COLD: all operands are in memory, otherwise those that were last used are
 * in cache. *INFO is that of the first call that has one. */
double kt_call_batch_time(struct kt_call_batch_player *player, const struct kt_call_batch_form *form, bool cold,
                          struct kt_disturbances *disturbances, int64_t *info);

#endif
