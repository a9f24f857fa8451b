/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/screen_findings.h"

#include "model/report/known_part.h"
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
    [KT_SCREEN_BOUND] = "is what this machine needs at best: fewer operations or lower precision help, no library",
    [KT_SCREEN_LIBRARY] = "is what the library adds to what the machine needs: the most that another could win",
    [KT_SCREEN_CACHE] = "is waiting for operands that were not in cache: use them sooner after they are written",
    [KT_SCREEN_CONTENTION] = "is what calls of other threads at the same time cost: see ktrace compare --threads",
    [KT_SCREEN_MACHINE] = "is the machine, slower while recorded than while replayed: record and replay again",
    [KT_SCREEN_REST] = "is explained by no replay: page faults, threads, pauses, contents of operands",
    [KT_SCREEN_UNSPLIT] = "is caches or else: no replay of these calls tells which"};

/* What the places tell of a part. */
static struct kt_known_part known_of(const struct kt_report *report, const struct kt_heavy *heavy, size_t count,
                                     int part)
{
    struct kt_known_part known = kt_known_part_begin();
    for (size_t i = 0; i < count; i++) {
        const struct kt_decomposition *d = &heavy[i].parts;
        struct kt_time of = kt_screen_parts_time(d, part, heavy[i].seconds);
        enum kt_paired_sign sign = kt_screen_parts_sign(d, part, heavy[i].seconds);
        bool is_told = sign != KT_SIGN_CANNOT_TELL;
        if (!is_told || !isnan(of.hi - of.lo))
            kt_known_part_add(&known, i, heavy[i].seconds / report->groups.seconds, &of, is_told);
    }
    return known;
}

static void add_part(const struct kt_report *report, const struct kt_heavy *heavy, int part,
                     const struct kt_known_part *known, struct kt_screen_findings *out)
{
    char where[CELL] = "";
    char number[2][16];
    char unknown[KT_UNKNOWN_TEXT];
    const struct kt_place *most = heavy[known->most].place;
    if (most)
        kt_place_text(most, where, sizeof where);
    kt_screen_add(out, "%s (%s%s) %s; most at %.40s",
                  kt_text_seconds(known->share.value * report->groups.seconds, number[0]),
                  kt_screen_percent(known->share.value, number[1]), kt_known_part_unknown(known, unknown),
                  meaning[part], *where ? where : "no place");
}

/* The largest parts first, as far as there is room. */
static void add_largest(const struct kt_report *report, const struct kt_heavy *heavy,
                        const struct kt_known_part known[KT_SCREEN_PARTS], struct kt_screen_findings *out)
{
    bool told[KT_SCREEN_PARTS] = {false};
    while (out->count < FINDINGS) {
        int most = -1;
        for (int p = 0; p < KT_SCREEN_PARTS; p++)
            if (!told[p] && kt_known_part_is_worth_words(&known[p]) &&
                (most < 0 || known[p].share.value > known[most].share.value))
                most = p;
        if (most < 0)
            return;
        told[most] = true;
        add_part(report, heavy, most, &known[most], out);
    }
}

/* A part that matters, but is not certain where it is, or cannot be; or in most places. */
static bool is_uncertain(const struct kt_report *report, const struct kt_known_part *known, int part)
{
    static const double most_of_it = 0.5;
    double all[KT_SCREEN_PARTS];
    const struct kt_decomposition *d = &report->parts.total.parts;
    kt_screen_parts_find(d, report->groups.seconds, all);
    bool may_matter = d->shapes && fabs(all[part]) > kt_known_part_worth_words;
    bool is_worth = kt_known_part_is_worth_words(known);
    bool is_odd = all[part] > 1 || !kt_screen_parts_is_told(d, part, report->groups.seconds);
    return may_matter &&
           (known->unknown > (is_worth ? most_of_it : kt_known_part_worth_words) || (!is_worth && is_odd));
}

/* The part of BLAS time in places of which no count of operations tells hardware and library apart. */
static double share_uncounted(const struct kt_report *report, const struct kt_heavy *heavy, size_t count)
{
    double seconds = 0;
    for (size_t i = 0; i < count; i++)
        if (kt_decomposition_is_undivided(heavy[i].parts.undivided, heavy[i].seconds))
            seconds += heavy[i].seconds;
    return seconds / report->groups.seconds;
}

/* Parts of which that is so: by UNCOUNTED, the share of such places, or by what another replay may tell. */
static int count_uncertain(const struct kt_report *report, const struct kt_known_part known[KT_SCREEN_PARTS],
                           double uncounted, bool by_count)
{
    int count = 0;
    for (int p = 0; p < KT_SCREEN_PARTS; p++) {
        bool of_count = (p == KT_SCREEN_BOUND || p == KT_SCREEN_LIBRARY) && uncounted > known[p].unknown / 2;
        count += is_uncertain(report, &known[p], p) && of_count == by_count;
    }
    return count;
}

/* Returns what to do about it, or NULL. */
static const char *add_uncertain(const struct kt_report *report, const struct kt_known_part known[KT_SCREEN_PARTS],
                                 double uncounted, struct kt_screen_findings *out)
{
    bool by_machine = count_uncertain(report, known, uncounted, false);
    bool by_count = count_uncertain(report, known, uncounted, true);
    const size_t runs = kt_report_screen_runs(report);
    if (by_machine && runs && out->count < FINDINGS)
        kt_screen_add(out,
                      "cannot tell from the recorded run alone. The page that 'ktrace explain' printed can: it "
                      "has %zu more runs, in turns with the replay",
                      runs);
    else if (by_machine && out->count < FINDINGS)
        kt_screen_add(out, "cannot tell: the program and its replay met the machine in different states, or samples "
                           "are few. 'ktrace explain' runs both in turns");
    if (by_count && out->count < FINDINGS)
        kt_screen_add(out, "cannot tell hardware from library: no formula counts the operations of these routines. "
                           "'ktrace compare' tells if another library is faster");
    if (by_machine && !runs)
        return "explain --again";
    return by_count ? "compare" : NULL;
}

/* How many times longer calls took by those of other threads, if a replay has shown it; else NAN. */
static double held_up_times(const struct kt_report *report, const struct kt_known_part *contention)
{
    const struct kt_decomposition *d = &report->parts.total.parts;
    bool is_shown = report->replayed && d->contention.lo > 0 && contention->unknown <= kt_known_part_worth_words &&
                    kt_screen_parts_is_told(d, KT_SCREEN_CONTENTION, report->groups.seconds);
    return is_shown ? d->insitu / (d->insitu - fmin(d->contention.value, 0.99 * d->insitu)) : NAN;
}

static void add_crowding(const struct kt_report *report, const struct kt_known_part *contention,
                         struct kt_screen_findings *out)
{
    const struct kt_crowding crowding = kt_crowding_find(&report->trace, &report->summary);
    const double held_up = crowding.callers > 1 ? held_up_times(report, contention) : NAN;
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

static const char *next_of(const struct kt_report *report, const struct kt_known_part known[KT_SCREEN_PARTS],
                           const char *uncertain)
{
    if (!report->groups.count)
        return "info";
    if (!report->replayed)
        return "replay";
    if (uncertain)
        return uncertain;
    return known[KT_SCREEN_LIBRARY].share.value > worth_looking ? "compare" : "report --all";
}

const char *kt_screen_findings_find(const struct kt_report *report, const struct kt_heavy *heavy, size_t count,
                                    struct kt_screen_findings *out)
{
    struct kt_known_part known[KT_SCREEN_PARTS];
    const char *uncertain = NULL;
    out->count = 0;
    for (int p = 0; p < KT_SCREEN_PARTS; p++)
        known[p] = known_of(report, heavy, count, p);
    add_slow_node(report, out);
    add_crowding(report, &known[KT_SCREEN_CONTENTION], out);
    add_unblocked(report, out);
    add_little_blas(report, out);
    if (report->replayed)
        uncertain = add_uncertain(report, known, share_uncounted(report, heavy, count), out);
    if (report->replayed)
        add_largest(report, heavy, known, out);
    else if (count && out->count < FINDINGS)
        kt_screen_add(out, "is it the library, the caches or the machine? A replay tells");
    return next_of(report, known, uncertain);
}
