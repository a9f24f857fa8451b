/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A piecewise polynomial of sizes: boxes, each with its polynomial, and what sizes that are no multiples of the
 * micro-kernel's cost more (Peise & Bientinesi, section 2.2; the residues are ours). Pure functions.
 */
#ifndef KT_PIECEWISE_H
#define KT_PIECEWISE_H

#include "model/kernels/kernel_models.h"

enum { KT_MAX_DEGREE = 5, KT_MAX_PERIOD = 48, KT_MAX_COEFFICIENTS = 256 };

/* Sizes from lo to hi, both inclusive. */
struct kt_box {
    int64_t lo[KT_MODEL_AXES], hi[KT_MODEL_AXES];
};

/*
 * Where a library turns from one algorithm to another: at a product of some of the sizes, a set of 1 << axis. Above it
 * it works in the other way. Product 0: there is none.
 */
struct kt_crossover {
    double product;
    unsigned axes;
};

/* Of a model's crossover: the sizes whose product is at most, or above it; both where there is none in the box. */
enum kt_side { KT_BELOW = -1, KT_BOTH = 0, KT_ABOVE = 1 };

/* A box with its polynomial: the sum over all exponents e of coefficient * product of T_e(x), Chebyshev polynomials of
 * the size that the frame maps to -1 ... 1. */
struct kt_region {
    struct kt_box box;
    enum kt_side side;   /* the sizes of the box that it is of */
    struct kt_box frame; /* the box that the polynomial was fitted in: this one, or an earlier one that was split */
    int degree[KT_MODEL_AXES];
    double *coefficient; /* the first axis' exponent varies fastest; owned; NULL: none yet */
    int coefficients;
    double average, worst; /* relative error over the samples that it was fitted to */
    int samples;
    bool fitted; /* to samples of its own box */
};

/*
 * What residues cost: a size s counts as s + SHIFT[axis][s % PERIOD]. A strip of r rows beyond the last whole
 * micro-kernel takes as long as r + shift of them, whatever the other sizes are. Period 0: nothing is corrected.
 */
struct kt_residues {
    int period;
    double shift[KT_MODEL_AXES][KT_MAX_PERIOD];
};

/* The product of the Chebyshev polynomials, for each coefficient of the region, at the sizes. */
int kt_region_coefficients(const struct kt_region *region, int axes);
void kt_region_basis(const struct kt_region *region, int axes, const double *size, double *out);
double kt_region_value(const struct kt_region *region, int axes, const double *size);

/* Below it sizes are modelled one by one, and residues mean nothing. */
enum { KT_FINE_BELOW = 8 };

/* The size as the polynomial takes it. */
double kt_residues_size(const struct kt_residues *residues, int axis, int64_t size);

/* Of the sizes that the crossover is a matter of. */
double kt_crossover_product(const struct kt_crossover *crossover, const int64_t *size);
/* The sides of the crossover that sizes of the box are on. */
enum kt_side kt_box_side(const struct kt_box *box, const struct kt_crossover *crossover);
/* Is the polynomial one of these sizes? */
bool kt_region_holds(const struct kt_region *region, const struct kt_crossover *crossover, int axes,
                     const int64_t *size);

/* No size is between the multiples of 8. */
bool kt_sizes_are_regular(int axes, const int64_t *size);

bool kt_box_holds(const struct kt_box *box, int axes, const int64_t *size);
/* The same, where the ends that neighbours in the domain share belong to the one below. */
bool kt_box_owns(const struct kt_box *box, const struct kt_box *domain, int axes, const int64_t *size);
/* Along how many axes it is of one size only, where the domain is not; 0: it is no slice. */
int kt_box_fixed(const struct kt_box *box, const struct kt_box *domain, int axes);
/* How far outside: see kt_model_answer. NEAREST, of the same number of sizes, is the nearest inside. */
double kt_box_distance(const struct kt_box *box, int axes, const int64_t *size, int64_t *nearest);

#endif
