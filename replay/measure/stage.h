/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Brings the operands of a call into a context by carrying out its plan.
 */
#ifndef KT_STAGE_H
#define KT_STAGE_H

#include "replay/measure/context.h"
#include "replay/flush/eviction.h"

struct kt_stage;

/* For a library with so many threads. HIERARCHY, calibrated for all plans that will come, must live as long. */
enum kt_status kt_stage_open(const struct kt_hierarchy *hierarchy, int threads, struct kt_stage **out,
                             struct kt_error *error);
void kt_stage_close(struct kt_stage *stage);

/* Calls the routine on other operands; of no effect where CALL is NULL. */
struct kt_recaller {
    void (*call)(void *context);
    void *context;
};

/* The operands are those that the plan was made for, with addresses of this process. */
void kt_stage_set(struct kt_stage *stage, const struct kt_plan *plan, const struct kt_operand *operand,
                  const struct kt_recaller *recaller);

/* Does ACTION to every line of the part of the operand that the step is about, upwards, in pieces as long as possible.
 * What does not begin a line begins where the line does; runs that share a line with the previous run skip it. */
void kt_step_walk(const struct kt_step *step, const struct kt_operand *operand,
                  void (*action)(uint64_t lo, uint64_t hi));

#endif
