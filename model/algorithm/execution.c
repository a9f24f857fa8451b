/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/algorithm/execution.h"

#include "model/algorithm/script.h"
#include "replay/setup/timing.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What processes share: the results, and how far they came. */
struct shared {
    int rounds; /* complete ones */
    char failure[512];
    double seconds[]; /* by round, then by candidate */
};

struct kt_execution {
    struct kt_candidate *candidate;
    size_t candidates;
    struct kt_execution_rules rules;
    struct shared *shared;
    size_t bytes;             /* of what is shared */
    struct kt_script *script; /* in the worker */
    uint64_t random;
    double begin;
    pid_t pid;   /* of the worker, 0: none yet */
    int socket;  /* to the worker: a byte asks for a round, a byte says that it is complete */
    int process; /* how many there were */
};

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* How often the processor was given to others. */
static long interruptions(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

static uint64_t draw(struct kt_execution *e, uint64_t below)
{
    e->random = e->random * 6364136223846793005u + 1442695040888963407u;
    return (e->random >> 33) % below;
}

/* --- in the worker ----------------------------------------------------------------------------------------- */

static enum kt_status make_scripts(struct kt_execution *e, struct kt_error *error)
{
    struct kt_timing_loaded *library;
    KT_TRY(kt_timing_load(e->rules.blas, &library, error));
    e->script = kt_resize(NULL, e->candidates, sizeof *e->script);
    for (size_t i = e->candidates; i-- > 0;) { /* larger blocks, which come later, have the larger workspace */
        const struct kt_candidate *c = &e->candidate[i];
        bool same = i + 1 < e->candidates && e->candidate[i + 1].algorithm == c->algorithm;
        KT_TRY(
            kt_script_make(c->algorithm, c->parameter, library, same ? &e->script[i + 1] : NULL, &e->script[i], error));
    }
    return KT_OK;
}

/* What takes less runs once before it is timed, as samples of models do: its code is then where it is when an
 * algorithm is used again and again, whatever the others did meanwhile. */
static const double warm_up_below = 5e-3;

/* Wall time; if the processor was given away meanwhile, what the thread had of it. */
static double run_once(struct kt_script *script)
{
    kt_script_reset(script);
    if (script->seconds > 0 && script->seconds < warm_up_below) {
        kt_script_run(script);
        kt_script_reset(script);
    }
    long before = interruptions();
    double processor = read_clock(CLOCK_THREAD_CPUTIME_ID);
    double begin = kt_now();
    kt_script_run(script);
    double wall = kt_now() - begin;
    processor = read_clock(CLOCK_THREAD_CPUTIME_ID) - processor;
    script->seconds = wall;
    return interruptions() == before ? wall : processor;
}

static void run_round(struct kt_execution *e, double *seconds)
{
    size_t order[e->candidates];
    for (size_t i = 0; i < e->candidates; i++) {
        size_t other = draw(e, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (size_t i = 0; i < e->candidates; i++)
        seconds[order[i]] = run_once(&e->script[order[i]]);
}

/* The first round of a process is not counted: its pages and code are new. */
static _Noreturn void work(struct kt_execution *e, int socket)
{
    struct kt_error error = {0};
    double forgotten[e->candidates];
    char byte;
    kt_timing_attend();
    if (make_scripts(e, &error) != KT_OK) {
        snprintf(e->shared->failure, sizeof e->shared->failure, "%.500s", error.text);
        _exit((int)error.status);
    }
    run_round(e, forgotten);
    while (read(socket, &byte, 1) == 1) {
        run_round(e, &e->shared->seconds[(size_t)e->shared->rounds * e->candidates]);
        e->shared->rounds++;
        if (write(socket, &byte, 1) != 1)
            break;
    }
    _exit(0);
}

/* --- outside ----------------------------------------------------------------------------------------------- */

static int end_process(struct kt_execution *e)
{
    int status = 0;
    if (!e->pid)
        return 0;
    if (kt_timing_interrupted()) /* it may be within a long round */
        kill(e->pid, SIGKILL);
    shutdown(e->socket, SHUT_RDWR); /* other processes, forked meanwhile, hold it too */
    close(e->socket);
    while (waitpid(e->pid, &status, 0) < 0 && errno == EINTR)
        ;
    e->pid = 0;
    return status;
}

static enum kt_status begin_process(struct kt_execution *e, struct kt_error *error)
{
    int ends[2];
    end_process(e);
    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return kt_fail(error, KT_SYSTEM, "no process can be started: %s", strerror(errno));
    e->pid = fork();
    e->random++;
    if (e->pid == 0) {
        close(ends[0]);
        work(e, ends[1]);
    }
    close(ends[1]);
    e->socket = ends[0];
    e->process++;
    if (e->pid > 0)
        return KT_OK;
    close(ends[0]);
    e->pid = 0;
    return kt_fail(error, KT_SYSTEM, "no process can be started: %s", strerror(errno));
}

/* Processes follow each other as rounds, or the time, come to an end, but each has three rounds. */
static int process_due(const struct kt_execution *e)
{
    enum { FEWEST = 3 };
    double rounds = (double)e->shared->rounds / e->rules.rounds;
    double seconds = (kt_now() - e->begin) / e->rules.budget;
    int processes = e->rules.processes > 0 ? e->rules.processes : 1;
    int due = 1 + (int)(processes * fmax(rounds, seconds));
    int most = 1 + e->shared->rounds / FEWEST;
    due = due < most ? due : most;
    return due < processes ? due : processes;
}

bool kt_execution_goes_on(const struct kt_execution *e)
{
    return !kt_timing_interrupted() &&
           (e->shared->rounds < 3 || (e->shared->rounds < e->rules.rounds && kt_now() - e->begin < e->rules.budget));
}

enum kt_status kt_execution_round(struct kt_execution *e, struct kt_error *error)
{
    char byte = 0;
    ssize_t got;
    if (!e->pid || e->process < process_due(e))
        KT_TRY(begin_process(e, error));
    if (send(e->socket, &byte, 1, MSG_NOSIGNAL) == 1) {
        while ((got = read(e->socket, &byte, 1)) < 0 && errno == EINTR && !kt_timing_interrupted())
            ;
        if (got == 1 || kt_timing_interrupted())
            return KT_OK;
    }
    int status = end_process(e);
    if (*e->shared->failure)
        return kt_fail(error, KT_BAD_INPUT, "%s", e->shared->failure);
    return kt_fail(error, KT_BAD_INPUT, "%s: the process that ran the calls ended early (status %d)", e->rules.blas,
                   status);
}

int kt_execution_processes(const struct kt_execution *e)
{
    return e->process;
}

enum kt_status kt_execution_open(struct kt_candidate *candidate, size_t candidates,
                                 const struct kt_execution_rules *rules, struct kt_execution **out,
                                 struct kt_error *error)
{
    struct kt_execution *e = kt_resize(NULL, 1, sizeof *e);
    *e = (struct kt_execution){
        .candidate = candidate, .candidates = candidates, .rules = *rules, .random = 1, .begin = kt_now()};
    *out = NULL;
    e->rules.rounds = rules->rounds < 3 ? 3 : rules->rounds;
    e->bytes = sizeof *e->shared + candidates * (size_t)e->rules.rounds * sizeof(double);
    e->shared = mmap(NULL, e->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (e->shared == MAP_FAILED) {
        free(e);
        return kt_fail(error, KT_SYSTEM, "no memory: %s", strerror(errno));
    }
    kt_timing_catch();
    *out = e;
    return KT_OK;
}

static void take_results(struct kt_execution *e)
{
    for (size_t c = 0; c < e->candidates; c++) {
        e->candidate[c].rounds = e->shared->rounds;
        e->candidate[c].seconds = kt_resize(NULL, (size_t)e->shared->rounds, sizeof(double));
        for (int r = 0; r < e->shared->rounds; r++)
            e->candidate[c].seconds[r] = e->shared->seconds[(size_t)r * e->candidates + c];
    }
}

void kt_execution_close(struct kt_execution *e)
{
    if (!e)
        return;
    end_process(e);
    take_results(e);
    munmap(e->shared, e->bytes);
    free(e);
}

enum kt_status kt_execute(struct kt_candidate *candidate, size_t candidates, const struct kt_execution_rules *rules,
                          struct kt_error *error)
{
    struct kt_execution *e;
    KT_TRY(kt_execution_open(candidate, candidates, rules, &e, error));
    enum kt_status status = KT_OK;
    while (status == KT_OK && kt_execution_goes_on(e))
        status = kt_execution_round(e, error);
    kt_execution_close(e);
    if (status != KT_OK)
        kt_candidates_free(candidate, candidates);
    return status;
}

void kt_candidates_free(struct kt_candidate *candidate, size_t candidates)
{
    for (size_t i = 0; i < candidates; i++) {
        free(candidate[i].seconds);
        candidate[i].seconds = NULL;
    }
}

struct kt_stat kt_candidate_stat(const struct kt_candidate *candidate)
{
    double *copy = kt_resize(NULL, (size_t)candidate->rounds, sizeof *copy);
    memcpy(copy, candidate->seconds, (size_t)candidate->rounds * sizeof *copy);
    struct kt_stat stat = kt_stat_of(copy, (size_t)candidate->rounds, KT_BEST_QUARTILE);
    free(copy);
    return stat;
}

struct kt_stat kt_candidate_ratio(const struct kt_candidate *a, const struct kt_candidate *b)
{
    double *ratio = kt_resize(NULL, (size_t)a->rounds, sizeof *ratio);
    for (int i = 0; i < a->rounds; i++)
        ratio[i] = a->seconds[i] / b->seconds[i];
    struct kt_stat stat = kt_stat_of(ratio, (size_t)a->rounds, KT_BEST_MEDIAN);
    free(ratio);
    return stat;
}
