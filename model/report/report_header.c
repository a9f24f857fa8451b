/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whatever is missing from the trace is said before any number.
 */
#include "model/report/report_header.h"

#include "model/report/machine_states.h"
#include "model/report/report_screen.h"
#include "model/summary/crowding.h"
#include "trace/command/about.h"
#include "trace/print/screen.h"
#include "trace/print/text.h"
#include "trace/read/origin.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 68 };

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
    char when[64];
    char hosts[24];
    bool is_known = kt_about_when(report->summary.first, when, sizeof when);
    name_hosts(report, hosts, sizeof hosts);
    kt_about_line("recorded", "%s on %s, %s, %s", is_known ? when : "at an unknown time", hosts,
                  KT_COUNT(report->trace.processes, "process"), KT_COUNT(report->state.threads, "thread"));
}

/* Of a trace with KTRACE_SAMPLE. */
static void print_estimate(const struct kt_report *report, uint64_t sample)
{
    const struct kt_summary *summary = &report->summary;
    const struct kt_estimate all = kt_summary_of_all(summary, sample);
    char text[4][16];
    char share[48] = "threads added";
    if (!kt_report_has_threads(report))
        snprintf(share, sizeof share, "%s of wall time", kt_screen_percent(kt_report_blas_share(report), text[0]));
    kt_about_line("BLAS time", "%s in the %s of the sample", kt_text_seconds(summary->seconds_blas, text[0]),
                  KT_COUNT(summary->calls_top, "call"));
    kt_about_line("", "in all: %s (%s to %s), %s, estimated", kt_text_seconds(all.value, text[1]),
                  kt_text_seconds(all.lo, text[2]), kt_text_seconds(all.hi, text[3]), share);
}

static void print_crowding(const struct kt_crowding *crowding)
{
    if (*crowding->limit)
        kt_about_line("processors", "%s, library starts %s", crowding->limit, KT_COUNT(crowding->each, "thread"));
    if (!crowding->is_too_many)
        return;
    kt_about_line("crowded", "%s in calls, each with %d of the library, on %s:", KT_COUNT(crowding->callers, "thread"),
                  crowding->each, KT_COUNT(crowding->processors, "processor"));
    kt_about_line("", "try fewer, such as with OPENBLAS_NUM_THREADS=%d (or OMP_, BLIS_, MKL_)",
                  kt_crowding_advised(crowding));
}

/* Of several threads the sum of their times is told apart from the part of wall time. */
static void print_blas_time(const struct kt_report *report)
{
    const struct kt_summary *summary = &report->summary;
    const char *in_flight = summary->unfinished ? ", without calls in flight" : "";
    char blas[16];
    char share[16];
    char busy[KT_SCREEN_WIDTH + 1];
    kt_text_seconds(summary->seconds_blas, blas);
    if (!kt_report_has_threads(report)) {
        kt_about_line("BLAS time", "%s in BLAS and LAPACK, %s of %s%s", blas,
                      kt_screen_percent(kt_report_blas_share(report), share),
                      report->trace.processes > 1 ? "the wall time of all processes" : "wall time", in_flight);
        return;
    }
    kt_report_screen_busy(report, busy, sizeof busy);
    kt_about_line("BLAS time", "%s in BLAS and LAPACK, %s added%s;", blas, KT_COUNT(summary->threads.count, "thread"),
                  in_flight);
    kt_about_line("", "%s", busy);
}

static void print_times(const struct kt_report *report)
{
    const struct kt_summary *summary = &report->summary;
    const struct kt_crowding crowding = kt_crowding_find(&report->trace, summary);
    char wall[16];
    char self[16];
    char before[16];
    kt_about_line("wall time", "%s, %s before the first call; %s took %s", kt_text_seconds(summary->seconds, wall),
                  kt_text_seconds(summary->seconds_before, before),
                  report->state.self_is_clock ? "reading clocks" : "recording calls",
                  kt_text_seconds(report->state.self_seconds, self));
    uint64_t sample = kt_state_sample(&report->trace);
    if (sample > 1) {
        print_estimate(report, sample);
        return;
    }
    print_blas_time(report);
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
    double faults = 0;
    double calls = 0;
    for (size_t i = 0; i < groups->count; i++) {
        faults += groups->shape[i].faults;
        calls += (double)groups->shape[i].faults_known;
    }
    if (faults >= worth_words)
        kt_about_line("page faults", "%s in %s of which they were counted, the long ones", kt_text_count(faults, text),
                      KT_COUNT(calls, "call"));
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
    kt_about_line("state", "incomplete: %zu of %s %s %s", count, KT_COUNT(trace->processes, "process"),
                  may_run_elsewhere(trace)       ? "killed, crashed or still running on another machine"
                  : report->state.in_flights > 0 ? "killed or crashed in a call"
                                                 : "ended by a signal or _exit between calls",
                  "(all calls up to then are here)");
}

/* Silent only if nothing is missing. */
static void print_missing(const struct kt_report *report)
{
    const char *state = kt_state_text(&report->trace);
    if (!strcmp(state, "running"))
        kt_about_line("state", "running: this is what was recorded so far");
    if (!strcmp(state, "incomplete"))
        print_incomplete(report);
    print_in_flight(&report->state);
    if (report->summary.unfinished)
        kt_about_line("unfinished", "%s not returned: counted, but without time",
                      KT_COUNT(report->summary.unfinished, "call"));
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
        char text[16];
        uint64_t failed;
        uint64_t calls;
        if (!group->failed || !count_failed(groups, i, &failed, &calls))
            continue;
        if (group->info < 0 && group->info > -1000)
            snprintf(argument, sizeof argument, ", argument %" PRId64 " is illegal", -group->info);
        kt_about_line("failed", "%s of %s of %s: %sinfo %" PRId64 "%s", kt_text_count((double)failed, text),
                      KT_COUNT(calls, "call"), group->first.entry->symbol.routine->name, failed > 1 ? "first " : "",
                      group->info, argument);
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

void kt_report_header(const struct kt_report *report)
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
    kt_machine_states_print(report);
    print_faults(&report->groups);
    print_failed(&report->groups);
    kt_about_profile(&report->trace, &report->state);
    kt_about_selection(&report->trace, &report->state);
    print_missing(report);
    kt_about_clock(&report->state);
    kt_about_hosts(&report->trace);
}
