/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/roofline/roofline_text.h"

#include "trace/command/document.h"
#include "model/roofline/hardware_events.h"
#include "trace/command/about.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- text -------------------------------------------------------------------------------------------------- */

static void print_point(const struct kt_roofline *roofline, struct kt_text_table *table,
                        const struct kt_roofline_point *p)
{
    char cell[6][32];
    char name[KT_POINT_TEXT + 40];
    const char *row[] = {cell[0], name, cell[1], cell[2], cell[3], cell[4], kt_point_source_name[p->source]};
    snprintf(cell[0], sizeof cell[0], "%.0zu", p->number);
    snprintf(name, sizeof name, "%s %s%s%s", p->routine, p->shape, roofline->count > 1 ? ", " : "",
             roofline->count > 1 ? roofline->series[p->series].name : "");
    kt_text_percent(p->share, cell[1]);
    snprintf(cell[2], sizeof cell[2], "%.3g", p->intensity.median);
    snprintf(cell[3], sizeof cell[3], "%.3g", p->rate.median);
    kt_text_percent(p->rate.median / kt_point_limit(roofline, p), cell[4]);
    for (int i = 2; i <= 3; i++)
        if (strstr(cell[i], "nan"))
            snprintf(cell[i], sizeof cell[i], "n/a");
    kt_text_table_row(table, row);
}

static void print_points(const struct kt_roofline *roofline)
{
    static const struct kt_column column[] = {
        {"#", true, false},          {"shape", false, true},   {"share", true, false},     {"flop/B", true, false},
        {"flop/cycle", true, false}, {"of roof", true, false}, {"intensity", false, false}};
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < roofline->points; i++) {
        const struct kt_roofline_point *p = &roofline->point[i];
        if (p->leads && kt_roofline_shows(roofline, p) && (p->number || kt_point_is_drawable(p)))
            print_point(roofline, table, p);
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
}

static void ratio_text(double counted, double modelled, char out[32])
{
    snprintf(out, 32, counted / modelled > 0 ? "%.3g" : "n/a", counted / modelled);
}

/* A number with three digits, or n/a. */
static void value_text(double value, char out[32])
{
    snprintf(out, 32, isnan(value) ? "n/a" : "%.4g", value);
}

static void name_point(const struct kt_roofline_point *p, char number[32], char name[KT_POINT_TEXT + 40])
{
    snprintf(number, 32, "%.0zu", p->number);
    snprintf(name, KT_POINT_TEXT + 40, "%s %s", p->routine, p->shape);
}

static void print_counted(struct kt_text_table *table, const struct kt_roofline_point *p)
{
    char cell[7][32];
    char name[KT_POINT_TEXT + 40];
    const char *row[] = {cell[0], name, cell[1], cell[2], cell[3], cell[4], cell[5], cell[6]};
    name_point(p, cell[0], name);
    value_text(p->work.flops, cell[1]);
    value_text(p->flops_counted, cell[2]);
    ratio_text(p->flops_counted, p->work.flops, cell[3]);
    value_text(p->traffic, cell[4]);
    value_text(p->traffic_counted, cell[5]);
    ratio_text(p->traffic_counted, p->traffic, cell[6]);
    kt_text_table_row(table, row);
}

static void print_tracked(struct kt_text_table *table, const struct kt_roofline_point *p)
{
    char cell[4][32];
    char name[KT_POINT_TEXT + 40];
    const char *row[] = {cell[0], name, cell[1], cell[2], cell[3]};
    name_point(p, cell[0], name);
    value_text(p->traffic, cell[1]);
    value_text(p->traffic_tracked, cell[2]);
    kt_text_percent(p->traffic_tracked / p->traffic, cell[3]);
    kt_text_table_row(table, row);
}

static bool was_counted(const struct kt_roofline_point *p)
{
    return !isnan(p->flops_counted) || !isnan(p->traffic_counted);
}

static bool was_tracked(const struct kt_roofline_point *p)
{
    return !isnan(p->traffic_tracked);
}

/* A table of the numbered shapes of which something more is known; nothing if it is of none. */
static void print_more(const struct kt_roofline *roofline, const char *heading, struct kt_text_table *table,
                       bool (*has)(const struct kt_roofline_point *p),
                       void (*print)(struct kt_text_table *table, const struct kt_roofline_point *p))
{
    bool any = false;
    for (size_t i = 0; i < roofline->points; i++) {
        const struct kt_roofline_point *p = &roofline->point[i];
        if (!p->leads || !p->number || !has(p))
            continue;
        any = true;
        print(table, p);
    }
    if (any) {
        printf("\n%s:\n", heading);
        kt_text_table_print(table);
    }
    kt_text_table_free(table);
}

static void print_counts(const struct kt_roofline *roofline)
{
    static const struct kt_column counted[] = {{"#", true, false},       {"shape", false, true}, {"flops", true, false},
                                               {"counted", true, false}, {"ratio", true, false}, {"bytes", true, false},
                                               {"counted", true, false}, {"ratio", true, false}};
    static const struct kt_column tracked[] = {{"#", true, false},
                                               {"shape", false, true},
                                               {"bytes", true, false},
                                               {"from memory", true, false},
                                               {"part", true, false}};
    print_more(roofline, "Work and memory traffic of a call, modelled and counted (medians)",
               kt_text_table_new(counted, sizeof counted / sizeof *counted), was_counted, print_counted);
    print_more(roofline, "Bytes that in situ came from memory, by the cache model (mean of a call)",
               kt_text_table_new(tracked, sizeof tracked / sizeof *tracked), was_tracked, print_tracked);
}

/* What is not in the picture, and why. */
static void print_left_out(const struct kt_roofline *roofline)
{
    struct kt_unplaced left_out[KT_LEFT_OUT_REASONS];
    kt_roofline_left_out(roofline, left_out);
    for (int i = 0; i < KT_LEFT_OUT_REASONS; i++) {
        char text[256];
        if (!left_out[i].shapes)
            continue;
        snprintf(text, sizeof text, "Left out: %s with %.1f %% of the time: %s.", KT_COUNT(left_out[i].shapes, "shape"),
                 100 * left_out[i].share, kt_left_out_text[i]);
        kt_text_wrap(0, 0, text);
    }
}

/* Roofs that nobody measured, and counts that would mislead. */
static void print_missing(const struct kt_roofline *roofline)
{
    for (size_t s = 0; s < roofline->count; s++) {
        const struct kt_point_series *series = &roofline->series[s];
        const struct kt_roofs *roofs = &roofline->roofs[series->roofs];
        if (!kt_roofs_flops(roofs, false, series->cores) || !kt_roofs_bytes(roofs, "memory", series->cores))
            printf("Roofs of %s are not known: 'ktrace replay' measures them for its trace, 'ktrace\n"
                   "probe' those of one core and of all.\n",
                   KT_COUNT(series->cores, "core"));
        if (series->uncounted)
            printf("Counts are left out: they are of the calling thread, one of %d.\n", series->threads);
    }
}

/* What cannot be, told rather than hidden. */
static void print_above(const struct kt_roofline *roofline)
{
    size_t above = 0;
    double most = 0;
    for (size_t i = 0; i < roofline->points; i++)
        if (kt_point_is_above(roofline, &roofline->point[i])) {
            above++;
            most = fmax(most, kt_point_excess(roofline, &roofline->point[i]));
        }
    if (above)
        printf("Above every roof: %s, by %.0f %% at most. Roofs are too low\n"
               "('ktrace probe' on an idle machine raises them), or calls too short to be timed.\n",
               KT_COUNT(above, "point"), 100 * (most - 1));
}

static void print_ridges(const struct kt_roofs *roofs)
{
    const char *label = "ridge";
    for (size_t i = 0; i < roofs->count; i++) {
        double ridge = kt_roofs_ridge_at(roofs, &roofs->roof[i]);
        char cores[32] = "";
        if (isnan(ridge))
            continue;
        if (roofs->roof[i].cores > 1)
            snprintf(cores, sizeof cores, " on %d cores", roofs->roof[i].cores);
        kt_about_line(label, "%.3g flop/byte from memory%s; cycles of %.2f GHz", ridge, cores, roofs->hz * 1e-9);
        label = "";
    }
}

static void print_roofs(const struct kt_roofs *roofs)
{
    if (*roofs->machine)
        kt_about_line("machine", "of %s", roofs->machine);
    for (size_t i = 0; i < roofs->count; i++) {
        const struct kt_roof *roof = &roofs->roof[i];
        char rate[32];
        bool flops = roof->kind == KT_ROOF_FLOPS;
        if (!roof->is_main)
            continue;
        kt_text_rate(roof->value * roofs->hz, flops ? "flop/s" : "B/s", rate, sizeof rate);
        kt_about_line(i ? "" : "roofs", "%-28s %6.3g %s  %s", roof->name, roof->value,
                      flops ? "flop/cycle" : "byte/cycle", rate);
    }
    print_ridges(roofs);
}

static const char *head_of(size_t series)
{
    static const char *const head[KT_MOST_SERIES] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    return head[series];
}

enum { MOST_SIZES = 64 };

/* Of the point with that number, in that series, its intensity or its rate. A size may have been timed in some series
 * only: where it takes less than reading the clock it has no time. */
static void cell_text(const struct kt_roofline *roofline, size_t series, size_t number, bool intensity, char out[32])
{
    snprintf(out, 32, "n/a");
    for (size_t i = 0; i < roofline->points; i++) {
        const struct kt_roofline_point *p = &roofline->point[i];
        if (p->series == series && p->number == number)
            snprintf(out, 32, "%.3g", intensity ? p->intensity.median : p->rate.median);
    }
}

static const struct kt_roofline_point *point_numbered(const struct kt_roofline *roofline, size_t number)
{
    for (size_t i = 0; i < roofline->points; i++)
        if (roofline->point[i].number == number)
            return &roofline->point[i];
    return NULL;
}

/* Sizes in rows, some of the series in columns. */
static void print_sizes(const struct kt_roofline *roofline, const char *heading, bool intensity, const size_t *series,
                        size_t count)
{
    struct kt_column column[1 + KT_MOST_SERIES] = {{"n", true, false}};
    char cell[1 + KT_MOST_SERIES][32];
    const char *row[1 + KT_MOST_SERIES] = {cell[0]};
    for (size_t s = 0; s < count; s++) {
        column[1 + s] = (struct kt_column){head_of(series[s]), true, false};
        row[1 + s] = cell[1 + s];
    }
    printf("\n%s:\n", heading);
    struct kt_text_table *table = kt_text_table_new(column, 1 + count);
    for (size_t number = 1; number <= MOST_SIZES; number++) {
        const struct kt_roofline_point *p = point_numbered(roofline, number);
        if (!p)
            continue;
        snprintf(cell[0], sizeof cell[0], "%.31s", p->shape + strcspn(p->shape, "0123456789"));
        for (size_t s = 0; s < count; s++)
            cell_text(roofline, series[s], number, intensity, cell[1 + s]);
        kt_text_table_row(table, row);
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
}

static const char *kernel_of(const struct kt_roofline *roofline, size_t series)
{
    for (size_t i = 0; i < roofline->points; i++)
        if (roofline->point[i].series == series)
            return roofline->point[i].routine;
    return "";
}

/* The first series of each kernel: its intensity is that of the others. */
static size_t first_series(const struct kt_roofline *roofline, size_t out[KT_MOST_SERIES])
{
    size_t count = 0;
    for (size_t s = 0; s < roofline->count; s++) {
        size_t before = 0;
        while (before < s && strcmp(kernel_of(roofline, before), kernel_of(roofline, s)) != 0)
            before++;
        if (before == s)
            out[count++] = s;
    }
    return count;
}

/* Kernels: their sizes in rows; libraries, kernels and states in columns. */
static void print_kernels(const struct kt_roofline *roofline)
{
    static const size_t all[KT_MOST_SERIES] = {0, 1, 2, 3, 4, 5, 6, 7};
    size_t first[KT_MOST_SERIES];
    size_t kernels = first_series(roofline, first);
    for (size_t s = 0; s < roofline->count; s++)
        printf("%zu  %s, %s\n", s + 1, roofline->series[s].name, roofline->series[s].label);
    print_sizes(roofline, "flops per byte", true, first, kernels);
    print_sizes(roofline, "flops per cycle", false, all, roofline->count);
    printf("Times: %s of single calls, n/a where they are shorter than\n"
           "reading the clock. Intensity: modelled, operands from memory.\n",
           kt_roofline_statistic(roofline));
}

void kt_roofline_print(const struct kt_roofline *roofline)
{
    for (size_t m = 0; m < roofline->machines; m++)
        print_roofs(&roofline->roofs[m]);
    printf("\n");
    if (roofline->lined) {
        print_kernels(roofline);
        print_above(roofline);
        return;
    }
    print_points(roofline);
    print_counts(roofline);
    print_left_out(roofline);
    print_missing(roofline);
    print_above(roofline);
    printf("of roof: of what is attainable at that intensity with operands in memory; above\n"
           "100 %%: they came from caches. Modelled intensity: operands loaded once, results\n"
           "stored as far as they exceed the last cache.\n");
}

/* --- events ------------------------------------------------------------------------------------------------ */

static json_t *candidate_json(enum kt_countable countable, const struct kt_event_candidate *c)
{
    json_t *terms = json_array();
    for (int i = 0; c && i < KT_EVENT_TERMS && c->term[i].event; i++)
        json_array_append_new(terms, json_pack("{sf ss}", "weight", c->term[i].weight, "event", c->term[i].event));
    return json_pack("{ss ss ss? ss? so}", "quantity", kt_countable_name[countable], "unit",
                     kt_countable_unit[countable], "processor", c ? c->processor : NULL, "text", c ? c->text : NULL,
                     "terms", terms);
}

static void print_candidate(enum kt_countable countable, const struct kt_event_candidate *c)
{
    printf("%s, %s: %s%s%s\n", kt_countable_name[countable], kt_countable_unit[countable], c ? c->text : "n/a",
           c ? "; " : "", c ? c->processor : "");
    for (int i = 0; c && i < KT_EVENT_TERMS && c->term[i].event; i++)
        printf("    %s%g x %s\n", i ? "+ " : "  ", c->term[i].weight, c->term[i].event);
}

/* What this machine counts, and how to have it recorded. */
void kt_roofline_show_events(bool json)
{
    const struct kt_event_candidate *chosen[KT_COUNTABLES_COUNT];
    char setting[512];
    json_t *list = json_array();
    kt_events_choose(kt_event_is_here, NULL, chosen);
    kt_events_setting(chosen, setting, sizeof setting);
    for (int q = 0; q < KT_COUNTABLES_COUNT; q++) {
        json_array_append_new(list, candidate_json((enum kt_countable)q, chosen[q]));
        if (!json)
            print_candidate((enum kt_countable)q, chosen[q]);
    }
    if (json)
        kt_document_print(&kt_document_roofline_events,
                          json_pack("{so ss}", "quantities", json_incref(list), "setting", setting));
    else if (*setting)
        printf("\nTo have them counted: KTRACE_EVENTS=%s ktrace run ...\n", setting);
    else
        printf("\nNothing can be counted here: no such counters, no libpfm4, or perf_event_paranoid forbids it.\n"
               "Intensities are then modelled from the arguments of calls.\n");
    json_decref(list);
}
