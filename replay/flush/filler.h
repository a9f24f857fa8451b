/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fills the holes that flushed lines leave in caches with other data. Streaming kernels ran 3 to 20 % too fast without:
 * what they loaded displaced nothing.
 */
#ifndef KT_FILLER_H
#define KT_FILLER_H

#include "model/tracker/placement.h"

struct kt_crew;

struct kt_filler {
    unsigned char *area; /* NULL: not yet needed; owned */
    uint64_t bytes;      /* of the area: much more than is read at a time, so that what is read was read long ago */
    uint64_t piece;      /* bytes read at a time */
    uint64_t at;
    struct kt_crew *crew; /* reads on each processor; borrowed, NULL: on this one only */
};

void kt_filler_make(const struct kt_caches *caches, struct kt_crew *crew, struct kt_filler *out);
void kt_filler_free(struct kt_filler *filler);

/* Reads the next piece. Does nothing where there is no memory for it. */
void kt_filler_fill(struct kt_filler *filler);

#endif
