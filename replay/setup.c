/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/setup.h"

#include "trace/memory.h"
#include "trace/verb.h"

#include <getopt.h>

static enum kt_status add_context(struct kt_replay_options *options, const char *name, struct kt_error *error)
{
    const struct kt_context *context = kt_context_find(name);
    if (!context)
        return kt_fail(error, KT_USAGE, "context '%s' is unknown or not available yet; there are: %s", name,
                       kt_context_names());
    for (size_t i = 0; i < options->contexts; i++)
        if (options->context[i] == context)
            return KT_OK;
    if (options->contexts == KT_MAX_CONTEXTS)
        return kt_fail(error, KT_USAGE, "more than %d contexts", KT_MAX_CONTEXTS);
    options->context[options->contexts++] = context;
    return KT_OK;
}

static enum kt_status add_contexts(struct kt_replay_options *options, const char *list, struct kt_error *error)
{
    char *copy = kt_copy(list);
    char *rest = copy;
    enum kt_status status = KT_OK;
    for (char *name; status == KT_OK && (name = strsep(&rest, ","));)
        status = add_context(options, name, error);
    free(copy);
    return status;
}

static enum kt_status parse_number(const char *option, const char *text, double least, double *out,
                                   struct kt_error *error)
{
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end || !(*out >= least && *out < 1e6))
        return kt_fail(error, KT_USAGE, "--%s needs a number of at least %g, not '%s'", option, least, text);
    return KT_OK;
}

static enum kt_status parse_threads(const char *text, int *out, struct kt_error *error)
{
    double number;
    KT_TRY(parse_number("threads", text, 1, &number, error));
    *out = (int)number;
    return KT_OK;
}

static enum kt_status parse_level(const char *text, enum kt_level *out, struct kt_error *error)
{
    if (strcmp(text, "outermost") != 0 && strcmp(text, "leaves") != 0)
        return kt_fail(error, KT_USAGE, "--level is outermost or leaves, not '%s'", text);
    *out = *text == 'l' ? KT_LEAVES : KT_OUTERMOST;
    return KT_OK;
}

static enum kt_status parse_option(int option, struct kt_replay_options *out, struct kt_error *error)
{
    switch (option) {
    case 'j':
        out->json = true;
        return KT_OK;
    case 'c':
        return add_contexts(out, optarg, error);
    case 't':
        return parse_threads(optarg, &out->threads, error);
    case 's':
        return parse_number("budget", optarg, 0.001, &out->budget, error);
    case 'l':
        return parse_level(optarg, &out->level, error);
    case 'r':
        out->routines = optarg;
        return KT_OK;
    default:
        if (out->libraries == KT_MAX_LIBRARIES)
            return kt_fail(error, KT_USAGE, "more than %d libraries", KT_MAX_LIBRARIES);
        out->blas[out->libraries++] = optarg;
        return KT_OK;
    }
}

enum kt_status kt_replay_options_parse(int argc, char **argv, struct kt_replay_options *out, struct kt_error *error)
{
    optind = 0;
    for (int option; (option = kt_verb_next_option(argc, argv, error)) != -1;) {
        if (option == '?')
            return KT_USAGE;
        KT_TRY(parse_option(option, out, error));
    }
    if (argc - optind != 1)
        return kt_fail(error, KT_USAGE, argc == optind ? "which trace?" : "one trace at a time, not also '%s'",
                       argv[argc - 1]);
    out->trace = argv[optind];
    return KT_OK;
}

enum kt_status kt_setup_open(const struct kt_replay_options *options, struct kt_setup *out, struct kt_error *error)
{
    *out = (struct kt_setup){0};
    KT_TRY(kt_trace_open(options->trace, &out->trace, error));
    kt_shapes_collect(&out->trace, options->level, &out->shapes);
    kt_jobs_make(&out->shapes, options->routines, kt_arena_limit(), &out->jobs);
    if (out->jobs.count)
        return KT_OK;
    if (options->routines && out->shapes.count)
        return kt_fail(error, KT_USAGE, "%s: no recorded call of a routine that matches '%s'", out->trace.path,
                       options->routines);
    return kt_fail(error, KT_BAD_INPUT, "%s: no complete call to replay", out->trace.path);
}

void kt_setup_close(struct kt_setup *setup)
{
    kt_jobs_free(&setup->jobs);
    kt_shapes_free(&setup->shapes);
    kt_trace_close(&setup->trace);
}

void kt_setup_schedule(const struct kt_setup *setup, const struct kt_replay_options *options, size_t lanes,
                       struct kt_schedule *out)
{
    kt_schedule_make(setup->jobs.count, lanes, out);
    out->budget = options->budget;
    for (size_t i = 0; i < setup->jobs.count; i++) {
        const struct kt_job *job = &setup->jobs.job[i];
        out->item[i].weight = job->shape->total;
        out->item[i].once = job->shape->query || job->shape->bytes == 0;
    }
}
