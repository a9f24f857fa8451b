/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sample.h"

#include "ktrace/clock.h"
#include "replay/random.h"

/* Where in physical memory operands lie changes times by some percent, and a process keeps its pages. So operands
 * move to random pages of an area of this size whenever they are prepared; what is large varies less. */
enum { SPREAD_BYTES = 64 << 20 };

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Ticks per nanosecond over the sampler's life; waits until that is long enough to tell. */
static double tick_rate(const struct kt_sampler *s)
{
    enum { LONG_ENOUGH_NS = 20000000 };
    uint64_t ns;
    while ((ns = now_ns() - s->start_ns) < LONG_ENOUGH_NS)
        ;
    return (double)(kt_clock_start() - s->start_ticks) / (double)ns;
}

enum kt_status kt_sampler_open(uint64_t bytes, struct kt_sampler *out, struct kt_error *error)
{
    *out = (struct kt_sampler){0};
    KT_TRY(kt_arena_open(bytes > SPREAD_BYTES ? bytes : SPREAD_BYTES, &out->arena, error));
    kt_arena_touch(&out->arena, SPREAD_BYTES);
    out->pool = kt_data_pool_new();
    out->start_ns = now_ns();
    out->start_ticks = kt_clock_start();
    out->clock_ticks = (double)kt_clock_cost();
    return KT_OK;
}

/* A random page of the touched part of the arena, behind which it has so many bytes. */
static uint64_t choose_place(struct kt_sampler *s, uint64_t bytes)
{
    uint64_t pages = (s->arena.touched - bytes) / KT_ARENA_PAGE + 1;
    return (uint64_t)s->arena.base + kt_random(&s->state) % pages * KT_ARENA_PAGE;
}

bool kt_sampler_prepare(struct kt_sampler *s, const struct kt_job *job)
{
    if (s->job == job)
        return false;
    s->job = job;
    kt_arena_touch(&s->arena, job->bytes);
    uint64_t base = choose_place(s, job->bytes);
    for (int i = 0; i < job->operands; i++) {
        s->operand[i] = job->operand[i];
        s->operand[i].base += base;
        s->operand[i].lo += base;
        s->operand[i].hi += base;
        s->address[i] = job->address[i] + base;
    }
    for (int i = 0; i < job->operands; i++)
        kt_data_fill(s->pool, s->operand, job->operands, i);
    return true;
}

static void restore(const struct kt_sampler *s)
{
    for (int i = 0; i < s->job->operands; i++)
        if (s->job->restore[i])
            kt_data_fill(s->pool, s->operand, s->job->operands, i);
}

double kt_sampler_time(struct kt_sampler *s, const struct kt_target *target, const struct kt_context *context,
                       int64_t *info)
{
    const struct kt_call *call = &s->job->shape->first;
    const struct kt_symbol *symbol = &call->entry->symbol;
    kt_thunk *thunk = kt_thunk_of(symbol);
    struct kt_by_reference cells;
    struct kt_parameters parameters;
    struct kt_returned returned;
    unsigned cpu;
    kt_parameters_fill(symbol, call->args, s->address, target->int_bytes, &cells, &parameters);
    restore(s);
    kt_context_apply(context, s->operand, s->job->operands);
    uint64_t start = kt_clock_start();
    thunk(target->function, &parameters, &returned);
    double ticks = (double)(kt_clock_stop(&cpu) - start) - s->clock_ticks;
    *info = kt_parameters_info(symbol, &cells, &returned, target->int_bytes);
    return ticks > 0 ? ticks / tick_rate(s) * 1e-9 : 0;
}
