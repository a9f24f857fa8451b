/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace replay: re-times every recorded shape in controlled contexts, prints what came out and leaves it in the
 * trace, where report finds it.
 */
#include "replay/again/again.h"
#include "replay/verbs/cmd_what_if.h"
#include "trace/base/interrupt.h"
#include "trace/command/document.h"
#include "replay/result/gathered.h"
#include "replay/result/left_out.h"
#include "replay/machine/probed.h"
#include "replay/machine/processor.h"
#include "replay/store/identity.h"
#include "replay/setup/recall.h"
#include "replay/result/result.h"
#include "model/tracker/overlap.h"
#include "replay/sequence/company.h"
#include "replay/sequence/sequence.h"
#include "trace/base/random.h"
#include "trace/command/json.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <stdio.h>

static const double default_budget = 20;
static const double spread_share = 0.9;    /* of the budget; what makes two replays agree, see kt_schedule.spread */
static const double sequence_share = 0.5;  /* of the time, where there are other contexts */
static const double subnormal_share = 0.1; /* of the budget, besides */
static const double least_flush_effect = 3;
static const double pass_share = 0.3;      /* of what runs of the program leave of the time */
static const double part_of_passes = 0.08; /* of the budget, for as many passes as are planned */

struct replay {
    struct kt_replay_options options;
    char **command; /* that is run; NULL: the recorded one */
    struct kt_again again;
    struct kt_setup setup;
    struct kt_worker worker;
    struct kt_schedule schedule;
    struct kt_recall recall;
    struct kt_peaks peaks;
    struct kt_sequence sequence;
    uint64_t seed;
    struct kt_subnormal_cost *subnormal; /* owned */
    bool is_other;                       /* library, or number of threads, than was recorded */
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
    if (count == 0 && kt_interrupted())
        return true;
    if (count == 0) {
        kt_job_refuse(job, "%s", r->worker.failure[item]);
        job->by_chance = r->worker.by_chance[item];
        return false;
    }
    kt_worker_keep(&r->worker, r->schedule.rounds, seconds, count, &r->schedule.item[item].lane[lane]);
    kt_recall_keep(&r->recall, false);
    return true;
}

/* One pass of a new process, as runs of the program are new processes, too. */
static void play_again(struct replay *r)
{
    kt_sequence_renew(&r->sequence);
    if (kt_sequence_prepare(&r->sequence) && kt_sequence_pass(&r->sequence))
        kt_again_keep_pass(&r->again, r->schedule.rounds, &r->sequence);
}

/* A run with a pass beside it, in random order; and passes alone as far as they leave the contexts most of the time. */
static void run_again(struct replay *r)
{
    double others = r->schedule.seconds - r->again.seconds;
    bool runs = kt_again_is_due(&r->again, r->schedule.seconds / r->options.budget);
    bool plays = r->sequence.open && !*r->sequence.unusable && (runs || r->sequence.seconds <= pass_share * others);
    bool first = kt_random(&r->seed) & 1;
    if (plays && first)
        play_again(r);
    if (runs)
        kt_again_run(&r->again, r->schedule.rounds, &r->sequence);
    if (plays && !first)
        play_again(r);
    if (runs)
        kt_worker_renew(&r->worker);
}

/* A pass of the sequence between rounds, unless it has had its part of the time. */
static void begin_round(void *context)
{
    struct replay *r = context;
    if (r->options.runs) {
        run_again(r);
        r->schedule.goes_on = !kt_again_is_over(&r->again);
        return;
    }
    if (r->sequence.open && r->sequence.seconds <= sequence_share * r->schedule.seconds)
        kt_sequence_pass(&r->sequence);
}

static enum kt_status choose_library(const struct replay *r, struct kt_library *out, struct kt_error *error)
{
    if (r->options.libraries > 1)
        return kt_fail(error, KT_USAGE, "replay takes one --blas; to compare libraries there is ktrace compare");
    if (r->options.libraries == 1)
        return kt_library_find(r->options.blas[0], out, error);
    return kt_library_recorded(&r->setup.trace, out, error);
}

static enum kt_status prepare_worker(struct replay *r, struct kt_error *error)
{
    struct kt_library library = {0};
    struct kt_library recorded = {0};
    struct kt_error ignored = {0};
    if (choose_library(r, &library, error) != KT_OK) {
        kt_library_free(&library);
        return error->status;
    }
    r->is_other = r->options.libraries > 0;
    if (kt_library_recorded(&r->setup.trace, &recorded, &ignored) == KT_OK) {
        library.threads = r->options.threads ? r->options.threads : recorded.threads;
        r->is_other = !kt_library_has_all_called(&library, &r->setup.trace) || library.threads != recorded.threads;
    } else if (r->options.threads)
        library.threads = r->options.threads;
    kt_library_free(&recorded);
    if (!kt_timer_fits(r->options.timer, library.threads)) {
        int threads = library.threads;
        kt_library_free(&library);
        return kt_fail(error, KT_USAGE,
                       "the processor time of %d threads is not the time of a call: --timer cpu needs --threads 1",
                       threads);
    }
    kt_worker_prepare(&library, &r->setup.jobs, &r->setup.hierarchy, &r->worker);
    return KT_OK;
}

/* Those of the machine file. */
static bool find_probed_peaks(struct replay *r)
{
    struct kt_machine machine;
    struct kt_error none = {0};
    return kt_machine_read(NULL, &machine, &none) == KT_OK &&
           kt_probed_peaks(&machine, r->worker.library.threads, &r->peaks);
}

/* One thread's are those of the processor that calls are timed on. */
static bool measure_peaks(struct replay *r)
{
    cpu_set_t before;
    int threads = r->worker.library.threads;
    if (threads == 1)
        kt_processor_pin_for_now(r->setup.jobs.processor, &before);
    bool measured = kt_peaks_measure(threads, &r->peaks);
    if (threads == 1)
        kt_processor_release(&before);
    return measured;
}

/* What bounds are worked out from: as probed, or known from an earlier replay, and then only raised by a fresh one. */
static void find_peaks(struct replay *r)
{
    char name[48];
    struct kt_peaks known;
    if (find_probed_peaks(r))
        return;
    snprintf(name, sizeof name, "peaks (%d) %d on %d", KT_PEAK_METHOD, r->worker.library.threads,
             kt_identity_processors());
    bool is_known = kt_recall_fact(&r->recall, true, name, &known, sizeof known) && kt_peaks_are_sound(&known);
    if (is_known)
        r->peaks = known;
    if (is_known && !r->options.fresh)
        return;
    if (!measure_peaks(r))
        return;
    if (is_known)
        kt_peaks_raise(&r->peaks, &known);
    kt_recall_set_fact(&r->recall, true, name, &r->peaks, sizeof r->peaks);
}

/* Where all is known from earlier replays no worker is needed, only what it would say of itself. */
static enum kt_status start_worker(struct replay *r, struct kt_error *error)
{
    struct kt_hello *hello = &r->worker.hello;
    if (kt_recall_is_complete(&r->recall) && kt_recall_fact(&r->recall, false, "worker", hello, sizeof *hello) &&
        kt_hello_is_sound(hello))
        return KT_OK;
    KT_TRY(kt_worker_start(&r->worker, error));
    kt_recall_set_fact(&r->recall, false, "worker", hello, sizeof *hello);
    if (hello->flush_effect < least_flush_effect)
        kt_notice("flushing a line made its load only %.1f times longer: cold times are not reliable here",
                  hello->flush_effect);
    if (hello->processor == KT_NO_PROCESSOR && r->worker.library.threads == 1)
        kt_notice("the replay could not be pinned to one processor: expect more scatter");
    return KT_OK;
}

/* What has been timed in all contexts counts; that the others could not be is nobody's fault. */
static void refuse_unfinished(struct replay *r)
{
    for (size_t i = 0; i < r->schedule.items; i++)
        for (size_t l = 0; l < r->schedule.lanes; l++)
            if (!r->schedule.item[i].lane[l].samples && !r->schedule.item[i].lane[l].absent)
                kt_job_refuse(&r->setup.jobs.job[i], "interrupted before it was timed in all contexts");
}

/* Has that document a context which the new one has not? */
static bool has_more(const json_t *earlier, const json_t *document)
{
    size_t i, k;
    json_t *context, *other;
    json_array_foreach(json_object_get(earlier, "contexts"), i, context)
    {
        bool found = false;
        json_array_foreach(json_object_get(document, "contexts"), k, other) found = found || json_equal(context, other);
        if (!found)
            return true;
    }
    return false;
}

/* The report sets what is stored against the times in the program: a part of the shapes must not take the place of an
 * earlier replay of all, nor another library that of the recorded one, nor operands that lay otherwise, nor the first
 * rounds that of a finished one, nor a part of the contexts that of more. */
static bool may_save(const struct replay *r, const char *path, const json_t *document)
{
    struct kt_error ignored = {0};
    const struct kt_layout *layout = &r->options.layout;
    json_t *earlier = NULL;
    const char *stays = NULL;
    if (r->options.routines || r->options.level != KT_OUTERMOST) {
        kt_notice("not stored with the trace: only a replay of all outermost calls is");
        return false;
    }
    if (r->is_other) {
        kt_notice("not stored with the trace: only a replay on the recorded library, with as many threads, is");
        return false;
    }
    if (r->options.timer != KT_TIMER_WALL || layout->pages != KT_PAGES_ANY || layout->align) {
        kt_notice(
            "not stored with the trace: only a replay with operands at the recorded places, and with wall time, is");
        return false;
    }
    if (kt_json_load(path, &earlier, &ignored) != KT_OK)
        return true;
    bool was_interrupted = json_is_true(json_object_get(earlier, "interrupted"));
    if (kt_interrupted() && !was_interrupted)
        stays = "which was not interrupted";
    else if (!was_interrupted && has_more(earlier, document))
        stays = "which has more contexts; name these, too: what is known is not measured again";
    json_decref(earlier);
    if (stays)
        kt_notice("not stored with the trace: the result of an earlier replay stays, %s", stays);
    return !stays;
}

/* The result of the last share to be measured becomes that of all. True: DOCUMENT is to be saved. */
static bool gather(const struct replay *r, json_t **document)
{
    struct kt_error error = {0};
    if (!r->options.share.of)
        return true;
    if (kt_interrupted())
        return false; /* whoever measures this share again goes on from the store */
    bool whole = kt_gathered_add(&r->setup.trace, &r->options.share, document, &error);
    if (error.status != KT_OK)
        kt_notice("the share is not kept: %s", error.text);
    return whole;
}

/* A trace that cannot be written to, on a read-only medium for example, is still replayed. */
static void save(const struct replay *r, json_t *document)
{
    char path[4096];
    struct kt_error error = {0};
    kt_files_companion(r->setup.trace.files[0], "replay.json", path, sizeof path);
    if (!may_save(r, path, document) || !gather(r, &document)) {
        json_decref(document);
        return;
    }
    if (kt_json_save(document, path, &error) != KT_OK)
        kt_notice("the results are not stored with the trace: %s", error.text);
    else if (!r->options.json)
        printf("\nStored in %s;\n`ktrace report %s` puts them into its report.\n", path, r->setup.trace.path);
}

/* With no context to be timed in there is nothing to wait for. */
static void mark_absent(struct replay *r)
{
    for (size_t i = 0; i < r->schedule.items; i++) {
        size_t absent = 0;
        for (size_t l = 0; l < r->schedule.lanes; l++) {
            struct kt_series *lane = &r->schedule.item[i].lane[l];
            lane->absent = kt_setup_lacks(&r->setup.jobs.job[i], r->options.context[l], r->options.timer);
            absent += lane->absent;
        }
        if (absent && absent == r->schedule.lanes)
            r->schedule.item[i].stop = KT_STOP_NOTHING;
    }
}

static void open_sequence(struct replay *r)
{
    double share = r->options.runs ? part_of_passes : r->options.contexts ? sequence_share : 1;
    kt_sequence_open(&r->setup, &r->options, &r->worker.library, share * r->options.budget, kt_pages_limit(),
                     &r->sequence);
    r->sequence.splits = true;
}

/* What others cost a call only calls that are made at the same time tell: without being asked, where there are such and
 * all else is as usual. Runs of the program are set beside those of its busiest thread. */
static void choose_company(struct replay *r, bool is_usual)
{
    struct kt_overlaps overlaps;
    r->options.company = !r->options.alone && !r->options.runs;
    if (!r->options.company || r->options.sequence || !is_usual)
        return;
    kt_overlaps_find(&r->setup.trace, &r->setup.shapes, &overlaps);
    r->options.sequence = overlaps.threads > r->setup.trace.processes && overlaps.busy > 0 &&
                          overlaps.all.seconds >= KT_COMPANY_LEAST * overlaps.busy;
    kt_overlaps_free(&overlaps);
}

/* What the only context could not play was not replayed. */
static void finish_sequence(struct replay *r)
{
    kt_sequence_finish(&r->sequence);
    for (size_t i = 0; i < r->setup.jobs.count && !r->options.contexts; i++) {
        struct kt_job *job = &r->setup.jobs.job[i];
        const char *why = kt_sequence_absence(&r->sequence, job);
        if (why)
            kt_job_refuse(job, "%s %s", job->shape->first.entry->symbol.name, why);
    }
}

/* What is behind "--" is the command. */
static enum kt_status parse_options(int argc, char **argv, struct replay *r, struct kt_error *error)
{
    int words = 1;
    while (words < argc && strcmp(argv[words], "--") != 0)
        words++;
    r->command = words + 1 < argc ? argv + words + 1 : NULL;
    KT_TRY(kt_replay_options_parse(words, argv, &r->options, error));
    if (r->command && !r->options.runs)
        return kt_fail(error, KT_USAGE, "a command behind -- is run with --runs only");
    r->options.fresh = r->options.fresh || r->options.runs; /* what is known from before is next to no run */
    return KT_OK;
}

/* Between runs there is time for those shapes only that most of the time goes to. */
static size_t most_shapes(const struct replay *r)
{
    enum { MOST_BETWEEN_RUNS = 40 };
    static const double enough = 0.97;
    const struct kt_jobs *jobs = &r->setup.jobs;
    double all = 0;
    double sum = 0;
    size_t count = 0;
    if (!r->options.runs)
        return KT_MOST_REPLAYED;
    for (size_t i = 0; i < jobs->count; i++)
        all += jobs->job[i].shape->total;
    while (count < jobs->count && count < MOST_BETWEEN_RUNS && sum < enough * all)
        sum += jobs->job[count++].shape->total;
    return count;
}

/* All together have the budget. */
static void find_share(struct replay *r)
{
    struct kt_share *share = &r->options.share;
    if (!r->options.sequence && !r->options.runs)
        kt_share_find(share);
    if (share->of)
        r->options.budget /= share->of;
    if (share->from_launcher)
        kt_notice("rank %u of %u replays its share", share->number - 1, share->of);
}

static enum kt_status replay(struct replay *r, struct kt_error *error)
{
    const struct kt_replay_options *o = &r->options;
    find_share(r);
    bool is_usual = !o->contexts && o->timer == KT_TIMER_WALL && o->layout.pages == KT_PAGES_ANY && !o->layout.align &&
                    !o->share.of;
    kt_replay_options_default(&r->options);
    kt_recall_begin(&r->options, &r->recall);
    KT_TRY(kt_setup_open(&r->options, &r->recall, &r->setup, error));
    kt_share_take(&r->options.share, &r->setup.jobs);
    choose_company(r, is_usual);
    KT_TRY(prepare_worker(r, error));
    kt_setup_schedule(&r->setup, &r->options, r->options.contexts, most_shapes(r), &r->schedule);
    r->schedule.least = KT_LEAST_REPLAYED;
    mark_absent(r);
    kt_recall_open(&r->recall, &r->worker.library, &r->setup, &r->schedule);
    if (r->options.runs)
        KT_TRY(kt_again_begin(&r->setup, r->options.level, r->command, r->options.runs, &r->again, error));
    kt_interrupt_catch();
    find_peaks(r);
    KT_TRY(start_worker(r, error));
    kt_setup_say_doubts(&r->setup);
    r->schedule.spread = (r->options.runs ? 1 : spread_share) * r->options.budget;
    r->schedule.label = "replay";
    r->schedule.visit = visit;
    r->schedule.begin_round = begin_round;
    r->schedule.context = r;
    if (r->options.sequence)
        open_sequence(r);
    if (r->options.contexts)
        kt_schedule_run(&r->schedule);
    kt_recall_keep(&r->recall, true);
    KT_TRY(
        kt_subnormal_costs(&r->worker, r->schedule.reached, subnormal_share * r->options.budget, &r->subnormal, error));
    if (r->options.sequence)
        finish_sequence(r);
    if (kt_interrupted())
        refuse_unfinished(r);
    return error->status;
}

static void show(struct replay *r)
{
    const struct kt_replay_result result = {&r->options,
                                            &r->setup,
                                            &r->worker,
                                            &r->schedule,
                                            &r->recall,
                                            &r->peaks,
                                            kt_recall_fault_seconds(&r->recall),
                                            r->options.sequence ? &r->sequence : NULL,
                                            r->subnormal};
    json_t *document = kt_result_json(&result);
    if (r->options.runs)
        kt_again_add_json(&r->again, &r->schedule, &r->options, document);
    if (r->options.json)
        kt_document_print(&kt_document_replay, json_incref(document));
    else
        kt_result_print(&result);
    if (kt_interrupted())
        kt_notice("interrupted: these are the results so far%s",
                  r->recall.store ? "; a replay goes on where this one ended" : "");
    save(r, document);
}

static enum kt_status run(struct replay *r, struct kt_error *error)
{
    KT_TRY(replay(r, error));
    show(r);
    return KT_OK;
}

int kt_verb_replay(int argc, char **argv)
{
    struct kt_error error = {0};
    struct replay replay = {.options.budget = default_budget, .error = &error};
    enum kt_status status = parse_options(argc, argv, &replay, &error);
    if (status == KT_OK && replay.options.what_if)
        status = kt_what_if_verb(&replay.options, &error);
    else if (status == KT_OK)
        status = run(&replay, &error);
    free(replay.subnormal);
    kt_recall_close(&replay.recall);
    kt_schedule_free(&replay.schedule);
    kt_sequence_close(&replay.sequence);
    kt_again_close(&replay.again);
    kt_worker_close(&replay.worker);
    kt_setup_close(&replay.setup);
    if (kt_interrupted() && status != KT_USAGE)
        return kt_verb_status(kt_interrupted());
    return status == KT_OK      ? KT_OK
           : status == KT_USAGE ? kt_verb_usage("replay", "%s", error.text)
                                : kt_verb_fail("replay", &error);
}
