/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules. To add one, write its row at the end, with a function where the arguments of the other call are not those
 * of the same names. tests/unit/test_rules.c calls both on libraries and compares the results.
 *
 * A rule must not change what the program gets but for rounding and signs of vectors; where it leaves something out,
 * such as a triangle, its words say so.
 */
#include "replay/advise/rules.h"

#include "replay/advise/padded.h"

#include <math.h>
#include <string.h>

enum { PAGE = 4096, PADDING = 8 };

/* --- products of one row or column ------------------------------------------------------------------------- */

/* Increment of a vector that is a column of op(X), which is stored with a leading dimension. */
static double increment(char trans, double ld)
{
    return trans == 'N' ? 1 : ld;
}

/* C, a column, is op(A) times a column of op(B). */
static bool column_of_product(const struct kt_call_form *from, struct kt_call_form *out)
{
    char a = kt_form_trans(from, "transa");
    char b = kt_form_trans(from, "transb");
    if (b == 'C')
        return false;
    kt_form_set(out, "trans", a);
    kt_form_set(out, "m", kt_form_get(from, a == 'N' ? "m" : "k"));
    kt_form_set(out, "n", kt_form_get(from, a == 'N' ? "k" : "m"));
    kt_form_take(out, "x", from, "b");
    kt_form_set(out, "incx", increment(b, kt_form_get(from, "ldb")));
    kt_form_take(out, "y", from, "c");
    kt_form_set(out, "incy", 1);
    return true;
}

/* C, a row, transposed is op(B)' times a column of op(A)'. */
static bool row_of_product(const struct kt_call_form *from, struct kt_call_form *out)
{
    char a = kt_form_trans(from, "transa");
    char b = kt_form_trans(from, "transb");
    if (a == 'C' || b == 'C')
        return false;
    kt_form_set(out, "trans", b == 'N' ? 'T' : 'N');
    kt_form_set(out, "m", kt_form_get(from, b == 'N' ? "k" : "n"));
    kt_form_set(out, "n", kt_form_get(from, b == 'N' ? "n" : "k"));
    kt_form_take(out, "a", from, "b");
    kt_form_take(out, "lda", from, "ldb");
    kt_form_take(out, "x", from, "a");
    kt_form_set(out, "incx", a == 'N' ? kt_form_get(from, "lda") : 1);
    kt_form_take(out, "y", from, "c");
    kt_form_set(out, "incy", kt_form_get(from, "ldc"));
    return true;
}

static bool gemv_of_gemm(const struct kt_call_form *from, struct kt_call_form *out)
{
    if (kt_form_is(from, "n", 1))
        return column_of_product(from, out);
    return kt_form_is(from, "m", 1) && row_of_product(from, out);
}

/* A product of a column and a row is added. */
static bool is_outer_product(const struct kt_call_form *from)
{
    return kt_form_is(from, "k", 1) && kt_form_is(from, "beta", 1) && kt_form_get(from, "m") > 1 &&
           kt_form_get(from, "n") > 1;
}

static bool ger_of_gemm(const struct kt_call_form *from, struct kt_call_form *out)
{
    char a = kt_form_trans(from, "transa");
    char b = kt_form_trans(from, "transb");
    bool conjugates = strstr(out->routine->name, "gerc");
    if (!is_outer_product(from) || a == 'C' || (b == 'C') != conjugates)
        return false;
    kt_form_take(out, "x", from, "a");
    kt_form_set(out, "incx", increment(a, kt_form_get(from, "lda")));
    kt_form_take(out, "y", from, "b");
    kt_form_set(out, "incy", b == 'N' ? kt_form_get(from, "ldb") : 1);
    kt_form_take(out, "a", from, "c");
    kt_form_take(out, "lda", from, "ldc");
    return true;
}

/* One operand is both factors, once transposed. */
static bool syrk_of_gemm(const struct kt_call_form *from, struct kt_call_form *out)
{
    char a = kt_form_trans(from, "transa");
    char b = kt_form_trans(from, "transb");
    bool same = kt_form_address(from, "a") == kt_form_address(from, "b") &&
                kt_form_get(from, "lda") == kt_form_get(from, "ldb");
    if (!same || (a == 'N') == (b == 'N') || a == 'C' || b == 'C' || kt_form_get(from, "m") != kt_form_get(from, "n") ||
        kt_form_get(from, "n") < 2)
        return false;
    kt_form_set(out, "uplo", 'L');
    kt_form_set(out, "trans", a);
    return true;
}

/* The other triangle is computed, and written, too. */
static bool gemm_of_syrk(const struct kt_call_form *from, struct kt_call_form *out)
{
    char trans = kt_form_trans(from, "trans");
    kt_form_set(out, "transa", trans);
    kt_form_set(out, "transb", trans == 'N' ? 'T' : 'N');
    kt_form_set(out, "m", kt_form_get(from, "n"));
    kt_form_take(out, "b", from, "a");
    kt_form_take(out, "ldb", from, "lda");
    return kt_form_get(from, "n") > 1;
}

/* --- one right-hand side ----------------------------------------------------------------------------------- */

static bool trsv_of_left(const struct kt_call_form *from, struct kt_call_form *out)
{
    kt_form_set(out, "trans", kt_form_trans(from, "transa"));
    kt_form_set(out, "n", kt_form_get(from, "m"));
    kt_form_set(out, "incx", 1);
    return kt_form_is(from, "n", 1);
}

/* A row times the inverse: the transposed system. */
static bool trsv_of_right(const struct kt_call_form *from, struct kt_call_form *out)
{
    char trans = kt_form_trans(from, "transa");
    kt_form_set(out, "trans", trans == 'N' ? 'T' : 'N');
    kt_form_set(out, "n", kt_form_get(from, "n"));
    kt_form_set(out, "incx", kt_form_get(from, "ldb"));
    return kt_form_is(from, "m", 1) && trans != 'C';
}

static bool trsv_of_trsm(const struct kt_call_form *from, struct kt_call_form *out)
{
    kt_form_take(out, "x", from, "b");
    if (!kt_form_is(from, "alpha", 1))
        return false;
    return kt_form_get(from, "side") == 'L' ? trsv_of_left(from, out) : trsv_of_right(from, out);
}

static bool trsv_of_trtrs(const struct kt_call_form *from, struct kt_call_form *out)
{
    kt_form_take(out, "x", from, "b");
    kt_form_set(out, "incx", 1);
    return kt_form_is(from, "nrhs", 1);
}

/* --- LAPACK ------------------------------------------------------------------------------------------------ */

static bool same_arguments(const struct kt_call_form *from, struct kt_call_form *out)
{
    (void)from;
    (void)out;
    return true;
}

/* A packed triangle as that of a matrix. */
static bool full_of_packed(const struct kt_call_form *from, struct kt_call_form *out)
{
    kt_form_take(out, "a", from, "ap");
    kt_form_set(out, "lda", fmax(1, kt_form_get(from, "n")));
    return true;
}

static bool gesdd_of_gesvd(const struct kt_call_form *from, struct kt_call_form *out)
{
    double u = kt_form_get(from, "jobu");
    kt_form_set(out, "jobz", u);
    return u == kt_form_get(from, "jobvt") && u != 'O';
}

/* All eigenvalues; vectors, if any, in a matrix of their own. */
static bool evr_of_ev(const struct kt_call_form *from, struct kt_call_form *out)
{
    double n = kt_form_get(from, "n");
    kt_form_set(out, "range", 'A');
    kt_form_set(out, "vl", -1);
    kt_form_set(out, "vu", 1);
    kt_form_set(out, "il", 1);
    kt_form_set(out, "iu", n);
    kt_form_set(out, "abstol", 0);
    kt_form_set(out, "ldz", n);
    return true;
}

/* --- layout ------------------------------------------------------------------------------------------------ */

/* Columns that begin at the same place of a page share the same few sets of the first cache, and more than one page
 * apart they need an entry of the TLB each. */
static bool is_critical(const struct kt_operand *operand)
{
    uint64_t bytes = (uint64_t)operand->ld * operand->elem;
    return bytes > PAGE && bytes % PAGE == 0;
}

static bool padded_columns(const struct kt_call_form *from, struct kt_call_form *out)
{
    struct kt_symbol symbol;
    struct kt_operand operand[KT_MAX_OPERANDS];
    bool any = false;
    if (!kt_symbol_make(from->routine, KT_FORTRAN, &symbol))
        return false;
    int count = kt_operands(&symbol, &from->values, sizeof(int32_t), operand);
    for (int i = 0; i < count; i++) {
        if (kt_padded_overlaps(operand, count, i))
            return false;
        if (!kt_padded_is_matrix(from->routine, &operand[i]) || !is_critical(&operand[i]))
            continue;
        kt_form_set(out, from->routine->arg[operand[i].arg->shape.step].name, (double)operand[i].ld + PADDING);
        any = true;
    }
    return any;
}

/* --- the table --------------------------------------------------------------------------------------------- */

#define ONE_VECTOR    "Make a matrix-vector call: one factor of this product is a vector."
#define OUTER         "Make a rank-1 update: this product of a column and a row is added to a matrix."
#define ONE_SIDE      "Solve for a vector: there is one right-hand side."
#define FULL_STORAGE  "Store the whole square in place of a packed triangle: twice the memory, and blocked code is used."
#define BLOCKED       "Call the blocked routine: this is the unblocked one that it uses inside."
#define CONQUER       "Call the divide-and-conquer driver; it needs a larger workspace."
#define MRRR          "Call the driver of relatively robust representations; vectors come in a matrix of their own."
#define ONE_FACTOR    "Call the driver that factorises once, with pivoting; it returns no singular values."
#define PYTHON_MRRR   "Use scipy.linalg.eigh, whose default is driver='evr'."
#define PYTHON_FACTOR "Use scipy.linalg.lstsq(lapack_driver='gelsy')."
#define PYTHON_VECTOR "Pass a vector of one dimension: A @ x, or scipy.linalg.blas.?gemv in place of ?gemm."

const struct kt_rule kt_rules[] = {
    {"vector", "gemm", "gemv", gemv_of_gemm, false, ONE_VECTOR, PYTHON_VECTOR},
    {"rank-1", "gemm", "ger", ger_of_gemm, false, OUTER, "Use scipy.linalg.blas.?ger with overwrite_a."},
    {"rank-1", "gemm", "geru", ger_of_gemm, false, OUTER, "Use scipy.linalg.blas.?geru with overwrite_a."},
    {"rank-1", "gemm", "gerc", ger_of_gemm, false, OUTER, "Use scipy.linalg.blas.?gerc with overwrite_a."},
    {"symmetric", "gemm", "syrk", syrk_of_gemm, false,
     "Both factors are the same matrix: compute one triangle, and copy it only where both are read.",
     "Write A @ A.T with one array A, or use scipy.linalg.blas.?syrk, which computes one triangle."},
    {"square", "syrk", "gemm", gemm_of_syrk, false,
     "Compute the whole square by ?gemm, where nobody needs what the other triangle holds.",
     "Use scipy.linalg.blas.?gemm in place of ?syrk, or A @ A.T.copy()."},
    {"one-side", "trsm", "trsv", trsv_of_trsm, false, ONE_SIDE, "Use scipy.linalg.blas.?trsv in place of ?trsm."},
    {"one-side", "trtrs", "trsv", trsv_of_trtrs, false, ONE_SIDE " It does not look for zeros on the diagonal.",
     "Use scipy.linalg.blas.?trsv in place of solve_triangular, which looks for zeros on the diagonal."},
    {"full", "pptrf", "potrf", full_of_packed, true, FULL_STORAGE,
     "Use cholesky or lapack.?potrf on the whole square."},
    {"full", "ppsv", "posv", full_of_packed, true, FULL_STORAGE, "Use solve(assume_a='pos') on the whole square."},
    {"full", "pptrs", "potrs", full_of_packed, true, FULL_STORAGE, "Use cho_solve on the whole square."},
    {"full", "sptrf", "sytrf", full_of_packed, true, FULL_STORAGE, "Use ldl or lapack.?sytrf on the whole square."},
    {"full", "spmv", "symv", full_of_packed, true, FULL_STORAGE, "Use scipy.linalg.blas.?symv."},
    {"full", "tpmv", "trmv", full_of_packed, true, FULL_STORAGE, "Use scipy.linalg.blas.?trmv."},
    {"full", "tpsv", "trsv", full_of_packed, true, FULL_STORAGE, "Use scipy.linalg.blas.?trsv."},
    {"conquer", "gesvd", "gesdd", gesdd_of_gesvd, true, CONQUER, "Use svd(lapack_driver='gesdd'), the default."},
    {"conquer", "syev", "syevd", same_arguments, true, CONQUER, "Use eigh(driver='evd')."},
    {"conquer", "heev", "heevd", same_arguments, true, CONQUER, "Use eigh(driver='evd')."},
    {"conquer", "gelss", "gelsd", same_arguments, true, CONQUER " It leaves no vectors in A.",
     "Use lstsq(lapack_driver='gelsd'), the default."},
    {"pivoted", "gelss", "gelsy", same_arguments, true, ONE_FACTOR, PYTHON_FACTOR},
    {"pivoted", "gelsd", "gelsy", same_arguments, true, ONE_FACTOR, PYTHON_FACTOR},
    {"robust", "syev", "syevr", evr_of_ev, true, MRRR, PYTHON_MRRR},
    {"robust", "syevd", "syevr", evr_of_ev, true, MRRR, PYTHON_MRRR},
    {"robust", "heev", "heevr", evr_of_ev, true, MRRR, PYTHON_MRRR},
    {"robust", "heevd", "heevr", evr_of_ev, true, MRRR, PYTHON_MRRR},
    {"blocked", "potf2", "potrf", same_arguments, false, BLOCKED, "Use cholesky or scipy.linalg.lapack.?potrf."},
    {"blocked", "getf2", "getrf", same_arguments, false, BLOCKED, "Use lu_factor or scipy.linalg.lapack.?getrf."},
    {"blocked", "geqr2", "geqrf", same_arguments, true, BLOCKED, "Use qr or scipy.linalg.lapack.?geqrf."},
    {"padding", NULL, NULL, padded_columns, true,
     "Give matrices leading dimensions that are no multiples of a page: 8 more elements here.",
     "Allocate 8 more columns (rows, in Fortran order) and use a slice of them."},
};
const size_t kt_rules_count = sizeof kt_rules / sizeof *kt_rules;

const struct kt_rule kt_rule_repeated = {
    "repeated",
    "gemv",
    "gemm",
    NULL,
    true,
    "The vectors lie in the columns or rows of one array: make one matrix product of these calls.",
    "Write A @ X with all vectors in one array X in place of a loop."};

const struct kt_rule kt_rule_inverse = {
    "inverse",
    "getri",
    "getrs",
    NULL,
    false,
    "Solve with the factors (?getrs) in place of the inverse and its product, unless the inverse itself is needed.",
    "Write solve(A, b), or lu_factor and lu_solve, in place of inv(A) @ b, unless the inverse itself is needed."};

static bool is_same_routine(const struct kt_rule *rule, const struct kt_call_form *from)
{
    return !rule->from || !strcmp(from->routine->name + 1, rule->from);
}

/* What is done with nothing differs: gemv leaves a result alone that gemm scales. */
static bool has_work(const struct kt_call_form *form)
{
    for (int i = 0; i < form->routine->args; i++)
        if (form->routine->arg[i].role == KT_SIZE && form->values.v[i] < 1)
            return false;
    return true;
}

bool kt_rule_apply(const struct kt_rule *rule, const struct kt_call_form *from, struct kt_call_form *out)
{
    if (!is_same_routine(rule, from) || !has_work(from))
        return false;
    if (rule->to && !kt_form_begin(from, rule->to, out))
        return false;
    if (!rule->to)
        *out = *from;
    return rule->make(from, out) && (!rule->to || kt_form_finish(out));
}
