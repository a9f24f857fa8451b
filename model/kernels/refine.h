/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adaptive refinement (Peise & Bientinesi, section 2.2): a box of sizes gets samples on a grid and a polynomial fitted
 * to them; where it is not good enough, the box is split at the middle point of its grid along the axes that are long
 * enough.
 *
 * What differs from the paper: a box is split only along axes along which lines of its grid are rough. The grid
 * includes the ends of the box, so that neighbours and descendants share samples, and every sample inside a box is
 * fitted; an error counts as such only beyond what the samples themselves are uncertain by; sizes below 8 are in boxes
 * of their own, sampled one by one; and sizes that are used often, such as those of blocks, may have slices: boxes of
 * one size along an axis, with polynomials of the other sizes. Kernels are not smooth there: OpenBLAS' dsyrk takes 10
 * to 40 % longer where k is 256 or 512 than for 248 and 264.
 */
#ifndef KT_REFINE_H
#define KT_REFINE_H

#include "model/kernels/least_squares.h"
#include "model/kernels/model_set.h"

struct kt_refine_rules {
    int degree;       /* of each axis; 3 */
    int oversampling; /* grid points of an axis beyond those that determine the polynomial; 1 */
    double bound;     /* largest relative error; 0.05 */
    int smallest;     /* width of a box along each axis; 32 */
    int multiple;     /* of which sampled sizes from 8 on are; 8 */
};

#define KT_REFINE_DEFAULTS ((struct kt_refine_rules){3, 1, 0.05, 32, 8})

enum { KT_GRID_MOST = KT_MAX_DEGREE + 4 };

/* Grows the model's domain so that it holds the box, and to what the grid can sample: multiples from 8 on. What is new
 * gets regions of its own, unless it is so little that the neighbours' polynomials hold there. */
void kt_refine_grow(const struct kt_refine_rules *rules, struct kt_kernel_model *model, const struct kt_box *box);

/* Puts the parts, at least one, in the place of a region without polynomial. */
void kt_refine_cut(struct kt_kernel_model *model, size_t region, const struct kt_box *part, size_t parts);

/* Gives the model a crossover (model/kernels/crossover.h): regions that it goes through become one for each side. */
void kt_refine_cross(struct kt_kernel_model *model, double crossover);

/* Can there be a slice at that size of the axis: one that is sampled, inside the domain, and not so small that boxes
 * have few other sizes? */
bool kt_refine_can_slice(const struct kt_refine_rules *rules, const struct kt_kernel_model *model, int axis,
                         int64_t size);
/* Gives a model a slice at these sizes, 0 along an axis: not fixed there; unless it has it, or there can be none. */
void kt_refine_add_slice(const struct kt_refine_rules *rules, struct kt_kernel_model *model, const int64_t *size);

/* Sizes along one axis of the box, ascending; returns how many. */
int kt_refine_axis(const struct kt_refine_rules *rules, int64_t lo, int64_t hi, int64_t out[KT_GRID_MOST]);

/* Calls WANT for each point of the region's grid that has not been sampled; returns how many. */
typedef void kt_want(void *context, const int64_t *size);
size_t kt_refine_wanted(const struct kt_refine_rules *rules, const struct kt_kernel_model *model, size_t region,
                        kt_want *want, void *context);

/* Fits a region to all samples in its box. */
enum kt_status kt_refine_fit(const struct kt_refine_rules *rules, struct kt_solver *solver,
                             struct kt_kernel_model *model, size_t region, struct kt_error *error);

/* How far the worst sample of the region is from the polynomial beyond its own uncertainty; relative. */
double kt_refine_excess(const struct kt_refine_rules *rules, const struct kt_kernel_model *model, size_t region);

/* Splits the region, whose place its parts take; false if it is too small for that. Parts keep the polynomial, as that
 * of the whole is better than none. */
bool kt_refine_split(const struct kt_refine_rules *rules, struct kt_kernel_model *model, size_t region);

/* A region needs samples, and a fit, if it has no polynomial of its own. */
bool kt_refine_is_pending(const struct kt_region *region);

void kt_model_add_point(struct kt_kernel_model *model, const struct kt_point *point);
/* The sample at these sizes; NULL: there is none. */
const struct kt_point *kt_model_find_point(const struct kt_kernel_model *model, const int64_t *size);

#endif
