/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/compare_options.h"

#include "replay/compare/corrections.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_RUNS = 6 };
static const double default_budget = 60;

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

static enum kt_status take_threads(const struct kt_verb_option *option, const char *value, void *out,
                                   struct kt_error *error)
{
    struct kt_compare_options *options = out;
    (void)option;
    return kt_thread_counts_parse(value, options->thread, &options->threads, error);
}

const struct kt_verb_option kt_verb_compare_options[] = {
    {"workloads", 0, "DIR", "compare each workload (*.ktw) of DIR; one table, and the geometric mean",
     KT_VERB_TEXT(struct kt_compare_options, workloads)},
    {"blas", 0, "LIB", "a path, a soname or a short name; default: the recorded library and all that are installed",
     kt_replay_take_blas, offsetof(struct kt_compare_options, replay)},
    {"baseline", 0, "LIB",
     "library that the others are compared with; default: the recorded one, of --workloads the first --blas",
     KT_VERB_TEXT(struct kt_compare_options, baseline)},
    {"lapack", 0, "LIB", "library of the routines that one of --blas lacks",
     KT_VERB_TEXT(struct kt_compare_options, lapack)},
    {"context", 0, "CONTEXT", "sequence, " KT_REPLAY_CONTEXTS "; default sequence", kt_replay_take_contexts,
     offsetof(struct kt_compare_options, replay)},
    {"gaps", 0, KT_REPLAY_GAPS, "what fills the time between calls; default code", kt_replay_take_gaps,
     offsetof(struct kt_compare_options, replay)},
    {"budget", 0, "SECONDS",
     "time for the samples, and for checking results; default 60, for each workload; of --workloads all share it",
     kt_replay_take_budget, offsetof(struct kt_compare_options, replay.budget)},
    {"alone", 0, NULL, "only calls of the busiest thread; default: calls that overlapped are played at the same time",
     KT_VERB_FLAG(struct kt_compare_options, replay.alone)},
    {"check", 0, "yes|no|only",
     "check the results (default yes); only: time nothing, and also try NaN, Inf, subnormal and huge contents",
     KT_VERB_CHOICE(struct kt_compare_options, check)},
    {"threads", 0, "LIST", "numbers of threads of each library, such as 1,2; default: as recorded", take_threads, 0},
    {KT_VERB_LEVEL(struct kt_compare_options, replay.level)},
    {KT_VERB_ROUTINE(struct kt_compare_options, replay.routines)},
    {KT_REPLAY_SHARD, offsetof(struct kt_compare_options, replay.share)},
    {KT_REPLAY_STORE, offsetof(struct kt_compare_options, replay.store)},
    {KT_REPLAY_FRESH(struct kt_compare_options, replay.fresh)},
    {"keep", 0, "yes|no", "keep the result with the trace, for pages of ktrace report (default yes)",
     KT_VERB_CHOICE(struct kt_compare_options, keep)},
    {"without", 0, "LIST", "corrections of the prediction to leave out, or all; --json says what each one changes",
     kt_corrections_take, offsetof(struct kt_compare_options, without)},
    {"all", 0, NULL, "every table", KT_VERB_FLAG(struct kt_compare_options, all)},
    {"fail-above", 0, "PERCENT",
     "exit status 1 if all calls, a routine or a shape are slower than on the baseline by more, with their whole "
     "interval",
     KT_VERB_PERCENT(struct kt_compare_options, fail_above)},
    {"markdown", 0, NULL, "tables for a comment on a change of a library",
     KT_VERB_FLAG(struct kt_compare_options, markdown)},
    {"plot", 0, "FILE.svg|png|pdf", "bars of the routines with intervals (needs gnuplot)",
     KT_VERB_TEXT(struct kt_compare_options, plot)},
    {"map", 0, "FILE", "write which library is best for which calls, for ktrace run --map",
     KT_VERB_TEXT(struct kt_compare_options, map)},
    {"verify", 0, NULL, "run COMMAND on each library, and print measured beside predicted times",
     KT_VERB_FLAG(struct kt_compare_options, verify)},
    {"runs", 0, "N", "with --verify: runs on each library; default 6, the fewest for a 95 % interval",
     kt_replay_take_runs, offsetof(struct kt_compare_options, runs)},
    {KT_VERB_JSON(struct kt_compare_options, replay.json)},
    {KT_VERB_CSV(struct kt_compare_options, replay.json)},
    {0},
};

/* Where the command begins that is to be run; ARGC if there is none. */
static int find_command(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--"))
            return i;
    return argc;
}

/* Of many workloads there is one table. */
static enum kt_status check_workloads(const struct kt_compare_options *o, struct kt_error *error)
{
    if (o->replay.trace || o->command)
        return kt_fail(error, KT_USAGE, "--workloads names them all: there is no other trace or command");
    if (o->all || o->plot || o->map || o->verify)
        return kt_fail(error, KT_USAGE, "--all, --plot, --map and --verify are for one trace, not for --workloads");
    if (o->replay.share.of)
        return kt_fail(error, KT_USAGE,
                       "--workloads is one process: give a share of the directory's files to each instead");
    if (o->check == KT_CHECK_ONLY)
        return kt_fail(error, KT_USAGE, "--check only times nothing: --workloads is about times");
    if (!o->baseline && o->replay.libraries < 2)
        return kt_fail(error, KT_USAGE, "--workloads: name two libraries with --blas, or one with --baseline");
    return KT_OK;
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
    if (o->check == KT_CHECK_ONLY && o->map)
        return kt_fail(error, KT_USAGE, "--check only times nothing: --map is made from times");
    if (o->check == KT_CHECK_ONLY && (o->fail_above >= 0 || o->markdown))
        return kt_fail(error, KT_USAGE, "--check only times nothing: --fail-above and --markdown are about times");
    if (o->markdown && replay->json)
        return kt_fail(error, KT_USAGE, "--json or --markdown, not both");
    if (o->baseline && o->map)
        return kt_fail(error, KT_USAGE,
                       "--map sends calls from the recorded library to others: it has no other baseline");
    if (o->plot && (kt_text_ends_with(o->plot, ".csv") || kt_text_ends_with(o->plot, ".gp")))
        return kt_fail(error, KT_USAGE, "--plot %s: that is the name of its own data or script; name an .svg", o->plot);
    if (o->workloads)
        return check_workloads(o, error);
    if (!replay->trace && !o->command)
        return kt_fail(error, KT_USAGE, "which trace?");
    return KT_OK;
}

/* Shares meet in the store. */
static enum kt_status check_share(const struct kt_replay_options *replay, struct kt_error *error)
{
    if (replay->store && !strcmp(replay->store, "none"))
        return kt_fail(error, KT_USAGE, "shares leave their results in the store: --store none is not for them");
    if (replay->fresh)
        return kt_fail(error, KT_USAGE,
                       "--fresh is not for shares, which find each other's results in the store: "
                       "name a new --store");
    return KT_OK;
}

/* A rank of a job that asks for something that is not shared out does all of it. */
static enum kt_status find_share(struct kt_compare_options *options, struct kt_error *error)
{
    struct kt_share *share = &options->replay.share;
    bool is_whole = options->replay.sequence || options->verify || options->check == KT_CHECK_ONLY;
    if (share->of && is_whole)
        return kt_fail(error, KT_USAGE, "--shard: a sequence, --verify and --check only are not shared out");
    if (!is_whole)
        kt_share_find(share);
    return share->of ? check_share(&options->replay, error) : KT_OK;
}

enum kt_status kt_compare_options_parse(int argc, char **argv, struct kt_compare_options *out, struct kt_error *error)
{
    int words = find_command(argc, argv);
    if (words + 1 < argc)
        out->command = argv + words + 1;
    KT_TRY(kt_verb_take_options(words, argv, kt_verb_compare_options, out, error));
    if (words - optind > 1)
        return kt_fail(error, KT_USAGE, "one trace at a time, not also '%s'", argv[words - 1]);
    out->replay.trace = optind < words ? argv[optind] : NULL;
    out->has_budget = out->replay.budget > 0;
    out->replay.budget = out->has_budget ? out->replay.budget : default_budget;
    bool is_tracked = kt_placements && out->check != KT_CHECK_ONLY;
    KT_TRY(check(out, error));
    if (out->runs == 0)
        out->runs = DEFAULT_RUNS;
    KT_TRY(find_share(out, error));
    if (out->check == KT_CHECK_ONLY || out->replay.share.of)
        out->replay.sequence = false;
    else if (out->replay.contexts == 0)
        out->replay.sequence = true;
    out->replay.company = !out->replay.alone;
    if (out->replay.alone && !out->replay.sequence)
        return kt_fail(error, KT_USAGE, "--alone is for --context sequence: other contexts have one thread");
    if (out->replay.has_gaps && !out->replay.sequence)
        return kt_fail(error, KT_USAGE, "--gaps is for --context sequence: other contexts have no calls in between");
    if (!out->replay.has_gaps)
        out->replay.gaps = KT_GAPS_CODE;
    if (out->replay.contexts == 0)
        out->replay.context[out->replay.contexts++] = kt_context_find(is_tracked ? "tracked" : "warm");
    return KT_OK;
}
