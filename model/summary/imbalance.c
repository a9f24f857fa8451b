/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/summary/imbalance.h"

#include "trace/base/memory.h"

#include <math.h>

double kt_balance_ratio(const struct kt_balance *balance)
{
    return balance->mean > 0 ? balance->max / balance->mean : NAN;
}

static struct kt_balance balance_of(const char *routine, const double *seconds, size_t ranks)
{
    struct kt_balance balance = {.routine = routine, .max = seconds[0], .min = seconds[0]};
    double sum = 0;
    for (size_t i = 0; i < ranks; i++) {
        sum += seconds[i];
        if (seconds[i] > balance.max) {
            balance.max = seconds[i];
            balance.max_rank = i;
        }
        if (seconds[i] < balance.min) {
            balance.min = seconds[i];
            balance.min_rank = i;
        }
    }
    balance.mean = sum / (double)ranks;
    return balance;
}

static size_t rank_of(const struct kt_imbalance *imbalance, const struct kt_trace *trace, const struct kt_sum *sum)
{
    return imbalance->ranks.of[sum->process - trace->process];
}

static void add_times(struct kt_imbalance *out, const struct kt_trace *trace, const struct kt_sums *processes)
{
    out->time = kt_zeros(out->ranks.count, sizeof *out->time);
    for (size_t i = 0; i < processes->count; i++) {
        const struct kt_sum *sum = &processes->sum[i];
        size_t rank = rank_of(out, trace, sum);
        if (rank == KT_NO_RANK)
            continue;
        out->time[rank].calls += sum->calls;
        out->time[rank].calls_top += sum->calls_top;
        out->time[rank].seconds_blas += sum->seconds;
    }
}

static void balance_all(struct kt_imbalance *out, double *seconds)
{
    for (size_t i = 0; i < out->ranks.count; i++)
        seconds[i] = out->time[i].seconds_blas;
    out->all = balance_of(NULL, seconds, out->ranks.count);
}

static int compare_routines(const void *a, const void *b)
{
    const struct kt_sum *x = a;
    const struct kt_sum *y = b;
    return strcmp(x->routine, y->routine);
}

/* What an even share would save. */
static double excess(const struct kt_balance *balance)
{
    return balance->max - balance->mean;
}

static int compare_balances(const void *a, const void *b)
{
    const struct kt_balance *x = a;
    const struct kt_balance *y = b;
    if (excess(x) != excess(y))
        return excess(x) > excess(y) ? -1 : 1;
    return strcmp(x->routine, y->routine);
}

/* Takes the parts of one routine, which stand together; returns how many they are. Where nested calls are sampled, a
 * routine that only other routines call has no time by rank. */
static size_t balance_routine(struct kt_imbalance *out, const struct kt_trace *trace, const struct kt_sum *part,
                              size_t parts, bool is_sampled, double *seconds)
{
    size_t count = 0;
    memset(seconds, 0, out->ranks.count * sizeof *seconds);
    for (; count < parts && !compare_routines(&part[count], part); count++) {
        size_t rank = rank_of(out, trace, &part[count]);
        if (rank != KT_NO_RANK)
            seconds[rank] += part[count].seconds;
    }
    out->routine = kt_room_for_one(out->routine, out->routines, sizeof *out->routine);
    out->routine[out->routines] = balance_of(part->routine, seconds, out->ranks.count);
    out->routines += !is_sampled || out->routine[out->routines].max > 0;
    return count;
}

static void balance_routines(struct kt_imbalance *out, const struct kt_trace *trace, const struct kt_sums *parts,
                             bool is_sampled, double *seconds)
{
    struct kt_sum *part = kt_resize(NULL, parts->count, sizeof *part);
    memcpy(part, parts->sum, parts->count * sizeof *part);
    qsort(part, parts->count, sizeof *part, compare_routines);
    for (size_t i = 0; i < parts->count;)
        i += balance_routine(out, trace, part + i, parts->count - i, is_sampled, seconds);
    if (out->routines)
        qsort(out->routine, out->routines, sizeof *out->routine, compare_balances);
    free(part);
}

void kt_imbalance_find(const struct kt_trace *trace, const struct kt_summary *summary, struct kt_imbalance *out)
{
    *out = (struct kt_imbalance){0};
    kt_ranks_find(trace, &out->ranks);
    if (out->ranks.count == 0)
        return;
    double *seconds = kt_resize(NULL, out->ranks.count, sizeof *seconds);
    add_times(out, trace, &summary->processes);
    balance_all(out, seconds);
    if (summary->parts.count)
        balance_routines(out, trace, &summary->parts, summary->sampled, seconds);
    free(seconds);
}

void kt_imbalance_free(struct kt_imbalance *imbalance)
{
    kt_ranks_free(&imbalance->ranks);
    free(imbalance->time);
    free(imbalance->routine);
    *imbalance = (struct kt_imbalance){0};
}
