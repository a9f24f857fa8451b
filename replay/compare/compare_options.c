/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/compare_options.h"

#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 1000, DEFAULT_RUNS = 6 };

static enum kt_status add_threads(int number, int *list, size_t *count, struct kt_error *error)
{
    for (size_t i = 0; i < *count; i++)
        if (list[i] == number)
            return KT_OK;
    if (*count == KT_MOST_LANES)
        return kt_fail(error, KT_USAGE, "--threads: more than %d numbers", KT_MOST_LANES);
    list[(*count)++] = number;
    return KT_OK;
}

enum kt_status kt_thread_counts_parse(const char *text, int *out, size_t *count, struct kt_error *error)
{
    *count = 0;
    for (const char *at = text;; at++) {
        char *end;
        long number = strtol(at, &end, 10);
        bool is_number = end != at && (*end == ',' || !*end) && *at >= '0' && *at <= '9';
        if (!is_number || number < 1 || number > KT_MOST_THREADS)
            return kt_fail(error, KT_USAGE, "--threads needs numbers from 1 to %d, such as 1,2, not '%s'",
                           KT_MOST_THREADS, text);
        KT_TRY(add_threads((int)number, out, count, error));
        if (!*end)
            return KT_OK;
        at = end;
    }
}

static enum kt_status parse_runs(const char *text, int *out, struct kt_error *error)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || *end || number < 1 || number > MOST_RUNS)
        return kt_fail(error, KT_USAGE, "--runs needs a number from 1 to %d, not '%s'", MOST_RUNS, text);
    *out = (int)number;
    return KT_OK;
}

static enum kt_status parse_check(const char *text, enum kt_check *out, struct kt_error *error)
{
    static const char *const name[] = {[KT_CHECK_TOO] = "yes", [KT_CHECK_NOT] = "no", [KT_CHECK_ONLY] = "only"};
    for (*out = KT_CHECK_TOO; *out <= KT_CHECK_ONLY; (*out)++)
        if (!strcmp(text, name[*out]))
            return KT_OK;
    return kt_fail(error, KT_USAGE, "--check is yes, no or only, not '%s'", text);
}

static enum kt_status take_option(int option, const char *value, void *context, struct kt_error *error)
{
    struct kt_compare_options *out = context;
    switch (option) {
    case 't':
        return kt_thread_counts_parse(value, out->thread, &out->threads, error);
    case 'L':
        out->lapack = value;
        return KT_OK;
    case 'P':
        out->plot = value;
        return KT_OK;
    case 'v':
        out->verify = true;
        return KT_OK;
    case 'k':
        return parse_check(value, &out->check, error);
    case 'n':
        return parse_runs(value, &out->runs, error);
    default:
        return kt_replay_option_take(option, value, &out->replay, error);
    }
}

/* Where the command begins that is to be run; ARGC if there is none. */
static int find_command(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--"))
            return i;
    return argc;
}

static enum kt_status check(const struct kt_compare_options *o, struct kt_error *error)
{
    const struct kt_replay_options *replay = &o->replay;
    if (replay->contexts > 1)
        return kt_fail(error, KT_USAGE, "libraries are compared in one context at a time");
    if (o->verify != (o->command != NULL))
        return kt_fail(error, KT_USAGE,
                       o->verify ? "--verify runs a command: which? it stands behind --"
                                 : "a command behind -- is run with --verify only");
    if (o->runs && !o->verify)
        return kt_fail(error, KT_USAGE, "--runs is for --verify");
    if (o->check == KT_CHECK_ONLY && (replay->contexts || replay->sequence || o->plot))
        return kt_fail(error, KT_USAGE, "--check only times nothing: --context and --plot are for times");
    if (o->plot && (kt_text_ends_with(o->plot, ".csv") || kt_text_ends_with(o->plot, ".gp")))
        return kt_fail(error, KT_USAGE, "--plot %s: that is the name of its own data or script; name an .svg", o->plot);
    if (!replay->trace && !o->command)
        return kt_fail(error, KT_USAGE, "which trace?");
    return KT_OK;
}

enum kt_status kt_compare_options_parse(int argc, char **argv, struct kt_compare_options *out, struct kt_error *error)
{
    int words = find_command(argc, argv);
    if (words + 1 < argc)
        out->command = argv + words + 1;
    KT_TRY(kt_verb_take_options(words, argv, take_option, out, error));
    if (words - optind > 1)
        return kt_fail(error, KT_USAGE, "one trace at a time, not also '%s'", argv[words - 1]);
    out->replay.trace = optind < words ? argv[optind] : NULL;
    bool is_tracked = kt_placements && out->check != KT_CHECK_ONLY;
    KT_TRY(check(out, error));
    if (out->runs == 0)
        out->runs = DEFAULT_RUNS;
    if (out->check == KT_CHECK_ONLY)
        out->replay.sequence = false;
    else if (out->replay.contexts == 0)
        out->replay.sequence = true;
    if (out->replay.has_gaps && !out->replay.sequence)
        return kt_fail(error, KT_USAGE, "--gaps is for --context sequence: other contexts have no calls in between");
    if (!out->replay.has_gaps)
        out->replay.gaps = KT_GAPS_CODE;
    if (out->replay.contexts == 0)
        out->replay.context[out->replay.contexts++] = kt_context_find(is_tracked ? "tracked" : "warm");
    return KT_OK;
}
