/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/beyond.h"
#include "replay/compare/comparison.h"
#include "replay/compare/ratio_text.h"

#include "replay/result/result.h"
#include "trace/command/about.h"
#include "trace/print/text.h"
#include "trace/shape/shape_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { WORDS = 256, ROWS = 15, CELL = 48, HEAD_WIDTH = 9, ABREAST = 3 /* libraries in one table */ };

/* --- libraries --------------------------------------------------------------------------------------------- */

/* "+-1.2 %": half the width of the interval. */
static void spread_text(const struct kt_comparison *c, size_t lane, char *out)
{
    const struct kt_lane_sum *sum = &c->sum[lane];
    double half = c->pace * c->scale * (sum->hi - sum->lo) / 2 / kt_comparison_blas(c, lane);
    *out = '\0';
    if (!isnan(half))
        snprintf(out, CELL, "+-%.1f %%", 100 * half);
}

/* Why nothing can be told, where the interval does not show it. */
static bool has_too_few_pairs(const struct kt_comparison *c, size_t lane)
{
    struct kt_ratio ratio = kt_comparison_multiple(c, lane);
    return lane && !isnan(ratio.value) && ratio.n < KT_FEWEST_PAIRS;
}

static void verdict_cell(const struct kt_comparison *c, size_t lane, char out[CELL])
{
    const char *verdict = kt_comparison_verdict(c, lane);
    if (has_too_few_pairs(c, lane))
        snprintf(out, CELL, "%s: %s", verdict, KT_COUNT(c->sum[lane].ratio.n, "pair"));
    else
        snprintf(out, CELL, "%s", verdict);
}

/* Tables cut what is too long at its end, where labels of one name differ: which copy, how many threads. */
static void label_cell(const struct kt_comparison *c, size_t lane, char out[CELL])
{
    enum { ROOM = 13 };
    const char *label = c->label[lane];
    const char *differs = strchr(label, ' ');
    int rest = differs ? (int)strlen(differs) : 0;
    if (differs && (int)strlen(label) > ROOM && rest < ROOM - 2)
        snprintf(out, CELL, "%zu %.*s..%s", lane + 1, ROOM - 2 - rest, label, differs);
    else
        snprintf(out, CELL, "%zu %s", lane + 1, label);
}

static void add_library_row(const struct kt_comparison *c, struct kt_text_table *table, size_t l)
{
    char cell[7][CELL];
    char interval[KT_RATIO_TEXT];
    struct kt_ratio ratio = kt_comparison_multiple(c, l);
    bool known = !isnan(ratio.value);
    kt_text_seconds(kt_comparison_blas(c, l), cell[0]);
    spread_text(c, l, cell[1]);
    kt_text_ratio(ratio.value, cell[2]);
    *interval = '\0';
    if (l && known)
        kt_ratio_interval_text(&ratio, interval);
    kt_text_seconds(kt_comparison_application(c, l), cell[4]);
    label_cell(c, l, cell[5]);
    verdict_cell(c, l, cell[6]);
    kt_text_table_row(table, (const char *const[]){cell[5], cell[0], cell[1], cell[2], interval, cell[4], cell[6]});
}

static void print_libraries(const struct kt_comparison *c)
{
    enum { SPREAD = 2 /* the interval says it, too */ };
    static const struct kt_column column[] = {{.head = "  library", .shrink = true},
                                              {.head = "predicted", .right = true},
                                              {.head = "", .right = true},
                                              {.head = "ratio", .right = true},
                                              {.head = "95 % interval"},
                                              {.head = "program", .right = true},
                                              {.head = "verdict"}};
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    kt_text_table_spare(table, SPREAD);
    for (size_t l = 0; l < c->libraries; l++)
        add_library_row(c, table, l);
    kt_text_table_print(table);
    kt_text_table_free(table);
    for (size_t l = 1; l < c->libraries; l++)
        if (has_too_few_pairs(c, l)) {
            printf("A verdict needs %d pairs of times: give a longer --budget. Intervals of fewer are\n"
                   "the range that was seen.\n",
                   KT_FEWEST_PAIRS);
            return;
        }
}

static void print_pace(const struct kt_comparison *c)
{
    char seconds[CELL];
    char times[16];
    if (c->is_as_recorded)
        printf("Predicted: replays times %s, and %s for what calls waited in the program.\n",
               kt_text_ratio(c->pace, times), kt_text_seconds(c->waited, seconds));
    if (c->contention > 0)
        printf("%s more on the recorded library alone, whose threads the program's OpenMP\n"
               "threads kept from their processors: it may be more, or less.\n",
               kt_text_seconds(c->contention, seconds));
    else if (kt_comparison_is_contended(c))
        printf("Much of that is what held calls up, perhaps threads of the program that wait\n"
               "busily where the library's run: it may be more, or less, on other libraries.\n");
}

/* A library that does much when it is first called says more in a short program than in a long one. */
static void print_first_calls(const struct kt_comparison *c)
{
    static const double worth_a_word = 0.01; /* of what BLAS takes */
    char seconds[CELL];
    for (size_t l = 0; l < c->libraries; l++)
        if (c->first_calls[l] > worth_a_word * kt_comparison_blas(c, l))
            kt_text_say("%s: %s of that is what first calls in a process take beyond others.", c->label[l],
                        kt_text_seconds(c->first_calls[l], seconds));
}

static void print_lacking(const struct kt_comparison *c)
{
    char seconds[CELL];
    for (size_t l = 1; l < c->libraries; l++)
        if (c->sum[l].failed)
            kt_text_say("%s does not run %s (%s on %s): counted with that time.", c->label[l],
                        KT_COUNT(c->sum[l].failed, "shape"), kt_text_seconds(c->sum[l].lacking, seconds), c->label[0]);
}

/* Who is not told apart from the best one. */
static void print_best(const struct kt_comparison *c)
{
    const struct kt_mix *mix = &c->mix;
    const char *best = c->label[mix->library];
    char text[(KT_LANE_LABEL + 2) * KT_MOST_LANES + CELL] = "";
    char seconds[CELL];
    char times[16];
    for (size_t l = 0, used = 0; l < c->libraries; l++)
        if (l != mix->library && !mix->is_apart[l])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     used ? ", " : "; not told apart: ", c->label[l]);
    printf("\n");
    kt_text_say("Best: %s%s.", best, text);
    if (kt_mix_wins(mix))
        kt_text_say(
            "Each shape on its best: %s, %s of %s alone (%s elsewhere): an upper bound of what there is to win.",
            kt_text_seconds(mix->seconds, seconds), kt_text_ratio(mix->ratio, times), best,
            KT_COUNT(mix->elsewhere, "shape"));
    else if (!mix->elsewhere)
        kt_text_say("No shape is for certain faster on another library than on %s.", best);
}

/* --- routines and shapes ----------------------------------------------------------------------------------- */

/* A row of a table that lists the baseline's time and ratios of the lanes FROM..TO-1. */
struct row {
    const char *text;
    double calls, share, seconds; /* on the baseline */
    const struct kt_ratio *ratio[KT_MOST_LANES];
    char best[8]; /* its number */
};

enum { SHARE = 2 /* its column */, COLUMNS = 5 + ABREAST };

/* Of the name what there is room for, without a broken last part: "openblas" of openblas-serial. */
static int head_width(const char *label)
{
    enum { LEAST = 4 };
    int width = HEAD_WIDTH;
    if (strlen(label) <= HEAD_WIDTH)
        return width;
    while (width >= LEAST && label[width] != '-')
        width--;
    return width >= LEAST ? width : HEAD_WIDTH;
}

static struct kt_text_table *new_table(const struct kt_comparison *c, const char *head, size_t from, size_t to)
{
    char name[ABREAST][CELL];
    bool short_names = !strcmp(head, "shape"); /* the shape itself needs the room */
    struct kt_column column[COLUMNS] = {{.head = head, .shrink = true},
                                        {.head = "calls", .right = true},
                                        {.head = "share", .right = true},
                                        {.head = "time", .right = true}};
    size_t columns = 4;
    for (size_t l = from; l < to; l++) {
        snprintf(name[l - from], sizeof name[0], "%zu %.*s", l + 1, short_names ? 0 : head_width(c->label[l]),
                 c->label[l]);
        column[columns++] = (struct kt_column){.head = name[l - from], .right = true};
    }
    column[columns++] = (struct kt_column){.head = "best", .right = true};
    struct kt_text_table *table = kt_text_table_new(column, columns);
    kt_text_table_spare(table, SHARE);
    return table;
}

static void add_row(struct kt_text_table *table, const struct row *row, size_t from, size_t to)
{
    char text[COLUMNS][CELL];
    char times[16];
    const char *cell[COLUMNS] = {row->text};
    size_t columns = 4;
    kt_text_count(row->calls, text[1]);
    kt_text_percent(row->share, text[2]);
    kt_text_seconds(row->seconds, text[3]);
    for (size_t l = from; l < to; l++) {
        enum kt_verdict said = kt_ratio_verdict(row->ratio[l]);
        bool certain = said == KT_FASTER || said == KT_SLOWER;
        bool known = !isnan(row->ratio[l]->value);
        snprintf(text[columns++], CELL, known ? "%s%s" : "-", certain ? "" : "~",
                 kt_text_ratio(row->ratio[l]->value, times));
    }
    snprintf(text[columns++], CELL, "%s", row->best);
    for (size_t i = 1; i < columns; i++)
        cell[i] = text[i];
    kt_text_table_row(table, cell);
}

static void set_best(struct row *row, size_t best, bool certain)
{
    snprintf(row->best, sizeof row->best, "%s%u", certain ? "" : "~", (unsigned)best % KT_MOST_LANES + 1);
}

static struct row routine_row(const struct kt_comparison *c, const struct kt_routine_sum *r)
{
    struct row row = {.text = r->name,
                      .calls = r->calls,
                      .share = r->lane[0].seconds / c->sum[0].seconds,
                      .seconds = r->lane[0].seconds};
    for (size_t l = 0; l < c->libraries; l++)
        row.ratio[l] = &r->lane[l].ratio;
    set_best(&row, r->best, r->is_certain);
    return row;
}

static bool is_told_apart(const struct kt_comparison *c, size_t shape, size_t lane, size_t best)
{
    struct kt_ratio paired = kt_comparison_ratio(c, &shape, 1, lane, best);
    return kt_ratio_is_apart(&kt_comparison_cell(c, shape, lane)->ratio, &kt_comparison_cell(c, shape, best)->ratio,
                             lane && best ? &paired : NULL);
}

size_t kt_comparison_shape_best(const struct kt_comparison *c, size_t shape, bool *is_certain)
{
    size_t best = 0;
    for (size_t l = 1; l < c->libraries; l++)
        if (kt_comparison_cell(c, shape, l)->ratio.value < kt_comparison_cell(c, shape, best)->ratio.value)
            best = l;
    *is_certain = true;
    for (size_t l = 0; l < c->libraries && *is_certain; l++)
        *is_certain = l == best || is_told_apart(c, shape, l, best);
    return best;
}

/* Of the shape I; TEXT has room for it. */
static struct row shape_row(const struct kt_comparison *c, size_t i, char text[WORDS])
{
    const struct kt_job *job = &c->setup.jobs.job[i];
    double calls = (double)job->shape->calls;
    double seconds = kt_comparison_cell(c, i, 0)->time.best;
    struct row row = {.text = text, .calls = calls, .share = calls * seconds / c->sum[0].seconds, .seconds = seconds};
    bool certain;
    for (size_t l = 0; l < c->libraries; l++)
        row.ratio[l] = &kt_comparison_cell(c, i, l)->ratio;
    size_t best = kt_comparison_shape_best(c, i, &certain);
    kt_shape_words(&job->shape->first, job->shape->also, text, WORDS);
    set_best(&row, best, certain);
    return row;
}

static void print_routines(const struct kt_comparison *c, size_t from, size_t to)
{
    struct kt_text_table *table = new_table(c, "routine", from, to);
    for (size_t r = 0; r < c->routines && r < ROWS; r++) {
        struct row row = routine_row(c, &c->routine[r]);
        add_row(table, &row, from, to);
    }
    printf("\n");
    kt_text_table_print(table);
    kt_text_table_free(table);
}

static void print_shapes(const struct kt_comparison *c, size_t from, size_t to)
{
    char text[WORDS];
    size_t listed = 0;
    struct kt_text_table *table = new_table(c, "shape", from, to);
    for (size_t i = 0; i < c->setup.jobs.count && listed < ROWS; i++)
        if (kt_comparison_counts(c, i)) {
            struct row row = shape_row(c, i, text);
            add_row(table, &row, from, to);
            listed++;
        }
    printf("\n");
    kt_text_table_print(table);
    kt_text_table_free(table);
}

/* As many lanes beside each other as there is room for, in tables that are as wide as each other. */
static void print_parts(const struct kt_comparison *c, void (*print)(const struct kt_comparison *, size_t, size_t))
{
    size_t others = c->libraries - 1;
    size_t tables = (others + ABREAST - 1) / ABREAST;
    for (size_t t = 0; t < tables; t++)
        print(c, 1 + t * others / tables, 1 + (t + 1) * others / tables);
}

/* --- what is left out -------------------------------------------------------------------------------------- */

/* Shapes by library, without those that no library was asked to run. */
static void print_failures(const struct kt_comparison *c)
{
    char text[256];
    size_t listed = 0;
    size_t all = 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        for (size_t l = 0; l < c->libraries; l++) {
            const struct kt_job *job = &c->setup.jobs.job[i];
            const char *why = kt_comparison_failure(c, i, l);
            if (!why || (l && job->refused) || kt_comparison_is_light(c, i))
                continue;
            if (all++ == 0)
                printf("\nNot run, with the time that it took in the program:\n");
            if (listed++ >= ROWS)
                continue;
            snprintf(text, sizeof text, "%s: %s", job->refused ? "all" : c->label[l], why);
            kt_failure_print(job, text);
        }
    if (all > ROWS)
        printf("... and %zu more; all of them with --json\n", all - ROWS);
}

static void print_head(const struct kt_comparison *c)
{
    char text[CELL];
    char blas[CELL];
    struct tm tm;
    time_t at = (time_t)c->measured;
    printf("%s on %s\n", c->setup.trace.path, KT_COUNT(c->libraries, "library"));
    if (c->is_reused) {
        strftime(text, sizeof text, "%Y-%m-%d %H:%M", localtime_r(&at, &tm));
        printf("context %s, as measured %s; --fresh measures again\n", kt_comparison_context(c), text);
    } else
        printf("context %s, in %s (%s)\n", kt_comparison_context(c), kt_text_seconds(c->spent, text),
               KT_COUNT(c->rounds, "round"));
    kt_about_missing(&c->setup.trace, &c->setup.state);
    kt_text_seconds(c->insitu, blas);
    printf("In the program BLAS took %s", blas);
    if (!isnan(c->wall))
        printf(" of %s", kt_text_seconds(c->wall, text));
    printf("%s.\n\n", c->is_recorded ? ", on the first of these" : "");
}

static void print_light(const struct kt_comparison *c)
{
    double seconds = 0;
    size_t count = 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (kt_comparison_is_light(c, i)) {
            seconds += c->setup.jobs.job[i].shape->total;
            count++;
        }
    if (count)
        printf("%zu light shapes, %.1f %% of the time, are not timed: others, drawn by the\n"
               "time they took, stand for them, too.\n",
               count, 100 * seconds / c->insitu);
}

void kt_comparison_print_right(const struct kt_comparison *c)
{
    const char *name[KT_MOST_LANES];
    for (size_t l = 0; l < c->libraries; l++)
        name[l] = c->label[l];
    if (c->right.of)
        kt_right_print(&c->right, name, &c->setup.trace);
    if (c->unusual.of)
        kt_unusual_print(&c->unusual, name);
}

void kt_comparison_print(const struct kt_comparison *c)
{
    if (c->options.check == KT_CHECK_ONLY) {
        kt_comparison_print_right(c);
        return;
    }
    print_head(c);
    print_libraries(c);
    print_pace(c);
    print_first_calls(c);
    if (isnan(c->wall))
        printf("The program's own time is not predicted: %s.\n", kt_setup_has_all(&c->setup)
                                                                     ? "more than one thread or process makes calls"
                                                                     : "not all of its calls were recorded");
    print_light(c);
    print_lacking(c);
    if (c->sum[0].seconds > 0) {
        print_best(c);
        print_parts(c, print_routines);
        print_parts(c, print_shapes);
        printf("Time on %s: of all calls of a routine, of one call of a shape.\n"
               "Ratios of the others to it, by number; best: the number of the fastest;\n"
               "~: not told apart. The %d that take longest; all of them with --json.\n",
               c->label[0], ROWS);
    }
    print_failures(c);
    kt_comparison_print_right(c);
    if (c->options.fail_above >= 0)
        kt_beyond_screen(c);
}
