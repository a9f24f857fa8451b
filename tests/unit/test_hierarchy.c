/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The search for caches on simulated machines whose truth is known: 1,000 random ones, with noise and spikes. The cost
 * of a pattern is computed, not simulated load by load: in a loop over the same addresses the share of hits in a set of
 * A ways that N lines compete for is known, 1 or 0 under LRU, and the solution of h = (1 - 1/A)^(N (1 - h)) under
 * random replacement.
 */
#include "model/analysis/hierarchy.h"
#include "tests/unit/blackjack.h"
#include "trace/base/random.h"
#include "trace/base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* With sanitizers, which take thirteen times as long, a part of the machines will do. */
#ifdef __SANITIZE_ADDRESS__
enum { PART = 5 };
#else
enum { PART = 1 };
#endif

struct level {
    double bytes, latency;
    unsigned ways;
    bool random; /* replacement; else LRU */
};

struct machine {
    struct level level[4];
    size_t levels, line;
    double memory;
    bool exclusive; /* the second level holds no line of the first */
    bool pairs;     /* a miss of the last level brings two lines */
    double victims; /* lines of a victim cache behind the first level */
    double noise, spikes;
    uint64_t seed;
    struct kt_pattern known; /* the last pattern, */
    double cost;             /* and what it costs without noise */
};

static double uniform(uint64_t *seed)
{
    return (double)(kt_random(seed) >> 11) * 0x1p-53;
}

static double normal(uint64_t *seed)
{
    return sqrt(-2 * log(1 - uniform(seed))) * cos(2 * 3.14159265358979 * uniform(seed));
}

/* Share of hits of N lines in a set of A ways. */
static double hits(double n, double ways, bool random)
{
    if (n <= ways)
        return 1;
    if (!random)
        return 0;
    double h = 0.5;
    for (int i = 0; i < 60; i++)
        h = 0.5 * h + 0.5 * pow(1 - 1 / ways, n * (1 - h));
    return h;
}

/* The same for LINES lines that follow each other: some sets have one more than others. */
static double dense_hits(double lines, const struct level *level, double bytes, size_t line)
{
    double sets = bytes / (double)line / level->ways;
    double each = floor(lines / sets);
    double more = (lines - each * sets) * (each + 1) / lines;
    return more * hits(each + 1, level->ways, level->random) + (1 - more) * hits(each, level->ways, level->random);
}

static double beyond(const struct machine *m, size_t k, const double *h)
{
    if (k == m->levels)
        return m->pairs && m->levels > 1 ? (m->memory + m->level[1].latency) / 2 : m->memory;
    return h[k] * m->level[k].latency + (1 - h[k]) * beyond(m, k + 1, h);
}

static double dense_cost(const struct machine *m, const struct kt_pattern *p)
{
    double lines = fmax(1, (double)(p->stride * p->count) / (double)m->line);
    double h[4];
    for (size_t k = 0; k < m->levels; k++) {
        double bytes = m->level[k].bytes + (k == 1 && m->exclusive ? m->level[0].bytes : 0);
        h[k] = dense_hits(lines, &m->level[k], bytes, m->line);
        if (k == 0 && lines <= bytes / (double)m->line + m->victims)
            h[k] = 1;
    }
    /* Lines longer than the stride: further loads of a line hit in the first level, as it was brought before. */
    return beyond(m, 0, h);
}

static int by_number(const void *a, const void *b)
{
    size_t x = *(const size_t *)a;
    size_t y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* The distinct lines of a pattern, sorted. */
static size_t *lines_of(const struct machine *m, const struct kt_pattern *p, size_t *count)
{
    size_t n = p->count * p->width;
    size_t *line = kt_resize(NULL, n, sizeof *line);
    for (size_t i = 0; i < n; i++) {
        size_t stop = i / p->width;
        size_t address = stop * p->stride + i % p->width * p->spacing + (stop >= (p->count + 1) / 2 ? p->shift : 0);
        line[i] = address / m->line;
    }
    qsort(line, n, sizeof *line, by_number);
    *count = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || line[i] != line[*count - 1])
            line[(*count)++] = line[i];
    return line;
}

static double set_hits(const struct machine *m, size_t k, const size_t *line, size_t count)
{
    size_t sets = (size_t)(m->level[k].bytes / (double)m->line / m->level[k].ways);
    unsigned *users = calloc(sets, sizeof *users);
    double sum = 0;
    double over = 0;
    for (size_t i = 0; i < count; i++)
        users[line[i] % sets]++;
    for (size_t s = 0; s < sets; s++)
        over += users[s] > m->level[k].ways ? users[s] - m->level[k].ways : 0;
    for (size_t i = 0; i < count; i++)
        sum += hits(users[line[i] % sets], m->level[k].ways, m->level[k].random);
    free(users);
    return k == 0 && over <= m->victims ? 1 : sum / (double)count;
}

static double sparse_cost(const struct machine *m, const struct kt_pattern *p)
{
    size_t count;
    size_t *line = lines_of(m, p, &count);
    double h[4];
    for (size_t k = 0; k < m->levels; k++)
        h[k] = set_hits(m, k, line, count);
    free(line);
    return beyond(m, 0, h);
}

static double chase(void *machine, const struct kt_pattern *p)
{
    struct machine *m = machine;
    if (memcmp(p, &m->known, sizeof *p) != 0)
        m->cost = p->width == 1 && p->shift == 0 && p->stride == 64 ? dense_cost(m, p) : sparse_cost(m, p);
    m->known = *p;
    double factor = fmax(0.3, 1 + m->noise * normal(&m->seed));
    if (uniform(&m->seed) < m->spikes)
        factor *= 1.5 + 3.5 * uniform(&m->seed);
    return m->cost * factor;
}

static double pick(uint64_t *seed, double low, double high)
{
    return low + (high - low) * uniform(seed);
}

/* A random machine: sets are a power of two, ways are not. */
static struct machine random_machine(uint64_t seed, double noise)
{
    struct machine m = {.line = 64, .noise = noise, .spikes = 0.05, .seed = seed};
    uint64_t *s = &m.seed;
    if (uniform(s) < 0.2)
        m.line = 128;
    m.levels = 2 + kt_random(s) % 3;
    double bytes = pick(s, 4096, 65536);
    double latency = pick(s, 2, 5);
    for (size_t k = 0; k < m.levels; k++) {
        struct level *l = &m.level[k];
        l->ways = 1 + (unsigned)(kt_random(s) % 24);
        double sets = exp2(round(log2(fmax(16, bytes / (double)m.line / l->ways))));
        *l = (struct level){.bytes = sets * l->ways * (double)m.line, .latency = latency, .ways = l->ways};
        l->random = uniform(s) < 0.2;
        bytes = l->bytes * pick(s, 4, 12);
        latency *= pick(s, 2.2, 4);
    }
    m.memory = latency;
    m.exclusive = uniform(s) < 0.25;
    m.pairs = m.levels > 2 && uniform(s) < 0.25;
    m.victims = !m.level[0].random && uniform(s) < 0.15 ? 4 + (double)(kt_random(s) % 5) : 0;
    return m;
}

struct score {
    int levels, sizes, first, ways, line, all, plain;
};

static bool near(double found, double truth, double slack)
{
    return found >= truth * 0.9 && found <= (truth + slack) * 1.1;
}

static double truth_of(const struct machine *m, size_t k)
{
    return m->level[k].bytes + (k == 1 && m->exclusive ? m->level[0].bytes : 0);
}

/* What paper 003 makes of the same curve: monotone, clustered; the largest size of each of the clusters but the last.
 */
static bool plain_is_right(const struct machine *m, const struct kt_curve *curve)
{
    double *y = kt_resize(NULL, curve->n, sizeof *y);
    size_t *cluster = kt_resize(NULL, curve->n, sizeof *cluster);
    memcpy(y, curve->y, curve->n * sizeof *y);
    kt_enforce_monotone(y, curve->n);
    size_t clusters = kt_blackjack_cluster(y, curve->n, cluster);
    bool right = clusters == m->levels + 1;
    size_t k = 0;
    for (size_t i = 0; right && i + 1 < curve->n; i++)
        if (cluster[i + 1] != cluster[i])
            right = near((double)curve->x[i], truth_of(m, k++), m->victims * (double)m->line);
    free(cluster);
    free(y);
    return right;
}

static void score_machine(const struct machine *truth, struct score *score)
{
    struct machine m = *truth;
    double limit = 8 * m.level[m.levels - 1].bytes;
    struct kt_chaser chaser = {.chase = chase,
                               .machine = &m,
                               .limit = (size_t)limit,
                               .rounds = 7,
                               .rounds_max = 41,
                               .octave = 8,
                               .quantile = 0.25,
                               .patience = 0,
                               .tolerance = 0.06,
                               .ratio = 1.2};
    struct kt_measured_hierarchy h;
    kt_hierarchy_find(&chaser, &h);
    bool levels = h.caches == m.levels;
    bool sizes = levels;
    for (size_t k = 0; sizes && k < m.levels; k++)
        sizes = near(h.cache[k].bytes, truth_of(&m, k), k == 0 ? m.victims * (double)m.line : 0);
    bool first = h.caches && h.cache[0].bytes == m.level[0].bytes;
    bool ways = h.caches && h.cache[0].ways == (int)m.level[0].ways;
    bool line = h.line == m.line;
    score->levels += levels;
    score->sizes += sizes;
    score->first += first;
    score->ways += ways;
    score->line += line;
    score->all += sizes && first && ways && line;
    score->plain += plain_is_right(&m, &h.curve);
    if (getenv("VERBOSE") && !(sizes && first && ways && line)) {
        printf("# line %zu/%zu ways %d/%u victims %g excl %d pairs %d random %d noise %g:", h.line, m.line,
               h.cache[0].ways, m.level[0].ways, m.victims, m.exclusive, m.pairs, m.level[0].random, m.noise);
        for (size_t k = 0; k < m.levels; k++)
            printf(" %g(%u%s,%.1f)", truth_of(&m, k), m.level[k].ways, m.level[k].random ? "r" : "",
                   m.level[k].latency);
        printf(" found");
        for (size_t k = 0; k < h.caches; k++)
            printf(" %g(%.1f)", h.cache[k].bytes, h.cache[k].latency);
        printf("\n");
    }
    kt_hierarchy_free(&h);
}

static struct score score_at(double noise, int machines)
{
    struct score score = {0};
    for (int i = 0; i < machines; i++) {
        struct machine m = random_machine((uint64_t)i * 7919 + 17, noise);
        score_machine(&m, &score);
    }
    print_message(
        "# noise %2.0f %%, %d machines, right: levels %d, all sizes %d, first size %d, ways %d, line %d; all of it %d; "
        "sizes by clustering alone %d\n",
        100 * noise, machines, score.levels, score.sizes, score.first, score.ways, score.line, score.all, score.plain);
    return score;
}

static void finds_random_machines_at_2_percent_noise(void **state)
{
    (void)state;
    enum { MACHINES = 1000 / PART };
    struct score score = score_at(0.02, MACHINES);
    assert_true(score.all >= 0.95 * MACHINES);
    assert_true(score.sizes > score.plain);
}

static void finds_random_machines_at_10_percent_noise(void **state)
{
    (void)state;
    enum { MACHINES = 300 / PART };
    struct score score = score_at(0.10, MACHINES);
    assert_true(score.all >= 0.8 * MACHINES);
    assert_true(score.sizes > score.plain);
}

static void noise_free_and_very_noisy_ones(void **state)
{
    (void)state;
    enum { MACHINES = 100 / PART };
    struct score quiet = score_at(0, MACHINES);
    struct score loud = score_at(0.15, MACHINES);
    assert_true(quiet.all >= 0.95 * MACHINES && loud.all >= 0.7 * MACHINES);
}

static double flat(void *machine, const struct kt_pattern *p)
{
    (void)machine;
    (void)p;
    return 5;
}

static void a_flat_machine_has_no_cache(void **state)
{
    (void)state;
    struct kt_chaser chaser = {
        .chase = flat, .limit = 1 << 20, .rounds = 3, .octave = 4, .quantile = 0.25, .tolerance = 0.06, .ratio = 1.2};
    struct kt_measured_hierarchy h;
    kt_hierarchy_find(&chaser, &h);
    assert_int_equal(h.caches, 0);
    assert_true(isnan(h.memory_latency) && h.line == 0);
    kt_hierarchy_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_random_machines_at_2_percent_noise),
        cmocka_unit_test(finds_random_machines_at_10_percent_noise),
        cmocka_unit_test(noise_free_and_very_noisy_ones),
        cmocka_unit_test(a_flat_machine_has_no_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
