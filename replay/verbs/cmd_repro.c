/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace repro: a C program that makes one recorded call, on standard output.
 */
#include "replay/call/held.h"
#include "replay/repro/repro.h"
#include "trace/base/memory.h"
#include "trace/read/profile.h"
#include "trace/shape/shape.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>

struct choice {
    const char *trace;
    const char *routine, *call, *shape; /* as chosen by one of these; the others are NULL */
    uint64_t number;                    /* of the call or shape */
    unsigned at_most;                   /* seconds; 0: not said */
};

static enum kt_status parse_number(struct choice *choice, struct kt_error *error)
{
    const char *text = choice->shape ? choice->shape : choice->call;
    char *end;
    errno = 0;
    choice->number = strtoull(text, &end, 10);
    if (end != text && !*end && !errno && *text != '-')
        return KT_OK;
    return choice->shape ? kt_fail(error, KT_USAGE,
                                   "--shape needs the number of a shape, as `ktrace report` prints it, not '%s'", text)
                         : kt_fail(error, KT_USAGE,
                                   "--call needs the number of a call, as `ktrace dump` prints it, not '%s'", text);
}

static enum kt_status take_seconds(const struct kt_verb_option *option, const char *value, void *out,
                                   struct kt_error *error)
{
    enum { MOST = 86400 };
    char *end;
    long seconds = strtol(value, &end, 10);
    if (end == value || *end || seconds < 1 || seconds > MOST)
        return kt_fail(error, KT_USAGE, "--%s needs whole seconds from 1 to %d, not '%s'", option->name, MOST, value);
    *(unsigned *)out = (unsigned)seconds;
    return KT_OK;
}

const struct kt_verb_option kt_verb_repro_options[] = {
    {"shape", 0, "N", "the first call of the shape of that number, as report prints it",
     KT_VERB_TEXT(struct choice, shape)},
    {"call", 0, "N", "the call of that number, as dump prints it", KT_VERB_TEXT(struct choice, call)},
    {"at-most", 0, "SECONDS", "the program fails if it has not ended by then, for a regression test of a hang",
     take_seconds, offsetof(struct choice, at_most)},
    {"routine", 0, "NAME", "the slowest call of that routine, such as dgesv", KT_VERB_TEXT(struct choice, routine)},
    {0},
};

static enum kt_status parse(int argc, char **argv, struct choice *out, struct kt_error *error)
{
    KT_TRY(kt_verb_take_options(argc, argv, kt_verb_repro_options, out, error));
    if (argc - optind != 1)
        return kt_fail(error, KT_USAGE, argc == optind ? "which trace?" : "one trace at a time");
    if (!out->shape + !out->call + !out->routine != 2)
        return kt_fail(error, KT_USAGE, "which call? --call N, --shape N or --routine NAME, one of them");
    out->trace = argv[optind];
    return out->routine ? KT_OK : parse_number(out, error);
}

/* The call of that number, kept; *COUNT is how many there are. */
static bool find_number(const struct kt_trace *trace, uint64_t number, struct kt_call *out, uint64_t *count)
{
    struct kt_cursor cursor;
    struct kt_call call;
    kt_cursor_begin(trace, &cursor);
    for (*count = 0; kt_cursor_next(&cursor, &call); ++*count)
        if (call.n == number) {
            *out = kt_call_keep(&call);
            return true;
        }
    return false;
}

/* Names of routines and of symbols are both what people read in reports. */
static bool is_of(const struct kt_call *call, const char *name)
{
    return !strcmp(call->entry->symbol.routine->name, name) || !strcmp(call->entry->symbol.name, name);
}

/* The call of that routine that took longest, kept. */
static bool find_slowest(const struct kt_trace *trace, const char *routine, struct kt_call *out)
{
    struct kt_cursor cursor;
    struct kt_call call;
    double longest = -1;
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call)) {
        if (!is_of(&call, routine) || kt_call_seconds(&call) <= longest)
            continue;
        longest = kt_call_seconds(&call);
        kt_call_drop(out);
        *out = kt_call_keep(&call);
    }
    return longest >= 0;
}

/* Of a profile: the first call of the shape that had the slowest one. */
static bool find_slowest_shape(const struct kt_trace *trace, const char *routine, struct kt_call *out)
{
    struct kt_counts_cursor cursor;
    struct kt_counts counts;
    double longest = -1;
    kt_counts_begin(trace, &cursor);
    while (kt_counts_next(&cursor, &counts)) {
        if (!counts.call.args || !is_of(&counts.call, routine) || kt_call_seconds(&counts.call) <= longest)
            continue;
        longest = kt_call_seconds(&counts.call);
        kt_call_drop(out);
        *out = kt_call_keep(&counts.call);
    }
    return longest >= 0;
}

/* The first call of the shape that the report has in that place, kept. */
static enum kt_status find_shape(const struct kt_trace *trace, uint64_t number, struct kt_call *out,
                                 struct kt_error *error)
{
    struct kt_shapes shapes;
    kt_shapes_collect(trace, KT_OUTERMOST, &shapes);
    size_t count = shapes.count;
    bool found = number >= 1 && number <= count;
    if (found)
        *out = kt_call_keep(&shapes.shape[number - 1].first);
    kt_shapes_free(&shapes);
    return found ? KT_OK
                 : kt_fail(error, KT_USAGE, "%s: there is no shape %" PRIu64 "; the report has %zu", trace->path,
                           number, count);
}

static enum kt_status find_call(const struct kt_trace *trace, const struct choice *choice, struct kt_call *out,
                                struct kt_error *error)
{
    uint64_t count;
    if (choice->routine)
        return find_slowest(trace, choice->routine, out) || find_slowest_shape(trace, choice->routine, out)
                   ? KT_OK
                   : kt_fail(error, KT_USAGE, "%s: no recorded call of %s", trace->path, choice->routine);
    if (choice->shape)
        return find_shape(trace, choice->number, out, error);
    if (find_number(trace, choice->number, out, &count))
        return KT_OK;
    if (kt_is_profile(trace))
        return kt_fail(error, KT_USAGE, "%s: is a profile, which has no single calls: choose with --shape or --routine",
                       trace->path);
    if (count == 0)
        return kt_fail(error, KT_BAD_INPUT, "%s: no call is recorded", trace->path);
    return kt_fail(error, KT_USAGE, "%s: there is no call %" PRIu64 "; they are numbered from 0 to %" PRIu64,
                   trace->path, choice->number, count - 1);
}

/* What fits into a source file that a compiler takes, and a bug report. */
static const struct kt_snapshot *held_of(const struct kt_snapshots *snapshots, const struct kt_call *call)
{
    enum { MOST = 1 << 20 };
    const struct kt_snapshot *held = kt_held_of_call(snapshots, call);
    char size[32];
    if (!held || held->size <= MOST)
        return held;
    kt_notice("the recorded contents, %s, are too much for a source file: others are made",
              kt_text_rate((double)held->size, "B", size, sizeof size));
    return NULL;
}

static enum kt_status print_repro(const struct kt_trace *trace, const struct choice *choice, struct kt_error *error)
{
    struct kt_call call = {0};
    struct kt_repro repro;
    struct kt_snapshots snapshots = {0};
    enum kt_status status = find_call(trace, choice, &call, error);
    if (status == KT_OK) {
        kt_snapshots_load(trace, &snapshots);
        status = kt_repro_plan(trace, &call, held_of(&snapshots, &call), &repro, error);
    }
    if (status == KT_OK && !call.complete)
        kt_notice("call %" PRIu64 " had not returned when the trace ended: no time and no info to compare with",
                  call.n);
    if (status == KT_OK)
        repro.at_most = choice->at_most;
    if (status == KT_OK)
        kt_repro_print(&repro, stdout);
    kt_snapshots_free(&snapshots);
    kt_call_drop(&call);
    return status;
}

int kt_verb_repro(int argc, char **argv)
{
    struct kt_error error = {0};
    struct choice choice = {0};
    struct kt_trace trace = {0};
    if (parse(argc, argv, &choice, &error) == KT_OK) {
        if (kt_trace_open(choice.trace, &trace, &error) == KT_OK)
            print_repro(&trace, &choice, &error);
        kt_trace_close(&trace);
    }
    if (error.status == KT_USAGE)
        return kt_verb_usage("repro", "%s", error.text);
    return error.status == KT_OK ? KT_OK : kt_verb_fail("repro", &error);
}
