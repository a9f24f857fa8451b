/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache tracker against a simulator that does what the definition says, element by element: it keeps the set of
 * lines of every call and, for a line, unites the sets from the last call that touched it to the last one made.
 */
#include "model/tracker/placements.h"
#include "model/tracker/timeline.h"
#include "model/tracker/tracker.h"
#include "trace/memory.h"
#include "tests/tracegen.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 64, SHIFT = 6, SPACE = 1 << 16, LINES = SPACE / LINE, MOST_CALLS = 64, MOST_OPERANDS = 4 };

static const uint64_t base = 0x7f0000000000 - SPACE / 2; /* the space spans blocks of the line map */

/* --- operands ---------------------------------------------------------------------------------------------- */

/* As trace/operand.c makes them: bounds from the runs, elements not needed. */
static struct kt_operand finished(struct kt_operand o)
{
    o.lo = UINT64_MAX;
    o.hi = 0;
    for (int64_t i = 0; i < kt_operand_runs(&o); i++) {
        uint64_t lo, hi;
        kt_operand_run(&o, i, &lo, &hi);
        if (lo < hi && lo < o.lo)
            o.lo = lo;
        if (lo < hi && hi > o.hi)
            o.hi = hi;
    }
    if (o.hi == 0)
        o.lo = o.hi = o.base;
    return o;
}

static struct kt_operand matrix(uint64_t at, int64_t rows, int64_t cols, int64_t ld, enum kt_access access)
{
    return finished((struct kt_operand){.form = KT_FORM_MATRIX,
                                        .access = access,
                                        .base = base + at,
                                        .rows = rows,
                                        .cols = cols,
                                        .ld = ld,
                                        .below = rows,
                                        .above = cols,
                                        .elem = 8});
}

static struct kt_operand vector(uint64_t at, int64_t n, int64_t inc, enum kt_access access)
{
    return finished((struct kt_operand){
        .form = KT_FORM_VECTOR, .access = access, .base = base + at, .rows = n, .cols = 1, .ld = inc, .elem = 8});
}

static uint64_t state = 12345;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

/* Any part of the space: matrices of all structures, vectors of any increment, elements of 4 to 16 bytes. */
static struct kt_operand any_operand(void)
{
    struct kt_operand o = {.access = (enum kt_access[]){KT_READ, KT_WRITE, KT_READ_WRITE, KT_WORK}[draw(4)]};
    o.elem = (size_t)4 << draw(3);
    if (draw(3) == 0) {
        o.form = KT_FORM_VECTOR;
        o.rows = (int64_t)draw(60);
        o.cols = 1;
        o.ld = (int64_t)draw(41) - 20;
    } else {
        o.form = KT_FORM_MATRIX;
        o.rows = (int64_t)draw(30);
        o.cols = (int64_t)draw(30);
        o.ld = o.rows + (int64_t)(draw(2) ? draw(60) : 64 - (uint64_t)o.rows);
        uint64_t kind = draw(4);
        o.below = kind == 1 ? -(int64_t)draw(2) : o.rows;
        o.above = kind == 2 ? -(int64_t)draw(2) : o.cols;
    }
    uint64_t elements = SPACE / o.elem / 4;
    o.base = base + draw(elements) * o.elem + (draw(2) ? 4 * draw(16) : 0);
    return finished(o);
}

/* --- the simulator ----------------------------------------------------------------------------------------- */

typedef bool line_set[LINES];

static void add_element(line_set set, uint64_t address, size_t elem)
{
    for (uint64_t byte = address; byte < address + elem; byte++)
        set[(byte - base) / LINE % LINES] = true;
}

/* Element by element from the definitions of vectors and matrices in BLAS, not through runs. */
static void add_elements(line_set set, const struct kt_operand *o)
{
    for (int64_t j = 0; j < o->cols; j++)
        for (int64_t i = 0; i < o->rows; i++) {
            bool in = o->form == KT_FORM_VECTOR || (i - j <= o->below && j - i <= o->above);
            int64_t first = o->ld < 0 ? (1 - o->rows) * o->ld : 0;
            int64_t at = o->form == KT_FORM_VECTOR ? first + i * o->ld : i + j * o->ld;
            if (in)
                add_element(set, o->base + (uint64_t)at * o->elem, o->elem);
        }
}

/* The sets of all calls, which the definition asks for; and when each line was last touched, from which the same
 * follows in a long trace. */
struct simulator {
    line_set set[MOST_CALLS];
    int last[LINES]; /* number of the call + 1 */
    int calls;
};

static uint64_t count_lines(const line_set set)
{
    uint64_t count = 0;
    for (int i = 0; i < LINES; i++)
        count += set[i];
    return count;
}

static uint64_t distance_of_line(const struct simulator *s, int line)
{
    line_set all = {false};
    for (int call = s->calls - 1; call >= 0; call--) {
        for (int i = 0; i < LINES; i++)
            all[i] |= s->set[call][i];
        if (s->set[call][line])
            return count_lines(all);
    }
    return KT_NEVER;
}

static uint64_t distance_by_time(const int last[LINES], int line)
{
    uint64_t count = 0;
    for (int i = 0; i < LINES; i++)
        count += last[i] >= last[line];
    return last[line] ? count : KT_NEVER;
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
    line_set set = {false};
    add_elements(set, o);
    for (int line = 0; line < LINES; line++)
        if (set[line])
            add_part(&found, distance_by_time(s->last, line), 1);
    for (int line = 0; line < LINES && s->calls < MOST_CALLS; line += 13)
        if (set[line])
            assert_int_equal(distance_by_time(s->last, line), distance_of_line(s, line));
    return found;
}

static void simulate(struct simulator *s, const struct kt_operand *operand, int count)
{
    line_set set = {false};
    for (int i = 0; i < count; i++)
        add_elements(set, &operand[i]);
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

/* The same pointer with another size or leading dimension. */
static struct kt_operand variant(struct kt_operand o)
{
    uint64_t kind = draw(3);
    if (kind == 0)
        o.rows = o.form == KT_FORM_VECTOR ? (int64_t)draw(60) : (int64_t)draw((uint64_t)(o.ld < 31 ? o.ld + 1 : 31));
    else if (kind == 1 && o.form == KT_FORM_MATRIX)
        o.cols = (int64_t)draw(30);
    else if (o.form == KT_FORM_MATRIX)
        o.ld = o.rows + (int64_t)draw(60);
    return finished(o);
}

/* Traces repeat operands, as programs do, and take parts of earlier ones. */
static struct kt_operand next_operand(struct kt_operand *pool, int pooled)
{
    uint64_t kind = draw(5);
    struct kt_operand o = pool[draw((uint64_t)pooled)];
    if (kind < 2)
        return o;
    o = kind == 2 ? variant(o) : any_operand();
    pool[draw((uint64_t)pooled)] = o;
    return o;
}

static void random_trace(int calls)
{
    struct simulator *s = calloc(1, sizeof *s);
    struct kt_lru lru;
    struct kt_operand pool[6];
    struct spectrum found[MOST_OPERANDS];
    for (int i = 0; i < 6; i++)
        pool[i] = any_operand();
    kt_lru_make(SHIFT, &lru);
    for (int call = 0; call < calls; call++) {
        struct kt_operand operand[MOST_OPERANDS];
        int count = 1 + (int)draw(MOST_OPERANDS);
        for (int i = 0; i < count; i++)
            operand[i] = next_operand(pool, 6);
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
            draw(50) ? vector(8 * draw(SPACE / 8 - 8), 1 + (int64_t)draw(8), 1, KT_READ) : any_operand();
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
    struct kt_operand upper = matrix(0, 16, 10, 32, KT_READ_WRITE);
    struct kt_operand lower = matrix(128, 16, 10, 32, KT_READ);
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
    CALL(p, vector(0, 9, 1, KT_READ));   /* lines 0, 1 */
    CALL(p, vector(64, 8, 1, KT_WRITE)); /* line 1 */
    found_at(p, 0, 2, 1);
    CALL(p, vector(0, 9, 1, KT_READ));
    found_at(p, 0, 1, 1);
    found_at(p, 0, 2, 1);
    CALL(p, vector(64 + 56, 2, 1, KT_READ)); /* the last element of line 1, the first of line 2 */
    found_at(p, 0, 2, 1);
    found_at(p, 0, KT_NEVER, 1);
    end_pair(p);
}

/* The pointer is the lowest address whatever the sign of the increment. */
/* Any vector, of increments up to some blocks. */
static struct kt_operand any_vector(void)
{
    struct kt_operand o = {.form = KT_FORM_VECTOR, .cols = 1, .elem = (size_t)4 << draw(3), .access = KT_READ};
    static const uint64_t steps[] = {100, 5000, 200000};
    o.rows = 1 + (int64_t)draw(300);
    o.ld = ((int64_t)draw(steps[draw(3)]) + 1) * (draw(2) ? 1 : -1);
    uint64_t length = (uint64_t)(o.rows - 1) * (uint64_t)(o.ld < 0 ? -o.ld : o.ld) * o.elem;
    o.lo = o.base = (uint64_t)0x7f0000000000 + 8 * draw(100000) + (draw(5) ? 0 : 4);
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
        bool count = draw(3) == 0;
        uint32_t owner = (uint32_t)draw(64);
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

static void negative_increments_touch_the_same(void **unused)
{
    (void)unused;
    struct pair *p = begin_pair();
    CALL(p, vector(64, 10, -16, KT_READ));
    found_at(p, 0, KT_NEVER, 10);
    CALL(p, vector(64, 10, 16, KT_READ));
    found_at(p, 0, 10, 10);
    CALL(p, vector(64 + 128 * 9, 1, 1, KT_READ));
    found_at(p, 0, 10, 1);
    CALL(p, vector(64, 0, -16, KT_READ));
    end_pair(p);
}

/* Rows of a matrix whose elements lie on the same lines; operands of one call that are the same. */
static void rows_share_lines(void **unused)
{
    (void)unused;
    struct pair *p = begin_pair();
    CALL(p, vector(0, 20, 24, KT_READ), vector(8, 20, 24, KT_WRITE));
    found_at(p, 1, KT_NEVER, 20);
    CALL(p, vector(16, 20, 24, KT_READ), vector(16, 20, 24, KT_READ));
    found_at(p, 0, 20, 20);
    found_at(p, 1, 20, 20);
    end_pair(p);
}

/* An operand of which half was used again since. */
static void distances_of_parts(void **unused)
{
    (void)unused;
    struct pair *p = begin_pair();
    CALL(p, matrix(0, 8, 8, 64, KT_READ));
    CALL(p, vector(0x8000, 8 * 100, 1, KT_READ));
    CALL(p, matrix(0, 8, 4, 64, KT_READ));
    CALL(p, matrix(0, 8, 8, 64, KT_READ));
    found_at(p, 0, 4, 4);
    found_at(p, 0, 108, 4);
    end_pair(p);
}

/* Equal in all but one size. */
static void similar_operands_differ(void **unused)
{
    (void)unused;
    struct pair *p = begin_pair();
    CALL(p, matrix(0, 8, 4, 32, KT_READ));
    CALL(p, matrix(0, 16, 4, 32, KT_READ));
    found_at(p, 0, 4, 4);
    found_at(p, 0, KT_NEVER, 4);
    struct kt_operand triangle = matrix(0x4000, 16, 16, 32, KT_READ);
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
    return (struct iteration){.a11 = matrix(a, BLOCK, BLOCK, N, KT_READ),
                              .a21 = matrix(a + 8 * BLOCK, rest, BLOCK, N, KT_READ),
                              .a12 = matrix(right, BLOCK, rest, N, KT_READ),
                              .a22 = matrix(right + 8 * BLOCK, rest, rest, N, KT_READ_WRITE),
                              .panel = matrix(a, N - k, BLOCK, N, KT_READ_WRITE),
                              .tau = vector(0x4000 + 8 * (uint64_t)k, BLOCK, 1, KT_READ_WRITE),
                              .w1 = matrix(0x5000, BLOCK, BLOCK, BLOCK, KT_READ_WRITE),
                              .w2 = matrix(0x6000, rest, BLOCK, rest, KT_READ_WRITE)};
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
        CALL(p, vector(8 * (BLOCK * N + j), rest, N, KT_READ),
             vector(0x6000 + 8 * j * (uint64_t)rest, rest, 1, KT_WRITE));
    CALL(p, i.w2, i.a11);
    uint64_t column = (uint64_t)rest * 8 / LINE;
    for (uint64_t j = 0; j < BLOCK; j++)
        found_at(p, 0, SIZE(i.a12) + column * (j + 1), column);
    found_at(p, 1, SIZE(i.w2, i.a12, i.w1, i.a11, i.a21, i.tau), SIZE(i.a11));
    end_pair(p);
}

/* --- smoothing and processors ------------------------------------------------------------------------------ */

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

static const struct kt_caches small_caches = {
    .cache = {{.bytes = 4096, .shared = 1}, {.bytes = 16384, .shared = 2}, {.bytes = 32768, .shared = 8}},
    .count = 3,
    .line = LINE};

enum { CPUS = 3 };
static const unsigned cpu_number[CPUS] = {0, 5, 64};

/* What each processor and what all have seen; 0 in the former also after another one wrote. */
struct machine {
    int own[CPUS][LINES], all[LINES];
    int calls;
};

static void expected_shares(const struct machine *m, int cpu, const struct kt_operand *o, double held[3])
{
    line_set set = {false};
    double lines = 0;
    add_elements(set, o);
    memset(held, 0, 3 * sizeof *held);
    for (int line = 0; line < LINES; line++) {
        if (!set[line])
            continue;
        uint64_t own = distance_by_time(m->own[cpu], line);
        uint64_t all = distance_by_time(m->all, line);
        lines++;
        for (int level = 0; level < 3; level++) {
            uint64_t d = level < 2 ? own : all;
            held[level] += kt_cached_share(d == KT_NEVER ? d : d * LINE, small_caches.cache[level].bytes);
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
        line_set set = {false};
        add_elements(set, &operand[i]);
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
    struct kt_tracker *tracker = kt_tracker_new(&small_caches);
    struct kt_operand pool[6];
    for (int i = 0; i < 6; i++)
        pool[i] = any_operand();
    for (int n = 0; n < 40; n++) {
        int cpu = n < 10 ? 1 : (int)draw(CPUS);
        int count = 1 + (int)draw(MOST_OPERANDS);
        struct kt_operand operand[MOST_OPERANDS];
        kt_shares share;
        for (int i = 0; i < count; i++)
            operand[i] = next_operand(pool, 6);
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
    struct kt_tracker *t = kt_tracker_new(&small_caches);
    struct kt_operand read = vector(0, 64, 1, KT_READ);
    struct kt_operand written = vector(0, 64, 1, KT_WRITE);
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
    struct kt_caches c = small_caches;
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
    struct kt_tracker *t = kt_tracker_new(&small_caches);
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
    struct kt_operand overlapping = matrix(0, 20, 10, 3, KT_READ_WRITE); /* ld < rows */
    assert_true(kt_tracker_call(t, 0, &overlapping, 1, share));
    struct kt_operand none = matrix(0, 0, 10, 1, KT_READ);
    assert_true(kt_tracker_call(t, 0, &none, 1, share));
    assert_true(share[0][0] == 1);
    kt_tracker_free(t);
}

/* --- traces ------------------------------------------------------------------------------------------------ */

struct placed {
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_shapes shapes;
    struct kt_placements_of_shape of[8];
};

static void begin(struct placed *p)
{
    *p = (struct placed){0};
    kt_gen_begin(&p->gen, "trace/routines", 42);
}

static void place(struct placed *p, enum kt_level level)
{
    struct kt_error error = {0};
    kt_gen_end(&p->gen, true);
    assert_int_equal(kt_trace_open(p->gen.trace, &p->trace, &error), KT_OK);
    kt_shapes_collect(&p->trace, level, &p->shapes);
    assert_true(p->shapes.count <= 8);
    assert_int_equal(kt_placements_of_trace(&p->trace, level, &p->shapes, &small_caches, p->of, &error), KT_OK);
}

static void end(struct placed *p)
{
    kt_shapes_free(&p->shapes);
    kt_trace_close(&p->trace);
    kt_gen_remove(&p->gen);
}

/* The placements of the shape whose first argument is so large. */
static const struct kt_placements_of_shape *placements_of(const struct placed *p, const char *n)
{
    for (size_t i = 0; i < p->shapes.count; i++) {
        char text[81];
        kt_shape_text(&p->shapes.shape[i].first, text, 80);
        if (!strncmp(text, n, strlen(n)))
            return &p->of[i];
    }
    fail();
    return NULL;
}

/* One vector is summed again and again, every fourth time after one that is larger than all caches. */
static void placements_of_a_shape(void **unused)
{
    (void)unused;
    struct placed p;
    begin(&p);
    int asum = kt_gen_entry(&p.gen, "dasum", KT_FORTRAN);
    for (uint64_t i = 0; i < 400; i++) {
        if (i % 4 == 0)
            kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i, 1000, "40000 0x400000 1"});
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i + 5000, 1000, "64 0x100000 1"});
    }
    place(&p, KT_OUTERMOST);
    const struct kt_placements_of_shape *small = placements_of(&p, "64");
    assert_int_equal(small->count, 2);
    assert_true(fabs(small->placement[0].weight - 0.75) < 1e-9);
    assert_true((double)small->placement[0].share[0][0] > 0.99);
    assert_true((double)small->placement[1].share[0][3] > 0.99);
    assert_int_equal(placements_of(&p, "40000")->count, 1);
    end(&p);
}

/* More ways than can be kept: every call still counts, and shares still add up. */
static void too_many_placements(void **unused)
{
    (void)unused;
    struct placed p;
    begin(&p);
    int asum = kt_gen_entry(&p.gen, "dasum", KT_FORTRAN);
    for (uint64_t i = 0; i < 300; i++) {
        char other[64];
        snprintf(other, sizeof other, "100 0x%" PRIx64 " 1", 0x900000 + i % 10 * 0x10000);
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i, 1000, other});
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i + 5000, 1000, "900 0x100000 1"});
        for (uint64_t j = 0; j < i % 10; j++)
            kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i + 6000 + 100 * j, 10, "500 0x200000 8"});
    }
    place(&p, KT_OUTERMOST);
    for (size_t i = 0; i < p.shapes.count; i++) {
        double sum = 0;
        assert_in_range(p.of[i].count, 1, KT_MOST_PLACEMENTS);
        for (unsigned k = 0; k < p.of[i].count; k++) {
            double shares = 0;
            sum += p.of[i].placement[k].weight;
            assert_true(k == 0 || p.of[i].placement[k].weight <= p.of[i].placement[k - 1].weight);
            for (int level = 0; level < 4; level++)
                shares += (double)p.of[i].placement[k].share[0][level];
            assert_true(fabs(shares - 1) < 1e-4);
        }
        assert_true(fabs(sum - 1) < 1e-9);
    }
    end(&p);
}

/* Two threads on two processors take turns to write a vector: each finds it in the shared cache only. */
static void threads_in_order_of_time(void **unused)
{
    (void)unused;
    struct placed p;
    begin(&p);
    int scal = kt_gen_entry(&p.gen, "dscal", KT_FORTRAN);
    for (uint64_t i = 0; i < 100; i++)
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, scal, 0, 10000 * i, 1000, "64 2.5 0x100000 1"});
    for (uint64_t i = 0; i < 100; i++) {
        kt_gen_call(&p.gen, &(struct kt_gen_call){8, scal, 0, 10000 * i + 5000, 1000, "64 2.5 0x100000 1"});
        kt_gen_more(&p.gen, 8, &(struct kt_gen_more){.migrated = true});
    }
    place(&p, KT_OUTERMOST);
    assert_int_equal(p.shapes.count, 1);
    assert_int_equal(p.of[0].count, 2);
    assert_true(fabs(p.of[0].placement[0].weight - 199.0 / 200) < 1e-9);
    assert_true((double)p.of[0].placement[0].share[0][2] > 0.99);
    assert_true((double)p.of[0].placement[1].share[0][3] > 0.99);
    end(&p);
}

/* Two vectors of one shape: both stay near. */
static void a_shape_at_two_addresses(void **unused)
{
    (void)unused;
    struct placed p;
    begin(&p);
    int asum = kt_gen_entry(&p.gen, "dasum", KT_FORTRAN);
    for (uint64_t i = 0; i < 100; i++)
        kt_gen_call(&p.gen,
                    &(struct kt_gen_call){7, asum, 0, 10000 * i, 1000, i % 2 ? "64 0x300000 1" : "64 0x100000 1"});
    place(&p, KT_OUTERMOST);
    assert_int_equal(p.of[0].count, 2);
    assert_true((double)p.of[0].placement[0].share[0][0] > 0.99);
    assert_true(fabs(p.of[0].placement[0].weight - 0.98) < 1e-9);
    end(&p);
}

/* A fifth way joins the one that it is most like. */
static void the_most_alike_are_united(void **unused)
{
    (void)unused;
    static const char *const between[5] = {"1 0x400000 1", "1024 0x400000 1", "3072 0x400000 1", "6144 0x400000 1",
                                           "40000 0x400000 1"};
    struct placed p;
    begin(&p);
    int asum = kt_gen_entry(&p.gen, "dasum", KT_FORTRAN);
    kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 0, 10, "40000 0x400000 1"});
    for (uint64_t i = 0; i < 500; i++) {
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i + 1000, 1000, "64 0x100000 1"});
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, asum, 0, 10000 * i + 5000, 1000, between[i % 5]});
    }
    place(&p, KT_OUTERMOST);
    const struct kt_placements_of_shape *of = placements_of(&p, "64");
    assert_int_equal(of->count, 4);
    assert_true(fabs(of->placement[0].weight - 0.4) < 0.01);
    assert_true((double)of->placement[0].share[0][3] > 0.9);
    for (int i = 1; i < 4; i++) {
        const float *share = of->placement[i].share[0];
        assert_true(fabs(of->placement[i].weight - 0.2) < 0.01);
        assert_true(fmax((double)share[0], fmax((double)share[1], (double)share[2])) > 0.7);
    }
    end(&p);
}

enum { THREADS = 7, CALLS_OF_THREAD = 200 };

/* Calls of many threads, each of them with one nested in it. */
static void walk_threads(enum kt_level level)
{
    struct placed p;
    uint64_t at[THREADS] = {0};
    begin(&p);
    int potrf = kt_gen_entry(&p.gen, "dpotrf", KT_FORTRAN);
    int scal = kt_gen_entry(&p.gen, "dscal", KT_FORTRAN);
    for (uint32_t i = 0; i < THREADS * CALLS_OF_THREAD; i++) {
        uint64_t begun = at[i % THREADS] += 100 + draw(10000);
        kt_gen_call(&p.gen, &(struct kt_gen_call){1 + i % THREADS, potrf, 0, begun, 50, "L 100 0x200000 100 0"});
        kt_gen_call(&p.gen, &(struct kt_gen_call){1 + i % THREADS, scal, 1, begun + 10, 10, "64 2.5 0x200000 1"});
    }
    place(&p, level);
    struct kt_timeline *timeline = kt_timeline_new(&p.trace, 0, level);
    const struct kt_call *next;
    uint64_t last = 0;
    int calls = 0;
    while ((next = kt_timeline_next(timeline))) {
        assert_true(next->start >= last);
        assert_int_equal(next->depth, level == KT_LEAVES);
        last = next->start;
        calls++;
    }
    assert_int_equal(calls, THREADS * CALLS_OF_THREAD);
    kt_timeline_free(timeline);
    end(&p);
}

static void the_order_of_many_threads(void **unused)
{
    (void)unused;
    walk_threads(KT_OUTERMOST);
    walk_threads(KT_LEAVES);
}

/* The matrix of the outer call is not touched by itself when the leaves are followed. */
static void leaves_are_followed_alone(void **unused)
{
    (void)unused;
    struct placed p;
    begin(&p);
    int potrf = kt_gen_entry(&p.gen, "dpotrf", KT_FORTRAN);
    int scal = kt_gen_entry(&p.gen, "dscal", KT_FORTRAN);
    for (uint64_t i = 0; i < 50; i++) {
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, potrf, 0, 10000 * i, 5000, "L 100 0x200000 100 0"});
        kt_gen_call(&p.gen, &(struct kt_gen_call){7, scal, 1, 10000 * i + 1000, 1000, "64 2.5 0x200000 1"});
    }
    place(&p, KT_LEAVES);
    assert_int_equal(p.shapes.count, 1);
    assert_int_equal(p.of[0].count, 2);
    assert_true((double)p.of[0].placement[0].share[0][0] > 0.99);
    end(&p);
}

static void caches_must_be_known(void **unused)
{
    (void)unused;
    struct kt_error error = {0};
    struct kt_trace trace = {0};
    struct kt_shapes shapes = {0};
    const struct kt_caches none = {.line = 64};
    assert_int_equal(kt_placements_of_trace(&trace, KT_LEAVES, &shapes, &none, NULL, &error), KT_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_traces_are_exact),
        cmocka_unit_test(long_traces_are_exact),
        cmocka_unit_test(interleaved_matrices_do_not_touch),
        cmocka_unit_test(one_element_overlaps),
        cmocka_unit_test(series_are_their_runs),
        cmocka_unit_test(negative_increments_touch_the_same),
        cmocka_unit_test(rows_share_lines),
        cmocka_unit_test(distances_of_parts),
        cmocka_unit_test(similar_operands_differ),
        cmocka_unit_test(the_papers_examples),
        cmocka_unit_test(copies_one_by_one),
        cmocka_unit_test(smoothing_is_the_papers),
        cmocka_unit_test(threads_have_their_own_caches),
        cmocka_unit_test(two_processors),
        cmocka_unit_test(levels_of_processors),
        cmocka_unit_test(absurd_operands_are_refused),
        cmocka_unit_test(placements_of_a_shape),
        cmocka_unit_test(too_many_placements),
        cmocka_unit_test(threads_in_order_of_time),
        cmocka_unit_test(a_shape_at_two_addresses),
        cmocka_unit_test(the_most_alike_are_united),
        cmocka_unit_test(the_order_of_many_threads),
        cmocka_unit_test(leaves_are_followed_alone),
        cmocka_unit_test(caches_must_be_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
