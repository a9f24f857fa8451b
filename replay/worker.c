/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tool and worker talk over a socket in messages of fixed size: a request names a job, a reply brings its times.
 * The jobs themselves are known to the worker because it was forked. What a library prints goes to standard error.
 */
#include "replay/worker.h"

#include "replay/machine/cache.h"
#include "replay/interrupt.h"
#include "replay/sample.h"
#include "trace/memory.h"
#include "trace/now.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct request {
    uint64_t job;
    const struct kt_context *context; /* means the same in the worker */
    uint64_t samples;
};

enum outcome { READY, TIMED, MISSING, WRONG, UNUSABLE };

struct reply {
    enum outcome outcome;
    uint64_t count;
    double seconds[KT_VISIT_SAMPLES];
    struct kt_disturbances disturbances;
    int64_t info;
    struct kt_hello hello;
    char text[1024]; /* UNUSABLE: why */
};

/* --- the worker's side ------------------------------------------------------------------------------------- */

/* Calls shorter than this run once before they are timed, so that their code and stack are there, and what the library
 * keeps for itself, such as packed operands: another call or another context has displaced it. */
static const double warm_up_below = 5e-3;

/* The first call in a process also finds pages and threads that the library has to ask for: up to a millisecond. */
static const double first_warm_up_below = 0.1;

/* After so long a visit ends. */
static const double visit_seconds = 0.01;

struct side {
    const struct kt_worker *worker;
    struct kt_library library;
    struct kt_sampler sampler;
    struct kt_plans plans;            /* of the request that is served */
    const struct kt_context *context; /* of the last one */
    double *seconds;                  /* by job: of the last call; below 0: none in this process */
};

/* All workers choose the same processor: only one of them is ever busy, and comparisons then share its conditions. */
bool kt_worker_pin(void)
{
    cpu_set_t allowed;
    cpu_set_t one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return false;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        CPU_SET(cpu, &one);
        return sched_setaffinity(0, sizeof one, &one) == 0;
    }
    return false;
}

/* Where operands were in several places, a sample is the mean of a call with each of them. */
static double take_sample(struct side *side, const struct kt_target *target, int64_t *info)
{
    double seconds = 0;
    for (unsigned i = 0; i < side->plans.count; i++)
        seconds += side->plans.weight[i] * kt_sampler_time(&side->sampler, target, &side->plans.plan[i], info);
    return seconds;
}

/* Contexts that take long to bring about get fewer samples. */
static void take_samples(struct side *side, const struct request *request, const struct kt_target *target,
                         struct reply *reply)
{
    const struct kt_job *job = &side->worker->jobs->job[request->job];
    double *last = &side->seconds[request->job];
    bool fresh = kt_sampler_prepare(&side->sampler, job) || request->context != side->context;
    side->context = request->context;
    kt_plans_make(request->context, job->operand, job->operands, &side->worker->hierarchy->caches, job->placed,
                  &side->plans);
    reply->outcome = TIMED;
    if (fresh && (*last < 0 ? job->insitu.median < first_warm_up_below : *last < warm_up_below))
        *last = take_sample(side, target, &reply->info);
    side->sampler.disturbances = (struct kt_disturbances){0};
    double start = kt_now();
    for (reply->count = 0; reply->count < request->samples; reply->seconds[reply->count++] = *last) {
        if (reply->count > 0 && kt_now() - start > visit_seconds)
            break;
        *last = take_sample(side, target, &reply->info);
    }
    reply->disturbances = side->sampler.disturbances;
    if (reply->info != 0 && job->info == 0)
        reply->outcome = WRONG;
}

static void serve(struct side *side, const struct request *request, struct reply *reply)
{
    const struct kt_job *job = &side->worker->jobs->job[request->job];
    const struct kt_entry *entry = job->shape->first.entry;
    struct kt_target target = {.int_bytes = job->int_bytes};
    target.function = kt_library_symbol(&side->library, entry->symbol.name, entry->library->path);
    *reply = (struct reply){.outcome = MISSING};
    if (target.function)
        take_samples(side, request, &target, reply);
}

static enum kt_status prepare_side(struct side *side, struct reply *hello, struct kt_error *error)
{
    const struct kt_jobs *jobs = side->worker->jobs;
    KT_TRY(kt_library_load(&side->library, error));
    kt_library_version(&side->library, hello->hello.version, sizeof hello->hello.version);
    hello->hello.pinned = side->library.threads == 1 && kt_worker_pin();
    hello->hello.flush_effect = kt_cache_check();
    side->seconds = kt_resize(NULL, jobs->count, sizeof *side->seconds);
    for (size_t i = 0; i < jobs->count; i++)
        side->seconds[i] = -1;
    return kt_sampler_open(jobs, side->library.threads, side->worker->hierarchy, &side->sampler, error);
}

static _Noreturn void run_worker(const struct kt_worker *worker, int socket)
{
    static struct reply reply;
    static struct side side;
    side.worker = worker;
    side.library = worker->library;
    struct kt_error error = {0};
    struct request request;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    kt_interrupt_ignore();
    dup2(STDERR_FILENO, STDOUT_FILENO);
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
    _exit(0);
}

/* --- the tool's side --------------------------------------------------------------------------------------- */

/* Waits for a reply for at most so many seconds; false: the worker has ended, or hangs and is killed. */
static bool receive(struct kt_worker *worker, double seconds, struct reply *reply)
{
    struct pollfd poll_fd = {.fd = worker->socket, .events = POLLIN};
    int limit_ms = seconds < 1e6 ? (int)(seconds * 1e3) : 1000000000;
    int ready;
    while ((ready = poll(&poll_fd, 1, limit_ms)) < 0 && errno == EINTR && !kt_interrupted())
        ;
    if (ready == 1)
        return recv(worker->socket, reply, sizeof *reply, 0) == sizeof *reply;
    worker->timed_out = true;
    kill(worker->pid, SIGKILL);
    return false;
}

/* Buries a worker that has not replied and says how it ended. */
static void bury(struct kt_worker *worker, char *out, size_t size)
{
    int status = 0;
    waitpid(worker->pid, &status, 0);
    if (WIFEXITED(status))
        snprintf(out, size, "ended the process with status %d", WEXITSTATUS(status));
    else if (worker->timed_out)
        snprintf(out, size, "did not return within the time limit");
    else
        snprintf(out, size, "died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    close(worker->socket);
    worker->pid = 0;
    worker->socket = -1;
    worker->was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !worker->timed_out;
}

static enum kt_status spawn(struct kt_worker *worker, struct kt_error *error)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return kt_fail(error, KT_SYSTEM, "cannot create a socket: %s", strerror(errno));
    fflush(NULL);
    worker->pid = fork();
    if (worker->pid == 0)
        run_worker(worker, pair[1]);
    close(pair[1]);
    worker->socket = pair[0];
    worker->timed_out = false;
    if (worker->pid > 0)
        return KT_OK;
    close(pair[0]);
    worker->pid = 0;
    return kt_fail(error, KT_SYSTEM, "cannot start a process: %s", strerror(errno));
}

static enum kt_status start(struct kt_worker *worker, struct kt_error *error)
{
    enum { LOAD_SECONDS = 30 };
    char why[128];
    struct reply reply;
    KT_TRY(spawn(worker, error));
    if (!receive(worker, LOAD_SECONDS, &reply)) {
        bury(worker, why, sizeof why);
        return kt_fail(error, KT_BAD_INPUT, "%s: loading it %s", worker->library.file[0], why);
    }
    if (reply.outcome == UNUSABLE) {
        bury(worker, why, sizeof why);
        return kt_fail(error, KT_BAD_INPUT, "%s", reply.text);
    }
    worker->hello = reply.hello;
    return KT_OK;
}

void kt_worker_prepare(struct kt_library *library, const struct kt_jobs *jobs, const struct kt_hierarchy *hierarchy,
                       struct kt_worker *out)
{
    *out = (struct kt_worker){.library = *library, .jobs = jobs, .hierarchy = hierarchy, .socket = -1};
    *library = (struct kt_library){0};
    out->failure = kt_resize(NULL, jobs->count, sizeof *out->failure);
    out->broken = kt_resize(NULL, jobs->count, sizeof *out->broken);
    out->by_chance = kt_resize(NULL, jobs->count, sizeof *out->by_chance);
    memset(out->failure, 0, jobs->count * sizeof *out->failure);
    memset(out->broken, 0, jobs->count * sizeof *out->broken);
    memset(out->by_chance, 0, jobs->count * sizeof *out->by_chance);
}

enum kt_status kt_worker_open(struct kt_library *library, const struct kt_jobs *jobs,
                              const struct kt_hierarchy *hierarchy, struct kt_worker *out, struct kt_error *error)
{
    kt_worker_prepare(library, jobs, hierarchy, out);
    return start(out, error);
}

enum kt_status kt_worker_start(struct kt_worker *worker, struct kt_error *error)
{
    return worker->pid ? KT_OK : start(worker, error);
}

void kt_worker_renew(struct kt_worker *worker)
{
    if (!worker->pid)
        return;
    close(worker->socket);
    kill(worker->pid, SIGKILL);
    waitpid(worker->pid, NULL, 0);
    worker->pid = 0;
    worker->socket = -1;
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
    double slow = 50 * job->insitu.median * (kt_context_is_tracked(context) ? KT_MOST_PLACEMENTS : 1);
    double filling = (double)job->bytes * 1e-8 + (timer == KT_TIMER_SETS ? 20 : 0);
    return (slow > 10 ? slow : 10) * (job->insitu.median > 0.2 ? (double)samples + 1 : 1) + filling;
}

void kt_worker_give_up(struct kt_worker *worker, const char *why)
{
    for (size_t i = 0; i < worker->jobs->count; i++)
        if (!worker->failure[i]) {
            give_up(worker, i, true, why);
            worker->by_chance[i] = true;
        }
}

/* Each job that hangs costs its time limit. */
static void note_end(struct kt_worker *worker, size_t job, const char *why)
{
    enum { MOST_HANGS = 3 };
    give_up(worker, job, true, why);
    worker->by_chance[job] = worker->was_killed;
    worker->hangs += worker->timed_out;
    if (worker->hangs >= MOST_HANGS)
        kt_worker_give_up(worker, "not tried: the library did not return from other calls");
}

/* Has its process stand still, or go on. */
static void rest(const struct kt_worker *worker, bool still)
{
    if (worker->rests && worker->pid)
        kill(worker->pid, still ? SIGSTOP : SIGCONT);
}

static void note_failure(struct kt_worker *worker, size_t job, const struct reply *reply)
{
    char why[512];
    const char *symbol = worker->jobs->job[job].shape->first.entry->symbol.name;
    if (reply->outcome == MISSING)
        snprintf(why, sizeof why, "%s has no %s", worker->library.name, symbol);
    else
        snprintf(why, sizeof why, "%s ended with info = %lld, the recorded call with 0", symbol,
                 (long long)reply->info);
    give_up(worker, job, reply->outcome != MISSING, why);
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
    struct request request = {.job = job, .context = context, .samples = samples_for(what->insitu.median)};
    struct reply reply;
    *count = 0;
    if (!worker->failure[job] && !kt_library_takes(&worker->library, what->int_bytes))
        give_up(worker, job, false, "recorded with integers of another width than the library's");
    if (worker->failure[job])
        return KT_OK;
    struct kt_error cause = {0};
    if (kt_worker_start(worker, &cause) != KT_OK)
        return kt_interrupted() ? KT_OK : kt_fail(error, cause.status, "%s", cause.text);
    rest(worker, false);
    if (send(worker->socket, &request, sizeof request, MSG_NOSIGNAL) != sizeof request ||
        !receive(worker, time_limit(what, context, worker->jobs->timer, request.samples), &reply)) {
        char why[128];
        bury(worker, why, sizeof why);
        if (!kt_interrupted())
            note_end(worker, job, why);
        return KT_OK;
    }
    rest(worker, true);
    if (reply.outcome != TIMED) {
        note_failure(worker, job, &reply);
        return KT_OK;
    }
    worker->disturbances = reply.disturbances;
    memcpy(seconds, reply.seconds, reply.count * sizeof *seconds);
    *count = reply.count;
    return KT_OK;
}
