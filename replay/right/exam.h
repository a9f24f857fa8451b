/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where results of libraries are looked at (replay/right/right.h): memory that is shared with the processes that call
 * them, copies of it, and the reference library.
 */
#ifndef KT_EXAM_H
#define KT_EXAM_H

#include "replay/call/data.h"
#include "replay/right/difference.h"
#include "replay/right/residual.h"
#include "replay/right/right.h"
#include "replay/right/trial.h"

/* The shape being checked. */
struct kt_examined {
    size_t number;
    const struct kt_job *job;
    struct kt_operand operand[KT_MAX_OPERANDS]; /* in the ground */
    struct kt_scene scene;
    struct kt_operand returned; /* what the function returned, in the result of the trial */
    bool compared;              /* results are looked at: operands that are written overlap no others */
};

/* What the reference library makes of it. */
struct kt_reference {
    bool known;
    bool too_slow; /* it is not known for that reason */
    struct kt_trial_result result;
    double change[KT_MAX_OPERANDS + 1]; /* the largest that rounding inputs makes; the last: of what is returned */
    bool unstable[KT_MAX_OPERANDS + 1]; /* integers that depend on it */
};

struct kt_exam {
    const struct kt_jobs *jobs;
    const struct kt_right_options *options;
    struct kt_ground ground;
    struct kt_library reference_library;
    struct kt_trial reference, *trial;
    struct kt_data_pool *pool;
    struct kt_image before, reference_after, first, work; /* as large as the ground; FIRST: after a first filling */
    uint64_t most; /* bytes of operands of which there is memory for so many copies */
    struct kt_error *error;
};

/* Job NUMBER with its operands in the ground. */
void kt_examined_open(const struct kt_exam *exam, size_t number, struct kt_examined *out);

/* Inputs as the rules make them, all else filled with one byte; a copy goes to BEFORE. */
void kt_examined_fill(const struct kt_exam *exam, const struct kt_examined *call, int filling);

/* The value of a function as an operand; NULL if it has none, or stores it. */
const struct kt_operand *kt_examined_result(const struct kt_examined *call, const struct kt_returned *returned,
                                            struct kt_operand *out);
struct kt_difference kt_examined_compare_results(const struct kt_examined *call, const struct kt_returned *reference,
                                                 const struct kt_returned *other);

/* Does the call leave something in it? */
bool kt_is_result(const struct kt_operand *operand);

/* The byte that elements hold which the reference library did not write; -1: it may have found them as they are. */
int kt_unwritten(const struct kt_operand *operand);

/* Finds the reference library, with its C interface if that is there, and starts the trial, which was prepared for
 * LIBRARY and a ground, with it. False: there is none, and WHY says why. LIBRARY is to be freed in any case. */
bool kt_reference_start(struct kt_library *library, struct kt_trial *trial, char *why, size_t size);

/* Has the reference library make the call, if it takes no longer than it may, and finds out how well the results are
 * determined. */
void kt_reference_ask(struct kt_exam *exam, const struct kt_examined *call, struct kt_reference *out);

/* The verdict on one library; false: another time it may be another one. */
bool kt_judge(struct kt_exam *exam, struct kt_examined *call, const struct kt_reference *reference,
              struct kt_trial *trial, struct kt_rightness *out);

/* The first thing found wrong stays. */
void kt_conclude(struct kt_rightness *rightness, enum kt_verdict_of_result verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
