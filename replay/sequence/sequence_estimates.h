/* SPDX-License-Identifier: BSD-3-Clause */
/* From the times of passes to estimates of calls and statistics of shapes; what asks for these is in sequence.h. */
#ifndef KT_SEQUENCE_ESTIMATES_H
#define KT_SEQUENCE_ESTIMATES_H

#include "replay/sequence/sequence.h"

/* When the last pass was played. */
void kt_sequence_estimate(struct kt_sequence *sequence);
void kt_sequence_forget_alone(struct kt_sequence *sequence);

#endif
