/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/ratio.h"

#include "replay/random.h"
#include "trace/memory.h"
#include "trace/stats.h"

#include <math.h>

enum { REPLICATES = 400 };

/* A call that takes less than the clock can see counts as this, so that no ratio is 0 or infinite. */
static const double smallest_time = 1e-9;

static double log_ratio(const struct kt_pairs *pairs, size_t i)
{
    return log(fmax(pairs->time[i], smallest_time) / fmax(pairs->base[i], smallest_time));
}

struct kt_ratio kt_ratio_of(const struct kt_pairs *pairs)
{
    double *logs = kt_resize(NULL, pairs->n, sizeof *logs);
    for (size_t i = 0; i < pairs->n; i++)
        logs[i] = log_ratio(pairs, i);
    struct kt_stat stat = kt_stat_of(logs, pairs->n, KT_BEST_MEDIAN);
    free(logs);
    return (struct kt_ratio){exp(stat.median), exp(stat.lo), exp(stat.hi)};
}

static unsigned count_rounds(const struct kt_pairs *pairs, size_t shapes)
{
    unsigned rounds = 0;
    for (size_t i = 0; i < shapes; i++)
        for (size_t j = 0; j < pairs[i].n; j++)
            rounds = pairs[i].round[j] >= rounds ? pairs[i].round[j] + 1 : rounds;
    return rounds;
}

/* TIMES[round]: how often a bootstrap replicate has drawn the round. */
static void draw_rounds(unsigned *times, unsigned rounds, uint64_t *state)
{
    memset(times, 0, rounds * sizeof *times);
    for (unsigned i = 0; i < rounds; i++)
        times[kt_random(state) % rounds]++;
}

/* Median ratio of the pairs in the rounds that were drawn, of all pairs if none was. ROOM for rounds logs. */
static double drawn_ratio(const struct kt_pairs *pairs, const unsigned *times, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < pairs->n; i++)
        for (unsigned k = 0; k < times[pairs->round[i]]; k++)
            room[n++] = log_ratio(pairs, i);
    return n ? exp(kt_stat_of(room, n, KT_BEST_MEDIAN).median) : kt_ratio_of(pairs).value;
}

static double total_of(const struct kt_pairs *pairs, size_t shapes, const unsigned *times, double *room)
{
    double sum = 0;
    double weight = 0;
    for (size_t i = 0; i < shapes; i++) {
        if (pairs[i].n == 0)
            continue;
        sum += pairs[i].weight * (times ? drawn_ratio(&pairs[i], times, room) : kt_ratio_of(&pairs[i]).value);
        weight += pairs[i].weight;
    }
    return weight > 0 ? sum / weight : NAN;
}

struct kt_ratio kt_ratio_of_total(const struct kt_pairs *pairs, size_t shapes, uint64_t seed)
{
    double replicate[REPLICATES];
    double value = total_of(pairs, shapes, NULL, NULL);
    unsigned rounds = count_rounds(pairs, shapes);
    if (isnan(value))
        return (struct kt_ratio){NAN, NAN, NAN};
    unsigned *times = kt_resize(NULL, rounds, sizeof *times);
    double *room = kt_resize(NULL, rounds, sizeof *room);
    for (size_t r = 0; r < REPLICATES; r++) {
        draw_rounds(times, rounds, &seed);
        replicate[r] = total_of(pairs, shapes, times, room);
    }
    free(room);
    free(times);
    kt_stat_of(replicate, REPLICATES, KT_BEST_MEDIAN); /* sorts */
    return (struct kt_ratio){value, replicate[REPLICATES / 40], replicate[REPLICATES - 1 - REPLICATES / 40]};
}
