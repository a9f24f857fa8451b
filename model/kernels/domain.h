/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The boxes that a model's domain is divided into, and what was timed in them. Pure.
 *
 * Sizes below 8 are in boxes of their own, sampled one by one. Sizes that are used often, such as those of blocks, may
 * have slices: boxes of one size along an axis, with polynomials of the other sizes. Kernels are not smooth there:
 * OpenBLAS' dsyrk takes 10 to 40 % longer where k is 256 or 512 than for 248 and 264. Where a crossover goes through a
 * box it has two regions, one for each side.
 */
#ifndef KT_DOMAIN_H
#define KT_DOMAIN_H

#include "model/kernels/model_set.h"

struct kt_refine_rules {
    int degree;       /* of each axis; 3 */
    int oversampling; /* grid points of an axis beyond those that determine the polynomial; 1 */
    double bound;     /* largest relative error; 0.05 */
    int smallest;     /* width of a box along each axis; 32 */
    int multiple;     /* of which sampled sizes from 8 on are; 8 */
};

#define KT_REFINE_DEFAULTS ((struct kt_refine_rules){3, 1, 0.05, 32, 8})

void kt_model_add_point(struct kt_kernel_model *model, const struct kt_point *point);
/* In the place of the sample at these sizes, if there is one that is not better; it then was timed again. */
void kt_model_set_point(struct kt_kernel_model *model, const struct kt_point *point);
/* The sample at these sizes; NULL: there is none. */
const struct kt_point *kt_model_find_point(const struct kt_kernel_model *model, const int64_t *size);

/* Grows the model's domain so that it holds the box, and to what the grid can sample: multiples from 8 on. What is new
 * gets regions of its own, unless it is so little that the neighbours' polynomials hold there. A model that has no
 * crossover is to be searched for one again. */
void kt_domain_grow(const struct kt_refine_rules *rules, struct kt_kernel_model *model, const struct kt_box *box);

/* Puts the parts, at least one, in the place of a region without polynomial; of one side of the crossover those parts
 * that have sizes on it, unless none has. */
void kt_domain_cut(struct kt_kernel_model *model, size_t region, const struct kt_box *part, size_t parts);

/* Which of two sizes is not below the other's (struct kt_kernel_model), 0: both may be; polynomials that were fitted
 * to one side only are forgotten then, their samples are not. */
void kt_domain_set_larger(struct kt_kernel_model *model, int larger);

/* Gives the model a crossover (model/build/crossover.h): regions that it goes through become one for each side. */
void kt_domain_cross(struct kt_kernel_model *model, const struct kt_crossover *crossover);

/* Can there be a slice at that size of the axis: one that is sampled, inside the domain, and not so small that boxes
 * have few other sizes? */
bool kt_domain_can_slice(const struct kt_refine_rules *rules, const struct kt_kernel_model *model, int axis,
                         int64_t size);
/* Gives a model a slice at these sizes, 0 along an axis: not fixed there; unless it has it, or there can be none. */
void kt_domain_add_slice(const struct kt_refine_rules *rules, struct kt_kernel_model *model, const int64_t *size);

/* Adds regions, without polynomial, for all combinations of the parts of each axis, of sizes on that side. */
void kt_domain_add_parts(struct kt_kernel_model *model, int64_t part[][2][2], const int *parts, enum kt_side side);
/* Regions from FIRST on, which have none, begin with the polynomial of the one that they are parts of: it is better
 * than none. */
void kt_domain_inherit(struct kt_kernel_model *model, size_t first, const struct kt_region *whole);

#endif
