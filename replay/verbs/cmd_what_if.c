/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/verbs/cmd_what_if.h"

#include "replay/advise/what_if.h"
#include "trace/base/interrupt.h"
#include "trace/command/document.h"
#include "trace/print/text.h"

static void show(const struct kt_what_if *what_if, bool json)
{
    if (json)
        kt_document_print(&kt_document_replay_what_if, kt_what_if_json(what_if));
    else
        kt_what_if_print(what_if);
    if (kt_interrupted())
        kt_notice("interrupted: these are the results so far");
}

enum kt_status kt_what_if_verb(struct kt_replay_options *options, struct kt_error *error)
{
    static struct kt_what_if what_if;
    struct kt_recall recall;
    if (options->libraries > 1)
        return kt_fail(error, KT_USAGE, "--what-if takes one --blas, which is that of both forms");
    kt_replay_options_default(options);
    kt_recall_begin(options, &recall);
    kt_interrupt_catch();
    enum kt_status status = kt_what_if_open(options, &recall, &what_if, error);
    if (status == KT_OK)
        status = kt_trials_run(&what_if.trials, options->budget, error);
    if (status == KT_OK) {
        kt_what_if_find(&what_if);
        show(&what_if, options->json);
    }
    kt_what_if_close(&what_if);
    kt_recall_close(&recall);
    return status;
}
