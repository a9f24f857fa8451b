/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/advise/candidates.h"

#include "replay/advise/inverse.h"
#include "replay/advise/repeated.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <stdio.h>
#include <string.h>

struct list {
    struct kt_proposal *candidate;
    size_t count;
    double least; /* seconds */
};

static void add(struct list *list, const struct kt_proposal *candidate)
{
    if (list->count == KT_MOST_CANDIDATES || candidate->seconds < list->least)
        return;
    list->candidate = kt_room_for_one(list->candidate, list->count, sizeof *candidate);
    list->candidate[list->count++] = *candidate;
}

static void add_rules(struct list *list, const struct kt_shape_group *shape, size_t number)
{
    struct kt_call_form from;
    if (!kt_form_of_call(&shape->first.entry->symbol, shape->usual.args, &from))
        return;
    for (size_t r = 0; r < kt_rules_count; r++) {
        struct kt_proposal c = {.rule = &kt_rules[r],
                                .shape = shape,
                                .number = number,
                                .each = 1,
                                .calls = (double)shape->calls,
                                .seconds = shape->total};
        if (kt_rule_apply(c.rule, &from, &c.to))
            add(list, &c);
    }
}

static void add_repeated(struct list *list, const struct kt_repeated *repeated, const struct kt_shape_group *shape,
                         size_t number)
{
    struct kt_proposal c = {.rule = &kt_rule_repeated, .shape = shape, .number = number};
    if (!kt_repeated_product(repeated, &c.to))
        return;
    c.each = (double)repeated->each;
    c.calls = (double)repeated->calls;
    c.seconds = c.calls * shape->total / (double)shape->calls;
    add(list, &c);
}

static void add_inverse(struct list *list, const struct kt_inverse *inverse, const struct kt_shape_group *shape,
                        size_t number)
{
    struct kt_proposal c = {.rule = &kt_rule_inverse, .shape = shape, .number = number, .each = 1};
    if (!kt_inverse_solve(inverse, &c.to))
        return;
    c.calls = (double)inverse->calls;
    c.seconds = c.calls * shape->total / (double)shape->calls;
    add(list, &c);
}

struct kt_proposal kt_candidate_batch(const struct kt_shape_group *shape, size_t number,
                                      const struct kt_independent *independent, unsigned threads)
{
    const struct kt_call_batch *batch = &independent->batch;
    double calls = (double)independent->batches * (double)batch->calls;
    return (struct kt_proposal){.shape = shape,
                                .number = number,
                                .args = shape->usual.args,
                                .batch = {batch, threads < batch->calls ? threads : (unsigned)batch->calls},
                                .each = 1,
                                .calls = calls,
                                .seconds = shape->total * calls / (double)shape->calls};
}

void kt_proposals_find(const struct kt_trace *trace, const struct kt_shapes *shapes, const char *routines, double least,
                       struct kt_proposals *out)
{
    struct list list = {.least = least};
    struct kt_repeated *repeated = kt_repeated_find(trace, shapes);
    struct kt_inverse *inverse = kt_inverse_find(trace, shapes);
    for (size_t i = 0; i < shapes->count; i++) {
        const struct kt_shape_group *shape = &shapes->shape[i];
        if (!shape->calls || !kt_routine_matches(shape->first.entry->symbol.routine->name, routines))
            continue;
        add_rules(&list, shape, i);
        add_repeated(&list, &repeated[i], shape, i);
        add_inverse(&list, &inverse[i], shape, i);
    }
    free(repeated);
    free(inverse);
    *out = (struct kt_proposals){list.candidate, list.count};
}

void kt_proposals_free(struct kt_proposals *candidates)
{
    free(candidates->candidate);
    *candidates = (struct kt_proposals){0};
}

/* --- names ------------------------------------------------------------------------------------------------- */

/* What a Fortran name ends with where C names end with END. */
static const char *fortran_end(const char *end)
{
    return *end ? "_64_" : "_";
}

static bool is_upper(const char *name, const char *routine)
{
    char upper[KT_NAME];
    size_t i = 0;
    for (; routine[i] && i + 1 < sizeof upper; i++)
        upper[i] = (char)(routine[i] >= 'a' && routine[i] <= 'z' ? routine[i] - 'a' + 'A' : routine[i]);
    upper[i] = '\0';
    return strstr(name, upper) != NULL;
}

bool kt_candidate_symbol(const struct kt_proposal *candidate, struct kt_symbol *out)
{
    const struct kt_symbol *recorded = &candidate->shape->first.entry->symbol;
    const char *routine = recorded->routine->name;
    if (!kt_symbol_make(candidate->to.routine, KT_FORTRAN, out))
        return false;
    const char *found = strstr(recorded->name, routine);
    if (!found || is_upper(recorded->name, routine))
        return true;
    const char *end = found + strlen(routine);
    bool scipy = !strncmp(recorded->name, "scipy_", strlen("scipy_"));
    snprintf(out->name, sizeof out->name, "%s%.31s%s", scipy ? "scipy_" : "", candidate->to.routine->name,
             recorded->view == KT_FORTRAN ? end : fortran_end(end));
    return true;
}
