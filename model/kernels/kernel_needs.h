/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What to model: the routines, options, scalar classes and sizes that occur in a trace, and how much of its time each
 * accounts for. A call is counted at every level that is asked for, so that a workload can be predicted from the calls
 * of the application as well as from those that contain no other.
 */
#ifndef KT_KERNEL_NEEDS_H
#define KT_KERNEL_NEEDS_H

#include "model/kernels/kernel_models.h"
#include "model/kernels/piecewise.h"
#include "trace/shape/shape.h"

/* Places in a cache line, of 64 bytes, where an array may begin. */
enum { KT_BEGINS = 16 };

/* A combination of sizes. */
struct kt_use {
    int64_t size[KT_MODEL_AXES];
    double seconds; /* of all such calls in the trace */
    uint64_t calls;
};

struct kt_need {
    struct kt_model_query query;      /* sizes mean nothing */
    const struct kt_routine *routine; /* of the trace */
    struct kt_values values;          /* of the call that took longest: all but sizes is taken from it */
    double heaviest;                  /* seconds of those calls */
    double largest_ld[KT_MAX_ARGS];   /* by argument */
    double tight_seconds;             /* of calls whose leading dimensions are those of whole matrices */
    double begin[KT_MAX_ARGS]
                [KT_BEGINS];      /* by array: seconds of calls in which it began at that place of a cache line */
    double work_ratio;            /* workspace over the least one, of the heaviest */
    struct kt_box box;            /* around the sizes */
    bool is_below[KT_MODEL_AXES]; /* with two sizes: this one is below the other in some use */
    struct kt_use *use;           /* owned; most time first */
    size_t uses;
    double seconds; /* of all its calls */
    uint64_t calls;
};

struct kt_needs {
    struct kt_need *need; /* owned; most time first */
    size_t count;
    double seconds;    /* of all calls at the levels asked for */
    double unmodelled; /* of those that no model can describe */
};

/* LEVELS: a set of 1 << enum kt_level. FILTER: patterns of routines, joined by commas; NULL: all. */
void kt_needs_collect(const struct kt_trace *trace, unsigned levels, const char *filter, struct kt_needs *out);
/* The same call by call: CALLS of one shape, which take SECONDS together. The routine must live as long. To be sorted.
 */
void kt_needs_add(struct kt_needs *needs, const struct kt_symbol *symbol, const struct kt_values *values,
                  double seconds, uint64_t calls);
void kt_needs_sort(struct kt_needs *needs);
int kt_use_compare(const void *a, const void *b); /* for qsort: most time first */
void kt_needs_free(struct kt_needs *needs);

/*
 * The values of a call of other sizes. A leading dimension is the largest that the trace had there, if most of the
 * time went to calls on parts of larger matrices; otherwise the rows, rounded up to a multiple of 8 and, where that
 * would be a multiple of a page, by 8 more. Arrays begin where in a cache line they did most of the time: columns that
 * straddle lines cost a kernel that does not copy them first up to a fifth. A workspace is as many times the least one
 * as it was.
 */
void kt_need_values(const struct kt_need *need, const int64_t *size, struct kt_values *out);

/* Of two sizes, 1 + the axis of the one that is the larger in all uses and not always the same; 0: there is none. */
int kt_need_larger(const struct kt_need *need);

/* Are these sizes legal together, as far as the routine's table says it? */
bool kt_need_is_legal(const struct kt_need *need, const int64_t *size);

#endif
