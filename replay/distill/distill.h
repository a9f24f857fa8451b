/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a workload of a trace: a trace that is small, tells nothing of the program, and adds up to the same. Windows of
 * the calls of its busiest process, all threads, are single calls (replay/sequence/windows.h chooses them); all other
 * calls are counted, by shape or, where there is no room for that, by routine.
 */
#ifndef KT_DISTILL_H
#define KT_DISTILL_H

#include "replay/distill/workload_text.h"
#include "trace/shape/shape.h"

struct kt_distill_options {
    uint64_t bytes; /* of the file, at most */
    double seconds; /* that the single calls took, about, with the gaps between them */
};

/* What became of the calls. */
struct kt_distilled {
    uint64_t bytes;                      /* of the file */
    uint64_t calls, windowed, uncounted; /* all; single ones; counted by routine only */
    double seconds, windowed_seconds, uncounted_seconds;
    size_t shapes, kept; /* all; that have a cell of their own */
};

/* Writes the workload of an open trace into a file that is open and empty; PATH is for messages. */
enum kt_status kt_distill(const struct kt_trace *trace, const struct kt_distill_options *options, int file,
                          const char *path, struct kt_distilled *out, struct kt_error *error);

#endif
