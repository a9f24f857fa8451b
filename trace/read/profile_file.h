/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cells of a profile's file, as far as they can be believed. A part of the reader.
 */
#ifndef KT_PROFILE_FILE_H
#define KT_PROFILE_FILE_H

#include "trace/read/stream.h"

struct kt_profile_cell {
    const struct kt_cell *cell;          /* its entry is defined */
    const uint64_t *word;                /* of the first call, before it returned; NULL: an overflow cell */
    const struct kt_cell_inside *inside; /* NULL: an overflow cell, or from before version 2.2 */
};

struct kt_profile {
    uint64_t tid;         /* of the thread that counts, 0: none */
    uint64_t all_threads; /* that have made calls in the process when it was told */
    uint32_t *cell;       /* where they are in the file, in units of 8 bytes: of a job there may be millions */
    size_t cells;
    const struct kt_thread_cell **thread;
    size_t threads;
    size_t current; /* number of the cell of the innermost call in progress, from 1 on; 0: none is known */
};

struct kt_profile_cell kt_profile_cell(const struct kt_stream *stream, size_t number);

/* Checks a stream that was loaded from such a file: it gets its profile and totals, and no span. Notes go to the trace.
 */
void kt_profile_check(struct kt_stream *stream, const struct kt_process *process, struct kt_trace *trace);
/* Outermost calls in which more may have been passed on than the cell tells. */
bool kt_profile_hides_passed(const struct kt_profile_cell *cell);
void kt_profile_free(struct kt_profile *profile);

#endif
