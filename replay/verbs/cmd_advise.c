/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace advise: which calls to make otherwise, as far as replays of both forms prove that it pays.
 */
#include "replay/advise/advised.h"
#include "replay/setup/recall.h"
#include "trace/base/interrupt.h"
#include "trace/command/document.h"
#include "trace/print/text.h"

#include <getopt.h>

static const double default_budget = 20;
static const double least_share = 0.0005; /* of the program: lighter shapes are not tried */

struct advise {
    struct kt_replay_options options;
    bool all;
    struct kt_recall recall;
    struct kt_setup setup;
    struct kt_proposals candidates;
    struct kt_trials trials;
    bool open;
    double program; /* seconds of all processes */
};

const struct kt_verb_option kt_verb_advise_options[] = {
    {"all", 0, NULL, "also list what was tried and is not advised, and why", KT_VERB_FLAG(struct advise, all)},
    {"blas", 0, "LIB", "a path, a soname or a short name; default: what was recorded", kt_replay_take_blas,
     offsetof(struct advise, options)},
    {"budget", 0, "SECONDS", "time for the samples; default 20", kt_replay_take_budget,
     offsetof(struct advise, options.budget)},
    {KT_VERB_ROUTINE(struct advise, options.routines)},
    {KT_REPLAY_STORE, offsetof(struct advise, options.store)},
    {KT_VERB_JSON(struct advise, options.json)},
    {KT_VERB_CSV(struct advise, options.json)},
    {0},
};

static enum kt_status parse(int argc, char **argv, struct advise *a, struct kt_error *error)
{
    KT_TRY(kt_verb_take_options(argc, argv, kt_verb_advise_options, a, error));
    if (argc - optind != 1)
        return kt_fail(error, KT_USAGE, argc == optind ? "which trace?" : "one trace at a time, not also '%s'",
                       argv[argc - 1]);
    if (a->options.libraries > 1)
        return kt_fail(error, KT_USAGE, "advise takes one --blas; to compare libraries there is ktrace compare");
    a->options.trace = argv[optind];
    kt_replay_options_default(&a->options);
    return KT_OK;
}

static enum kt_status try_all(struct advise *a, struct kt_error *error)
{
    struct kt_trials_where where = {.label = "advise"};
    kt_interrupt_catch();
    KT_TRY(kt_setup_open(&a->options, &a->recall, &a->setup, error));
    if (kt_trials_library(&a->options, &a->setup.trace, &where.library[0], error) != KT_OK) {
        kt_library_free(&where.library[0]);
        return error->status;
    }
    a->program = kt_trials_program(&a->setup.trace);
    kt_proposals_find(&a->setup.trace, &a->setup.shapes, a->options.routines, least_share * a->program, &a->candidates);
    kt_trials_open(&a->setup, a->candidates.candidate, a->candidates.count, &where, &a->trials);
    a->open = true;
    return kt_trials_run(&a->trials, a->options.budget, error);
}

static void show(struct advise *a)
{
    struct kt_advised_list list;
    struct kt_callers *callers = kt_callers_new();
    struct kt_shape_source *source = kt_shape_sources_find(&a->setup.shapes, callers);
    kt_advised_find(&a->trials, source, a->program, &list);
    if (a->options.json) {
        json_t *document = kt_advised_json(&list);
        json_object_set_new(document, "interrupted", json_boolean(kt_interrupted() != 0));
        kt_document_print(&kt_document_advise, document);
    } else {
        kt_advised_print(&list, a->all);
    }
    if (kt_interrupted())
        kt_notice("interrupted: these are the results so far");
    kt_advised_free(&list);
    free(source);
    kt_callers_free(callers);
}

int kt_verb_advise(int argc, char **argv)
{
    struct kt_error error = {0};
    static struct advise a = {.options.budget = default_budget};
    enum kt_status status = parse(argc, argv, &a, &error);
    if (status == KT_OK)
        kt_recall_begin(&a.options, &a.recall);
    if (status == KT_OK)
        status = try_all(&a, &error);
    if (status == KT_OK)
        show(&a);
    if (a.open)
        kt_trials_close(&a.trials);
    kt_proposals_free(&a.candidates);
    kt_recall_close(&a.recall);
    kt_setup_close(&a.setup);
    if (status == KT_USAGE)
        return kt_verb_usage("advise", "%s", error.text);
    return status == KT_OK ? kt_verb_status(kt_interrupted()) : kt_verb_fail("advise", &error);
}
