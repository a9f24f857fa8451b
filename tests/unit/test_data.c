/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contents of operands: legal for their routine, the same whenever written again, nowhere outside the operand. The
 * proof that they are legal is that the reference library succeeds with them in every routine of the table.
 */
#include "replay/call/arena.h"
#include "replay/call/call.h"
#include "replay/call/data.h"
#include "replay/call/library.h"
#include "tests/parts/synth.h"
#include "tests/parts/table_load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct kt_data_pool *pool;
static struct kt_arena arena;

static int load(void **state)
{
    struct kt_error error = {0};
    pool = kt_data_pool_new();
    if (kt_arena_open(64 << 20, KT_PAGES_ANY, &arena, &error) != KT_OK)
        return -1;
    kt_arena_touch(&arena, 4 << 20);
    return kt_spec_setup(state);
}

static int unload(void **state)
{
    kt_data_pool_free(pool);
    kt_arena_close(&arena);
    return kt_spec_teardown(state);
}

/* A call whose operands are in the arena. */
struct made {
    struct kt_symbol symbol;
    unsigned char args[KT_SYNTH_ARG_BYTES];
    struct kt_operand operand[KT_MAX_OPERANDS];
    uint64_t address[KT_MAX_OPERANDS];
    int operands;
};

/* Recorded addresses far apart, then moved into the arena as replay does. False if they do not fit. */
static bool place(struct made *m)
{
    struct kt_values values;
    uint64_t bytes;
    for (uint64_t i = 0; i < KT_MAX_OPERANDS; i++)
        m->address[i] = 0x100000000 * (i + 1) + 16 * i;
    kt_synth_set_addresses(&m->symbol, m->address, m->args);
    kt_values_decode(&m->symbol, m->args, &values);
    m->operands = kt_operands(&m->symbol, &values, 4, m->operand);
    assert_true(kt_arena_layout(&(struct kt_layout){0}, m->operand, m->operands, m->address, &bytes));
    if (bytes > arena.bytes)
        return false;
    for (int i = 0; i < m->operands; i++) {
        m->address[i] += (uint64_t)arena.base;
        uint64_t shift = m->address[i] - m->operand[i].base;
        m->operand[i].base += shift;
        m->operand[i].lo += shift;
        m->operand[i].hi += shift;
    }
    return true;
}

static void fill(const struct made *m)
{
    for (int i = 0; i < m->operands; i++)
        kt_data_fill(pool, m->operand, m->operands, i);
}

/* False where a workspace is large however small the sizes are: trsyl3. */
static bool try_make(struct made *m, const char *routine, uint64_t seed)
{
    struct kt_synth synth = {.state = seed, .distinct = true};
    *m = (struct made){0};
    assert_true(kt_symbol_make(kt_table_find(&kt_spec_table, routine), KT_FORTRAN, &m->symbol));
    kt_synth_arguments(&synth, &m->symbol, false, m->args);
    if (!place(m))
        return false;
    fill(m);
    return true;
}

static void make(struct made *m, const char *routine, uint64_t seed)
{
    assert_true(try_make(m, routine, seed));
}

static const struct kt_operand *find(const struct made *m, const char *name)
{
    for (int i = 0; i < m->operands; i++)
        if (!strcmp(m->operand[i].name, name))
            return &m->operand[i];
    fail();
    return NULL;
}

static double element(const struct kt_operand *o, int64_t row, int64_t column)
{
    return ((const double *)o->base)[column * o->ld + row];
}

static void test_ordinary_numbers(void **state)
{
    (void)state;
    struct made m;
    make(&m, "dgemm", 1);
    const struct kt_operand *a = find(&m, "a");
    int negative = 0;
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++) {
            double x = element(a, i, j);
            assert_true(fabs(x) < 1 && fabs(x) > 1e-8);
            negative += x < 0;
        }
    assert_in_range(negative, 1, a->rows * a->cols - 1);
}

static void test_definite_matrix(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 5; seed++) { /* both triangles */
        struct made m;
        make(&m, "dpotrf", seed);
        const struct kt_operand *a = find(&m, "a");
        for (int64_t j = 0; j < a->cols; j++) {
            assert_true(element(a, j, j) >= 2 * (double)a->rows);
            int64_t i = a->below ? a->rows - 1 : 0;
            assert_true(i == j || fabs(element(a, i, j)) < 1);
        }
    }
}

static void test_triangle(void **state)
{
    (void)state;
    struct made m;
    make(&m, "dpotrs", 1);
    const struct kt_operand *a = find(&m, "a");
    for (int64_t j = 0; j < a->cols; j++) {
        int64_t i = a->below ? a->rows - 1 : 0;
        assert_true(element(a, j, j) >= 1 && element(a, j, j) < 2);
        assert_true(i == j || fabs(element(a, i, j)) <= 1 / (double)a->rows);
    }
}

static void test_pivots(void **state)
{
    (void)state;
    struct made m;
    make(&m, "dgetrs", 1);
    const struct kt_operand *ipiv = find(&m, "ipiv");
    for (int32_t i = 0; i < ipiv->rows; i++)
        assert_in_range(((const int32_t *)ipiv->base)[i], i + 1, ipiv->rows);
}

/* tau |v|^2 = 2: I - tau v v' is orthogonal. */
static void test_reflectors(void **state)
{
    (void)state;
    struct made m;
    make(&m, "dorgqr", 1);
    const struct kt_operand *a = find(&m, "a");
    const struct kt_operand *tau = find(&m, "tau");
    for (int64_t j = 0; j < tau->rows; j++) {
        double square = 1;
        for (int64_t i = j + 1; i < a->rows; i++)
            square += element(a, i, j) * element(a, i, j);
        assert_true(fabs(((const double *)tau->base)[j] * square - 2) < 1e-12);
    }
}

/* All of a definite matrix in rectangular full packed storage: its diagonal is where the routine looks for it. */
static void test_rectangular_full_packed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++) { /* odd and even, upper and lower, transposed and not */
        struct made m;
        make(&m, "dpftrf", seed);
        const struct kt_operand *o = find(&m, "a");
        int64_t n = (int64_t)sqrt(2 * (double)o->rows);
        int64_t large = 0;
        for (int64_t i = 0; i < o->rows; i++)
            large += ((const double *)o->base)[i] >= 2 * (double)n;
        assert_int_equal(large, n);
    }
}

static void test_schur_form(void **state)
{
    (void)state;
    struct made m;
    make(&m, "dtrexc", 1);
    const struct kt_operand *t = find(&m, "t");
    for (int64_t j = 0; j < t->cols; j++)
        for (int64_t i = j; i < t->rows; i++)
            assert_true(i == j ? element(t, i, j) >= 1 : element(t, i, j) == 0);
}

static void test_hessenberg_form(void **state)
{
    (void)state;
    struct made m;
    make(&m, "dlahqr", 1);
    const struct kt_operand *h = find(&m, "h");
    for (int64_t j = 0; j < h->cols; j++)
        for (int64_t i = j + 1; i < h->rows; i++)
            assert_true((element(h, i, j) != 0) == (i == j + 1));
}

/* Row exchanges of factors of an upper triangle go up. */
static void test_pivots_upwards(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 5; seed++) {
        struct made m;
        make(&m, "dsytrs", seed);
        const struct kt_operand *a = find(&m, "a");
        const struct kt_operand *ipiv = find(&m, "ipiv");
        for (int32_t i = 0; i < ipiv->rows; i++) {
            int32_t pivot = ((const int32_t *)ipiv->base)[i];
            assert_in_range(pivot, a->below ? i + 1 : 1, a->below ? ipiv->rows : i + 1);
        }
    }
}

static void test_halves(void **state)
{
    (void)state;
    struct made m;
    make(&m, "dlaed1", 1);
    const struct kt_operand *order = find(&m, "indxq");
    const double *d = (const double *)find(&m, "d")->base;
    int64_t half = order->rows / 2;
    assert_true(half > 0);
    for (int64_t i = 0; i < order->rows; i++) {
        assert_int_equal(((const int32_t *)order->base)[i], i < half ? i + 1 : i + 1 - half);
        assert_true(i == 0 || i == half || d[i] > d[i - 1]);
    }
}

/* Element of the whole that X11, X12, X21 and X22 are the blocks of, or the transposed ones. */
static double block_element(const struct made *m, bool transposed, int64_t row, int64_t col)
{
    const struct kt_operand *x11 = find(m, "x11");
    bool below = row >= x11->rows;
    bool right = col >= x11->cols;
    const char *beside = transposed ? "x21" : "x12";
    const char *under = transposed ? "x12" : "x21";
    const struct kt_operand *x = find(m, below ? right ? "x22" : under : right ? beside : "x11");
    return element(x, row - (below ? x11->rows : 0), col - (right ? x11->cols : 0));
}

static void test_unitary_blocks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 5; seed++) { /* transposed and not */
        struct made m;
        struct kt_values values;
        make(&m, "dorcsd", seed);
        kt_values_decode(&m.symbol, m.args, &values);
        bool t = values.v[4] == 'T';
        int64_t order = find(&m, "x11")->rows + find(&m, "x22")->rows;
        for (int64_t i = 0; i < order; i++)
            for (int64_t j = 0; j < order; j++) {
                double product = 0;
                for (int64_t k = 0; k < order; k++)
                    product += block_element(&m, t, k, i) * block_element(&m, t, k, j);
                assert_true(fabs(product - (i == j)) < 1e-12);
            }
    }
}

/* Reflectors of any storage: with their tau they make no vector longer. */
static void test_short_reflectors(void **state)
{
    (void)state;
    struct made m;
    make(&m, "dormlq", 1);
    const struct kt_operand *a = find(&m, "a");
    const double *tau = (const double *)find(&m, "tau")->base;
    for (int64_t i = 0; i < a->rows; i++) {
        double square = 1;
        for (int64_t j = i + 1; j < a->cols; j++)
            square += element(a, i, j) * element(a, i, j);
        assert_true(fabs(1 - tau[i] * square) <= 1);
    }
}

/* Contents are a function of the operand, and no byte outside it is written. */
static void test_filling_again(void **state)
{
    (void)state;
    enum { PART = 256 * 1024 };
    unsigned char *before = malloc(PART);
    assert_non_null(before);
    for (size_t r = 0; r < kt_spec_table.count; r++) {
        struct made m;
        if (!kt_symbol_exists(&kt_spec_table.routine[r], KT_FORTRAN))
            continue;
        if (!try_make(&m, kt_spec_table.routine[r].name, r)) {
            print_message("# %s does not fit\n", kt_spec_table.routine[r].name);
            continue;
        }
        memcpy(before, arena.base, PART);
        fill(&m);
        assert_memory_equal(before, arena.base, PART);
    }
    free(before);
}

static bool is_inside(const struct made *m, uint64_t address)
{
    for (int i = 0; i < m->operands; i++)
        for (int64_t run = 0; run < kt_operand_runs(&m->operand[i]); run++) {
            uint64_t lo, hi;
            kt_operand_run(&m->operand[i], run, &lo, &hi);
            if (address >= lo && address < hi)
                return true;
        }
    return false;
}

/* The same for a seed, others for another, those of kt_data_fill without one. */
static void test_filling_anew(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {1, 2, 1, 0};
    struct made m;
    make(&m, "dnrm2", 3);
    const struct kt_operand *x = find(&m, "x");
    const double usual = element(x, 0, 0);
    double first[4];
    for (int i = 0; i < 4; i++) {
        kt_data_fill_anew(pool, m.operand, m.operands, (int)(x - m.operand), seeds[i]);
        first[i] = element(x, 0, 0);
    }
    assert_true(first[0] == first[2] && first[0] != first[1]);
    assert_true(first[3] == usual && first[0] != usual && first[1] != usual);
}

static void test_nothing_outside_is_written(void **state)
{
    (void)state;
    enum { PART = 256 * 1024, POISON = 0xa5 };
    for (size_t r = 0; r < kt_spec_table.count; r += 3) {
        struct made m;
        if (!kt_symbol_exists(&kt_spec_table.routine[r], KT_FORTRAN))
            continue;
        if (!try_make(&m, kt_spec_table.routine[r].name, r))
            continue;
        memset(arena.base, POISON, PART);
        fill(&m);
        for (uint64_t i = 0; i < PART; i++)
            if (arena.base[i] != POISON)
                assert_true(is_inside(&m, (uint64_t)arena.base + i));
    }
}

/* --- every routine ----------------------------------------------------------------------------------------- */

static bool is_finite(const struct kt_operand *o, int64_t run)
{
    uint64_t lo, hi;
    kt_operand_run(o, run, &lo, &hi);
    if (o->arg->type == KT_S || o->arg->type == KT_C) {
        for (const float *x = (const float *)lo; x < (const float *)hi; x++)
            if (!isfinite(*x))
                return false;
        return true;
    }
    for (const double *x = (const double *)lo; x < (const double *)hi; x++)
        if (!isfinite(*x))
            return false;
    return true;
}

static void check_results(const struct made *m)
{
    for (int i = 0; i < m->operands; i++) {
        const struct kt_operand *o = &m->operand[i];
        if (!o->arg || o->arg->type == KT_I || o->access == KT_WORK)
            continue;
        for (int64_t run = 0; run < kt_operand_runs(o); run++)
            if (!is_finite(o, run))
                fail_msg("%s: %s is not finite", m->symbol.name, o->name);
    }
}

/* Calls without work are legal but prove nothing, and the reference library has defects there: xGELSD with nrhs = 0
 * fails in xLALSD, cblas_zgemv with m = 0 and a row-major conjugate transpose never returns. */
static bool has_work(const struct made *m)
{
    struct kt_values values;
    kt_values_decode(&m->symbol, m->args, &values);
    for (int i = 0; i < m->symbol.routine->args; i++)
        if (m->symbol.routine->arg[i].role == KT_SIZE && values.v[i] == 0)
            return false;
    return true;
}

static void run_routine(const struct kt_library *library, const struct kt_symbol *symbol, uint64_t seed)
{
    struct kt_synth synth = {.state = seed, .queries = true};
    struct kt_by_reference cells;
    struct kt_parameters parameters;
    struct kt_returned returned;
    struct made m = {.symbol = *symbol};
    void *function = kt_library_symbol(library, symbol->name, NULL);
    if (!function)
        return;
    kt_synth_arguments(&synth, symbol, seed & 1, m.args);
    if (!has_work(&m))
        return;
    assert_true(place(&m));
    fill(&m);
    kt_parameters_fill(symbol, m.args, m.address, 4, &cells, &parameters);
    kt_thunk_of(symbol)(function, &parameters, &returned);
    int64_t info = kt_parameters_info(symbol, &cells, &returned, 4);
    if (info != 0)
        fail_msg("%s: info = %lld", symbol->name, (long long)info);
    check_results(&m);
}

/*
 * What random contents are legal is known for all of BLAS and for these. The rest of LAPACK wants data of many kinds,
 * and some of its routines never return from others: replay limits their time.
 */
static bool has_legal_data(const struct kt_routine *r)
{
    static const char families[] = " potrf potrs getrf getrs gesv geqrf orgqr ungqr ormqr unmqr trtrs trtri syev heev "
                                   "syevd heevd gesvd gesdd gelsd geev ";
    char family[KT_NAME + 2];
    snprintf(family, sizeof family, " %s ", r->name + 1);
    return !strncmp(r->section, "blas", 4) || strstr(families, family);
}

static void test_every_routine_succeeds(void **state)
{
    (void)state;
    struct kt_library library;
    struct kt_error error = {0};
    if (kt_library_find("reference", &library, &error) != KT_OK)
        skip();
    assert_int_equal(kt_library_load(&library, &error), KT_OK);
    for (size_t r = 0; r < kt_spec_table.count; r++)
        for (int view = 0; view < KT_VIEWS; view++) {
            struct kt_symbol symbol;
            if (has_legal_data(&kt_spec_table.routine[r]) && kt_symbol_make(&kt_spec_table.routine[r], view, &symbol))
                for (uint64_t seed = 0; seed < 20; seed++)
                    run_routine(&library, &symbol, 1000 * r + seed);
        }
    kt_library_free(&library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ordinary_numbers),
        cmocka_unit_test(test_definite_matrix),
        cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_pivots),
        cmocka_unit_test(test_reflectors),
        cmocka_unit_test(test_rectangular_full_packed),
        cmocka_unit_test(test_schur_form),
        cmocka_unit_test(test_hessenberg_form),
        cmocka_unit_test(test_pivots_upwards),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_unitary_blocks),
        cmocka_unit_test(test_short_reflectors),
        cmocka_unit_test(test_filling_again),
        cmocka_unit_test(test_filling_anew),
        cmocka_unit_test(test_nothing_outside_is_written),
        cmocka_unit_test(test_every_routine_succeeds),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
