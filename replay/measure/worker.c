/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tool and worker talk over a socket in messages of fixed size: a request names a job, a reply brings its times.
 * The jobs themselves are known to the worker because it was forked. What a library prints goes to standard error.
 */
#include "replay/measure/worker.h"

#include "replay/call/own_kernel.h"
#include "replay/machine/cache.h"
#include "replay/machine/processor.h"
#include "replay/machine/subnormal_flag.h"
#include "replay/measure/batch_play.h"
#include "trace/base/interrupt.h"
#include "replay/measure/sample.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/command/subnormal.h"

#include <math.h>
#include <stdio.h>
#include <sys/socket.h>

struct request {
    uint64_t job;
    const struct kt_context *context; /* means the same in the worker */
    uint64_t samples;
    bool made, counts; /* see struct kt_worker */
};

enum outcome { READY, TIMED, MISSING, WRONG, UNUSABLE };

struct reply {
    enum outcome outcome;
    uint64_t count;
    double seconds[KT_VISIT_SAMPLES];
    struct kt_disturbances disturbances;
    int64_t info;
    uint64_t subnormal;
    bool met_subnormal;
    struct kt_hello hello;
    char text[1024]; /* UNUSABLE, MISSING: why, if that is known */
};

/* --- the worker's side ------------------------------------------------------------------------------------- */

/* Calls shorter than this run once before they are timed, so that their code and stack are there, and what the library
 * keeps for itself, such as packed operands: another call or another context has displaced it. */
static const double warm_up_below = 5e-3;

/* The first call of a process also asks for pages and threads: up to a millisecond, where processes are short-lived in
 * every sample. */
static const double first_warm_up_below = 0.1;

/* After so long a visit ends. */
static const double visit_seconds = 0.01;

struct side {
    const struct kt_worker *worker;
    struct kt_library library;
    struct kt_sampler sampler;
    struct kt_call_batch_player player; /* of calls that are timed in batches */
    const struct kt_job *job;           /* of the request that is served, as PLANS */
    struct kt_plans plans;
    const struct kt_context *context; /* of the last one */
    double *seconds;                  /* by job: of the last call */
    bool *is_known;                   /* by job: was called in this process */
};

/* Of info: done, an illegal argument, something about what operands held. */
static int sign(int64_t info)
{
    return (info > 0) - (info < 0);
}

/* Contents that were made may well be better than those of the program. */
static bool is_expected(const struct kt_job *job, int64_t info)
{
    return sign(info) == sign(job->info) || (info == 0 && job->info > 0 && !job->held);
}

/* Where operands were in several places, a sample is the mean of a call with each of them. */
static double take_sample(struct side *side, const struct kt_target *target, int64_t *info)
{
    double seconds = 0;
    const struct kt_call_batch_form *batch = &side->job->batch;
    if (batch->batch)
        return kt_call_batch_time(&side->player, batch, side->context->others.kind == KT_COLD,
                                  &side->sampler.disturbances, info);
    for (unsigned i = 0; i < side->plans.count; i++)
        seconds += side->plans.weight[i] * kt_sampler_time(&side->sampler, target, &side->plans.plan[i], info);
    return seconds;
}

/* Samples that others disturbed do not count, unless all were; they stand behind those that do. */
static void leave_out(struct reply *reply, const bool *foreign)
{
    size_t clean = 0;
    size_t left = 0;
    double behind[KT_VISIT_SAMPLES];
    for (size_t i = 0; i < reply->count; i++)
        if (foreign[i])
            behind[left++] = reply->seconds[i];
        else
            reply->seconds[clean++] = reply->seconds[i];
    if (clean == 0)
        return;
    memcpy(reply->seconds + clean, behind, left * sizeof *behind);
    reply->disturbances.left_out = left;
    reply->count = clean;
}

static void repeat(struct side *side, uint64_t samples, const struct kt_target *target, double *last,
                   struct reply *reply)
{
    bool foreign[KT_VISIT_SAMPLES];
    double start = kt_now();
    for (reply->count = 0; reply->count < samples; reply->seconds[reply->count++] = *last) {
        if (reply->count > 0 && kt_now() - start > visit_seconds)
            break;
        size_t before = kt_disturbances_foreign(&side->sampler.disturbances);
        *last = take_sample(side, target, &reply->info);
        foreign[reply->count] = kt_disturbances_foreign(&side->sampler.disturbances) > before;
    }
    reply->disturbances = side->sampler.disturbances;
    leave_out(reply, foreign);
}

static uint64_t count_subnormals(const struct kt_sampler *sampler, const struct kt_job *job)
{
    uint64_t found = 0;
    for (int i = 0; i < job->operands; i++)
        if (sampler->operand[i].access & KT_WRITE)
            found += kt_subnormals_at(&sampler->operand[i]).subnormal;
    return found;
}

/* FRESH: the operands, or the context, are not what they were for the last request. */
static enum kt_status prepare(struct side *side, const struct request *request, const struct kt_target *target,
                              bool *fresh, struct kt_error *error)
{
    const struct kt_job *job = &side->worker->jobs->job[request->job];
    *fresh = side->job != job || side->context != request->context;
    side->job = job;
    side->context = request->context;
    if (job->batch.batch)
        return kt_call_batch_prepare(&side->player, &job->batch, &side->worker->jobs->layout, target->function, error);
    *fresh = kt_sampler_prepare(&side->sampler, job, request->made) || *fresh;
    return KT_OK;
}

/* Contexts that take long to bring about get fewer samples. */
static void take_samples(struct side *side, const struct request *request, const struct kt_target *target,
                         struct reply *reply)
{
    const struct kt_job *job = &side->worker->jobs->job[request->job];
    double *last = &side->seconds[request->job];
    bool fresh;
    struct kt_error error = {0};
    if (prepare(side, request, target, &fresh, &error) != KT_OK) {
        snprintf(reply->text, sizeof reply->text, "%s", error.text);
        return;
    }
    kt_plans_make(request->context, job->operand, job->operands, &side->worker->hierarchy->caches, job->placed,
                  &side->plans);
    reply->outcome = TIMED;
    bool is_first = side->worker->short_lived && !side->is_known[request->job];
    side->is_known[request->job] = true;
    if (fresh && *last < (is_first ? first_warm_up_below : warm_up_below))
        *last = take_sample(side, target, &reply->info);
    side->sampler.disturbances = (struct kt_disturbances){0};
    kt_disturbances_read_speed(&side->sampler.disturbances);
    kt_subnormal_flag_clear();
    repeat(side, request->samples, target, last, reply);
    reply->met_subnormal = kt_subnormal_flag();
    reply->subnormal = request->counts ? count_subnormals(&side->sampler, job) : 0;
    if (!is_expected(job, reply->info))
        reply->outcome = WRONG;
}

static void serve(struct side *side, const struct request *request, struct reply *reply)
{
    const struct kt_job *job = &side->worker->jobs->job[request->job];
    const struct kt_entry *entry = job->shape->first.entry;
    struct kt_target target = {.int_bytes = job->int_bytes};
    target.function = side->library.is_kernel
                          ? kt_own_kernel_ready(&side->library, job)
                          : kt_library_symbol(&side->library, entry->symbol.name, entry->library->path);
    const char *why = kt_library_why_missing(&side->library, entry->library->path);
    *reply = (struct reply){.outcome = MISSING};
    if (why)
        snprintf(reply->text, sizeof reply->text, "its library cannot be loaded: %s", why);
    if (target.function)
        take_samples(side, request, &target, reply);
}

static enum kt_status prepare_side(struct side *side, struct reply *hello, struct kt_error *error)
{
    const struct kt_jobs *jobs = side->worker->jobs;
    KT_TRY(kt_library_load(&side->library, error));
    kt_library_version(&side->library, hello->hello.version, sizeof hello->hello.version);
    hello->hello.processor = side->library.threads == 1
                                 ? kt_processor_pin_for_now(jobs->processor, &side->player.processors)
                                 : KT_NO_PROCESSOR;
    hello->hello.flush_effect = kt_cache_check();
    side->seconds = kt_resize(NULL, jobs->count, sizeof *side->seconds);
    side->is_known = kt_zeros(jobs->count, sizeof *side->is_known);
    for (size_t i = 0; i < jobs->count; i++)
        side->seconds[i] = jobs->job[i].insitu.median;
    struct kt_strangers strangers;
    kt_strangers_find(&side->library, &strangers); /* it forks: while there is little to copy */
    enum kt_status status =
        kt_sampler_open(jobs, side->library.threads, side->worker->hierarchy, &side->sampler, error);
    side->sampler.strangers = strangers;
    side->player.pool = side->sampler.pool;
    side->sampler.fill = side->library.is_kernel ? kt_own_kernel_fill : NULL;
    return status;
}

static void run_worker(const void *context, int socket)
{
    const struct kt_worker *worker = context;
    static struct reply reply;
    static struct side side;
    side.worker = worker;
    side.library = worker->library;
    struct kt_error error = {0};
    struct request request;
    reply.outcome = READY;
    if (prepare_side(&side, &reply, &error) != KT_OK) {
        reply.outcome = UNUSABLE;
        snprintf(reply.text, sizeof reply.text, "%s", error.text);
    }
    while (send(socket, &reply, sizeof reply, 0) == sizeof reply && reply.outcome != UNUSABLE) {
        if (recv(socket, &request, sizeof request, 0) != sizeof request)
            break;
        serve(&side, &request, &reply);
    }
}

/* --- the tool's side --------------------------------------------------------------------------------------- */

static enum kt_status start(struct kt_worker *worker, struct kt_error *error)
{
    enum { LOAD_SECONDS = 30 };
    char why[KT_CHILD_END];
    struct reply reply;
    KT_TRY(kt_child_start(&worker->child, run_worker, worker, error));
    if (!kt_child_receive(&worker->child, &reply, sizeof reply, LOAD_SECONDS)) {
        kt_child_bury(&worker->child, why);
        return kt_fail(error, KT_BAD_INPUT, "%s: loading it %s", worker->library.file[0], why);
    }
    if (reply.outcome == UNUSABLE) {
        kt_child_end(&worker->child);
        return kt_fail(error, KT_BAD_INPUT, "%s", reply.text);
    }
    worker->hello = reply.hello;
    return KT_OK;
}

bool kt_hello_is_sound(const struct kt_hello *hello)
{
    return memchr(hello->version, '\0', sizeof hello->version) && isfinite(hello->flush_effect) &&
           hello->processor >= KT_NO_PROCESSOR;
}

void kt_worker_prepare(struct kt_library *library, const struct kt_jobs *jobs, const struct kt_hierarchy *hierarchy,
                       struct kt_worker *out)
{
    *out = (struct kt_worker){.library = *library, .jobs = jobs, .hierarchy = hierarchy, .child = KT_NO_CHILD};
    *library = (struct kt_library){0};
    out->failure = kt_resize(NULL, jobs->count, sizeof *out->failure);
    out->broken = kt_resize(NULL, jobs->count, sizeof *out->broken);
    out->by_chance = kt_resize(NULL, jobs->count, sizeof *out->by_chance);
    memset(out->failure, 0, jobs->count * sizeof *out->failure);
    memset(out->broken, 0, jobs->count * sizeof *out->broken);
    memset(out->by_chance, 0, jobs->count * sizeof *out->by_chance);
}

enum kt_status kt_worker_start(struct kt_worker *worker, struct kt_error *error)
{
    return worker->child.pid ? KT_OK : start(worker, error);
}

void kt_worker_renew(struct kt_worker *worker)
{
    kt_child_end(&worker->child);
}

void kt_worker_close(struct kt_worker *worker)
{
    kt_worker_renew(worker);
    for (size_t i = 0; worker->failure && i < worker->jobs->count; i++)
        free(worker->failure[i]);
    free(worker->failure);
    free(worker->broken);
    free(worker->by_chance);
    kt_library_free(&worker->library);
    *worker = (struct kt_worker){0};
}

static void give_up(struct kt_worker *worker, size_t job, bool broken, const char *why)
{
    worker->failure[job] = kt_copy(why);
    worker->broken[job] = broken;
}

/* A library that is fifty times slower than the recorded one is still waited for. A sample of a tracked call may be
 * several calls; sets of operands are made first. */
static double time_limit(const struct kt_job *job, const struct kt_context *context, enum kt_timer_kind timer,
                         uint64_t samples)
{
    double calls = job->batch.batch                 ? (double)job->batch.batch->calls
                   : kt_context_is_tracked(context) ? KT_MOST_PLACEMENTS
                                                    : 1;
    double slow = 50 * job->insitu.median * calls;
    double filling = (double)job->bytes * 1e-8 + (timer == KT_TIMER_SETS ? 20 : 0);
    return (slow > 10 ? slow : 10) * (job->insitu.median > 0.2 ? (double)samples + 1 : 1) + filling;
}

static void give_up_all(struct kt_worker *worker, bool broken, const char *why)
{
    for (size_t i = 0; i < worker->jobs->count; i++)
        if (!worker->failure[i]) {
            give_up(worker, i, broken, why);
            worker->by_chance[i] = true;
        }
}

void kt_worker_give_up(struct kt_worker *worker, const char *why)
{
    give_up_all(worker, true, why);
}

/* Each job that hangs costs its time limit. Whether it would ever end is not known: the library may be slow. */
static void note_end(struct kt_worker *worker, size_t job, const char *why)
{
    enum { MOST_HANGS = 3 };
    give_up(worker, job, !worker->child.timed_out, why);
    worker->by_chance[job] = worker->child.was_killed;
    worker->hangs += worker->child.timed_out;
    if (worker->hangs >= MOST_HANGS)
        give_up_all(worker, false, "not tried: the library did not return from other calls");
}

static void note_failure(struct kt_worker *worker, size_t job, const struct reply *reply)
{
    char why[512];
    const struct kt_job *what = &worker->jobs->job[job];
    const char *symbol = what->shape->first.entry->symbol.name;
    bool is_special = what->held && what->shape->failed; /* the snapshot may be of a call that did the same */
    if (reply->outcome == MISSING && *reply->text)
        snprintf(why, sizeof why, "%.500s", reply->text);
    else if (reply->outcome == MISSING)
        snprintf(why, sizeof why, "%s has no %s", worker->library.name, symbol);
    else if (is_special)
        snprintf(why, sizeof why, "%s ended with info = %lld on what its snapshot holds, most recorded calls with %lld",
                 symbol, (long long)reply->info, (long long)what->info);
    else
        snprintf(why, sizeof why, "%s ended with info = %lld, the recorded call with %lld", symbol,
                 (long long)reply->info, (long long)what->info);
    give_up(worker, job, reply->outcome != MISSING && !is_special, why);
}

/* Short calls are cheap to repeat while their operands are there. */
static uint64_t samples_for(double seconds)
{
    if (seconds < 5e-6)
        return KT_VISIT_SAMPLES;
    return seconds < 50e-6 ? KT_VISIT_SAMPLES / 2 : seconds < 1e-3 ? 3 : 1;
}

enum kt_status kt_worker_time(struct kt_worker *worker, size_t job, const struct kt_context *context,
                              double seconds[KT_VISIT_SAMPLES], size_t *count, struct kt_error *error)
{
    const struct kt_job *what = &worker->jobs->job[job];
    struct request request = {.job = job,
                              .context = context,
                              .samples = samples_for(what->insitu.median),
                              .made = worker->made,
                              .counts = worker->counts};
    struct reply reply;
    *count = 0;
    if (!worker->failure[job] && !kt_library_takes(&worker->library, what->int_bytes))
        give_up(worker, job, false, "recorded with integers of another width than the library's");
    if (worker->failure[job])
        return KT_OK;
    struct kt_error cause = {0};
    if (kt_worker_start(worker, &cause) != KT_OK)
        return kt_interrupted() ? KT_OK : kt_fail(error, cause.status, "%s", cause.text);
    if (worker->rests)
        kt_child_rest(&worker->child, false);
    if (!kt_child_ask(&worker->child, &request, sizeof request, &reply, sizeof reply,
                      time_limit(what, context, worker->jobs->timer, request.samples))) {
        char why[KT_CHILD_END];
        kt_child_bury(&worker->child, why);
        if (!kt_interrupted())
            note_end(worker, job, why);
        return KT_OK;
    }
    if (worker->rests)
        kt_child_rest(&worker->child, true);
    if (reply.outcome != TIMED) {
        note_failure(worker, job, &reply);
        return KT_OK;
    }
    worker->disturbances = reply.disturbances;
    worker->subnormal = reply.subnormal;
    worker->met_subnormal = reply.met_subnormal;
    memcpy(seconds, reply.seconds, (reply.count + reply.disturbances.left_out) * sizeof *seconds);
    *count = reply.count;
    return KT_OK;
}

void kt_worker_keep(const struct kt_worker *worker, unsigned round, const double *seconds, size_t count,
                    struct kt_series *series)
{
    kt_disturbances_merge(&series->disturbances, &worker->disturbances);
    kt_series_add(series, round, seconds, count);
    kt_series_leave_out(series, seconds, count, count + worker->disturbances.left_out);
}
