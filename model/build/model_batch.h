/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Points to be timed together: wishes of several models, of which those at the same sizes become one call that is timed
 * in several contexts.
 */
#ifndef KT_MODEL_BATCH_H
#define KT_MODEL_BATCH_H

#include "model/build/model_build.h"

/* Of one need, in the contexts of the set, which are numbers of the rules' list. */
struct kt_wish {
    size_t need;
    int64_t size[KT_MODEL_AXES];
    unsigned contexts;
    bool held_out;
    bool anchor;  /* known already; tells how fast the machine is now */
    double guess; /* seconds of a call */
};

struct kt_batch {
    struct kt_wish *wish; /* owned */
    size_t wishes;
    double seconds; /* that it will take, roughly */
};

/* Adds a point, or a context to the point that is there. */
void kt_batch_add(struct kt_batch *batch, const struct kt_build *build, const struct kt_wish *wish);
/* What a region is worth: seconds of the trace's calls that are in it. Where the user gave the domain, its part of
 * that, of any model. */
double kt_batch_worth(const struct kt_build *build, const struct kt_need *need, const struct kt_kernel_model *model,
                      const struct kt_region *region);
/* What a point costs: calls, filling and flushing its operands. */
double kt_batch_cost(const struct kt_build *build, const struct kt_wish *wish);
/* Seconds of one call as far as anything is known: the model's polynomial, otherwise operations and bytes. */
double kt_batch_guess(const struct kt_build *build, size_t need, size_t context, const int64_t *size);
/* Can there be such a call: sizes that are legal together and wanted, operands that are not too large? */
bool kt_batch_can_time(const struct kt_build *build, size_t need, const int64_t *size);

/* Times all of it within so many seconds, as far as that makes two rounds, and adds the points to the models. */
enum kt_status kt_batch_run(struct kt_batch *batch, struct kt_build *build, double seconds, struct kt_error *error);
void kt_batch_free(struct kt_batch *batch);

/* The model of a need in a context of the rules. */
struct kt_kernel_model *kt_build_model(const struct kt_build *build, size_t need, size_t context);

#endif
