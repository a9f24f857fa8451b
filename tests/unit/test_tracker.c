/* SPDX-License-Identifier: BSD-3-Clause */
/* The shares of operands that the caches of several processors hold, against a simulator of their lines. */
#include "model/tracker/tracker.h"
#include "tests/unit/simulated_lines.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void smoothing_is_the_papers(void **unused)
{
    (void)unused;
    const uint64_t c = 1 << 20;
    for (uint64_t d = 0; d < 5 * c; d += c / 16) {
        double r = ((double)c - (double)d) / (double)c;
        double f = tanh((r >= 0 ? 4 : 2) * r);
        assert_true(fabs(kt_cached_share(d, c) - (1 + f) / 2) < 1e-12);
    }
    assert_true(kt_cached_share(c, c) == 0.5);
    assert_true(kt_cached_share(KT_NEVER, c) == 0);
    assert_true(kt_cached_share(0, 0) == 0);
}

enum { CPUS = 3 };
static const unsigned cpu_number[CPUS] = {0, 5, 64};

/* What each processor and what all have seen; 0 in the former also after another one wrote. */
struct machine {
    int own[CPUS][LINES], all[LINES];
    int calls;
};

static void expected_shares(const struct machine *m, int cpu, const struct kt_operand *o, double held[3])
{
    kt_sim_lines set = {false};
    double lines = 0;
    kt_sim_add(set, o);
    memset(held, 0, 3 * sizeof *held);
    for (int line = 0; line < LINES; line++) {
        if (!set[line])
            continue;
        uint64_t own = kt_sim_distance(m->own[cpu], line);
        uint64_t all = kt_sim_distance(m->all, line);
        lines++;
        for (int level = 0; level < 3; level++) {
            uint64_t d = level < 2 ? own : all;
            held[level] += kt_cached_share(d == KT_NEVER ? d : d * LINE, kt_sim_caches.cache[level].bytes);
        }
    }
    for (int level = 0; level < 3; level++)
        held[level] = lines > 0 ? held[level] / lines : 1;
}

static void same_shares(const double held[3], const float *share)
{
    double nearer = 0;
    double sum = 0;
    for (int level = 0; level < 3; level++) {
        assert_true(fabs(fmax(0, held[level] - nearer) - (double)share[level]) < 1e-5);
        nearer = fmax(nearer, held[level]);
        sum += (double)share[level];
    }
    assert_true(fabs(sum + (double)share[3] - 1) < 1e-5);
}

static void use_on(struct machine *m, int cpu, const struct kt_operand *operand, int count)
{
    m->calls++;
    for (int i = 0; i < count; i++) {
        kt_sim_lines set = {false};
        kt_sim_add(set, &operand[i]);
        for (int line = 0; line < LINES; line++) {
            if (!set[line])
                continue;
            m->all[line] = m->own[cpu][line] = m->calls;
            for (int other = 0; other < CPUS && operand[i].access & (KT_WRITE | KT_WORK); other++)
                if (other != cpu)
                    m->own[other][line] = 0;
        }
    }
}

static void random_threads(void)
{
    struct machine m = {.calls = 0};
    struct kt_tracker *tracker = kt_tracker_new(&kt_sim_caches);
    struct kt_operand pool[6];
    for (int i = 0; i < 6; i++)
        pool[i] = kt_sim_any_operand();
    for (int n = 0; n < 40; n++) {
        int cpu = n < 10 ? 1 : (int)kt_sim_draw(CPUS);
        int count = 1 + (int)kt_sim_draw(MOST_OPERANDS);
        struct kt_operand operand[MOST_OPERANDS];
        kt_shares share;
        for (int i = 0; i < count; i++)
            operand[i] = kt_sim_next_operand(pool, 6);
        assert_true(kt_tracker_call(tracker, cpu_number[cpu], operand, count, share));
        for (int i = 0; i < count; i++) {
            double held[3];
            expected_shares(&m, cpu, &operand[i], held);
            same_shares(held, share[i]);
        }
        use_on(&m, cpu, operand, count);
    }
    kt_tracker_free(tracker);
}

static void threads_have_their_own_caches(void **unused)
{
    (void)unused;
    for (int i = 0; i < 300; i++)
        random_threads();
}

/* Another processor reads what one wrote: from the shared level. What is written is in no other cache any more. */
static void two_processors(void **unused)
{
    (void)unused;
    struct kt_tracker *t = kt_tracker_new(&kt_sim_caches);
    struct kt_operand read = kt_sim_vector(0, 64, 1, KT_READ);
    struct kt_operand written = kt_sim_vector(0, 64, 1, KT_WRITE);
    kt_shares share;
    kt_tracker_call(t, 0, &written, 1, share);
    assert_true(share[0][3] == 1);
    kt_tracker_call(t, 1, &read, 1, share);
    assert_true((double)share[0][0] == 0 && (double)share[0][2] > 0.99);
    kt_tracker_call(t, 1, &read, 1, share);
    assert_true((double)share[0][0] > 0.99);
    kt_tracker_call(t, 0, &written, 1, share);
    assert_true((double)share[0][0] > 0.99);
    kt_tracker_call(t, 1, &read, 1, share);
    assert_true((double)share[0][0] == 0 && (double)share[0][2] > 0.99);
    kt_tracker_free(t);
}

static void levels_of_processors(void **unused)
{
    (void)unused;
    struct kt_caches c = kt_sim_caches;
    assert_int_equal(kt_tracker_private_levels(&c), 2);
    c.cache[2].shared = 2; /* a machine with two processors */
    assert_int_equal(kt_tracker_private_levels(&c), 2);
    c.cache[2].shared = 1;
    assert_int_equal(kt_tracker_private_levels(&c), 3);
    c.cache[1].shared = 4; /* of a cluster */
    assert_int_equal(kt_tracker_private_levels(&c), 1);
}

/* Wrong calls may have any arguments. */
static void absurd_operands_are_refused(void **unused)
{
    (void)unused;
    struct kt_tracker *t = kt_tracker_new(&kt_sim_caches);
    kt_shares share;
    struct kt_operand wide = {
        .form = KT_FORM_MATRIX, .base = 64, .lo = 64, .rows = 1, .cols = INT32_MAX, .ld = INT32_MAX};
    wide.below = wide.rows;
    wide.above = wide.cols;
    wide.elem = 8;
    wide.hi = wide.lo + 8 * (uint64_t)INT32_MAX * (uint64_t)INT32_MAX;
    assert_false(kt_tracker_call(t, 0, &wide, 1, share));
    struct kt_operand beyond = {.form = KT_FORM_VECTOR,
                                .base = UINT64_MAX - 63,
                                .lo = UINT64_MAX - 63,
                                .rows = 100,
                                .cols = 1,
                                .ld = 1,
                                .elem = 8};
    beyond.hi = beyond.lo + 800;
    assert_false(kt_tracker_call(t, 0, &beyond, 1, share));
    struct kt_operand overlapping = kt_sim_matrix(0, 20, 10, 3, KT_READ_WRITE); /* ld < rows */
    assert_true(kt_tracker_call(t, 0, &overlapping, 1, share));
    struct kt_operand none = kt_sim_matrix(0, 0, 10, 1, KT_READ);
    assert_true(kt_tracker_call(t, 0, &none, 1, share));
    assert_true(share[0][0] == 1);
    kt_tracker_free(t);
}

/* A hostile trace of many calls of huge operands, among ordinary ones. */
static void what_walks_take_is_in_proportion(void **unused)
{
    enum { HUGE_CALLS = 1000, ELEMENTS = 1 << 22 };
    struct kt_lines_walked walk = {0};
    const struct kt_operand ordinary = kt_sim_matrix(0, 20, 10, 30, KT_READ);
    struct kt_operand huge = {.form = KT_FORM_VECTOR, .rows = ELEMENTS, .cols = 1, .ld = 9, .elem = 8};
    int followed = 0;
    (void)unused;
    huge.hi = (uint64_t)ELEMENTS * 72;
    for (int i = 0; i < HUGE_CALLS; i++) {
        followed += kt_lines_affords(&walk, &huge, 1);
        assert_true(kt_lines_affords(&walk, &ordinary, 1));
    }
    assert_in_range(followed, 4, 4 + 2 * HUGE_CALLS / (ELEMENTS >> 16)); /* the first, and one for 64 calls */
    assert_true(walk.steps <= ((uint64_t)1 << 24) + ((uint64_t)HUGE_CALLS << 17));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smoothing_is_the_papers),
        cmocka_unit_test(threads_have_their_own_caches),
        cmocka_unit_test(two_processors),
        cmocka_unit_test(levels_of_processors),
        cmocka_unit_test(absurd_operands_are_refused),
        cmocka_unit_test(what_walks_take_is_in_proportion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
