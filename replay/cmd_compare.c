/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace compare: times every recorded shape on several libraries, on all of them within a moment, so that what
 * disturbs one disturbs the others too.
 */
#include "replay/comparison.h"
#include "trace/json.h"
#include "trace/text.h"
#include "trace/verb.h"

static const double default_budget = 60;

struct compare {
    struct kt_comparison comparison;
    struct kt_error *error;
};

/* A shape that one library cannot run is not timed any more; whether the others can is asked once. */
static bool fail_shape(struct compare *c, size_t item, size_t lane)
{
    struct kt_comparison *k = &c->comparison;
    double seconds[KT_VISIT_SAMPLES];
    size_t count;
    for (size_t l = 0; l < k->libraries && c->error->status == KT_OK; l++)
        if (l != lane && !k->worker[l].failure[item])
            kt_worker_time(&k->worker[l], item, k->options.context[0], seconds, &count, c->error);
    return false;
}

static bool visit(void *context, size_t item, size_t lane)
{
    struct compare *c = context;
    struct kt_comparison *k = &c->comparison;
    double seconds[KT_VISIT_SAMPLES];
    size_t count = 0;
    if (k->setup.jobs.job[item].refused || c->error->status != KT_OK)
        return false;
    if (kt_worker_time(&k->worker[lane], item, k->options.context[0], seconds, &count, c->error) != KT_OK)
        return false;
    if (count == 0)
        return fail_shape(c, item, lane);
    kt_series_add(&k->schedule.item[item].lane[lane], k->schedule.rounds, seconds, count);
    return true;
}

/* New processes in every round: two processes of one library differ by up to a percent, for as long as they live. */
static void begin_round(void *context)
{
    struct compare *c = context;
    for (size_t l = 0; l < c->comparison.libraries; l++)
        kt_worker_renew(&c->comparison.worker[l]);
}

/* --- libraries --------------------------------------------------------------------------------------------- */

struct choice {
    struct kt_library library[KT_MAX_LIBRARIES + 1];
    size_t count;
};

static void move_to_front(struct choice *choice, size_t i)
{
    struct kt_library first = choice->library[i];
    for (; i > 0; i--)
        choice->library[i] = choice->library[i - 1];
    choice->library[0] = first;
}

/* The recorded library comes first, whether it was named or not; if it is not there, the first that was named. */
static enum kt_status choose_baseline(struct choice *choice, const struct kt_trace *trace, struct kt_error *error)
{
    struct kt_library recorded;
    struct kt_error cause = {0};
    if (kt_library_recorded(trace, &recorded, &cause) != KT_OK) {
        kt_library_free(&recorded);
        if (choice->count == 1)
            return kt_fail(error, cause.status, "%s", cause.text);
        kt_notice("%s is the baseline: %s", choice->library[0].name, cause.text);
        return KT_OK;
    }
    for (size_t i = 0; i < choice->count; i++)
        choice->library[i].threads = recorded.threads;
    for (size_t i = 0; i < choice->count; i++)
        if (kt_library_same(&choice->library[i], &recorded)) {
            move_to_front(choice, i);
            kt_library_free(&recorded);
            return KT_OK;
        }
    choice->library[choice->count++] = recorded;
    move_to_front(choice, choice->count - 1);
    return KT_OK;
}

static enum kt_status find_libraries(const struct kt_comparison *k, struct choice *out, struct kt_error *error)
{
    *out = (struct choice){0};
    for (size_t i = 0; i < k->options.libraries; i++)
        KT_TRY(kt_library_find(k->options.blas[i], &out->library[out->count++], error));
    KT_TRY(choose_baseline(out, &k->setup.trace, error));
    if (out->count < 2)
        return kt_fail(error, KT_USAGE,
                       "%s is what the trace was recorded with: which library is it to be compared "
                       "to?",
                       out->library[0].name);
    return KT_OK;
}

static enum kt_status open_workers(struct kt_comparison *k, struct choice *choice, struct kt_error *error)
{
    for (size_t i = 0; i < choice->count; i++) {
        if (k->options.threads)
            choice->library[i].threads = k->options.threads;
        k->libraries++;
        KT_TRY(kt_worker_open(&choice->library[i], &k->setup.jobs, &k->worker[i], error));
    }
    return KT_OK;
}

/* --- the verb ---------------------------------------------------------------------------------------------- */

static enum kt_status read_options(int argc, char **argv, struct kt_replay_options *options, struct kt_error *error)
{
    KT_TRY(kt_replay_options_parse(argc, argv, options, error));
    if (options->libraries == 0)
        return kt_fail(error, KT_USAGE, "which libraries? name them with --blas");
    if (options->contexts > 1)
        return kt_fail(error, KT_USAGE, "libraries are compared in one context at a time");
    if (options->contexts == 0)
        options->context[options->contexts++] = kt_context_find("warm");
    return KT_OK;
}

static enum kt_status run(int argc, char **argv, struct compare *c, struct kt_error *error)
{
    struct kt_comparison *k = &c->comparison;
    struct choice choice;
    KT_TRY(read_options(argc, argv, &k->options, error));
    KT_TRY(kt_setup_open(&k->options, &k->setup, error));
    enum kt_status status = find_libraries(k, &choice, error);
    if (status == KT_OK)
        status = open_workers(k, &choice, error);
    for (size_t i = 0; i < choice.count; i++)
        kt_library_free(&choice.library[i]);
    KT_TRY(status);
    kt_setup_schedule(&k->setup, &k->options, k->libraries, &k->schedule);
    k->schedule.label = "compare";
    k->schedule.visit = visit;
    k->schedule.begin_round = begin_round;
    k->schedule.context = c;
    kt_schedule_run(&k->schedule);
    kt_comparison_sum_up(k);
    return error->status;
}

int kt_verb_compare(int argc, char **argv)
{
    struct kt_error error = {0};
    struct compare compare = {.comparison.options.budget = default_budget, .error = &error};
    struct kt_comparison *k = &compare.comparison;
    enum kt_status status = run(argc, argv, &compare, &error);
    bool defect = status == KT_OK && kt_comparison_found_defect(k);
    if (status == KT_OK && k->options.json)
        kt_json_print(kt_comparison_json(k));
    else if (status == KT_OK)
        kt_comparison_print(k);
    kt_schedule_free(&k->schedule);
    for (size_t i = 0; i < k->libraries; i++)
        kt_worker_close(&k->worker[i]);
    kt_setup_close(&k->setup);
    if (status == KT_USAGE)
        return kt_verb_usage("compare", "%s", error.text);
    return status != KT_OK ? kt_verb_fail("compare", &error) : defect ? KT_FINDING : KT_OK;
}
