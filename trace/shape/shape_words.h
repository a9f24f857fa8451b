/* SPDX-License-Identifier: BSD-3-Clause */
/* "dgemv T 1000x1000": the routine of a call, its options and sizes; then what is not as usual: rows in the place of
 * columns, alpha that is not 1, beta that is not 0, increments, leading dimensions beyond the rows. Where all options
 * say that an operand is not transposed, they are left out. */
#ifndef KT_SHAPE_WORDS_H
#define KT_SHAPE_WORDS_H

#include "trace/read/cursor.h"

/* What words say besides: bit I stands for parameter I of the symbol, these for what the call is of. */
enum { KT_WORDS_SYMBOL = 62, KT_WORDS_LIBRARY = 63 };

void kt_shape_words(const struct kt_call *call, uint64_t also, char *out, size_t size);

/* What the words of each call, one of each shape, say besides, so that no two have the same. */
void kt_shape_words_apart(const struct kt_call *const *call, size_t count, uint64_t *also);

#endif
