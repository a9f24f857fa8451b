/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A routine of BLAS at many sizes, from several states of the caches (paper 002, section 2.3 and chapter 6): data and
 * code warm or cold, independently of each other. Nobody recorded these calls: they are made up, all sizes equal, no
 * operand transposed, leading dimensions as small as they can be, increments of 1, alpha and beta no special values.
 */
#ifndef KT_KERNEL_STATES_H
#define KT_KERNEL_STATES_H

#include "model/roofline/roofline.h"
#include "replay/setup/timing.h"

enum { KT_MOST_SIZES = 40, KT_MOST_STATES = 7 };

struct kt_kernel_plan {
    const char *routine;              /* such as dgemm; NULL: none */
    const char *blas[KT_MOST_SERIES]; /* which libraries: path, soname or short name; none: libblas.so.3 */
    size_t libraries;
    int64_t size[KT_MOST_SIZES];
    size_t sizes;
    const char *state[KT_MOST_STATES]; /* contexts of replay */
    size_t states;
    double seconds; /* for all timings */
};

/*
 * One kernel at the sizes of a plan: what it is called, how it is called, and what was found. A series of points for
 * each state follows from that.
 */
struct kt_kernel_sizes {
    const struct kt_kernel_plan *plan;
    char name[32];
    size_t count;
    size_t number[KT_MOST_SIZES]; /* of the size in the plan, from 1 on */
    struct kt_quantities work[KT_MOST_SIZES];
    double traffic[KT_MOST_SIZES]; /* bytes */
    struct kt_timing_call call[KT_MOST_SIZES];
    struct kt_timed timed[KT_MOST_SIZES][KT_MOST_STATES];
};

/* Times its calls for so many seconds. */
enum kt_status kt_kernel_run(struct kt_kernel_sizes *sizes, const struct kt_timing_of *of, double seconds,
                             struct kt_error *error);

/* Adds what was found to ROOFLINE: LIBRARY made the calls, FILE is what it is called in pictures. */
void kt_kernel_add(const struct kt_kernel_sizes *sizes, const char *library, const char *file,
                   struct kt_roofline *roofline);

/* "16:2000" or "16:2000:20": sizes at equal ratios; "100": that one. */
enum kt_status kt_kernel_sizes(const char *text, struct kt_kernel_plan *out, struct kt_error *error);

/* "warm,cold", "l2", or "all" of data and code, each warm or cold. */
enum kt_status kt_kernel_states(const char *text, struct kt_kernel_plan *out, struct kt_error *error);

/* Times it all and adds a series for each library and state to ROOFLINE, which has the roofs of this machine. */
enum kt_status kt_kernel_time(const struct kt_kernel_plan *plan, struct kt_roofline *roofline, struct kt_error *error);

#endif
