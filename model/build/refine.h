/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adaptive refinement (Peise & Bientinesi, section 2.2): a box of sizes gets samples on a grid and a polynomial fitted
 * to them; where it is not good enough, the box is split at the middle point of its grid along the axes that are long
 * enough.
 *
 * What differs from the paper: a box is split only along axes along which lines of its grid are rough. The grid
 * includes the ends of the box (model/kernels/grid.h), and every sample inside a box, on the region's side of the
 * crossover, is fitted; an error counts as such only beyond what the samples themselves are uncertain by, and where
 * that decides, samples are timed again. Small sizes, and those that are used often, are in boxes of their own
 * (model/kernels/domain.h).
 */
#ifndef KT_REFINE_H
#define KT_REFINE_H

#include "model/kernels/grid.h"
#include "model/build/least_squares.h"

/* Fits a region to all samples that it holds. */
enum kt_status kt_refine_fit(const struct kt_refine_rules *rules, struct kt_solver *solver,
                             struct kt_kernel_model *model, size_t region, struct kt_error *error);

/* How far the worst sample of the region is from the polynomial beyond its own uncertainty; relative. */
double kt_refine_excess(const struct kt_refine_rules *rules, const struct kt_kernel_model *model, size_t region);

/* Is it only the sample's own uncertainty that keeps its error from counting, and would it be less another time? */
bool kt_refine_doubts(const struct kt_refine_rules *rules, const struct kt_kernel_model *model, size_t region,
                      const struct kt_point *point);

/* Does it hold samples that were timed again since it was fitted? */
bool kt_refine_is_outdated(const struct kt_refine_rules *rules, const struct kt_kernel_model *model, size_t region);

/* Splits the region, whose place its parts take; false if it is too small for that. Parts keep the polynomial, as that
 * of the whole is better than none. */
bool kt_refine_split(const struct kt_refine_rules *rules, struct kt_kernel_model *model, size_t region);

/* A region needs samples, and a fit, if it has no polynomial of its own. */
bool kt_refine_is_pending(const struct kt_region *region);

#endif
