/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of in-situ time must add up whatever the replays say, and a replayed shape must be found again.
 */
#include "model/decomposition.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct kt_context_times times(double insitu, double warm, double cold, double tracked)
{
    return (struct kt_context_times){.calls = 10,
                                     .total = 10 * insitu,
                                     .insitu = insitu,
                                     .warm = warm,
                                     .cold = cold,
                                     .tracked = tracked,
                                     .bound = NAN};
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) < 1e-9))
        fail_msg("%.17g instead of %.17g", a, b);
}

static void assert_parts(const struct kt_context_times *shape, double warm, double cache, double residual)
{
    struct kt_decomposition d;
    kt_decompose(shape, 1, &d);
    assert_int_equal(d.shapes, 1);
    assert_near(d.warm, warm);
    assert_near(d.cache, cache);
    assert_near(d.residual, residual);
    assert_near(d.warm + d.cache + d.residual, d.insitu);
}

static void test_between_warm_and_cold(void **state)
{
    (void)state;
    struct kt_context_times shape = times(3, 2, 5, NAN);
    assert_parts(&shape, 20, 10, 0);
}

static void test_slower_than_cold(void **state)
{
    (void)state;
    struct kt_context_times shape = times(9, 2, 5, NAN);
    assert_parts(&shape, 20, 30, 40);
}

static void test_faster_than_warm(void **state)
{
    (void)state;
    struct kt_context_times shape = times(1, 2, 5, NAN);
    assert_parts(&shape, 20, 0, -10);
}

static void test_cold_faster_than_warm(void **state)
{
    (void)state;
    struct kt_context_times shape = times(3, 2, 1.5, NAN);
    assert_parts(&shape, 20, 0, 10);
}

static void test_tracked_is_preferred(void **state)
{
    (void)state;
    struct kt_context_times shape = times(9, 2, 5, 3);
    assert_parts(&shape, 20, 10, 60);
    shape.cold = NAN;
    assert_parts(&shape, 20, 10, 60);
}

/* A few slow calls: the median does not see them, the total does. */
static void test_outliers_are_residual(void **state)
{
    (void)state;
    struct kt_context_times shape = times(3, 2, 5, NAN);
    shape.total = 100;
    assert_parts(&shape, 20, 10, 70);
}

static void test_not_replayed_is_left_out(void **state)
{
    (void)state;
    const struct kt_context_times shape[] = {times(3, 2, 5, NAN), times(3, NAN, 5, NAN), times(3, 2, NAN, NAN),
                                             times(NAN, 2, 5, NAN)};
    struct kt_decomposition d;
    kt_decompose(shape, 4, &d);
    assert_int_equal(d.shapes, 1);
    assert_near(d.calls, 10);
    assert_near(d.insitu, 30);
    assert_false(d.tracked);
}

static void test_nothing_replayed(void **state)
{
    (void)state;
    struct kt_decomposition d;
    kt_decompose(NULL, 0, &d);
    assert_int_equal(d.shapes, 0);
    assert_near(d.insitu, 0);
    assert_false(d.tracked);
}

static void test_bound_needs_every_shape(void **state)
{
    (void)state;
    struct kt_context_times shape[] = {times(3, 2, 5, 2.5), times(3, 2, 5, 2.5)};
    struct kt_decomposition d;
    shape[0].bound = 0.5;
    kt_decompose(shape, 2, &d);
    assert_true(isnan(d.bound) && isnan(d.library));
    assert_near(d.warm, 40);
    shape[1].bound = 1.5;
    kt_decompose(shape, 2, &d);
    assert_near(d.bound, 20);
    assert_near(d.library, 20);
    assert_true(d.tracked);
}

/* --- replay.json ------------------------------------------------------------------------------------------- */

static const char spec[] = "[blas1]\n?scal d cblas | dim:n scal:alpha io:x[n;incx] inc:incx | mul=n\n";

struct fixture {
    struct kt_table table;
    struct kt_entry entry;
    struct kt_shape_group group;
    unsigned char args[64];
};

static void set_parameter(struct fixture *f, const char *name, const void *value)
{
    const struct kt_symbol *symbol = &f->entry.symbol;
    for (int i = 0; i < symbol->params; i++)
        if (!strcmp(symbol->param[i].name, name))
            memcpy(f->args + symbol->param[i].offset, value, 8);
}

static int setup(void **state)
{
    static struct fixture fixture;
    static const struct kt_object library = {.path = "lib", .int_bytes = 4};
    struct kt_error error = {0};
    fixture = (struct fixture){.entry.library = &library};
    if (kt_table_parse(spec, "spec", &fixture.table, &error) != KT_OK)
        fail_msg("%s", error.text);
    assert_true(kt_symbol_make(&fixture.table.routine[0], KT_FORTRAN, &fixture.entry.symbol));
    set_parameter(&fixture, "n", &(int64_t){100});
    set_parameter(&fixture, "incx", &(int64_t){2});
    set_parameter(&fixture, "alpha", &(double){0.1});
    fixture.group.first = (struct kt_call){.entry = &fixture.entry, .args = fixture.args};
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    kt_table_free(&f->table);
    return 0;
}

static struct kt_replayed load(const char *text)
{
    struct kt_replayed replayed;
    struct kt_error error = {0};
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    if (kt_replayed_from(document, "text", &replayed, &error) != KT_OK)
        fail_msg("%s", error.text);
    return replayed;
}

static void test_shape_is_found_again(void **state)
{
    struct fixture *f = *state;
    struct kt_context_times t = {.calls = 7};
    struct kt_replayed replayed =
        load("{\"shapes\": [{\"routine\": \"dscal\", \"args\": {\"incx\": 1, \"alpha\": 0.1, \"n\": 100}},"
             " {\"routine\": \"dscal\", \"args\": {\"incx\": 2, \"alpha\": 0.10000000000000001, \"n\": 100},"
             "  \"bound\": null, \"contexts\": {\"warm\": {\"best\": 1, \"median\": 2},"
             "  \"cold\": {\"best\": 3, \"median\": 4.5}, \"l2\": {}}}]}");
    const json_t *found = kt_replayed_find(&replayed, &f->group);
    assert_non_null(found);
    kt_replayed_times(found, &t);
    assert_near(t.warm, 2);
    assert_near(t.cold, 4.5);
    assert_true(isnan(t.tracked) && isnan(t.bound));
    assert_near(t.calls, 7);
    kt_replayed_free(&replayed);
}

static void test_other_arguments_are_another_shape(void **state)
{
    struct fixture *f = *state;
    struct kt_replayed replayed =
        load("{\"shapes\": [{\"routine\": \"dscal\", \"args\": {\"incx\": 2, \"alpha\": 0.2, \"n\": 100}}]}");
    assert_null(kt_replayed_find(&replayed, &f->group));
    kt_replayed_free(&replayed);
}

static void test_damaged_shapes_are_ignored(void **state)
{
    struct fixture *f = *state;
    struct kt_context_times t;
    struct kt_replayed replayed =
        load("{\"shapes\": [7, null, [], {}, {\"routine\": 3, \"args\": {}}, {\"routine\": \"dscal\", \"args\": 5},"
             " {\"routine\": \"dscal\", \"args\": {\"incx\": 2, \"alpha\": 0.1, \"n\": 100}, \"bound\": \"x\","
             "  \"contexts\": {\"warm\": 3, \"cold\": {\"median\": \"4\"}}}]}");
    const json_t *found = kt_replayed_find(&replayed, &f->group);
    assert_non_null(found);
    kt_replayed_times(found, &t);
    assert_true(isnan(t.warm) && isnan(t.cold) && isnan(t.tracked) && isnan(t.bound));
    kt_replayed_free(&replayed);
}

static void test_document_without_shapes(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "[]", "{\"shapes\": {}}", "{\"shapes\": 1}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct kt_replayed replayed;
        struct kt_error error = {0};
        assert_int_equal(kt_replayed_from(json_loads(texts[i], 0, NULL), "r.json", &replayed, &error), KT_BAD_INPUT);
        assert_non_null(strstr(error.text, "r.json"));
        kt_replayed_free(&replayed);
    }
}

static void test_trace_that_was_not_replayed(void **state)
{
    (void)state;
    struct kt_replayed replayed;
    struct kt_error error = {0};
    assert_int_equal(kt_replayed_load("/nowhere", &replayed, &error), KT_OK);
    assert_null(replayed.document);
    kt_replayed_free(&replayed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_warm_and_cold),
        cmocka_unit_test(test_slower_than_cold),
        cmocka_unit_test(test_faster_than_warm),
        cmocka_unit_test(test_cold_faster_than_warm),
        cmocka_unit_test(test_tracked_is_preferred),
        cmocka_unit_test(test_outliers_are_residual),
        cmocka_unit_test(test_not_replayed_is_left_out),
        cmocka_unit_test(test_nothing_replayed),
        cmocka_unit_test(test_bound_needs_every_shape),
        cmocka_unit_test_setup_teardown(test_shape_is_found_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_arguments_are_another_shape, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_shapes_are_ignored, setup, teardown),
        cmocka_unit_test(test_document_without_shapes),
        cmocka_unit_test(test_trace_that_was_not_replayed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
