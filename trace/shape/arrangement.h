/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the operands of a call lie: where in its cache line each begins, and which are the same or overlap. Calls of one
 * shape may differ in that (a ddot of a vector with itself, then of two), and in time with it; what stands for all of
 * them in a replay should lie as most of them do. Blocks of one matrix that lie between each other's columns count as
 * apart, wherever they are.
 */
#ifndef KT_ARRANGEMENT_H
#define KT_ARRANGEMENT_H

#include "trace/read/cursor.h"
#include "trace/table/operand.h"

/* Of the calls of one shape. What has more than a quarter of the calls is among so many candidates (Metwally, Agrawal
 * and El Abbadi, "Efficient computation of frequent and top-k elements in data streams", 2005). */
enum { KT_ARRANGEMENTS = 4 };

struct kt_arrangements {
    struct kt_extent *extent; /* of each operand; owned */
    int operands;
    struct kt_arrangement {
        uint64_t hash;
        uint64_t calls;      /* at most so many: those of the one that it took the place of are among them */
        struct kt_call call; /* the first of them; kept; without arguments: no candidate yet */
    } candidate[KT_ARRANGEMENTS];
};

/* For calls of the shape that CALL has, with these operands. */
void kt_arrangements_begin(const struct kt_call *call, const struct kt_operand *operand, int operands,
                           struct kt_arrangements *out);
void kt_arrangements_add(struct kt_arrangements *arrangements, const struct kt_call *call);

/* One that lies as most of them do; to be dropped. FIRST if none was added. */
struct kt_call kt_arrangements_usual(const struct kt_arrangements *arrangements, const struct kt_call *first);
void kt_arrangements_free(struct kt_arrangements *arrangements);

#endif
