/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contents of replayed operands: random numbers in [-1, 1) without denormals, and where a routine needs more to do
 * what it did in the application, contents that are legal for it: a definite matrix, a well-conditioned triangle or
 * factorisation, pivots, reflectors with their scalars. No call can then overflow, underflow or end early.
 *
 * Contents are a function of the operand's place in the call, so writing them again restores the operand.
 */
#ifndef KT_DATA_H
#define KT_DATA_H

#include "trace/operand.h"

struct kt_data_pool;

struct kt_data_pool *kt_data_pool_new(void);
void kt_data_pool_free(struct kt_data_pool *pool);

/* Writes the contents of operand number I of the call; bases are addresses of this process. */
void kt_data_fill(const struct kt_data_pool *pool, const struct kt_operand *operand, int count, int i);

#endif
