/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines: 3 or 4 of head, 1 of column heads, 2 for each of five places, 1 for the others, 1 of legend, at most three
 * findings of 2 and the next command: 24.
 */
#include "model/report/report_screen.h"

#include "model/report/heaviest.h"
#include "model/report/screen_findings.h"
#include "model/report/screen_parts.h"
#include "trace/print/screen.h"
#include "trace/shape/hosts.h"
#include "trace/shape/shape_words.h"
#include "trace/command/about.h"
#include "trace/print/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 5, CELL = 512 };

/* --- what ran ------------------------------------------------------------------------------------------------ */

void kt_report_screen_libraries(const struct kt_process *process, char *out, size_t size)
{
    size_t used = 0;
    snprintf(out, size, "no BLAS library was called");
    for (size_t i = 0; process && i < process->objects && used < size; i++) {
        char name[128];
        kt_about_library_kind(&process->object[i], name, sizeof name);
        if (process->object[i].is_library && !kt_about_has_kind(process, i, name))
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? "; " : "", name);
    }
}

/* Times of single calls tell it. */
void kt_report_screen_busy(const struct kt_report *report, char *out, size_t size)
{
    const double worth_words = 1.05;
    char share[16];
    char others[32] = "";
    double together = report->summary.seconds_blas / report->overlaps.busy;
    const char *of = report->trace.processes > 1 ? "all wall time" : "wall time";
    if (together >= worth_words)
        snprintf(others, sizeof others, ", then %.2g are", together);
    if (isnan(report->overlaps.busy))
        snprintf(out, size, "for how much of %s any is in a call is not known", of);
    else
        snprintf(out, size, "at least one thread is in a call for %s of %s%s",
                 kt_screen_percent(kt_report_blas_share(report), share), of, others);
}

/* Of all processes, in a run in which the longest took so many seconds of wall time. */
static double seconds_of_all(const struct kt_report *report, double wall)
{
    const struct kt_summary *summary = &report->summary;
    return summary->seconds > 0 ? wall * summary->seconds_all / summary->seconds : wall;
}

double kt_report_screen_share(const struct kt_report *report, double wall, double blas)
{
    return blas * (double)kt_state_sample(&report->trace) / seconds_of_all(report, wall);
}

void kt_report_screen_times(const struct kt_report *report, double wall, double blas)
{
    const uint64_t sample = kt_state_sample(&report->trace);
    const char *estimated = sample > 1 ? ", estimated" : "";
    char text[4][16];
    char processes[KT_ABOUT_PROCESSES];
    char busy[KT_SCREEN_WIDTH + 1];
    kt_text_seconds(blas * (double)sample, text[1]);
    kt_text_seconds(report->state.self_seconds, text[3]);
    kt_about_processes(&report->trace, processes);
    if (!kt_report_has_threads(report)) {
        const char *share = kt_screen_percent(kt_report_screen_share(report, wall, blas), text[2]);
        kt_screen_line("%s%s, %s %s (%s)%s; recording took %s", kt_text_seconds(seconds_of_all(report, wall), text[0]),
                       processes, *processes ? "BLAS and LAPACK" : "of which BLAS and LAPACK take", text[1], share,
                       estimated, text[3]);
        return;
    }
    kt_report_screen_busy(report, busy, sizeof busy);
    kt_screen_line("%s; %s in calls%s, %s added%s; recording took %s", kt_text_seconds(wall, text[0]), text[1],
                   processes, KT_COUNT(report->summary.threads.count, "thread"), estimated, text[3]);
    kt_screen_line("%s", busy);
}

static void print_hosts(const struct kt_report *report)
{
    struct kt_hosts hosts;
    char text[KT_HOSTS_TEXT];
    kt_hosts_find(&report->trace, &hosts);
    if (*kt_hosts_text(&hosts, text))
        kt_screen_line("%s", text);
    if (*kt_hosts_doubt(&hosts, text))
        kt_screen_line("! %s", text);
}

/* What keeps the numbers from being those of all calls. */
static void print_trust(const struct kt_report *report)
{
    uint64_t lost = 0;
    char text[2][16];
    const char *state = kt_state_text(&report->trace);
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        lost += report->state.lost[i];
    bool is_odd = strcmp(state, "complete") != 0 || lost || report->summary.unfinished || report->state.clock_note ||
                  report->state.implausible || report->partial || report->state.skipped || report->trace.notes;
    if (!is_odd)
        return;
    kt_screen_line("! trace %s; calls lost: %s, without an end: %s%s%s", state, kt_text_count((double)lost, text[0]),
                   kt_text_count((double)report->summary.unfinished, text[1]),
                   report->trace.notes     ? "; damaged"
                   : report->state.skipped ? "; some not recorded, as asked"
                                           : "",
                   report->state.clock_note || report->state.implausible ? "; doubtful times" : "");
}

void kt_report_screen_lost(const struct kt_report *report)
{
    static const double worth_words = 0.1;
    char share[16];
    double part = fmin(1, report->speed.all.lost / report->summary.seconds_blas);
    if (part > worth_words)
        kt_screen_line("! recorded calls waited for a processor for %s of their time: %s",
                       kt_screen_percent(part, share),
                       report->trace.processes > 1 ? "it was shared" : "others used it");
}

size_t kt_report_screen_runs(const struct kt_report *report)
{
    const json_t *replay = report->paths == 1 && report->replays == 1 ? report->from_replay[0].document : NULL;
    return json_array_size(json_object_get(json_object_get(replay, "again"), "runs"));
}

/* Whoever has seen the medians of other runs, too, has to know which of them this is. */
static void print_command(const struct kt_report *report)
{
    char command[CELL];
    size_t runs = kt_report_screen_runs(report);
    kt_about_command_text(report->summary.first, command, sizeof command);
    if (runs)
        kt_screen_line("recorded run (ktrace explain has medians of %zu more): %s", runs, command);
    else
        kt_screen_line("%s", command);
}

static void print_head(const struct kt_report *report)
{
    char libraries[CELL];
    print_command(report);
    kt_report_screen_times(report, report->summary.seconds, report->summary.seconds_blas);
    kt_report_screen_libraries(report->summary.first, libraries, sizeof libraries);
    kt_screen_line("%s; %s, %s", libraries, KT_COUNT(report->trace.processes, "process"),
                   KT_COUNT(report->state.threads, "thread"));
    print_hosts(report);
    print_trust(report);
    kt_report_screen_lost(report);
}

/* --- where --------------------------------------------------------------------------------------------------- */

static void print_parts(const struct kt_heavy *heavy, struct kt_screen_marks *marks)
{
    struct kt_screen_part_told part[KT_SCREEN_MARKS] = {{.sign = KT_SIGN_NONE}};
    for (int p = 0; p < KT_SCREEN_PARTS; p++)
        part[p] = (struct kt_screen_part_told){kt_screen_parts_time(&heavy->parts, p, heavy->seconds),
                                               kt_screen_parts_sign(&heavy->parts, p, heavy->seconds)};
    if (heavy->parts.shapes)
        kt_screen_parts_bar(part, marks);
    else
        kt_screen_bar(NULL, NULL, 0, " not replayed");
}

static void place_words(const struct kt_heavy *heavy, char where[CELL], char what[CELL])
{
    const char *routine = heavy->shape->first.entry->symbol.routine->name;
    snprintf(where, CELL, "unknown");
    if (heavy->place)
        kt_place_text(heavy->place, where, CELL);
    if (heavy->shapes == 1)
        kt_shape_words(&heavy->shape->first, heavy->shape->also, what, CELL);
    else
        snprintf(what, CELL, "%s, %s", routine, KT_COUNT(heavy->shapes, "shape"));
}

static void print_others(const struct kt_report *report, const struct kt_heavy *heavy, size_t count)
{
    char where[CELL];
    double calls = 0;
    double seconds = 0;
    for (size_t i = PLACES; i < count; i++) {
        calls += heavy[i].calls;
        seconds += heavy[i].seconds;
    }
    snprintf(where, sizeof where, "%s", KT_COUNT(count - PLACES, "other place"));
    kt_screen_place(where, "", calls, seconds, seconds / report->groups.seconds);
}

static void print_places(const struct kt_report *report, const struct kt_heavy *heavy, size_t count)
{
    struct kt_screen_marks marks = {.unknown = false};
    char where[CELL];
    char what[CELL];
    if (!count) {
        kt_screen_line("no call of BLAS or LAPACK was recorded");
        return;
    }
    kt_screen_head();
    for (size_t i = 0; i < count && i < PLACES; i++) {
        place_words(&heavy[i], where, what);
        kt_screen_place(where, what, heavy[i].calls, heavy[i].seconds, heavy[i].seconds / report->groups.seconds);
        if (report->replayed)
            print_parts(&heavy[i], &marks);
    }
    if (count > PLACES)
        print_others(report, heavy, count);
    kt_screen_parts_legend(&marks);
}

void kt_report_screen(const struct kt_report *report)
{
    struct kt_heavy *heavy;
    struct kt_screen_findings findings;
    size_t count = kt_heaviest_find(report, &heavy);
    print_head(report);
    print_places(report, heavy, count);
    const char *next = kt_screen_findings_find(report, heavy, count, &findings);
    kt_screen_print_findings(&findings);
    kt_screen_line("Next: ktrace %s %s", next, report->path[0]);
    free(heavy);
}
