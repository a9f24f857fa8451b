/* SPDX-License-Identifier: BSD-3-Clause */
/* The short report: a head of three lines, two for each place, findings, what to do next. */
#include "model/report/explain.h"

#include "model/report/report_screen.h"
#include "model/report/screen_parts.h"
#include "model/report/told.h"
#include "trace/print/screen.h"
#include "trace/shape/shape_words.h"
#include "trace/command/about.h"
#include "trace/command/json.h"
#include "trace/library/installed.h"
#include "trace/read/profile.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 80, CELL = 64, TEXT = 512, FINDINGS = 3 };

/* What pages of one screen call the parts. */
static const enum kt_screen_part on_screen[KT_PAIRED_PARTS] = {
    [KT_PAIRED_BOUND] = KT_SCREEN_BOUND,     [KT_PAIRED_LIBRARY] = KT_SCREEN_LIBRARY,
    [KT_PAIRED_CACHE] = KT_SCREEN_CACHE,     [KT_PAIRED_RESIDUAL] = KT_SCREEN_REST,
    [KT_PAIRED_UNSPLIT] = KT_SCREEN_UNSPLIT, [KT_PAIRED_UNEVEN] = KT_SCREEN_UNEVEN};

/* --- what ran ------------------------------------------------------------------------------------------------ */

static void say_runs(const struct kt_explain *x)
{
    if (x->is_again)
        kt_screen_line("run %s in turns with its replay: times and parts are their medians",
                       KT_COUNT(x->pairs, "more time"));
    if (!x->is_again)
        kt_screen_line("run once%s%s: times are of the recorded run", x->stopped ? ", as " : "",
                       x->stopped ? x->stopped : "");
}

static void print_head(const struct kt_explain *x)
{
    char libraries[LINE];
    char command[LINE + 1];
    const struct kt_report *report = &x->report;
    kt_about_command_text(report->summary.first, command, sizeof command);
    kt_screen_line("%s", command);
    kt_report_screen_times(report, x->wall, x->blas);
    kt_report_screen_libraries(report->summary.first, libraries, sizeof libraries);
    kt_screen_line("%s; called by %s", libraries, KT_COUNT(report->state.threads, "thread"));
    kt_report_screen_lost(report);
    say_runs(x);
}

/* --- where --------------------------------------------------------------------------------------------------- */

static void print_parts(const struct kt_paired_sum *sum, struct kt_screen_marks *marks)
{
    struct kt_screen_part_told part[KT_SCREEN_MARKS] = {{.sign = KT_SIGN_NONE}};
    for (int p = 0; p < KT_PAIRED_PARTS; p++)
        part[on_screen[p]] = (struct kt_screen_part_told){sum->part[p], kt_paired_sign(sum, (enum kt_paired_part)p)};
    if (sum->pairs)
        kt_screen_parts_bar(part, marks);
    else
        kt_screen_bar(NULL, NULL, 0, " not replayed");
}

static const char *routine_of(const struct kt_explain_place *place)
{
    return place->shape->first.entry->symbol.routine->name;
}

static void words_of(const struct kt_explain_place *place, char *out, size_t size)
{
    if (place->shapes == 1)
        kt_shape_words(&place->shape->first, place->shape->also, out, size);
    else
        snprintf(out, size, "%s, %s", routine_of(place), KT_COUNT(place->shapes, "shape"));
}

static void print_place(const struct kt_explain *x, const struct kt_explain_place *place, struct kt_screen_marks *marks)
{
    char where[CELL] = "inside LAPACK";
    char what[CELL];
    if (place->place)
        kt_place_text(place->place, where, sizeof where);
    words_of(place, what, sizeof what);
    kt_screen_place(where, what, place->calls, place->seconds, place->seconds / x->blas);
    print_parts(&place->sum, marks);
}

static void print_places(const struct kt_explain *x)
{
    struct kt_screen_marks marks = {.unknown = false};
    kt_screen_head();
    for (size_t p = 0; p < x->places && p < KT_EXPLAIN_PLACES; p++)
        print_place(x, &x->place[p], &marks);
    kt_screen_parts_legend(&marks);
}

/* --- what it means ------------------------------------------------------------------------------------------- */

static const char *const meaning[KT_PAIRED_PARTS] = {
    [KT_PAIRED_BOUND] = "is what this machine needs at best: only fewer operations help",
    [KT_PAIRED_LIBRARY] = "is what the library needs beyond that: another one may be faster",
    [KT_PAIRED_CACHE] = "is waiting for operands that were not in caches: use them sooner after they are written",
    [KT_PAIRED_RESIDUAL] = "is explained by no replay: page faults, other threads, other contents of operands",
    [KT_PAIRED_UNSPLIT] = "is caches or what no replay explains: nothing tells them apart",
    [KT_PAIRED_UNEVEN] = "is in calls that took longer than most of their shape: pauses, first touches"};

static void add_part(const struct kt_explain *x, enum kt_paired_part part, struct kt_screen_findings *out)
{
    char where[CELL] = "";
    char unknown[KT_UNKNOWN_TEXT];
    const struct kt_known_part *known = &x->known[part];
    const struct kt_explain_place *most = &x->place[known->most];
    if (most->place)
        kt_place_text(most->place, where, sizeof where);
    kt_screen_add(out, "%.0f %% of BLAS time (%.0f to %.0f%s) %s (most in %s%s%s)", 100 * known->share.value,
                  100 * known->share.lo, 100 * known->share.hi, kt_known_part_unknown(known, unknown), meaning[part],
                  routine_of(most), *where ? ", " : "", where);
}

/* Parts from the largest on, as far as they are worth a word. */
static void add_largest(const struct kt_explain *x, struct kt_screen_findings *out)
{
    bool told[KT_PAIRED_PARTS] = {false};
    for (int i = 0; i < FINDINGS - 1; i++) {
        int most = -1;
        for (int p = 0; p < KT_PAIRED_PARTS; p++)
            if (!told[p] && kt_known_part_is_worth_words(&x->known[p]) &&
                (most < 0 || x->known[p].share.value > x->known[most].share.value))
                most = p;
        if (most < 0)
            break;
        told[most] = true;
        add_part(x, (enum kt_paired_part)most, out);
    }
}

/* --- what cannot be told ------------------------------------------------------------------------------------- */

enum reason { FEW_RUNS, FEW_PAIRS, UNCOUNTED, NO_CONTEXT, SLOWER, VARIED, REASONS };

/* Does it matter, or may it, and is it not told where it is, or in most places? */
static bool is_uncertain(const struct kt_explain *x, enum kt_paired_part p)
{
    static const double most_of_it = 0.5;
    const struct kt_time *all = &x->all.part[p];
    bool is_little = kt_paired_sign(&x->all, p) != KT_SIGN_CANNOT_TELL && all->lo > -kt_known_part_worth_words &&
                     all->hi < kt_known_part_worth_words;
    double least = kt_known_part_is_worth_words(&x->known[p]) ? most_of_it : kt_known_part_worth_words;
    return !is_little && x->known[p].unknown > least;
}

/* The part of BLAS time in places of which that is so. */
static double share_where(const struct kt_explain *x, bool (*is_so)(const struct kt_paired_sum *))
{
    double seconds = 0;
    for (size_t i = 0; i < x->places; i++)
        seconds += is_so(&x->place[i].sum) ? x->place[i].sum.seconds : 0;
    return seconds / x->blas;
}

static bool has_few_pairs(const struct kt_paired_sum *sum)
{
    return sum->pairs < KT_PAIRED_LEAST;
}

static bool is_uncounted(const struct kt_paired_sum *sum)
{
    return kt_decomposition_is_undivided(sum->undivided, 1);
}

/* What most of the places have in common that do not tell the part. */
static enum reason reason_of(const struct kt_explain *x, enum kt_paired_part p)
{
    double half = x->known[p].unknown / 2;
    if (x->pairs < KT_PAIRED_LEAST)
        return FEW_RUNS;
    if (share_where(x, has_few_pairs) > half)
        return FEW_PAIRS;
    if ((p == KT_PAIRED_BOUND || p == KT_PAIRED_LIBRARY) && share_where(x, is_uncounted) > half)
        return UNCOUNTED;
    if (isnan(x->all.part[p].value))
        return NO_CONTEXT;
    return share_where(x, kt_paired_is_slower) > half ? SLOWER : VARIED;
}

/* Were there no runs because nobody asked for them? */
static bool is_not_asked(const struct kt_explain *x)
{
    return !x->is_again && !x->stopped;
}

static void say_reason(const struct kt_explain *x, enum reason reason, char *out, size_t size)
{
    static const char *const text[REASONS] = {
        [FEW_RUNS] = "That needs six pairs: a program that can be repeated, --budget, --runs.",
        [UNCOUNTED] = "No formula counts the operations of these routines: ktrace compare tells if another library is "
                      "faster.",
        [NO_CONTEXT] = "No replay had the operands of these calls where they were.",
        [SLOWER] =
            "The replay took longer than the program: operands or machine were others. A quieter moment, --runs.",
        [VARIED] = "The machine varied more than that: --budget, or a quieter moment."};
    if (reason == FEW_RUNS && is_not_asked(x))
        snprintf(out, size, "That needs runs of the program beside its replay: ktrace explain --again.");
    else if (reason == FEW_PAIRS)
        snprintf(out, size, "Of %zu runs fewer than six have replays of these calls next to them: a larger --budget.",
                 x->pairs);
    else if (reason == NO_CONTEXT && kt_is_profile(&x->report.trace))
        snprintf(out, size, "A profile has no single calls to play in their order: record without profile mode.");
    else
        snprintf(out, size, "%s", text[reason]);
}

/* " (most in dsyev)": in the heaviest place that does not tell for that reason, or "". */
static void most_of(const struct kt_explain *x, enum reason reason, char *out, size_t size)
{
    static bool (*const is_so[REASONS])(const struct kt_paired_sum *) = {
        [FEW_PAIRS] = has_few_pairs, [UNCOUNTED] = is_uncounted, [SLOWER] = kt_paired_is_slower};
    const struct kt_explain_place *most = NULL;
    *out = '\0';
    for (size_t i = 0; i < x->places && is_so[reason]; i++)
        if (is_so[reason](&x->place[i].sum) && (!most || x->place[i].seconds > most->seconds))
            most = &x->place[i];
    if (most)
        snprintf(out, size, " (most in %s)", routine_of(most));
}

/* A sentence for each reason. */
static void add_uncertain(const struct kt_explain *x, struct kt_screen_findings *out)
{
    for (int r = 0; r < REASONS; r++) {
        char names[64] = "";
        char why[TEXT];
        char most[CELL];
        for (int p = 0; p < KT_PAIRED_PARTS; p++)
            if (is_uncertain(x, (enum kt_paired_part)p) && (int)reason_of(x, (enum kt_paired_part)p) == r)
                snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? ", " : "",
                         kt_screen_parts_name[on_screen[p]]);
        say_reason(x, (enum reason)r, why, sizeof why);
        most_of(x, (enum reason)r, most, sizeof most);
        if (*names)
            kt_screen_add(out, "cannot tell: %s%s. %s", names, most, why);
    }
}

static void add_missing(const struct kt_explain *x, struct kt_screen_findings *out)
{
    char share[16];
    double missing = 1 - x->all.seconds / x->blas;
    if (missing > kt_known_part_worth_words && out->count < FINDINGS)
        kt_screen_add(out, "%s of BLAS time is in calls that were not replayed: ktrace report --by part tells why",
                      kt_screen_percent(missing, share));
}

/* --- all that is said ---------------------------------------------------------------------------------------- */

/* NULL: it is not known; an empty list: there is none. */
static json_t *advice_of(const struct kt_explain *x)
{
    return json_object_get(x->advised, "advice");
}

static bool is_large_advice(const struct kt_explain *x)
{
    static const double worth_the_first_line = 0.05; /* of the program */
    return json_number_value(json_object_get(json_array_get(advice_of(x), 0), "share")) >= worth_the_first_line;
}

/* The heaviest: what it would save, and where the rest is told. */
static void add_advice(const struct kt_explain *x, struct kt_screen_findings *out)
{
    char share[16];
    char where[CELL] = "";
    const json_t *most = json_array_get(advice_of(x), 0);
    if (!most)
        return;
    const char *file = json_string_value(json_object_get(most, "file"));
    json_int_t line = json_integer_value(json_object_get(most, "line"));
    size_t others = json_array_size(advice_of(x)) - 1;
    if (file)
        snprintf(where, sizeof where, " in %.40s:%lld", kt_base_name(file), (long long)line);
    kt_screen_add(out, "%s%s would save %s of the program: ktrace advise tells how%s",
                  json_string_value(json_object_get(most, "what")), where,
                  kt_screen_percent(json_number_value(json_object_get(most, "share")), share),
                  others ? ", and has more" : "");
}

static void find_findings(const struct kt_explain *x, struct kt_screen_findings *out)
{
    static const double little = 0.5;
    char share[16];
    out->count = 0;
    if (is_large_advice(x))
        add_advice(x, out);
    add_largest(x, out);
    if (!is_large_advice(x))
        add_advice(x, out);
    double part = kt_report_has_threads(&x->report) ? kt_report_blas_share(&x->report)
                                                    : kt_report_screen_share(&x->report, x->wall, x->blas);
    if (part < little)
        kt_screen_add(out, "all of BLAS and LAPACK is %s of wall time: a sampling profiler tells of the rest",
                      kt_screen_percent(part, share));
    add_uncertain(x, out);
    add_missing(x, out);
}

static const char *next_verb(const struct kt_explain *x)
{
    if (x->needed_budget > 0)
        return "explain --again";
    bool may_be_library = kt_known_part_is_worth_words(&x->known[KT_PAIRED_LIBRARY]) ||
                          share_where(x, is_uncounted) > kt_known_part_worth_words;
    if (is_large_advice(x) || (json_array_size(advice_of(x)) && !may_be_library && !is_not_asked(x)))
        return "advise";
    if (is_not_asked(x))
        return "explain --again";
    return may_be_library ? "compare" : "report";
}

void kt_explain_print(const struct kt_explain *x, const char *page)
{
    struct kt_screen_findings findings;
    print_head(x);
    print_places(x);
    find_findings(x, &findings);
    kt_screen_print_findings(&findings);
    if (x->needed_budget > 0)
        kt_screen_line("Next: ktrace %s --budget %.0f %s", next_verb(x), x->needed_budget, x->trace);
    else
        kt_screen_line("Next: ktrace %s %s", next_verb(x), x->trace);
    if (page)
        kt_screen_line("In a browser: %s", page);
}

/* --- JSON ---------------------------------------------------------------------------------------------------- */

/* {"insitu", "bound": {"share", "seconds", "certainty"}, ..., "dominant", "pairs", "not_replayed"} */
static json_t *sum_json(const struct kt_paired_sum *sum)
{
    json_t *json = json_pack("{s:o, s:I, s:o}", "insitu", kt_json_number(sum->seconds), "pairs", (json_int_t)sum->pairs,
                             "not_replayed", kt_json_number(sum->missing));
    for (int p = 0; p < KT_PAIRED_PARTS; p++)
        json_object_set_new(
            json, kt_paired_part_name[p],
            kt_told_part_json(&sum->part[p], sum->seconds, kt_paired_sign(sum, (enum kt_paired_part)p)));
    enum kt_paired_part most = kt_paired_dominant(sum);
    json_object_set_new(json, "dominant",
                        most == KT_PAIRED_PARTS ? json_null() : json_string(kt_paired_part_name[most]));
    return json;
}

static json_t *place_json(const struct kt_explain_place *place)
{
    char words[128];
    const struct kt_symbol *symbol = &place->shape->first.entry->symbol;
    kt_shape_words(&place->shape->first, place->shape->also, words, sizeof words);
    return json_pack("{s:o, s:s, s:o, s:o, s:I, s:o, s:o, s:o}", "place",
                     place->place ? kt_place_json(place->place) : json_null(), "routine", symbol->routine->name, "args",
                     kt_json_args(&place->shape->first, false), "words", kt_json_text(words), "shapes",
                     (json_int_t)place->shapes, "calls", kt_json_count(place->calls), "seconds",
                     kt_json_number(place->seconds), "parts", sum_json(&place->sum));
}

json_t *kt_explain_json(const struct kt_explain *x)
{
    json_t *places = json_array();
    const json_t *again = json_object_get(x->replayed.document, "again");
    for (size_t p = 0; p < x->places && p < KT_EXPLAIN_PLACES; p++)
        json_array_append_new(places, place_json(&x->place[p]));
    json_t *states =
        json_pack("{s:b, s:I, s:o, s:o, s:o}", "repeated", x->is_again, "pairs",
                  (json_int_t)(x->is_again ? x->pairs : 0), "stopped", kt_json_text_or_null(x->stopped), "tracked",
                  kt_told_interval_json(&x->all.tracked, 1), "sequence", kt_told_interval_json(&x->all.sequence, 1));
    if (again)
        json_object_set(states, "runs", json_object_get(again, "runs"));
    json_t *document = json_pack("{s:o, s:o, s:o, s:o}", "seconds", kt_json_number(x->wall), "seconds_blas",
                                 kt_json_number(x->blas), "decomposition", sum_json(&x->all), "places", places);
    const json_t *tried = json_object_get(x->advised, "tried");
    json_object_set_new(document, "advice", x->advised ? json_deep_copy(advice_of(x)) : json_array());
    json_object_set_new(document, "changes_tried",
                        tried ? json_integer((json_int_t)json_array_size(tried)) : json_null());
    struct kt_screen_findings findings;
    find_findings(x, &findings);
    kt_told_add_findings(document, &findings, next_verb(x));
    json_object_set_new(document, "states", states);
    json_object_set_new(document, "report", kt_report_json(&x->report));
    json_object_set(document, "replay", x->replayed.document);
    return document;
}
