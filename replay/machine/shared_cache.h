/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which processors share their last cache, as the system describes it.
 */
#ifndef KT_SHARED_CACHE_H
#define KT_SHARED_CACHE_H

#include <sched.h>
#include <stdbool.h>

struct kt_shared_cache {
    unsigned level;
    int first; /* of the processors: the same for all of them */
    cpu_set_t processors;
};

/* The last cache of processor CPU. ROOT is put before /sys; NULL: nothing. False: the system does not tell. */
bool kt_shared_cache_of(const char *root, int cpu, struct kt_shared_cache *out);

#endif
