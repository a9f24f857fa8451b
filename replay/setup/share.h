/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One of several processes' share of a replay or a comparison. Each works out from the same trace which shapes are
 * whose, so none has to talk to another. Processes that share a cache measure one after the other.
 */
#ifndef KT_SHARE_H
#define KT_SHARE_H

#include "replay/call/job.h"
#include "trace/base/error.h"

struct kt_share {
    unsigned number, of; /* number from 1 on; of 0: there are no others */
    bool from_launcher;  /* a rank of a parallel job, and not an option */
};

/* "2/4". */
enum kt_status kt_share_parse(const char *text, struct kt_share *out, struct kt_error *error);

/* What the launcher of a parallel job says of this process, unless SHARE is known or it is alone. */
void kt_share_find(struct kt_share *share);

/* By job, the number of the share that it is of: heaviest first each goes to whoever has least to do so far. To be
 * freed; NULL: there are no others. */
unsigned *kt_share_owners(const struct kt_share *share, const struct kt_jobs *jobs);

/* Leaves only the jobs of this share, in their order. */
void kt_share_take(const struct kt_share *share, struct kt_jobs *jobs);

/* Waits until nobody else measures on a cache that *PROCESSOR has part in, or chooses another processor whose cache is
 * free. Says what it waits for. Others are kept out until this process ends. */
void kt_share_lock(const struct kt_share *share, int *processor);

#endif
