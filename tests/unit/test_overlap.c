/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that run at the same time, beside what pairs of all calls tell. */
#include "model/tracker/overlap.h"
#include "tests/parts/tracegen.h"
#include "trace/base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { US = KT_GEN_HZ / 1000000, THREADS = 8, CALLS = 100, FIRST_TID = 10 };

/* A call of N numbers, in microseconds. */
struct timed {
    uint32_t tid;
    unsigned n;
    uint64_t begin, us;
};

struct made {
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_shapes shapes;
    struct kt_overlaps found;
    int dot;
};

static void begin(struct made *m)
{
    *m = (struct made){0};
    kt_gen_begin(&m->gen, "trace/routines", 42);
    m->dot = kt_gen_entry(&m->gen, "ddot", KT_FORTRAN);
}

/* With the clock readings that are not part of its time. */
static void add(struct made *m, const struct timed *call)
{
    char args[40];
    snprintf(args, sizeof args, "%u 0x1000 1 0x9000 1", call->n);
    kt_gen_call(&m->gen, &(struct kt_gen_call){call->tid, m->dot, 0, call->begin * US,
                                               call->us * US + KT_GEN_CLOCK_TICKS, args});
}

static void find(struct made *m, bool twice)
{
    struct kt_error error = {0};
    kt_gen_end(&m->gen, true);
    if (twice)
        kt_gen_copy_process(&m->gen, 43);
    assert_int_equal(kt_trace_open(m->gen.trace, &m->trace, &error), KT_OK);
    kt_shapes_collect(&m->trace, KT_OUTERMOST, &m->shapes);
    kt_overlaps_find(&m->trace, &m->shapes, &m->found);
    assert_true(m->found.known);
}

static void end(struct made *m)
{
    kt_overlaps_free(&m->found);
    kt_shapes_free(&m->shapes);
    kt_trace_close(&m->trace);
    kt_gen_remove(&m->gen);
}

static void same(double is, double expected)
{
    if (!(fabs(is - expected) <= 1e-6 * (1 + fabs(expected))))
        fail_msg("%.9g instead of %.9g", is, expected);
}

static void two_threads(void **state)
{
    struct made m;
    (void)state;
    begin(&m);
    add(&m, &(struct timed){1, 100, 100, 400}); /* 100 to 500 */
    add(&m, &(struct timed){2, 200, 300, 800}); /* 300 to 1100 */
    add(&m, &(struct timed){1, 100, 600, 100}); /* 600 to 700 */
    add(&m, &(struct timed){1, 100, 2000, 100});
    find(&m, false);
    struct kt_overlap one = kt_overlap_of_thread(&m.found, m.trace.process, 1);
    struct kt_overlap two = kt_overlap_of_thread(&m.found, m.trace.process, 2);
    struct kt_overlap none = kt_overlap_of_thread(&m.found, m.trace.process, 3);
    same(m.found.busy, 1100e-6);
    assert_int_equal(m.found.most, 2);
    same(kt_overlap_at_begin(&one), 1.0 / 3);
    same(kt_overlap_beside(&one), 300.0 / 600);
    same(kt_overlap_at_begin(&two), 1);
    same(kt_overlap_beside(&two), 300.0 / 800);
    same(m.found.all.beside, 600e-6);
    assert_int_equal(m.found.shapes, 2);
    same(m.found.shape[0].seconds, 800e-6); /* that takes longest */
    same(m.found.shape[0].beside, 300e-6);
    assert_true(isnan(kt_overlap_at_begin(&none)) && isnan(kt_overlap_beside(&none)));
    end(&m);
}

/* A thread's calls do not overlap; those of several threads do at random. No two begin at the same time, nor does one
 * when another ends. */
static void make_calls(struct timed call[THREADS][CALLS])
{
    uint64_t random = 7;
    for (uint32_t t = 0; t < THREADS; t++) {
        uint64_t at = 1000;
        for (int i = 0; i < CALLS; i++) {
            at = (at / 16 + 1 + kt_random(&random) % 20) * 16 + 2 * t;
            call[t][i] = (struct timed){FIRST_TID + t, 100 + 100 * (t % 2), at, 1 + 2 * (kt_random(&random) % 250)};
            at += call[t][i].us;
        }
    }
}

/* What others of COPIES equal processes are to a call of one of them. */
static struct kt_overlap pairs_of(struct timed call[THREADS][CALLS], uint32_t of, int copies)
{
    struct kt_overlap out = {0};
    for (int i = 0; i < CALLS; i++) {
        const struct timed *a = &call[of][i];
        out.calls++;
        out.seconds += (double)a->us * 1e-6;
        for (uint32_t t = 0; t < THREADS; t++)
            for (int j = 0; j < CALLS; j++) {
                const struct timed *b = &call[t][j];
                int times = t == of ? copies - 1 : copies;
                uint64_t lo = a->begin > b->begin ? a->begin : b->begin;
                uint64_t hi = a->begin + a->us < b->begin + b->us ? a->begin + a->us : b->begin + b->us;
                out.at_begin += b->begin < a->begin && a->begin < b->begin + b->us ? times : 0;
                out.beside += hi > lo ? times * (double)(hi - lo) * 1e-6 : 0;
            }
    }
    return out;
}

static double time_of_any(struct timed call[THREADS][CALLS])
{
    enum { LONGEST = 100000 };
    static bool is_busy[LONGEST];
    double us = 0;
    memset(is_busy, 0, sizeof is_busy);
    for (uint32_t t = 0; t < THREADS; t++)
        for (int i = 0; i < CALLS; i++)
            for (uint64_t at = call[t][i].begin; at < call[t][i].begin + call[t][i].us; at++)
                is_busy[at] = true;
    for (int at = 0; at < LONGEST; at++)
        us += is_busy[at];
    return us * 1e-6;
}

static void many_calls(int copies)
{
    static struct timed call[THREADS][CALLS];
    struct made m;
    begin(&m);
    make_calls(call);
    for (int i = 0; i < CALLS; i++)
        for (uint32_t t = 0; t < THREADS; t++)
            add(&m, &call[t][i]);
    find(&m, copies > 1);
    assert_int_equal(m.trace.processes, copies);
    for (uint32_t t = 0; t < THREADS; t++)
        for (int p = 0; p < copies; p++) {
            struct kt_overlap is = kt_overlap_of_thread(&m.found, &m.trace.process[p], FIRST_TID + t);
            struct kt_overlap expected = pairs_of(call, t, copies);
            same(is.calls, CALLS);
            same(is.beside, expected.beside);
            if (copies == 1) /* equal calls begin at the same time, one before the other */
                same(is.at_begin, expected.at_begin);
        }
    same(m.found.busy, copies * time_of_any(call));
    same(m.found.busy_in[0], time_of_any(call));
    end(&m);
}

static void many_threads(void **state)
{
    (void)state;
    many_calls(1);
}

static void two_processes(void **state)
{
    (void)state;
    many_calls(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads),
        cmocka_unit_test(many_threads),
        cmocka_unit_test(two_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
