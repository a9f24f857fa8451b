/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/predict/execution.h"

#include "model/predict/script.h"
#include "trace/installed.h"
#include "trace/memory.h"
#include "trace/now.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What processes share: the results, and how far they came. */
struct shared {
    int rounds; /* complete ones */
    char failure[512];
    double seconds[]; /* by round, then by candidate */
};

struct execution {
    struct kt_candidate *candidate;
    size_t candidates;
    const struct kt_execution_rules *rules;
    struct kt_installed library;
    struct shared *shared;
    struct kt_script *script; /* in the worker */
    uint64_t random;
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

static uint64_t draw(struct execution *e, uint64_t below)
{
    e->random = e->random * 6364136223846793005u + 1442695040888963407u;
    return (e->random >> 33) % below;
}

/* --- in the worker ----------------------------------------------------------------------------------------- */

static enum kt_status load(const struct kt_installed *library, void *handle[KT_INSTALLED_FILES], struct kt_error *error)
{
    for (int i = 0; i < library->files; i++) {
        handle[i] = dlopen(library->file[i], RTLD_NOW | RTLD_LOCAL);
        if (!handle[i])
            return kt_fail(error, KT_SYSTEM, "%s: cannot be loaded: %s", library->file[i], dlerror());
    }
    return KT_OK;
}

static enum kt_status make_scripts(struct execution *e, struct kt_error *error)
{
    void *handle[KT_INSTALLED_FILES] = {0};
    KT_TRY(load(&e->library, handle, error));
    e->script = kt_resize(NULL, e->candidates, sizeof *e->script);
    for (size_t i = 0; i < e->candidates; i++)
        KT_TRY(kt_script_make(e->candidate[i].algorithm, e->candidate[i].parameter, handle, e->library.files,
                              &e->script[i], error));
    return KT_OK;
}

static void stay_on_this_processor(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)sched_getcpu(), &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* Wall time; if the processor was given away meanwhile, what the thread had of it. */
static double run_once(struct kt_script *script)
{
    kt_script_reset(script);
    long before = interruptions();
    double processor = read_clock(CLOCK_THREAD_CPUTIME_ID);
    double begin = kt_now();
    kt_script_run(script);
    double wall = kt_now() - begin;
    processor = read_clock(CLOCK_THREAD_CPUTIME_ID) - processor;
    return interruptions() == before ? wall : processor;
}

static void run_round(struct execution *e, double *seconds)
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
static void work(struct execution *e, int rounds, double until)
{
    struct kt_error error = {0};
    double forgotten[e->candidates];
    if (make_scripts(e, &error) != KT_OK) {
        snprintf(e->shared->failure, sizeof e->shared->failure, "%.500s", error.text);
        _exit((int)error.status);
    }
    stay_on_this_processor();
    run_round(e, forgotten);
    for (int i = 0; i < rounds; i++) {
        if (e->shared->rounds >= 3 && kt_now() > until)
            break;
        run_round(e, &e->shared->seconds[(size_t)e->shared->rounds * e->candidates]);
        e->shared->rounds++;
    }
    _exit(0);
}

/* --- outside ----------------------------------------------------------------------------------------------- */

static enum kt_status run_process(struct execution *e, int rounds, double until, struct kt_error *error)
{
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return kt_fail(error, KT_SYSTEM, "no process can be started: %s", strerror(errno));
    e->random++;
    if (pid == 0)
        work(e, rounds, until);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (*e->shared->failure)
        return kt_fail(error, KT_BAD_INPUT, "%s", e->shared->failure);
    if (status != 0)
        return kt_fail(error, KT_BAD_INPUT, "%s: the process that ran the calls ended early (status %d)",
                       e->rules->blas, status);
    return KT_OK;
}

static enum kt_status run_all(struct execution *e, struct kt_error *error)
{
    int processes = e->rules->processes > 0 ? e->rules->processes : 1;
    double begin = kt_now();
    for (int i = 0; i < processes; i++) {
        int rounds = e->rules->rounds * (i + 1) / processes - e->rules->rounds * i / processes;
        KT_TRY(run_process(e, rounds, begin + e->rules->budget * (i + 1) / processes, error));
    }
    return KT_OK;
}

static void take_results(struct execution *e)
{
    for (size_t c = 0; c < e->candidates; c++) {
        e->candidate[c].rounds = e->shared->rounds;
        e->candidate[c].seconds = kt_resize(NULL, (size_t)e->shared->rounds, sizeof(double));
        for (int r = 0; r < e->shared->rounds; r++)
            e->candidate[c].seconds[r] = e->shared->seconds[(size_t)r * e->candidates + c];
    }
}

enum kt_status kt_execute(struct kt_candidate *candidate, size_t candidates, const struct kt_execution_rules *rules,
                          struct kt_error *error)
{
    struct execution e = {.candidate = candidate, .candidates = candidates, .rules = rules, .random = 1};
    size_t bytes = sizeof *e.shared + candidates * ((size_t)rules->rounds + 3) * sizeof(double);
    KT_TRY(kt_installed_find(rules->blas, &e.library, error));
    e.shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    enum kt_status status =
        e.shared == MAP_FAILED ? kt_fail(error, KT_SYSTEM, "no memory: %s", strerror(errno)) : run_all(&e, error);
    if (status == KT_OK)
        take_results(&e);
    if (e.shared != MAP_FAILED)
        munmap(e.shared, bytes);
    kt_installed_free(&e.library);
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
