/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a right result is: relations of the table (trace/table/relation.h) on results that are computed here in another
 * way, right and wrong; guards; differences of results.
 */
#include "replay/right/difference.h"
#include "replay/right/residual.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 512, WRONG = 30 };

static const char specification[] =
    "mv d cblas | trans:trans dim:m dim:n scal:alpha in:a[m,n;lda] ld:lda in:x[trans=N?n:m;incx] inc:incx scal:beta "
    "upd(beta):y[trans=N?m:n;incy] inc:incy | check=y'~alpha*a^trans*x+beta*y\n"
    "tr d | uplo:uplo diag:diag dim:n in:a[n,n;lda;uplo;diag] ld:lda io:x[n] | check=tri(a)*x'~x;x'\n"
    "he z | uplo:uplo dim:n in:a[n,n;lda;uplo] ld:lda in:x[n] out:y[n] | check=y'~her(a)*x\n"
    "lu d | dim:n io:a[n,n;lda] ld:lda out:ipiv[n]:I | check=swap(ipiv')*unl(a')*upp(a')~a\n"
    "qr d | dim:n io:a[n,n;lda] ld:lda out:tau[n] | check=q(a',tau')*upp(a')~a\n"
    "ev d | dim:n in:a[n,n;lda] ld:lda out:wr[n] out:wi[n] out:v[n,n;lda] | check=a*v'~v'*pairs(wr',wi')\n"
    "any d | dim:n in:x[n] out:y[n] | check=[n>2]y'~x\n";

static struct kt_table table;

/* A call in two images of memory. */
struct call {
    double before[SIZE], after[SIZE];
    struct kt_symbol symbol;
    struct kt_operand operand[KT_MAX_OPERANDS];
    struct kt_scene scene;
};

static int unload(void **state)
{
    (void)state;
    kt_table_free(&table);
    return 0;
}

static int load(void **state)
{
    (void)state;
    struct kt_error error = {0};
    enum kt_status status = kt_table_parse(specification, "test", &table, &error);
    if (status != KT_OK)
        printf("# %s\n", error.text);
    return status == KT_OK ? 0 : -1;
}

static void set(struct call *c, const char *name, double value)
{
    for (int i = 0; i < c->symbol.routine->args; i++)
        if (!strcmp(c->symbol.routine->arg[i].name, name))
            c->scene.values.v[i] = value;
}

/* The array begins at that element of memory. */
static void put(struct call *c, const char *name, int element)
{
    for (int i = 0; i < c->symbol.routine->args; i++)
        if (!strcmp(c->symbol.routine->arg[i].name, name))
            c->scene.values.address[i] = 4096 + 8 * (uint64_t)element;
}

static struct call *begin(const char *routine, bool row_major)
{
    static struct call call;
    memset(&call, 0, sizeof call);
    assert_true(kt_symbol_make(kt_table_find(&table, routine), row_major ? KT_CBLAS : KT_FORTRAN, &call.symbol));
    call.scene.values.row_major = row_major;
    srand(1);
    for (int i = 0; i < SIZE; i++)
        call.before[i] = rand() / (double)RAND_MAX - 0.5;
    memcpy(call.after, call.before, sizeof call.after);
    return &call;
}

/* The residual of the first relation; below 0: it says nothing. */
static double residual(struct call *c)
{
    double found;
    c->scene.symbol = &c->symbol;
    c->scene.operand = c->operand;
    c->scene.operands = kt_operands(&c->symbol, &c->scene.values, 4, c->operand);
    c->scene.before = (struct kt_image){(unsigned char *)c->before, 4096, sizeof c->before};
    c->scene.after = (struct kt_image){(unsigned char *)c->after, 4096, sizeof c->after};
    const struct kt_relation *r = &c->symbol.routine->check->relation[0];
    return kt_relation_holds(&c->scene, r) && kt_residual(&c->scene, r, &found) ? found : -1;
}

/* --- products ---------------------------------------------------------------------------------------------- */

enum { M = 7, N = 5, LDA = 9, A = 0, X = 100, Y = 200 };

static struct call *matrix_vector(bool row_major, char trans, double beta)
{
    struct call *c = begin("mv", row_major);
    int to = trans == 'N' ? M : N;
    int from = trans == 'N' ? N : M;
    set(c, "m", M), set(c, "n", N), set(c, "lda", LDA), set(c, "incx", 2), set(c, "incy", -1);
    set(c, "trans", trans), set(c, "alpha", 1.5), set(c, "beta", beta);
    put(c, "a", A), put(c, "x", X), put(c, "y", Y);
    for (int i = 0; i < to; i++) {
        double sum = beta * c->before[Y + to - 1 - i];
        for (int j = 0; j < from; j++) {
            int row = trans == 'N' ? i : j;
            int col = trans == 'N' ? j : i;
            sum += 1.5 * c->before[A + (row_major ? row * LDA + col : row + col * LDA)] * c->before[X + 2 * j];
        }
        c->after[Y + to - 1 - i] = sum;
    }
    return c;
}

static void test_products(void **state)
{
    (void)state;
    for (int row_major = 0; row_major < 2; row_major++)
        for (const char *trans = "NT"; *trans; trans++) {
            double right = residual(matrix_vector(row_major, *trans, 0.5));
            assert_true(right >= 0 && right < 2);
            struct call *c = matrix_vector(row_major, *trans, 0.5);
            c->after[Y + 1] *= 1 + 1e-12;
            assert_true(residual(c) > WRONG);
        }
}

/* Where beta is 0 the old contents do not count, whatever they are. */
static void test_beta_0(void **state)
{
    (void)state;
    struct call *c = matrix_vector(false, 'N', 0);
    for (int i = 0; i < M; i++)
        c->before[Y + i] = NAN;
    double right = residual(c);
    assert_true(right >= 0 && right < 2);
    c->after[Y] = NAN;
    assert_true(residual(c) > 1e300);
}

/* A unit diagonal is not stored, and what is in its place does not count. */
static void test_triangle(void **state)
{
    (void)state;
    for (const char *diag = "NU"; *diag; diag++) {
        struct call *c = begin("tr", false);
        set(c, "uplo", 'U'), set(c, "diag", *diag), set(c, "n", N), set(c, "lda", LDA);
        put(c, "a", A), put(c, "x", X);
        for (int i = N - 1; i >= 0; i--) {
            double sum = c->before[X + i];
            for (int j = i + 1; j < N; j++)
                sum -= c->before[A + i + j * LDA] * c->after[X + j];
            c->after[X + i] = *diag == 'U' ? sum : sum / c->before[A + i + i * LDA];
        }
        assert_true(residual(c) >= 0 && residual(c) < 2);
        c->after[X + 2] += 1e-9;
        assert_true(residual(c) > WRONG);
    }
}

/* One triangle is stored, conjugated in the other; the diagonal is real, whatever is stored in its imaginary part. */
static void test_hermitian(void **state)
{
    (void)state;
    struct call *c = begin("he", false);
    set(c, "uplo", 'L'), set(c, "n", 2), set(c, "lda", 2);
    put(c, "a", A), put(c, "x", X), put(c, "y", Y);
    const double *a = c->before + A;
    const double *x = c->before + X;
    c->after[Y] = a[0] * x[0] + a[2] * x[2] + a[3] * x[3];
    c->after[Y + 1] = a[0] * x[1] + a[2] * x[3] - a[3] * x[2];
    c->after[Y + 2] = a[6] * x[2] + a[2] * x[0] - a[3] * x[1];
    c->after[Y + 3] = a[6] * x[3] + a[2] * x[1] + a[3] * x[0];
    assert_true(residual(c) >= 0 && residual(c) < 2);
    c->after[Y + 1] = -c->after[Y + 1];
    assert_true(residual(c) > WRONG);
}

/* --- factors ----------------------------------------------------------------------------------------------- */

static void store_integers(struct call *c, int element, int first, int second)
{
    const int both[] = {first, second};
    memcpy(&c->after[element], both, sizeof both);
}

/* (0 2; 4 6) = P (1 0; 0 1) (4 6; 0 2). */
static void test_lu(void **state)
{
    (void)state;
    struct call *c = begin("lu", false);
    set(c, "n", 2), set(c, "lda", 2);
    put(c, "a", A), put(c, "ipiv", X);
    memcpy(c->before + A, (const double[]){0, 4, 2, 6}, 4 * sizeof(double));
    memcpy(c->after + A, (const double[]){4, 0, 6, 2}, 4 * sizeof(double));
    store_integers(c, X, 2, 2);
    assert_true(residual(c) == 0);
    store_integers(c, X, 1, 2);
    assert_true(residual(c) > WRONG);
}

/* (3 .; 4 .) = H (-5 .): v = (1, 1/2), tau = 8/5. */
static void test_reflectors(void **state)
{
    (void)state;
    struct call *c = begin("qr", false);
    set(c, "n", 2), set(c, "lda", 2);
    put(c, "a", A), put(c, "tau", X);
    memcpy(c->before + A, (const double[]){3, 4, 1, 2}, 4 * sizeof(double));
    memcpy(c->after + A, (const double[]){-5, 0.5, -2.2, 0.4}, 4 * sizeof(double));
    memcpy(c->after + X, (const double[]){1.6, 0}, 2 * sizeof(double));
    assert_true(residual(c) >= 0 && residual(c) < 2);
    c->after[X] = 1.5;
    assert_true(residual(c) > WRONG);
}

/* A rotation has the eigenvalues cos +- i sin, with eigenvectors (1, -+ i). */
static void test_complex_pairs(void **state)
{
    (void)state;
    struct call *c = begin("ev", false);
    set(c, "n", 2), set(c, "lda", 2);
    put(c, "a", A), put(c, "wr", X), put(c, "wi", X + 2), put(c, "v", Y);
    memcpy(c->before + A, (const double[]){0.6, 0.8, -0.8, 0.6}, 4 * sizeof(double));
    memcpy(c->after + X, (const double[]){0.6, 0.6, 0.8, -0.8}, 4 * sizeof(double));
    memcpy(c->after + Y, (const double[]){1, 0, 0, -1}, 4 * sizeof(double));
    assert_true(residual(c) >= 0 && residual(c) < 2);
    c->after[Y + 3] = 1;
    assert_true(residual(c) > WRONG);
}

static void test_conditions(void **state)
{
    (void)state;
    struct call *c = begin("any", false);
    put(c, "x", X), put(c, "y", X);
    set(c, "n", 2);
    assert_true(residual(c) < 0);
    set(c, "n", 3);
    assert_true(residual(c) == 0);
    set(c, "n", 0);
    assert_true(residual(c) < 0);
}

/* --- the notation ------------------------------------------------------------------------------------------ */

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *check, *message;
    } wrong[] = {{"y'~b*x", "expected an argument"},
                 {"y'~tri(x", "expected ')'"},
                 {"y'~half(x)", "a part of an operand"},
                 {"[n>]y'", "at"},
                 {"[n>2y'", "expected ']'"},
                 {"y'~x^n^T", "expected mul="},
                 {"y'~n*x", "an array or a scalar"},
                 {"y'~x^Q", "T, H or an option"},
                 {"y;y;y;y;y;y;y;y;y", "fewer relations"},
                 {"y~x*x*x*x*x*x*x*x", "fewer factors"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[256];
        struct kt_table out;
        struct kt_error error = {0};
        snprintf(text, sizeof text, "f d | dim:n in:x[n] out:y[n] | check=%s\n", wrong[i].check);
        enum kt_status status = kt_table_parse(text, "test", &out, &error);
        if (status == KT_OK || !strstr(error.text, wrong[i].message))
            printf("# %s: %s\n", wrong[i].check, error.text);
        assert_int_equal(status, KT_BAD_INPUT);
        assert_non_null(strstr(error.text, wrong[i].message));
        kt_table_free(&out);
    }
}

/* --- guards ------------------------------------------------------------------------------------------------ */

static bool broken(struct call *c, int element, char *text)
{
    static double work[SIZE];
    const struct kt_image image = {(unsigned char *)work, 4096, sizeof work};
    residual(c);
    memcpy(c->after, c->before, sizeof c->after);
    c->after[element] += 1;
    return kt_guard_broken(&c->scene.before, &c->scene.after, &image, c->operand, c->scene.operands, text, 128);
}

static void test_guards(void **state)
{
    (void)state;
    static const struct {
        int element;
        const char *text;
    } place[] = {{Y, NULL},
                 {Y + M - 1, NULL},
                 {Y + M, "behind the end of y, 0 bytes"},
                 {Y - 1, "8 bytes before y"},
                 {A, "to a, which is only read"},
                 {A + LDA - 1, "row 8, column 0"},
                 {X + 1, "not referenced"}};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        char text[128] = "";
        bool found = broken(matrix_vector(false, 'N', 1), place[i].element, text);
        assert_true(found == (place[i].text != NULL));
        if (found)
            assert_non_null(strstr(text, place[i].text));
    }
}

/* --- differences ------------------------------------------------------------------------------------------- */

static struct kt_difference difference(struct call *c, int filling)
{
    struct kt_difference d;
    residual(c);
    kt_difference_find(&c->operand[2], &c->scene.before, &c->scene.after, filling, &d);
    return d;
}

static void test_differences(void **state)
{
    (void)state;
    struct call *c = matrix_vector(false, 'N', 1);
    memcpy(c->after, c->before, sizeof c->after);
    c->after[Y + 2] += 0.25;
    struct kt_difference d = difference(c, -1);
    assert_true(fabs(d.difference - 0.25) < 1e-15 && d.element == 2 && d.largest <= 0.5);
    c->after[Y + 4] = NAN;
    assert_true(difference(c, -1).difference > 1e300);
    c->before[Y + 4] = NAN; /* the reference has none either */
    assert_true(difference(c, -1).difference < 1);
    memset(&c->before[Y + 2], 0x3f, sizeof(double)); /* nor did it write that */
    assert_true(difference(c, 0x3f).difference == 0);
}

static void test_inputs_change_by_a_rounding(void **state)
{
    (void)state;
    struct call *c = matrix_vector(false, 'N', 1);
    uint64_t random = 1;
    residual(c);
    memcpy(c->after, c->before, sizeof c->after);
    kt_inputs_change(&c->operand[0], &c->scene.after, &random);
    for (int i = 0; i < LDA * N; i++) {
        double change = fabs(c->after[A + i] / c->before[A + i] - 1);
        assert_true(i % LDA < M ? change > 1e-16 && change < 5e-16 : change == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_beta_0),
        cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_hermitian),
        cmocka_unit_test(test_lu),
        cmocka_unit_test(test_reflectors),
        cmocka_unit_test(test_complex_pairs),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_inputs_change_by_a_rounding),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
