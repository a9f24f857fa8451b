/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/by_place.h"

#include "trace/base/memory.h"

typedef int compare_places(const struct kt_place *x, const struct kt_place *y);

static int compare_callers(const void *a, const void *b, void *compare)
{
    const struct kt_caller *x = a;
    const struct kt_caller *y = b;
    return (*(compare_places **)compare)(x->place, y->place);
}

static int compare_seconds(const void *a, const void *b, void *compare)
{
    const struct kt_caller *x = a;
    const struct kt_caller *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return compare_callers(a, b, compare);
}

/* Joins neighbours from one place; returns how many are left. */
static size_t join_neighbours(struct kt_caller *caller, size_t count, compare_places *compare)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || compare(caller[kept - 1].place, caller[i].place) != 0) {
            caller[kept++] = caller[i];
            continue;
        }
        caller[kept - 1].calls += caller[i].calls;
        caller[kept - 1].seconds += caller[i].seconds;
    }
    return kept;
}

static size_t add_up(struct kt_callers *callers, const struct kt_sums *addresses, compare_places *compare,
                     struct kt_caller **out)
{
    struct kt_caller *caller = kt_resize(NULL, addresses->count, sizeof *caller);
    for (size_t i = 0; i < addresses->count; i++) {
        const struct kt_sum *sum = &addresses->sum[i];
        caller[i] = (struct kt_caller){
            .place = kt_callers_find(callers, sum->process, sum->id), .calls = sum->calls_top, .seconds = sum->seconds};
    }
    qsort_r(caller, addresses->count, sizeof *caller, compare_callers, &compare);
    size_t count = join_neighbours(caller, addresses->count, compare);
    qsort_r(caller, count, sizeof *caller, compare_seconds, &compare);
    *out = caller;
    return count;
}

size_t kt_callers_by_place(struct kt_callers *callers, const struct kt_sums *addresses, struct kt_caller **out)
{
    return add_up(callers, addresses, kt_place_compare, out);
}

size_t kt_callers_by_line(struct kt_callers *callers, const struct kt_sums *addresses, struct kt_caller **out)
{
    return add_up(callers, addresses, kt_place_compare_lines, out);
}
