/* SPDX-License-Identifier: BSD-3-Clause */
/* "dgemv T 1000x1000": the routine of a call, its options, unless no operand is transposed, and
 * sizes; then what is not as usual: rows in the place of
 * columns, alpha that is not 1, beta that is not 0, increments, leading dimensions beyond the rows. */
#ifndef KT_SHAPE_WORDS_H
#define KT_SHAPE_WORDS_H

#include "trace/read/cursor.h"

void kt_shape_words(const struct kt_call *call, char *out, size_t size);

#endif
