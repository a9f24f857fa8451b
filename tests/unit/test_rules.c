/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules of advise: both forms of a call are made on a library, on the same data, and must give the same results; and
 * each rule leaves alone what it is not for.
 */
#include "replay/advise/repeated.h"
#include "replay/advise/rules.h"
#include "replay/call/call.h"
#include "replay/call/data.h"
#include "replay/call/library.h"
#include "trace/table/known.h"
#include "trace/table/operand.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { INT_BYTES = 4, ROW_MAJOR = 101, SLOTS = 32, SLOT = 1 << 18, WORDS = 16 };

static struct kt_library library;
static struct kt_data_pool *pool;
static char made[256];        /* the call that is being tested */
static unsigned char *memory; /* a slot for each argument of the recorded call, then of the other one */

struct call {
    struct kt_symbol symbol;
    struct kt_values values;
    unsigned char args[1024];
    struct kt_operand operand[KT_MAX_OPERANDS];
    int operands;
};

/* --- calls ------------------------------------------------------------------------------------------------- */

static void store(unsigned char *at, const struct kt_param *p, const struct kt_values *v, enum kt_role role)
{
    const double both[2] = {v->v[p->arg], v->imaginary[p->arg]};
    const float single[2] = {(float)both[0], (float)both[1]};
    int64_t wide = (int64_t)both[0];
    int32_t option = p->stored == KT_ENUM ? kt_cblas_value(role, (char)wide) : 0;
    if (p->stored == KT_ADDRESS)
        memcpy(at, &v->address[p->arg], sizeof v->address[p->arg]);
    else if (p->stored == KT_CHAR)
        *at = (unsigned char)wide;
    else if (p->stored == KT_ENUM)
        memcpy(at, &option, sizeof option);
    else if (p->stored == KT_INT)
        memcpy(at, &wide, sizeof wide);
    else
        memcpy(at, p->stored == KT_FLOAT || p->stored == KT_CFLOAT ? (const void *)single : both,
               kt_stored_bytes(p->stored));
}

static void encode(struct call *c)
{
    const int32_t layout = ROW_MAJOR;
    memset(c->args, 0, sizeof c->args);
    for (int i = 0; i < c->symbol.params; i++) {
        const struct kt_param *p = &c->symbol.param[i];
        if (p->arg == KT_ARG_LAYOUT)
            memcpy(c->args + p->offset, &layout, sizeof layout);
        else if (p->arg >= 0)
            store(c->args + p->offset, p, &c->values, c->symbol.routine->arg[p->arg].role);
    }
    c->operands = kt_operands(&c->symbol, &c->values, INT_BYTES, c->operand);
    for (int i = 0; i < c->operands; i++)
        assert_true(c->operand[i].hi - c->operand[i].base <= SLOT);
}

static void make_call(const struct call *c)
{
    uint64_t address[KT_MAX_OPERANDS];
    struct kt_by_reference cells;
    struct kt_parameters parameters;
    struct kt_returned returned;
    void *function = kt_library_symbol(&library, c->symbol.name, NULL);
    assert_non_null(function);
    for (int i = 0; i < c->operands; i++)
        address[i] = c->operand[i].base;
    kt_parameters_fill(&c->symbol, c->args, address, INT_BYTES, &cells, &parameters);
    kt_thunk_of (&c->symbol)(function, &parameters, &returned);
    assert_int_equal(kt_parameters_info(&c->symbol, &cells, &returned, INT_BYTES), 0);
}

/* "dgemm transa=N m=7 b=a": arguments by name; a letter is an option, and an array that of another one. */
static void parse(const char *text, struct call *out)
{
    char word[WORDS * 8];
    int used = 0;
    snprintf(made, sizeof made, "%s", text);
    *out = (struct call){.values = {.row_major = false}};
    assert_int_equal(sscanf(text, "%31s%n", word, &used), 1);
    bool row = !strncmp(word, "row:", 4);
    const struct kt_routine *r = kt_table_find(kt_known_routines(), row ? word + 4 : word);
    assert_non_null(r);
    assert_true(kt_symbol_make(r, row ? KT_CBLAS : KT_FORTRAN, &out->symbol));
    out->values.row_major = row;
    for (int i = 0; i < r->args; i++)
        out->values.address[i] = (uint64_t)(memory + (size_t)i * SLOT);
    for (text += used; sscanf(text, "%31s%n", word, &used) == 1; text += used) {
        char *value = strchr(word, '=') + 1;
        value[-1] = '\0';
        struct kt_call_form form = {.routine = r, .values = out->values};
        int arg = kt_form_find(&form, word);
        assert_true(arg >= 0);
        char *end;
        double number = strtod(value, &end);
        out->values.v[arg] = *end ? *value : number;
        if (r->arg[arg].role == KT_ARRAY)
            out->values.address[arg] = kt_form_address(&form, value);
        if (r->arg[arg].role == KT_SCALAR && kt_type_is_complex(r->type) && number != 0 && number != 1)
            out->values.imaginary[arg] = number / 2;
    }
    encode(out);
}

/* --- elements ---------------------------------------------------------------------------------------------- */

static unsigned char *element(const struct kt_operand *o, int64_t row, int64_t col)
{
    int64_t n = o->cols;
    int64_t at = row + col * o->ld;
    if (o->form == KT_FORM_PACKED)
        at = o->above > 0 ? row + col * (col + 1) / 2 : row + (2 * n - col - 1) * col / 2;
    if (o->form == KT_FORM_VECTOR)
        at = row * o->ld;
    if (o->form == KT_FORM_ARRAY)
        at = row;
    return (unsigned char *)o->base + at * (int64_t)o->elem;
}

static bool belongs(const struct kt_operand *o, int64_t row, int64_t col)
{
    return o->form == KT_FORM_VECTOR || o->form == KT_FORM_ARRAY || (row >= col - o->above && row <= col + o->below);
}

/* The element of FROM that corresponds to that one of TO: a vector is a row or a column. */
static unsigned char *same_element(const struct kt_operand *from, const struct kt_operand *to, int64_t row, int64_t col)
{
    if (from->cols > 1 && from->rows == 1 && to->cols == 1)
        return element(from, 0, row);
    return element(from, row, col);
}

static double part(const unsigned char *at, enum kt_type type, int imaginary)
{
    float single[2];
    double both[2];
    int32_t integer;
    bool is_single = type == KT_S || type == KT_C;
    memcpy(&integer, at, sizeof integer);
    if (type == KT_I)
        return imaginary ? 0 : integer;
    memcpy(single, at, is_single ? (size_t)(1 + imaginary) * sizeof *single : sizeof *single);
    memcpy(both, at, is_single ? 0 : (size_t)(1 + imaginary) * sizeof *both);
    return is_single ? (double)single[imaginary] : both[imaginary];
}

static double size_of(double x, bool up_to_sign)
{
    return up_to_sign ? fabs(x) : x;
}

static void compare(const struct kt_operand *from, const unsigned char *results, const struct kt_operand *to,
                    bool up_to_sign)
{
    enum kt_type type = to->arg->type;
    double most = type == KT_S || type == KT_C ? 2e-4 : 1e-10;
    for (int64_t col = 0; col < to->cols; col++)
        for (int64_t row = 0; row < to->rows; row++)
            for (int k = 0; k < 1 + kt_type_is_complex(type) && belongs(to, row, col) && belongs(from, row, col); k++) {
                double x = size_of(part(results + (same_element(from, to, row, col) - memory), type, k), up_to_sign);
                double y = size_of(part(element(to, row, col), type, k), up_to_sign);
                if (!(fabs(x - y) <= most * (1 + fabs(x))))
                    fail_msg("%s: %s[%d,%d]: %g, otherwise %g", made, to->name, (int)row, (int)col, x, y);
            }
}

/* --- both forms -------------------------------------------------------------------------------------------- */

static const struct kt_operand *operand_at(const struct call *c, uint64_t base)
{
    for (int i = 0; i < c->operands; i++)
        if (c->operand[i].base == base)
            return &c->operand[i];
    return NULL;
}

static void copy_elements(const struct kt_operand *from, const struct kt_operand *to)
{
    for (int64_t col = 0; col < to->cols; col++)
        for (int64_t row = 0; row < to->rows; row++)
            if (belongs(to, row, col))
                memcpy(element(to, row, col), element(from, row, col), to->elem);
}

/* The other call, with what is stored otherwise in the second half of the memory. BASE[i]: where operand I was. */
static void make_other(const struct call *from, const struct kt_rule *rule, const struct kt_call_form *form,
                       struct call *out, uint64_t base[KT_MAX_OPERANDS])
{
    *out = (struct call){.values = form->values};
    assert_true(kt_symbol_make(form->routine, KT_FORTRAN, &out->symbol));
    encode(out);
    for (int i = 0; i < out->operands; i++)
        base[i] = out->operand[i].base;
    for (int a = 0; a < form->routine->args; a++)
        if (form->routine->arg[a].role == KT_ARRAY && (rule->moves || !operand_at(from, out->values.address[a])))
            out->values.address[a] = (uint64_t)(memory + (size_t)(SLOTS + a) * SLOT);
    encode(out);
    for (int i = 0; i < out->operands; i++) {
        const struct kt_operand *was = operand_at(from, base[i]);
        if (was && was->base != out->operand[i].base && out->operand[i].access & KT_READ)
            copy_elements(was, &out->operand[i]);
    }
}

static bool is_named(const struct kt_call_form *form, const char *part)
{
    return strstr(form->routine->name, part) != NULL;
}

/* The signs of its vectors are its own. */
static bool is_driver(const struct kt_call_form *form)
{
    return is_named(form, "sdd") || is_named(form, "evd");
}

/* A matrix that drivers destroy holds nothing unless it holds vectors. */
static bool is_destroyed(const struct kt_call_form *form, const char *name)
{
    bool always = is_named(form, "gels") || is_named(form, "evr");
    return !strcmp(name, "a") && (always || (is_driver(form) && (char)kt_form_get(form, "jobz") != 'V'));
}

static void fill(const struct call *c)
{
    srand(1);
    for (size_t i = 0; i < (size_t)SLOTS * SLOT / sizeof(double); i += 1)
        ((double *)memory)[i] = 0.25;
    for (int i = 0; i < c->operands; i++)
        if (c->operand[i].access & KT_READ)
            kt_data_fill(pool, c->operand, c->operands, i);
}

static void check_results(const struct call *from, const struct kt_rule *rule, const struct kt_call_form *form)
{
    struct call other;
    uint64_t base[KT_MAX_OPERANDS];
    int compared = 0;
    size_t half = (size_t)SLOTS * SLOT;
    unsigned char *before = malloc(half);
    unsigned char *results = malloc(half);
    fill(from);
    memcpy(before, memory, half);
    make_call(from);
    memcpy(results, memory, half);
    memcpy(memory, before, half);
    make_other(from, rule, form, &other, base);
    make_call(&other);
    for (int i = 0; i < other.operands; i++) {
        const struct kt_operand *to = &other.operand[i];
        const struct kt_operand *was = operand_at(from, base[i]);
        if (!was || !(to->access & KT_WRITE) || to->access == KT_WORK || is_destroyed(form, to->name))
            continue;
        compare(was, results, to, is_driver(form));
        compared++;
    }
    assert_true(compared > 0);
    free(before);
    free(results);
}

/* --- tests ------------------------------------------------------------------------------------------------- */

/* A rule and a call that it is for; each with every type that has both routines. */
static const struct {
    const char *rule, *to, *types, *call;
} applies[] = {
    {"vector", "gemv", "sdcz", "gemm transa=N transb=N m=7 n=1 k=5 lda=9 ldb=6 ldc=8 alpha=1.5 beta=0.5"},
    {"vector", "gemv", "sdcz", "gemm transa=T transb=N m=7 n=1 k=5 lda=9 ldb=6 ldc=8 alpha=1 beta=0"},
    {"vector", "gemv", "sdcz", "gemm transa=C transb=N m=7 n=1 k=5 lda=9 ldb=6 ldc=8 alpha=1 beta=1"},
    {"vector", "gemv", "sdcz", "gemm transa=N transb=T m=7 n=1 k=5 lda=9 ldb=3 ldc=8 alpha=-1 beta=0.5"},
    {"vector", "gemv", "sd", "gemm transa=C transb=C m=7 n=1 k=5 lda=9 ldb=3 ldc=8 alpha=-1 beta=0.5"},
    {"vector", "gemv", "sdcz", "gemm transa=N transb=N m=1 n=6 k=5 lda=4 ldb=7 ldc=3 alpha=1.5 beta=0.5"},
    {"vector", "gemv", "sdcz", "gemm transa=T transb=N m=1 n=6 k=5 lda=8 ldb=7 ldc=3 alpha=1.5 beta=0"},
    {"vector", "gemv", "sdcz", "gemm transa=N transb=T m=1 n=6 k=5 lda=4 ldb=7 ldc=3 alpha=1.5 beta=1"},
    {"vector", "gemv", "sd", "gemm transa=T transb=C m=1 n=6 k=5 lda=9 ldb=7 ldc=3 alpha=1.5 beta=1"},
    {"vector", "gemv", "sdcz", "gemm transa=N transb=N m=1 n=1 k=33 lda=2 ldb=40 ldc=3 alpha=1.5 beta=1"},
    {"vector", "gemv", "sdcz", "row:gemm transa=N transb=N m=7 n=1 k=5 lda=9 ldb=3 ldc=4 alpha=1.5 beta=0.5"},
    {"vector", "gemv", "sdcz", "row:gemm transa=T transb=N m=7 n=1 k=5 lda=9 ldb=3 ldc=4 alpha=1 beta=0"},
    {"vector", "gemv", "sdcz", "row:gemm transa=N transb=T m=1 n=6 k=5 lda=9 ldb=8 ldc=7 alpha=1 beta=0.5"},
    {"vector", "gemv", "sdcz", "row:gemm transa=T transb=T m=1 n=6 k=5 lda=9 ldb=8 ldc=7 alpha=1 beta=1"},
    {"rank-1", "ger", "sd", "gemm transa=N transb=N m=7 n=6 k=1 lda=8 ldb=3 ldc=9 alpha=1.5 beta=1"},
    {"rank-1", "ger", "sd", "gemm transa=T transb=C m=7 n=6 k=1 lda=8 ldb=9 ldc=9 alpha=1.5 beta=1"},
    {"rank-1", "geru", "cz", "gemm transa=T transb=N m=7 n=6 k=1 lda=3 ldb=3 ldc=9 alpha=1.5 beta=1"},
    {"rank-1", "gerc", "cz", "gemm transa=N transb=C m=7 n=6 k=1 lda=8 ldb=9 ldc=9 alpha=1.5 beta=1"},
    {"rank-1", "ger", "sd", "row:gemm transa=N transb=N m=7 n=6 k=1 lda=3 ldb=8 ldc=9 alpha=1.5 beta=1"},
    {"symmetric", "syrk", "sdcz", "gemm b=a transa=N transb=T m=9 n=9 k=5 lda=11 ldb=11 ldc=10 alpha=1.5 beta=0"},
    {"symmetric", "syrk", "sdcz", "gemm b=a transa=T transb=N m=9 n=9 k=5 lda=7 ldb=7 ldc=10 alpha=1 beta=0"},
    {"symmetric", "syrk", "sd", "row:gemm b=a transa=N transb=T m=9 n=9 k=5 lda=7 ldb=7 ldc=10 alpha=1 beta=0"},
    {"symmetric", "syrk", "sd", "row:gemm b=a transa=C transb=N m=9 n=9 k=5 lda=11 ldb=11 ldc=10 alpha=1 beta=0"},
    {"square", "gemm", "sdcz", "syrk uplo=L trans=N n=9 k=5 lda=11 alpha=1.5 beta=0.5 ldc=10"},
    {"square", "gemm", "sdcz", "syrk uplo=U trans=T n=9 k=5 lda=7 alpha=1 beta=0 ldc=10"},
    {"square", "gemm", "sd", "row:syrk uplo=U trans=C n=9 k=5 lda=11 alpha=1 beta=0 ldc=10"},
    {"one-side", "trsv", "sdcz", "trsm side=L uplo=L transa=N diag=N m=9 n=1 lda=10 ldb=11 alpha=1"},
    {"one-side", "trsv", "sdcz", "trsm side=L uplo=U transa=C diag=U m=9 n=1 lda=10 ldb=11 alpha=1"},
    {"one-side", "trsv", "sdcz", "trsm side=R uplo=U transa=N diag=N m=1 n=9 lda=10 ldb=3 alpha=1"},
    {"one-side", "trsv", "sdcz", "trsm side=R uplo=L transa=T diag=U m=1 n=9 lda=10 ldb=3 alpha=1"},
    {"one-side", "trsv", "sdcz", "row:trsm side=L uplo=L transa=N diag=N m=9 n=1 lda=10 ldb=3 alpha=1"},
    {"one-side", "trsv", "sdcz", "row:trsm side=R uplo=L transa=T diag=N m=1 n=9 lda=10 ldb=11 alpha=1"},
    {"one-side", "trsv", "sdcz", "trtrs uplo=L trans=N diag=N n=9 nrhs=1 lda=10 ldb=11"},
    {"one-side", "trsv", "sdcz", "trtrs uplo=U trans=C diag=U n=9 nrhs=1 lda=10 ldb=11"},
    {"full", "potrf", "sdcz", "pptrf uplo=L n=9"},
    {"full", "potrf", "sdcz", "pptrf uplo=U n=70"},
    {"full", "posv", "sdcz", "ppsv uplo=U n=9 nrhs=2 ldb=10"},
    {"full", "potrs", "sdcz", "pptrs uplo=L n=9 nrhs=2 ldb=10"},
    {"full", "sytrf", "sdcz", "sptrf uplo=L n=9"},
    {"full", "sytrf", "sdcz", "sptrf uplo=U n=9"},
    {"full", "symv", "sd", "spmv uplo=U n=9 alpha=1.5 incx=2 beta=0.5 incy=3"},
    {"full", "symv", "sd", "row:spmv uplo=U n=9 alpha=1.5 incx=2 beta=0.5 incy=3"},
    {"full", "trmv", "sdcz", "tpmv uplo=U trans=T diag=N n=9 incx=2"},
    {"full", "trmv", "sd", "row:tpmv uplo=U trans=T diag=N n=9 incx=2"},
    {"full", "trsv", "sdcz", "tpsv uplo=L trans=N diag=U n=9 incx=1"},
    {"full", "trsv", "sd", "row:tpsv uplo=L trans=N diag=U n=9 incx=1"},
    {"conquer", "gesdd", "sdcz", "gesvd jobu=S jobvt=S m=12 n=9 lda=13 ldu=14 ldvt=10 lwork=2000"},
    {"conquer", "gesdd", "sdcz", "gesvd jobu=N jobvt=N m=9 n=12 lda=13 ldu=14 ldvt=10 lwork=2000"},
    {"conquer", "gesdd", "sdcz", "gesvd jobu=A jobvt=A m=10 n=10 lda=13 ldu=14 ldvt=10 lwork=2000"},
    {"conquer", "syevd", "sd", "syev jobz=V uplo=L n=40 lda=41 lwork=2000"},
    {"conquer", "syevd", "sd", "syev jobz=N uplo=U n=9 lda=10 lwork=2000"},
    {"conquer", "heevd", "cz", "heev jobz=N uplo=U n=9 lda=10 lwork=2000"},
    {"conquer", "gelsd", "sdcz", "gelss m=12 n=9 nrhs=2 lda=13 ldb=14 rcond=-1 lwork=2000"},
    {"pivoted", "gelsy", "sdcz", "gelss m=9 n=12 nrhs=2 lda=13 ldb=14 rcond=-1 lwork=2000"},
    {"pivoted", "gelsy", "sdcz", "gelsd m=9 n=9 nrhs=2 lda=13 ldb=14 rcond=-1 lwork=4000"},
    {"robust", "syevr", "sd", "syev jobz=V uplo=L n=40 lda=41 lwork=2000"},
    {"robust", "syevr", "sd", "syevd jobz=N uplo=U n=9 lda=10 lwork=2000 liwork=200"},
    {"robust", "heevr", "cz", "heev jobz=N uplo=U n=9 lda=10 lwork=2000"},
    {"robust", "heevr", "cz", "heevd jobz=V uplo=L n=9 lda=10 lwork=2000 lrwork=2000 liwork=200"},
    {"blocked", "potrf", "sdcz", "potf2 uplo=L n=80 lda=81"},
    {"blocked", "getrf", "sdcz", "getf2 m=80 n=70 lda=81"},
    {"blocked", "geqrf", "sdcz", "geqr2 m=80 n=70 lda=81"},
    {"padding", "gemm", "d", "gemm transa=N transb=T m=7 n=6 k=5 lda=1024 ldb=9 ldc=1536 alpha=1 beta=0.5"},
    {"padding", "gemm", "d", "row:gemm transa=N transb=T m=7 n=6 k=5 lda=1024 ldb=9 ldc=1536 alpha=1 beta=0.5"},
    {"padding", "gemm", "s", "gemm transa=N transb=T m=7 n=6 k=5 lda=2048 ldb=9 ldc=10 alpha=1 beta=0.5"},
    {"padding", "potrf", "d", "potrf uplo=L n=30 lda=1024"},
    {"padding", "gemv", "z", "gemv trans=T m=12 n=9 lda=512 alpha=1 incx=1 beta=0 incy=2"},
};

/* The rule of that name that applies to the call, with what it makes of it; NULL: none does. */
static const struct kt_rule *find_rule(const struct call *c, const char *name, struct kt_call_form *out)
{
    struct kt_call_form from;
    if (!kt_form_of_call(&c->symbol, c->args, &from))
        return NULL;
    for (size_t r = 0; r < kt_rules_count; r++)
        if ((!name || !strcmp(kt_rules[r].name, name)) && kt_rule_apply(&kt_rules[r], &from, out))
            return &kt_rules[r];
    return NULL;
}

/* "row:gemm ..." of type d: "row:dgemm ...". */
static void with_type(const char *call, char type, char *out, size_t size)
{
    bool row = !strncmp(call, "row:", 4);
    snprintf(out, size, "%s%c%s", row ? "row:" : "", type, row ? call + 4 : call);
}

static void test_both_forms_give_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof applies / sizeof *applies; i++)
        for (const char *type = applies[i].types; *type; type++) {
            char text[256];
            struct call call;
            struct kt_call_form other;
            with_type(applies[i].call, *type, text, sizeof text);
            parse(text, &call);
            const struct kt_rule *rule = find_rule(&call, applies[i].rule, &other);
            if (!rule)
                fail_msg("no rule %s for %s", applies[i].rule, text);
            assert_string_equal(other.routine->name + 1, applies[i].to);
            check_results(&call, rule, &other);
        }
}

static void test_rules_leave_others_alone(void **state)
{
    (void)state;
    static const char *const alone[] = {
        "dgemm transa=N transb=N m=7 n=2 k=5 lda=9 ldb=6 ldc=8 alpha=1.5 beta=0.5",
        "dgemm transa=N transb=N m=7 n=1 k=0 lda=9 ldb=6 ldc=8 alpha=1.5 beta=0.5",
        "dgemm transa=N transb=N m=0 n=1 k=5 lda=9 ldb=6 ldc=8 alpha=1.5 beta=0.5",
        "zgemm transa=N transb=C m=7 n=1 k=5 lda=9 ldb=6 ldc=8 alpha=1.5 beta=0.5",
        "zgemm transa=C transb=N m=1 n=7 k=5 lda=9 ldb=6 ldc=8 alpha=1.5 beta=0.5",
        "dgemm transa=N transb=N m=7 n=6 k=1 lda=9 ldb=6 ldc=8 alpha=1.5 beta=0",
        "zgemm transa=C transb=N m=7 n=6 k=1 lda=9 ldb=6 ldc=8 alpha=1.5 beta=1",
        "dgemm transa=N transb=T m=9 n=9 k=5 lda=9 ldb=9 ldc=9 alpha=1 beta=0",
        "dgemm b=a transa=N transb=N m=5 n=5 k=5 lda=9 ldb=9 ldc=9 alpha=1 beta=0",
        "dgemm b=a transa=N transb=T m=5 n=4 k=5 lda=9 ldb=9 ldc=9 alpha=1 beta=0",
        "dgemm b=a transa=N transb=T m=5 n=5 k=5 lda=9 ldb=8 ldc=9 alpha=1 beta=0",
        "zgemm b=a transa=N transb=C m=5 n=5 k=5 lda=9 ldb=9 ldc=9 alpha=1 beta=0",
        "dtrsm side=L uplo=L transa=N diag=N m=9 n=2 lda=10 ldb=11 alpha=1",
        "dtrsm side=L uplo=L transa=N diag=N m=9 n=1 lda=10 ldb=11 alpha=2",
        "dtrsm side=R uplo=L transa=N diag=N m=9 n=1 lda=10 ldb=11 alpha=1",
        "ztrsm side=R uplo=L transa=C diag=N m=1 n=9 lda=10 ldb=11 alpha=1",
        "dtrtrs uplo=L trans=N diag=N n=9 nrhs=2 lda=10 ldb=11",
        "dgesvd jobu=S jobvt=N m=12 n=9 lda=13 ldu=14 ldvt=10 lwork=2000",
        "dgesvd jobu=N jobvt=O m=12 n=9 lda=13 ldu=14 ldvt=10 lwork=2000",
        "dgesvd jobu=S jobvt=S m=12 n=9 lda=13 ldu=14 ldvt=10 lwork=-1",
        "dgesdd jobz=N m=12 n=9 lda=13 ldu=14 ldvt=10 lwork=2000",
        "dgels trans=N m=12 n=9 nrhs=2 lda=13 ldb=14 lwork=2000",
        "dgelsy m=12 n=9 nrhs=2 lda=13 ldb=14 rcond=-1 lwork=2000",
        "dsyrk uplo=L trans=N n=1 k=5 lda=11 alpha=1 beta=0 ldc=10",
        "dpotrf uplo=L n=30 lda=512",
        "dpotrf uplo=L n=30 lda=1032",
        "dgemv trans=N m=12 n=1 lda=1024 alpha=1 incx=1 beta=0 incy=1",
        "dgemm b=a transa=N transb=N m=5 n=5 k=5 lda=1024 ldb=1024 ldc=9 alpha=1 beta=0",
        "row:ztpsv uplo=L trans=C diag=N n=9 incx=1",
        "ddot n=9 incx=1 incy=1",
    };
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        struct call call;
        struct kt_call_form other;
        parse(alone[i], &call);
        const struct kt_rule *rule = find_rule(&call, NULL, &other);
        if (rule)
            fail_msg("%s applies to %s", rule->name, alone[i]);
    }
}

/* Every rule of the table has a call above. */
static void test_every_rule_is_tested(void **state)
{
    (void)state;
    for (size_t r = 0; r < kt_rules_count; r++) {
        size_t i = 0;
        while (i < sizeof applies / sizeof *applies && (strcmp(applies[i].rule, kt_rules[r].name) != 0 ||
                                                        (kt_rules[r].to && strcmp(applies[i].to, kt_rules[r].to) != 0)))
            i++;
        assert_true(i < sizeof applies / sizeof *applies);
    }
}

/* --- repeated calls ---------------------------------------------------------------------------------------- */

enum { VECTORS = 5, M = 7, N = 6, LD = 9 };

/* Vectors are columns, each LD behind the last one, or rows, with LD as their increment. */
static void check_repeated(char type, char trans, bool x_rows, bool y_rows)
{
    char text[256];
    struct call call;
    struct kt_call_form other;
    struct kt_repeated repeated = {.runs = 1, .calls = VECTORS, .each = VECTORS};
    snprintf(text, sizeof text, "%cgemv trans=%c m=%d n=%d lda=8 alpha=1.5 incx=%d beta=0.5 incy=%d", type, trans, M, N,
             x_rows ? LD : 1, y_rows ? LD : 1);
    parse(text, &call);
    assert_true(kt_form_of_call(&call.symbol, call.args, &repeated.first));
    repeated.dx = x_rows ? 1 : LD;
    repeated.dy = y_rows ? 1 : LD;
    bool possible = !(y_rows && trans == 'C' && kt_type_is_complex(repeated.first.routine->type));
    assert_int_equal(kt_repeated_product(&repeated, &other), possible);
    if (!possible)
        return;
    /* the product first: its operands are those of all calls */
    struct call product = {.values = other.values};
    assert_true(kt_symbol_make(other.routine, KT_FORTRAN, &product.symbol));
    encode(&product);
    size_t half = (size_t)SLOTS * SLOT;
    unsigned char *before = malloc(half);
    unsigned char *results = malloc(half);
    fill(&product);
    memcpy(before, memory, half);
    make_call(&product);
    memcpy(results, memory, half);
    memcpy(memory, before, half);
    size_t elem = call.operand[0].elem;
    for (int v = 0; v < VECTORS; v++) {
        make_call(&call);
        for (int i = 0; i < call.symbol.routine->args; i++) {
            call.values.address[i] += !strcmp(call.symbol.routine->arg[i].name, "x") ? (size_t)repeated.dx * elem : 0;
            call.values.address[i] += !strcmp(call.symbol.routine->arg[i].name, "y") ? (size_t)repeated.dy * elem : 0;
        }
        encode(&call);
    }
    const struct kt_operand *c = operand_at(&product, kt_form_address(&other, "c"));
    compare(c, results, c, false);
    free(before);
    free(results);
}

static void test_repeated_calls_are_one_product(void **state)
{
    (void)state;
    static const char letters[] = "NTC";
    for (const char *type = "sdcz"; *type; type++)
        for (const char *trans = letters; *trans; trans++)
            for (int rows = 0; rows < 4; rows++)
                check_repeated(*type, *trans, rows & 1, rows & 2);
}

static int set_up(void **state)
{
    (void)state;
    struct kt_error error = {0};
    pool = kt_data_pool_new();
    memory = aligned_alloc(4096, 2 * (size_t)SLOTS * SLOT);
    if (kt_library_find("openblas", &library, &error) != KT_OK &&
        kt_library_find("reference", &library, &error) != KT_OK)
        return -1;
    library.threads = 1;
    return kt_library_load(&library, &error) == KT_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules_leave_others_alone),
        cmocka_unit_test(test_every_rule_is_tested),
        cmocka_unit_test(test_both_forms_give_the_same),
        cmocka_unit_test(test_repeated_calls_are_one_product),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
