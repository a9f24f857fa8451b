/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Building models: which samples to take next, until all models are good or the time is over.
 *
 * Batch by batch: of all grids that wait for samples those come first that tell most about the trace's time per second
 * of measuring, and with them sizes between the multiples (model/build/residues.h) of models that have a polynomial,
 * and samples so noisy that it is not known whether a polynomial is good. The rest of the budget is for held-out
 * points, which no model is ever fitted to and which tell how good it is. Samples of several models at the same sizes
 * are taken together. After every batch the file is written: what is killed goes on from there.
 */
#ifndef KT_MODEL_BUILD_H
#define KT_MODEL_BUILD_H

#include "model/kernels/kernel_needs.h"
#include "model/build/residues.h"
#include "replay/setup/timing.h"

enum { KT_BUILD_CONTEXTS = KT_MODEL_CONTEXT_COUNT };

struct kt_build_rules {
    struct kt_refine_rules refine;
    double budget;                                /* seconds */
    unsigned rounds, processes;                   /* of each batch */
    int held_out;                                 /* points of each kind for each model */
    int64_t lo[KT_MODEL_AXES], hi[KT_MODEL_AXES]; /* of the sizes; 0: as in the trace */
    enum kt_model_context context[KT_BUILD_CONTEXTS];
    size_t contexts;
    int64_t most_bytes; /* that operands of a sample may take; larger sizes are not sampled */
};

struct kt_build {
    const struct kt_build_rules *rules;
    const struct kt_needs *needs;
    struct kt_models *models;
    struct kt_timing *timing;
    struct kt_solver *solver;
    double dearness; /* what batches took over what they were estimated to take; 0: not known */
    double spent;    /* seconds, all together */
    size_t samples;  /* points timed for the first time */
    size_t again;    /* those known before, timed again because of their noise */
    size_t failed;   /* points that could not be timed */
    char failure[256];
    size_t open_searches; /* for crossovers, that the next build goes on with */
    bool complete;        /* nothing was left to be sampled */
};

/* Until the budget is spent, nothing is left to do, or the user interrupts. */
enum kt_status kt_build_run(struct kt_build *build, struct kt_error *error);

/* Part of the trace's time, of the calls that were to be modelled, whose sizes a model of the first context knows. */
double kt_build_coverage(const struct kt_build *build);

/* Relative errors of the model at its held-out points. */
void kt_model_judge(struct kt_kernel_model *model);

#endif
