/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/summary/sums.h"

#include "trace/base/memory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare_keys(const void *a, const void *b)
{
    const struct kt_sum *x = a;
    const struct kt_sum *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (!x->routine || !y->routine)
        return (x->routine != NULL) - (y->routine != NULL);
    return strcmp(x->routine, y->routine);
}

struct kt_sum *kt_sums_find(void **tree, struct kt_sum key)
{
    struct kt_sum **found = tfind(&key, tree, compare_keys);
    if (found)
        return *found;
    struct kt_sum *sum = kt_resize(NULL, 1, sizeof *sum);
    *sum = key;
    if (!tsearch(sum, tree, compare_keys))
        abort();
    return sum;
}

static void append_sum(const void *node, VISIT visit, void *sums)
{
    struct kt_sums *out = sums;
    if (visit == postorder || visit == leaf) {
        out->sum = kt_room_for_one(out->sum, out->count, sizeof *out->sum);
        out->sum[out->count++] = **(struct kt_sum *const *)node;
    }
}

/* Longest first; equal times in the order of the keys, so that reports are reproducible. */
static int compare_seconds(const void *a, const void *b)
{
    const struct kt_sum *x = a;
    const struct kt_sum *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return compare_keys(a, b);
}

void kt_sums_sort(struct kt_sums *sums)
{
    if (sums->count)
        qsort(sums->sum, sums->count, sizeof *sums->sum, compare_seconds);
}

struct kt_sums kt_sums_take(void *tree)
{
    struct kt_sums out = {0};
    twalk_r(tree, append_sum, &out);
    tdestroy(tree, free);
    kt_sums_sort(&out);
    return out;
}
