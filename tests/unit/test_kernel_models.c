/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is asked of models and how they are kept: queries of calls through any interface, what a trace needs, the file.
 */
#include "model/kernels/kernel_needs.h"
#include "model/kernels/model_set.h"
#include "tests/parts/table_load.h"
#include "tests/parts/tracegen.h"
#include "trace/base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/timing.h"

#define SPEC "trace/routines"

/* --- queries ----------------------------------------------------------------------------------------------- */

/* WORDS: a value for each argument that is no array, in Fortran order; letters as 'X'. */
static struct kt_values values_of(const struct kt_routine *r, const double *word)
{
    struct kt_values v = {0};
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role != KT_ARRAY)
            v.v[i] = *word++;
    return v;
}

struct query_case {
    const char *routine;
    enum kt_view view;
    double word[10];
    const char *options, *sizes; /* what is asked for */
};

static void expect_query(const struct query_case *c, bool row_major)
{
    const struct kt_routine *r = kt_table_find(&kt_spec_table, c->routine);
    struct kt_symbol symbol;
    struct kt_model_query q;
    char text[64] = "";
    struct kt_values v = values_of(r, c->word);
    v.row_major = row_major;
    assert_true(kt_symbol_make(r, c->view, &symbol));
    assert_true(kt_model_query_of_call(&symbol, &v, &q));
    for (int a = 0; a < q.axes; a++)
        snprintf(text + strlen(text), sizeof text - strlen(text), a ? " %ld" : "%ld", (long)q.size[a]);
    assert_string_equal(q.routine, c->routine);
    assert_string_equal(q.options, c->options);
    assert_string_equal(text, c->sizes);
}

static void queries(void **state)
{
    (void)state;
    static const struct query_case cases[] = {
        {"dgemm", KT_FORTRAN, {'N', 'C', 100, 200, 300, 1, 100, 200, 0, 100}, "NT alpha=1 beta=0", "100 200 300"},
        {"zgemm", KT_FORTRAN, {'N', 'C', 100, 200, 300, 1, 100, 200, 0, 100}, "NC alpha=1 beta=0", "100 200 300"},
        {"dgemm", KT_CBLAS, {'N', 'T', 100, 200, 300, 1, 300, 300, 0, 200}, "NT alpha=1 beta=0", "100 200 300"},
        {"dtrsm", KT_FORTRAN, {'L', 'L', 'N', 'U', 64, 32, 2.5, 64, 64}, "LLN alpha=x", "64 32"},
        {"daxpy", KT_FORTRAN, {1000, -1, 1, 4}, "alpha=-1 incy=near", "1000"},
        {"dlaswp", KT_FORTRAN, {10, 100, 17, 48, 1}, "k1=1 incx=1", "10 32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_query(&cases[i], false);
}

/* Rows of a matrix of 1024 rows, which fall on each other in the first cache, tell nothing of those of one of 1000. */
static void classes_of_increments(void **state)
{
    (void)state;
    const double increment[] = {1, -1, 0, 7, 8, -1000, 512, 1024, -1024, 520};
    const char *const class[] = {"",         "incx=near", "incx=near", "incx=near", "incx=far",
                                 "incx=far", "incx=page", "incx=page", "incx=page", "incx=far"};
    for (size_t i = 0; i < sizeof increment / sizeof *increment; i++)
        expect_query(&(struct query_case){"dcopy", KT_FORTRAN, {100, increment[i], 1}, class[i], "100"}, false);
    expect_query(&(struct query_case){"zcopy", KT_FORTRAN, {100, 1, 4}, "incy=far", "100"}, false);
    expect_query(&(struct query_case){"scopy", KT_FORTRAN, {100, 512, 2048}, "incx=far incy=page", "100"}, false);
}

/* C' = B' A': what a row-major call is in column-major terms. */
static void row_major_queries(void **state)
{
    (void)state;
    static const struct query_case cases[] = {
        {"dgemm", KT_CBLAS, {'N', 'T', 100, 200, 300, 1, 300, 300, 0, 200}, "TN alpha=1 beta=0", "200 100 300"},
        {"dtrsm", KT_CBLAS, {'L', 'L', 'N', 'N', 64, 32, 1, 64, 32}, "RUN alpha=1", "32 64"},
        {"dgemv", KT_CBLAS, {'N', 100, 200, 1, 200, 1, 0, 3}, "T alpha=1 beta=0 incy=near", "200 100"},
        {"dsyrk", KT_CBLAS, {'U', 'N', 50, 60, 1, 60, 1, 50}, "LT alpha=1 beta=1", "50 60"},
        {"dger", KT_CBLAS, {10, 20, 1, 1, 2, 20}, "alpha=1 incx=near", "20 10"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_query(&cases[i], true);
}

static void no_query(void **state)
{
    (void)state;
    const struct kt_routine *r = kt_table_find(&kt_spec_table, "dgeqrf");
    struct kt_symbol symbol;
    struct kt_model_query q;
    const double geqrf[] = {100, 50, 100, -1, 0};
    struct kt_values v = values_of(r, geqrf);
    assert_true(kt_symbol_make(r, KT_FORTRAN, &symbol));
    assert_false(kt_model_query_of_call(&symbol, &v, &q)); /* asks for its workspace */
    v.v[r->args - 2] = 100;
    assert_true(kt_symbol_make(r, KT_LAPACKE, &symbol));
    v.row_major = true;
    assert_false(kt_model_query_of_call(&symbol, &v, &q));
}

/* --- needs ------------------------------------------------------------------------------------------------- */

static void add_need(struct kt_needs *needs, double m, double n)
{
    const double gemv[] = {'N', m, n, 1, 4000, 0, 1, 0, 0, 1};
    static struct kt_symbol symbol;
    const struct kt_routine *r = kt_table_find(&kt_spec_table, "dgemv");
    struct kt_values v = values_of(r, gemv);
    assert_true(kt_symbol_make(r, KT_FORTRAN, &symbol));
    kt_needs_add(needs, &symbol, &v, 1e-6, 1);
}

static void larger_of_two_sizes(void **state)
{
    (void)state;
    struct kt_needs needs = {0};
    add_need(&needs, 100, 100);
    assert_int_equal(kt_need_larger(&needs.need[0]), 0); /* squares tell nothing of others */
    add_need(&needs, 100, 50);
    assert_int_equal(kt_need_larger(&needs.need[0]), 1);
    add_need(&needs, 100, 101);
    assert_int_equal(kt_need_larger(&needs.need[0]), 0);
    kt_needs_free(&needs);
}

static void needs_of_a_trace(void **state)
{
    (void)state;
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_needs needs;
    struct kt_values v;
    struct kt_error error = {0};
    kt_gen_begin(&gen, SPEC, 42);
    int gemm = kt_gen_entry(&gen, "dgemm", KT_FORTRAN);
    int copy = kt_gen_entry(&gen, "dcopy", KT_FORTRAN);
    kt_gen_call(&gen,
                &(struct kt_gen_call){7, gemm, 0, 1000, 500000, "N T 20 30 40 1 0x1010 999 0x2028 999 0 0x3000 999"});
    kt_gen_call(&gen,
                &(struct kt_gen_call){7, gemm, 0, 600000, 200000, "N T 64 16 8 1 0x1000 64 0x2000 16 0 0x3000 64"});
    kt_gen_call(&gen, &(struct kt_gen_call){7, copy, 0, 900000, 100, "5 0x1000 1 0x2000 1"});
    kt_gen_end(&gen, true);
    assert_int_equal(kt_trace_open(gen.trace, &trace, &error), KT_OK);
    kt_needs_collect(&trace, 1u << KT_OUTERMOST, NULL, &needs);
    assert_int_equal(needs.count, 2);
    const struct kt_need *need = &needs.need[0];
    assert_string_equal(need->query.routine, "dgemm");
    assert_true(need->box.lo[0] == 20 && need->box.hi[0] == 64 && need->box.lo[2] == 8 && need->box.hi[2] == 40);
    assert_int_equal(need->uses, 2);
    kt_need_values(need, (const int64_t[]){100, 50, 1100, 0}, &v);
    assert_true(v.v[0] == 'N' && v.v[2] == 100 && v.v[3] == 50 && v.v[4] == 1100);
    assert_true(v.v[7] == 999); /* lda, as in the trace; ldb too; of 100 rows */
    /* In lines as most of the time; that call took longer than the other. */
    assert_true(v.address[6] % 64 == 0x10 && v.address[8] % 64 == 0x28 && v.address[11] % 64 == 0);
    kt_needs_free(&needs);
    kt_needs_collect(&trace, 1u << KT_OUTERMOST, "dcopy,dger", &needs);
    assert_int_equal(needs.count, 1);
    kt_needs_free(&needs);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

/* ALL: as many of the sizes 8, 16, 24 of each axis, in Fortran order, are legal together. */
static void expect_legal(const char *routine, const double *word, int all)
{
    const struct kt_routine *r = kt_table_find(&kt_spec_table, routine);
    struct kt_need need = {.routine = r, .values = values_of(r, word), .seconds = 1, .tight_seconds = 1};
    int argument[KT_MODEL_AXES];
    int axes = kt_model_axes_of(r, argument);
    int legal = 0;
    for (int i = 0; i < (axes == 2 ? 9 : 27); i++)
        legal += kt_need_is_legal(&need, (const int64_t[]){8 + i % 3 * 8, 8 + i / 3 % 3 * 8, 8 + i / 9 * 8, 0});
    assert_int_equal(legal, all);
}

/* What a model samples is what LAPACK allows. */
static void sizes_that_bound_each_other(void **state)
{
    (void)state;
    const double larft[] = {'F', 'C', 100, 32, 100, 32};
    expect_legal("dlarft", larft, 6); /* n >= k */
    const double larfb[] = {'L', 'T', 'F', 'C', 100, 60, 32, 100, 32, 100, 60};
    expect_legal("dlarfb", larfb, 18); /* m >= k */
    const double larfb_right[] = {'R', 'T', 'F', 'C', 100, 60, 32, 60, 32, 100, 100};
    expect_legal("dlarfb", larfb_right, 18); /* n >= k */
    const double ormqr[] = {'L', 'T', 100, 60, 32, 100, 100, 60, 0};
    expect_legal("dormqr", ormqr, 18); /* m >= k */
    const double orgqr[] = {100, 60, 32, 100, 60, 0};
    expect_legal("dorgqr", orgqr, 10); /* m >= n >= k */
    const double orglq[] = {32, 60, 32, 32, 32, 0};
    expect_legal("dorglq", orglq, 10); /* n >= m >= k */
    const double geqrt[] = {100, 60, 32, 100, 32, 0};
    expect_legal("dgeqrt", geqrt, 14); /* min(m, n) >= nb */
    const double geqrf[] = {100, 60, 100, 60, 0};
    expect_legal("dgeqrf", geqrf, 9);
}

/* --- the file ---------------------------------------------------------------------------------------------- */

static char path[64];

static struct kt_model_query gemv(int64_t m, int64_t n)
{
    return (struct kt_model_query){.routine = "dgemv", .options = "N alpha=1 beta=1", .axes = 2, .size = {m, n}};
}

/* Of a warm dgemv alone. */
static struct kt_models *example(void)
{
    struct kt_error error = {0};
    struct kt_models *models = kt_models_new(path, "library", "machine", "build");
    struct kt_model_query q = gemv(0, 0);
    assert_int_equal(kt_models_add_routine(models, kt_table_find(&kt_spec_table, "dgemv"), &error), KT_OK);
    struct kt_kernel_model *m = kt_models_add(models, &q, KT_MODEL_WARM);
    m->domain = (struct kt_box){{8, 8}, {64, 64}};
    strcpy(m->axis[0], "m");
    strcpy(m->axis[1], "n");
    m->region = kt_resize(NULL, 1, sizeof *m->region);
    m->regions = 1;
    *m->region = (struct kt_region){.box = m->domain, .frame = m->domain, .degree = {1, 1}, .coefficients = 4};
    m->region->fitted = true;
    m->region->coefficient = kt_resize(NULL, 4, sizeof(double));
    for (int i = 0; i < 4; i++)
        m->region->coefficient[i] = 1e-6 / (i + 1);
    m->point = kt_resize(NULL, 1, sizeof *m->point);
    m->point[m->points++] = (struct kt_point){.size = {8, 64}, .seconds = 1e-6, .noise = 0.01, .samples = 30};
    m->residues.period = 8;
    m->residues.shift[1][3] = 2.5;
    m->level[m->levels++] = 1;
    m->crossover = (struct kt_crossover){1e6, 1u << 1};
    m->is_searched = true;
    m->region->side = KT_BELOW;
    return models;
}

static void write_and_close(struct kt_models *models)
{
    struct kt_error error = {0};
    assert_int_equal(kt_models_write(models, &error), KT_OK);
    kt_models_close(models);
}

static void is_kept(void **state)
{
    (void)state;
    struct kt_error error = {0};
    struct kt_models *read;
    struct kt_model_answer before;
    struct kt_model_answer after;
    struct kt_models *models = example();
    struct kt_model_query q = gemv(32, 19);
    models->model[0].larger = 1;
    kt_models_ask(models, &q, KT_MODEL_WARM, &before);
    assert_int_equal(before.known, KT_MODEL_KNOWN);
    write_and_close(models);
    assert_int_equal(kt_models_read(path, &read, &error), KT_OK);
    kt_models_ask(read, &q, KT_MODEL_WARM, &after);
    assert_true(before.seconds == after.seconds && before.lo == after.lo && before.hi == after.hi);
    assert_non_null(kt_table_find(&read->table, "dgemv"));
    assert_null(kt_table_find(&read->table, "dgemm"));
    assert_int_equal(read->model[0].points, 1);
    assert_true(read->model[0].residues.shift[1][3] == 2.5);
    assert_true(read->model[0].is_searched && read->model[0].larger == 1);
    assert_true(read->model[0].crossover.product == 1e6 && read->model[0].crossover.axes == 1u << 1 &&
                read->model[0].region->side == KT_BELOW);
    kt_models_ask(read, &q, KT_MODEL_COLD, &after);
    assert_int_equal(after.known, KT_MODEL_UNKNOWN);
    strcpy(q.options, "T alpha=1 beta=1");
    assert_int_equal(kt_models_find(read, &q, KT_MODEL_WARM), -1);
    kt_models_close(read);
}

static void write_part(const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fwrite(text, 1, size, file);
    fclose(file);
}

/* Whatever is damaged is an error or gives models that can be asked; never more. */
static void survives(const char *text, size_t size, bool must_fail)
{
    struct kt_error error = {0};
    struct kt_models *models;
    struct kt_model_answer answer;
    struct kt_model_query q = gemv(32, 19);
    write_part(text, size);
    enum kt_status status = kt_models_read(path, &models, &error);
    if (status == KT_OK) {
        assert_false(must_fail);
        kt_models_ask(models, &q, KT_MODEL_WARM, &answer);
        kt_models_close(models);
        return;
    }
    assert_int_equal(status, KT_BAD_INPUT);
    assert_null(models);
    assert_non_null(strstr(error.text, path));
}

static void damaged_files(void **state)
{
    (void)state;
    static char text[16384];
    write_and_close(example());
    FILE *file = fopen(path, "r");
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    while (size && text[size - 1] != '}')
        size--;
    for (size_t i = 0; i < size; i += 5)
        survives(text, i, true);
    for (size_t i = 0; i < size; i += 3) {
        char kept = text[i];
        for (const char *c = i % 2 ? "9\"" : "-}"; *c; c++) {
            text[i] = *c;
            survives(text, size, false);
        }
        text[i] = kept;
    }
    survives(text, size, false);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A million answers in less than five seconds of processor time; it is about a fifth of a second. */
static void is_fast(void **state)
{
    (void)state;
    judges_times();
    struct kt_models *models = example();
    struct kt_model_query q = gemv(0, 0);
    struct kt_model_answer answer;
    double start = now();
    double sum = 0;
    for (int64_t i = 0; i < 1000000; i++) {
        q.size[0] = 8 + i % 50;
        q.size[1] = 8 + i % 41;
        kt_models_ask(models, &q, KT_MODEL_WARM, &answer);
        sum += answer.seconds;
    }
    assert_true(sum > 0);
    assert_true(now() - start < 5);
    print_message("# %.2f s\n", now() - start);
    kt_models_close(models);
}

static int setup(void **state)
{
    int file;
    strcpy(path, "/tmp/ktrace-models.XXXXXX");
    file = mkstemp(path);
    close(file);
    return kt_spec_setup(state);
}

static int teardown(void **state)
{
    unlink(path);
    return kt_spec_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries),
        cmocka_unit_test(row_major_queries),
        cmocka_unit_test(no_query),
        cmocka_unit_test(larger_of_two_sizes),
        cmocka_unit_test(needs_of_a_trace),
        cmocka_unit_test(is_kept),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(is_fast),
        cmocka_unit_test(sizes_that_bound_each_other),
        cmocka_unit_test(classes_of_increments),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
