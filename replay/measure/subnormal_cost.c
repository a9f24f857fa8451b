/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/measure/subnormal_cost.h"

#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/command/subnormal.h"

#include <math.h>

/* The fewest that have an interval, unless these take far longer than the budget. */
enum { FEWEST_ROUNDS = 6, MOST_ROUNDS = 30 };
static const double far_longer = 1; /* seconds */

struct series {
    double *seconds; /* owned */
    size_t count;
};

struct measured {
    size_t job;
    struct series recorded, made;
};

struct session {
    struct kt_worker *worker;
    const struct kt_context *context;
    size_t jobs;               /* that are looked at */
    struct measured *measured; /* owned */
    size_t count;
};

/* A call that ended early on recorded contents does another thing on made ones. */
static bool is_candidate(const struct kt_job *job)
{
    return job->held && !job->refused && job->info == 0;
}

static bool has_any(const struct kt_subnormal_cost *cost)
{
    return cost->held || cost->left || cost->met;
}

static uint64_t count_held(const struct kt_job *job)
{
    uint64_t found = 0;
    for (int i = 0; i < job->operands; i++)
        found += kt_subnormals_held(job->held, &job->operand[i], i).subnormal;
    return found;
}

static enum kt_status visit(struct session *s, size_t job, bool made, struct series *out, struct kt_error *error)
{
    double seconds[KT_VISIT_SAMPLES];
    size_t count = 0;
    s->worker->made = made;
    enum kt_status status = kt_worker_time(s->worker, job, s->context, seconds, &count, error);
    s->worker->made = false;
    for (size_t i = 0; i < count; i++) {
        out->seconds = kt_room_for_one(out->seconds, out->count, sizeof *out->seconds);
        out->seconds[out->count++] = seconds[i];
    }
    return status;
}

/* One visit each tells whether results are subnormal, or what is computed on the way. Where the work depends on
 * contents their cost cannot be told. */
static enum kt_status find_jobs(struct session *s, double budget, struct kt_subnormal_cost *cost,
                                struct kt_error *error)
{
    const struct kt_jobs *jobs = s->worker->jobs;
    double start = kt_now();
    for (size_t i = 0; i < s->jobs && kt_now() - start < budget && !kt_interrupted(); i++) {
        struct series ignored = {0};
        if (!is_candidate(&jobs->job[i]))
            continue;
        s->worker->counts = true;
        s->worker->subnormal = 0;
        s->worker->met_subnormal = false;
        enum kt_status status = visit(s, i, false, &ignored, error);
        s->worker->counts = false;
        free(ignored.seconds);
        KT_TRY(status);
        cost[i].held = count_held(&jobs->job[i]);
        cost[i].left = s->worker->subnormal;
        cost[i].met = s->worker->met_subnormal;
        if (!has_any(&cost[i]) || isnan(jobs->job[i].shape->flops))
            continue;
        s->measured = kt_room_for_one(s->measured, s->count, sizeof *s->measured);
        s->measured[s->count++] = (struct measured){.job = i};
    }
    return KT_OK;
}

static enum kt_status run_round(struct session *s, unsigned round, struct kt_error *error)
{
    for (size_t i = 0; i < s->count && !kt_interrupted(); i++)
        for (unsigned turn = 0; turn < 2; turn++) {
            bool made = (round + turn) % 2;
            struct measured *m = &s->measured[i];
            KT_TRY(visit(s, m->job, made, made ? &m->made : &m->recorded, error));
        }
    return KT_OK;
}

static enum kt_status run_rounds(struct session *s, double budget, struct kt_error *error)
{
    double start = kt_now();
    for (unsigned round = 0; round < MOST_ROUNDS && s->count && !kt_interrupted(); round++) {
        double spent = kt_now() - start;
        if (spent > budget && (round >= FEWEST_ROUNDS || spent > budget + far_longer))
            break;
        KT_TRY(run_round(s, round, error));
    }
    return KT_OK;
}

static bool any_candidate(const struct kt_jobs *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_candidate(&jobs->job[i]))
            return true;
    return false;
}

enum kt_status kt_subnormal_costs(struct kt_worker *worker, size_t count, double budget, struct kt_subnormal_cost **out,
                                  struct kt_error *error)
{
    struct session s = {.worker = worker, .context = kt_context_find("warm"), .jobs = count};
    const struct kt_jobs *jobs = worker->jobs;
    *out = NULL;
    if (!any_candidate(jobs, count))
        return KT_OK;
    struct kt_subnormal_cost *cost = *out = kt_zeros(jobs->count, sizeof *cost);
    enum kt_status status = find_jobs(&s, budget, cost, error);
    if (status == KT_OK)
        status = run_rounds(&s, budget, error);
    for (size_t i = 0; i < s.count; i++) {
        struct measured *m = &s.measured[i];
        cost[m->job].recorded = kt_stat_of(m->recorded.seconds, m->recorded.count, KT_BEST_QUARTILE);
        cost[m->job].made = kt_stat_of(m->made.seconds, m->made.count, KT_BEST_QUARTILE);
        free(m->recorded.seconds);
        free(m->made.seconds);
    }
    free(s.measured);
    return status;
}

json_t *kt_subnormal_cost_json(const struct kt_job *job, const struct kt_subnormal_cost *cost)
{
    if (!has_any(cost))
        return json_null();
    json_t *operands = kt_subnormals_json(job->held, job->operand, job->operands);
    return json_pack("{s:o, s:I, s:b, s:s, s:o, s:o}", "operands", operands ? operands : json_array(), "left",
                     (json_int_t)cost->left, "met", (int)cost->met, "context", "warm", "seconds",
                     kt_json_stat(&cost->recorded), "seconds_ordinary", kt_json_stat(&cost->made));
}
