/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/diff_markdown.h"

#include "trace/shape/shape_words.h"
#include "trace/print/markdown.h"
#include "trace/print/text.h"

#include <math.h>

enum { VERDICT = 128 };

const struct kt_shape_source *kt_diff_source(const struct kt_diff_told *told, const struct kt_diff_shape *shape)
{
    int side = shape->most[1] != NULL;
    return &told->source[side][shape->most[side] - told->shapes[side].shape];
}

static size_t count_above(const struct kt_diff *d, double above)
{
    size_t n = 0;
    for (size_t i = 0; i < d->shapes; i++)
        n += kt_diff_is_above(d, &d->shape[i], above);
    return n;
}

static size_t count_changes(const struct kt_diff *d, enum kt_change change)
{
    size_t n = 0;
    for (size_t i = 0; i < d->shapes; i++)
        n += d->shape[i].change == change;
    return n;
}

void kt_diff_verdict(const struct kt_diff *d, double fail_above, char *out, size_t size)
{
    size_t slower = count_above(d, fail_above);
    const char *total = kt_diff_is_above(d, &d->all, fail_above) ? "the total" : "";
    if (!kt_diff_fails(d, fail_above))
        snprintf(out, size, "Passes: nothing became slower by more than %g %%.", 100 * fail_above);
    else if (slower)
        snprintf(out, size, "Fails: %s%s%s became slower by more than %g %%.", KT_COUNT(slower, "shape"),
                 *total ? " and " : "", total, 100 * fail_above);
    else
        snprintf(out, size, "Fails: %s became slower by more than %g %%.", total, 100 * fail_above);
}

/* "1.10 (1.08 to 1.12)", what is tested: without the drift and the spells of the machine; "n/a" where one run only has
 * it. An end that too few blocks leave open is left out. */
static const char *ratio_text(const struct kt_diff *d, const struct kt_diff_shape *s, char out[64])
{
    char number[3][16];
    double drift = kt_diff_drift(d);
    kt_text_ratio(s->shift / drift, number[0]);
    if (isnan(s->shift))
        snprintf(out, 64, "n/a");
    else if (isfinite(s->shift_hi) && s->shift_lo > 0)
        snprintf(out, 64, "%s (%s to %s)", number[0], kt_text_ratio(s->shift_lo / drift, number[1]),
                 kt_text_ratio(s->shift_hi / drift, number[2]));
    else
        snprintf(out, 64, "%s", number[0]);
    return out;
}

static void print_verdict(const struct kt_diff_told *told)
{
    const struct kt_diff *d = told->diff;
    char verdict[VERDICT] = "";
    char ratio[64];
    char seconds[2][16];
    for (int side = 0; side < 2; side++)
        kt_text_seconds(d->total[side], seconds[side]);
    if (told->fail_above >= 0) {
        kt_diff_verdict(d, told->fail_above, verdict, sizeof verdict);
        printf("**%s** ", verdict);
    }
    printf("%s%zu slower, %zu faster, %zu new, %zu vanished%s. BLAS and LAPACK took %s, then %s: ratio %s.\n",
           *verdict ? "" : "**", count_changes(d, KT_SLOWER), count_changes(d, KT_FASTER),
           count_changes(d, KT_APPEARED), count_changes(d, KT_VANISHED), *verdict ? "" : "**", seconds[0], seconds[1],
           ratio_text(d, &d->all, ratio));
}

/* What a call takes, "-" where the run has none. */
static void print_time(const struct kt_diff_side *side)
{
    char text[16];
    printf(" %s |", side->calls ? kt_text_seconds(side->stat.median, text) : "-");
}

static void print_row(const struct kt_diff_told *told, const struct kt_diff_shape *s)
{
    char text[512];
    char number[64];
    int side = s->side[1].calls != 0;
    printf("| %s | ", kt_change_name[s->change]);
    kt_shape_source_text(kt_diff_source(told, s), text, sizeof text);
    kt_markdown_code(stdout, *text ? text : "n/a");
    printf(" | ");
    kt_shape_words(&s->first, s->also, text, sizeof text);
    kt_markdown_code(stdout, text);
    printf(" | %s |", kt_text_count((double)s->side[side].calls, number));
    print_time(&s->side[0]);
    print_time(&s->side[1]);
    printf(" %s |", ratio_text(told->diff, s, number));
    printf(" %s |\n", kt_text_percent(s->side[side].total / told->diff->total[side], number));
}

static void print_changed(const struct kt_diff_told *told)
{
    const struct kt_diff *d = told->diff;
    printf("\n| change | where | shape | calls | before | after | ratio (95 %%) | share |\n"
           "|---|---|---|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < d->changed && i < told->top; i++)
        print_row(told, &d->shape[i]);
    if (d->changed > told->top)
        printf("\n... and %zu more.\n", d->changed - told->top);
}

static void print_rest(const struct kt_diff_told *told)
{
    const struct kt_diff *d = told->diff;
    printf(
        "\nOf %zu tested shapes %zu are the same within %.1f %%, of %zu that cannot be told; %zu have too few calls to "
        "tell, %zu less than %g %% of the time",
        d->tested, count_changes(d, KT_SAME), 100 * expm1(d->margin), count_changes(d, KT_UNSURE),
        count_changes(d, KT_TOO_FEW), count_changes(d, KT_SMALL), 100 * told->limits->share);
    if (count_changes(d, KT_UNLIKE))
        printf(", %zu cannot be compared", count_changes(d, KT_UNLIKE));
    printf(". ");
    if (told->why)
        printf("Times are compared as they are: %s. ", told->why);
    else if (!isnan(d->drift))
        printf("All shapes together drifted by x %.3f, which is taken out. ", d->drift);
    printf("Ratios are without slow spells of the machine; changes below %.1f %% do not count.\n",
           100 * expm1(d->margin));
}

void kt_diff_markdown(const struct kt_diff_told *told)
{
    print_verdict(told);
    for (int side = 0; side < 2; side++)
        if (told->incomplete[side])
            printf("\nThe run %s is not complete.\n", side ? "after" : "before");
    if (told->diff->changed)
        print_changed(told);
    print_rest(told);
}
