/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/advise/advised.h"

#include "replay/compare/ratio_text.h"
#include "trace/command/about.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 78, SHAPE_WIDTH = 60, CELL = 128, INDENT = 3, TEXT = 512 };

/* --- advice ------------------------------------------------------------------------------------------------ */

/* Words of a sentence in lines, behind an indentation. */
static void print_words(const char *text)
{
    size_t used = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (used && INDENT + used + 1 + length > WIDTH) {
            printf("\n");
            used = 0;
        }
        printf("%*s%.*s", used ? 1 : INDENT, used ? " " : "", (int)length, text);
        used += length + (used > 0);
        text += length + strspn(text + length, " ");
    }
    printf("\n");
}

static void print_head(const struct kt_advised_list *list, size_t g)
{
    char change[KT_CHANGE_TEXT];
    char seconds[3][16];
    char share[16];
    const struct kt_advised *a = &list->advised[g];
    const struct kt_proposal *c = &list->trials->candidate[a->member[0]];
    kt_text_percent(a->seconds / list->program, share);
    printf("%zu. %s: %s less (%s to %s), %s of the program\n", g + 1, kt_change_text(c, change),
           kt_text_seconds(a->seconds, seconds[0]), kt_text_seconds(a->lo, seconds[1]),
           kt_text_seconds(a->hi, seconds[2]), share + strspn(share, " "));
}

static void print_shape(const struct kt_advised_list *list, const struct kt_advised *a)
{
    char place[CELL];
    char shape[SHAPE_WIDTH + 1];
    const struct kt_proposal *c = &list->trials->candidate[a->member[0]];
    kt_shape_source_text(&list->source[c->number], place, sizeof place);
    kt_shape_text(&c->shape->first, shape, SHAPE_WIDTH);
    if (*place)
        printf("%*sat %s\n", INDENT, "", place);
    printf("%*s%s: %s%s\n", INDENT, "", KT_COUNT(c->calls, "call"), shape, a->members > 1 ? ", and others:" : "");
    if (a->members > 1)
        printf("%*s%zu shapes, of which this takes most time\n", INDENT, "", a->members);
}

static void print_times(const struct kt_tried *tried, const struct kt_proposal *c)
{
    char seconds[3][16];
    char times[16];
    char interval[KT_RATIO_TEXT];
    char each[48] = "";
    if (c->each > 1)
        snprintf(each, sizeof each, " for %.0f calls", c->each);
    printf("%*sin the program %s%s\n", INDENT, "", kt_text_seconds(c->each * c->seconds / c->calls, seconds[0]), each);
    printf("%*sreplayed %s, changed %s (ratio %s, %s)\n", INDENT, "", kt_text_seconds(tried->recorded, seconds[1]),
           kt_text_seconds(tried->other, seconds[2]), kt_text_ratio(tried->ratio.value, times),
           kt_ratio_interval_text(&tried->ratio, interval));
}

static void print_advised(const struct kt_advised_list *list, size_t g)
{
    char words[TEXT];
    const struct kt_advised *a = &list->advised[g];
    const struct kt_proposal *c = &list->trials->candidate[a->member[0]];
    print_head(list, g);
    print_shape(list, a);
    print_times(&list->trials->tried[a->member[0]], c);
    snprintf(words, sizeof words, "%s (rule %s)",
             kt_advised_is_python(&list->source[c->number]) ? c->rule->python : c->rule->what, c->rule->name);
    print_words(words);
}

/* --- all that was tried ------------------------------------------------------------------------------------ */

static void add_row(const struct kt_advised_list *list, struct kt_text_table *table, size_t i)
{
    char change[KT_CHANGE_TEXT];
    char shape[SHAPE_WIDTH + 1];
    char cell[3][CELL];
    char ratio[KT_RATIO_TEXT] = "";
    const struct kt_proposal *c = &list->trials->candidate[i];
    const struct kt_tried *tried = &list->trials->tried[i];
    kt_shape_text(&c->shape->first, shape, SHAPE_WIDTH);
    kt_text_seconds(c->seconds, cell[0]);
    if (tried->pairs)
        kt_ratio_text(&tried->ratio, ratio);
    snprintf(cell[2], CELL, "%s%s%.80s", kt_outcome_text[list->outcome[i]], tried->failure ? ": " : "",
             tried->failure ? tried->failure : "");
    kt_text_table_row(table,
                      (const char *const[]){kt_change_text(c, change), c->rule->name, shape, cell[0], ratio, cell[2]});
}

static void print_others(const struct kt_advised_list *list)
{
    static const struct kt_column column[] = {{.head = "change"},
                                              {.head = "rule"},
                                              {.head = "shape", .shrink = true},
                                              {.head = "time", .right = true},
                                              {.head = "ratio (interval)"},
                                              {.head = "outcome", .shrink = true}};
    size_t rows = 0;
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < list->trials->count; i++)
        if (list->outcome[i] != KT_OUTCOME_ADVISED) {
            add_row(list, table, i);
            rows++;
        }
    if (rows) {
        printf("\n");
        kt_heading("Tried and not advised");
        kt_text_table_print(table);
    }
    kt_text_table_free(table);
}

static size_t count_shapes(const struct kt_trials *t)
{
    size_t shapes = 0;
    for (size_t i = 0; i < t->count; i++)
        shapes += i == 0 || t->candidate[i].number != t->candidate[i - 1].number;
    return shapes;
}

void kt_advised_print(const struct kt_advised_list *list, bool all)
{
    char seconds[2][16];
    char processes[KT_ABOUT_PROCESSES];
    size_t tried = list->trials->count;
    printf("%s%s, of which BLAS and LAPACK take %s; %s tried on %s\n\n", kt_text_seconds(list->program, seconds[0]),
           kt_about_processes(&list->trials->setup->trace, processes), kt_text_seconds(list->blas, seconds[1]),
           KT_COUNT(tried, "change"), KT_COUNT(count_shapes(list->trials), "shape"));
    for (size_t g = 0; g < list->count; g++) {
        printf("%s", g ? "\n" : "");
        print_advised(list, g);
    }
    if (tried == 0)
        kt_text_say("Nothing to try: no rule fits a call of this program that takes time (doc/advise.md lists them).");
    else if (list->count == 0)
        printf("No change that was tried is worth %.1f %% of the program.\n", 100 * KT_WORTH_ADVICE);
    if (all)
        print_others(list);
}
