/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/heaviest.h"

#include "trace/base/memory.h"

#include <stdlib.h>
#include <string.h>

static int compare_places(const struct kt_calls_from *x, const struct kt_calls_from *y)
{
    int order = strcmp(x->routine, y->routine);
    if (order || x->place == y->place)
        return order;
    return kt_place_compare_lines(x->place, y->place);
}

static int compare_from(const void *a, const void *b)
{
    const struct kt_calls_from *x = a;
    const struct kt_calls_from *y = b;
    int order = compare_places(x, y);
    return order ? order : (x->shape > y->shape) - (x->shape < y->shape);
}

static int compare_heavy(const void *a, const void *b)
{
    double x = ((const struct kt_heavy *)a)->seconds;
    double y = ((const struct kt_heavy *)b)->seconds;
    return (x < y) - (x > y);
}

/* What calls took one by one is shared out so that a shape's places add up to its total, in which what recording cost
 * is corrected. */
static size_t list_from(const struct kt_report *report, struct kt_calls_from *from)
{
    const struct kt_shapes *groups = &report->groups;
    size_t *index = kt_resize(NULL, groups->count, sizeof *index); /* by number */
    double *total = kt_resize(NULL, groups->count, sizeof *total);
    for (size_t i = 0; i < groups->count; i++) {
        index[groups->shape[i].number] = i;
        total[i] = 0;
    }
    for (size_t i = 0; i < groups->callers.count; i++)
        total[index[groups->callers.of[i].shape]] += groups->callers.of[i].total;
    for (size_t i = 0; i < groups->callers.count; i++) {
        const struct kt_shape_calls *of = &groups->callers.of[i];
        const struct kt_shape_group *shape = &groups->shape[index[of->shape]];
        double sum = total[index[of->shape]];
        from[i] = (struct kt_calls_from){kt_callers_find(report->symbols, of->process, of->caller),
                                         shape->first.entry->symbol.routine->name, index[of->shape], (double)of->calls,
                                         sum > 0 ? shape->total * of->total / sum : 0};
    }
    free(total);
    free(index);
    return groups->callers.count;
}

/* Calls of one shape. Their parts are those of all its calls, by time. */
static void add_shape(const struct kt_report *report, const struct kt_calls_from *from, struct kt_heavy *heavy)
{
    const struct kt_report_shape *shape = &report->shape[from->shape];
    const struct kt_timed_calls *all = &shape->parts.calls;
    double part = all->total > 0 ? from->seconds / all->total : 0;
    struct kt_timed_calls calls = {from->calls, from->seconds, all->median, part * all->faults, part * all->lost};
    heavy->shapes++;
    heavy->calls += from->calls;
    heavy->seconds += from->seconds;
    if (!heavy->shape || from->seconds > heavy->of_shape) {
        heavy->shape = shape->group;
        heavy->of_shape = from->seconds;
    }
    kt_decomposition_add(&heavy->parts, &shape->parts.times, &calls);
}

/* A place may have several addresses, which have the same shapes. */
static size_t join_shapes(struct kt_calls_from *from, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct kt_calls_from *last = kept ? &from[kept - 1] : NULL;
        if (!last || last->shape != from[i].shape || compare_places(last, &from[i]) != 0) {
            from[kept++] = from[i];
            continue;
        }
        last->calls += from[i].calls;
        last->seconds += from[i].seconds;
    }
    return kept;
}

size_t kt_heaviest_sort(struct kt_calls_from *from, size_t count)
{
    if (count)
        qsort(from, count, sizeof *from, compare_from);
    return join_shapes(from, count);
}

size_t kt_heaviest_calls(const struct kt_report *report, struct kt_calls_from **out)
{
    *out = kt_resize(NULL, report->groups.callers.count, sizeof **out);
    return kt_heaviest_sort(*out, list_from(report, *out));
}

size_t kt_heaviest_of_place(const struct kt_calls_from *from, size_t count)
{
    size_t end = 1;
    while (end < count && compare_places(&from[0], &from[end]) == 0)
        end++;
    return end;
}

/* The COUNT entries are of one place. */
static struct kt_heavy make_heavy(const struct kt_report *report, const struct kt_calls_from *from, size_t count)
{
    struct kt_heavy heavy = {.place = from->place};
    for (size_t i = 0; i < count; i++)
        add_shape(report, &from[i], &heavy);
    kt_decomposition_finish(&heavy.parts);
    return heavy;
}

size_t kt_heaviest_find(const struct kt_report *report, struct kt_heavy **out)
{
    struct kt_calls_from *from;
    size_t count = kt_heaviest_calls(report, &from);
    size_t places = 0;
    *out = kt_resize(NULL, count, sizeof **out);
    for (size_t i = 0, next; i < count; i += next) {
        next = kt_heaviest_of_place(from + i, count - i);
        (*out)[places++] = make_heavy(report, &from[i], next);
    }
    if (places)
        qsort(*out, places, sizeof **out, compare_heavy);
    free(from);
    return places;
}
