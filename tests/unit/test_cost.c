/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table's operation counts: textbook algorithms that count instead of computing, and known values.
 */
#include "tests/parts/table_load.h"
#include "trace/table/operand.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct count {
    double mul, add;
};

/* What follows NAME= in SIZES, a letter or a number; 0 if it is not there. */
static double value_of(const char *name, const char *sizes)
{
    size_t length = strlen(name);
    for (const char *at = sizes; (at = strstr(at, name)); at++)
        if (at[length] == '=' && (at == sizes || at[-1] == ' '))
            return at[length + 1] >= 'A' ? at[length + 1] : strtod(at + length + 1, NULL);
    return 0;
}

/* The count of one call; SIZES: "m=5 n=3 side=L". */
static struct count count_of(const char *name, const char *sizes)
{
    struct kt_values values = {0};
    const struct kt_routine *r = kt_table_find(&kt_spec_table, name);
    assert_non_null(r);
    assert_true(r->mul.count && r->add.count);
    for (int i = 0; i < r->args; i++)
        values.v[i] = value_of(r->arg[i].name, sizes);
    return (struct count){kt_expr_eval(&r->mul, values.v), kt_expr_eval(&r->add, values.v)};
}

static void assert_count(const char *name, const char *sizes, struct count expected)
{
    struct count found = count_of(name, sizes);
    if (fabs(found.mul - expected.mul) > 1e-6 || fabs(found.add - expected.add) > 1e-6)
        fail_msg("%s %s: %g and %g, not %g and %g", name, sizes, found.mul, found.add, expected.mul, expected.add);
}

/* --- textbook algorithms ----------------------------------------------------------------------------------- */

static int min(int a, int b)
{
    return a < b ? a : b;
}

/* Divisions and square roots count as multiplications. */
static struct count lu(int m, int n)
{
    struct count c = {0};
    for (int k = 0; k < min(m, n); k++) {
        c.mul += 1; /* the reciprocal of the pivot */
        for (int i = k + 1; i < m; i++) {
            c.mul += 1 + (n - k - 1);
            c.add += n - k - 1;
        }
    }
    return c;
}

/* BAND subdiagonals; N - 1 of a full matrix. */
static struct count cholesky(int n, int band)
{
    struct count c = {0};
    for (int k = 0; k < n; k++) {
        int below = min(band, n - k - 1);
        c.mul += 1 + below + below * (below + 1) / 2;
        c.add += below * (below + 1) / 2;
    }
    return c;
}

static struct count triangular_solve(int n, int band, int rhs, bool unit)
{
    struct count c = {0};
    for (int k = 0; k < n; k++) {
        c.mul += rhs * (!unit + min(band, k));
        c.add += rhs * min(band, k);
    }
    return c;
}

static struct count triangular_inverse(int n)
{
    struct count c = {0};
    for (int j = 0; j < n; j++) { /* column j of the inverse: a triangular product, scaled */
        c.mul += 1 + j * (j + 1) / 2 + j;
        c.add += j * (j - 1) / 2;
    }
    return c;
}

/* Applying K reflectors, to be followed by shorter ones, to LENGTH by COUNT: v' * C, then C - v * (tau * v' * C). */
static struct count reflectors(int length, int count, int k)
{
    struct count c = {0};
    for (int i = 0; i < k; i++) {
        c.mul += count * (2 * (length - i) + 1);
        c.add += count * 2 * (length - i);
    }
    return c;
}

static struct count sum(struct count a, struct count b)
{
    return (struct count){a.mul + b.mul, a.add + b.add};
}

static struct count times(double factor, struct count a)
{
    return (struct count){factor * a.mul, factor * a.add};
}

/* --- exact counts ------------------------------------------------------------------------------------------ */

static void test_lu(void **state)
{
    (void)state;
    assert_count("dgetrf", "m=6 n=6", lu(6, 6));
    assert_count("dgetrf", "m=9 n=4", lu(9, 4));
    assert_count("dgetf2", "m=3 n=8", lu(3, 8));
    assert_count("dgetrs", "n=6 nrhs=2", sum(triangular_solve(6, 6, 2, true), triangular_solve(6, 6, 2, false)));
    assert_count("dgesv", "n=6 nrhs=2", sum(lu(6, 6), count_of("dgetrs", "n=6 nrhs=2")));
    struct count solve = triangular_solve(9, 2, 3, true); /* L; U has filled in to kl + ku superdiagonals */
    assert_count("dgbtrs", "n=9 kl=2 ku=1 nrhs=3", sum(solve, triangular_solve(9, 3, 3, false)));
}

static void test_cholesky(void **state)
{
    (void)state;
    assert_count("dpotrf", "n=7", cholesky(7, 6));
    assert_count("dpptrf", "n=7", cholesky(7, 6));
    assert_count("dpbtrf", "n=9 kd=3", cholesky(9, 3));
    assert_count("dpbtrf", "n=9 kd=0", cholesky(9, 0));
    assert_count("dpotrs", "n=7 nrhs=3", times(2, triangular_solve(7, 7, 3, false)));
    assert_count("dpbtrs", "n=9 kd=2 nrhs=3", times(2, triangular_solve(9, 2, 3, false)));
    assert_count("dposv", "n=7 nrhs=3", sum(cholesky(7, 6), times(2, triangular_solve(7, 7, 3, false))));
    assert_count("dpbsv", "n=9 kd=2 nrhs=1", sum(cholesky(9, 2), times(2, triangular_solve(9, 2, 1, false))));
    assert_count("dpttrf", "n=9", (struct count){2 * 8, 8});
    assert_count("dpttrs", "n=9 nrhs=2", (struct count){2 * (8 + 9 + 8), 2 * 16});
}

static void test_triangular(void **state)
{
    (void)state;
    assert_count("dtrtri", "n=6 diag=N", triangular_inverse(6));
    assert_count("dtrtrs", "n=6 nrhs=2 diag=N", triangular_solve(6, 6, 2, false));
    assert_count("dtrtrs", "n=6 nrhs=2 diag=U", triangular_solve(6, 6, 2, true));
    assert_count("dtbtrs", "n=9 kd=2 nrhs=2 diag=N", triangular_solve(9, 2, 2, false));
    assert_count("dtfsm", "m=6 n=2 side=L", triangular_solve(6, 6, 2, false));
    assert_count("dtfsm", "m=2 n=6 side=R", triangular_solve(6, 6, 2, false));
}

static void test_reflectors(void **state)
{
    (void)state;
    assert_count("dlarf", "m=7 n=5 side=L", reflectors(7, 5, 1));
    assert_count("dormqr", "m=9 n=4 k=3 side=L", reflectors(9, 4, 3));
    assert_count("dormlq", "m=9 n=4 k=9 side=L", reflectors(9, 4, 9));
    assert_true(count_of("dormqr", "m=4 n=9 k=3 side=R").add == reflectors(9, 4, 3).add);
    assert_count("dormtr", "m=9 n=4 side=L", reflectors(8, 4, 8));
    assert_count("dormhr", "m=9 n=4 ilo=2 ihi=8 side=L", reflectors(6, 4, 6));
}

/* --- leading terms ----------------------------------------------------------------------------------------- */

/* Operations per n^3 or, for a system, per n^2 in the limit: mul and add together. */
static const struct {
    const char *name, *sizes;
    double leading;
} known[] = {
    {"dgetri", "n=1e6", 4. / 3},
    {"dpotri", "n=1e6", 2. / 3},
    {"dlauum", "n=1e6", 1. / 3},
    {"dsytrf", "n=1e6", 1. / 3},
    {"dgeqrf", "m=1e6 n=1e6", 4. / 3},
    {"dgeqrf", "m=1e6 n=2e6", 10. / 3},
    {"dgelqf", "m=1e6 n=2e6", 10. / 3},
    {"dgeqlf", "m=2e6 n=1e6", 10. / 3},
    {"dgeqp3", "m=1e6 n=1e6", 4. / 3},
    {"dorgqr", "m=1e6 n=1e6 k=1e6", 4. / 3},
    {"dorgtr", "n=1e6", 4. / 3},
    {"dgels", "m=2e6 n=1e6 nrhs=1", 10. / 3},
    {"dgels", "m=1e6 n=2e6 nrhs=1", 10. / 3},
    {"dsytrd", "n=1e6", 4. / 3},
    {"dgebrd", "m=1e6 n=1e6", 8. / 3},
    {"dgehrd", "n=1e6 ilo=1 ihi=1e6", 10. / 3},
    {"dsygst", "n=1e6", 1},
    {"dgghrd", "n=1e6 ilo=1 ihi=1e6 compq=N compz=N", 8},
    {"dgghrd", "n=1e6 ilo=1 ihi=1e6 compq=I compz=I", 14},
    {"dtpqrt", "m=1e6 n=1e6 l=1e6 nb=1", 2. / 3},
    {"dtrsyl", "m=1e6 n=1e6", 2},
};

static void test_leading_terms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct count c = count_of(known[i].name, known[i].sizes);
        double leading = (c.mul + c.add) / 1e18;
        if (fabs(leading - known[i].leading) > 1e-4)
            fail_msg("%s %s: %g, not %g", known[i].name, known[i].sizes, leading, known[i].leading);
    }
}

/* Both sides of a condition on sizes say the same where they meet. */
static void test_square_from_both_sides(void **state)
{
    (void)state;
    static const char *const name[] = {"dgetrf", "dgeqrf", "dgelqf", "dgels", "dgebrd"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        double n = count_of(name[i], "m=1000 n=1000 nrhs=1").add;
        double tall = count_of(name[i], "m=1001 n=1000 nrhs=1").add;
        double wide = count_of(name[i], "m=1000 n=1001 nrhs=1").add;
        assert_true(n < tall && tall < 1.003 * n);
        assert_true(n < wide && wide < 1.003 * n);
    }
}

/* Where a real factor meets a complex one the count is of real operations. */
static void test_mixed(void **state)
{
    (void)state;
    struct kt_values values = {.v = {5, 2}};
    assert_true(kt_flops(kt_table_find(&kt_spec_table, "zpttrf"), &values) == 4 * (2 + 4));
    assert_true(kt_flops(kt_table_find(&kt_spec_table, "dpttrf"), &values) == 4 * 3);
}

/* Operand NAME of a double precision routine of which arguments are set as the table orders them. */
static struct kt_operand operand_of(const char *routine, const char *name, const struct kt_values *values)
{
    struct kt_symbol symbol;
    struct kt_operand operand[KT_MAX_OPERANDS];
    assert_true(kt_symbol_make(kt_table_find(&kt_spec_table, routine), KT_FORTRAN, &symbol));
    int count = kt_operands(&symbol, values, 4, operand);
    for (int i = 0; i < count; i++)
        if (operand[i].arg && !strcmp(operand[i].arg->name, name))
            return operand[i];
    fail_msg("%s has no %s", routine, name);
    return operand[0];
}

static void test_pentagonal_reflectors_from_both_sides(void **state)
{
    (void)state;
    struct kt_values values = {.v = {'L', 'N', 7, 5, 3, 0, 1, 0, 9, 0, 9, 0, 9, 0, 9}};
    struct kt_operand a = operand_of("dtpmqrt", "a", &values);
    assert_int_equal(a.rows, 3);
    assert_int_equal(a.cols, 5);
    values.v[0] = 'R';
    a = operand_of("dtpmqrt", "a", &values);
    assert_int_equal(a.rows, 7);
    assert_int_equal(a.cols, 3);
}

static void test_vectors_that_are_not_asked_for(void **state)
{
    (void)state;
    struct kt_values values = {.v = {'N', 'A', 4}};
    values.v[13] = 4;
    assert_int_equal(operand_of("dstevr", "z", &values).elements, 0);
    values.v[0] = 'V';
    assert_int_equal(operand_of("dstevr", "z", &values).elements, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lu),
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_triangular),
        cmocka_unit_test(test_reflectors),
        cmocka_unit_test(test_leading_terms),
        cmocka_unit_test(test_square_from_both_sides),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_pentagonal_reflectors_from_both_sides),
        cmocka_unit_test(test_vectors_that_are_not_asked_for),
    };
    return cmocka_run_group_tests_name("cost", tests, kt_spec_setup, kt_spec_teardown);
}
