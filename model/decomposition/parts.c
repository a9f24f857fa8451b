/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/decomposition/parts.h"

#include "trace/base/memory.h"

#include <math.h>

static const char *routine_of(const struct kt_parts_shape *shape)
{
    return shape->group->first.entry->symbol.routine->name;
}

static struct kt_parts_group *new_group(struct kt_parts_groups *groups, struct kt_parts_group first)
{
    groups->group = kt_room_for_one(groups->group, groups->count, sizeof *groups->group);
    groups->group[groups->count] = first;
    return &groups->group[groups->count++];
}

static void add(struct kt_parts_group *group, const struct kt_parts_shape *shape, size_t number,
                const struct kt_timed_calls *calls)
{
    group->seconds += calls->total;
    bool replayed = !isnan(shape->times.warm.value);
    if (replayed && calls->total > group->heaviest) {
        group->heaviest = calls->total;
        group->shape = number;
    }
    kt_decomposition_add(&group->parts, &shape->times, calls);
}

static int compare_groups(const void *a, const void *b)
{
    const struct kt_parts_group *x = a;
    const struct kt_parts_group *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return (x->shape > y->shape) - (x->shape < y->shape);
}

static void finish(struct kt_parts_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        kt_decomposition_finish(&groups->group[i].parts);
    if (groups->count)
        qsort(groups->group, groups->count, sizeof *groups->group, compare_groups);
}

/* --- shapes and routines ----------------------------------------------------------------------------------- */

static struct kt_parts_group *find_routine(struct kt_parts_groups *routines, const char *routine)
{
    for (size_t i = 0; i < routines->count; i++)
        if (!strcmp(routines->group[i].routine, routine))
            return &routines->group[i];
    return new_group(routines, (struct kt_parts_group){.routine = routine});
}

static void add_shapes(struct kt_parts *out, const struct kt_parts_shape *shape, size_t shapes)
{
    for (size_t i = 0; i < shapes; i++) {
        const char *routine = routine_of(&shape[i]);
        add(&out->total, &shape[i], i, &shape[i].calls);
        add(find_routine(&out->routines, routine), &shape[i], i, &shape[i].calls);
        add(new_group(&out->shapes, (struct kt_parts_group){.routine = routine, .shape = i}), &shape[i], i,
            &shape[i].calls);
    }
}

/* --- callers ----------------------------------------------------------------------------------------------- */

/* Calls of a shape from a place, which may have several addresses. */
struct from {
    const struct kt_place *place;
    size_t shape; /* index */
    const struct kt_shape_calls *calls;
};

static int compare_from(const void *a, const void *b)
{
    const struct from *x = a;
    const struct from *y = b;
    int order = kt_place_compare(x->place, y->place);
    return order ? order : (x->shape > y->shape) - (x->shape < y->shape);
}

/* The calls of all addresses and processes together; their median as the mean of those of each, by calls. */
static struct kt_timed_calls sum_of(const struct from *from, size_t count)
{
    struct kt_timed_calls sum = {0};
    double medians = 0;
    for (size_t i = 0; i < count; i++) {
        const struct kt_shape_calls *one = from[i].calls;
        sum.calls += (double)one->calls;
        sum.total += one->total;
        medians += (double)one->calls * kt_samples_stat(&one->seconds, KT_BEST_MEDIAN).median;
    }
    sum.median = medians / sum.calls;
    return sum;
}

/* COUNT entries of one shape and place: the replay that they are set against is one. */
static void add_from(struct kt_parts *out, const struct kt_parts_shape *shape, const struct from *from, size_t count)
{
    struct kt_parts_groups *callers = &out->callers;
    struct kt_parts_group *last = callers->count ? &callers->group[callers->count - 1] : NULL;
    struct kt_timed_calls calls = sum_of(from, count);
    const struct kt_timed_calls *all = &shape[from->shape].calls;
    calls.faults = all->calls > 0 ? all->faults * calls.calls / all->calls : 0;
    calls.lost = all->calls > 0 ? all->lost * calls.calls / all->calls : 0;
    if (!last || kt_place_compare(last->place, from->place) != 0)
        last = new_group(callers, (struct kt_parts_group){.place = from->place});
    add(last, &shape[from->shape], from->shape, &calls);
}

static void add_callers(struct kt_parts *out, const struct kt_parts_shape *shape, size_t shapes,
                        const struct kt_by_caller *of_callers, struct kt_callers *symbols)
{
    size_t *index = kt_resize(NULL, shapes, sizeof *index); /* by number */
    struct from *from = kt_resize(NULL, of_callers->count, sizeof *from);
    for (size_t i = 0; i < shapes; i++)
        index[shape[i].group->number] = i;
    for (size_t i = 0; i < of_callers->count; i++) {
        const struct kt_shape_calls *calls = &of_callers->of[i];
        from[i] = (struct from){kt_callers_find(symbols, calls->process, calls->caller), index[calls->shape], calls};
    }
    if (of_callers->count)
        qsort(from, of_callers->count, sizeof *from, compare_from);
    for (size_t i = 0, end; i < of_callers->count; i = end) {
        end = i + 1;
        while (end < of_callers->count && compare_from(&from[i], &from[end]) == 0)
            end++;
        add_from(out, shape, &from[i], end - i);
    }
    free(from);
    free(index);
}

/* --- what is missing --------------------------------------------------------------------------------------- */

static const char *reason_of(const struct kt_parts_shape *shape)
{
    if (shape->replayed)
        return "not replayed warm";
    return shape->refusal ? shape->refusal
                          : "not in the replay: it is of another trace, or of an earlier state of this one";
}

static void add_missing(struct kt_parts *out, const struct kt_parts_shape *shape)
{
    const char *why = reason_of(shape);
    size_t i = 0;
    while (i < out->missings && strcmp(out->missing[i].why, why) != 0)
        i++;
    if (i == out->missings) {
        out->missing = kt_room_for_one(out->missing, out->missings, sizeof *out->missing);
        out->missing[out->missings++] = (struct kt_parts_missing){.why = why};
    }
    out->missing[i].calls += shape->calls.calls;
    out->missing[i].seconds += shape->calls.total;
}

static int compare_missing(const void *a, const void *b)
{
    const struct kt_parts_missing *x = a;
    const struct kt_parts_missing *y = b;
    return x->seconds != y->seconds ? (x->seconds > y->seconds ? -1 : 1) : strcmp(x->why, y->why);
}

/* --- all of it --------------------------------------------------------------------------------------------- */

void kt_parts_find(const struct kt_parts_shape *shape, size_t shapes, const struct kt_by_caller *of_callers,
                   struct kt_callers *symbols, struct kt_parts *out)
{
    *out = (struct kt_parts){0};
    add_shapes(out, shape, shapes);
    add_callers(out, shape, shapes, of_callers, symbols);
    for (size_t i = 0; i < shapes; i++)
        if (isnan(shape[i].times.warm.value))
            add_missing(out, &shape[i]);
    if (out->missings)
        qsort(out->missing, out->missings, sizeof *out->missing, compare_missing);
    kt_decomposition_finish(&out->total.parts);
    finish(&out->shapes);
    finish(&out->routines);
    finish(&out->callers);
}

void kt_parts_free(struct kt_parts *parts)
{
    free(parts->shapes.group);
    free(parts->routines.group);
    free(parts->callers.group);
    free(parts->missing);
    *parts = (struct kt_parts){0};
}
