/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a sequence is made of: windows, the memory that it is played in, contents and scalars that keep numbers
 * ordinary.
 */
#include "replay/sequence/contents.h"
#include "replay/sequence/space.h"
#include "replay/sequence/recorded.h"
#include "tests/parts/table_load.h"
#include "trace/base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>

#include <cmocka.h>

/* --- windows --------------------------------------------------------------------------------------------------- */

/* Calls of a microsecond, and after each thousand one of a millisecond. */
static struct kt_course make_course(size_t calls)
{
    struct kt_course course = {0};
    for (size_t i = 0; i < calls; i++)
        kt_course_add(&course, i % 1001 == 1000 ? 1e-3 : 1e-6, 0);
    return course;
}

static void test_all_calls_are_one_window(void **state)
{
    (void)state;
    struct kt_window *window;
    struct kt_course course = make_course(1000);
    assert_int_equal(kt_windows_choose(&course, &(struct kt_recording_limit){1000, 1}, NULL, 0, &window), 1);
    assert_int_equal(window[0].first, 0);
    assert_int_equal(window[0].counted, 0);
    assert_int_equal(window[0].end, 1000);
    free(window);
    kt_course_free(&course);
}

static bool is_in(const struct kt_window *window, size_t windows, size_t place)
{
    for (size_t i = 0; i < windows; i++)
        if (place >= window[i].counted && place < window[i].end)
            return true;
    return false;
}

static void check_windows(const struct kt_window *window, size_t windows, size_t calls)
{
    for (size_t i = 0; i < windows; i++) {
        assert_true(window[i].first <= window[i].counted && window[i].counted < window[i].end);
        assert_true(i == 0 || window[i].first > window[i - 1].end);
        assert_true(window[i].end <= calls);
    }
}

static double seconds_in(const struct kt_window *window, size_t windows, size_t *calls)
{
    double seconds = 0;
    *calls = 0;
    for (size_t i = 0; i < windows; i++)
        for (size_t call = window[i].first; call < window[i].end; call++, ++*calls)
            seconds += call % 1001 == 1000 ? 1e-3 : 1e-6;
    return seconds;
}

/* 1,001,000 calls that take 2 s. Calls are kept whole: of 42 windows each may hold a long one more. */
static void test_windows_are_apart_and_hold_what_was_asked_for(void **state)
{
    (void)state;
    enum { CALLS = 1001000 };
    const size_t must_have[] = {3, 123456, CALLS - 1};
    const struct kt_recording_limit few_seconds = {CALLS, 0.5};
    const struct kt_recording_limit few_calls = {CALLS / 4, 100};
    struct kt_course course = make_course(CALLS);
    for (int k = 0; k < 2; k++) {
        struct kt_window *window;
        size_t calls;
        size_t windows = kt_windows_choose(&course, k ? &few_calls : &few_seconds, must_have, 3, &window);
        assert_in_range(windows, 10, 43);
        check_windows(window, windows, CALLS);
        double seconds = seconds_in(window, windows, &calls);
        assert_true(0.45 < seconds && seconds < 0.65);
        assert_in_range(calls, CALLS / 5, CALLS / 3);
        for (int i = 0; i < 3; i++)
            assert_true(is_in(window, windows, must_have[i]));
        free(window);
    }
    kt_course_free(&course);
}

/* Gaps that take a hundred times as long as the calls: as many windows, which are played in the time that there is. */
static void test_gaps_shorten_windows(void **state)
{
    (void)state;
    enum { CALLS = 100000 };
    struct kt_course course = {0};
    struct kt_window *window;
    double played = 0;
    for (int i = 0; i < CALLS; i++)
        kt_course_add(&course, 1e-6, 1e-4);
    assert_float_equal(kt_course_played(&course), 10.1, 1e-6);
    size_t windows = kt_windows_choose(&course, &(struct kt_recording_limit){CALLS, 1}, NULL, 0, &window);
    check_windows(window, windows, CALLS);
    assert_in_range(windows, 30, 40);
    for (size_t i = 0; i < windows; i++)
        played += 101e-6 * (double)(window[i].end - window[i].first);
    assert_true(0.9 < played && played < 1.2);
    free(window);
    kt_course_free(&course);
}

/* What leads to a rare call is not played for longer than the caches need: ten fit into the half second that there is.
 */
static void test_windows_of_rare_calls_have_few_gaps(void **state)
{
    (void)state;
    enum { CALLS = 2000 };
    size_t must_have[10];
    struct kt_course course = {0};
    struct kt_window *window;
    for (size_t i = 0; i < CALLS; i++)
        kt_course_add(&course, 20e-6, i < CALLS / 2 ? 0 : 20e-3);
    for (size_t i = 0; i < 10; i++)
        must_have[i] = CALLS / 2 + 37 + 97 * i;
    size_t windows = kt_windows_choose(&course, &(struct kt_recording_limit){CALLS, 1}, must_have, 10, &window);
    for (size_t i = 0; i < 10; i++)
        assert_true(is_in(window, windows, must_have[i]));
    free(window);
    kt_course_free(&course);
}

/* In all of which a call takes longer than there is time for; and one in whose calls the clock saw nothing. */
static void test_windows_of_long_calls_are_few(void **state)
{
    (void)state;
    static const double second[] = {1, 0};
    for (int k = 0; k < 2; k++) {
        struct kt_course course = {0};
        struct kt_window *window;
        for (size_t i = 0; i < 100; i++)
            kt_course_add(&course, second[k], 0);
        size_t windows = kt_windows_choose(&course, &(struct kt_recording_limit){50, 1}, NULL, 0, &window);
        assert_int_equal(windows, 1);
        check_windows(window, windows, 100);
        free(window);
        kt_course_free(&course);
    }
}

/* There are more calls than blocks. */
static void test_a_long_course_keeps_its_seconds(void **state)
{
    (void)state;
    enum { CALLS = 5000000 };
    struct kt_course course = {0};
    struct kt_window *window;
    size_t calls;
    for (size_t i = 0; i < CALLS; i++)
        kt_course_add(&course, i % 1001 == 1000 ? 1e-3 : 1e-6, 0);
    assert_int_equal(course.calls, CALLS);
    assert_true(fabs(kt_course_seconds(&course) - 9.99) < 0.01);
    size_t windows = kt_windows_choose(&course, &(struct kt_recording_limit){CALLS, 1}, NULL, 0, &window);
    check_windows(window, windows, CALLS);
    double seconds = seconds_in(window, windows, &calls);
    assert_true(0.9 < seconds && seconds < 1.3);
    free(window);
    kt_course_free(&course);
}

/* --- memory ---------------------------------------------------------------------------------------------------- */

static void test_ranges(void **state)
{
    (void)state;
    struct kt_ranges r = {0};
    assert_true(kt_ranges_add(&r, 0x10000010, 0x10002000));
    assert_true(kt_ranges_add(&r, 0x20000000, 0x20000001));
    assert_true(kt_ranges_add(&r, 0x10001000, 0x10003000));
    assert_true(kt_ranges_add(&r, 0x30000000, 0x30000000)); /* nothing */
    assert_false(kt_ranges_add(&r, 8, 16));
    assert_false(kt_ranges_add(&r, 0x10000000, UINT64_C(1) << 50));
    kt_ranges_join(&r);
    assert_int_equal(r.count, 2);
    assert_int_equal(kt_ranges_bytes(&r), 3 * 4096 + 4096);
    struct kt_piece *piece;
    assert_int_equal(kt_space_pieces(&r, &piece), 2);
    free(piece);
    kt_ranges_free(&r);
}

/* An address where there is room for some MiB, well away from what else there is. */
static uint64_t free_address(void)
{
    void *found = mmap(NULL, 64 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(found != MAP_FAILED);
    munmap(found, 64 << 20);
    return (uint64_t)found + (16 << 20);
}

static void test_recorded_addresses_where_they_are_free(void **state)
{
    (void)state;
    struct kt_error error = {0};
    struct kt_ranges r = {0};
    struct kt_space space;
    uint64_t at = free_address();
    kt_ranges_add(&r, at + 8, at + 8000);
    kt_ranges_join(&r);
    assert_int_equal(kt_space_map(&r, &space, &error), KT_OK);
    assert_int_equal(space.kind, KT_AS_RECORDED);
    assert_int_equal(kt_space_at(&space, at + 8), at + 8);
    assert_int_equal(kt_space_at(&space, at + (1 << 20)), 0);
    ((volatile char *)at)[8] = 1;

    /* Now they are taken: everything moves by one distance, a multiple of 1 GiB. */
    struct kt_space moved;
    kt_ranges_add(&r, at + (8 << 20), at + (8 << 20) + 100);
    kt_ranges_join(&r);
    assert_int_equal(kt_space_map(&r, &moved, &error), KT_OK);
    assert_int_equal(moved.kind, KT_MOVED);
    uint64_t shift = kt_space_at(&moved, at + 8) - at - 8;
    assert_int_equal(shift % (1 << 30), 0);
    assert_int_not_equal(shift, 0);
    assert_int_equal(kt_space_at(&moved, at + (8 << 20)) - at - (8 << 20), shift);
    free(space.piece);
    free(moved.piece);
    kt_ranges_free(&r);
}

/* --- scalars and contents -------------------------------------------------------------------------------------- */

enum { N = 40 };

/* A call of a routine on N x N matrices of leading dimension N that lie at the addresses, with its scalars. */
struct made {
    struct kt_entry entry;
    struct kt_recorded_call call;
    uint64_t args[64];
};

static void make(struct made *m, const char *routine, const uint64_t *address, double alpha, double beta)
{
    *m = (struct made){0};
    assert_true(kt_symbol_make(kt_table_find(&kt_spec_table, routine), KT_FORTRAN, &m->entry.symbol));
    unsigned char *args = (unsigned char *)m->args;
    for (int i = 0; i < m->entry.symbol.params; i++) {
        const struct kt_param *p = &m->entry.symbol.param[i];
        const struct kt_arg *arg = &m->entry.symbol.routine->arg[p->arg];
        const int64_t size = arg->role == KT_INC ? 1 : N;
        double scalar = strcmp(arg->name, "beta") ? alpha : beta;
        if (p->stored == KT_CHAR)
            args[p->offset] = arg->role == KT_UPLO || arg->role == KT_SIDE ? 'L' : 'N';
        else if (p->stored == KT_INT)
            memcpy(args + p->offset, &size, sizeof size);
        else if (p->stored == KT_DOUBLE)
            memcpy(args + p->offset, &scalar, sizeof scalar);
        else if (p->stored == KT_ADDRESS)
            memcpy(args + p->offset, address++, sizeof *address);
    }
    m->call = (struct kt_recorded_call){.entry = &m->entry, .args = m->args};
}

static double scalar(const struct made *m, const char *name)
{
    for (int i = 0; i < m->entry.symbol.params; i++)
        if (!strcmp(m->entry.symbol.param[i].name, name))
            return kt_stored_value((const unsigned char *)m->args, &m->entry.symbol.param[i], NULL);
    fail();
    return NAN;
}

static void steady(const char *routine, double alpha, double beta, struct made *out)
{
    const uint64_t address[] = {0x100000, 0x200000, 0x300000};
    make(out, routine, address, alpha, beta);
    kt_scalars_steady(&out->entry.symbol, (unsigned char *)out->args);
}

static void test_scalars_change_magnitudes_little(void **state)
{
    (void)state;
    struct made m;
    steady("dgemm", 3.5, 0.25, &m);
    assert_true(fabs(scalar(&m, "alpha")) < 1e-5 && scalar(&m, "alpha") != 0);
    assert_true(fabs(scalar(&m, "beta") - 1) < 1e-5 && scalar(&m, "beta") != 1);
    steady("dgemm", 3.5, 0, &m); /* alpha is all that there is */
    assert_true(scalar(&m, "alpha") == 3.5 && scalar(&m, "beta") == 0);
    steady("dgemm", -1, 1, &m); /* classes of their own */
    assert_true(scalar(&m, "alpha") == -1 && scalar(&m, "beta") == 1);
    steady("dtrsm", 1e9, 0, &m);
    assert_true(fabs(scalar(&m, "alpha") - 1) < 1e-5 && scalar(&m, "alpha") != 1);
    steady("dscal", 1e-9, 0, &m);
    assert_true(fabs(scalar(&m, "alpha") - 1) < 1e-5 && scalar(&m, "alpha") != 1);
    steady("daxpy", 7, 0, &m);
    assert_true(fabs(scalar(&m, "alpha")) < 1e-5 && scalar(&m, "alpha") != 0);
}

struct memory {
    struct kt_space space;
    struct kt_ranges ranges;
    struct kt_data_pool *pool;
    uint64_t at;
};

static void take_memory(struct memory *m)
{
    struct kt_error error = {0};
    *m = (struct memory){.pool = kt_data_pool_new(), .at = free_address()};
    kt_ranges_add(&m->ranges, m->at, m->at + 3 * 65536);
    kt_ranges_join(&m->ranges);
    assert_int_equal(kt_space_map(&m->ranges, &m->space, &error), KT_OK);
}

static void drop_memory(struct memory *m)
{
    munmap((void *)m->at, 3 * 65536);
    free(m->space.piece);
    kt_ranges_free(&m->ranges);
    kt_data_pool_free(m->pool);
}

/* A product reads the matrix first, but what a factorisation needs there later counts: it cannot be repaired. */
static void test_what_is_special_counts(void **state)
{
    (void)state;
    struct memory memory;
    struct made product, factorisation;
    struct kt_contents contents;
    take_memory(&memory);
    const uint64_t address[] = {memory.at, memory.at + 65536, memory.at + 131072};
    make(&product, "dgemm", address, 1, 0);
    make(&factorisation, "dpotrf", address, 0, 0);
    const struct kt_recorded_call call[] = {product.call, factorisation.call, product.call};
    kt_contents_plan(&memory.space, memory.pool, call, 3, &contents);
    assert_int_equal(contents.randoms, 2); /* A and B; C is written only; the third call brings nothing new */
    assert_int_equal(contents.specials, 1);
    kt_contents_fill(&contents);
    const double *a = (const double *)memory.at;
    const double *b = (const double *)(memory.at + 65536);
    for (int i = 0; i < N; i++)
        assert_true(a[i * (N + 1)] >= 2 * N);
    double sum = 0;
    for (int i = 0; i < N * N; i++)
        sum += b[i] * b[i];
    assert_true(sum > N * 0.2 && sum < N * 0.5); /* N columns of length 1/sqrt(3) */
    kt_contents_free(&contents);
    drop_memory(&memory);
}

static void test_results_that_are_no_fit_input(void **state)
{
    (void)state;
    struct memory memory;
    struct made m;
    struct kt_contents contents;
    take_memory(&memory);
    const uint64_t address[] = {memory.at, memory.at + 65536, memory.at + 131072};
    make(&m, "dgemm", address, 1, 1);
    kt_contents_plan(&memory.space, memory.pool, &m.call, 1, &contents);
    kt_contents_fill(&contents);
    double *c = (double *)(memory.at + 131072);
    assert_true(kt_results_ordinary(&memory.space, &m.call));
    const double bad[] = {NAN, INFINITY, 1e70, 1e-70, 5e-324};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        c[N + 1] = bad[i];
        assert_false(kt_results_ordinary(&memory.space, &m.call));
        kt_contents_refill(&contents, &m.call, KT_READ);
        assert_true(kt_results_ordinary(&memory.space, &m.call));
    }
    ((double *)memory.at)[0] = NAN; /* an input is not looked at */
    assert_true(kt_results_ordinary(&memory.space, &m.call));
    kt_contents_free(&contents);
    drop_memory(&memory);
}

/* The eigenvalues of what a call before left of the matrix may be found in no time. */
static void test_what_iterates_gets_fresh_inputs(void **state)
{
    (void)state;
    struct memory memory;
    struct made m;
    take_memory(&memory);
    const uint64_t address[] = {memory.at, memory.at + 65536, memory.at + 131072, memory.at + 196000,
                                memory.at + 196000};
    make(&m, "dsyev", address, 0, 0);
    m.call.seconds = 1e-3;
    assert_true(kt_contents_used_up(&memory.space, &m.call));
    m.call.seconds = 1e-6; /* to fill would change its caches */
    assert_false(kt_contents_used_up(&memory.space, &m.call));
    make(&m, "dpotrf", address, 0, 0); /* takes as long whatever the numbers are */
    m.call.seconds = 1e-3;
    assert_false(kt_contents_used_up(&memory.space, &m.call));
    drop_memory(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_calls_are_one_window),
        cmocka_unit_test(test_windows_are_apart_and_hold_what_was_asked_for),
        cmocka_unit_test(test_windows_of_long_calls_are_few),
        cmocka_unit_test(test_gaps_shorten_windows),
        cmocka_unit_test(test_windows_of_rare_calls_have_few_gaps),
        cmocka_unit_test(test_a_long_course_keeps_its_seconds),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_recorded_addresses_where_they_are_free),
        cmocka_unit_test(test_scalars_change_magnitudes_little),
        cmocka_unit_test(test_what_is_special_counts),
        cmocka_unit_test(test_results_that_are_no_fit_input),
        cmocka_unit_test(test_what_iterates_gets_fresh_inputs),
    };
    return cmocka_run_group_tests(tests, kt_spec_setup, kt_spec_teardown);
}
