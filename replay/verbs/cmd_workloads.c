/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/verbs/cmd_workloads.h"

#include "replay/workloads/workloads.h"
#include "trace/base/interrupt.h"
#include "trace/command/document.h"
#include "trace/print/text.h"

/* What is said to each comparison in another way. */
static const char *const own[] = {"workloads", "baseline", "blas", "budget", "keep", "json", "csv", "markdown", NULL};

static void show(const struct kt_workloads *w)
{
    if (w->options->replay.json)
        kt_document_print(&kt_document_compare_workloads, kt_workloads_json(w));
    else if (w->options->markdown)
        kt_workloads_markdown(w);
    else
        kt_workloads_print(w);
    if (kt_interrupted())
        kt_notice("interrupted: these are the results so far; the same command goes on");
}

int kt_workloads_verb(int argc, char **argv, const struct kt_compare_options *options)
{
    struct kt_error error = {0};
    struct kt_words words = {0};
    struct kt_workloads workloads;
    kt_words_add(&words, "compare");
    kt_verb_repeat_options(argc, argv, kt_verb_compare_options, own, &words);
    kt_interrupt_catch();
    enum kt_status status = kt_workloads_compare(options, &words, &workloads, &error);
    int exit = status == KT_OK ? kt_workloads_status(&workloads) : kt_verb_fail("compare", &error);
    if (status == KT_OK && workloads.lanes)
        show(&workloads);
    kt_workloads_free(&workloads);
    kt_words_free(&words);
    return kt_interrupted() ? kt_verb_status(kt_interrupted()) : exit;
}
