/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of in-situ time must add up whatever the replays say, and a replayed shape must be found again.
 */
#include "model/decomposition/replayed.h"
#include "model/plot/waterfall_plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct kt_time around(double value, double error)
{
    return (struct kt_time){value, value - error, value + error};
}

static const struct kt_time unknown = {NAN, NAN, NAN};

/* Per call; a bound of NAN is not known. Every interval is a tenth of a second to both sides. */
static struct kt_context_times times(double warm, double cold, double tracked, double bound)
{
    return (struct kt_context_times){.warm = isnan(warm) ? unknown : around(warm, 0.1),
                                     .cold = isnan(cold) ? unknown : around(cold, 0.1),
                                     .tracked = isnan(tracked) ? unknown : around(tracked, 0.1),
                                     .together = unknown,
                                     .alone = unknown,
                                     .bound = bound,
                                     .bound_cold = NAN};
}

/* Ten calls that all take as long. */
static struct kt_timed_calls ten(double insitu)
{
    return (struct kt_timed_calls){10, 10 * insitu, insitu, 0, 0};
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) < 1e-9))
        fail_msg("%.17g instead of %.17g", a, b);
}

static struct kt_decomposition decompose(const struct kt_context_times *shape, double insitu)
{
    struct kt_decomposition d = {0};
    struct kt_timed_calls calls = ten(insitu);
    kt_decomposition_add(&d, shape, &calls);
    kt_decomposition_finish(&d);
    return d;
}

/* What others beside a call cost it is taken from the residual, or from what is left whole; of others nothing is known.
 */
static void test_contention(void **state)
{
    (void)state;
    struct kt_context_times shape = times(2, 3, 2.5, 1);
    struct kt_decomposition without = decompose(&shape, 6);
    shape.together = around(5, 0.1);
    shape.alone = around(2, 0.1);
    struct kt_decomposition with = decompose(&shape, 6);
    assert_true(isnan(without.contention.value));
    assert_int_equal(with.in_company, 1);
    assert_near(without.residual.value, 35);
    assert_near(with.contention.value, 30);
    assert_near(with.residual.value, 5);
    assert_true(with.contention.lo < 29 && with.contention.hi > 31);
    shape.tracked = unknown;
    with = decompose(&shape, 6);
    assert_near(with.contention.value, 30);
    assert_near(with.unsplit.value, 10);
}

/* Of all calls: the last number of each row but that of the time in situ. */
static void test_the_waterfall_adds_up(void **state)
{
    (void)state;
    char path[] = "/tmp/ktrace-test-XXXXXX";
    char line[128];
    double sum = 0;
    struct kt_error error = {0};
    struct kt_context_times shape = times(2, 3, 2.5, 1);
    shape.together = around(4, 0.1);
    shape.alone = around(3, 0.1);
    const struct kt_parts parts = {.total.parts = decompose(&shape, 6)};
    close(mkstemp(path));
    assert_int_equal(kt_waterfall_csv(&parts, path, &error), KT_OK);
    FILE *file = fopen(path, "r");
    while (fgets(line, sizeof line, file)) {
        double seconds;
        if (!strstr(line, "in situ") && sscanf(line, "%*[^,],%*[^,],%lf", &seconds) == 1)
            sum += seconds;
    }
    fclose(file);
    unlink(path);
    assert_near(sum, 60);
}

/* They are a part of the residual, not one beside it; what they take is known where the cost of one is. */
static void test_page_faults(void **state)
{
    (void)state;
    struct kt_context_times shape = times(2, 3, 2.5, 1);
    struct kt_timed_calls calls = {10, 40, 4, 3000, 0};
    struct kt_decomposition d = {0};
    shape.fault = 1e-3;
    kt_decomposition_add(&d, &shape, &calls);
    assert_near(d.faults, 3000);
    assert_near(d.fault_seconds, 3);
    shape.fault = NAN;
    calls.faults = 0;
    kt_decomposition_add(&d, &shape, &calls);
    assert_near(d.fault_seconds, 3);
    calls.faults = 1;
    kt_decomposition_add(&d, &shape, &calls);
    assert_true(isnan(d.fault_seconds));
    kt_decomposition_finish(&d);
    assert_near(d.residual.value, 3 * 15);
}

/*
 * A call of 2 s warm, 2.5 tracked, recorded while the clock was 1.1 times slower, others left 1.2 times less of the
 * core and memory was 1.4 times slower: working takes 0.2 to 0.64 s longer, waiting 0.1 to 0.2. Besides, 3 s were lost.
 */
static void test_machine(void **state)
{
    (void)state;
    struct kt_context_times shape = times(2, 3, 2.5, 1);
    struct kt_timed_calls calls = {10, 40, 4, 0, 3};
    struct kt_decomposition d = {0};
    shape.slower = (struct kt_speed){1.1, 1.2, 1.4};
    struct kt_time machine = kt_decomposition_machine(&shape);
    assert_near(machine.lo, 0.2 + 0.1);
    assert_near(machine.hi, 0.64 + 0.2);
    assert_near(machine.value, 0.42 + 0.15);
    kt_decomposition_add(&d, &shape, &calls);
    kt_decomposition_finish(&d);
    assert_near(d.machine.value, 5.7 + 3);
    assert_near(d.machine.hi, 8.4 + 3);
    assert_near(d.lost, 3);
    assert_near(d.residual.value, 15);            /* it is a part of that */
    assert_true(kt_decomposition_is_unclear(&d)); /* 2.7 of 40 s to each side */
    shape.slower.wide = 1;
    d = (struct kt_decomposition){0};
    kt_decomposition_add(&d, &shape, &calls);
    kt_decomposition_finish(&d);
    assert_near(d.machine.value, 2 + 1.5 + 3);
    assert_false(kt_decomposition_is_unclear(&d));
}

/* A machine that was faster while recorded; without a tracked replay nothing waits; and of one shape nothing is known.
 */
static void test_machine_faster(void **state)
{
    (void)state;
    struct kt_context_times shape = times(2, 3, NAN, 1);
    struct kt_timed_calls calls = ten(2);
    struct kt_decomposition d = {0};
    shape.slower = (struct kt_speed){0.9, 0.8, 2};
    kt_decomposition_add(&d, &shape, &calls);
    struct kt_decomposition all = d;
    kt_decomposition_finish(&d);
    assert_near(d.machine.hi, -2);
    assert_near(d.machine.lo, 20 * (0.72 - 1));
    shape.slower = (struct kt_speed){0};
    kt_decomposition_add(&all, &shape, &calls);
    kt_decomposition_finish(&all);
    assert_true(isnan(all.machine.value));
    assert_false(kt_decomposition_is_unclear(&all));
    kt_decomposition_finish(&(struct kt_decomposition){0});
}

static double known(double part)
{
    return isnan(part) ? 0 : part;
}

static void assert_complete(const struct kt_decomposition *d)
{
    assert_near(d->warm.value + known(d->cache.value) + known(d->residual.value) + d->unsplit.value, d->insitu);
    if (!isnan(d->bound.value))
        assert_near(d->bound.value + d->library.value, d->warm.value);
}

static void test_all_parts(void **state)
{
    (void)state;
    struct kt_context_times shape = times(2, 5, 3, 0.5);
    struct kt_decomposition d = decompose(&shape, 4);
    assert_int_equal(d.shapes, 1);
    assert_int_equal(d.tracked, 1);
    assert_near(d.bound.value, 5);
    assert_near(d.library.value, 15);
    assert_near(d.cache.value, 10);
    assert_near(d.residual.value, 10);
    assert_near(d.unsplit.value, 0);
    assert_near(d.index, 2.0 / 3);
    assert_complete(&d);
}

/* Errors of independent replays add up as squares; the bound and what was measured in situ have none. */
static void test_intervals(void **state)
{
    (void)state;
    struct kt_context_times shape = times(2, 5, 3, 0.5);
    shape.warm.hi = 2.3;
    struct kt_decomposition d = decompose(&shape, 4);
    assert_near(d.bound.hi - d.bound.lo, 0);
    assert_near(d.library.hi, 15 + 3);
    assert_near(d.library.lo, 15 - 1);
    assert_near(d.cache.hi, 10 + sqrt(2));
    assert_near(d.cache.lo, 10 - sqrt(10));
    assert_near(d.residual.hi, 10 + 1);
    assert_near(d.residual.lo, 10 - 1);
}

static void test_intervals_of_two_shapes(void **state)
{
    (void)state;
    struct kt_context_times shape = times(2, 5, 3, 0.5);
    struct kt_timed_calls calls = ten(4);
    struct kt_decomposition d = {0};
    kt_decomposition_add(&d, &shape, &calls);
    kt_decomposition_add(&d, &shape, &calls);
    kt_decomposition_finish(&d);
    assert_near(d.library.value, 30);
    assert_near(d.library.hi - d.library.value, sqrt(2));
}

/* Without a tracked replay cache and residual are not guessed. */
static void test_untracked_is_not_split(void **state)
{
    (void)state;
    struct kt_context_times shape = times(2, 5, NAN, 0.5);
    struct kt_decomposition d = decompose(&shape, 4);
    assert_true(isnan(d.cache.value) && isnan(d.residual.value));
    assert_near(d.unsplit.value, 20);
    assert_near(d.cache_most, 30);
    assert_int_equal(d.tracked, 0);
    assert_complete(&d);
    shape.cold = unknown;
    d = decompose(&shape, 4);
    assert_near(d.unsplit.value, 20);
    assert_true(isnan(d.cache_most) && isnan(d.index));
}

static void test_tracked_and_untracked_together(void **state)
{
    (void)state;
    struct kt_context_times tracked = times(2, 5, 3, 0.5);
    struct kt_context_times untracked = times(2, 5, NAN, 0.5);
    struct kt_timed_calls calls = ten(4);
    struct kt_decomposition d = {0};
    kt_decomposition_add(&d, &tracked, &calls);
    kt_decomposition_add(&d, &untracked, &calls);
    kt_decomposition_finish(&d);
    assert_int_equal(d.tracked, 1);
    assert_near(d.cache.value, 10);
    assert_near(d.residual.value, 10);
    assert_near(d.unsplit.value, 20);
    assert_complete(&d);
}

/* A few slow calls: the median does not see them, the total does. */
static void test_outliers_are_residual(void **state)
{
    (void)state;
    struct kt_context_times shape = times(2, 5, 3, 0.5);
    struct kt_timed_calls calls = {10, 100, 3, 0, 0};
    struct kt_decomposition d = {0};
    kt_decomposition_add(&d, &shape, &calls);
    kt_decomposition_finish(&d);
    assert_near(d.residual.value, 70);
    assert_complete(&d);
}

static void test_bound_that_is_too_high(void **state)
{
    (void)state;
    struct kt_context_times within = times(2, 5, 3, 2.05);
    struct kt_decomposition d = decompose(&within, 4);
    assert_near(d.bound.value, 20);
    assert_near(d.library.value, 0);
    assert_near(d.odd[KT_ODD_BOUND], 0);
    assert_complete(&d);
    struct kt_context_times beyond = times(2, 5, 3, 3);
    d = decompose(&beyond, 4);
    assert_near(d.bound.value, 20);
    assert_near(d.library.value, 0);
    assert_near(d.odd[KT_ODD_BOUND], 40);
    assert_complete(&d);
}

static void test_tracked_faster_than_warm(void **state)
{
    (void)state;
    struct kt_context_times within = times(2, 5, 1.85, 0.5);
    struct kt_decomposition d = decompose(&within, 4);
    assert_near(d.cache.value, -1.5);
    assert_near(d.odd[KT_ODD_TRACKED], 0);
    struct kt_context_times beyond = times(2, 5, 1.5, 0.5);
    d = decompose(&beyond, 4);
    assert_near(d.cache.value, -5);
    assert_near(d.odd[KT_ODD_TRACKED], 40);
    assert_complete(&d);
}

static void test_faster_in_situ(void **state)
{
    (void)state;
    struct kt_context_times shape = times(2, 5, 3, 0.5);
    struct kt_decomposition d = decompose(&shape, 2.95);
    assert_near(d.residual.value, -0.5);
    assert_near(d.odd[KT_ODD_INSITU], 0);
    d = decompose(&shape, 1);
    assert_near(d.residual.value, -20);
    assert_near(d.odd[KT_ODD_INSITU], 10);
    shape.tracked = unknown;
    d = decompose(&shape, 1);
    assert_near(d.unsplit.value, -10);
    assert_near(d.odd[KT_ODD_INSITU], 10);
    assert_complete(&d);
}

/* A bound of bytes only does not say what is the library's: all of warm may be bound. Next to a shape whose operations
 * are counted only its own part is open. */
static void test_uncounted_operations(void **state)
{
    (void)state;
    struct kt_context_times shape = times(2, 3, 2.5, 0.5);
    struct kt_timed_calls calls = ten(3);
    struct kt_decomposition counted = decompose(&shape, 3);
    shape.uncounted = true;
    struct kt_decomposition d = decompose(&shape, 3);
    assert_near(d.library.value, 15);
    assert_near(d.undivided, 15);
    assert_near(d.bound.hi, counted.bound.hi + 15);
    assert_near(d.library.lo, counted.library.lo - 15);
    assert_near(d.library.hi, counted.library.hi);
    assert_near(d.warm.hi, counted.warm.hi);
    assert_true(kt_decomposition_is_undivided(d.undivided, d.insitu));
    struct kt_decomposition both = {0};
    kt_decomposition_add(&both, &shape, &calls);
    shape.uncounted = false;
    kt_decomposition_add(&both, &shape, &(struct kt_timed_calls){100, 300, 3, 0, 0});
    kt_decomposition_finish(&both);
    assert_near(both.undivided, 15);
    assert_false(kt_decomposition_is_undivided(both.undivided, both.insitu));
}

static void test_not_replayed_is_left_out(void **state)
{
    (void)state;
    struct kt_context_times good = times(2, 5, NAN, NAN);
    struct kt_context_times bad = times(NAN, 5, 3, NAN);
    struct kt_timed_calls calls = ten(3);
    struct kt_timed_calls none = {0, 0, NAN, 0, 0};
    struct kt_decomposition d = {0};
    kt_decomposition_add(&d, &good, &calls);
    kt_decomposition_add(&d, &bad, &calls);
    kt_decomposition_add(&d, &good, &none);
    kt_decomposition_finish(&d);
    assert_int_equal(d.shapes, 1);
    assert_near(d.insitu, 30);
}

static void test_nothing_replayed(void **state)
{
    (void)state;
    struct kt_decomposition d = {0};
    kt_decomposition_finish(&d);
    assert_int_equal(d.shapes, 0);
    assert_near(d.insitu, 0);
    assert_true(isnan(d.bound.value) && isnan(d.cache.value) && isnan(d.index));
}

static void test_bound_needs_every_shape(void **state)
{
    (void)state;
    struct kt_context_times with = times(2, 5, 2.5, 0.5);
    struct kt_context_times without = times(2, 5, 2.5, NAN);
    struct kt_timed_calls calls = ten(3);
    struct kt_decomposition d = {0};
    kt_decomposition_add(&d, &without, &calls);
    kt_decomposition_add(&d, &with, &calls);
    kt_decomposition_finish(&d);
    assert_true(isnan(d.bound.value) && isnan(d.library.value));
    assert_near(d.warm.value, 40);
    assert_complete(&d);
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
    struct kt_context_times t;
    struct kt_replayed replayed =
        load("{\"shapes\": [{\"symbol\": \"dscal_\", \"args\": {\"incx\": 1, \"alpha\": 0.1, \"n\": 100}},"
             " {\"symbol\": \"dscal_\", \"args\": {\"incx\": 2, \"alpha\": 0.10000000000000001, \"n\": 100},"
             "  \"bound\": 0.5, \"contexts\": {\"warm\": {\"best\": 1, \"median\": 2, \"lo\": 1.5, \"hi\": 3},"
             "  \"cold\": {\"best\": 3, \"median\": 4.5}, \"l2\": {}}}], \"page_fault\": 1e-6}");
    const json_t *found = kt_replayed_find(&replayed, &f->group);
    assert_non_null(found);
    kt_replayed_times(&replayed, found, &t);
    assert_near(t.warm.value, 2);
    assert_near(t.warm.lo, 1.5);
    assert_near(t.warm.hi, 3);
    assert_near(t.cold.value, 4.5);
    assert_near(t.cold.lo, 4.5);
    assert_near(t.bound, 0.5);
    assert_near(t.fault, 1e-6);
    assert_true(isnan(t.tracked.value) && isnan(t.bound_cold));
    kt_replayed_free(&replayed);
}

/* In place of a tracked replay one in sequence, but not the other way round. */
static void test_tracked_or_sequence(void **state)
{
    (void)state;
    struct kt_context_times t;
    json_t *shape =
        json_loads("{\"contexts\": {\"sequence\": {\"median\": 7}, \"tracked\": {\"median\": 3}}}", 0, NULL);
    kt_replayed_times(NULL, shape, &t);
    assert_near(t.tracked.value, 3);
    json_object_del(json_object_get(shape, "contexts"), "tracked");
    kt_replayed_times(NULL, shape, &t);
    assert_near(t.tracked.value, 7);
    json_decref(shape);
}

static void test_refusals(void **state)
{
    struct fixture *f = *state;
    struct kt_replayed replayed =
        load("{\"shapes\": [], \"interrupted\": true, \"not_replayed\": [{\"symbol\": \"dscal_\","
             " \"args\": {\"incx\": 2, \"alpha\": 0.1, \"n\": 100}, \"why\": \"it hangs\"}]}");
    assert_null(kt_replayed_find(&replayed, &f->group));
    assert_string_equal(kt_replayed_refusal(&replayed, &f->group), "it hangs");
    assert_true(kt_replayed_is_partial(&replayed));
    kt_replayed_free(&replayed);
}

static void test_other_arguments_are_another_shape(void **state)
{
    struct fixture *f = *state;
    struct kt_replayed replayed =
        load("{\"shapes\": [{\"symbol\": \"dscal_\", \"args\": {\"incx\": 2, \"alpha\": 0.2, \"n\": 100}}]}");
    assert_null(kt_replayed_find(&replayed, &f->group));
    kt_replayed_free(&replayed);
}

static void test_damaged_shapes_are_ignored(void **state)
{
    struct fixture *f = *state;
    struct kt_context_times t;
    struct kt_replayed replayed =
        load("{\"shapes\": [7, null, [], {}, {\"symbol\": 3, \"args\": {}}, {\"symbol\": \"dscal_\", \"args\": 5},"
             " {\"symbol\": \"dscal_\", \"args\": {\"incx\": 2, \"alpha\": 0.1, \"n\": 100}, \"bound\": \"x\","
             "  \"contexts\": {\"warm\": 3, \"cold\": {\"median\": \"4\"}}}]}");
    const json_t *found = kt_replayed_find(&replayed, &f->group);
    assert_non_null(found);
    kt_replayed_times(&replayed, found, &t);
    assert_true(isnan(t.warm.value) && isnan(t.cold.value) && isnan(t.tracked.value) && isnan(t.bound) &&
                isnan(t.fault));
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
    struct kt_files *files = kt_files_new("/nowhere");
    assert_int_equal(kt_replayed_load(NULL, files, &replayed, &error), KT_OK);
    assert_null(replayed.document);
    kt_replayed_free(&replayed);
    kt_files_close(files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine),
        cmocka_unit_test(test_machine_faster),
        cmocka_unit_test(test_all_parts),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_intervals_of_two_shapes),
        cmocka_unit_test(test_untracked_is_not_split),
        cmocka_unit_test(test_tracked_and_untracked_together),
        cmocka_unit_test(test_outliers_are_residual),
        cmocka_unit_test(test_contention),
        cmocka_unit_test(test_the_waterfall_adds_up),
        cmocka_unit_test(test_page_faults),
        cmocka_unit_test(test_bound_that_is_too_high),
        cmocka_unit_test(test_tracked_faster_than_warm),
        cmocka_unit_test(test_faster_in_situ),
        cmocka_unit_test(test_uncounted_operations),
        cmocka_unit_test(test_not_replayed_is_left_out),
        cmocka_unit_test(test_nothing_replayed),
        cmocka_unit_test(test_bound_needs_every_shape),
        cmocka_unit_test(test_tracked_or_sequence),
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shape_is_found_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_arguments_are_another_shape, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_shapes_are_ignored, setup, teardown),
        cmocka_unit_test(test_document_without_shapes),
        cmocka_unit_test(test_trace_that_was_not_replayed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
