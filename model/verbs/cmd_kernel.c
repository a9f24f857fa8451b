/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace kernel: kernels of the user's in every context, under the roofs of this machine, beside each other and beside
 * a routine of BLAS.
 */
#include "model/roofline/own_kernels.h"
#include "model/roofline/roofline_text.h"
#include "model/verbs/kernel_command.h"
#include "trace/base/memory.h"
#include "trace/command/document.h"

#include <getopt.h>
#include <stdio.h>

enum { DEFAULT_LIMIT = 10 };

struct command {
    bool json;
    enum { PLOT_ROOFLINE, PLOT_BOXES } plot; /* as --plot has it */
    const char *machine;                     /* file; NULL: this machine's */
    struct kt_picture picture;               /* without a suffix: none */
    struct kt_kernel_plan plan;
    double limit; /* seconds */
    char *const *file;
    size_t files;
};

const struct kt_verb_option kt_verb_kernel_options[] = {
    {"n", 0, "FROM:TO[:COUNT]", "sizes, at equal ratios; default 16:1024:7, the powers of 2", kt_kernel_take_sizes,
     offsetof(struct command, plan)},
    {KT_KERNEL_STATES(struct command, plan)},
    {KT_KERNEL_PICTURE(struct command, picture)},
    {"plot", 0, "roofline|boxes", "what the picture shows: points under roofs, or times",
     KT_VERB_CHOICE(struct command, plot)},
    {"routine", 0, "ROUTINE", "a BLAS routine beside them, for square operands",
     KT_VERB_TEXT(struct command, plan.routine)},
    {KT_KERNEL_BLAS(struct command, plan)},
    {KT_KERNEL_BUDGET(struct command, plan.seconds)},
    {"limit", 0, "SECONDS",
     "that all of a kernel's own code may take in the first call for an n, before it is given up; default 10",
     kt_kernel_take_seconds, offsetof(struct command, limit)},
    {"machine", 0, "FILE", "what `ktrace probe --json` printed on this machine", KT_VERB_TEXT(struct command, machine)},
    {KT_VERB_JSON(struct command, json)},
    {KT_VERB_CSV(struct command, json)},
    {0},
};

/* On which the routine beside them is timed. */
static size_t libraries_of(const struct kt_kernel_plan *plan)
{
    return !plan->routine ? 0 : plan->libraries ? plan->libraries : 1;
}

static enum kt_status parse(int argc, char **argv, struct command *out, struct kt_error *error)
{
    *out = (struct command){.plan = kt_kernel_default("16:1024:7"), .limit = DEFAULT_LIMIT};
    KT_TRY(kt_verb_take_options(argc, argv, kt_verb_kernel_options, out, error));
    out->file = argv + optind;
    out->files = (size_t)(argc - optind);
    size_t kernels = out->files + libraries_of(&out->plan);
    if (out->files == 0)
        return kt_fail(error, KT_USAGE, "which kernel? A file such as ./mine.so");
    if (out->plot != PLOT_ROOFLINE && !out->picture.suffix)
        return kt_fail(error, KT_USAGE, "--plot goes with -o FILE");
    if (out->plan.libraries && !out->plan.routine)
        return kt_fail(error, KT_USAGE, "--blas goes with --routine");
    if (kernels * out->plan.states > KT_MOST_SERIES)
        return kt_fail(error, KT_USAGE, "more than %d curves: %zu states of %zu kernels", KT_MOST_SERIES,
                       out->plan.states, kernels);
    return KT_OK;
}

static json_t *json_of(const struct kt_roofline *roofline)
{
    json_t *document = kt_roofline_json(roofline);
    json_t *failures = json_array();
    for (size_t i = 0; i < roofline->failures; i++) {
        const struct kt_kernel_failure *f = &roofline->failure[i];
        json_array_append_new(failures,
                              json_pack("{so so so}", "kernel", kt_json_text(f->kernel), "n",
                                        f->n ? json_integer(f->n) : json_null(), "why", kt_json_text(f->why)));
    }
    json_object_set_new(document, "failures", failures);
    return document;
}

/* One line for each kernel: where it fails first, and how often. */
static void tell_failures(const struct kt_roofline *roofline)
{
    for (size_t i = 0, same; i < roofline->failures; i += same) {
        const struct kt_kernel_failure *f = &roofline->failure[i];
        char n[32] = "";
        for (same = 1; i + same < roofline->failures && !strcmp(f[same].kernel, f->kernel);)
            same++;
        if (f->n)
            snprintf(n, sizeof n, ", n=%lld", (long long)f->n);
        fprintf(stderr, "ktrace kernel: %s%s: %s", f->kernel, n, f->why);
        if (same > 1)
            fprintf(stderr, "; it fails for %zu of these n", same);
        fprintf(stderr, "\n");
    }
}

static enum kt_status make_points(const struct command *command, struct kt_roofline *roofline, struct kt_error *error)
{
    struct kt_kernel_plan plan = command->plan;
    double share = plan.seconds / (double)(command->files + libraries_of(&plan)); /* for each kernel */
    KT_TRY(kt_kernel_begin(command->machine, roofline, error));
    roofline->timed = command->plot == PLOT_BOXES;
    plan.seconds = share * (double)command->files;
    KT_TRY(kt_own_kernels_time(&plan, (const char *const *)command->file, command->files, command->limit, roofline,
                               error));
    plan.seconds = share * (double)libraries_of(&plan);
    if (plan.routine && !kt_timing_interrupted())
        KT_TRY(kt_kernel_time(&plan, roofline, error));
    kt_roofline_label(roofline);
    return KT_OK;
}

static enum kt_status run(const struct command *command, struct kt_roofline *roofline, struct kt_error *error)
{
    KT_TRY(make_points(command, roofline, error));
    bool any = kt_kernel_has_point(roofline);
    if (command->json)
        kt_document_print(&kt_document_kernel, json_of(roofline));
    else if (any)
        kt_roofline_print(roofline);
    tell_failures(roofline);
    return any && command->picture.suffix ? kt_kernel_draw(roofline, &command->picture, error) : KT_OK;
}

/* Every failure has been told. */
static int status_of(const struct kt_roofline *roofline)
{
    int signal = kt_timing_interrupted();
    if (signal || !roofline->failures)
        return kt_verb_status(signal);
    return kt_kernel_has_point(roofline) ? 1 : KT_BAD_INPUT;
}

int kt_verb_kernel(int argc, char **argv)
{
    struct kt_error error = {0};
    struct command command;
    struct kt_roofline *roofline = kt_zeros(1, sizeof *roofline);
    enum kt_status status = parse(argc, argv, &command, &error);
    if (status == KT_OK)
        status = run(&command, roofline, &error);
    int end = status_of(roofline);
    kt_roofline_free(roofline);
    free(roofline);
    if (status == KT_USAGE)
        return kt_verb_usage(argv[0], "%s", error.text);
    return status == KT_OK ? end : kt_verb_fail(argv[0], &error);
}
