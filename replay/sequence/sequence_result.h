/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a sequence was and what it found, beside the column that it has in the tables of shapes.
 */
#ifndef KT_SEQUENCE_RESULT_H
#define KT_SEQUENCE_RESULT_H

#include "replay/sequence/sequence.h"

#include <jansson.h>

json_t *kt_sequence_json(const struct kt_sequence *sequence);
void kt_sequence_print(const struct kt_sequence *sequence);

/* The sum over all replayed calls of the level: of shapes that were not met in the sequence the time in situ. */
double kt_sequence_total(const struct kt_sequence *sequence);

#endif
