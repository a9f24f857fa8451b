/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace report: prints what model/report/report.c worked out.
 */
#include "model/html/html.h"
#include "model/report/report_header.h"
#include "model/report/report_lists.h"
#include "model/report/report_parts.h"
#include "model/report/report_screen.h"
#include "model/report/report_subnormal.h"
#include "trace/command/field_csv.h"
#include "trace/read/profile.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_ROWS = 8 };

/* The tables that --by names, in one order; as text and as rows. */
#define TABLES "routine|shape|caller|line|path|region|thread|process|counter|rank|node|part"
static const struct table {
    kt_report_table *print;
    const struct kt_field *list;
} known_tables[] = {{kt_report_routines, kt_report_routine_list},   {kt_report_shapes, kt_report_shape_list},
                    {kt_report_callers, &kt_report_place_lists[0]}, {kt_report_lines, &kt_report_place_lists[1]},
                    {kt_report_paths, kt_report_path_list},         {kt_report_regions, kt_report_region_list},
                    {kt_report_threads, kt_report_thread_list},     {kt_report_processes, kt_report_process_list},
                    {kt_report_counters, kt_report_count_list},     {kt_report_ranks, kt_report_rank_fields},
                    {kt_report_nodes, kt_report_node_list},         {kt_report_parts, kt_report_part_lists}};

struct options {
    bool json, csv, all;
    const char *html;         /* a file; NULL: no page */
    const struct table *only; /* NULL: everything */
    size_t top;               /* 0: as many as usual */
};

/* --- all of it --------------------------------------------------------------------------------------------- */

/* Where there are too many calls of a shape to keep the duration of each. The shortest calls of a profile have no more
 * than an order of magnitude, and seldom matter. */
static void print_resolution(const struct kt_report *report)
{
    static const double worth_words = 0.01; /* of the time */
    double resolution = 0;
    for (size_t i = 0; i < report->groups.count; i++)
        if (report->groups.shape[i].total >= worth_words * report->groups.seconds)
            resolution = fmax(resolution, report->shape[i].insitu.resolution);
    if (resolution > 0)
        printf("Medians of many calls are from histograms: of shapes that matter good to %.1f %%.\n", 100 * resolution);
}

/* How long a call took that has not returned is not known, and it may be all of the time. The outermost one comes
 * first.
 */
static void print_next_of_a_death(const struct kt_report *report)
{
    const struct kt_call *call = &report->state.in_flight[0];
    printf("\nHow long the calls in flight took is not known: it is in no number above.\n");
    if (!kt_is_profile(&report->trace))
        printf("Next: ktrace repro --call %" PRIu64 " %s\n"
               "      prints a C program that makes the first of them\n",
               call->n, report->path[0]);
}

static void print_next(const struct kt_report *report)
{
    static const double worth_looking = 0.05;
    char share[16];
    kt_text_percent(kt_report_blas_share(report), share);
    if (report->state.in_flights > 0 && !strcmp(kt_state_text(&report->trace), "incomplete"))
        print_next_of_a_death(report);
    else if (kt_report_blas_share(report) < worth_looking)
        printf("\nThe time is not in BLAS and LAPACK:%s of wall time is all that faster calls\n"
               "could win. Where the rest goes a sampling profiler tells (perf, py-spy).\n"
               "Products that a language makes without BLAS are in it too: of integers, or of\n"
               "views in which no dimension is contiguous (NumPy).\n",
               share);
    else
        printf("\nNext: ktrace replay %s\n"
               "      times these calls warm and cold, to tell why they take as long as they do\n",
               report->path[0]);
}

static void print_legend(const struct kt_report *report)
{
    kt_heading("What the columns mean");
    printf("time with nested calls, self without them; share of all BLAS and LAPACK time,\n"
           "self %% of all self; median over the calls of a shape as they happened.\n");
    print_resolution(report);
    if (report->summary.estimated)
        printf("Calls, time and self of nested calls are estimates from the calls whose inside\n"
               "is recorded, +- the half of a 95 %% interval; ktrace run --nested all\n"
               "(KTRACE_NESTED=all) records all of them.\n");
    if (report->replayed) {
        printf("warm, cold: operands in cache, in memory; tracked: where the recorded calls left\n"
               "them; index 0: as fast as warm, 1: as slow as cold, above 1: something else than\n"
               "caches, n/a: warm and cold do not differ. Parts are of all calls together.\n");
        return;
    }
    print_next(report);
}

static void print_all(const struct kt_report *report, size_t top)
{
    kt_report_routines(report, top);
    printf("\n");
    kt_report_shapes(report, top);
    printf("\n");
    kt_report_callers(report, top);
    printf("\n");
    if (report->regions.count > 1 || report->regions.unmatched) {
        kt_report_regions(report, top);
        printf("\n");
    }
    if (report->counted.counters) {
        kt_report_counters(report, top);
        printf("\n");
    }
    if (report->imbalance.ranks.count > 1) {
        kt_report_ranks(report, top);
        printf("\n");
    } else if (report->summary.processes.count > 1) {
        kt_report_processes(report, top);
        printf("\n");
    }
    if (report->summary.threads.count > report->summary.processes.count) {
        kt_report_threads(report, top);
        printf("\n");
    }
    if (report->replayed) {
        kt_report_parts(report, top < PARTS_ROWS ? top : PARTS_ROWS);
        printf("\n");
    }
    kt_report_subnormals(report);
    print_legend(report);
}

static enum kt_status take_table(const struct kt_verb_option *option, const char *value, void *out,
                                 struct kt_error *error)
{
    int place = 0;
    KT_TRY(kt_verb_take_choice(option, value, &place, error));
    *(const struct table **)out = &known_tables[place];
    return KT_OK;
}

static enum kt_status take_count(const struct kt_verb_option *option, const char *value, void *out,
                                 struct kt_error *error)
{
    char *end;
    size_t *count = out;
    *count = strtoul(value, &end, 10);
    return *value >= '0' && *value <= '9' && !*end && *count > 0
               ? KT_OK
               : kt_fail(error, KT_USAGE, "--%s %s: expected a number above 0", option->name, value);
}

const struct kt_verb_option kt_verb_report_options[] = {
    {"all", 0, NULL, "every table", KT_VERB_FLAG(struct options, all)},
    {"top", 0, "N", "every table, with N rows; default 15", take_count, offsetof(struct options, top)},
    {"by", 0, TABLES, "only that table", take_table, offsetof(struct options, only)},
    {"html", 0, "FILE", "instead of text: one file with tables and figures for a browser, which needs no network",
     KT_VERB_TEXT(struct options, html)},
    {"csv", 0, NULL, "all rows of one table, comma-separated", KT_VERB_FLAG(struct options, csv)},
    {KT_VERB_JSON(struct options, json)},
    {0},
};

static int parse_options(int argc, char **argv, struct options *out)
{
    *out = (struct options){0};
    int wrong = kt_verb_parse(argc, argv, kt_verb_report_options, out);
    return wrong || optind < argc ? wrong : kt_verb_usage("report", "which trace?");
}

/* All rows of the table, that of routines if none was named. */
static void print_csv(const struct kt_report *report, const struct options *options)
{
    const struct kt_field *list = options->only ? options->only->list : kt_report_routine_list;
    json_t *rows = kt_field_list(list, &(struct kt_at){report, report, 0});
    kt_field_csv(list->of, rows);
    json_decref(rows);
}

static void print_report(const struct kt_report *report, const struct options *options)
{
    enum { USUAL_ROWS = 15 };
    size_t top = options->top ? options->top : USUAL_ROWS;
    if (!options->only && !options->all && !options->top) {
        kt_report_screen(report);
        return;
    }
    kt_report_header(report);
    printf("\n");
    if (options->only)
        options->only->print(report, top);
    else
        print_all(report, top);
}

static int write_html(const struct kt_report *report, const char *path)
{
    struct kt_error error = {0};
    if (kt_html_write(report, &(struct kt_html_more){0}, path, &error) != KT_OK)
        return kt_verb_fail("report", &error);
    kt_notice("%s: open it in a browser", path);
    return KT_OK;
}

int kt_verb_report(int argc, char **argv)
{
    struct options options;
    struct kt_error error = {0};
    struct kt_report report;
    int status = parse_options(argc, argv, &options);
    if (status != KT_OK)
        return status;
    if ((options.html && kt_html_check(&error) != KT_OK) ||
        kt_report_make(argv + optind, (size_t)(argc - optind), &report, &error) != KT_OK)
        status = kt_verb_fail("report", &error);
    else if (options.html && (status = write_html(&report, options.html)) != KT_OK)
        ; /* said */
    else if (options.json)
        kt_document_print(&kt_document_report, kt_report_json(&report));
    else if (options.csv)
        print_csv(&report, &options);
    else if (!options.html)
        print_report(&report, &options);
    kt_report_free(&report);
    return status;
}
