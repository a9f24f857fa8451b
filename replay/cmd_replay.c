/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace replay: re-times every recorded shape in controlled contexts, prints what came out and leaves it in the
 * trace, where report finds it.
 */
#include "replay/result.h"
#include "trace/json.h"
#include "trace/text.h"
#include "trace/verb.h"

#include <stdio.h>

static const double default_budget = 20;
static const double spread_share = 0.9; /* of the budget; what makes two replays agree, see kt_schedule.spread */
static const double least_flush_effect = 3;

struct replay {
    struct kt_replay_options options;
    struct kt_setup setup;
    struct kt_worker worker;
    struct kt_schedule schedule;
    struct kt_error *error;
};

static bool visit(void *context, size_t item, size_t lane)
{
    struct replay *r = context;
    struct kt_job *job = &r->setup.jobs.job[item];
    double seconds[KT_VISIT_SAMPLES];
    size_t count = 0;
    if (job->refused || r->error->status != KT_OK)
        return false;
    if (kt_worker_time(&r->worker, item, r->options.context[lane], seconds, &count, r->error) != KT_OK)
        return false;
    if (count == 0) {
        kt_job_refuse(job, "%s", r->worker.failure[item]);
        return false;
    }
    kt_series_add(&r->schedule.item[item].lane[lane], r->schedule.rounds, seconds, count);
    return true;
}

static enum kt_status choose_library(const struct replay *r, struct kt_library *out, struct kt_error *error)
{
    if (r->options.libraries > 1)
        return kt_fail(error, KT_USAGE, "replay takes one --blas; to compare libraries there is ktrace compare");
    if (r->options.libraries == 1)
        return kt_library_find(r->options.blas[0], out, error);
    return kt_library_recorded(&r->setup.trace, out, error);
}

static enum kt_status open_worker(struct replay *r, struct kt_error *error)
{
    struct kt_library library = {0};
    struct kt_library recorded = {0};
    struct kt_error ignored = {0};
    if (choose_library(r, &library, error) != KT_OK) {
        kt_library_free(&library);
        return error->status;
    }
    if (kt_library_recorded(&r->setup.trace, &recorded, &ignored) == KT_OK)
        library.threads = recorded.threads;
    kt_library_free(&recorded);
    if (r->options.threads)
        library.threads = r->options.threads;
    KT_TRY(kt_worker_open(&library, &r->setup.jobs, &r->worker, error));
    if (r->worker.hello.flush_effect < least_flush_effect)
        kt_notice("flushing a line made its load only %.1f times longer: cold times are not reliable here",
                  r->worker.hello.flush_effect);
    if (!r->worker.hello.pinned && r->worker.library.threads == 1)
        kt_notice("the replay could not be pinned to one processor: expect more scatter");
    return KT_OK;
}

/* A trace that cannot be written to, on a read-only medium for example, is still replayed. A part of the shapes must
 * not take the place of an earlier replay of all. */
static void save(const struct replay *r, json_t *document)
{
    char path[4096];
    struct kt_error error = {0};
    if (r->options.routines || r->options.level != KT_OUTERMOST) {
        json_decref(document);
        kt_notice("not stored with the trace: only a replay of all outermost calls is");
        return;
    }
    snprintf(path, sizeof path, "%s/replay.json", r->setup.trace.path);
    if (kt_json_save(document, path, &error) != KT_OK)
        kt_notice("the results are not stored with the trace: %s", error.text);
    else if (!r->options.json)
        printf("\nStored in %s; `ktrace report %s` puts them into its report.\n", path, r->setup.trace.path);
}

static enum kt_status run(int argc, char **argv, struct replay *r, struct kt_error *error)
{
    KT_TRY(kt_replay_options_parse(argc, argv, &r->options, error));
    if (r->options.contexts == 0) {
        r->options.context[r->options.contexts++] = kt_context_find("warm");
        r->options.context[r->options.contexts++] = kt_context_find("cold");
    }
    KT_TRY(kt_setup_open(&r->options, &r->setup, error));
    KT_TRY(open_worker(r, error));
    kt_setup_schedule(&r->setup, &r->options, r->options.contexts, &r->schedule);
    r->schedule.spread = spread_share * r->options.budget;
    r->schedule.label = "replay";
    r->schedule.visit = visit;
    r->schedule.context = r;
    kt_schedule_run(&r->schedule);
    return error->status;
}

static void show(const struct replay *r)
{
    const struct kt_replay_result result = {&r->options, &r->setup, &r->worker, &r->schedule};
    json_t *document = kt_result_json(&result);
    if (r->options.json)
        kt_json_print(json_incref(document));
    else
        kt_result_print(&result);
    save(r, document);
}

int kt_verb_replay(int argc, char **argv)
{
    struct kt_error error = {0};
    struct replay replay = {.options.budget = default_budget, .error = &error};
    enum kt_status status = run(argc, argv, &replay, &error);
    if (status == KT_OK)
        show(&replay);
    kt_schedule_free(&replay.schedule);
    kt_worker_close(&replay.worker);
    kt_setup_close(&replay.setup);
    return status == KT_OK      ? KT_OK
           : status == KT_USAGE ? kt_verb_usage("replay", "%s", error.text)
                                : kt_verb_fail("replay", &error);
}
