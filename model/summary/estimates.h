/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens inside outermost calls, where that was recorded for a sample of them: estimates for all of them, with
 * intervals. Pure: it knows no trace, routines and shapes are numbers.
 *
 * A sampled call either stands for itself alone (weight 1: it was recorded for certain), and then what happened in it
 * is added as it is; or it was drawn with the probability 1 / weight, and stands for calls of its shape. Of those the
 * number, the time and the number of nested calls are known without a sample. So what a routine does in them is
 *
 *     R * T,  R = sum of w x / sum of w t
 *
 * over the drawn calls, x what the routine did in one, t its time, T the time of all calls that x is estimated for; and
 * of numbers of calls the same with numbers of nested calls in place of times. The variance is that of the linearised
 * ratio, n / (n - 1) * sum of w (w - 1) (x - R t)^2 * (T / sum of w t)^2, where n = (sum of w t)^2 / sum of (w t)^2
 * counts drawn outermost calls, each with all that is in it; the interval takes quantiles of Student's t, with degrees
 * of freedom by Satterthwaite for sums.
 *
 * Shapes of a routine with fewer than KT_INSIDE_ENOUGH drawn calls are taken together; where these have fewer than two
 * drawn calls, all shapes of the routine speak for them, then calls that were recorded for certain; how well is not
 * known, so that what they say is loose. Where there are none either it is not known what happens in these calls. Calls
 * that do no work speak for their like alone.
 */
#ifndef KT_ESTIMATES_H
#define KT_ESTIMATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KT_INSIDE_ENOUGH = 5 };

/* Of a routine in an outermost call. Seconds are inclusive; SELF is what its nested calls add to its own time, and
 * takes away from the outermost routine's. */
enum kt_inside_quantity {
    KT_INSIDE_CALLS,
    KT_INSIDE_SECONDS,
    KT_INSIDE_SELF,
    KT_INSIDE_TIMED, /* those before have intervals */
    KT_INSIDE_FLOPS = KT_INSIDE_TIMED,
    KT_INSIDE_BYTES,
    KT_INSIDE_QUANTITIES
};

/* What a routine did in a sampled call. */
struct kt_inside_part {
    size_t routine;
    double quantity[KT_INSIDE_QUANTITIES];
    double stated[KT_INSIDE_TIMED]; /* if what recording took is what the trace states, not what clean calls show */
};

/* A sampled call, or with SHAPE SIZE_MAX nested calls whose outermost one is not known. */
struct kt_inside_call {
    size_t shape;
    double weight;
    double seconds, nested;
};

/* Calls of a shape that are not there for certain. */
struct kt_inside_population {
    uint64_t calls;
    double seconds;
    double nested;
    bool idle; /* they ask for the size of a workspace, or have an illegal argument: they do no work */
};

/* Of LOOSE seconds or calls in it nobody knows by how much they may be wrong. */
struct kt_estimate {
    double value, lo, hi, loose;
};

/* What a routine does in outermost calls, in all of them together. */
struct kt_inside_routine {
    struct kt_estimate of[KT_INSIDE_TIMED];
    double unknown; /* of an outermost routine: seconds of calls of which it is not known what happens in them */
    double flops, bytes;
    uint64_t sampled, calls; /* outermost calls of the routines that it was found in */
};

/* An outermost routine that nests others. */
struct kt_inside_outer {
    size_t routine;
    uint64_t sampled, calls; /* calls whose inside was recorded, of all; drawn by chance: */
    uint64_t drawn;
    double unknown;
};

struct kt_insides {
    struct kt_inside_routine *routine; /* by number; owned */
    size_t routines;
    struct kt_inside_outer *outer; /* in the order of their numbers; owned */
    size_t outers;
};

struct kt_inside;
struct kt_inside *kt_inside_new(size_t shapes);
/* OUTER: number of the shape's routine. A shape that is not described has no calls. */
void kt_inside_describe(struct kt_inside *inside, size_t shape, size_t outer, const struct kt_inside_population *calls);
void kt_inside_add(struct kt_inside *inside, const struct kt_inside_call *call, const struct kt_inside_part *part,
                   size_t parts);
/* Frees the collection. */
void kt_inside_finish(struct kt_inside *inside, size_t routines, struct kt_insides *out);
void kt_insides_free(struct kt_insides *insides);

/* What is told of it with what is known exactly, EXACT, added: not negative, and LO and HI are NAN where too much is
 * loose. */
struct kt_estimate kt_estimate_shift(struct kt_estimate estimate, double exact);

/* The 97.5 % quantile of Student's t; DEGREES of freedom at least 1. */
double kt_student(double degrees);

#endif
