/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contexts in which a call is re-timed: where its operands are when it begins. A context says for every operand
 * what is done to it between restoring its contents and reading the clock.
 *
 *     warm  every line is read, in the order of the interface: operands are where a caller who just used them left
 *           them, as far as they fit
 *     cold  every line is flushed to memory, outputs and workspace too; code and TLB stay warm
 *
 * Lines are flushed by address (Whaley & Castaldo, section 3): that needs no knowledge of cache sizes, and unlike
 * reading a large area it works on caches that do not replace the least recently used line.
 */
#ifndef KT_CACHE_H
#define KT_CACHE_H

#include "trace/operand.h"

enum kt_action { KT_TOUCH, KT_FLUSH };

struct kt_context {
    const char *name;
    enum kt_action operands; /* what is done to each */
};

/* NULL if there is no such context. */
const struct kt_context *kt_context_find(const char *name);

/* "warm, cold": for messages. */
const char *kt_context_names(void);

/* Brings the operands, whose addresses are those of this process, into the context. */
void kt_context_apply(const struct kt_context *context, const struct kt_operand *operand, int count);

/* How many times longer a load takes from a flushed line than from one just read. Near 1: flushing has no effect. */
double kt_cache_check(void);

#endif
