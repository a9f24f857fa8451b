/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operand ranges against a second, naive statement of which elements a shape has, over all small sizes; bounds and
 * counts against the runs; costs; and arguments that no correct program passes. That the table itself is right is
 * what tests/table/footprint.c shows.
 */
#include "tests/parts/table_load.h"
#include "trace/table/operand.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ELEMENTS = 4096, BASE = 1024 }; /* of the naive picture of memory, and where operands begin in it */

/* Arguments of the routines below: m n kl ku ld inc uplo diag x. */
enum { M, N, KL, KU, LD, INC, UPLO, DIAG, X };

#define ARGUMENTS "dim:m dim:n dim:kl dim:ku ld:ld inc:inc uplo:uplo diag:diag "

static const char specification[] =
    "array    d | " ARGUMENTS "in:x[n] |\n"
    "vector   d | " ARGUMENTS "in:x[n;inc] |\n"
    "matrix   d cblas | " ARGUMENTS "in:x[m,n;ld] |\n"
    "triangle d cblas | " ARGUMENTS "in:x[n,n;ld;uplo;diag] |\n"
    "band     d cblas | " ARGUMENTS "in:x[m,n,kl,ku;ld] |\n"
    "tband    d cblas | " ARGUMENTS "in:x[n,n,uplo=L?kl:0,uplo=U?kl:0;ld;uplo;diag] |\n"
    "packed   d cblas | " ARGUMENTS "in:x[n;packed;uplo;diag] |\n"
    "whole    d | dim:n scal:beta upd(beta):y[n] out:info1[1]:I work:w[lwork] lwork:lwork info:info |\n";

static struct kt_table table;

static int load(void **state)
{
    (void)state;
    struct kt_error error = {0};
    return kt_table_parse(specification, "test", &table, &error) == KT_OK ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    kt_table_free(&table);
    return 0;
}

struct picture {
    bool element[ELEMENTS];
};

static struct kt_operand operand_of(const char *routine, const struct kt_values *values)
{
    struct kt_symbol symbol;
    struct kt_operand operand[KT_MAX_OPERANDS];
    const struct kt_routine *r = kt_table_find(&table, routine);
    assert_non_null(r);
    assert_true(kt_symbol_make(r, r->interfaces & KT_HAS_CBLAS ? KT_CBLAS : KT_FORTRAN, &symbol));
    assert_int_equal(kt_operands(&symbol, values, 4, operand), 1);
    operand[0].name = r->name; /* the symbol's own ends here */
    return operand[0];
}

/* --- naive ------------------------------------------------------------------------------------------------- */

static void naive_vector(const struct kt_values *v, bool strided, struct picture *out)
{
    int n = (int)v->v[N];
    int inc = strided ? (int)v->v[INC] : 1;
    for (int i = 0; i < n; i++)
        out->element[BASE + (inc < 0 ? (i - n + 1) * inc : i * inc)] = true;
}

static bool in_triangle(const struct kt_values *v, int i, int j)
{
    if (i == j)
        return v->v[DIAG] != 'U';
    return v->v[UPLO] == 'U' ? i < j : i > j;
}

/* Where element (i, j) of a dense matrix lies. */
static int dense_at(const struct kt_values *v, int i, int j)
{
    int ld = (int)v->v[LD];
    return v->row_major ? i * ld + j : j * ld + i;
}

static void naive_matrix(const struct kt_values *v, bool triangle, struct picture *out)
{
    int m = (int)v->v[triangle ? N : M];
    for (int j = 0; j < (int)v->v[N]; j++)
        for (int i = 0; i < m; i++)
            if (!triangle || in_triangle(v, i, j))
                out->element[BASE + dense_at(v, i, j)] = true;
}

/* Column-major: A(i,j) at row ku+i-j of column j. Row-major: at column kl+j-i of row i. */
static void naive_band(const struct kt_values *v, bool triangle, struct picture *out)
{
    int m = (int)v->v[triangle ? N : M];
    int kl = (int)(!triangle || v->v[UPLO] == 'L' ? v->v[KL] : 0);
    int ku = (int)(!triangle ? v->v[KU] : v->v[UPLO] == 'U' ? v->v[KL] : 0);
    for (int j = 0; j < (int)v->v[N]; j++)
        for (int i = 0; i < m; i++) {
            bool inside = i - j <= kl && j - i <= ku && (!triangle || in_triangle(v, i, j));
            int at = v->row_major ? i * (int)v->v[LD] + kl + j - i : j * (int)v->v[LD] + ku + i - j;
            if (inside)
                out->element[BASE + at] = true;
        }
}

/* Elements of the triangle, diagonal included, one after the other along columns or rows. */
static void naive_packed(const struct kt_values *v, struct picture *out)
{
    int n = (int)v->v[N];
    int at = BASE;
    for (int outer = 0; outer < n; outer++)
        for (int inner = 0; inner < n; inner++) {
            int i = v->row_major ? outer : inner;
            int j = v->row_major ? inner : outer;
            if (v->v[UPLO] == 'U' ? i > j : i < j)
                continue;
            out->element[at++] = in_triangle(v, i, j);
        }
}

/* --- comparison -------------------------------------------------------------------------------------------- */

static void check_bounds(const struct kt_operand *o, const struct picture *expected)
{
    uint64_t lo = UINT64_MAX;
    uint64_t hi = 0;
    uint64_t elements = 0;
    for (uint64_t i = 0; i < ELEMENTS; i++) {
        if (!expected->element[i])
            continue;
        lo = lo == UINT64_MAX ? i : lo;
        hi = i + 1;
        elements++;
    }
    if (elements == 0) {
        assert_true(o->lo == o->hi);
        return;
    }
    if (o->lo != lo * 8 || o->hi != hi * 8)
        fail_msg("%s %lldx%lld ld %lld: bounds are %g..%g, expected %g..%g elements", o->name, (long long)o->rows,
                 (long long)o->cols, (long long)o->ld, (double)o->lo / 8 - BASE, (double)o->hi / 8 - BASE,
                 (double)lo - BASE, (double)hi - BASE);
    assert_int_equal(o->elements, elements);
}

static void compare(const char *routine, const struct kt_values *values, const struct picture *expected)
{
    struct picture found = {0};
    struct kt_operand o = operand_of(routine, values);
    for (int64_t i = 0; i < kt_operand_runs(&o); i++) {
        uint64_t lo, hi;
        kt_operand_run(&o, i, &lo, &hi);
        assert_true(lo % 8 == 0 && hi % 8 == 0 && lo <= hi && hi <= 8 * ELEMENTS);
        for (uint64_t at = lo / 8; at < hi / 8; at++) {
            assert_false(found.element[at]);
            found.element[at] = true;
        }
    }
    if (memcmp(&found, expected, sizeof found))
        fail_msg("%s: m %g n %g kl %g ku %g ld %g inc %g %c %c, %s-major: other elements", routine, values->v[M],
                 values->v[N], values->v[KL], values->v[KU], values->v[LD], values->v[INC], (int)values->v[UPLO],
                 (int)values->v[DIAG], values->row_major ? "row" : "column");
    check_bounds(&o, expected);
}

static struct kt_values values_of(int m, int n, int kl, int ku, int ld)
{
    return (struct kt_values){.v = {m, n, kl, ku, ld, 1, 'U', 'N'}, .address = {[X] = 8 * BASE}};
}

static void test_vectors(void **state)
{
    (void)state;
    static const int increments[] = {1, 2, 7, -1, -2, -5};
    for (int n = 0; n < 12; n++)
        for (int i = 0; i < 6; i++) {
            struct kt_values v = values_of(0, n, 0, 0, 1);
            struct picture array = {0}, vector = {0};
            v.v[INC] = increments[i];
            naive_vector(&v, false, &array);
            naive_vector(&v, true, &vector);
            compare("array", &v, &array);
            compare("vector", &v, &vector);
        }
}

static void test_increment_zero_is_one_element(void **state)
{
    (void)state;
    struct kt_values v = values_of(0, 5, 0, 0, 1);
    struct picture expected = {.element = {[BASE] = true}};
    v.v[INC] = 0;
    compare("vector", &v, &expected);
}

/* Calls TEST with every combination of sizes up to 9 and both layouts. */
static void each_size(void (*test)(struct kt_values *values))
{
    for (int i = 0; i < 10 * 10 * 2; i++) {
        struct kt_values v = values_of(i % 10, i / 10 % 10, 0, 0, 12);
        v.row_major = i >= 100;
        test(&v);
    }
}

static void try_triangles(struct kt_values *v)
{
    for (int i = 0; i < 4; i++) {
        struct picture dense = {0}, packed = {0};
        v->v[UPLO] = "UL"[i % 2];
        v->v[DIAG] = "NU"[i / 2];
        naive_matrix(v, true, &dense);
        naive_packed(v, &packed);
        compare("triangle", v, &dense);
        compare("packed", v, &packed);
    }
}

static void try_matrix(struct kt_values *v)
{
    struct picture expected = {0};
    naive_matrix(v, false, &expected);
    compare("matrix", v, &expected);
}

static void test_dense_and_packed(void **state)
{
    (void)state;
    each_size(try_matrix);
    each_size(try_triangles);
}

static void try_bands(struct kt_values *v)
{
    for (int i = 0; i < 5 * 5 * 4; i++) {
        struct picture band = {0}, triangle = {0};
        v->v[KL] = i % 5;
        v->v[KU] = i / 5 % 5;
        v->v[UPLO] = "UL"[i / 25 % 2];
        v->v[DIAG] = "NU"[i / 50];
        naive_band(v, false, &band);
        naive_band(v, true, &triangle);
        compare("band", v, &band);
        compare("tband", v, &triangle);
    }
}

static void test_bands(void **state)
{
    (void)state;
    each_size(try_bands);
}

/* Columns far behind the last row hold nothing: the end of the range is not in the last column. */
static void test_long_thin_bands(void **state)
{
    (void)state;
    for (int m = 1; m < 20; m++)
        for (int i = 0; i < 2; i++) {
            struct kt_values v = values_of(m, 40, 1, 1, 5);
            struct picture expected = {0};
            v.row_major = i;
            naive_band(&v, false, &expected);
            compare("band", &v, &expected);
        }
}

/* LAPACKE stores the array with the band row by row: for 6 by 5, kl = 1, ku = 2, four runs of five elements. */
static void test_row_major_bands_of_lapacke(void **state)
{
    (void)state;
    struct kt_table one;
    struct kt_error error = {0};
    struct kt_symbol symbol;
    struct kt_operand o[KT_MAX_OPERANDS];
    struct kt_values v = {.row_major = true, .v = {6, 5, 1, 2, 0, 9}};
    static const char family[] = "b d lapacke | dim:m dim:n dim:kl dim:ku in:ab[m,n,kl,ku;ldab] ld:ldab |";
    assert_int_equal(kt_table_parse(family, "test", &one, &error), KT_OK);
    assert_true(kt_symbol_make(&one.routine[0], KT_LAPACKE, &symbol));
    assert_int_equal(kt_operands(&symbol, &v, 4, o), 1);
    assert_int_equal(kt_operand_runs(&o[0]), 4);
    assert_int_equal(o[0].elements, 20);
    assert_int_equal(o[0].hi - o[0].lo, (3 * 9 + 5) * 8);
    kt_table_free(&one);
}

/* --- access, queries, costs -------------------------------------------------------------------------------- */

static int operands_of_whole(double beta, double imaginary, double lwork, struct kt_operand *out)
{
    struct kt_symbol symbol;
    struct kt_values v = {.v = {5, beta, 0, 0, 0, lwork}, .imaginary = {0, imaginary}};
    assert_true(kt_symbol_make(kt_table_find(&table, "whole"), KT_FORTRAN, &symbol));
    return kt_operands(&symbol, &v, 8, out);
}

static void test_access(void **state)
{
    (void)state;
    struct kt_operand o[KT_MAX_OPERANDS];
    assert_int_equal(operands_of_whole(0, 0, 9, o), 3);
    assert_int_equal(o[0].access, KT_WRITE);
    assert_int_equal(o[1].access, KT_WRITE);
    assert_int_equal(o[1].elem, 8); /* integers of a 64-bit library */
    assert_int_equal(o[2].access, KT_WORK);
    assert_int_equal(o[2].elements, 9);
    operands_of_whole(1, 0, 9, o);
    assert_int_equal(o[0].access, KT_READ_WRITE);
    operands_of_whole(0, 1, 9, o);
    assert_int_equal(o[0].access, KT_READ_WRITE);
}

static void test_query_touches_one_element_of_the_workspace(void **state)
{
    (void)state;
    struct kt_operand o[KT_MAX_OPERANDS];
    assert_int_equal(operands_of_whole(1, 0, -1, o), 3);
    assert_int_equal(o[0].elements, 0);
    assert_true(o[0].lo == o[0].hi);
    assert_int_equal(o[1].elements, 1); /* a single number may be set */
    assert_int_equal(o[2].elements, 1);
}

static double flops_of(const char *cost, char type, double m, double n)
{
    struct kt_table one;
    struct kt_error error = {0};
    struct kt_values v = {.v = {m, n}};
    char line[128];
    snprintf(line, sizeof line, "f %c | dim:m dim:n | %s", type, cost);
    assert_int_equal(kt_table_parse(line, "test", &one, &error), KT_OK);
    double flops = kt_flops(&one.routine[0], &v);
    kt_table_free(&one);
    return flops;
}

static void test_flops(void **state)
{
    (void)state;
    assert_true(flops_of("mul=m*n add=m", 'd', 3, 4) == 15);
    assert_true(flops_of("mul=m*n add=m", 'z', 3, 4) == 6 * 12 + 2 * 3);
    assert_true(flops_of("mul=m*n", 's', 3, 4) == 12);
    assert_true(flops_of("flops=m", 'z', 3, 4) == 3);
    assert_true(flops_of("mul=n-m", 'd', 3, 1) == 0);       /* never negative */
    assert_true(flops_of("mul=m+1 add=1", 'd', 0, 0) == 0); /* nothing to do */
    assert_true(isnan(flops_of("", 'd', 3, 4)));
}

static void test_bytes(void **state)
{
    (void)state;
    struct kt_operand o[KT_MAX_OPERANDS];
    int count = operands_of_whole(1, 0, 9, o);
    assert_true(kt_bytes(o, count) == 2 * 5 * 8 + 8);
    count = operands_of_whole(0, 0, 9, o);
    assert_true(kt_bytes(o, count) == 5 * 8 + 8);
}

/* --- nonsense ---------------------------------------------------------------------------------------------- */

/* Wrong calls are recorded as well: no combination of extreme arguments may trap, hang or overflow. */
static void test_extreme_arguments(void **state)
{
    (void)state;
    static const double extreme[] = {0, -1, 1, INT32_MAX, INT32_MIN, 9.2e18, -9.2e18};
    static const char *const routines[] = {"array", "vector", "matrix", "triangle", "band", "tband", "packed"};
    enum { CHOICES = 7 };
    for (int i = 0; i < CHOICES * CHOICES * CHOICES * 4; i++) {
        double step = extreme[i / CHOICES % CHOICES];
        struct kt_values v = {.v = {extreme[i % CHOICES], extreme[i / CHOICES / CHOICES % CHOICES],
                                    extreme[i % CHOICES], 1, step, step, "UL"[i % 2], "NU"[i / 2 % 2]},
                              .row_major = i / CHOICES / CHOICES / CHOICES % 2,
                              .address = {[X] = UINT64_MAX - 7}};
        for (size_t r = 0; r < sizeof routines / sizeof *routines; r++) {
            struct kt_operand o = operand_of(routines[r], &v);
            uint64_t lo, hi;
            if (kt_operand_runs(&o) > 0)
                kt_operand_run(&o, kt_operand_runs(&o) - 1, &lo, &hi);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_increment_zero_is_one_element),
        cmocka_unit_test(test_dense_and_packed),
        cmocka_unit_test(test_bands),
        cmocka_unit_test(test_long_thin_bands),
        cmocka_unit_test(test_row_major_bands_of_lapacke),
        cmocka_unit_test(test_access),
        cmocka_unit_test(test_query_touches_one_element_of_the_workspace),
        cmocka_unit_test(test_flops),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_extreme_arguments),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
