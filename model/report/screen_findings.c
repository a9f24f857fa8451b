/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/screen_findings.h"

#include "model/report/report_screen.h"
#include "model/report/report_tables.h"
#include "model/report/screen_parts.h"
#include "model/summary/crowding.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>

enum { FINDINGS = 3, CELL = 512 };
static const double worth_looking = 0.05;

static const char *const meaning[KT_SCREEN_PARTS] = {
    [KT_SCREEN_BOUND] =
        "is what this machine needs at best: fewer operations or lower precision would help, no library would",
    [KT_SCREEN_LIBRARY] =
        "is what the library adds to what the hardware needs: the most that another library could win",
    [KT_SCREEN_CACHE] =
        "is waiting for operands that were not in cache: the most to win by using them sooner after they are written",
    [KT_SCREEN_CONTENTION] =
        "is what calls of other threads at the same time cost: ktrace compare --threads tells how many are best",
    [KT_SCREEN_MACHINE] =
        "is the machine, slower while the program ran than while it was replayed: record and replay again",
    [KT_SCREEN_REST] = "is explained by no replay: page faults, other threads, pauses, other contents of operands",
    [KT_SCREEN_UNSPLIT] = "is caches or else: no replay of these calls tells which"};

/* The place that has most of it. */
static const struct kt_heavy *heaviest_in(const struct kt_heavy *heavy, size_t count, int part)
{
    const struct kt_heavy *most = NULL;
    double seconds = 0;
    for (size_t i = 0; i < count; i++) {
        double of[KT_SCREEN_PARTS];
        kt_screen_parts_find(&heavy[i].parts, 1, of);
        if (of[part] > seconds) {
            seconds = of[part];
            most = &heavy[i];
        }
    }
    return most;
}

static void add_part(const struct kt_report *report, const struct kt_heavy *most, int part, double share,
                     struct kt_screen_findings *out)
{
    char where[CELL] = "";
    char number[2][16];
    if (most && most->place)
        kt_place_text(most->place, where, sizeof where);
    kt_screen_add(out, "%s (%s) %s; most at %.40s", kt_text_seconds(share * report->groups.seconds, number[0]),
                  kt_screen_percent(share, number[1]), meaning[part], *where ? where : "no place");
}

static bool is_worth_words(const struct kt_decomposition *d, int part, double seconds)
{
    static const double at_least = 0.05;
    struct kt_time of = kt_screen_parts_time(d, part, seconds);
    return of.value > kt_screen_parts_worth_words && of.lo > at_least && kt_screen_parts_is_told(d, part, seconds);
}

/* The largest parts first, as far as there is room. */
static void add_largest(const struct kt_report *report, const struct kt_heavy *heavy, size_t count,
                        struct kt_screen_findings *out)
{
    bool told[KT_SCREEN_PARTS] = {false};
    double part[KT_SCREEN_PARTS];
    kt_screen_parts_find(&report->parts.total.parts, report->groups.seconds, part);
    while (out->count < FINDINGS) {
        int most = -1;
        for (int p = 0; p < KT_SCREEN_PARTS; p++)
            if (!told[p] && is_worth_words(&report->parts.total.parts, p, report->groups.seconds) &&
                (most < 0 || part[p] > part[most]))
                most = p;
        if (most < 0)
            return;
        told[most] = true;
        add_part(report, heaviest_in(heavy, count, most), most, part[most], out);
    }
}

/* Is there a part that matters, but is not certain? */
static bool cannot_tell(const struct kt_report *report)
{
    double part[KT_SCREEN_PARTS];
    const struct kt_decomposition *d = &report->parts.total.parts;
    kt_screen_parts_find(d, report->groups.seconds, part);
    for (int p = 0; d->shapes && p < KT_SCREEN_PARTS; p++)
        if (fabs(part[p]) > kt_screen_parts_worth_words && !kt_screen_parts_is_told(d, p, report->groups.seconds))
            return true;
    return false;
}

/* How many times longer calls took by those of other threads, if a replay has shown it; else NAN. */
static double held_up_times(const struct kt_report *report)
{
    const struct kt_decomposition *d = &report->parts.total.parts;
    bool is_shown = report->replayed && d->contention.lo > 0 &&
                    kt_screen_parts_is_told(d, KT_SCREEN_CONTENTION, report->groups.seconds);
    return is_shown ? d->insitu / (d->insitu - fmin(d->contention.value, 0.99 * d->insitu)) : NAN;
}

static void add_crowding(const struct kt_report *report, struct kt_screen_findings *out)
{
    const struct kt_crowding crowding = kt_crowding_find(&report->trace, &report->summary);
    const double held_up = crowding.callers > 1 ? held_up_times(report) : NAN;
    if (!crowding.is_too_many)
        return;
    if (held_up > 1)
        kt_screen_add(
            out,
            "%zu threads in calls, %.2g at a time, each with %d of the library on %d processors: %.2g times slower "
            "than alone; ktrace compare --threads %d,%d tells what fewer win",
            crowding.callers, report->summary.seconds_blas / report->overlaps.busy, crowding.each, crowding.processors,
            held_up, kt_crowding_advised(&crowding), crowding.each);
    else if (crowding.callers > 1)
        kt_screen_add(out,
                      "%zu threads in calls, each with %d of the library, share %s%s%d processors: try fewer, such as "
                      "with OPENBLAS_NUM_THREADS=%d",
                      crowding.callers, crowding.each, crowding.limit, *crowding.limit ? ", " : "", crowding.processors,
                      kt_crowding_advised(&crowding));
    else
        kt_screen_add(out, "%s, library starts %d threads: try OPENBLAS_NUM_THREADS=%d (or OMP_, BLIS_, MKL_)",
                      crowding.limit, crowding.each, kt_crowding_advised(&crowding));
}

static void add_slow_node(const struct kt_report *report, struct kt_screen_findings *out)
{
    char text[KT_SCREEN_TEXT];
    if (kt_report_slow_text(report, text, sizeof text))
        kt_screen_add(out, "%s", text);
}

static void add_unblocked(const struct kt_report *report, struct kt_screen_findings *out)
{
    char seconds[16];
    if (!report->unblockeds)
        return;
    const struct kt_unblocked *u = &report->unblocked[0];
    kt_screen_add(out, "%s ran without blocks for %s (%s did all the work): lwork, or the LAPACK's block size",
                  u->routine, kt_text_seconds(u->seconds, seconds), u->inner);
}

static void add_little_blas(const struct kt_report *report, struct kt_screen_findings *out)
{
    char share[16];
    if (kt_report_blas_share(report) < worth_looking)
        kt_screen_add(out,
                      "the time is not in BLAS and LAPACK: %s of wall time is all that faster calls could "
                      "win. A sampling profiler tells where the rest goes (perf, py-spy)",
                      kt_screen_percent(kt_report_blas_share(report), share));
}

void kt_screen_findings_find(const struct kt_report *report, const struct kt_heavy *heavy, size_t count,
                             struct kt_screen_findings *out)
{
    out->count = 0;
    add_slow_node(report, out);
    add_crowding(report, out);
    add_unblocked(report, out);
    add_little_blas(report, out);
    if (report->replayed && cannot_tell(report) && out->count < FINDINGS)
        kt_screen_add(out, "cannot tell: the program and its replay met the machine in different states, or samples "
                           "are few. 'ktrace explain' runs both in turns");
    if (report->replayed)
        add_largest(report, heavy, count, out);
    else if (count && out->count < FINDINGS)
        kt_screen_add(out, "is it the library, the caches or the machine? A replay tells");
}

const char *kt_screen_findings_next(const struct kt_report *report)
{
    double part[KT_SCREEN_PARTS];
    kt_screen_parts_find(&report->parts.total.parts, report->groups.seconds, part);
    if (!report->groups.count)
        return "info";
    if (!report->replayed)
        return "replay";
    if (cannot_tell(report))
        return "explain --again";
    return part[KT_SCREEN_LIBRARY] > worth_looking ? "compare" : "report --all";
}
