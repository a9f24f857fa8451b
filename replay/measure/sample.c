/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/measure/sample.h"

#include "ktrace/clock.h"
#include "replay/machine/cache.h"
#include "trace/base/random.h"
#include "replay/call/timer.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"

#include <math.h>

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

enum kt_status kt_sampler_open(const struct kt_jobs *jobs, int threads, const struct kt_hierarchy *hierarchy,
                               struct kt_sampler *out, struct kt_error *error)
{
    uint64_t spread = kt_pages_limit() / 4 < SPREAD_BYTES ? kt_pages_limit() / 4 : SPREAD_BYTES;
    *out = (struct kt_sampler){.layout = jobs->layout, .page = kt_arena_page(&jobs->layout)};
    uint64_t bytes = jobs->bytes + out->page > spread ? jobs->bytes + out->page : spread;
    KT_TRY(kt_arena_open(bytes, jobs->layout.pages, &out->arena, error));
    KT_TRY(kt_stage_open(hierarchy, threads, &out->stage, error));
    kt_arena_touch(&out->arena, spread);
    out->pool = kt_data_pool_new();
    out->start_ns = now_ns();
    out->start_ticks = kt_clock_start();
    out->clock_ticks = (double)kt_clock_cost();
    out->first_job = jobs->job;
    out->flush_bytes = kt_zeros(jobs->count, sizeof *out->flush_bytes);
    kt_timer_open(jobs->timer, &out->timer);
    return KT_OK;
}

/* A random page of the touched part of the arena, or of one half of it (0, 1; -1: anywhere), behind which there are so
 * many bytes. */
static uint64_t choose_place(struct kt_sampler *s, uint64_t bytes, int half)
{
    uint64_t room = s->arena.touched / (half < 0 ? 1 : 2);
    uint64_t pages = (room - bytes) / s->page + 1;
    uint64_t first = half > 0 ? (s->arena.touched - room + s->page - 1) / s->page : 0;
    pages -= half > 0 && pages > 1;
    return (uint64_t)s->arena.base + (first + kt_random(&s->state) % pages) * s->page;
}

static void place(const struct kt_job *job, uint64_t base, struct kt_operand *operand, uint64_t *address)
{
    for (int i = 0; i < job->operands; i++) {
        operand[i] = job->operand[i];
        operand[i].base += base;
        operand[i].lo += base;
        operand[i].hi += base;
        address[i] = job->address[i] + base;
    }
}

/* A vector that is only read: routines that look at its elements are not to meet those that they have just learned. */
static bool is_to_be_new(const struct kt_sampler *s, const struct kt_operand *operand, int i)
{
    return operand[i].form == KT_FORM_VECTOR && operand[i].access == KT_READ &&
           kt_data_recipe(operand, s->job->operands, i).fill == KT_FILL_RANDOM;
}

static void fill_operand(const struct kt_sampler *s, const struct kt_operand *operand, int i)
{
    uint64_t seed = is_to_be_new(s, operand, i) ? s->contents : 0;
    if (s->fill && s->fill(s->job, i, operand[i].base))
        return;
    if (s->made || !s->job->held || !kt_held_fill(s->job->held, operand, i))
        kt_data_fill_anew(s->pool, operand, s->job->operands, i, seed);
}

static void fill(struct kt_sampler *s, const struct kt_operand *operand)
{
    s->contents++;
    for (int i = 0; i < s->job->operands; i++)
        fill_operand(s, operand, i);
}

/* Long calls bring their code along in a small part of their time, and large operands have no room elsewhere. */
static bool has_other(const struct kt_sampler *s, const struct kt_job *job)
{
    static const double recalled_below = 1e-3;
    return job->insitu.median < recalled_below && job->bytes + 2 * s->page <= s->arena.touched / 2;
}

bool kt_sampler_prepare(struct kt_sampler *s, const struct kt_job *job, bool made)
{
    if (s->job == job && s->made == made)
        return false;
    s->job = job;
    s->made = made;
    kt_workingset_close(s->set);
    s->set = NULL;
    s->thunk_ticks = -1;
    kt_arena_touch(&s->arena, job->bytes);
    s->has_other = has_other(s, job);
    int half = s->has_other ? (int)(kt_random(&s->state) % 2) : -1;
    place(job, choose_place(s, job->bytes, half), s->operand, s->address);
    fill(s, s->operand);
    if (!s->has_other)
        return true;
    place(job, choose_place(s, job->bytes, 1 - half), s->other, s->other_address);
    fill(s, s->other);
    return true;
}

static void restore(struct kt_sampler *s, const struct kt_operand *operand)
{
    enum { LONGEST = 16 << 10 }; /* to learn the elements of longer ones takes more calls than there are */
    s->contents++;
    for (int i = 0; i < s->job->operands; i++) {
        bool is_short = operand[i].hi - operand[i].lo <= LONGEST;
        if (s->job->restore[i] || (is_short && is_to_be_new(s, operand, i)))
            fill_operand(s, operand, i);
    }
}

/* The same call on the other operands. */
struct recall {
    kt_thunk *thunk;
    void *function;
    struct kt_by_reference cells;
    struct kt_parameters parameters;
};

static void recall(void *context)
{
    struct recall *r = context;
    struct kt_returned returned;
    r->thunk(r->function, &r->parameters, &returned);
}

static bool recalls(const struct kt_plan *plan)
{
    for (int i = 0; i < plan->steps; i++)
        if (plan->step[i].kind == KT_RECALL)
            return true;
    return false;
}

static struct kt_recaller prepare_recall(struct kt_sampler *s, const struct kt_target *target,
                                         const struct kt_plan *plan, struct recall *out)
{
    const struct kt_call *call = &s->job->shape->first;
    if (!s->has_other || !recalls(plan))
        return (struct kt_recaller){0};
    restore(s, s->other);
    out->thunk = kt_thunk_of(&call->entry->symbol);
    out->function = target->function;
    kt_parameters_fill(&call->entry->symbol, call->args, s->other_address, target->int_bytes, &out->cells,
                       &out->parameters);
    return (struct kt_recaller){recall, out};
}

/* A caller has just stored the arguments and uses its stack: whatever the context of the operands is, these are warm. A
 * call of something else would warm them, too, and be what the branch predictor expects next. */
static void warm_caller(const struct kt_parameters *parameters, const struct kt_by_reference *cells)
{
    enum { STACK = 2048 };
    volatile unsigned char below[STACK];
    below[0] = below[STACK - 1] = 0;
    kt_lines_touch((uint64_t)below, (uint64_t)(below + STACK));
    kt_lines_touch((uint64_t)parameters, (uint64_t)(parameters + 1));
    kt_lines_touch((uint64_t)cells, (uint64_t)(cells + 1));
}

/* --- other timers ------------------------------------------------------------------------------------------ */

static bool only(const struct kt_plan *plan, unsigned kinds)
{
    for (int i = 0; i < plan->steps; i++)
        if (!(kinds >> plan->step[i].kind & 1))
            return false;
    return plan->steps > 0;
}

/* Too short for one reading of the clock to tell its time to a percent or so, with all operands in memory. */
static bool is_for_sets(const struct kt_sampler *s, const struct kt_plan *plan)
{
    static const double short_call = 1e-6;
    const unsigned cold = 1u << KT_FLUSH | 1u << KT_FILL | 1u << KT_RECALL | 1u << KT_PAGES;
    return s->timer.kind == KT_TIMER_SETS && s->job->info == 0 && s->job->insitu.median < short_call &&
           only(plan, cold);
}

/* Of all sets of a job. More takes seconds to write, and growing to it several times that. */
static uint64_t most_set_bytes(void)
{
    enum { MOST = 128 << 20 };
    uint64_t limit = kt_pages_limit() / 8;
    return limit < MOST ? limit : MOST;
}

/* Below 0: it has no working sets, or there is no memory for them. */
static double time_by_sets(struct kt_sampler *s, const struct kt_target *target)
{
    struct kt_error ignored = {0};
    struct kt_witness before;
    struct kt_witness after;
    uint64_t *known = &s->flush_bytes[s->job - s->first_job];
    struct kt_workingset_options options = {.flush_bytes = *known ? *known : most_set_bytes(),
                                            .modulus = s->layout.align ? KT_ARENA_PAGE : 0,
                                            .huge = s->layout.pages != KT_PAGES_SMALL};
    if (*known == UINT64_MAX)
        return -1;
    if (!s->set && *known)
        s->set = kt_workingset_open(s->job, target->function, target->int_bytes, s->pool, &options, &ignored);
    else if (!s->set)
        s->set = kt_workingset_grow(s->job, target->function, target->int_bytes, s->pool, &options, &ignored);
    *known = s->set ? options.flush_bytes : UINT64_MAX;
    if (!s->set)
        return -1;
    kt_witness_take(&before);
    double seconds = kt_workingset_time(s->set);
    kt_witness_take(&after);
    kt_disturbances_add(&s->disturbances, &before, &after);
    return seconds;
}

/* The processor's time has a coarse clock: a call whose operands stay where they are is repeated until it tells. */
static uint64_t repetitions(const struct kt_sampler *s, const struct kt_plan *plan)
{
    enum { MOST = 100000 };
    static const double error = 0.02;
    bool changes = false;
    for (int i = 0; i < s->job->operands; i++)
        changes = changes || s->job->restore[i];
    if (changes || !only(plan, 1u << KT_TOUCH | 1u << KT_RECALL))
        return 1;
    double wanted = kt_timer_least(&s->timer, error) / (s->job->insitu.median > 1e-9 ? s->job->insitu.median : 1e-9);
    return wanted < 1 ? 1 : wanted < MOST ? (uint64_t)wanted + 1 : MOST;
}

static double time_by_clock(const struct kt_sampler *s, void *function, kt_thunk *thunk,
                            const struct kt_parameters *parameters, struct kt_returned *returned)
{
    uint64_t start = kt_clock_start();
    thunk(function, parameters, returned);
    double ticks = (double)(kt_clock_stop() - start) - s->clock_ticks - s->thunk_ticks;
    return ticks / tick_rate(s) * 1e-9;
}

static double time_by_processor(struct kt_sampler *s, void *function, kt_thunk *thunk,
                                const struct kt_parameters *parameters, const struct kt_plan *plan,
                                struct kt_returned *returned)
{
    uint64_t calls = repetitions(s, plan);
    kt_timer_read(&s->timer); /* the kernel's way to that clock is as warm as when its cost was measured */
    double before = kt_timer_read(&s->timer);
    for (uint64_t i = 0; i < calls; i++)
        thunk(function, parameters, returned);
    double seconds = kt_timer_between(&s->timer, before, kt_timer_read(&s->timer)) / (double)calls;
    seconds -= s->thunk_ticks / tick_rate(s) * 1e-9;
    return seconds > 0 ? seconds : 0;
}

/* BEFORE is taken when the operands hold what they should, unless it is NULL. */
static double time_once(struct kt_sampler *s, const struct kt_target *target, const struct kt_plan *plan,
                        struct kt_witness *before, int64_t *info)
{
    const struct kt_call *call = &s->job->shape->first;
    const struct kt_symbol *symbol = &call->entry->symbol;
    kt_thunk *thunk = kt_thunk_of(symbol);
    struct kt_by_reference cells;
    struct kt_parameters parameters;
    struct kt_returned returned;
    struct recall other;
    kt_parameters_fill(symbol, call->args, s->address, target->int_bytes, &cells, &parameters);
    restore(s, s->operand);
    struct kt_recaller recaller = prepare_recall(s, target, plan, &other);
    if (s->thunk_ticks < 0)
        s->thunk_ticks = kt_timer_thunk(thunk, &parameters);
    if (before)
        kt_witness_take(before);
    kt_stage_set(s->stage, plan, s->operand, &recaller);
    warm_caller(&parameters, &cells);
    kt_timer_settle();
    if (recaller.call)
        kt_strangers_call(&s->strangers, symbol->routine->name);
    double seconds = s->timer.kind == KT_TIMER_CPU
                         ? time_by_processor(s, target->function, thunk, &parameters, plan, &returned)
                         : time_by_clock(s, target->function, thunk, &parameters, &returned);
    *info = kt_parameters_info(symbol, &cells, &returned, target->int_bytes);
    return seconds;
}

double kt_sampler_time(struct kt_sampler *s, const struct kt_target *target, const struct kt_plan *plan, int64_t *info)
{
    static const double longest = 2e-3; /* contexts may take far longer to bring about than the call */
    double seconds[KT_MOST_READINGS];
    struct kt_witness before;
    struct kt_witness after;
    double by_sets = is_for_sets(s, plan) ? time_by_sets(s, target) : -1;
    if (by_sets >= 0)
        return by_sets;
    double begin = kt_now();
    int calls = 1;
    seconds[0] = time_once(s, target, plan, &before, info);
    for (int wanted = kt_timer_calls(&s->timer, seconds[0]); calls < wanted && kt_now() - begin < longest; calls++)
        seconds[calls] = time_once(s, target, plan, NULL, info);
    kt_witness_take(&after);
    kt_disturbances_add(&s->disturbances, &before, &after);
    return kt_timer_mean(seconds, calls, s->timer.kind == KT_TIMER_CPU ? 0 : s->timer.resolution);
}
