/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops that read and write memory as fast as the core can, for the bandwidth probe.
 */
#ifndef KT_PROBE_STREAMS_H
#define KT_PROBE_STREAMS_H

#include <stdbool.h>
#include <stddef.h>

enum { KT_STREAM_BLOCK = 128 }; /* doubles: what lengths are multiples of */

struct kt_stream_loop {
    const char *operation; /* load, store, nt_store (past the caches), copy (a = b), triad (a = b + k * c) */
    int arrays;            /* that it walks through: all of them count as bytes moved */
    int bits;              /* of a register */
    const char *needs;     /* instruction set */
    void (*run)(double *a, const double *b, const double *c, size_t doubles, int parts); /* PARTS: 1, 2 or 4 */
};

extern const struct kt_stream_loop kt_stream_loops[];
extern const size_t kt_stream_loop_count;

/* Of an array that has room for DOUBLES: an odd number of blocks, so that the parts do not begin at the same place of
 * a set of a cache or of a bank of memory. */
size_t kt_stream_doubles(double doubles);

bool kt_stream_loop_present(const struct kt_stream_loop *loop);

#endif
