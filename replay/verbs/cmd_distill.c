/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace distill: a small file that stands for a trace, what is in it, and how true it is.
 */
#include "replay/distill/distill.h"
#include "replay/distill/workload_show.h"
#include "replay/distill/workload_verdict.h"
#include "replay/setup/setup.h"
#include "trace/command/document.h"
#include "trace/print/new_file.h"
#include "trace/print/text.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

struct distill {
    struct kt_distill_options options;
    struct kt_replay_options replay; /* libraries and budget of --verify */
    const char *output, *verify;
    bool show, json, has_budget;
};

static enum kt_status take_bytes(const struct kt_verb_option *option, const char *value, void *out,
                                 struct kt_error *error)
{
    char *end;
    double number = strtod(value, &end);
    double unit = *end == 'K' ? 1e3 : *end == 'M' ? 1e6 : 1;
    end += unit > 1;
    if (end == value || *end || !(number * unit >= 1) || !(number * unit <= 1e12))
        return kt_fail(error, KT_USAGE, "--%s needs a size such as 100K, not '%s'", option->name, value);
    *(uint64_t *)out = (uint64_t)(number * unit);
    return KT_OK;
}

const struct kt_verb_option kt_verb_distill_options[] = {
    {"output", 'o', "FILE", "the workload, such as app.ktw", KT_VERB_TEXT(struct distill, output)},
    {"bytes", 0, "N", "size of the file at most, such as 20K; default 100K", take_bytes,
     offsetof(struct distill, options.bytes)},
    {"seconds", 0, "SECONDS", "time of the single calls in it, as far as the size allows; default 2",
     kt_replay_take_budget, offsetof(struct distill, options.seconds)},
    {"show", 0, NULL, "print all that a workload holds", KT_VERB_FLAG(struct distill, show)},
    {"verify", 0, "TRACE",
     "replay TRACE and the workload on libraries, and keep in the workload how far they are apart",
     KT_VERB_TEXT(struct distill, verify)},
    {"blas", 0, "LIB", "with --verify: a library; default: the recorded one and all that are installed",
     kt_replay_take_blas, offsetof(struct distill, replay)},
    {"budget", 0, "SECONDS", "with --verify: time for all replays; default 120", kt_replay_take_budget,
     offsetof(struct distill, replay.budget)},
    {KT_VERB_JSON(struct distill, json)},
    {KT_VERB_CSV(struct distill, json)},
    {0},
};

static const struct kt_field distill_fields[] = {
    {"path", KT_AS_TEXT, .meaning = "the workload"},
    {"bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "its size"},
    {"calls", KT_AS_COUNT, .meaning = "outermost calls that have returned"},
    {"seconds", KT_AS_SECONDS, .meaning = "their time"},
    {"shapes", KT_AS_COUNT, .meaning = "their shapes"},
    {"shapes_kept", KT_AS_COUNT, .meaning = "shapes that are counted one by one"},
    {"calls_single", KT_AS_COUNT, .meaning = "calls that are single ones, in windows of the sequence"},
    {"seconds_single", KT_AS_SECONDS, .meaning = "their time"},
    {"calls_not_represented", KT_AS_COUNT, .meaning = "calls that are counted by routine only, or not at all"},
    {"seconds_not_represented", KT_AS_SECONDS, .meaning = "their time"},
    {"calls_without_shape", KT_AS_COUNT, .meaning = "of these, calls whose shapes the trace itself does not tell"},
    {"seconds_without_shape", KT_AS_SECONDS, .meaning = "their time"},
    {0}};

const struct kt_document kt_document_distill = {
    .verb = "distill", .what = "ktrace distill --json", .version = 1, .field = distill_fields};

/* --- making one ------------------------------------------------------------------------------------------------ */

static json_t *made_json(const char *path, const struct kt_distilled *made)
{
    return json_pack("{s:o, s:I, s:I, s:f, s:I, s:I, s:I, s:f, s:I, s:f, s:I, s:f}", "path", kt_json_text(path),
                     "bytes", (json_int_t)made->bytes, "calls", (json_int_t)made->calls, "seconds", made->seconds,
                     "shapes", (json_int_t)made->shapes, "shapes_kept", (json_int_t)made->kept, "calls_single",
                     (json_int_t)made->windowed, "seconds_single", made->windowed_seconds, "calls_not_represented",
                     (json_int_t)made->uncounted, "seconds_not_represented", made->uncounted_seconds,
                     "calls_without_shape", (json_int_t)made->shapeless, "seconds_without_shape",
                     made->shapeless_seconds);
}

/* Why shapes are not in the file, and calls of no shape that the trace tells. */
static void print_left_out(const struct kt_distilled *made)
{
    char share[16], number[16];
    const double of = made->seconds > 0 ? 1 / made->seconds : 0;
    printf("not represented:%s of the time\n", kt_text_percent(of * made->uncounted_seconds, share));
    if (made->shapeless)
        printf(" %s: the trace itself counts %s by routine only, without %s\n",
               kt_text_percent(of * made->shapeless_seconds, share), KT_COUNT(made->shapeless, "call"),
               kt_count_word((double)made->shapeless, "its shape", "their shapes"));
    if (made->kept == KT_DISTILL_SHAPES && made->kept < made->shapes)
        printf(" %s: shapes beyond the %s heaviest, the most that a workload has\n",
               kt_text_percent(of * (made->uncounted_seconds - made->shapeless_seconds), share),
               kt_text_count(KT_DISTILL_SHAPES, number));
    else if (made->kept < made->shapes)
        printf(" %s: shapes that there is no room for (--bytes)\n",
               kt_text_percent(of * (made->uncounted_seconds - made->shapeless_seconds), share));
}

static void print_made(const struct distill *o, const struct kt_distilled *made)
{
    char bytes[32], seconds[16], kept[16];
    if (o->json) {
        kt_document_print(&kt_document_distill, made_json(o->output, made));
        return;
    }
    printf("%s: %s, stands for %s that took %s\n", o->output,
           kt_text_rate((double)made->bytes, "B", bytes, sizeof bytes), KT_COUNT(made->calls, "call"),
           kt_text_seconds(made->seconds, seconds));
    printf("%s, %s of %s\n", KT_COUNT(made->windowed, "single call"), kt_text_count((double)made->kept, kept),
           KT_COUNT(made->shapes, "shape"));
    print_left_out(made);
    printf("every verb takes it as a trace; next: ktrace distill --show %s\n", o->output);
}

static enum kt_status make(const struct distill *o, char *const *path, size_t paths, struct kt_error *error)
{
    struct kt_trace trace;
    struct kt_new_file file = {.file = -1};
    struct kt_distilled made;
    enum kt_status status = kt_trace_open_all(path, paths, &trace, error);
    for (size_t i = 0; i < trace.notes && status == KT_OK; i++)
        kt_notice("%s", trace.note[i]);
    if (status == KT_OK)
        status = kt_new_file_create(o->output, KT_NEW_NAMELESS, &file, error);
    if (status == KT_OK)
        status = kt_distill(&trace, &o->options, file.file, o->output, &made, error);
    if (status == KT_OK)
        status = kt_new_file_publish(&file, error);
    if (status == KT_OK)
        print_made(o, &made);
    kt_new_file_close(&file);
    kt_trace_close(&trace);
    return status;
}

/* --- one that is there ----------------------------------------------------------------------------------------- */

static enum kt_status open_workload(const char *path, struct kt_trace *out, struct kt_error *error)
{
    KT_TRY(kt_trace_open(path, out, error));
    return kt_is_workload(out)
               ? KT_OK
               : kt_fail(error, KT_BAD_INPUT, "%s: is a trace, not a workload; ktrace distill makes one", path);
}

static enum kt_status show(const struct distill *o, const char *path, struct kt_error *error)
{
    struct kt_trace workload;
    enum kt_status status = open_workload(path, &workload, error);
    if (status == KT_OK && o->json)
        kt_document_print(&kt_document_distill_show, kt_workload_show_json(&workload));
    else if (status == KT_OK)
        kt_workload_show_print(&workload);
    kt_trace_close(&workload);
    return status;
}

static enum kt_status verify(const struct distill *o, const char *path, struct kt_error *error)
{
    struct kt_trace workload;
    const char *blas[KT_MAX_LIBRARIES + 1] = {NULL};
    json_t *verdict = NULL;
    memcpy(blas, o->replay.blas, o->replay.libraries * sizeof *blas);
    const struct kt_verdict_options options = {o->verify, path, blas, o->replay.budget};
    enum kt_status status = open_workload(path, &workload, error);
    kt_trace_close(&workload);
    KT_TRY(status);
    KT_TRY(kt_workload_verdict_find(&options, &verdict, error));
    if (o->json)
        kt_document_print(&kt_document_distill_verify, json_incref(verdict));
    else
        kt_workload_verdict_print(verdict);
    status = kt_workload_verdict_keep(path, verdict, error); /* what was found is told, whatever becomes of that */
    json_decref(verdict);
    return status;
}

/* --- the verb -------------------------------------------------------------------------------------------------- */

static enum kt_status check(const struct distill *o, int arguments, struct kt_error *error)
{
    bool is_there = o->show || o->verify;
    if (o->show && o->verify)
        return kt_fail(error, KT_USAGE, "--show or --verify, not both");
    if (is_there && o->output)
        return kt_fail(error, KT_USAGE, "-o is for a workload that is to be made");
    if (!arguments)
        return kt_fail(error, KT_USAGE, is_there ? "which workload?" : "which trace?");
    if (is_there && arguments > 1)
        return kt_fail(error, KT_USAGE, "one workload at a time");
    if (!is_there && !o->output)
        return kt_fail(error, KT_USAGE, "where to? -o names the file");
    if (!o->verify && (o->replay.libraries || o->has_budget))
        return kt_fail(error, KT_USAGE, "--blas and --budget are for --verify");
    return KT_OK;
}

static enum kt_status run(int argc, char **argv, struct kt_error *error)
{
    static const double default_budget = 120;
    struct distill o = {.options = {.bytes = 100000, .seconds = 2}};
    KT_TRY(kt_verb_take_options(argc, argv, kt_verb_distill_options, &o, error));
    o.has_budget = o.replay.budget > 0;
    KT_TRY(check(&o, argc - optind, error));
    o.replay.budget = o.has_budget ? o.replay.budget : default_budget;
    if (o.show)
        return show(&o, argv[optind], error);
    if (o.verify)
        return verify(&o, argv[optind], error);
    return make(&o, argv + optind, (size_t)(argc - optind), error);
}

int kt_verb_distill(int argc, char **argv)
{
    struct kt_error error = {0};
    if (run(argc, argv, &error) == KT_USAGE)
        return kt_verb_usage("distill", "%s", error.text);
    return error.status == KT_OK ? KT_OK : kt_verb_fail("distill", &error);
}
