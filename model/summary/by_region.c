/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/summary/by_region.h"

#include "trace/base/memory.h"
#include "trace/read/regions.h"

#include <math.h>
#include <search.h>
#include <stdio.h>

/* --- the regions of all processes -------------------------------------------------------------------------- */

/* A node of the search tree by path. */
struct known {
    size_t parent;
    const char *name;
    size_t index;
};

static int compare_known(const void *a, const void *b)
{
    const struct known *x = a;
    const struct known *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return strcmp(x->name, y->name);
}

static size_t add_sum(struct kt_region_sums *sums, struct kt_region_sum sum)
{
    sums->sum = kt_room_for_one(sums->sum, sums->count, sizeof *sums->sum);
    sums->sum[sums->count] = sum;
    return sums->count++;
}

static size_t find_or_add(struct kt_region_sums *sums, void **tree, size_t parent, const char *name)
{
    struct known key = {parent, name, 0};
    struct known **found = tfind(&key, tree, compare_known);
    if (found)
        return (*found)->index;
    struct known *known = kt_resize(NULL, 1, sizeof *known);
    *known = (struct known){parent, name, add_sum(sums, (struct kt_region_sum){.name = name, .parent = parent})};
    if (!tsearch(known, tree, compare_known))
        abort();
    return known->index;
}

/* Where the regions of the process are among all. */
static size_t *add_process(struct kt_region_sums *sums, void **tree, const struct kt_process *p)
{
    const struct kt_regions *regions = p->regions;
    size_t *index = kt_resize(NULL, regions->count, sizeof *index);
    index[0] = 0;
    for (size_t i = 1; i < regions->count; i++) {
        const struct kt_named_region *region = &regions->region[i];
        index[i] = find_or_add(sums, tree, index[region->parent], kt_region_name(p, region->name));
        sums->sum[index[i]].entered += region->entered;
        sums->sum[index[i]].seconds += (double)region->ticks / p->tick_hz;
        sums->sum[index[i]].flops += region->flops;
        sums->sum[index[i]].bytes += region->bytes;
    }
    sums->unmatched += regions->unmatched;
    return index;
}

void kt_region_sums_begin(const struct kt_trace *trace, struct kt_region_sums *out)
{
    void *tree = NULL;
    *out = (struct kt_region_sums){.trace = trace};
    add_sum(out, (struct kt_region_sum){.seconds = NAN});
    out->of_process = kt_resize(NULL, trace->processes, sizeof *out->of_process);
    for (size_t i = 0; i < trace->processes; i++)
        out->of_process[i] = add_process(out, &tree, &trace->process[i]);
    tdestroy(tree, free);
}

/* --- calls ------------------------------------------------------------------------------------------------- */

void kt_region_sums_add(struct kt_region_sums *sums, const struct kt_call *call, double seconds)
{
    struct kt_region_sum *sum = &sums->sum[sums->of_process[call->process - sums->trace->process][call->region]];
    bool top = call->depth == 0;
    sum->calls++;
    sum->calls_top += top;
    sum->seconds_blas += top ? seconds : 0;
}

static int compare_sums(const void *a, const void *b, void *of)
{
    size_t i = *(const size_t *)a;
    size_t j = *(const size_t *)b;
    const struct kt_region_sum *x = &((const struct kt_region_sum *)of)[i];
    const struct kt_region_sum *y = &((const struct kt_region_sum *)of)[j];
    if (x->seconds_blas != y->seconds_blas)
        return x->seconds_blas > y->seconds_blas ? -1 : 1;
    if (isnan(x->seconds) || isnan(y->seconds) || x->seconds == y->seconds)
        return isnan(x->seconds) ? 1 : isnan(y->seconds) ? -1 : i < j ? -1 : i > j;
    return x->seconds > y->seconds ? -1 : 1;
}

void kt_region_sums_finish(struct kt_region_sums *sums)
{
    for (size_t i = sums->count; i-- > 1;) {
        const struct kt_region_sum *sum = &sums->sum[i];
        struct kt_region_sum *parent = &sums->sum[sum->parent];
        if (!sum->parent)
            continue; /* the first is not what they are nested in, but what is in none */
        parent->calls += sum->calls;
        parent->calls_top += sum->calls_top;
        parent->seconds_blas += sum->seconds_blas;
        parent->flops += sum->flops;
        parent->bytes += sum->bytes;
    }
    sums->order = kt_resize(NULL, sums->count, sizeof *sums->order);
    for (size_t i = 0; i < sums->count; i++)
        sums->order[i] = i;
    qsort_r(sums->order, sums->count, sizeof *sums->order, compare_sums, sums->sum);
}

void kt_region_sums_free(struct kt_region_sums *sums)
{
    for (size_t i = 0; sums->of_process && i < sums->trace->processes; i++)
        free(sums->of_process[i]);
    free(sums->of_process);
    free(sums->sum);
    free(sums->order);
    *sums = (struct kt_region_sums){0};
}

char *kt_region_path(const struct kt_region_sums *sums, size_t region, char *out, size_t size)
{
    static const char between[] = " > ";
    size_t at = size - 1;
    out[at] = '\0';
    if (!region)
        snprintf(out, size, "(in no region)");
    for (const struct kt_region_sum *sum = &sums->sum[region]; sum->name; sum = &sums->sum[sum->parent]) {
        size_t length = strlen(sum->name);
        size_t needed = length + (sum->parent ? strlen(between) : 0);
        if (needed > at && at == size - 1) {
            snprintf(out, size, "%s", sum->name);
            return out;
        }
        if (needed > at)
            break; /* what is outside of it is left out */
        memcpy(out + (at -= length), sum->name, length);
        if (sum->parent)
            memcpy(out + (at -= strlen(between)), between, strlen(between));
    }
    return region ? memmove(out, out + at, size - at) : out;
}
