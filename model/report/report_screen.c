/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines: 3 or 4 of head, 1 of column heads, 2 for each of five places, 1 for the others, 1 of legend, at most three
 * findings of 2 and the next command: 24.
 */
#include "model/report/report_screen.h"

#include "model/report/heaviest.h"
#include "model/report/part_words.h"
#include "model/report/report_tables.h"
#include "trace/print/screen.h"
#include "trace/shape/shape_words.h"
#include "model/summary/busy.h"
#include "model/summary/crowding.h"
#include "trace/command/about.h"
#include "trace/print/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 5, FINDINGS = 3, CELL = 512 };

/* MACHINE is a part of what the decomposition calls the residual. */
enum part { BOUND, LIBRARY, CACHE, MACHINE, REST, UNSPLIT, PARTS };
static const char marks[] = "#=~+.*";
static const char *const part_name[PARTS] = {"hardware", "library", "cache", "machine", "rest", "cache or rest"};

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

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

double kt_report_blas_share(const struct kt_report *report)
{
    const struct kt_summary *summary = &report->summary;
    double seconds = summary->seconds_blas * (double)kt_state_sample(&report->trace);
    return summary->seconds_all > 0 ? seconds / summary->seconds_all : NAN;
}

/* Of several threads in calls at a time the sum of their times is no part of the wall time. */
static void print_times(const struct kt_report *report)
{
    const struct kt_summary *summary = &report->summary;
    uint64_t sample = kt_state_sample(&report->trace);
    size_t processes = report->trace.processes;
    bool threads = summary->threads.count > processes;
    char text[5][16];
    kt_text_seconds(summary->seconds, text[0]);
    kt_text_seconds((double)sample * summary->seconds_blas, text[1]);
    kt_text_seconds(report->state.self_seconds, text[3]);
    if (!threads) {
        kt_screen_line("%s, of which BLAS and LAPACK take %s (%s)%s; recording took %s", text[0], text[1],
                       kt_screen_percent(kt_report_blas_share(report), text[2]),
                       sample > 1      ? ", estimated"
                       : processes > 1 ? ", processes added"
                                       : "",
                       text[3]);
        return;
    }
    double busy = kt_busy_seconds(&report->trace) / summary->seconds_all;
    kt_screen_line("%s; %s in calls, %zu threads added; recording took %s", text[0], text[1], summary->threads.count,
                   text[3]);
    if (!isnan(busy))
        kt_screen_line("BLAS or LAPACK run in at least one thread for %s of %s", kt_screen_percent(busy, text[2]),
                       processes > 1 ? "the wall time of all processes" : "wall time");
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

static void print_head(const struct kt_report *report)
{
    char libraries[CELL];
    char command[CELL];
    size_t processes = report->trace.processes;
    size_t threads = report->state.threads;
    kt_about_command_text(report->summary.first, command, sizeof command);
    kt_screen_line("%s", command);
    print_times(report);
    kt_report_screen_libraries(report->summary.first, libraries, sizeof libraries);
    kt_screen_line("%s; %zu process%s, %zu thread%s", libraries, processes, processes == 1 ? "" : "es", threads,
                   plural(threads));
    print_trust(report);
}

/* --- where --------------------------------------------------------------------------------------------------- */

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

/* As parts of SECONDS. */
static void find_parts(const struct kt_decomposition *d, double seconds, double part[PARTS])
{
    double beyond = known(d->residual.value) + known(d->unsplit.value);
    double machine = fmin(fmax(known(d->machine.value), 0), fmax(beyond, 0));
    part[BOUND] = d->bound.value / seconds;
    part[LIBRARY] = d->library.value / seconds;
    part[CACHE] = d->cache.value / seconds;
    part[MACHINE] = machine / seconds;
    part[REST] = (d->residual.value - fmin(machine, fmax(known(d->residual.value), 0))) / seconds;
    part[UNSPLIT] = known(d->unsplit.value) / seconds;
}

/* Parts of less than that are not told of the whole program. */
static const double worth_words = 0.1;

static struct kt_time part_of(const struct kt_decomposition *d, int part, double seconds)
{
    const struct kt_time *const time[PARTS] = {
        [BOUND] = &d->bound,     [LIBRARY] = &d->library, [CACHE] = &d->cache,
        [MACHINE] = &d->machine, [REST] = &d->residual,   [UNSPLIT] = &d->unsplit};
    const struct kt_time *of = time[part];
    double value[PARTS];
    find_parts(d, seconds, value);
    return (struct kt_time){value[part], value[part] - (of->value - of->lo) / seconds,
                            value[part] + (of->hi - of->value) / seconds};
}

/* Where the replays were slower than the program by more than WORTH_WORDS, they met the machine in another state, and
 * nothing is known of any part. */
static bool is_told(const struct kt_decomposition *d, int part, double seconds)
{
    struct kt_time of = part_of(d, part, seconds);
    bool is_slower = known(d->residual.value) + known(d->unsplit.value) < -worth_words * seconds;
    return !is_slower && !kt_decomposition_is_unclear(d) && kt_part_is_told(&of);
}

/* Those that are worth room. */
static void print_parts(const struct kt_heavy *heavy)
{
    static const double worth_room = 0.02;
    double part[PARTS];
    char text[CELL] = "";
    size_t used = 0;
    find_parts(&heavy->parts, heavy->seconds, part);
    for (int p = 0; p < PARTS; p++) {
        struct kt_time of = part_of(&heavy->parts, p, heavy->seconds);
        bool told = is_told(&heavy->parts, p, heavy->seconds);
        if (fabs(part[p]) >= worth_room)
            used += kt_part_words(marks[p], &of, told, text + used, sizeof text - used);
        part[p] = told ? part[p] : 0;
    }
    kt_screen_bar(part, marks, PARTS, heavy->parts.shapes ? text : " not replayed");
}

static void place_words(const struct kt_heavy *heavy, char where[CELL], char what[CELL])
{
    const char *routine = heavy->shape->first.entry->symbol.routine->name;
    snprintf(where, CELL, "unknown");
    if (heavy->place)
        kt_place_text(heavy->place, where, CELL);
    if (heavy->shapes == 1)
        kt_shape_words(&heavy->shape->first, what, CELL);
    else
        snprintf(what, CELL, "%s, %zu shapes", routine, heavy->shapes);
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
    snprintf(where, sizeof where, "%zu other place%s", count - PLACES, plural(count - PLACES));
    kt_screen_place(where, "", calls, seconds, seconds / report->groups.seconds);
}

static void print_places(const struct kt_report *report, const struct kt_heavy *heavy, size_t count)
{
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
            print_parts(&heavy[i]);
    }
    if (count > PLACES)
        print_others(report, heavy, count);
    if (report->replayed)
        kt_screen_line("  |%s| %s, %s, %s, %s, %s, %s, ?: unknown", marks, part_name[0], part_name[1], part_name[2],
                       part_name[3], part_name[4], part_name[5]);
}

/* --- what it means ------------------------------------------------------------------------------------------- */

static const char *const meaning[PARTS] = {
    [BOUND] = "is what this machine needs at best: fewer operations or lower precision would help, no library would",
    [LIBRARY] = "is what the library adds to what the hardware needs: the most that another library could win",
    [CACHE] = "is waiting for operands that were not in cache: the most to win by calling right after what makes them",
    [MACHINE] = "is the machine, slower while the program ran than while it was replayed: record and replay again",
    [REST] = "is in no replay: page faults, other threads, pauses, other contents of operands",
    [UNSPLIT] = "is caches or else: no replay of these calls tells which"};

/* The place that has most of it. */
static const struct kt_heavy *heaviest_in(const struct kt_heavy *heavy, size_t count, int part)
{
    const struct kt_heavy *most = NULL;
    double seconds = 0;
    for (size_t i = 0; i < count; i++) {
        double of[PARTS];
        find_parts(&heavy[i].parts, 1, of);
        if (of[part] > seconds) {
            seconds = of[part];
            most = &heavy[i];
        }
    }
    return most;
}

static void print_part(const struct kt_report *report, const struct kt_heavy *heavy, size_t count, int part,
                       double share)
{
    char where[CELL] = "";
    char text[KT_SCREEN_TEXT];
    char number[2][16];
    const struct kt_heavy *most = heaviest_in(heavy, count, part);
    if (most && most->place)
        kt_place_text(most->place, where, sizeof where);
    snprintf(text, sizeof text, "%s (%s) %s; most at %.40s", kt_text_seconds(share * report->groups.seconds, number[0]),
             kt_screen_percent(share, number[1]), meaning[part], *where ? where : "no place");
    kt_screen_finding(text);
}

static bool is_worth_words(const struct kt_decomposition *d, int part, double seconds)
{
    static const double at_least = 0.05;
    struct kt_time of = part_of(d, part, seconds);
    return of.value > worth_words && of.lo > at_least && is_told(d, part, seconds);
}

/* The largest parts first. Returns how many were told. */
static int print_largest(const struct kt_report *report, const struct kt_heavy *heavy, size_t count, int most_findings)
{
    bool told[PARTS] = {false};
    double part[PARTS];
    find_parts(&report->parts.total.parts, report->groups.seconds, part);
    for (int i = 0; i < most_findings; i++) {
        int most = -1;
        for (int p = 0; p < PARTS; p++)
            if (!told[p] && is_worth_words(&report->parts.total.parts, p, report->groups.seconds) &&
                (most < 0 || part[p] > part[most]))
                most = p;
        if (most < 0)
            return i;
        told[most] = true;
        print_part(report, heavy, count, most, part[most]);
    }
    return most_findings;
}

/* Is there a part that matters, but is not certain? */
static bool cannot_tell(const struct kt_report *report)
{
    double part[PARTS];
    const struct kt_decomposition *d = &report->parts.total.parts;
    find_parts(d, report->groups.seconds, part);
    for (int p = 0; d->shapes && p < PARTS; p++)
        if (fabs(part[p]) > worth_words && !is_told(d, p, report->groups.seconds))
            return true;
    return false;
}

static int print_crowding(const struct kt_report *report)
{
    char text[KT_SCREEN_TEXT];
    const struct kt_crowding crowding = kt_crowding_find(&report->trace, &report->summary);
    if (!crowding.is_too_many)
        return 0;
    snprintf(text, sizeof text,
             "%zu threads in calls, each with %d of the library, share %d processors: try fewer, "
             "such as with OPENBLAS_NUM_THREADS=1",
             crowding.callers, crowding.each, crowding.processors);
    kt_screen_finding(text);
    return 1;
}

static int print_unblocked(const struct kt_report *report)
{
    char text[KT_SCREEN_TEXT];
    char seconds[16];
    if (!report->unblockeds)
        return 0;
    const struct kt_unblocked *u = &report->unblocked[0];
    snprintf(text, sizeof text, "%s ran without blocks for %s (%s did all the work): lwork, or the LAPACK's block size",
             u->routine, kt_text_seconds(u->seconds, seconds), u->inner);
    kt_screen_finding(text);
    return 1;
}

static int print_slow(const struct kt_report *report)
{
    char text[KT_SCREEN_TEXT];
    if (!kt_report_slow_text(report, text, sizeof text))
        return 0;
    kt_screen_finding(text);
    return 1;
}

static const double worth_looking = 0.05;

static void print_findings(const struct kt_report *report, const struct kt_heavy *heavy, size_t count)
{
    char text[KT_SCREEN_TEXT];
    char share[16];
    int told = print_slow(report);
    told += print_crowding(report);
    told += print_unblocked(report);
    if (kt_report_blas_share(report) < worth_looking) {
        snprintf(text, sizeof text,
                 "the time is not in BLAS and LAPACK: %s of wall time is all that faster calls could "
                 "win. A sampling profiler tells where the rest goes (perf, py-spy)",
                 kt_screen_percent(kt_report_blas_share(report), share));
        kt_screen_finding(text);
        told++;
    }
    if (report->replayed && cannot_tell(report) && told++ < FINDINGS)
        kt_screen_finding("cannot tell: the program and its replay met the machine in different states, or samples are "
                          "few. 'ktrace explain' runs both in turns");
    if (report->replayed)
        print_largest(report, heavy, count, FINDINGS - told);
    else if (count && told < FINDINGS)
        kt_screen_finding("is it the library, the caches or the machine? A replay tells");
}

static void print_next(const struct kt_report *report, size_t count)
{
    double part[PARTS];
    const char *path = report->path[0];
    find_parts(&report->parts.total.parts, report->groups.seconds, part);
    if (!count)
        kt_screen_line("Next: ktrace info %s", path);
    else if (!report->replayed)
        kt_screen_line("Next: ktrace replay %s", path);
    else if (cannot_tell(report))
        kt_screen_line("Next: ktrace explain --again %s", path);
    else if (part[LIBRARY] > worth_looking)
        kt_screen_line("Next: ktrace compare %s", path);
    else
        kt_screen_line("Next: ktrace report --all %s", path);
}

void kt_report_screen(const struct kt_report *report)
{
    struct kt_heavy *heavy;
    size_t count = kt_heaviest_find(report, &heavy);
    print_head(report);
    print_places(report, heavy, count);
    print_findings(report, heavy, count);
    print_next(report, count);
    free(heavy);
}
