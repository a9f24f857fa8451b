/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/advise/advised.h"

#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const kt_outcome_text[] = {
#define KT_OUTCOME_TEXT(name, text) text,
    KT_OUTCOMES(KT_OUTCOME_TEXT)
#undef KT_OUTCOME_TEXT
};

char *kt_change_text(const struct kt_proposal *c, char out[KT_CHANGE_TEXT])
{
    const char *from = c->shape->first.entry->symbol.routine->name;
    const char *to = c->to.routine->name;
    snprintf(out, KT_CHANGE_TEXT, strcmp(from, to) != 0 ? "%s -> %s" : "%s", from, to);
    return out;
}

bool kt_advised_is_python(const struct kt_shape_source *source)
{
    return source->place && source->place->file && kt_text_ends_with(source->place->file, ".py");
}

/* --- single candidates ------------------------------------------------------------------------------------- */

static enum kt_advise_outcome judge(const struct kt_tried *tried)
{
    if (tried->failure)
        return KT_OUTCOME_FAILED;
    if (tried->pairs == 0)
        return KT_OUTCOME_UNTIMED;
    enum kt_verdict verdict = kt_ratio_claim(&tried->ratio);
    if (verdict == KT_FASTER)
        return KT_OUTCOME_ADVISED;
    return verdict == KT_CANNOT_TELL ? KT_OUTCOME_UNCLEAR : KT_OUTCOME_NO_GAIN;
}

static double gain(const struct kt_trials *t, size_t i)
{
    return t->candidate[i].seconds * (1 - t->tried[i].ratio.value);
}

/* Of the changes of one shape the one that gains most stays. */
static void choose_best(const struct kt_trials *t, enum kt_advise_outcome *outcome)
{
    for (size_t i = 0; i < t->count; i++)
        for (size_t k = 0; k < t->count; k++)
            if (k != i && outcome[i] == KT_OUTCOME_ADVISED && outcome[k] == KT_OUTCOME_ADVISED &&
                t->candidate[i].number == t->candidate[k].number && gain(t, k) > gain(t, i))
                outcome[i] = KT_OUTCOME_BEATEN;
}

/* --- groups ------------------------------------------------------------------------------------------------ */

static bool is_same_line(const struct kt_shape_source *x, const struct kt_shape_source *y)
{
    if (!x->place || !y->place)
        return x->place == y->place;
    return kt_place_compare_lines(x->place, y->place) == 0;
}

static bool is_alike(const struct kt_advised_list *list, const struct kt_advised *group, size_t i)
{
    const struct kt_proposal *x = &list->trials->candidate[group->member[0]];
    const struct kt_proposal *y = &list->trials->candidate[i];
    const char *from = x->shape->first.entry->symbol.routine->name;
    return !strcmp(x->rule->name, y->rule->name) && !strcmp(from, y->shape->first.entry->symbol.routine->name) &&
           is_same_line(&list->source[x->number], &list->source[y->number]);
}

static void add_to_group(struct kt_advised_list *list, size_t i)
{
    size_t g = 0;
    while (g < list->count && !is_alike(list, &list->advised[g], i))
        g++;
    if (g == list->count) {
        list->advised = kt_room_for_one(list->advised, list->count, sizeof *list->advised);
        list->advised[list->count++] = (struct kt_advised){0};
    }
    struct kt_advised *group = &list->advised[g];
    group->member = kt_room_for_one(group->member, group->members, sizeof *group->member);
    group->member[group->members++] = i;
    group->insitu += list->trials->candidate[i].seconds;
}

static void find_gain(const struct kt_trials *t, struct kt_advised *group)
{
    struct kt_pairs *pairs = kt_resize(NULL, group->members, sizeof *pairs);
    for (size_t m = 0; m < group->members; m++)
        pairs[m] = kt_trials_pairs(t, group->member[m]);
    group->ratio = group->members == 1 ? t->tried[group->member[0]].ratio : kt_ratio_of_total(pairs, group->members, 1);
    group->seconds = group->insitu * (1 - group->ratio.value);
    group->lo = group->insitu * (1 - group->ratio.hi);
    group->hi = group->insitu * (1 - group->ratio.lo);
    free(pairs);
}

static int compare_gains(const void *a, const void *b)
{
    const struct kt_advised *x = a;
    const struct kt_advised *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return (x->member[0] > y->member[0]) - (x->member[0] < y->member[0]);
}

static bool is_worth_it(const struct kt_advised_list *list, const struct kt_advised *group)
{
    return group->lo > 0 && group->seconds >= KT_WORTH_ADVICE * list->program;
}

/* What is not worth it is at the end, and leaves. */
static void drop_light(struct kt_advised_list *list)
{
    size_t kept = 0;
    for (size_t g = 0; g < list->count; g++) {
        struct kt_advised *group = &list->advised[g];
        if (is_worth_it(list, group)) {
            list->advised[kept++] = *group;
            continue;
        }
        for (size_t m = 0; m < group->members; m++)
            list->outcome[group->member[m]] = KT_OUTCOME_LIGHT;
        free(group->member);
    }
    list->count = kept;
}

void kt_advised_find(const struct kt_trials *t, const struct kt_shape_source *source, double program,
                     struct kt_advised_list *out)
{
    *out =
        (struct kt_advised_list){.trials = t, .source = source, .program = program, .blas = t->setup->shapes.seconds};
    out->outcome = kt_resize(NULL, t->count, sizeof *out->outcome);
    for (size_t i = 0; i < t->count; i++)
        out->outcome[i] = judge(&t->tried[i]);
    choose_best(t, out->outcome);
    for (size_t i = 0; i < t->count; i++)
        if (out->outcome[i] == KT_OUTCOME_ADVISED)
            add_to_group(out, i);
    for (size_t g = 0; g < out->count; g++)
        find_gain(t, &out->advised[g]);
    drop_light(out);
    if (out->count)
        qsort(out->advised, out->count, sizeof *out->advised, compare_gains);
}

void kt_advised_free(struct kt_advised_list *list)
{
    for (size_t g = 0; g < list->count; g++)
        free(list->advised[g].member);
    free(list->advised);
    free(list->outcome);
    *list = (struct kt_advised_list){0};
}
