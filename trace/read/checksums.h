/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over operands that a trace has (KTRACE_CHECKSUM; FORMAT.md, "Checksums"). An event has those of one call; what
 * the reader has found wrong in a stream is not there.
 */
#ifndef KT_CHECKSUMS_H
#define KT_CHECKSUMS_H

#include "trace/read/cursor.h"

/* What is known of an operand of a call. */
struct kt_checksum {
    unsigned offset; /* of its address in the arguments, or KT_CHECK_RESULT */
    unsigned flags;  /* KT_CHECK_IN and so on */
    uint64_t in, out;
};

/* By the time at which the call began. */
struct kt_checked_call {
    uint64_t start;
    const unsigned char *event;
};

/* Of a stream. */
struct kt_checksums {
    struct kt_checked_call *call; /* earliest first; owned */
    size_t count;
};

/* The trace must stay open as long. */
void kt_checksums_load(const struct kt_process *process, size_t stream, struct kt_checksums *out);
void kt_checksums_free(struct kt_checksums *checksums);

/* Those of a call of the stream; returns how many, -1 if the trace has none of that call. */
int kt_checksums_of(const struct kt_checksums *checksums, const struct kt_call *call,
                    struct kt_checksum out[KT_CHECK_OPERANDS]);

/* Calls that have sums, outermost calls that have returned and should have, and operands that could not be read. */
struct kt_checksum_counts {
    uint64_t calls, missing, unread;
};
void kt_checksums_count(const struct kt_trace *trace, struct kt_checksum_counts *out);

/* Does KTRACE_CHECKSUM of the process name that word, in or out? */
bool kt_checksums_have(const struct kt_process *process, const char *word);

#endif
