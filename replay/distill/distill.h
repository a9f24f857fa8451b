/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a workload of a trace: a trace that is small, tells nothing of the program, and adds up to the same. Windows of
 * the calls of its busiest thread, or of all threads of its process if they called at the same time, are single calls
 * (replay/sequence/recorded.h chooses them); all other calls are counted, by shape or, where there is no room for that,
 * by routine.
 */
#ifndef KT_DISTILL_H
#define KT_DISTILL_H

#include "replay/distill/workload_text.h"
#include "trace/shape/shape.h"

/* Whose calls are counted one shape apart from the others: the heaviest ones. A workload is small. */
enum { KT_DISTILL_SHAPES = 1 << 13 };

struct kt_distill_options {
    uint64_t bytes; /* of the file, at most */
    double seconds; /* that the single calls took, about, with the gaps between them */
};

/* What became of the calls. */
struct kt_distilled {
    uint64_t bytes;                      /* of the file */
    uint64_t calls, windowed, uncounted; /* all; single ones; counted by routine only, or not at all */
    double seconds, windowed_seconds, uncounted_seconds;
    uint64_t shapeless; /* of UNCOUNTED, those whose shape the trace itself does not tell */
    double shapeless_seconds;
    size_t shapes, kept; /* all; that have a cell of their own, KT_DISTILL_SHAPES at most */
};

/* Writes the workload of an open trace into a file that is open and empty; PATH is for messages. */
enum kt_status kt_distill(const struct kt_trace *trace, const struct kt_distill_options *options, int file,
                          const char *path, struct kt_distilled *out, struct kt_error *error);

#endif
