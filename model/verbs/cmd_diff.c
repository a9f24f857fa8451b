/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace diff: what changed between two runs of an application.
 */
#include "model/html/html.h"
#include "model/verbs/cmd_results.h"
#include "model/verbs/diff_runs.h"
#include "trace/command/document.h"
#include "model/report/diff_markdown.h"
#include "trace/command/about.h"
#include "trace/command/shape_source.h"
#include "trace/command/state_json.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const side_name[2] = {"before", "after"};

struct options {
    bool json, markdown, absolute, results;
    const char *html;          /* a file; NULL: no page */
    size_t top;                /* rows; 0: not given */
    double margin, fail_above; /* below 0: not given */
    struct kt_diff_limits limits;
};

/* --- the command line -------------------------------------------------------------------------------------- */

static enum kt_status take_rows(const struct kt_verb_option *option, const char *value, void *out,
                                struct kt_error *error)
{
    char *end;
    double rows = strtod(value, &end);
    if (end == value || *end || !(rows >= 1 && rows <= 1e6))
        return kt_fail(error, KT_USAGE, "--%s %s: expected a number from 1 on", option->name, value);
    *(size_t *)out = (size_t)rows;
    return KT_OK;
}

const struct kt_verb_option kt_verb_diff_options[] = {
    {"margin", 0, "PERCENT", "smaller changes of a shape do not count; default 3",
     KT_VERB_PERCENT(struct options, margin)},
    {"fail-above", 0, "PERCENT",
     "exit status 1 only if a shape or the total is slower by more than that, with its whole interval",
     KT_VERB_PERCENT(struct options, fail_above)},
    {"markdown", 0, NULL, "a table for a comment on a change of the program", KT_VERB_FLAG(struct options, markdown)},
    {"html", 0, "FILE", "also one file for a browser: the report of AFTER with what changed",
     KT_VERB_TEXT(struct options, html)},
    {"absolute", 0, NULL, "do not remove the factor that all shapes have in common",
     KT_VERB_FLAG(struct options, absolute)},
    {"results", 0, NULL,
     "compare results instead of times: the first call with equal inputs and different outputs (needs "
     "KTRACE_CHECKSUM=in,out)",
     KT_VERB_FLAG(struct options, results)},
    {"top", 0, "N", "rows of each table; default 15", take_rows, offsetof(struct options, top)},
    {KT_VERB_JSON(struct options, json)},
    {KT_VERB_CSV(struct options, json)},
    {0},
};

static int parse_arguments(int argc, char **argv, struct options *out)
{
    enum { NOT_GIVEN = -1, USUAL_ROWS = 15 };
    *out = (struct options){.margin = NOT_GIVEN, .fail_above = NOT_GIVEN, .limits = kt_diff_usual};
    int wrong = kt_verb_parse(argc, argv, kt_verb_diff_options, out);
    if (wrong)
        return wrong;
    if (out->results &&
        (out->absolute || out->top || out->margin >= 0 || out->fail_above >= 0 || out->markdown || out->html))
        return kt_verb_usage(argv[0], "--results compares no times: no other option but --json goes with it");
    if (out->json && out->markdown)
        return kt_verb_usage(argv[0], "--json or --markdown, not both");
    if (out->margin >= 0)
        out->limits.margin = out->margin;
    if (!out->top)
        out->top = USUAL_ROWS;
    return argc - optind == 2 ? 0 : kt_verb_usage(argv[0], "which two traces?");
}

/* --- the runs ---------------------------------------------------------------------------------------------- */

static const char *meta_of(const struct kt_trace *trace, const char *key)
{
    const char *value = trace->processes ? kt_meta(&trace->process[0], key) : NULL;
    return value ? value : "";
}

/* A library of the second run that the first did not use, in the same build. */
static bool has_library(const struct kt_trace *trace, const struct kt_object *object)
{
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].objects; i++) {
            const struct kt_object *o = &trace->process[p].object[i];
            if (o->is_library && !strcmp(o->build_id, object->build_id) && !strcmp(o->version, object->version) &&
                o->threads == object->threads && (*o->build_id || !strcmp(o->path, object->path)))
                return true;
        }
    return false;
}

static bool same_libraries(const struct kt_trace *a, const struct kt_trace *b)
{
    for (size_t p = 0; p < b->processes; p++)
        for (size_t i = 0; i < b->process[p].objects; i++)
            if (b->process[p].object[i].is_library && !has_library(a, &b->process[p].object[i]))
                return false;
    return true;
}

static const char *what_differs(const struct kt_diff_runs *r, bool absolute)
{
    if (absolute)
        return "--absolute";
    if (!same_libraries(&r->trace[0], &r->trace[1]) || !same_libraries(&r->trace[1], &r->trace[0]))
        return "the libraries differ";
    if (strcmp(meta_of(&r->trace[0], "cpu_model"), meta_of(&r->trace[1], "cpu_model")) != 0)
        return "the machines differ";
    return NULL;
}

static enum kt_status open_run(struct kt_diff_runs *r, int side, char *path, struct kt_error *error)
{
    KT_TRY(kt_trace_open(path, &r->trace[side], error));
    kt_state_find(&r->trace[side], &r->state[side]);
    kt_shapes_collect(&r->trace[side], KT_OUTERMOST, &r->shapes[side]);
    for (size_t p = 0; p < r->trace[side].processes; p++)
        r->wall[side] += r->trace[side].process[p].seconds;
    r->incomplete[side] = strcmp(kt_state_text(&r->trace[side]), "complete") != 0;
    if (r->shapes[side].count == 0)
        return kt_fail(error, KT_BAD_INPUT, "%s holds no outermost call that has returned", path);
    return KT_OK;
}

static void close_runs(struct kt_diff_runs *r)
{
    kt_diff_free(&r->diff);
    kt_callers_free(r->callers);
    for (int side = 0; side < 2; side++) {
        free(r->source[side]);
        kt_shapes_free(&r->shapes[side]);
        kt_state_free(&r->state[side]);
        kt_trace_close(&r->trace[side]);
    }
}

/* --- text -------------------------------------------------------------------------------------------------- */

static const char *factor(double value, char out[32])
{
    snprintf(out, 32, isnan(value) ? "n/a" : "%.3f", value);
    return out;
}

/* Once; with its file where the other run has one of that name which is another. */
static void print_library(const struct kt_process *process, size_t i, const struct kt_trace *other)
{
    const struct kt_object *object = &process->object[i];
    char name[128];
    bool is_ambiguous = false;
    kt_about_library_kind(object, name, sizeof name);
    for (size_t p = 0; p < other->processes && !has_library(other, object); p++)
        is_ambiguous |= kt_about_has_kind(&other->process[p], other->process[p].objects, name);
    if (is_ambiguous)
        kt_about_line("", "%s, %s", name, object->path);
    else if (!kt_about_has_kind(process, i, name))
        kt_about_line("", "%s", name);
}

static void print_side(const struct kt_diff_runs *r, int side)
{
    const struct kt_process *first = &r->trace[side].process[0];
    char blas[16];
    char rest[16];
    kt_about_line(side_name[side], "%s%s", r->trace[side].path, r->incomplete[side] ? " (not complete)" : "");
    for (size_t i = 0; i < first->objects; i++)
        if (first->object[i].is_library)
            print_library(first, i, &r->trace[!side]);
    kt_about_line("", "%s in BLAS and LAPACK, %s in the rest", kt_text_seconds(r->diff.total[side], blas),
                  kt_text_seconds(fmax(r->wall[side] - r->diff.total[side], 0), rest));
    if (r->shapes[side].processor >= 0)
        kt_about_line("", "most of its calls' time on processor %d", r->shapes[side].processor);
    kt_about_missing(&r->trace[side], &r->state[side]);
}

static void print_drift(const struct kt_diff_runs *r, double margin)
{
    const struct kt_diff *d = &r->diff;
    char drift[32];
    char rest[32];
    if (isnan(d->drift))
        kt_about_line("drift", "n/a: too few shapes to tell the machine's from theirs");
    else
        kt_about_line("drift", "x %s of all shapes, %s; rest of the program x %s", factor(d->drift, drift),
                      d->drift_out ? "taken out below" : "not taken out", factor(kt_diff_rest_ratio(r), rest));
    if (r->why)
        kt_about_line("", "times are compared as they are: %s", r->why);
    kt_about_line("margin", "changes below %.1f %% do not count%s", 100 * expm1(d->margin),
                  d->margin > log1p(margin) + 1e-9 ? ": so much do shapes differ anyway" : "");
}

static const char *ratio_text(const struct kt_diff *d, const struct kt_diff_shape *s, char out[32])
{
    if (isnan(s->ratio))
        snprintf(out, 32, "-");
    else
        kt_text_ratio(s->ratio / kt_diff_drift(d), out);
    return out;
}

static void print_shape(struct kt_text_table *table, const struct kt_diff *d, const struct kt_diff_shape *s)
{
    char calls[2][16];
    char time[2][16];
    char ratio[32];
    for (int side = 0; side < 2; side++) {
        snprintf(calls[side], sizeof calls[side], "-");
        snprintf(time[side], sizeof time[side], "-");
        if (s->side[side].calls) {
            kt_text_count((double)s->side[side].calls, calls[side]);
            kt_text_seconds(s->side[side].stat.median, time[side]);
        }
    }
    bool same_number = s->side[0].calls == s->side[1].calls || !s->side[1].calls;
    kt_text_table_row(table, (const char *const[]){kt_change_name[s->change], s->routine, s->text,
                                                   same_number ? calls[0] : calls[1], time[0], time[1],
                                                   ratio_text(d, s, ratio)});
}

static void print_shapes(const struct kt_diff *d, bool changed, size_t top)
{
    static const struct kt_column column[] = {
        {"change", false, false}, {"routine", false, true}, {"shape", false, true}, {"calls", true, false},
        {"before", true, false},  {"after", true, false},   {"ratio", true, false}};
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    size_t from = changed ? 0 : d->changed;
    size_t to = changed ? d->changed : d->shapes;
    for (size_t i = from; i < to && i < from + top; i++)
        print_shape(table, d, &d->shape[i]);
    printf("\n");
    kt_heading(changed ? "Shapes that changed" : "Shapes that did not change, or of which that cannot be told");
    kt_text_table_print(table);
    kt_text_table_free(table);
    if (to > from + top)
        printf("... and %zu more: --top N, --json\n", to - from - top);
}

static void print_routine(struct kt_text_table *table, const struct kt_diff_routine *r)
{
    char calls[2][16];
    char time[2][16];
    char ratio[32] = "-";
    char changed[32];
    for (int side = 0; side < 2; side++) {
        kt_text_count((double)r->calls[side], calls[side]);
        kt_text_seconds(r->total[side], time[side]);
    }
    if (r->total[0] > 0 && r->total[1] > 0)
        kt_text_ratio(r->total[1] / r->total[0], ratio);
    snprintf(changed, sizeof changed, "%d", r->changed);
    kt_text_table_row(table, (const char *const[]){r->name, calls[0], calls[1], time[0], time[1], ratio, changed});
}

static void print_routines(const struct kt_diff *d, size_t top)
{
    static const struct kt_column column[] = {
        {"routine", false, true}, {"calls", true, false}, {"after", true, false},         {"total", true, false},
        {"after", true, false},   {"ratio", true, false}, {"shapes changed", true, false}};
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < d->routines && i < top; i++)
        print_routine(table, &d->routine[i]);
    printf("\n");
    kt_heading("Routines, total time as it was");
    kt_text_table_print(table);
    kt_text_table_free(table);
    if (d->routines > top)
        printf("... and %zu more: --top N, --json\n", d->routines - top);
}

/* Routines of which all shapes together changed by more than the margin. */
static void print_common(const struct kt_diff *d)
{
    for (size_t i = 0; i < d->routines && d->drift_out; i++) {
        char times[16];
        double ratio = d->routine[i].drift / kt_diff_drift(d);
        if (fabs(log(ratio)) > d->margin)
            printf("All shapes of %s took %s times as long. That is the machine,\n"
                   "or what the program does between its calls. Two runs cannot tell; record both\n"
                   "again.\n",
                   d->routine[i].name, kt_text_ratio(ratio, times));
    }
}

/* One that other jobs or other tenants share is slower, and not by one factor for all routines. */
static void print_processors(const struct kt_diff_runs *r)
{
    int processor[2] = {r->shapes[0].processor, r->shapes[1].processor};
    if (processor[0] >= 0 && processor[1] >= 0 && processor[0] != processor[1])
        printf("The runs were on different processors, %d and %d, which may differ as well;\n"
               "with one thread \"taskset -c %d\" keeps both on one.\n",
               processor[0], processor[1], processor[0]);
}

static void print_verdict(const struct kt_diff *d, const struct kt_diff_limits *limits, double fail_above)
{
    char verdict[128];
    size_t number[KT_CHANGES] = {0};
    for (size_t i = 0; i < d->shapes; i++)
        number[d->shape[i].change]++;
    printf("\n");
    kt_heading("Result");
    printf("%zu slower, %zu faster, %zu new, %zu vanished. Of %zu tested shapes %zu are the same\n"
           "within %.1f %%; for %zu that cannot be told%s.\n",
           number[KT_SLOWER], number[KT_FASTER], number[KT_APPEARED], number[KT_VANISHED], d->tested, number[KT_SAME],
           100 * expm1(d->margin), number[KT_UNSURE], number[KT_UNSURE] ? ": more calls, or a quieter machine" : "");
    printf("%zu have too few calls to tell, %zu less than %.1f %% of the time.\n", number[KT_TOO_FEW], number[KT_SMALL],
           100 * limits->share);
    if (number[KT_UNLIKE])
        printf("%zu cannot be compared: in one run only all that nests in them was recorded, which\n"
               "made them longer (KTRACE_NESTED).\n",
               number[KT_UNLIKE]);
    print_common(d);
    if (fail_above >= 0) {
        kt_diff_verdict(d, fail_above, verdict, sizeof verdict);
        printf("%s\n", verdict);
    }
    printf("Times are medians as they happened, ratios without the drift; a change is more\n"
           "than chance and the margin would explain, at %.0f %% over all shapes.\n",
           100 * limits->level);
}

static void print_text(const struct kt_diff_runs *r, const struct options *options)
{
    kt_heading("Runs");
    print_side(r, 0);
    print_side(r, 1);
    print_drift(r, options->limits.margin);
    if (r->diff.changed)
        print_shapes(&r->diff, true, options->top);
    if (r->diff.changed < r->diff.shapes)
        print_shapes(&r->diff, false, options->top);
    print_routines(&r->diff, options->top);
    print_verdict(&r->diff, &options->limits, options->fail_above);
    print_processors(r);
}

/* --- the verb ---------------------------------------------------------------------------------------------- */

static void find_sources(struct kt_diff_runs *r)
{
    r->callers = kt_callers_new();
    for (int side = 0; side < 2; side++)
        r->source[side] = kt_shape_sources_find(&r->shapes[side], r->callers);
}

/* The page is the report of the run after, with what changed since the one before. */
static enum kt_status write_html(const struct kt_diff_runs *r, const struct kt_diff_told *told, const char *path,
                                 struct kt_error *error)
{
    struct kt_report report;
    char *trace = (char *)r->trace[1].path;
    enum kt_status status = kt_report_make(&trace, 1, &report, error);
    if (status == KT_OK) {
        json_t *diff = kt_diff_json(r, told);
        status = kt_html_write(&report, &(struct kt_html_more){.diff = diff}, path, error);
        json_decref(diff);
    }
    kt_report_free(&report);
    return status;
}

static enum kt_status print_runs(struct kt_diff_runs *r, const struct options *options, struct kt_error *error)
{
    if (options->json || options->markdown || options->html) /* the text names no lines, which take time to find */
        find_sources(r);
    struct kt_diff_told told = {&r->diff,
                                &options->limits,
                                r->shapes,
                                r->source,
                                r->why,
                                {r->incomplete[0], r->incomplete[1]},
                                options->fail_above,
                                options->top};
    if (options->html)
        KT_TRY(write_html(r, &told, options->html, error));
    if (options->json)
        kt_document_print(&kt_document_diff, kt_diff_json(r, &told));
    else if (options->markdown)
        kt_diff_markdown(&told);
    else
        print_text(r, options);
    return KT_OK;
}

/* The exit status. */
static int compare(struct kt_diff_runs *runs, char **trace, const struct options *options, struct kt_error *error)
{
    if (options->html)
        KT_TRY(kt_html_check(error));
    for (int side = 0; side < 2; side++)
        KT_TRY(open_run(runs, side, trace[side], error));
    runs->why = what_differs(runs, options->absolute);
    kt_diff_make(runs->shapes, !runs->why, &options->limits, &runs->diff);
    KT_TRY(print_runs(runs, options, error));
    bool finds = options->fail_above >= 0 ? kt_diff_fails(&runs->diff, options->fail_above) : runs->diff.changed > 0;
    return finds ? KT_FINDING : KT_OK;
}

int kt_verb_diff(int argc, char **argv)
{
    struct options options;
    struct kt_diff_runs runs = {0};
    struct kt_error error = {0};
    int status = parse_arguments(argc, argv, &options);
    if (status)
        return status;
    if (options.results)
        return kt_results_verb(argv[0], argv + optind, options.json);
    status = compare(&runs, argv + optind, &options, &error);
    close_runs(&runs);
    return error.status != KT_OK ? kt_verb_fail(argv[0], &error) : status;
}
