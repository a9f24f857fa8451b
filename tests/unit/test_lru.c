/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distances of operands' lines against a simulator that does what the definition says, element by element: it keeps
 * the set of lines of every call and, for a line, unites the sets from the last call that touched it to the last one
 * made. And the map of lines below: series of them are no other than their runs.
 */
#include "model/tracker/lru.h"
#include "tests/unit/simulated_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- the simulator ----------------------------------------------------------------------------------------- */

enum { MOST_CALLS = 64 };

/* The sets of all calls, which the definition asks for; and when each line was last touched, from which the same
 * follows in a long trace. */
struct simulator {
    kt_sim_lines set[MOST_CALLS];
    int last[LINES]; /* number of the call + 1 */
    int calls;
};

static uint64_t count_lines(const kt_sim_lines set)
{
    uint64_t count = 0;
    for (int i = 0; i < LINES; i++)
        count += set[i];
    return count;
}

static uint64_t distance_of_line(const struct simulator *s, int line)
{
    kt_sim_lines all = {false};
    for (int call = s->calls - 1; call >= 0; call--) {
        for (int i = 0; i < LINES; i++)
            all[i] |= s->set[call][i];
        if (s->set[call][line])
            return count_lines(all);
    }
    return KT_NEVER;
}

/* --- comparing --------------------------------------------------------------------------------------------- */

/* Lines by distance; the last place is for those never touched. */
struct spectrum {
    uint64_t lines[LINES + 2];
};

static void add_part(struct spectrum *s, uint64_t distance, uint64_t lines)
{
    assert_true(distance == KT_NEVER || (distance > 0 && distance <= LINES));
    s->lines[distance == KT_NEVER ? LINES + 1 : distance] += lines;
}

static void add_told(void *context, int operand, uint64_t distance, uint64_t lines, uint64_t marks)
{
    (void)marks;
    add_part((struct spectrum *)context + operand, distance, lines);
}

static struct spectrum simulated(const struct simulator *s, const struct kt_operand *o)
{
    struct spectrum found = {{0}};
    kt_sim_lines set = {false};
    kt_sim_add(set, o);
    for (int line = 0; line < LINES; line++)
        if (set[line])
            add_part(&found, kt_sim_distance(s->last, line), 1);
    for (int line = 0; line < LINES && s->calls < MOST_CALLS; line += 13)
        if (set[line])
            assert_int_equal(kt_sim_distance(s->last, line), distance_of_line(s, line));
    return found;
}

static void simulate(struct simulator *s, const struct kt_operand *operand, int count)
{
    kt_sim_lines set = {false};
    for (int i = 0; i < count; i++)
        kt_sim_add(set, &operand[i]);
    assert_int_equal(kt_lines_of_call(operand, count, SHIFT), count_lines(set));
    if (s->calls < MOST_CALLS)
        memcpy(s->set[s->calls], set, sizeof set);
    s->calls++;
    for (int line = 0; line < LINES; line++)
        s->last[line] = set[line] ? s->calls : s->last[line];
}

/* The call on both; FOUND gets what the tracker says of the operands. */
static void both_call(struct kt_lru *lru, struct simulator *s, const struct kt_operand *operand, int count,
                      struct spectrum found[MOST_OPERANDS])
{
    memset(found, 0, MOST_OPERANDS * sizeof *found);
    kt_lru_call(lru, operand, count, &(struct kt_lru_visit){.tell = add_told, .context = found});
    for (int i = 0; i < count; i++) {
        struct spectrum expected = simulated(s, &operand[i]);
        assert_memory_equal(&found[i], &expected, sizeof expected);
    }
    simulate(s, operand, count);
}

static void random_trace(int calls)
{
    struct simulator *s = calloc(1, sizeof *s);
    struct kt_lru lru;
    struct kt_operand pool[6];
    struct spectrum found[MOST_OPERANDS];
    for (int i = 0; i < 6; i++)
        pool[i] = kt_sim_any_operand();
    kt_lru_make(SHIFT, &lru);
    for (int call = 0; call < calls; call++) {
        struct kt_operand operand[MOST_OPERANDS];
        int count = 1 + (int)kt_sim_draw(MOST_OPERANDS);
        for (int i = 0; i < count; i++)
            operand[i] = kt_sim_next_operand(pool, 6);
        both_call(&lru, s, operand, count, found);
    }
    kt_lru_free(&lru);
    free(s);
}

static void random_traces_are_exact(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2000; i++)
        random_trace(20);
}

/* More calls and more operands alive than the tables have room for at first. */
static void long_traces_are_exact(void **unused)
{
    (void)unused;
    struct simulator *s = calloc(1, sizeof *s);
    struct kt_lru lru;
    struct spectrum found[MOST_OPERANDS];
    kt_lru_make(SHIFT, &lru);
    for (int call = 0; call < 12000; call++) {
        struct kt_operand o =
            kt_sim_draw(50) ? kt_sim_vector(8 * kt_sim_draw(SPACE / 8 - 8), 1 + (int64_t)kt_sim_draw(8), 1, KT_READ)
                            : kt_sim_any_operand();
        both_call(&lru, s, &o, 1, found);
    }
    assert_true(lru.calls > 1024);
    assert_true(lru.chains > 256);
    kt_lru_free(&lru);
    free(s);
}

/* --- hand-made --------------------------------------------------------------------------------------------- */

struct pair {
    struct kt_lru lru;
    struct simulator sim;
    struct spectrum found[MOST_OPERANDS];
};

static struct pair *begin_pair(void)
{
    struct pair *p = calloc(1, sizeof *p);
    kt_lru_make(SHIFT, &p->lru);
    return p;
}

static void end_pair(struct pair *p)
{
    kt_lru_free(&p->lru);
    free(p);
}

static void call(struct pair *p, int count, const struct kt_operand *operand)
{
    both_call(&p->lru, &p->sim, operand, count, p->found);
}

#define CALL(p, ...)                                                  \
    do {                                                              \
        const struct kt_operand operand_[] = {__VA_ARGS__};           \
        call(p, (int)(sizeof operand_ / sizeof *operand_), operand_); \
    } while (0)

/* All of an operand's lines, LINES of them, were at one distance. */
static void found_at(const struct pair *p, int operand, uint64_t distance, uint64_t lines)
{
    assert_int_equal(p->found[operand].lines[distance == KT_NEVER ? LINES + 1 : distance], lines);
}

/* Upper and lower halves of one matrix: their boxes overlap, their elements do not. */
static void interleaved_matrices_do_not_touch(void **unused)
{
    (void)unused;
    struct pair *p = begin_pair();
    struct kt_operand upper = kt_sim_matrix(0, 16, 10, 32, KT_READ_WRITE);
    struct kt_operand lower = kt_sim_matrix(128, 16, 10, 32, KT_READ);
    CALL(p, upper);
    found_at(p, 0, KT_NEVER, 20);
    CALL(p, lower);
    found_at(p, 0, KT_NEVER, 20);
    CALL(p, upper);
    found_at(p, 0, 40, 20);
    CALL(p, upper);
    found_at(p, 0, 20, 20);
    end_pair(p);
}

static void one_element_overlaps(void **unused)
{
    (void)unused;
    struct pair *p = begin_pair();
    CALL(p, kt_sim_vector(0, 9, 1, KT_READ));   /* lines 0, 1 */
    CALL(p, kt_sim_vector(64, 8, 1, KT_WRITE)); /* line 1 */
    found_at(p, 0, 2, 1);
    CALL(p, kt_sim_vector(0, 9, 1, KT_READ));
    found_at(p, 0, 1, 1);
    found_at(p, 0, 2, 1);
    CALL(p, kt_sim_vector(64 + 56, 2, 1, KT_READ)); /* the last element of line 1, the first of line 2 */
    found_at(p, 0, 2, 1);
    found_at(p, 0, KT_NEVER, 1);
    end_pair(p);
}

/* The pointer is the lowest address whatever the sign of the increment. */
static void negative_increments_touch_the_same(void **unused)
{
    (void)unused;
    struct pair *p = begin_pair();
    CALL(p, kt_sim_vector(64, 10, -16, KT_READ));
    found_at(p, 0, KT_NEVER, 10);
    CALL(p, kt_sim_vector(64, 10, 16, KT_READ));
    found_at(p, 0, 10, 10);
    CALL(p, kt_sim_vector(64 + 128 * 9, 1, 1, KT_READ));
    found_at(p, 0, 10, 1);
    CALL(p, kt_sim_vector(64, 0, -16, KT_READ));
    end_pair(p);
}

/* Rows of a matrix whose elements lie on the same lines; operands of one call that are the same. */
static void rows_share_lines(void **unused)
{
    (void)unused;
    struct pair *p = begin_pair();
    CALL(p, kt_sim_vector(0, 20, 24, KT_READ), kt_sim_vector(8, 20, 24, KT_WRITE));
    found_at(p, 1, KT_NEVER, 20);
    CALL(p, kt_sim_vector(16, 20, 24, KT_READ), kt_sim_vector(16, 20, 24, KT_READ));
    found_at(p, 0, 20, 20);
    found_at(p, 1, 20, 20);
    end_pair(p);
}

/* An operand of which half was used again since. */
static void distances_of_parts(void **unused)
{
    (void)unused;
    struct pair *p = begin_pair();
    CALL(p, kt_sim_matrix(0, 8, 8, 64, KT_READ));
    CALL(p, kt_sim_vector(0x8000, 8 * 100, 1, KT_READ));
    CALL(p, kt_sim_matrix(0, 8, 4, 64, KT_READ));
    CALL(p, kt_sim_matrix(0, 8, 8, 64, KT_READ));
    found_at(p, 0, 4, 4);
    found_at(p, 0, 108, 4);
    end_pair(p);
}

/* Equal in all but one size. */
static void similar_operands_differ(void **unused)
{
    (void)unused;
    struct pair *p = begin_pair();
    CALL(p, kt_sim_matrix(0, 8, 4, 32, KT_READ));
    CALL(p, kt_sim_matrix(0, 16, 4, 32, KT_READ));
    found_at(p, 0, 4, 4);
    found_at(p, 0, KT_NEVER, 4);
    struct kt_operand triangle = kt_sim_matrix(0x4000, 16, 16, 32, KT_READ);
    triangle.above = 0;
    CALL(p, triangle);
    triangle.below = triangle.rows = 24;
    CALL(p, triangle);
    found_at(p, 0, 24, 24);
    found_at(p, 0, KT_NEVER, 16);
    end_pair(p);
}

/* --- the examples of the paper ----------------------------------------------------------------------------- */

enum { N = 32, BLOCK = 8 };

/* The operands of an iteration of dgeqrf; sub-matrices of A as in the paper's algorithm 1. K: the first column. */
struct iteration {
    struct kt_operand a11, a21, a12, a22, panel, tau, w1, w2;
};

static struct iteration iteration(int k)
{
    int64_t rest = N - k - BLOCK;
    uint64_t a = 8 * (uint64_t)(k + k * N);
    uint64_t right = a + 8 * BLOCK * N;
    return (struct iteration){.a11 = kt_sim_matrix(a, BLOCK, BLOCK, N, KT_READ),
                              .a21 = kt_sim_matrix(a + 8 * BLOCK, rest, BLOCK, N, KT_READ),
                              .a12 = kt_sim_matrix(right, BLOCK, rest, N, KT_READ),
                              .a22 = kt_sim_matrix(right + 8 * BLOCK, rest, rest, N, KT_READ_WRITE),
                              .panel = kt_sim_matrix(a, N - k, BLOCK, N, KT_READ_WRITE),
                              .tau = kt_sim_vector(0x4000 + 8 * (uint64_t)k, BLOCK, 1, KT_READ_WRITE),
                              .w1 = kt_sim_matrix(0x5000, BLOCK, BLOCK, BLOCK, KT_READ_WRITE),
                              .w2 = kt_sim_matrix(0x6000, rest, BLOCK, rest, KT_READ_WRITE)};
}

static uint64_t lines_of(int count, const struct kt_operand *operand)
{
    return kt_lines_of_call(operand, count, SHIFT);
}

#define SIZE(...)                                                                         \
    lines_of((int)(sizeof(struct kt_operand[]){__VA_ARGS__} / sizeof(struct kt_operand)), \
             (struct kt_operand[]){__VA_ARGS__})

static void finish_iteration(struct pair *p, const struct iteration *i)
{
    CALL(p, i->w2, i->a22, i->a21); /* dgemm, W2 := W2 + A22' A21 */
    CALL(p, i->w2, i->w1);          /* dtrmm */
    CALL(p, i->a22, i->a21, i->w2); /* dgemm, A22 := A22 - A21 W2' */
    CALL(p, i->w2, i->a11);         /* dtrmm */
}

static void the_papers_examples(void **unused)
{
    (void)unused;
    struct pair *p = begin_pair();
    struct iteration i = iteration(0);
    CALL(p, i.panel, i.tau);            /* dgeqr2 */
    CALL(p, i.a11, i.a21, i.tau, i.w1); /* dlarft */
    CALL(p, i.a12, i.w2);               /* the copies */
    CALL(p, i.w2, i.a11);               /* dtrmm, example 2 */
    found_at(p, 0, SIZE(i.w2, i.a12), SIZE(i.w2));
    found_at(p, 1, SIZE(i.w2, i.a12, i.w1, i.a11, i.a21, i.tau), SIZE(i.a11));
    finish_iteration(p, &i);
    struct iteration next = iteration(BLOCK);
    CALL(p, next.panel, next.tau); /* dgeqr2, example 3: names of the iteration before */
    found_at(p, 0, SIZE(i.w2, i.a11, i.a22, i.a21), SIZE(next.panel));
    found_at(p, 1, KT_NEVER, 1);
    end_pair(p);
}

/* The copies one by one: what the paper says holds for the first of them, and later ones are nearer. */
static void copies_one_by_one(void **unused)
{
    (void)unused;
    struct pair *p = begin_pair();
    struct iteration i = iteration(0);
    int64_t rest = N - BLOCK;
    CALL(p, i.a11, i.a21, i.tau, i.w1);
    for (uint64_t j = 0; j < BLOCK; j++)
        CALL(p, kt_sim_vector(8 * (BLOCK * N + j), rest, N, KT_READ),
             kt_sim_vector(0x6000 + 8 * j * (uint64_t)rest, rest, 1, KT_WRITE));
    CALL(p, i.w2, i.a11);
    uint64_t column = (uint64_t)rest * 8 / LINE;
    for (uint64_t j = 0; j < BLOCK; j++)
        found_at(p, 0, SIZE(i.a12) + column * (j + 1), column);
    found_at(p, 1, SIZE(i.w2, i.a12, i.w1, i.a11, i.a21, i.tau), SIZE(i.a11));
    end_pair(p);
}

/* --- the map of lines -------------------------------------------------------------------------------------- */

/* Any vector, of increments up to some blocks. */
static struct kt_operand any_vector(void)
{
    struct kt_operand o = {.form = KT_FORM_VECTOR, .cols = 1, .elem = (size_t)4 << kt_sim_draw(3), .access = KT_READ};
    static const uint64_t steps[] = {100, 5000, 200000};
    o.rows = 1 + (int64_t)kt_sim_draw(300);
    o.ld = ((int64_t)kt_sim_draw(steps[kt_sim_draw(3)]) + 1) * (kt_sim_draw(2) ? 1 : -1);
    uint64_t length = (uint64_t)(o.rows - 1) * (uint64_t)(o.ld < 0 ? -o.ld : o.ld) * o.elem;
    o.lo = o.base = (uint64_t)0x7f0000000000 + 8 * kt_sim_draw(100000) + (kt_sim_draw(5) ? 0 : 4);
    o.hi = o.lo + length + o.elem;
    o.elements = (uint64_t)o.rows;
    return o;
}

struct owners {
    struct kt_line_map map;
    uint64_t lines[64];
    uint32_t owner[64];
    struct kt_owner_count met;
};

static void give_runs(struct owners *to, const struct kt_operand *o, uint32_t owner, bool only_count)
{
    struct kt_line_runs runs;
    struct kt_line_run run;
    kt_line_runs_begin(o, 6, &runs);
    while (kt_line_runs_next(&runs, &run))
        (only_count ? kt_line_map_count(&to->map, &run, &to->met) : kt_line_map_give(&to->map, &run, owner, &to->met));
}

static void same_counts(struct owners *a, struct owners *b)
{
    assert_memory_equal(a->lines, b->lines, sizeof a->lines);
    assert_int_equal(a->met.owners, b->met.owners);
    memset(a->lines, 0, sizeof a->lines);
    memset(b->lines, 0, sizeof b->lines);
    a->met.owners = b->met.owners = 0;
}

/* What is found line by line and as a series is the same, whoever had the lines before. */
static void series_are_their_runs(void **unused)
{
    struct owners one = {.met = {one.lines, one.owner, 0}};
    struct owners two = {.met = {two.lines, two.owner, 0}};
    int series = 0;
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        struct kt_line_series as_series;
        struct kt_operand o = any_vector();
        bool count = kt_sim_draw(3) == 0;
        uint32_t owner = (uint32_t)kt_sim_draw(64);
        give_runs(&one, &o, owner, count);
        if (!kt_line_series_of(&o, 6, &as_series))
            give_runs(&two, &o, owner, count);
        else if (++series && count)
            kt_line_map_count_series(&two.map, &as_series, &two.met);
        else
            kt_line_map_give_series(&two.map, &as_series, owner, &two.met);
        same_counts(&one, &two);
    }
    assert_true(series > 1000 && series < 2000);
    kt_line_map_free(&one.map);
    kt_line_map_free(&two.map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_traces_are_exact),
        cmocka_unit_test(long_traces_are_exact),
        cmocka_unit_test(interleaved_matrices_do_not_touch),
        cmocka_unit_test(one_element_overlaps),
        cmocka_unit_test(negative_increments_touch_the_same),
        cmocka_unit_test(rows_share_lines),
        cmocka_unit_test(distances_of_parts),
        cmocka_unit_test(similar_operands_differ),
        cmocka_unit_test(the_papers_examples),
        cmocka_unit_test(copies_one_by_one),
        cmocka_unit_test(series_are_their_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
