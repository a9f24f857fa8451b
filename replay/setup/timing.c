/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes shapes of calls that were never recorded, and has a worker time them as those of a trace.
 */
#include "replay/setup/timing.h"

#include "replay/call/own_kernel.h"
#include "replay/machine/caches.h"
#include "replay/machine/processor.h"
#include "replay/setup/forge.h"
#include "replay/store/identity.h"
#include "trace/base/interrupt.h"
#include "trace/base/random.h"
#include "replay/setup/setup.h"
#include "replay/measure/worker.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/print/text.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>

enum { MOST_CONTEXTS = KT_MAX_CONTEXTS };

struct kt_timing {
    struct kt_library library;
    struct kt_hierarchy hierarchy;
    const struct kt_context *context[MOST_CONTEXTS];
    size_t contexts;
    int processor; /* that calls with one thread are timed on; KT_NO_PROCESSOR: any */
    uint64_t random;
    bool renew; /* the process, before the next round */
};

void kt_timing_catch(void)
{
    kt_interrupt_catch();
}

int kt_timing_interrupted(void)
{
    return kt_interrupted();
}

bool kt_timing_attend(void)
{
    kt_interrupt_ignore();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return kt_processor_pin(KT_NO_PROCESSOR) != KT_NO_PROCESSOR;
}

/* --- which library ----------------------------------------------------------------------------------------- */

/* FNV-1a */
static uint32_t hash_of_files(const struct kt_library *library)
{
    uint32_t hash = 2166136261u;
    for (int i = 0; i < library->files; i++)
        for (const char *c = library->file[i]; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 16777619u;
    return hash;
}

/* However the user wrote it, the same files have the same name, and others another one. */
static void name_library(struct kt_library *library)
{
    if (!kt_library_name_build(library, true))
        snprintf(library->name, sizeof library->name, "%.24s-%08x", kt_base_name(library->file[0]),
                 hash_of_files(library));
}

/* What was recorded by the short name that it has: its models are then those of the name as well, whichever of its
 * files a program was linked with. */
static void use_short_name(struct kt_library *library)
{
    struct kt_library named = {0};
    struct kt_error ignored = {0};
    bool same = kt_library_find(library->name, &named, &ignored) == KT_OK && kt_library_same(&named, library);
    if (same) {
        struct kt_library recorded = *library;
        *library = named;
        library->threads = recorded.threads;
        named = recorded;
    }
    kt_library_free(&named);
}

static enum kt_status choose_library(const struct kt_timing_of *of, struct kt_library *out, struct kt_error *error)
{
    *out = (struct kt_library){0};
    if (of->kernel) {
        kt_own_kernel_library(of->kernel, out);
        return KT_OK;
    }
    if (!of->blas && !of->trace)
        return kt_fail(error, KT_USAGE, "which library? --blas names one");
    KT_TRY(of->blas ? kt_library_find(of->blas, out, error) : kt_library_recorded(of->trace, out, error));
    if (of->blas)
        name_library(out);
    else
        use_short_name(out);
    if (of->threads)
        out->threads = of->threads;
    else if (of->trace)
        out->threads = kt_library_threads_recorded(of->trace);
    return KT_OK;
}

static enum kt_status describe(const struct kt_library *library, struct kt_timing_identity *out, struct kt_error *error)
{
    char *objects = kt_identity_library(library);
    if (!objects)
        return kt_fail(error, KT_BAD_INPUT, "%s cannot be loaded", library->file[0]);
    snprintf(out->name, sizeof out->name, library->threads > 1 ? "%.40s-%d-threads" : "%.40s", library->name,
             library->threads);
    out->machine = kt_identity_machine();
    if (asprintf(&out->library, "threads %d, method %d,%s", library->threads, KT_TIMING_METHOD, objects) < 0)
        abort();
    free(objects);
    return KT_OK;
}

/* One that was named counts, whatever it is; but who compares its times with the trace's has to know. */
static void doubt_build(const struct kt_library *library, const struct kt_trace *trace, struct kt_timing_identity *out)
{
    char build[KT_BUILD_ID_TEXT];
    const struct kt_object *object = kt_library_other_build(library, trace, build);
    if (object && asprintf(&out->doubt,
                           "%s is another build than %s was recorded with (build id %.12s..., recorded: %.12s...): "
                           "times in the trace are not its times",
                           object->path, trace->path, build, object->build_id) < 0)
        abort();
}

enum kt_status kt_timing_identify(const struct kt_timing_of *of, struct kt_timing_identity *out, struct kt_error *error)
{
    struct kt_library library;
    *out = (struct kt_timing_identity){0};
    enum kt_status status = choose_library(of, &library, error);
    if (status == KT_OK)
        status = describe(&library, out, error);
    if (status == KT_OK && of->trace)
        doubt_build(&library, of->trace, out);
    kt_library_free(&library);
    return status;
}

void kt_timing_identity_free(struct kt_timing_identity *identity)
{
    free(identity->machine);
    free(identity->library);
    free(identity->doubt);
    *identity = (struct kt_timing_identity){0};
}

/* --- loaded here ------------------------------------------------------------------------------------------- */

struct kt_timing_loaded {
    struct kt_library library;
};

enum kt_status kt_timing_load(const char *blas, struct kt_timing_loaded **out, struct kt_error *error)
{
    struct kt_library *library;
    *out = kt_resize(NULL, 1, sizeof **out);
    library = &(*out)->library;
    KT_TRY(kt_library_find(blas, library, error));
    library->threads = 1;
    return kt_library_load(library, error);
}

void *kt_timing_symbol(const struct kt_timing_loaded *loaded, const char *symbol)
{
    return kt_library_symbol(&loaded->library, symbol, NULL);
}

/* --- opening ----------------------------------------------------------------------------------------------- */

static enum kt_status take_contexts(struct kt_timing *t, const char *const *context, size_t contexts,
                                    struct kt_error *error)
{
    unsigned evicted = 0;
    kt_caches_read(NULL, &t->hierarchy.caches);
    for (size_t i = 0; i < contexts; i++) {
        const struct kt_context *c = kt_context_find(context[i]);
        if (!c || kt_context_is_tracked(c) || i == MOST_CONTEXTS)
            return kt_fail(error, KT_USAGE, "context '%s': calls of chosen sizes cannot be timed in it", context[i]);
        if (kt_context_last_cache(c) >= t->hierarchy.caches.count)
            return kt_fail(error, KT_USAGE, "context '%s': there is no such cache here", context[i]);
        t->context[t->contexts++] = c;
        evicted |= kt_context_evicts(c, &t->hierarchy.caches);
    }
    kt_hierarchy_calibrate(evicted, kt_pages_limit() / 4, &t->hierarchy);
    return KT_OK;
}

enum kt_status kt_timing_open(const struct kt_timing_of *of, const char *const *context, size_t contexts,
                              struct kt_timing **out, struct kt_error *error)
{
    struct kt_timing *t = *out = kt_resize(NULL, 1, sizeof *t);
    *t = (struct kt_timing){.random = 1, .processor = of->trace ? kt_shapes_processor(of->trace) : KT_NO_PROCESSOR};
    enum kt_status status = choose_library(of, &t->library, error);
    if (status == KT_OK)
        status = take_contexts(t, context, contexts, error);
    if (status != KT_OK) {
        kt_timing_close(t);
        *out = NULL;
        return status;
    }
    kt_interrupt_catch();
    return KT_OK;
}

int kt_timing_processor(const struct kt_timing *timing)
{
    return timing->library.threads == 1 ? kt_processor_choose(timing->processor) : KT_NO_PROCESSOR;
}

void kt_timing_renew(struct kt_timing *timing)
{
    timing->renew = true;
}

void kt_timing_close(struct kt_timing *timing)
{
    if (!timing)
        return;
    kt_library_free(&timing->library);
    free(timing);
}

/* --- rounds ------------------------------------------------------------------------------------------------ */

struct rounds {
    struct kt_timing *timing;
    struct kt_timing_call *call;
    size_t calls;
    const struct kt_timing_rules *rules;
    struct kt_forged forged;
    struct kt_worker worker;
    double *visit; /* least of each visit, by call, context, number of the visit */
    unsigned kept; /* visits of which that is kept: rounds, if these are not more than anybody needs */
    unsigned done; /* rounds */
};

static double *visits_of(const struct rounds *r, size_t call, size_t context)
{
    return &r->visit[(call * r->timing->contexts + context) * r->kept];
}

static double least_of(const double *x, size_t n)
{
    double least = x[0];
    for (size_t i = 1; i < n; i++)
        least = x[i] < least ? x[i] : least;
    return least;
}

/* Sorts. */
static double median_of(double *x, size_t n)
{
    return kt_stat_of(x, n, KT_BEST_MEDIAN).median;
}

/* Was the processor taken away during each of the samples just taken? */
static bool is_spoilt(const struct kt_worker *worker, size_t count)
{
    return !worker->disturbances.left_out && worker->disturbances.by[KT_DISTURBED_SWITCH] >= count;
}

/* Visits that are not spoilt come first. */
static void keep_visit(struct rounds *r, size_t i, size_t context, double least, bool spoilt)
{
    struct kt_timed *timed = &r->call[i].result[context];
    double *visits = visits_of(r, i, context);
    unsigned at = timed->visits - timed->spoilt;
    if (timed->visits == r->kept)
        return;
    visits[timed->visits] = visits[at];
    visits[spoilt ? timed->visits : at] = least;
    timed->visits++;
    timed->spoilt += spoilt;
}

/* What the first visit found decides how many samples the next ones take. */
static enum kt_status visit(struct rounds *r, size_t i, size_t context, struct kt_error *error)
{
    double seconds[KT_VISIT_SAMPLES];
    size_t count = 0;
    size_t job = r->forged.job_of[i] - 1;
    bool spoilt = true;
    bool untried = r->worker.failure[job] && !r->call[i].failure[0];
    for (int attempt = 0; attempt < 2 && spoilt; attempt++) {
        KT_TRY(kt_worker_time(&r->worker, job, r->timing->context[context], seconds, &count, error));
        spoilt = count && is_spoilt(&r->worker, count);
    }
    if (r->worker.failure[job] && !kt_interrupted()) {
        snprintf(r->call[i].failure, sizeof r->call[i].failure, "%s", r->worker.failure[job]);
        r->call[i].untried = untried;
    }
    if (!count)
        return KT_OK;
    double least = least_of(seconds, count);
    keep_visit(r, i, context, least, spoilt);
    r->call[i].result[context].last = median_of(seconds, count);
    r->call[i].result[context].samples += (unsigned)count;
    if (context == 0)
        r->forged.jobs.job[job].insitu.median = least;
    return KT_OK;
}

/* Contexts of a call one after the other: its operands are then there. */
static enum kt_status visit_contexts(struct rounds *r, size_t i, struct kt_error *error)
{
    size_t contexts = r->timing->contexts;
    size_t first = kt_random(&r->timing->random) % contexts;
    if (!r->forged.job_of[i] || r->forged.jobs.job[r->forged.job_of[i] - 1].refused) {
        const char *why = r->forged.job_of[i] ? r->forged.jobs.job[r->forged.job_of[i] - 1].refused : "no such call";
        snprintf(r->call[i].failure, sizeof r->call[i].failure, "%s", why);
        return KT_OK;
    }
    for (size_t c = 0; c < contexts; c++) {
        size_t context = (first + c) % contexts;
        if (r->call[i].contexts & 1u << context && !r->call[i].failure[0] && !kt_interrupted())
            KT_TRY(visit(r, i, context, error));
    }
    return KT_OK;
}

static unsigned rounds_before(const struct rounds *r, size_t i, unsigned done)
{
    return (done * r->call[i].rounds + r->rules->rounds - 1) / r->rules->rounds;
}

/* The first round is one of those in which it is timed. */
static bool is_due(const struct rounds *r, size_t i)
{
    unsigned rounds = r->call[i].rounds;
    return !rounds || rounds >= r->rules->rounds || rounds_before(r, i, r->done + 1) > rounds_before(r, i, r->done);
}

/* Processes follow each other as rounds do, and as who counts the rounds wants it. */
static void renew_process(struct rounds *r)
{
    unsigned rounds = r->rules->rounds;
    unsigned processes = r->rules->processes ? r->rules->processes : 1;
    bool due = r->done && r->done * processes / rounds != (r->done - 1) * processes / rounds;
    if (due || r->timing->renew)
        kt_worker_renew(&r->worker);
    r->timing->renew = false;
}

static enum kt_status run_round(struct rounds *r, size_t *order, struct kt_error *error)
{
    const struct kt_timing_rules *rules = r->rules;
    renew_process(r);
    for (size_t i = 0; i < r->calls; i++)
        for (size_t c = 0; c < r->timing->contexts; c++)
            r->call[i].result[c].last = NAN;
    kt_shuffle(order, r->calls, &r->timing->random);
    for (size_t i = 0; i < r->calls && !kt_interrupted(); i++) {
        if (is_due(r, order[i]))
            KT_TRY(visit_contexts(r, order[i], error));
        if (rules->label)
            kt_progress(rules->label, (double)(r->done * r->calls + i + 1), (double)(rules->rounds * r->calls));
    }
    r->done++;
    return KT_OK;
}

static enum kt_status run_rounds(struct rounds *r, struct kt_error *error)
{
    enum { FEWEST = 3 };
    double start = kt_now();
    size_t *order = kt_resize(NULL, r->calls, sizeof *order);
    enum kt_status status = KT_OK;
    while (status == KT_OK && r->done < r->rules->rounds && !kt_interrupted()) {
        if (r->done >= FEWEST && r->rules->seconds > 0 && kt_now() - start > r->rules->seconds)
            break;
        status = run_round(r, order, error);
        bool whole = status == KT_OK && !kt_interrupted();
        if (whole && r->rules->after && !r->rules->after(r->rules->context))
            break;
    }
    if (r->rules->label)
        kt_progress_end();
    free(order);
    return status;
}

/* --- estimates --------------------------------------------------------------------------------------------- */

static double best_of(double *x, size_t n)
{
    return kt_stat_of(x, n, KT_BEST_QUARTILE).best;
}

/* Two estimates, each from every other visit. */
static double noise_of(const double *visit, size_t n)
{
    double *half = kt_resize(NULL, n, sizeof *half);
    double estimate[2] = {NAN, NAN};
    for (size_t parity = 0; parity < 2 && n >= 2; parity++) {
        size_t count = 0;
        for (size_t i = parity; i < n; i += 2)
            half[count++] = visit[i];
        estimate[parity] = best_of(half, count);
    }
    free(half);
    return fabs(estimate[0] - estimate[1]) / (estimate[0] + estimate[1]);
}

/* Sorts. */
static void describe_visits(double *visits, size_t n, struct kt_timed *out)
{
    out->best = fmax(KT_CLOCK_DOUBT, best_of(visits, n));
    out->least = fmax(KT_CLOCK_DOUBT, visits[0]);
    out->median = fmax(KT_CLOCK_DOUBT, median_of(visits, n));
    out->upper = fmax(KT_CLOCK_DOUBT, visits[n - 1 - (n - 1) / 4]);
    out->most = fmax(KT_CLOCK_DOUBT, visits[n - 1]);
}

static void estimate(const struct rounds *r)
{
    enum { FEWEST_GOOD = 3 };
    for (size_t i = 0; i < r->calls; i++)
        for (size_t c = 0; c < r->timing->contexts; c++) {
            struct kt_timed *timed = &r->call[i].result[c];
            double *visits = visits_of(r, i, c);
            size_t good = timed->visits - timed->spoilt;
            size_t count = good >= FEWEST_GOOD ? good : timed->visits;
            timed->noise = count ? noise_of(visits, count) : NAN;
            if (count)
                describe_visits(visits, count, timed);
            timed->noise = hypot(isfinite(timed->noise) ? timed->noise : 1, KT_CLOCK_DOUBT / timed->best);
        }
}

static void clear_results(const struct kt_timing *t, struct kt_timing_call *call, size_t calls)
{
    for (size_t i = 0; i < calls; i++) {
        call[i].failure[0] = '\0';
        call[i].untried = false;
        for (size_t c = 0; c < t->contexts; c++)
            call[i].result[c] = (struct kt_timed){
                .best = NAN, .least = NAN, .median = NAN, .upper = NAN, .most = NAN, .last = NAN, .noise = NAN};
    }
}

enum kt_status kt_timing_run(struct kt_timing *timing, struct kt_timing_call *call, size_t calls,
                             const struct kt_timing_rules *rules, struct kt_error *error)
{
    enum { MOST_KEPT = 4096 };
    struct rounds r = {.timing = timing, .call = call, .calls = calls, .rules = rules};
    r.kept = rules->rounds < MOST_KEPT ? rules->rounds : MOST_KEPT;
    struct kt_library library;
    kt_library_copy(&timing->library, &library);
    clear_results(timing, call, calls);
    kt_forge(call, calls, timing->library.int_bytes, &r.forged);
    r.forged.jobs.processor = timing->processor;
    r.visit = kt_resize(NULL, calls * timing->contexts * r.kept, sizeof *r.visit);
    kt_worker_prepare(&library, &r.forged.jobs, &timing->hierarchy, &r.worker);
    enum kt_status status = run_rounds(&r, error);
    if (status == KT_OK)
        estimate(&r);
    kt_worker_close(&r.worker);
    kt_forged_free(&r.forged);
    free(r.visit);
    return status;
}
