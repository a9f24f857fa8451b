/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a comparison of paired times resolves, on real calls: dgemm that takes some 7 ms against itself, and against one
 * whose inner dimension is one percent larger. Each trial is a number of rounds; in each round both are called once, in
 * random order. Prints in how many trials they were told apart: 5 % at most are to be, and 90 % at least.
 *
 * By three ways: wall times of all pairs; of those in whose calls nothing else ran on the processor; CPU times. On a
 * machine with nothing else to do they say the same.
 *
 * Usage: one_percent [LIBRARY] [TRIALS] [ROUNDS]
 */
#include "ktrace/clock.h"
#include "replay/measure/disturbance.h"
#include "replay/call/library.h"
#include "trace/base/random.h"
#include "replay/compare/ratio.h"
#include "replay/call/timer.h"
#include "trace/base/memory.h"
#include "trace/base/stats.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>

enum { MOST_ROUNDS = 1000, COLUMNS = 600 };

typedef void dgemm_function(const char *, const char *, const int *, const int *, const int *, const double *,
                            const double *, const int *, const double *, const int *, const double *, double *,
                            const int *, size_t, size_t);

struct product {
    dgemm_function *dgemm;
    double *a, *b, *c;
    struct kt_timer cpu;
};

static struct kt_disturbances disturbances;

enum way { ALL, CALM, STEADY, CPU, CORE, WAYS };
static const char *const way_text[] = {"wall time, all pairs", "wall time, calm pairs", "wall time, same clock",
                                       "CPU time", "cycles of the core"};

struct sample {
    double wall, cpu, cycles;
    bool calm, steady;
    double rate;
};

static struct sample time_product(const struct product *p, int inner)
{
    const int n = COLUMNS;
    const int ld = 2 * COLUMNS;
    const double one = 1;
    const double zero = 0;
    struct kt_witness before;
    struct kt_witness after;
    kt_witness_take(&before);
    double cpu = kt_timer_read(&p->cpu);
    uint64_t start = kt_clock_start();
    p->dgemm("N", "N", &n, &n, &inner, &one, p->a, &ld, p->b, &ld, &zero, p->c, &ld, 1, 1);
    uint64_t ticks = kt_clock_stop() - start;
    cpu = kt_timer_between(&p->cpu, cpu, kt_timer_read(&p->cpu));
    kt_witness_take(&after);
    unsigned bits = kt_disturbances_add(&disturbances, &before, &after);
    double rate = (before.rate + after.rate) / 2;
    return (struct sample){.wall = (double)ticks * kt_timer_tick(),
                           .cpu = cpu,
                           .cycles = (double)ticks * rate,
                           .calm = !(bits & 1 << KT_DISTURBED_SWITCH),
                           .steady = !(bits & 1 << KT_DISTURBED_CLOCK),
                           .rate = rate};
}

/* The inner dimension that takes 7 ms, a multiple of 100 so that one percent is a whole number. */
static int choose_inner(const struct product *p)
{
    double least = 1;
    for (int i = 0; i < 5; i++)
        least = fmin(least, time_product(p, 400).cpu);
    int inner = (int)(7e-3 / least * 4 + 0.5) * 100;
    return inner < 100 ? 100 : inner > COLUMNS ? COLUMNS : inner;
}

struct trial {
    double time[WAYS][MOST_ROUNDS], base[WAYS][MOST_ROUNDS];
    size_t n[WAYS];
};

static void add(struct trial *t, enum way way, double time, double base)
{
    t->time[way][t->n[way]] = time;
    t->base[way][t->n[way]++] = base;
}

static void run_trial(const struct product *p, int longer, int shorter, size_t rounds, uint64_t *seed,
                      struct trial *out)
{
    memset(out->n, 0, sizeof out->n);
    for (size_t r = 0; r < rounds; r++) {
        struct sample sample[2]; /* of the longer one, of the shorter one */
        size_t first = kt_random(seed) & 1;
        sample[first] = time_product(p, first ? shorter : longer);
        sample[!first] = time_product(p, first ? longer : shorter);
        add(out, ALL, sample[0].wall, sample[1].wall);
        add(out, CPU, sample[0].cpu, sample[1].cpu);
        add(out, CORE, sample[0].cycles, sample[1].cycles);
        if (sample[0].steady && sample[1].steady && fabs(sample[0].rate / sample[1].rate - 1) < 0.01)
            add(out, STEADY, sample[0].wall, sample[1].wall);
        if (sample[0].calm && sample[1].calm)
            add(out, CALM, sample[0].wall, sample[1].wall);
    }
}

/* What the trials say by one way. */
struct tally {
    int count[KT_CANNOT_TELL + 1];
    double half_width, value;
    size_t pairs;
    double trials; /* that had any pairs */
};

static void add_trial(struct tally *tally, const struct trial *t, enum way way)
{
    struct kt_ratio ratio = kt_ratio_of(&(struct kt_pairs){.time = t->time[way], .base = t->base[way], .n = t->n[way]});
    tally->count[kt_ratio_verdict(&ratio)]++;
    if (ratio.n == 0)
        return;
    tally->half_width += (ratio.hi - ratio.lo) / 2;
    tally->value += log(ratio.value);
    tally->pairs += ratio.n;
    tally->trials++;
}

static void run_trials(const struct product *p, int more, int trials, size_t rounds, uint64_t *seed)
{
    static struct trial trial;
    struct tally tally[WAYS] = {0};
    int inner = choose_inner(p);
    int longer = inner + inner / 100 * more;
    for (int t = 0; t < trials; t++) {
        run_trial(p, longer, inner, rounds, seed, &trial);
        for (int way = 0; way < WAYS; way++)
            add_trial(&tally[way], &trial, (enum way)way);
    }
    printf("dgemm with k = %d against %d, %d trials of %zu rounds:\n", longer, inner, trials, rounds);
    for (int way = 0; way < WAYS; way++) {
        if (tally[way].trials == 0) {
            printf("  %-22s no pairs\n", way_text[way]);
            continue;
        }
        printf("  %-22s %5.1f pairs, mean ratio %.4f, intervals of +- %.2f %%;", way_text[way],
               (double)tally[way].pairs / trials, exp(tally[way].value / tally[way].trials),
               100 * tally[way].half_width / tally[way].trials);
        for (int v = 0; v <= KT_CANNOT_TELL; v++)
            printf("%s %s %d", v ? "," : "", kt_verdict_text[v], tally[way].count[v]);
        printf("\n");
    }
}

static void prepare(const char *name, struct product *out)
{
    struct kt_error error = {0};
    struct kt_library library = {0};
    cpu_set_t one;
    uint64_t seed = 1;
    if (kt_library_find(name, &library, &error) != KT_OK || (library.threads = 1, false) ||
        kt_library_load(&library, &error) != KT_OK) {
        fprintf(stderr, "one_percent: %s\n", error.text);
        exit(1);
    }
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    kt_timer_open(KT_TIMER_CPU, &out->cpu);
    out->dgemm = (dgemm_function *)kt_library_symbol(&library, "dgemm_", "");
    double **matrix[] = {&out->a, &out->b, &out->c};
    for (size_t i = 0; i < 3; i++) {
        *matrix[i] = kt_resize(NULL, (size_t)4 * COLUMNS * COLUMNS, sizeof **matrix[i]);
        for (size_t j = 0; j < (size_t)4 * COLUMNS * COLUMNS; j++)
            (*matrix[i])[j] = (double)(int64_t)kt_random(&seed) * 0x1p-63;
    }
}

int main(int argc, char **argv)
{
    struct product product;
    uint64_t seed = 2;
    int trials = argc > 2 ? atoi(argv[2]) : 20;
    long rounds = argc > 3 ? strtol(argv[3], NULL, 10) : 104;
    if (trials < 1 || rounds < 6 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "one_percent: at least one trial, 6 to %d rounds\n", MOST_ROUNDS);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    prepare(argc > 1 ? argv[1] : "openblas-serial", &product);
    run_trials(&product, 0, trials, (size_t)rounds, &seed);
    run_trials(&product, 1, trials, (size_t)rounds, &seed);
    printf("%zu calls, of which %zu were disturbed:", disturbances.samples, disturbances.disturbed);
    for (int i = 0; i < KT_DISTURBANCE_KINDS; i++)
        printf(" %s %zu%s", kt_disturbance_key[i], disturbances.by[i], i + 1 < KT_DISTURBANCE_KINDS ? "," : "\n");
    return 0;
}
