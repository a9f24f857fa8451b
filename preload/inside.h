/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of which outermost calls is recorded what nests in them (KTRACE_NESTED)? Recording a nested call takes longer than
 * many of them do, so a call whose inside is recorded is no measurement of its time. Insides are recorded of the first
 * call of each entry that does not only ask for a workspace size, and then of calls that are drawn, with a probability
 * that keeps what it costs below a hundredth of the time of all: a long call is drawn more often than a short one, as a
 * call costs the same in either.
 *
 * An inside is recorded whole or not at all: the decision falls before the call begins.
 */
#ifndef KT_INSIDE_H
#define KT_INSIDE_H

#include "preload/settings.h"

/* At the start. SELF_TICKS: what recording a call takes at least. */
KT_HIDDEN void kt_inside_start(enum kt_nested nested, uint64_t self_ticks);

/*
 * An outermost call begins, the next of the stream. (A signal handler may change kt_self.stream at any time.) If its
 * inside is to be recorded, the frame does not pass calls on, and the weight is returned that the inside has
 * (include/ktrace/format.h); otherwise 0. WORD: the call's words.
 */
KT_HIDDEN uint32_t kt_inside_draw(struct kt_stream *stream, struct kt_frame *frame, const uint64_t *word,
                                  unsigned words);

/* It has ended, after TICKS; PASSED nested calls were passed on in it. */
KT_HIDDEN void kt_inside_learn(struct kt_stream *stream, const struct kt_frame *frame, uint64_t ticks, uint64_t passed);

/* Of the outermost call that this one is, or is in; of all if all insides are recorded. */
KT_HIDDEN uint32_t kt_inside_weight(void);

/* Is a call of the entry known to have nested others? Then each has to be drawn. */
KT_HIDDEN bool kt_inside_is_likely(unsigned entry);

/* Did none of its outermost calls work so far? The first one is to be drawn. */
KT_HIDDEN bool kt_inside_is_new(unsigned entry);

#endif
