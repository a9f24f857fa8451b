/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well the relations of the table (trace/table/relation.h) hold after a call.
 *
 * A residual is the difference of both sides of a relation, applied to a random vector, in units of
 *
 *     n eps size        n    the largest dimension of the operands in it
 *                       eps  the distance from 1 to the next number in the routine's precision
 *                       size the same sums of products of magnitudes
 *
 * as LAPACK's own tests scale theirs (Installation Guide, LAPACK Working Note 41, chapter 6), which take 30 for wrong.
 * Where the relation is the definition of the result (C' ~ alpha A B + beta C), SIZE is taken element by element: by
 * the bound of a product in any order of summation (Higham, Accuracy and Stability of Numerical Algorithms, section
 * 3.5) the residual is then about 1 at most. Otherwise it is that of the largest element, as a backward error is.
 */
#ifndef KT_RESIDUAL_H
#define KT_RESIDUAL_H

#include "trace/table/relation.h"
#include "replay/right/guard.h"

/* A call with its operands before and after. */
struct kt_scene {
    const struct kt_symbol *symbol;
    struct kt_values values;
    const struct kt_operand *operand; /* where the call had them */
    int operands;
    const struct kt_operand *result; /* what the function returned, in memory; NULL: nothing */
    struct kt_image before, after;
};

/* The operand of an argument, or NULL if the call does not refer to it. */
const struct kt_operand *kt_scene_operand(const struct kt_scene *scene, int arg);

/* Does the condition of a relation hold for the call? */
bool kt_relation_holds(const struct kt_scene *scene, const struct kt_relation *relation);

/* The residual of a relation with two sides; infinite if results are no numbers. False if it says nothing about this
 * call. */
bool kt_residual(const struct kt_scene *scene, const struct kt_relation *relation, double *out);

/* eps of the routine's precision. */
double kt_routine_eps(const struct kt_routine *routine);

#endif
