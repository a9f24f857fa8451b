/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/workloads/workloads.h"

#include "replay/compare/ratio_text.h"
#include "trace/base/memory.h"
#include "trace/print/markdown.h"
#include "trace/print/screen.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 48, TEXT = 512, ABREAST = 5 /* libraries in one table */, HEAD = 11 };

/* --- a screen ---------------------------------------------------------------------------------------------------- */

/* "1.34+-14%": as far as the further end of the interval. */
static void further_text(const struct kt_ratio *r, char out[CELL])
{
    char times[16];
    double further = 100 * fmax(r->hi / r->value - 1, 1 - r->lo / r->value);
    if (isnan(r->value))
        snprintf(out, CELL, "-");
    else if (kt_ratio_verdict(r) == KT_CANNOT_TELL)
        snprintf(out, CELL, "cannot tell");
    else
        snprintf(out, CELL, "%s+-%.*f%%", kt_text_ratio(r->value, times), further < 10, further);
}

static void cell_text(const struct kt_workload_cell *cell, size_t lane, char out[CELL])
{
    char text[CELL];
    if (lane == 0)
        kt_text_seconds(cell->seconds, text);
    else
        further_text(&cell->ratio, text);
    snprintf(out, CELL, "%s%s%s%.*s", cell->wrong ? "!" : "", cell->unfinished ? "?" : "", cell->failed ? "*" : "",
             CELL - 4, text);
}

static struct kt_text_table *new_table(const struct kt_workloads *w, size_t from, size_t to, char head[][CELL])
{
    struct kt_column column[1 + ABREAST] = {{.head = "workload", .shrink = true}};
    for (size_t l = from; l < to; l++) {
        const char *label = w->lane[l].label;
        int length = (int)strlen(label);
        const char *threads = strrchr(label, ' ');
        int rest = threads && strlen(threads) < HEAD - 2 ? (int)strlen(threads) : 0;
        if (length > HEAD)
            snprintf(head[l - from], CELL, "%.*s..%s", HEAD - 2 - rest, label, label + length - rest);
        else
            snprintf(head[l - from], CELL, "%s", label);
        column[1 + l - from] = (struct kt_column){.head = head[l - from], .right = true};
    }
    return kt_text_table_new(column, 1 + to - from);
}

static void add_row(struct kt_text_table *table, const char *name, char cell[][CELL], size_t cells)
{
    const char *row[1 + ABREAST] = {name};
    for (size_t i = 0; i < cells; i++)
        row[1 + i] = cell[i];
    kt_text_table_row(table, row);
}

static void add_mean(const struct kt_workloads *w, struct kt_text_table *table, size_t from, size_t to)
{
    char cell[ABREAST][CELL];
    for (size_t l = from; l < to; l++)
        if (l)
            further_text(&w->lane[l].mean, cell[l - from]);
        else
            snprintf(cell[0], CELL, "1");
    add_row(table, "geometric mean", cell, to - from);
}

static void print_part(const struct kt_workloads *w, size_t from, size_t to)
{
    char cell[ABREAST][CELL];
    char name[TEXT];
    struct kt_text_table *table = new_table(w, from, to, cell);
    for (size_t i = 0; i < w->rows; i++) {
        const struct kt_workload_row *row = &w->row[i];
        if (row->why)
            continue;
        snprintf(name, sizeof name, "%.*s", row->name_length, row->name);
        for (size_t l = from; l < to; l++)
            cell_text(&row->cell[l], l, cell[l - from]);
        add_row(table, name, cell, to - from);
    }
    add_mean(w, table, from, to);
    kt_text_table_print(table);
    kt_text_table_free(table);
}

/* Libraries beside each other as far as there is room. */
static void print_tables(const struct kt_workloads *w)
{
    for (size_t from = 0; from < w->lanes; from += ABREAST)
        print_part(w, from, from + ABREAST < w->lanes ? from + ABREAST : w->lanes);
}

/* --- what it means ----------------------------------------------------------------------------------------------- */

/* Shapes of all cells. */
static struct kt_workload_cell count_all(const struct kt_workloads *w)
{
    struct kt_workload_cell all = {0};
    for (size_t i = 0; i < w->rows; i++)
        for (size_t l = 0; l < w->lanes && !w->row[i].why; l++) {
            all.wrong += w->row[i].cell[l].wrong;
            all.failed += w->row[i].cell[l].failed;
            all.unfinished += w->row[i].cell[l].unfinished;
        }
    return all;
}

static const char *const unfinished_means = "results of some calls are not checked: not finished within the time limit";
static const char *const failed_means = "cannot run some of the calls, which the ratio leaves out";

static void say_marks(const struct kt_workloads *w)
{
    const struct kt_workload_cell all = count_all(w);
    if (all.wrong)
        kt_screen_line("!: wrong results, which 'ktrace compare' of that workload shows");
    if (all.unfinished)
        kt_screen_line("?: %s", unfinished_means);
    if (all.failed)
        kt_screen_line("*: %s", failed_means);
}

static void say_not_compared(const struct kt_workloads *w)
{
    char text[2 * TEXT];
    for (size_t i = 0; i < w->rows; i++)
        if (w->row[i].why) {
            snprintf(text, sizeof text, "not compared: %s", w->row[i].why);
            kt_screen_finding(text);
        }
}

static void say_means_of_less(const struct kt_workloads *w)
{
    char text[TEXT];
    for (size_t l = 1; l < w->lanes; l++)
        if (w->lane[l].workloads < w->compared) {
            snprintf(text, sizeof text, "%s: the mean is of %zu of %zu workloads", w->lane[l].label,
                     w->lane[l].workloads, w->compared);
            kt_screen_finding(text);
        }
}

/* --- what is slower than allowed --------------------------------------------------------------------------------- */

static size_t beyond_of(const struct kt_workload_row *row)
{
    return json_array_size(json_object_get(json_object_get(row->said, "limit"), "beyond"));
}

/* "Fails in 2 of 7 workloads: slower than on old.so by more than 3 %" */
static void verdict_text(const struct kt_workloads *w, char *out, size_t size)
{
    size_t fails = 0;
    const double percent = 100 * w->options->fail_above;
    for (size_t i = 0; i < w->rows; i++)
        fails += !w->row[i].why && beyond_of(&w->row[i]) > 0;
    if (fails)
        snprintf(out, size, "Fails in %zu of %zu workloads: slower than on %s by more than %g %%", fails, w->compared,
                 w->lane[0].label, percent);
    else
        snprintf(out, size, "Passes: nothing is slower than on %s by more than %g %%", w->lane[0].label, percent);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void beyond_text(const json_t *beyond, char out[KT_RATIO_TEXT])
{
    const json_t *said = json_object_get(beyond, "ratio");
    const struct kt_ratio ratio = {number(said, "value"), number(said, "lo"), number(said, "hi"), 0};
    kt_ratio_text(&ratio, out);
}

/* The heaviest of each workload. */
static void say_beyond(const struct kt_workloads *w)
{
    char text[2 * TEXT];
    char ratio[KT_RATIO_TEXT];
    verdict_text(w, text, sizeof text);
    kt_screen_finding(text);
    for (size_t i = 0; i < w->rows; i++) {
        const struct kt_workload_row *row = &w->row[i];
        if (row->why || !beyond_of(row))
            continue;
        const json_t *first = json_array_get(json_object_get(json_object_get(row->said, "limit"), "beyond"), 0);
        beyond_text(first, ratio);
        snprintf(text, sizeof text, "%.*s: %zu, such as %s on %s: %s", row->name_length, row->name, beyond_of(row),
                 text_of(first, "what"), text_of(first, "library"), ratio);
        kt_screen_finding(text);
    }
}

void kt_workloads_print(const struct kt_workloads *w)
{
    char seconds[CELL];
    if (w->reused == w->compared)
        kt_screen_line("%s of %s, as measured before", KT_COUNT(w->compared, "workload"), w->options->workloads);
    else
        kt_screen_line("%s of %s, compared in %s", KT_COUNT(w->compared, "workload"), w->options->workloads,
                       kt_text_seconds(w->spent, seconds));
    print_tables(w);
    kt_screen_line("ratios: replayed times over those of %s", w->lane[0].label);
    kt_screen_line("+-: distance to the further end of the 95 %% interval");
    say_marks(w);
    say_not_compared(w);
    say_means_of_less(w);
    if (w->options->fail_above >= 0)
        say_beyond(w);
}

/* --- a comment --------------------------------------------------------------------------------------------------- */

static void mark_ratio(const struct kt_ratio *r)
{
    char text[KT_RATIO_TEXT];
    if (isnan(r->value))
        printf(" - |");
    else if (kt_ratio_verdict(r) == KT_CANNOT_TELL)
        printf(" cannot tell (%s) |", kt_ratio_interval_text(r, text));
    else
        printf(" %s |", kt_ratio_text(r, text));
}

static void mark_row(const struct kt_workloads *w, const struct kt_workload_row *row)
{
    char text[TEXT];
    snprintf(text, sizeof text, "%.*s", row->name_length, row->name);
    printf("| ");
    kt_markdown_code(stdout, text);
    printf(" | %s%s%s |", row->cell[0].wrong ? "**wrong** " : "", row->cell[0].unfinished ? "? " : "",
           kt_text_seconds(row->cell[0].seconds, text));
    for (size_t l = 1; l < w->lanes; l++) {
        const struct kt_workload_cell *cell = &row->cell[l];
        printf("%s%s%s", cell->wrong ? " **wrong**" : "", cell->unfinished ? " ?" : "", cell->failed ? " \\*" : "");
        mark_ratio(&cell->ratio);
    }
    printf("\n");
}

static void mark_table(const struct kt_workloads *w)
{
    printf("\n| workload |");
    for (size_t l = 0; l < w->lanes; l++) {
        printf(" ");
        kt_markdown_code(stdout, w->lane[l].label);
        printf(" |");
    }
    printf("\n|---|");
    for (size_t l = 0; l < w->lanes; l++)
        printf("--:|");
    printf("\n");
    for (size_t i = 0; i < w->rows; i++)
        if (!w->row[i].why)
            mark_row(w, &w->row[i]);
    printf("| geometric mean | 1 |");
    for (size_t l = 1; l < w->lanes; l++)
        mark_ratio(&w->lane[l].mean);
    printf("\n");
    const struct kt_workload_cell all = count_all(w);
    if (all.unfinished)
        printf("\n?: %s.\n", unfinished_means);
    if (all.failed)
        printf("\n\\*: %s.\n", failed_means);
}

static void mark_beyond(const struct kt_workload_row *row)
{
    size_t i;
    json_t *one;
    char text[TEXT];
    json_array_foreach(json_object_get(json_object_get(row->said, "limit"), "beyond"), i, one)
    {
        snprintf(text, sizeof text, "%.*s", row->name_length, row->name);
        printf("| ");
        kt_markdown_code(stdout, text);
        printf(" | ");
        kt_markdown_code(stdout, text_of(one, "what"));
        printf(" | ");
        kt_markdown_code(stdout, text_of(one, "library"));
        beyond_text(one, text);
        printf(" | %s |\n", text);
    }
}

static void mark_all_beyond(const struct kt_workloads *w)
{
    size_t count = 0;
    for (size_t i = 0; i < w->rows; i++)
        count += w->row[i].why ? 0 : beyond_of(&w->row[i]);
    if (!count)
        return;
    printf("\n| workload | slower | library | ratio (95 %%) |\n|---|---|---|--:|\n");
    for (size_t i = 0; i < w->rows; i++)
        if (!w->row[i].why)
            mark_beyond(&w->row[i]);
}

void kt_workloads_markdown(const struct kt_workloads *w)
{
    char text[TEXT];
    verdict_text(w, text, sizeof text);
    if (w->options->fail_above >= 0)
        printf("**%s.** ", text);
    printf("Replayed times: seconds on %s, and ratios to that with 95 %% intervals.\n", w->lane[0].label);
    mark_table(w);
    mark_all_beyond(w);
    for (size_t i = 0; i < w->rows; i++)
        if (w->row[i].why) {
            printf("\nNot compared: ");
            kt_markdown_code(stdout, w->row[i].why);
            printf("\n");
        }
}
