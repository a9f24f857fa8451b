/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace roofline: where every routine of an application stands under the roofs of the machine (paper 002).
 */
#include "model/verbs/kernel_command.h"
#include "trace/command/document.h"
#include "model/roofline/roofline_machine.h"
#include "model/report/report.h"
#include "model/roofline/roofline_text.h"
#include "model/roofline/validate.h"
#include "model/plot/validate_plot.h"
#include "model/plot/plot_title.h"
#include "model/plot/waterfall_plot.h"
#include "replay/setup/timing.h"
#include "trace/print/library_label.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>

enum { DEFAULT_TOP = 20, MOST_TOP = 40 };

struct command {
    bool json, events, validate, tracked;
    enum { PLOT_ROOFLINE, PLOT_BOXES, PLOT_WATERFALL } plot; /* as --plot has it */
    size_t top;
    const char *machine[KT_MOST_SERIES]; /* files */
    size_t machines;
    struct kt_picture picture;    /* without a suffix: none */
    struct kt_kernel_plan kernel; /* routine NULL: none */
    char *const *trace;
    size_t traces;
};

/* --- command line ------------------------------------------------------------------------------------------ */

static enum kt_status take_top(const struct kt_verb_option *option, const char *value, void *out,
                               struct kt_error *error)
{
    char *end;
    unsigned long top = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || top == 0 || top > MOST_TOP)
        return kt_fail(error, KT_USAGE, "--%s %.40s: expected a number from 1 to %d", option->name, value, MOST_TOP);
    *(size_t *)out = top;
    return KT_OK;
}

static enum kt_status take_machine(const struct kt_verb_option *option, const char *value, void *out,
                                   struct kt_error *error)
{
    struct command *command = out;
    (void)option;
    if (command->machines == KT_MOST_SERIES)
        return kt_fail(error, KT_USAGE, "more than %d machine files", KT_MOST_SERIES);
    command->machine[command->machines++] = value;
    return KT_OK;
}

const struct kt_verb_option kt_verb_roofline_options[] = {
    {KT_KERNEL_PICTURE(struct command, picture)},
    {"machine", 0, "FILE",
     "what `ktrace probe --json` printed on the machine of the trace; repeat it for several traces", take_machine, 0},
    {"kernel", 0, "ROUTINE", "instead of a trace: a BLAS routine, timed here for square operands",
     KT_VERB_TEXT(struct command, kernel.routine)},
    {"n", 0, "FROM:TO[:COUNT]", "sizes of the kernel; default 16:1000:12", kt_kernel_take_sizes,
     offsetof(struct command, kernel)},
    {KT_KERNEL_STATES(struct command, kernel)},
    {KT_KERNEL_BLAS(struct command, kernel)},
    {KT_KERNEL_BUDGET(struct command, kernel.seconds)},
    {"tracked", 0, NULL, "add the traffic from memory, by a model of the caches that follows all calls",
     KT_VERB_FLAG(struct command, tracked)},
    {"plot", 0, "roofline|boxes|waterfall",
     "what the picture shows: points under roofs, times of the calls of each shape, or the parts of the time",
     KT_VERB_CHOICE(struct command, plot)},
    {"events", 0, NULL, "instead of a trace: list the counters of this machine, for KTRACE_EVENTS",
     KT_VERB_FLAG(struct command, events)},
    {"validate", 0, NULL,
     "instead of a trace: run kernels of known traffic and work, and compare expected with measured values",
     KT_VERB_FLAG(struct command, validate)},
    {"top", 0, "N", "shapes that get a number; default 20", take_top, offsetof(struct command, top)},
    {KT_VERB_JSON(struct command, json)},
    {KT_VERB_CSV(struct command, json)},
    {0},
};

static enum kt_status parse(int argc, char **argv, struct command *out, struct kt_error *error)
{
    *out = (struct command){.top = DEFAULT_TOP, .kernel = kt_kernel_default("16:1000")};
    KT_TRY(kt_verb_take_options(argc, argv, kt_verb_roofline_options, out, error));
    out->trace = argv + optind;
    out->traces = (size_t)(argc - optind);
    bool of_machine = out->events || out->validate;
    bool of_others = out->kernel.routine || out->traces || out->plot != PLOT_ROOFLINE;
    if (of_machine && (of_others || (out->events && (out->validate || out->picture.suffix))))
        return kt_fail(error, KT_USAGE, "--events and --validate are about this machine and go alone");
    if (of_machine)
        return KT_OK;
    if (out->plot != PLOT_ROOFLINE && !out->picture.suffix)
        return kt_fail(error, KT_USAGE, "--plot goes with -o FILE");
    if (out->plot == PLOT_WATERFALL && out->kernel.routine)
        return kt_fail(error, KT_USAGE, "a waterfall is of a trace");
    if (out->kernel.routine)
        return out->traces ? kt_fail(error, KT_USAGE, "a kernel goes without a trace") : KT_OK;
    if (out->traces == 0)
        return kt_fail(error, KT_USAGE, "which trace?");
    if (out->traces > KT_MOST_SERIES)
        return kt_fail(error, KT_USAGE, "more than %d traces in one picture", KT_MOST_SERIES);
    return KT_OK;
}

/* --- points ------------------------------------------------------------------------------------------------ */

/* Index of the roofs, which are added unless they are there. Those of this machine differ between traces by what their
 * replays reached. */
static size_t add_machine(struct kt_roofline *roofline, const struct kt_roofs *roofs)
{
    for (size_t m = 0; m < roofline->machines; m++) {
        struct kt_roofs *known = &roofline->roofs[m];
        if (known->is_own != roofs->is_own || (!known->is_own && !kt_roofs_are_equal(known, roofs)))
            continue;
        kt_roofs_raise(known, roofs);
        return m;
    }
    roofline->roofs[roofline->machines] = *roofs;
    return roofline->machines++;
}

/* As much of the path of a trace as tells it from the others, without what `ktrace pack` adds. */
static void name_of(const struct command *command, size_t trace, char out[KT_SERIES_NAME])
{
    kt_path_distinct((const char *const *)command->trace, command->traces, trace, out, KT_SERIES_NAME);
    char *suffix = strstr(out, KT_PACKED_SUFFIX);
    if (suffix)
        *suffix = '\0';
}

static enum kt_status add_opened(struct kt_roofline *roofline, const struct command *command, size_t i,
                                 const struct kt_trace *trace, struct kt_replayed *replayed, struct kt_error *error)
{
    char name[KT_SERIES_NAME];
    struct kt_roofs roofs;
    const char *file = command->machines ? command->machine[i < command->machines ? i : command->machines - 1] : NULL;
    KT_TRY(kt_replayed_load(trace, trace->files[0], replayed, error));
    KT_TRY(kt_roofline_find_roofs(file, trace, replayed, &roofs, error));
    name_of(command, i, name);
    kt_roofline_add(roofline, trace, replayed, add_machine(roofline, &roofs), name);
    return KT_OK;
}

static enum kt_status add_trace(struct kt_roofline *roofline, const struct command *command, size_t i,
                                struct kt_error *error)
{
    struct kt_trace trace;
    struct kt_replayed replayed = {0};
    enum kt_status status = kt_trace_open(command->trace[i], &trace, error);
    if (status == KT_OK)
        status = add_opened(roofline, command, i, &trace, &replayed, error);
    kt_replayed_free(&replayed);
    kt_trace_close(&trace);
    return status;
}

static void name_machines(struct kt_roofline *roofline)
{
    for (size_t m = 0; m < roofline->machines && roofline->machines > 1; m++)
        for (size_t s = 0; s < roofline->count; s++)
            if (roofline->series[s].roofs == m)
                snprintf(roofline->roofs[m].machine, sizeof roofline->roofs[m].machine, "%s", roofline->series[s].name);
}

/* --- picture ----------------------------------------------------------------------------------------------- */

static enum kt_status draw_report(const struct kt_report *report, const struct kt_plot_title *title,
                                  const struct kt_picture *picture, struct kt_error *error)
{
    if (!report->replayed || report->parts.total.parts.shapes == 0)
        return kt_fail(error, KT_BAD_INPUT,
                       "%s was not replayed, so its time cannot be taken apart; 'ktrace replay' comes first",
                       report->path[0]);
    KT_TRY(kt_waterfall_csv(&report->parts, picture->data, error));
    return kt_waterfall_plot(&report->parts, title, picture, error);
}

static enum kt_status write_waterfall(const struct command *command, const struct kt_plot_title *title,
                                      struct kt_error *error)
{
    struct kt_report *report = kt_resize(NULL, 1, sizeof *report);
    enum kt_status status = kt_report_make(command->trace, command->traces, report, error);
    if (status == KT_OK)
        status = draw_report(report, title, &command->picture, error);
    kt_report_free(report);
    free(report);
    return status;
}

static enum kt_status draw(const struct command *command, const struct kt_roofline *roofline, struct kt_error *error)
{
    struct kt_plot_title title;
    if (command->plot != PLOT_WATERFALL)
        return kt_kernel_draw(roofline, &command->picture, error);
    kt_plot_title_make(roofline, "Time", &title);
    KT_TRY(write_waterfall(command, &title, error));
    return kt_picture_draw(&command->picture, error);
}

static enum kt_status make_kernel(const struct command *command, struct kt_roofline *roofline, struct kt_error *error)
{
    KT_TRY(kt_kernel_begin(command->machines ? command->machine[0] : NULL, roofline, error));
    roofline->timed = command->plot == PLOT_BOXES;
    KT_TRY(kt_kernel_time(&command->kernel, roofline, error));
    kt_roofline_label(roofline);
    return KT_OK;
}

static enum kt_status make_points(const struct command *command, struct kt_roofline *roofline, struct kt_error *error)
{
    if (command->kernel.routine)
        return make_kernel(command, roofline, error);
    roofline->tracked = command->tracked;
    for (size_t i = 0; i < command->traces; i++)
        KT_TRY(add_trace(roofline, command, i, error));
    name_machines(roofline);
    kt_roofline_label(roofline);
    roofline->timed = command->plot == PLOT_BOXES;
    kt_roofline_finish(roofline, command->top);
    return KT_OK;
}

static enum kt_status validate(const struct command *command, struct kt_error *error)
{
    struct kt_machine machine;
    KT_TRY(kt_roofline_own_machine(command->machines ? command->machine[0] : NULL, 1, &machine, error));
    json_t *document;
    KT_TRY(kt_validate_measure(&machine, &document, error));
    if (command->json)
        kt_document_print(&kt_document_roofline_validate, json_incref(document));
    else
        kt_validate_print(document);
    enum kt_status status = command->picture.suffix ? kt_validate_plot(document, &command->picture, error) : KT_OK;
    if (status == KT_OK && command->picture.suffix)
        status = kt_picture_draw(&command->picture, error);
    json_decref(document);
    return status;
}

static enum kt_status run(const struct command *command, struct kt_roofline *roofline, struct kt_error *error)
{
    if (command->events) {
        kt_roofline_show_events(command->json);
        return KT_OK;
    }
    if (command->validate)
        return validate(command, error);
    KT_TRY(make_points(command, roofline, error));
    if (!kt_kernel_has_point(roofline))
        return kt_fail(error, KT_BAD_INPUT,
                       "%s: no call whose operations can be counted and that moves memory: there are no points",
                       command->kernel.routine ? command->kernel.routine : command->trace[0]);
    if (command->json)
        kt_document_print(&kt_document_roofline, kt_roofline_json(roofline));
    else
        kt_roofline_print(roofline);
    return command->picture.suffix ? draw(command, roofline, error) : KT_OK;
}

int kt_verb_roofline(int argc, char **argv)
{
    struct kt_error error = {0};
    struct command command;
    struct kt_roofline *roofline = kt_zeros(1, sizeof *roofline);
    enum kt_status status = parse(argc, argv, &command, &error);
    if (status == KT_OK)
        status = run(&command, roofline, &error);
    kt_roofline_free(roofline);
    free(roofline);
    if (status == KT_USAGE)
        return kt_verb_usage(argv[0], "%s", error.text);
    if (status != KT_OK)
        return kt_verb_fail(argv[0], &error);
    return kt_verb_status(kt_timing_interrupted());
}
