/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two runs of a program: their threads in pairs, and whether two calls are the same but for what they compute with.
 */
#ifndef KT_PAIRING_H
#define KT_PAIRING_H

#include "trace/read/cursor.h"

/* A thread that made calls. */
struct kt_pairing_thread {
    size_t process, stream;
    uint32_t tid;
    uint64_t before;  /* calls of the trace before those of its stream */
    uint64_t rank;    /* of its process in a job, */
    uint32_t born[2]; /* and how many processes and threads the system made before it, as far as their numbers tell */
};

/* Of a run, in an order that two runs of a program share. */
struct kt_pairing_threads {
    struct kt_pairing_thread *thread; /* owned */
    size_t count;
};

struct kt_pairing_threads kt_pairing_threads_find(const struct kt_trace *trace);
void kt_pairing_threads_free(struct kt_pairing_threads *threads);

/* The same routine by the same interface, with the same options and sizes? Numbers, addresses, leading dimensions and
 * lengths of workspaces may differ. */
bool kt_pairing_same_call(const struct kt_call *a, const struct kt_call *b);

/* Has the parameter the same bits in both calls of a routine? */
bool kt_pairing_same_bits(const struct kt_call *a, const struct kt_call *b, const struct kt_param *param);

enum kt_role kt_pairing_role(const struct kt_symbol *symbol, const struct kt_param *param);

/* Is it a floating-point number that is passed by itself? */
bool kt_pairing_is_number(const struct kt_param *param);

#endif
