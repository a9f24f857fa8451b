/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/measure/stage.h"

#include "replay/machine/cache.h"
#include "replay/flush/code_flush.h"
#include "replay/flush/crew.h"
#include "replay/flush/filler.h"
#include "trace/base/memory.h"

struct kt_stage {
    struct kt_sweeper sweeper;
    struct kt_crew *crew;      /* NULL: the library has one thread */
    struct kt_code_flush code; /* opened when it is first needed */
    bool has_code;
    struct kt_filler filler;
};

enum kt_status kt_stage_open(const struct kt_hierarchy *hierarchy, int threads, struct kt_stage **out,
                             struct kt_error *error)
{
    struct kt_stage *stage = *out = kt_zeros(1, sizeof *stage);
    if (threads > 1)
        stage->crew = kt_crew_new();
    kt_filler_make(&hierarchy->caches, stage->crew, &stage->filler);
    return kt_sweeper_open(hierarchy, stage->crew, &stage->sweeper, error);
}

void kt_stage_close(struct kt_stage *stage)
{
    if (!stage)
        return;
    if (stage->has_code)
        kt_code_flush_close(&stage->code);
    kt_filler_free(&stage->filler);
    kt_sweeper_close(&stage->sweeper);
    kt_crew_free(stage->crew);
    free(stage);
}

/* --- steps ------------------------------------------------------------------------------------------------- */

/* The part of an operand that a step is about, counted in bytes that belong to it. */
struct part {
    uint64_t from, to;
};

static struct part part_of(const struct kt_step *step, const struct kt_operand *o)
{
    double bytes = (double)o->elements * (double)o->elem;
    return (struct part){(uint64_t)(step->from * bytes), step->to >= 1 ? UINT64_MAX : (uint64_t)(step->to * bytes)};
}

static uint64_t clip(uint64_t x, uint64_t most)
{
    return x < most ? x : most;
}

void kt_step_walk(const struct kt_step *step, const struct kt_operand *o, void (*action)(uint64_t lo, uint64_t hi))
{
    struct part part = part_of(step, o);
    uint64_t line = kt_line_bytes();
    uint64_t passed = 0; /* bytes of earlier runs */
    uint64_t done = 0;   /* lines below are */
    int64_t runs = kt_operand_runs(o);
    for (int64_t i = 0; i < runs && passed < part.to; i++) {
        uint64_t lo, hi;
        kt_operand_run(o, i, &lo, &hi);
        uint64_t begin = lo + (part.from > passed ? clip(part.from - passed, hi - lo) : 0);
        uint64_t end = lo + clip(part.to - passed, hi - lo);
        passed += hi - lo;
        if (begin >= end)
            continue;
        begin -= begin % line;
        begin = begin < done && done - begin <= line ? done : begin;
        action(begin, end);
        done = (end + line - 1) / line * line;
    }
}

static void make_code_cold(struct kt_stage *stage)
{
    if (!stage->has_code)
        kt_code_flush_open(&stage->code);
    stage->has_code = true;
    kt_code_flush_run(&stage->code, stage->crew);
}

/* Loads a line of each page and flushes it again. */
static void touch_pages(uint64_t lo, uint64_t hi)
{
    enum { PAGE = 4096 };
    for (uint64_t at = lo; at < hi; at = (at / PAGE + 1) * PAGE) {
        kt_lines_touch(at, at + 1);
        kt_lines_flush(at, at + 1);
    }
}

static void carry_out(struct kt_stage *stage, const struct kt_step *step, const struct kt_operand *operand,
                      const struct kt_recaller *recaller)
{
    switch (step->kind) {
    case KT_FLUSH:
    case KT_TOUCH:
        kt_step_walk(step, &operand[step->operand], step->kind == KT_FLUSH ? kt_lines_flush : kt_lines_touch);
        break;
    case KT_EVICT:
        kt_sweeper_evict(&stage->sweeper, step->cache);
        break;
    case KT_COLD_CODE:
        make_code_cold(stage);
        break;
    case KT_FILL:
        kt_filler_fill(&stage->filler);
        break;
    case KT_RECALL:
        if (recaller->call)
            recaller->call(recaller->context);
        break;
    case KT_PAGES:
        kt_step_walk(step, &operand[step->operand], touch_pages);
        break;
    }
}

static bool flushes(const struct kt_step *step)
{
    return step->kind == KT_FLUSH || step->kind == KT_PAGES;
}

/* Flushes come in a row; they are waited for once. */
void kt_stage_set(struct kt_stage *stage, const struct kt_plan *plan, const struct kt_operand *operand,
                  const struct kt_recaller *recaller)
{
    for (int i = 0; i < plan->steps; i++) {
        const struct kt_step *step = &plan->step[i];
        carry_out(stage, step, operand, recaller);
        if (flushes(step) && (i + 1 == plan->steps || step[1].kind != step->kind))
            kt_lines_flushed();
    }
}
