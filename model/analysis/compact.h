/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets, ways and line of the first cache from compact sequences (paper 004, section 4): addresses that a cache can hold
 * together or cannot, whatever the order, replacement or prefetcher.
 */
#ifndef KT_COMPACT_H
#define KT_COMPACT_H

#include "model/analysis/hierarchy.h"

struct kt_compact {
    const struct kt_chaser *chaser;
    double cost;  /* of a load from the first level */
    double noise; /* of a sample */
    double next;  /* cost of a load from the level after it */
};

/* 0: not found. */
struct kt_sets {
    size_t stride; /* bytes from which on all stops fall into one set: those of a way */
    size_t stops;  /* that one set cannot hold */
    size_t line;   /* bytes */
    size_t ways;
};

/* BYTES: about the size of the cache. Returns the share of searches that agreed; 0: no three of them did. */
double kt_compact_search(const struct kt_compact *compact, double bytes, struct kt_sets *out);

/* Where others keep a part of each set for themselves: the number of lines from which on all loads miss, as under LRU
 * they do once there is one more than a set holds, less one. 0: they go on hitting, so it replaces otherwise. */
size_t kt_compact_last_hit(const struct kt_compact *compact, const struct kt_sets *found);

#endif
