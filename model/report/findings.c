/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/findings.h"

#include "model/report/report_row.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = KT_ROW_CELL };

/* --- kinds of calls ---------------------------------------------------------------------------------------- */

static const char *bytes_text(double bytes, char *out, size_t size)
{
    const char *unit = bytes < 1 << 20 ? "KiB" : "MiB";
    double value = bytes / (bytes < 1 << 20 ? 1 << 10 : 1 << 20);
    snprintf(out, size, "%.*f %s", value < 10 ? 1 : 0, value, unit);
    return out;
}

/* What the calls of a kind have in common. */
static void describe(const struct kt_kinds *kinds, const struct kt_call_kind *kind, char *out)
{
    char text[32];
    switch (kinds->by) {
    case KT_FACT_FAULTS:
        snprintf(out, CELL, "met %s", KT_COUNT(kind->fact[KT_FACT_FAULTS], "page fault"));
        return;
    case KT_FACT_OTHERS:
        snprintf(out, CELL, "beside %.1f calls of other threads", kind->fact[KT_FACT_OTHERS]);
        return;
    case KT_FACT_FRESH:
        snprintf(out, CELL, "%.0f %% of operands no call had touched", 100 * kind->fact[KT_FACT_FRESH]);
        return;
    case KT_FACT_DISTANCE:
        snprintf(out, CELL, "%s used since its operands", bytes_text(kind->fact[KT_FACT_DISTANCE], text, sizeof text));
        return;
    default:
        snprintf(out, CELL, "cannot tell why");
    }
}

static void add_kind(struct kt_text_table *table, const struct kt_report *report, size_t i, int k)
{
    const struct kt_kinds *kinds = &report->kinds[i];
    const struct kt_call_kind *kind = &kinds->kind[k];
    struct kt_row row = {.columns = 0};
    char *number = kt_row_next(&row);
    char *routine = kt_row_next(&row);
    if (k == 0) {
        snprintf(number, CELL, "%zu", i + 1);
        snprintf(routine, CELL, "%s", report->groups.shape[i].first.entry->symbol.routine->name);
    }
    kt_text_count((double)kind->calls, kt_row_next(&row));
    kt_text_seconds(kind->median, kt_row_next(&row));
    describe(kinds, kind, kt_row_next(&row));
    kt_row_add(table, &row);
}

static bool is_of_all(const struct kt_report *report, size_t i)
{
    const struct kt_kinds *kinds = &report->kinds[i];
    return kinds->kind[0].calls + kinds->kind[1].calls == report->groups.shape[i].calls;
}

static void explain_kinds(bool any_by_times, bool any_sample)
{
    kt_text_say("The median of all calls of such a shape stands for neither kind. Of each kind the medians are shown.");
    if (any_by_times)
        kt_text_say(
            "cannot tell why: neither page faults, nor other threads, nor where operands were is known to differ.");
    if (any_sample)
        kt_text_say("Of calls that are in neither kind this is not known, or they were not looked at.");
}

void kt_findings_print_kinds(const struct kt_report *report, size_t top)
{
    static const struct kt_column column[] = {{.head = "#", .right = true},
                                              {.head = "routine"},
                                              {.head = "calls", .right = true},
                                              {.head = "median", .right = true},
                                              {.head = "what they have in common", .shrink = true}};
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    bool any = false;
    bool any_by_times = false;
    bool any_sample = false;
    for (size_t i = 0; i < report->groups.count && i < top; i++) {
        if (!report->kinds[i].found)
            continue;
        any = true;
        any_by_times = any_by_times || report->kinds[i].by == KT_FACTS;
        any_sample = any_sample || !is_of_all(report, i);
        for (int k = 0; k < KT_KINDS; k++)
            add_kind(table, report, i, k);
    }
    if (any) {
        printf("\n");
        kt_heading("Shapes whose calls are of two kinds");
        kt_text_table_print(table);
        explain_kinds(any_by_times, any_sample);
    }
    kt_text_table_free(table);
}

static const struct kt_field kind_fields[] = {
    {"calls", KT_AS_COUNT, .meaning = "calls of this kind"},
    {"median", KT_AS_SECONDS, KT_NULL, .meaning = "median of their times"},
    {"page_faults", KT_AS_NUMBER, KT_NULL, .meaning = "page faults, median"},
    {"other_calls", KT_AS_NUMBER, KT_NULL, .meaning = "calls of other threads at the same time, median"},
    {"untouched", KT_AS_SHARE, KT_NULL, .meaning = "part of its operands that no call had touched, median"},
    {"distance", KT_AS_NUMBER, KT_NULL, .unit = "bytes",
     .meaning = "bytes that calls touched since its operands were used, median"},
    {0}};

const struct kt_field kt_findings_kinds_fields[] = {
    {"by", KT_AS_TEXT, KT_NULL, .meaning = "which of these facts splits them; null: only times tell"},
    {"kinds", KT_AS_RECORD, KT_MANY, .meaning = "the quicker kind first", .of = kind_fields},
    {0}};

static json_t *kind_json(const struct kt_call_kind *kind)
{
    json_t *object = json_pack("{s:I, s:o}", "calls", (json_int_t)kind->calls, "median", kt_json_number(kind->median));
    for (int f = 0; f < KT_FACTS; f++)
        json_object_set_new(object, kt_fact_name[f], kt_json_number(kind->fact[f]));
    return object;
}

json_t *kt_findings_kinds_json(const struct kt_kinds *kinds)
{
    if (!kinds->found)
        return json_null();
    return json_pack("{s:s?, s:[o, o]}", "by", kinds->by == KT_FACTS ? NULL : kt_fact_name[kinds->by], "kinds",
                     kind_json(&kinds->kind[0]), kind_json(&kinds->kind[1]));
}

/* --- without blocks ---------------------------------------------------------------------------------------- */

static void print_unblocked(const struct kt_unblocked *u)
{
    char calls[16];
    char seconds[16];
    char shape[64];
    kt_shape_text(&u->first, shape, sizeof shape - 1);
    printf("%s: %s of %s, %s, handed all to %s\n", u->routine, kt_text_count((double)u->calls, calls),
           KT_COUNT(u->seen, "call"), kt_text_seconds(u->seconds, seconds), u->inner);
    printf("  first: %s\n", shape);
    if (u->roomy)
        printf("  The block size that ILAENV gives for it is 1, or its crossover is too large.\n");
    else
        printf("  Either ILAENV gives it a block size of 1, or lwork left no room for blocks.\n");
}

void kt_findings_print_unblocked(const struct kt_report *report)
{
    if (report->unblockeds == 0)
        return;
    printf("\n");
    kt_heading("LAPACK without blocks");
    for (size_t i = 0; i < report->unblockeds; i++)
        print_unblocked(&report->unblocked[i]);
    printf("Of calls with sizes above %d whose inside is recorded. Blocked code, which does\n"
           "most of the work in matrix products, is there but was not used: a LAPACK whose\n"
           "ILAENV does not know a name runs it as if it were small.\n",
           KT_UNBLOCKED_SMALL);
}

const struct kt_field kt_findings_unblocked_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "LAPACK routine"},
    {"handed_to", KT_AS_TEXT, .meaning = "unblocked routine that did all the work"},
    {"calls", KT_AS_COUNT, .meaning = "calls that did so"},
    {"inside_known", KT_AS_COUNT, .meaning = "calls whose inside is recorded"},
    {"workspace_suffices", KT_AS_COUNT, .meaning = "calls whose workspace had room for blocks"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "time of these calls"},
    {"args", KT_AS_MAP, .meaning = "arguments of the first one, by their names"},
    {0}};

json_t *kt_findings_unblocked_json(const struct kt_report *report)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->unblockeds; i++) {
        const struct kt_unblocked *u = &report->unblocked[i];
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:o}", "routine", u->routine, "handed_to",
                                        u->inner, "calls", (json_int_t)u->calls, "inside_known", (json_int_t)u->seen,
                                        "workspace_suffices", (json_int_t)u->roomy, "seconds",
                                        kt_json_number(u->seconds), "args", kt_json_args(&u->first, false)));
    }
    return array;
}
