/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * KTRACE_CHECKSUM: sums over what the operands of outermost calls hold before and after the call, in an event behind
 * that of the call's end. FORMAT.md says which elements are summed, and how.
 *
 * Memory is read by the kernel (process_vm_readv), so what cannot be read is an error of the system call and nothing
 * else. It all happens outside of what is timed, and where no page fault counts as the call's.
 */
#ifndef KT_CHECKSUM_H
#define KT_CHECKSUM_H

#include "preload/shim.h"

struct kt_call;

/* At the start of the process; true if there will be sums. */
KT_HIDDEN bool kt_checksum_start(void);

/* Before the event of an outermost call is stored. WORD: those of the event, which are not complete yet. */
KT_HIDDEN void kt_checksum_inputs(const struct kt_frame *frame, const uint64_t *word, unsigned words);

/* The same call came through the trampoline, which will keep there what it returns. */
KT_HIDDEN void kt_checksum_registers(const struct kt_call *call);

/* The call has returned; STREAM has the event of its begin. */
KT_HIDDEN void kt_checksum_outputs(struct kt_stream *stream, const struct kt_frame *frame);

/* Right behind the event of its end; the stream is open. */
KT_HIDDEN void kt_checksum_store(struct kt_stream *stream, const struct kt_frame *frame);

#endif
