/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of operands in the arena: what is kept of their recorded addresses, and what is given up.
 */
#include "replay/call/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A contiguous operand; base and first byte may differ. */
static struct kt_operand operand(uint64_t base, uint64_t lo, uint64_t bytes)
{
    return (struct kt_operand){.base = base, .lo = lo, .hi = lo + bytes};
}

struct layout {
    struct kt_layout layout;
    struct kt_operand operand[KT_MAX_OPERANDS];
    int count;
    uint64_t address[KT_MAX_OPERANDS];
    uint64_t bytes;
};

static void lay_out(struct layout *l)
{
    assert_true(kt_arena_layout(&l->layout, l->operand, l->count, l->address, &l->bytes));
}

/* First byte of an operand in the arena. */
static uint64_t place(const struct layout *l, int i)
{
    return l->address[i] + (l->operand[i].lo - l->operand[i].base);
}

static void test_one_operand(void **state)
{
    (void)state;
    struct layout l = {.operand = {operand(0x7f0000012345, 0x7f0000012345, 800)}, .count = 1};
    lay_out(&l);
    assert_int_equal(place(&l, 0), 0x345);
    assert_true(l.bytes >= 0x345 + 800);
    assert_true(l.bytes < 4 * KT_ARENA_PAGE);
}

static void test_small_distances_are_exact(void **state)
{
    (void)state;
    uint64_t at = 0x100000010;
    struct layout l = {
        .operand = {operand(at + 5000, at + 5000, 100), operand(at, at, 5000), operand(at + 70000, at + 70000, 8)},
        .count = 3};
    lay_out(&l);
    assert_int_equal(place(&l, 0) - place(&l, 1), 5000); /* adjacent */
    assert_int_equal(place(&l, 2) - place(&l, 0), 65000);
}

static void test_overlap_is_kept(void **state)
{
    (void)state;
    uint64_t at = 0x200000;
    struct layout l = {.operand = {operand(at, at, 1 << 20), operand(at + 64, at + 64, 4096), operand(at, at, 16)},
                       .count = 3};
    lay_out(&l);
    assert_int_equal(place(&l, 1) - place(&l, 0), 64);
    assert_int_equal(place(&l, 2), place(&l, 0));
}

/* What follows an operand inside a larger one is far from the larger one's end, not from its own. */
static void test_gap_counts_from_the_highest_end(void **state)
{
    (void)state;
    uint64_t at = 0x200000;
    uint64_t behind = at + (1 << 20) + 16;
    struct layout l = {.operand = {operand(at, at, 1 << 20), operand(at + 8, at + 8, 8), operand(behind, behind, 8)},
                       .count = 3};
    lay_out(&l);
    assert_int_equal(place(&l, 2) - place(&l, 0), (1 << 20) + 16);
}

static void test_large_gaps_shrink(void **state)
{
    (void)state;
    uint64_t a = 0x555500000123;
    uint64_t b = 0x7f1234567abc;
    struct layout l = {.operand = {operand(a, a, 1000), operand(b, b, 1000)}, .count = 2};
    lay_out(&l);
    assert_int_equal(place(&l, 0) % KT_ARENA_PAGE, a % KT_ARENA_PAGE);
    assert_int_equal(place(&l, 1) % KT_ARENA_PAGE, b % KT_ARENA_PAGE);
    assert_true(place(&l, 1) - place(&l, 0) >= KT_ARENA_GAP);
    assert_true(l.bytes < 2 * KT_ARENA_GAP);
}

/* Band storage and lower triangles begin behind the pointer that is passed. */
static void test_pointer_before_the_first_byte(void **state)
{
    (void)state;
    struct layout l = {.operand = {operand(0x10000, 0x10f00, 256)}, .count = 1};
    lay_out(&l);
    assert_int_equal(place(&l, 0), 0xf00);
    assert_int_equal(l.address[0] + 0xf00, place(&l, 0));
}

static void test_unreferenced_operands(void **state)
{
    (void)state;
    struct layout l = {.operand = {operand(0x10000, 0x10000, 64), operand(0, 0, 0), operand(0x7ff8, 0x7ff8, 0)},
                       .count = 3};
    lay_out(&l);
    for (int i = 1; i < 3; i++) {
        assert_true(l.address[i] >= place(&l, 0) + 64);
        assert_true(l.address[i] + 16 <= l.bytes);
        assert_int_equal(l.address[i] % KT_ARENA_PAGE, l.operand[i].base % KT_ARENA_PAGE);
    }
}

static void test_no_operands(void **state)
{
    (void)state;
    struct layout l = {.count = 0};
    lay_out(&l);
    assert_true(l.bytes >= KT_ARENA_PAGE);
}

static void test_nonsense_is_refused(void **state)
{
    (void)state;
    uint64_t address[2];
    uint64_t bytes;
    struct kt_operand backwards = {.lo = 100, .hi = 50};
    struct kt_operand endless = {.lo = 0, .hi = UINT64_MAX};
    assert_false(kt_arena_layout(&(struct kt_layout){0}, &backwards, 1, address, &bytes));
    assert_false(kt_arena_layout(&(struct kt_layout){0}, &endless, 1, address, &bytes));
}

/* Whatever the addresses: all inside, page offsets kept, order kept, near neighbours as they were. */
static void test_random_layouts(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 2000; round++) {
        struct layout l = {.count = 1 + rand() % 6};
        for (int i = 0; i < l.count; i++) {
            uint64_t lo = 0x10000000 + (uint64_t)rand() % (rand() % 2 ? 200000 : 100000000);
            l.operand[i] = operand(lo, lo, 1 + (uint64_t)rand() % 100000);
        }
        lay_out(&l);
        for (int i = 0; i < l.count; i++) {
            assert_int_equal(place(&l, i) % KT_ARENA_PAGE, l.operand[i].lo % KT_ARENA_PAGE);
            assert_true(place(&l, i) + (l.operand[i].hi - l.operand[i].lo) <= l.bytes);
            for (int j = 0; j < l.count; j++) {
                const struct kt_operand *a = &l.operand[i];
                const struct kt_operand *b = &l.operand[j];
                if (b->lo < a->lo)
                    continue;
                if (b->lo < a->hi + KT_ARENA_GAP)
                    assert_int_equal(place(&l, j) - place(&l, i), b->lo - a->lo);
                else
                    assert_true(place(&l, j) - place(&l, i) <= b->lo - a->lo);
            }
        }
    }
}

static void test_touching(void **state)
{
    (void)state;
    struct kt_arena arena;
    struct kt_error error = {0};
    assert_int_equal(kt_arena_open(1 << 20, KT_PAGES_ANY, &arena, &error), KT_OK);
    assert_int_equal(arena.base[-1] | arena.base[-4096], 0); /* kernels that read the element before a vector */
    kt_arena_touch(&arena, 10000);
    assert_int_equal(arena.touched, 3 * KT_ARENA_PAGE);
    arena.base[100] = 7;
    kt_arena_touch(&arena, 5000);
    assert_int_equal(arena.base[100], 7);
    kt_arena_touch(&arena, 1 << 30); /* no more than there is */
    assert_int_equal(arena.touched, 1 << 20);
    kt_arena_close(&arena);
    assert_true(kt_pages_limit() > 1 << 20);
}

/* A limit of the process counts, not only what the system has. */
static void test_limit_of_the_process(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* its shadow is larger than any limit */
#endif
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {UINT64_C(1) << 30, UINT64_C(1) << 30};
        setrlimit(RLIMIT_AS, &limit);
        uint64_t bytes = kt_pages_limit();
        _exit(bytes > UINT64_C(100) << 20 && bytes <= UINT64_C(512) << 20 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Mappings begin where a huge page does, whatever their size, and go away whole. */
static void test_pages(void **state)
{
    (void)state;
    for (uint64_t bytes = 1; bytes < 20000000; bytes = bytes * 3 + 4096) {
        unsigned char *at = kt_pages_map(bytes, KT_PAGES_HUGE);
        assert_non_null(at);
        assert_int_equal((uint64_t)at % KT_HUGE_PAGE, 0);
        at[0] = at[bytes - 1] = 1;
        kt_pages_unmap(at, bytes);
        unsigned char resident;
        assert_int_equal(mincore(at, 1, &resident), -1);
    }
    assert_null(kt_pages_map(UINT64_C(1) << 60, KT_PAGES_ANY));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_operand),
        cmocka_unit_test(test_small_distances_are_exact),
        cmocka_unit_test(test_overlap_is_kept),
        cmocka_unit_test(test_gap_counts_from_the_highest_end),
        cmocka_unit_test(test_large_gaps_shrink),
        cmocka_unit_test(test_pointer_before_the_first_byte),
        cmocka_unit_test(test_unreferenced_operands),
        cmocka_unit_test(test_no_operands),
        cmocka_unit_test(test_nonsense_is_refused),
        cmocka_unit_test(test_random_layouts),
        cmocka_unit_test(test_touching),
        cmocka_unit_test(test_limit_of_the_process),
        cmocka_unit_test(test_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
