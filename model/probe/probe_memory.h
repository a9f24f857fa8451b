/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of the probes, and chains of loads through it (paper 003, 3.1): every element holds the address of the
 * next, in random order within pages, one page after the other, so that prefetchers cannot guess and the TLB is not
 * what is measured.
 */
#ifndef KT_PROBE_MEMORY_H
#define KT_PROBE_MEMORY_H

#include "model/analysis/hierarchy.h"
#include "model/loops/stopwatch.h"

#include <stdint.h>

struct kt_probe_memory {
    unsigned char *base; /* aligned to 2 MiB */
    size_t bytes;        /* that are there and touched */
    size_t huge;         /* bytes of it in huge pages, as the system says */
    size_t page;         /* of the order of chains: 2 MiB if all is in huge pages */
    uint64_t seed;
    double
        cycle; /* ticks of the core's cycle as of late, the fastest: a disturbed clock must not make loads seem quick */
    double until; /* kt_seconds_now() when the time for a curve is over */
    void *mapping;
    size_t mapped;
};

/* So many bytes, or half of what is available if that is less. False: there is not even 1 MiB. */
bool kt_probe_memory_open(size_t bytes, bool huge, struct kt_probe_memory *out);

/* The same, but nothing is touched yet: a page is put near the processor that touches it first. */
bool kt_probe_memory_reserve(size_t bytes, bool huge, struct kt_probe_memory *out);

/* At least LEAST bytes, and so many that caches hold but a small part of them: four times the last caches of so many
 * processors. Their sizes are those that the system claims: too large ones cost time, but make no number wrong. */
size_t kt_probe_memory_span(size_t least, size_t cpus);

/* Why there is no number where a span was wanted that could not be had. */
#define KT_PROBE_NO_SPAN                                                                       \
    "it takes %zu MiB to be out of the caches that the system names, and so much is not free " \
    "or would take too long"

void kt_probe_memory_close(struct kt_probe_memory *memory);

/* One sample of a pattern: the chain is built if it is not the last one, walked once, and then timed. */
struct kt_lap kt_probe_chase(struct kt_probe_memory *memory, const struct kt_pattern *pattern);

/* The walk itself: N loads, each of the address that the one before brought. */
void *kt_probe_walk(void *from, size_t n);

#endif
