/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace compare: times recorded calls on several libraries, on all of them within a moment, so that what disturbs one
 * disturbs the others too: in their sequence, or shape by shape.
 */
#include "replay/compare/beyond.h"
#include "replay/compare/comparison.h"
#include "replay/compare/comparison_check.h"
#include "trace/command/document.h"
#include "replay/compare/comparison_screen.h"
#include "replay/compare/comparison_share.h"
#include "replay/compare/comparison_store.h"
#include "replay/compare/draw.h"
#include "replay/compare/map_plan.h"
#include "replay/compare/sequences.h"
#include "replay/verbs/cmd_workloads.h"
#include "trace/base/interrupt.h"
#include "replay/compare/verify.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct compare {
    struct kt_comparison comparison;
    struct kt_sequences sequences;
    struct kt_comparison_store *store; /* NULL: nothing is kept */
    struct kt_verify verify;
    struct kt_map_plan plan;
    bool has_map; /* it was written */
    bool is_part; /* other shares are missing */
    struct kt_error *error;
};

/* --- measuring --------------------------------------------------------------------------------------------- */

/* What a library cannot do is noted with it, and stops no other. COUNT: samples. */
static void time_shape(struct compare *c, size_t item, size_t lane, double seconds[KT_VISIT_SAMPLES], size_t *count)
{
    struct kt_comparison *k = &c->comparison;
    struct kt_error cause = {0};
    enum kt_status status = kt_worker_time(&k->worker[lane], item, k->context[item], seconds, count, &cause);
    if (status == KT_SYSTEM)
        kt_fail(c->error, KT_SYSTEM, "%s", cause.text);
    else if (status != KT_OK) /* it could be loaded before, and cannot any more */
        kt_worker_give_up(&k->worker[lane], cause.text);
}

/* A shape that the baseline cannot run is not timed any more; whether the others can is asked once. */
static bool fail_shape(struct compare *c, size_t item, size_t lane)
{
    struct kt_comparison *k = &c->comparison;
    double seconds[KT_VISIT_SAMPLES];
    size_t count;
    k->schedule.item[item].lane[lane].absent = true;
    if (lane != 0)
        return true;
    for (size_t l = 1; l < k->libraries && c->error->status == KT_OK; l++)
        if (!k->worker[l].failure[item])
            time_shape(c, item, l, seconds, &count);
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
    time_shape(c, item, lane, seconds, &count);
    if (c->error->status != KT_OK)
        return false;
    if (count == 0)
        return kt_interrupted() || fail_shape(c, item, lane);
    kt_worker_keep(&k->worker[lane], kt_comparison_store_round(c->store) + k->schedule.rounds, seconds, count,
                   &k->schedule.item[item].lane[lane]);
    kt_comparison_store_keep(c->store, false);
    return true;
}

/* New processes in every round: two processes of one library differ by up to a percent, for as long as they live. */
static void begin_round(void *context)
{
    struct compare *c = context;
    for (size_t l = 0; l < c->comparison.libraries; l++)
        kt_worker_renew(&c->comparison.worker[l]);
}

/* --- preparing --------------------------------------------------------------------------------------------- */

/* A library that cannot be loaded is left out, also the recorded one: then the next is the baseline. */
static void open_workers(struct kt_comparison *k, struct kt_lanes *lanes)
{
    for (size_t i = 0; i < lanes->count && !kt_interrupted(); i++) {
        struct kt_error cause = {0};
        struct kt_worker *worker = &k->worker[k->libraries];
        kt_worker_prepare(&lanes->library[i], &k->setup.jobs, &k->setup.hierarchy, worker);
        worker->rests = true;
        worker->short_lived = true;
        snprintf(k->label[k->libraries], sizeof k->label[0], "%s", lanes->label[i]);
        if (kt_worker_start(worker, &cause) == KT_OK) {
            k->is_recorded = k->is_recorded || (i == 0 && lanes->is_recorded);
            k->is_as_recorded = k->is_as_recorded || (i == 0 && lanes->is_as_recorded);
            k->libraries++;
            continue;
        }
        struct kt_unusable *unusable = &k->unusable[k->unusables++];
        snprintf(unusable->name, sizeof unusable->name, "%s", lanes->label[i]);
        unusable->why = kt_copy(cause.text);
        kt_worker_close(worker);
    }
}

static enum kt_status check_workers(const struct kt_comparison *k, struct kt_error *error)
{
    for (size_t i = 0; i < k->unusables; i++)
        kt_notice("%s is left out: %s", k->unusable[i].name, k->unusable[i].why);
    if (k->libraries < 2)
        return kt_fail(error, KT_BAD_INPUT, "there are no two libraries that can be loaded to compare");
    return KT_OK;
}

/* Where it is not known where operands were, they are warm. */
static void choose_contexts(struct kt_comparison *k)
{
    const struct kt_context *asked = k->options.replay.context[0];
    k->context = kt_resize(NULL, k->setup.jobs.count, sizeof *k->context);
    for (size_t i = 0; i < k->setup.jobs.count; i++)
        k->context[i] =
            kt_setup_lacks(&k->setup.jobs.job[i], asked, k->options.replay.timer) ? kt_context_find("warm") : asked;
}

/* That is said once. */
static void say_what_is_warm(const struct kt_comparison *k)
{
    double seconds = 0;
    char text[16];
    for (size_t i = 0; i < k->setup.jobs.count; i++)
        seconds += k->met[i] || k->context[i] == k->options.replay.context[0] ? 0 : k->setup.jobs.job[i].shape->total;
    if (seconds > 0)
        kt_notice("the trace does not tell where the operands of calls that took %s were: these are compared warm",
                  kt_text_seconds(seconds, text));
}

/* What it takes to record a call is known for one in a loop, and subtracted; it makes those longer in which many others
 * nest, in the prediction on any library, so that ratios come out nearer to 1 than they are. Where only some calls have
 * their inside recorded the others tell what one takes. */
static void say_cost_of_recording(const struct kt_comparison *k)
{
    static const double worth_a_word = 0.1;
    const struct kt_setup *setup = &k->setup;
    double seconds = 0;
    double cost = 0;
    char cost_text[16], text[16];
    for (size_t i = 0; i < setup->shapes.count; i++) {
        const struct kt_shape_group *shape = &setup->shapes.shape[i];
        seconds += shape->total;
        cost += isnan(shape->inside.clean) ? shape->inside.subtracted : 0;
    }
    if (k->options.replay.level == KT_OUTERMOST && cost > worth_a_word * seconds)
        kt_notice("recording nested calls took %s in addition to the %s of these calls, and cannot be subtracted "
                  "exactly: KTRACE_NESTED=sample or none records few or none of them",
                  kt_text_seconds(cost, cost_text), kt_text_seconds(seconds, text));
}

/* As many shapes as can be timed one by one in so many seconds. */
static size_t most_shapes(const struct kt_comparison *k, double seconds)
{
    enum { LEAST = 50, ROUNDS = 6 };
    static const double visit_seconds = 0.01;
    double room = seconds / ((double)k->libraries * ROUNDS * visit_seconds);
    return room < LEAST ? LEAST : room < 1e6 ? (size_t)room : 1000000;
}

/* Some programs call with thousands of shapes: of those that are not played in sequence some are timed, and stand for
 * all. */
static void leave_light_shapes(struct kt_comparison *k, double seconds)
{
    struct kt_jobs *jobs = &k->setup.jobs;
    size_t count = 0;
    struct kt_drawable *shape = kt_resize(NULL, jobs->count, sizeof *shape);
    for (size_t i = 0; i < jobs->count; i++) {
        const struct kt_shape_group *group = jobs->job[i].shape;
        if (!k->met[i] && !jobs->job[i].refused)
            shape[count++] = (struct kt_drawable){.routine = group->first.entry->symbol.routine->name,
                                                  .seconds = k->stands_for[i] * group->total,
                                                  .of_a_call = group->total / (double)group->calls};
    }
    kt_draw_shapes(shape, count, most_shapes(k, seconds));
    count = 0;
    for (size_t i = 0; i < jobs->count; i++) {
        if (k->met[i] || jobs->job[i].refused)
            continue;
        double times = shape[count++].stands_for;
        k->stands_for[i] *= times;
        k->schedule.item[i].weight *= times;
        if (kt_comparison_is_light(k, i))
            kt_job_refuse(&jobs->job[i], "too light to be timed in %.0f s", seconds);
    }
    free(shape);
}

/* What the sequence does not meet, or a library cannot play, is timed shape by shape; that gets this part of the time
 * at least, if there is any. */
static const double part_of_others = 0.2;

static void choose_sequence(struct compare *c)
{
    struct kt_comparison *k = &c->comparison;
    const struct kt_replay_options *options = &k->options.replay;
    bool all = true;
    k->alone = (options->sequence ? part_of_others : 1) * options->budget;
    kt_progress_part("compare", KT_CHECKED_PART, 1 - (1 - KT_CHECKED_PART) * part_of_others);
    if (options->sequence) {
        kt_comparison_store_read_met(c->store);
        if (!kt_comparison_is_any_met(k))
            kt_sequences_begin(k, k->budget - k->alone, &c->sequences);
    }
    for (size_t i = 0; i < k->setup.jobs.count; i++)
        all &= k->met[i] || k->setup.jobs.job[i].refused;
    if (all)
        c->sequences.budget = k->budget;
    k->schedule.budget = fmin(k->alone, k->budget);
    double shares = options->share.of ? options->share.of : 1; /* which draw alike */
    leave_light_shapes(k, kt_comparison_is_any_met(k) ? k->alone : shares * options->budget);
    kt_comparison_share_out(k);
    kt_comparison_store_read(c->store);
    kt_comparison_share_leave(k);
}

static enum kt_status prepare(struct compare *c, struct kt_error *error)
{
    struct kt_comparison *k = &c->comparison;
    const struct kt_replay_options *options = &k->options.replay;
    struct kt_lanes lanes;
    kt_recall_begin(options, &k->recall);
    kt_comparison_share_begin(k);
    KT_TRY(kt_setup_open(options, &k->recall, &k->setup, error));
    kt_comparison_share_out(k);
    enum kt_status status = kt_lanes_choose(&k->options, &k->setup.trace, &lanes, error);
    if (status == KT_OK)
        open_workers(k, &lanes);
    kt_lanes_free(&lanes);
    KT_TRY(status);
    KT_TRY(check_workers(k, error));
    kt_setup_say_doubts(&k->setup);
    say_cost_of_recording(k);
    double begin = kt_now();
    kt_progress_part("compare", 0, KT_CHECKED_PART);
    KT_TRY(kt_comparison_check(k, error));
    k->budget = fmax(options->budget - (kt_now() - begin), (1 - KT_CHECKED_PART) * options->budget);
    choose_contexts(k);
    kt_setup_schedule(&k->setup, options, k->libraries, k->setup.jobs.count, &k->schedule);
    k->met = kt_resize(NULL, k->setup.jobs.count, sizeof *k->met);
    k->stands_for = kt_resize(NULL, k->setup.jobs.count, sizeof *k->stands_for);
    k->first = kt_zeros(k->setup.jobs.count * k->libraries, sizeof *k->first);
    k->windowed = kt_resize(NULL, k->setup.jobs.count, sizeof *k->windowed);
    for (size_t i = 0; i < k->setup.jobs.count; i++) {
        k->met[i] = false;
        k->stands_for[i] = 1;
        k->windowed[i] = (struct kt_windowed){NAN, NAN};
    }
    c->store = kt_comparison_store_open(k);
    if (k->owner && !c->store)
        return kt_fail(error, KT_SYSTEM, "shares need the store of results, and it cannot be used");
    choose_sequence(c);
    say_what_is_warm(k);
    return KT_OK;
}

/* --- the verb ---------------------------------------------------------------------------------------------- */

/* Replays and the program are to meet the same spells of the machine. */
static void verify_between(void *context)
{
    struct compare *c = context;
    kt_verify_run_due(&c->comparison, &c->verify, c->sequences.seconds / c->sequences.budget);
}

static void measure(struct compare *c)
{
    struct kt_comparison *k = &c->comparison;
    c->sequences.between = k->options.verify && !k->options.map ? verify_between : NULL;
    c->sequences.context = c;
    k->schedule.label = "compare";
    k->schedule.visit = visit;
    k->schedule.begin_round = begin_round;
    k->schedule.context = c;
    bool were_met = kt_comparison_is_any_met(k);
    kt_sequences_run(&c->sequences, k);
    if (were_met && !kt_comparison_is_any_met(k)) /* they gave up, and leave all shapes to be timed alone */
        leave_light_shapes(k, k->alone);
    k->schedule.budget = fmax(k->schedule.budget, k->budget - c->sequences.seconds);
    kt_progress_part("compare", 1 - (1 - KT_CHECKED_PART) * part_of_others, 1);
    kt_schedule_run(&k->schedule);
    k->rounds = k->schedule.rounds > c->sequences.rounds ? k->schedule.rounds : c->sequences.rounds;
    k->spent = k->schedule.seconds + c->sequences.seconds;
    kt_comparison_store_keep(c->store, true);
}

/* Nothing is written where nothing is to be won. */
static enum kt_status make_map(struct compare *c, struct kt_error *error)
{
    const struct kt_comparison *k = &c->comparison;
    if (!k->is_recorded)
        return kt_fail(error, KT_BAD_INPUT,
                       "--map: calls are to be sent from the recorded library to others, and it "
                       "cannot be loaded");
    kt_map_plan_make(k, &c->plan);
    c->has_map = c->plan.rules > 0;
    if (!c->has_map)
        return KT_OK;
    KT_TRY(kt_map_plan_write(&c->plan, k, k->options.map, error));
    if (k->options.verify)
        kt_verify_add_map(k, &c->verify, &c->plan);
    return KT_OK;
}

/* Whoever is interrupted has no share yet. */
static enum kt_status gather(struct compare *c, struct kt_error *error)
{
    struct kt_comparison *k = &c->comparison;
    bool whole = false;
    if (!kt_interrupted())
        KT_TRY(kt_comparison_share_gather(k, c->store, &whole, error));
    if (whole)
        kt_comparison_check_others(k);
    c->is_part = !whole;
    return KT_OK;
}

static enum kt_status run(struct compare *c, struct kt_error *error)
{
    struct kt_comparison *k = &c->comparison;
    kt_interrupt_catch();
    if (k->options.verify)
        KT_TRY(kt_verify_record(&k->options, &c->verify, error));
    KT_TRY(prepare(c, error));
    if (k->options.verify)
        kt_verify_begin(k, &c->verify);
    if (k->options.check != KT_CHECK_ONLY)
        measure(c);
    KT_TRY(error->status);
    if (k->options.replay.share.of)
        KT_TRY(gather(c, error));
    if (c->is_part)
        return KT_OK;
    k->fault = kt_recall_fault_seconds(&k->recall);
    kt_comparison_sum_up(k);
    if (k->options.map)
        KT_TRY(make_map(c, error));
    if (k->options.verify)
        kt_verify_end(k, &c->verify);
    return KT_OK;
}

/* For pages of ktrace report. A trace that cannot be written to is still compared. */
static void keep(const struct kt_comparison *k, const json_t *document)
{
    char path[4096];
    struct kt_error error = {0};
    kt_files_companion(k->setup.trace.files[0], "compare.json", path, sizeof path);
    if (kt_json_save(json_copy((json_t *)document), path, &error) != KT_OK)
        kt_notice("the comparison is not stored with the trace: %s", error.text);
}

static void say_interrupted(const struct kt_comparison *k)
{
    if (kt_interrupted())
        kt_notice("interrupted%s%s", k->owner ? "" : ": these are the results so far",
                  k->recall.store ? "; a comparison goes on where this one ended" : "");
}

static enum kt_status show(const struct compare *c, struct kt_error *error)
{
    const struct kt_comparison *k = &c->comparison;
    if (c->is_part) {
        say_interrupted(k);
        return KT_OK;
    }
    json_t *document = kt_comparison_json(k);
    if (k->options.check != KT_CHECK_ONLY && k->options.keep == KT_KEEP)
        keep(k, document);
    if (k->options.replay.json) {
        if (k->options.verify)
            json_object_set_new(document, "verify", kt_verify_json(&c->verify, k));
        if (k->options.fail_above >= 0)
            json_object_set_new(document, "limit", kt_beyond_json(k));
        if (k->options.map)
            json_object_set_new(document, "map", kt_map_plan_json(&c->plan, k, c->has_map ? k->options.map : NULL));
        kt_document_print(&kt_document_compare, document);
    } else {
        json_decref(document);
        if (k->options.markdown)
            kt_beyond_markdown(k);
        else if (k->options.all || k->options.check == KT_CHECK_ONLY)
            kt_comparison_print(k);
        else
            kt_comparison_screen(k);
        if (k->options.map)
            kt_map_plan_print(&c->plan, c->has_map ? k->options.map : NULL);
        if (k->options.verify)
            kt_verify_print(&c->verify, k);
        if (!k->options.markdown && !k->options.all && k->options.check != KT_CHECK_ONLY)
            kt_comparison_screen_next(k);
    }
    say_interrupted(k);
    return k->options.plot ? kt_comparison_plot(k, k->options.plot, error) : KT_OK;
}

static void close_all(struct compare *c)
{
    struct kt_comparison *k = &c->comparison;
    kt_sequences_close(&c->sequences);
    kt_comparison_store_close(c->store);
    kt_verify_close(&c->verify);
    kt_map_plan_free(&c->plan);
    kt_recall_close(&k->recall);
    kt_comparison_free(k);
    kt_right_free(&k->right);
    kt_unusual_free(&k->unusual);
    kt_schedule_free(&k->schedule);
    for (size_t i = 0; i < k->libraries; i++)
        kt_worker_close(&k->worker[i]);
    kt_setup_close(&k->setup);
}

static bool is_beyond(const struct kt_comparison *k)
{
    struct kt_beyond *beyond = NULL;
    bool is = k->options.fail_above >= 0 && kt_beyond_find(k, k->options.fail_above, &beyond) > 0;
    free(beyond);
    return is;
}

int kt_verb_compare(int argc, char **argv)
{
    struct kt_error error = {0};
    static struct compare compare;
    compare = (struct compare){.error = &error};
    struct kt_compare_options *options = &compare.comparison.options;
    *options = (struct kt_compare_options){.fail_above = -1};
    enum kt_status status = kt_compare_options_parse(argc, argv, options, &error);
    if (status == KT_OK && options->workloads)
        return kt_workloads_verb(argc, argv, options);
    if (status == KT_OK)
        status = run(&compare, &error);
    bool defect = status == KT_OK && !compare.is_part &&
                  (kt_comparison_found_defect(&compare.comparison) || kt_verify_failed(&compare.verify) ||
                   is_beyond(&compare.comparison));
    compare.verify.keeps = status == KT_OK && kt_right_found(&compare.comparison.right);
    if (status == KT_OK)
        status = show(&compare, &error);
    close_all(&compare);
    kt_progress_part(NULL, 0, 1);
    kt_progress_end();
    if (kt_interrupted() && status != KT_USAGE)
        return kt_verb_status(kt_interrupted());
    if (status == KT_USAGE)
        return kt_verb_usage("compare", "%s", error.text);
    return status != KT_OK ? kt_verb_fail("compare", &error) : defect ? KT_FINDING : KT_OK;
}
