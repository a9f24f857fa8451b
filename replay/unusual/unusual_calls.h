/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small calls with the options of recorded ones, to be made with contents that are no ordinary numbers
 * (replay/unusual/unusual.h): all sizes are cut down to a handful, or to some dozens, for kernels that take several
 * elements at once. Sizes that are in order stay so, as all are cut at the same number. A routine that cannot do with
 * that is called with the recorded sizes.
 */
#ifndef KT_UNUSUAL_CALLS_H
#define KT_UNUSUAL_CALLS_H

#include "replay/call/job.h"

/* What the call multiplies by. */
struct kt_unusual_scalar {
    const char *name; /* alpha, beta; NULL: all scalars are as recorded */
    double value;
};

struct kt_unusual_call {
    size_t group; /* calls of one symbol with the same options */
    int size;     /* 0, 1, ...: cut down to more and more; the last is as recorded */
    struct kt_unusual_scalar scalar;
    const char *zero; /* the one that was recorded as 0; NULL: none was */
};

struct kt_unusual_calls {
    struct kt_unusual_call *call; /* of each job; those of a group follow each other, by size; owned */
    size_t count, groups;
    struct kt_jobs jobs;          /* as many as calls */
    struct kt_shape_group *shape; /* of each job; owned */
    unsigned char **args;         /* owned */
};

enum { KT_UNUSUAL_SIZES = 3 };

/* JOBS must live as long. */
void kt_unusual_calls_make(const struct kt_jobs *jobs, struct kt_unusual_calls *out);
void kt_unusual_calls_free(struct kt_unusual_calls *calls);

#endif
