/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices whose columns could be farther apart. Pure functions.
 */
#ifndef KT_PADDED_H
#define KT_PADDED_H

#include "trace/shape/shape.h"
#include "trace/table/operand.h"

/* Has it several columns, and does the caller say how far they are apart? */
bool kt_padded_is_matrix(const struct kt_routine *routine, const struct kt_operand *operand);

/* Such an operand cannot be stored otherwise alone. */
bool kt_padded_overlaps(const struct kt_operand *operand, int count, int i);

/*
 * Writes the arguments of the call into OUT, with the leading dimensions of all its matrices BY elements longer, and
 * with room for that between the operands: each lies in a page where it did. NULL: done; otherwise why that cannot be.
 */
const char *kt_padded_args(const struct kt_call *call, int64_t by, unsigned char *out);

#endif
