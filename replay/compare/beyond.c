/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/beyond.h"

#include "replay/compare/ratio_json.h"
#include "replay/compare/ratio_text.h"
#include "trace/base/memory.h"
#include "trace/command/json.h"
#include "trace/print/markdown.h"
#include "trace/print/screen.h"
#include "trace/print/text.h"
#include "trace/shape/shape_words.h"

#include <stdio.h>

enum { TEXT = 512 };

/* What takes less of the time is nobody's reason to refuse a library, and there may be thousands. */
static const double least_share = 0.01;

struct beyond_list {
    struct kt_beyond *beyond;
    size_t count;
    double above;
};

static void add(struct beyond_list *list, const struct kt_beyond *one)
{
    bool is_beyond = one->ratio.n >= KT_FEWEST_PAIRS && one->ratio.lo > 1 + list->above; /* a NAN is not */
    if (!is_beyond || !(one->share >= least_share))
        return;
    list->beyond = kt_room_for_one(list->beyond, list->count, sizeof *list->beyond);
    list->beyond[list->count++] = *one;
}

static void add_shapes(struct beyond_list *list, const struct kt_comparison *c, size_t lane)
{
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        const struct kt_compared *cell = kt_comparison_cell(c, i, lane);
        const struct kt_shape_group *shape = c->setup.jobs.job[i].shape;
        if (cell->counts)
            add(list, &(struct kt_beyond){lane, shape->first.entry->symbol.routine->name, shape, cell->ratio,
                                          shape->total / c->insitu});
    }
}

size_t kt_beyond_find(const struct kt_comparison *c, double above, struct kt_beyond **out)
{
    struct beyond_list list = {.above = above};
    for (size_t l = 1; l < c->libraries; l++)
        add(&list, &(struct kt_beyond){l, NULL, NULL, c->sum[l].ratio, 1});
    for (size_t l = 1; l < c->libraries; l++) {
        for (size_t r = 0; r < c->routines; r++) {
            const struct kt_routine_sum *sum = &c->routine[r];
            add(&list,
                &(struct kt_beyond){l, sum->name, NULL, sum->lane[l].ratio, sum->lane[0].seconds / c->sum[0].seconds});
        }
        add_shapes(&list, c, l);
    }
    *out = list.beyond;
    return list.count;
}

/* --- what is said ------------------------------------------------------------------------------------------------ */

/* "all calls", "dgemm", "dgemm N N 500 500 500" */
static const char *what(const struct kt_beyond *b, char out[TEXT])
{
    if (b->shape)
        kt_shape_words(&b->shape->first, b->shape->also, out, TEXT);
    else
        snprintf(out, TEXT, "%s", b->routine ? b->routine : "all calls");
    return out;
}

/* "dgemm 500x500x500 on new/libblas.so.3: 1.10 (1.08 to 1.12)" */
static void ratio_text(const struct kt_comparison *c, const struct kt_beyond *b, char *out, size_t size)
{
    char text[TEXT];
    char ratio[KT_RATIO_TEXT];
    snprintf(out, size, "%s on %s: %s", what(b, text), c->label[b->lane], kt_ratio_text(&b->ratio, ratio));
}

/* "Fails: 2 are slower than on openblas by more than 3 %" */
static void verdict_text(const struct kt_comparison *c, size_t count, char *out, size_t size)
{
    double percent = 100 * c->options.fail_above;
    if (count)
        snprintf(out, size, "Fails: %zu %s slower than on %s by more than %g %%", count, count == 1 ? "is" : "are",
                 c->label[0], percent);
    else
        snprintf(out, size, "Passes: nothing is slower than on %s by more than %g %%", c->label[0], percent);
}

void kt_beyond_screen(const struct kt_comparison *c)
{
    char text[TEXT];
    char first[2 * TEXT];
    char all[sizeof text + sizeof first + 2];
    struct kt_beyond *beyond;
    size_t count = kt_beyond_find(c, c->options.fail_above, &beyond);
    verdict_text(c, count, text, sizeof text);
    if (count)
        ratio_text(c, beyond, first, sizeof first);
    snprintf(all, sizeof all, "%s%s%s", text, count ? ": " : "", count ? first : "");
    kt_screen_finding(all);
    free(beyond);
}

static void print_libraries(const struct kt_comparison *c)
{
    char text[KT_RATIO_TEXT];
    printf("\n| library | BLAS | ratio (95 %%) | pairs | |\n|---|--:|--:|--:|---|\n");
    for (size_t l = 0; l < c->libraries; l++) {
        const struct kt_ratio *ratio = &c->sum[l].ratio;
        printf("| ");
        kt_markdown_code(stdout, c->label[l]);
        printf(" | %s | ", kt_text_seconds(c->sum[l].seconds, text));
        if (l)
            printf("%s | %zu | %s |\n", kt_ratio_text(ratio, text), ratio->n, kt_verdict_text[kt_ratio_verdict(ratio)]);
        else
            printf("1 | | baseline |\n");
    }
}

static void print_beyond(const struct kt_comparison *c, const struct kt_beyond *beyond, size_t count)
{
    char text[TEXT];
    char share[16];
    char ratio[KT_RATIO_TEXT];
    if (!count)
        return;
    printf("\n| slower | library | ratio (95 %%) | share |\n|---|---|--:|--:|\n");
    for (size_t i = 0; i < count; i++) {
        const struct kt_beyond *b = &beyond[i];
        printf("| ");
        kt_markdown_code(stdout, what(b, text));
        printf(" | ");
        kt_markdown_code(stdout, c->label[b->lane]);
        printf(" | %s | %s |\n", kt_ratio_text(&b->ratio, ratio), kt_text_percent(b->share, share));
    }
}

/* Times and ratios are those of the replay: what is measured, and not what a program is predicted to take. */
void kt_beyond_markdown(const struct kt_comparison *c)
{
    char text[TEXT];
    struct kt_beyond *beyond = NULL;
    size_t count = c->options.fail_above >= 0 ? kt_beyond_find(c, c->options.fail_above, &beyond) : 0;
    verdict_text(c, count, text, sizeof text);
    if (c->options.fail_above >= 0)
        printf("**%s.** ", text);
    printf("Replayed times, in pairs with those of %s.\n", c->label[0]);
    print_libraries(c);
    print_beyond(c, beyond, count);
    free(beyond);
}

json_t *kt_beyond_json(const struct kt_comparison *c)
{
    char text[TEXT];
    struct kt_beyond *beyond;
    size_t count = kt_beyond_find(c, c->options.fail_above, &beyond);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct kt_beyond *b = &beyond[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "library", kt_json_text(c->label[b->lane]),
                                              "routine", b->routine ? kt_json_text(b->routine) : json_null(), "what",
                                              kt_json_text(what(b, text)), "ratio", kt_ratio_json(&b->ratio), "share",
                                              kt_json_number(b->share)));
    }
    free(beyond);
    return json_pack("{s:f, s:b, s:o}", "above", c->options.fail_above, "fails", count > 0, "beyond", list);
}
