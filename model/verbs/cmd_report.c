/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace report: prints what model/report/report.c worked out. Whatever is missing from the trace is said before any
 * number.
 */
#include "model/summary/crowding.h"
#include "model/report/report_parts.h"
#include "model/report/report_subnormal.h"
#include "trace/command/about.h"
#include "trace/read/origin.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE = 68, PARTS_ROWS = 8 };

/* The tables that --by names. */
static const struct {
    const char *name;
    kt_report_table *print;
} known_tables[] = {{"routine", kt_report_routines}, {"shape", kt_report_shapes},     {"caller", kt_report_callers},
                    {"line", kt_report_lines},       {"path", kt_report_paths},       {"region", kt_report_regions},
                    {"thread", kt_report_threads},   {"counter", kt_report_counters}, {"rank", kt_report_ranks},
                    {"part", kt_report_parts}};

struct options {
    bool json;
    kt_report_table *only; /* NULL: everything */
    size_t top;
};

/* --- header ------------------------------------------------------------------------------------------------ */

static const char *plural(size_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

static const char *host_of(const struct kt_process *process)
{
    const char *host = kt_meta(process, "host");
    return host ? host : "an unknown host";
}

/* As long as the line can take. */
static void name_hosts(const struct kt_report *report, char *out, size_t size)
{
    const char *first = host_of(report->summary.first);
    bool others = false;
    for (size_t i = 0; i < report->trace.processes && !others; i++)
        others = strcmp(first, host_of(&report->trace.process[i])) != 0;
    snprintf(out, size, "%.14s%s", others ? "several hosts" : first, !others && strlen(first) > 14 ? ".." : "");
}

static void print_when(const struct kt_report *report)
{
    char when[64] = "at an unknown time";
    const struct kt_process *process = report->summary.first;
    const char *anchor = kt_meta(process, "anchor");
    char hosts[24];
    size_t processes = report->trace.processes;
    size_t threads = report->state.threads;
    long long realtime_ns;
    if (anchor && sscanf(anchor, "%*s %*s %lld", &realtime_ns) == 1) {
        time_t seconds = (time_t)(realtime_ns / 1000000000);
        struct tm tm;
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", localtime_r(&seconds, &tm));
    }
    name_hosts(report, hosts, sizeof hosts);
    kt_about_line("recorded", "%s on %s, %zu %s, %zu %s", when, hosts, processes,
                  plural(processes, "process", "processes"), threads, plural(threads, "thread", "threads"));
}

/* Of a trace with KTRACE_SAMPLE. */
static void print_estimate(const struct kt_summary *summary, uint64_t sample)
{
    const struct kt_estimate all = kt_summary_of_all(summary, sample);
    char text[4][16];
    char share[16];
    kt_text_percent(all.value / summary->seconds_all, share);
    kt_about_line("BLAS time", "%s in the %s calls of the sample", kt_text_seconds(summary->seconds_blas, text[0]),
                  kt_text_count((double)summary->calls_top, text[1]));
    kt_about_line("", "in all: %s (%s to %s),%s of wall time, estimated", kt_text_seconds(all.value, text[1]),
                  kt_text_seconds(all.lo, text[2]), kt_text_seconds(all.hi, text[3]), share);
}

static void print_crowding(const struct kt_crowding *crowding)
{
    if (!crowding->is_too_many)
        return;
    kt_about_line("crowded", "%zu threads in calls, each with %d of the library, on %d processors:", crowding->callers,
                  crowding->each, crowding->processors);
    kt_about_line("", "try fewer, such as with OPENBLAS_NUM_THREADS=1 (or OMP_, BLIS_, MKL_)");
}

static void print_times(const struct kt_report *report)
{
    const struct kt_summary *summary = &report->summary;
    const struct kt_crowding crowding = kt_crowding_find(&report->trace, summary);
    char wall[16];
    char blas[16];
    char share[16];
    char self[16];
    char before[16];
    kt_text_percent(summary->seconds_all > 0 ? summary->seconds_blas / summary->seconds_all : NAN, share);
    kt_about_line("wall time", "%s, %s before the first call; %s took %s", kt_text_seconds(summary->seconds, wall),
                  kt_text_seconds(summary->seconds_before, before),
                  report->state.self_is_clock ? "reading clocks" : "recording calls",
                  kt_text_seconds(report->state.self_seconds, self));
    uint64_t sample = kt_state_sample(&report->trace);
    if (sample > 1) {
        print_estimate(summary, sample);
        return;
    }
    kt_about_line("BLAS time", "%s in BLAS and LAPACK%s, %s of %s%s", kt_text_seconds(summary->seconds_blas, blas),
                  crowding.callers > report->trace.processes ? ", threads added" : "", share + strspn(share, " "),
                  report->trace.processes > 1 ? "the wall time of all processes" : "wall time",
                  summary->unfinished ? ", without calls in flight" : "");
    print_crowding(&crowding);
}

static void print_calls(const struct kt_summary *summary)
{
    char all[16];
    char top[16];
    char recorded[16];
    kt_about_line("calls", "%s outermost (by the application), %s with nested ones",
                  kt_text_count((double)summary->calls_top, top),
                  kt_text_count((double)(summary->calls + summary->passed), all));
    if (summary->passed)
        kt_about_line("", "%s of the nested ones are recorded, the others passed on",
                      kt_text_count((double)(summary->calls - summary->calls_top), recorded));
}

/* As many as make a part of the time that anybody would see: a hundred take 10 us to 1 ms. */
static void print_faults(const struct kt_shapes *groups)
{
    static const double worth_words = 100;
    char text[16];
    char of[16];
    double faults = 0;
    double calls = 0;
    for (size_t i = 0; i < groups->count; i++) {
        faults += groups->shape[i].faults;
        calls += (double)groups->shape[i].faults_known;
    }
    if (faults >= worth_words)
        kt_about_line("page faults", "%s in %s calls of which they were counted, the long ones",
                      kt_text_count(faults, text), kt_text_count(calls, of));
}

static void print_in_flight(const struct kt_state *state)
{
    for (size_t i = 0; i < state->in_flights; i++) {
        const struct kt_call *call = &state->in_flight[i];
        char shape[48];
        kt_shape_text(call, shape, sizeof shape - 1);
        kt_about_line("in flight", "%s %s", call->entry->symbol.name, shape);
    }
}

static bool may_run_elsewhere(const struct kt_trace *trace)
{
    for (size_t i = 0; i < trace->processes; i++)
        if (kt_process_may_run_elsewhere(&trace->process[i]))
            return true;
    return false;
}

/* A pool ends its workers by a signal while they wait: that is no crash. */
static void print_incomplete(const struct kt_report *report)
{
    const struct kt_trace *trace = &report->trace;
    size_t count = 0;
    for (size_t i = 0; i < trace->processes; i++)
        count += !trace->process[i].complete;
    kt_about_line("state", "incomplete: %zu of %zu %s %s %s", count, trace->processes,
                  plural(trace->processes, "process", "processes"),
                  may_run_elsewhere(trace)       ? "killed, crashed or still running on another machine"
                  : report->state.in_flights > 0 ? "killed or crashed in a call"
                                                 : "ended by a signal or _exit between calls",
                  "(all calls up to then are here)");
}

/* Silent only if nothing is missing. */
static void print_missing(const struct kt_report *report)
{
    const char *state = kt_state_text(&report->trace);
    char count[16];
    if (!strcmp(state, "running"))
        kt_about_line("state", "running: this is what was recorded so far");
    if (!strcmp(state, "incomplete"))
        print_incomplete(report);
    print_in_flight(&report->state);
    if (report->summary.unfinished)
        kt_about_line("unfinished", "%s calls have not returned: they are counted, but have no time",
                      kt_text_count((double)report->summary.unfinished, count));
    kt_about_losses(&report->trace, &report->state);
}

/* The part of the time that the program's own calls to it took. */
static double library_share(const struct kt_shapes *groups, const char *name)
{
    double seconds = 0;
    for (size_t i = 0; i < groups->count; i++)
        if (kt_about_is_of_kind(groups->shape[i].first.entry->library, name))
            seconds += groups->shape[i].total;
    return groups->seconds > 0 ? seconds / groups->seconds : 0;
}

/* A library in several files is named once. Where the program calls several, the name of each tells little. */
static void print_libraries(const struct kt_report *report)
{
    const struct kt_process *process = report->summary.first;
    for (size_t i = 0; i < process->objects; i++) {
        char name[128];
        char share[16];
        kt_about_library_kind(&process->object[i], name, sizeof name);
        if (!process->object[i].is_library || kt_about_has_kind(process, i, name))
            continue;
        double part = library_share(&report->groups, name);
        kt_text_percent(part, share);
        bool is_one_of_several = part > 0 && part < 0.9999;
        kt_about_line("library", "%s%s%s%s", name, is_one_of_several ? ": " : "",
                      is_one_of_several ? share + strspn(share, " ") : "", is_one_of_several ? " of BLAS time" : "");
    }
}

/* --- calls that failed --------------------------------------------------------------------------------------- */

/* Calls of the routine of the I-th shape that returned an info, and all of them; false: an earlier shape has it, too.
 */
static bool count_failed(const struct kt_shapes *groups, size_t i, uint64_t *failed, uint64_t *calls)
{
    const struct kt_routine *routine = groups->shape[i].first.entry->symbol.routine;
    *failed = *calls = 0;
    for (size_t j = 0; j < groups->count; j++) {
        const struct kt_shape_group *other = &groups->shape[j];
        if (strcmp(other->first.entry->symbol.routine->name, routine->name) != 0)
            continue;
        if (j < i && other->failed)
            return false;
        *failed += other->failed;
        *calls += other->query ? 0 : other->calls;
    }
    return true;
}

/* What LAPACK says with a negative info; LAPACKE has numbers of its own from -1010. */
static void print_failed(const struct kt_shapes *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        const struct kt_shape_group *group = &groups->shape[i];
        char argument[64] = "";
        char text[2][16];
        uint64_t failed;
        uint64_t calls;
        if (!group->failed || !count_failed(groups, i, &failed, &calls))
            continue;
        if (group->info < 0 && group->info > -1000)
            snprintf(argument, sizeof argument, ", argument %" PRId64 " is illegal", -group->info);
        kt_about_line("failed", "%s of %s calls of %s: %sinfo %" PRId64 "%s", kt_text_count((double)failed, text[0]),
                      kt_text_count((double)calls, text[1]), group->first.entry->symbol.routine->name,
                      failed > 1 ? "first " : "", group->info, argument);
    }
}

static void print_ranks(const struct kt_imbalance *imbalance)
{
    const struct kt_ranks *ranks = &imbalance->ranks;
    char ratio[16] = "n/a";
    if (ranks->count == 0)
        return;
    if (imbalance->all.mean > 0)
        snprintf(ratio, sizeof ratio, "%.2f", kt_balance_ratio(&imbalance->all));
    kt_about_ranks(ranks);
    kt_about_line("imbalance", "%s: the BLAS time of the busiest rank over the mean", ratio);
}

static void print_header(const struct kt_report *report)
{
    kt_heading("Trace");
    for (size_t i = 0; i < report->paths; i++)
        kt_about_line("trace", "%s", report->path[i]);
    kt_about_command(report->summary.first, LINE - 1);
    print_when(report);
    print_libraries(report);
    print_ranks(&report->imbalance);
    print_times(report);
    print_calls(&report->summary);
    print_faults(&report->groups);
    print_failed(&report->groups);
    kt_about_profile(&report->trace, &report->state);
    kt_about_selection(&report->trace, &report->state);
    print_missing(report);
    kt_about_clock(&report->state);
}

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

/* Part of the wall time that BLAS takes; all processes together, and of a sample what all calls are estimated to take.
 */
static double blas_share(const struct kt_report *report)
{
    const struct kt_summary *summary = &report->summary;
    double seconds = summary->seconds_blas * (double)kt_state_sample(&report->trace);
    return summary->seconds_all > 0 ? seconds / summary->seconds_all : NAN;
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
    kt_text_percent(blas_share(report), share);
    if (report->state.in_flights > 0 && !strcmp(kt_state_text(&report->trace), "incomplete"))
        print_next_of_a_death(report);
    else if (blas_share(report) < worth_looking)
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

static bool parse_table(const char *text, kt_report_table **out)
{
    for (size_t i = 0; i < sizeof known_tables / sizeof *known_tables; i++)
        if (!strcmp(text, known_tables[i].name)) {
            *out = known_tables[i].print;
            return true;
        }
    return false;
}

static bool parse_count(const char *text, size_t *out)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    *out = value;
    return *text >= '0' && *text <= '9' && *end == '\0' && value > 0;
}

static int parse_options(int argc, char **argv, struct options *out)
{
    struct kt_error error = {0};
    *out = (struct options){.top = 15};
    for (int option; (option = kt_verb_next_option(argc, argv, &error)) != -1;) {
        if (option == '?')
            return kt_verb_usage("report", "%s", error.text);
        if (option == 'j')
            out->json = true;
        if (option == 't' && !parse_count(optarg, &out->top))
            return kt_verb_usage("report", "--top %s: expected a number above 0", optarg);
        if (option == 'b' && !parse_table(optarg, &out->only))
            return kt_verb_usage(
                "report", "--by %s: expected routine, shape, caller, line, path, region, thread, counter, rank or part",
                optarg);
    }
    if (optind == argc)
        return kt_verb_usage("report", "which trace?");
    return KT_OK;
}

static json_t *document_of(const struct kt_report *report)
{
    json_t *document = kt_report_json(report);
    json_object_set_new(document, "subnormal", kt_report_subnormals_json(report));
    return document;
}

static void print_report(const struct kt_report *report, const struct options *options)
{
    print_header(report);
    printf("\n");
    if (options->only)
        options->only(report, options->top);
    else
        print_all(report, options->top);
}

int kt_verb_report(int argc, char **argv)
{
    struct options options;
    struct kt_error error = {0};
    struct kt_report report;
    int status = parse_options(argc, argv, &options);
    if (status != KT_OK)
        return status;
    if (kt_report_make(argv + optind, (size_t)(argc - optind), &report, &error) != KT_OK)
        status = kt_verb_fail("report", &error);
    else if (options.json)
        kt_json_print(document_of(&report));
    else
        print_report(&report, &options);
    kt_report_free(&report);
    return status;
}
