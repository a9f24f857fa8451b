/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What sizes a model is to know, before any is timed: its domain, slices at sizes that are special, and what of it
 * nobody uses.
 */
#ifndef KT_MODEL_DOMAIN_H
#define KT_MODEL_DOMAIN_H

#include "model/build/model_batch.h"

/* Of kernels with two sizes, whether one is always the larger: dgeqr2's of QR has at least as many rows as columns, and
 * along m = n its time has a bend that no polynomial of a box follows. All contexts, which are sampled together, have
 * the same, and what is known already stays so unless others are wanted. */
void kt_build_set_larger(const struct kt_build *build, size_t need);

/* The domain of a model of that need, grown to what the trace or the user wants, with slices. */
void kt_build_set_domain(const struct kt_build *build, size_t need, struct kt_kernel_model *model);

#endif
