/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the regions of a model are sampled: Chebyshev points with the ends of the box, so that neighbours and
 * descendants share samples, at multiples of 8 from 8 on; of a side of a crossover those on it, and next to it where
 * these are too few. Pure.
 */
#ifndef KT_GRID_H
#define KT_GRID_H

#include "model/kernels/domain.h"

enum { KT_GRID_MOST = KT_MAX_DEGREE + 4 };

/* Sizes along one axis of a box, ascending; returns how many. */
int kt_grid_axis(const struct kt_refine_rules *rules, int64_t lo, int64_t hi, int64_t out[KT_GRID_MOST]);

/* The same of a model's box. Where a slice has one the box takes the next multiple in its stead, as samples in slices
 * are not fitted outside of them. */
int kt_grid_of(const struct kt_refine_rules *rules, const struct kt_kernel_model *model, const struct kt_box *box,
               int axis, int64_t out[KT_GRID_MOST]);

/* The two parts of an axis at the middle point of its grid; 1: they would be too narrow, and the first one is all. */
int kt_grid_cut(const struct kt_refine_rules *rules, int64_t lo, int64_t hi, int64_t part[2][2]);

/* Calls WANT for each point of the region's grid that has not been sampled; returns how many. */
typedef void kt_want(void *context, const int64_t *size);
size_t kt_grid_wanted(const struct kt_refine_rules *rules, const struct kt_kernel_model *model, size_t region,
                      kt_want *want, void *context);
/* How many points of the region's grid were timed. */
int kt_grid_sampled(const struct kt_refine_rules *rules, const struct kt_kernel_model *model,
                    const struct kt_region *region);

#endif
