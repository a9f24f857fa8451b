/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Predictions from costs that are known: the paper's weights, the combination by the tracker's distances, the sums that
 * bracket it, what is said of calls without a model.
 */
#include "model/predict/predicted.h"
#include "model/tracker/tracker.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Warm 1 s and cold 3 s for each call of dscal, for others only a time out of cache or nothing. */
static void costs(void *context, const struct kt_symbol *symbol, const struct kt_values *values, struct kt_costs *out)
{
    (void)context;
    (void)values;
    *out = (struct kt_costs){.warm = {1, 0.9, 1.2}, .cold = {3, 2.7, 3.6}};
    for (int i = 0; i < KT_MAX_CACHES; i++)
        out->level[i].seconds = NAN;
    if (!strcmp(symbol->routine->name, "daxpy")) {
        out->known_cold = KT_COST_EXTRAPOLATED;
        out->outside_warm = 0.5; /* of what is never in cache here */
        out->outside_cold = 0.25;
    }
    if (!strcmp(symbol->routine->name, "dcopy"))
        *out = (struct kt_costs){.known = KT_COST_UNKNOWN, .warm = {NAN, NAN, NAN}, .cold = {NAN, NAN, NAN}};
}

static struct kt_prediction_rules rules_of(enum kt_combination combination)
{
    struct kt_prediction_rules rules = {.combination = combination, .source = costs};
    rules.caches = (struct kt_caches){.cache = {{1 << 15, 1}, {1 << 20, 1}}, .count = 2, .line = 64};
    return rules;
}

/* Rows have symbols of their algorithms. */
static struct kt_algorithm *kept[16];
static int kept_count;

static int free_kept(void **state)
{
    (void)state;
    while (kept_count)
        kt_algorithm_free(kept[--kept_count]);
    return 0;
}

static struct kt_prediction predict(const char *body, const struct kt_prediction_rules *rules)
{
    char text[1024] = "algorithm x\nparameters n=1000000\nvector a(n)\nvector z(n)\n";
    struct kt_algorithm *a;
    struct kt_error error = {0};
    struct kt_prediction out = {0};
    const double n = 1000000;
    strcat(text, body);
    if (kt_algorithm_parse(text, "text", &a, &error) != KT_OK ||
        kt_predict_algorithm(a, &n, rules, &out, &error) != KT_OK)
        fail_msg("%s", error.text);
    kept[kept_count++] = a;
    return out;
}

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9g instead of %.9g", value, expected);
}

/* --- weights ----------------------------------------------------------------------------------------------- */

/* f(r) = tanh(w r), w = 4 inside and 2 outside of the cache. */
static void test_smoothing(void **state)
{
    (void)state;
    const double cache = 1 << 20;
    for (double d = 0; d < 4 * cache; d += 12345) {
        double r = (cache - d) / cache;
        near(kt_cached_share((uint64_t)d, 1 << 20), (1 + tanh((r >= 0 ? 4 : 2) * r)) / 2, 1e-12);
    }
}

static void test_weights(void **state)
{
    (void)state;
    const struct kt_operand operand[] = {{.elements = 100, .elem = 8}, {.elements = 300, .elem = 8}};
    const float share[2][KT_MAX_CACHES + 1] = {{1, 0, 0}, {0, 0.5, 0.5}};
    double weight[KT_MAX_CACHES + 1];
    kt_level_weights(operand, 2, share, 2, weight);
    near(weight[0], 0.25, 1e-9);
    near(weight[1], 0.375, 1e-9);
    near(weight[2], 0.375, 1e-9);
    kt_level_weights(operand, 0, share, 2, weight);
    near(weight[0], 1, 0);
}

static void test_combinations(void **state)
{
    (void)state;
    const double weight[KT_MAX_CACHES + 1] = {0.5, 0.25, 0.25};
    struct kt_prediction_rules rules = rules_of(KT_BY_PAPER);
    struct kt_costs c = {.warm = {1, 1, 1}, .cold = {3, 2, 4}, .level = {{NAN}, {NAN}, {NAN}, {NAN}}};
    near(kt_combine(&rules, &c, weight, 0).seconds, 1.5, 1e-12);
    near(kt_combine(&rules, &c, weight, 0).hi, 1.75, 1e-12);
    rules.combination = KT_BY_LEVEL; /* without latencies all caches are warm */
    near(kt_combine(&rules, &c, weight, 0).seconds, 1.5, 1e-12);
    rules.latency[0] = 1;
    rules.latency[1] = 11;
    rules.latency[2] = 101; /* the second level is a tenth of the way */
    near(kt_combine(&rules, &c, weight, 0).seconds, 0.5 + 0.25 * 1.2 + 0.75, 1e-12);
    c.level[1] = (struct kt_cost){2, 2, 2}; /* a model of its own */
    near(kt_combine(&rules, &c, weight, 0).seconds, 0.5 + 0.5 + 0.75, 1e-12);
}

/* What was timed warm and is larger than the last cache was in part in memory then, too. */
static void test_warm_is_as_far_as_its_size(void **state)
{
    (void)state;
    struct kt_prediction_rules rules = rules_of(KT_BY_LEVEL);
    struct kt_costs c = {.warm = {1, 1, 1}, .cold = {3, 3, 3}, .level = {{NAN}, {NAN}, {NAN}, {NAN}}};
    uint64_t last = rules.caches.cache[1].bytes;
    const struct kt_operand small = {.elements = 1, .elem = 8};
    const struct kt_operand large = {.elements = last / 8, .elem = 8};
    rules.latency[0] = 1;
    rules.latency[1] = 11;
    rules.latency[2] = 101;
    near(kt_warm_remoteness(&rules, &small, 1), 0, 1e-3);
    double warm = kt_warm_remoteness(&rules, &large, 1);
    near(warm, 0.5 + 0.5 * 0.1, 1e-3);                     /* half of it in the second level, half in memory */
    const double again[KT_MAX_CACHES + 1] = {0, 0.5, 0.5}; /* the same call a second time */
    near(kt_combine(&rules, &c, again, warm).seconds, 1, 1e-2);
    const double memory[KT_MAX_CACHES + 1] = {0, 0, 1};
    near(kt_combine(&rules, &c, memory, warm).seconds, 3, 1e-12);
    const double between[KT_MAX_CACHES + 1] = {0, 0.25, 0.75};
    near(kt_combine(&rules, &c, between, warm).seconds, 2, 2e-2);
    const double near_by[KT_MAX_CACHES + 1] = {1, 0, 0};
    near(kt_combine(&rules, &c, near_by, warm).seconds, 1, 1e-12);
}

/* --- sequences --------------------------------------------------------------------------------------------- */

static void test_near_and_far(void **state)
{
    (void)state;
    struct kt_prediction_rules rules = rules_of(KT_BY_PAPER);
    /* The second call of each pair finds what the first one used: 1000 elements are near, a million far beyond 1 MiB.
     */
    struct kt_prediction near_by = predict("dscal(1000, 2, a, 1)\ndscal(1000, 2, a, 1)\n", &rules);
    near(near_by.cost.seconds, 4, 0.01);
    near(near_by.row[0].cached, 1, 0.01);
    near(near_by.warm, 2, 1e-12);
    near(near_by.cold, 6, 1e-12);
    assert_int_equal(near_by.rows, 1);
    assert_int_equal(near_by.row[0].calls, 2);
    struct kt_prediction far = predict("dscal(n, 2, a, 1)\ndscal(n, 2, a, 1)\n", &rules);
    near(far.cost.seconds, 6, 0.01);
    /* At exactly the cache's size half of it counts as there. */
    struct kt_prediction half =
        predict("dscal(65536, 2, a, 1)\ndscal(65536, 2, z, 1)\ndscal(65536, 2, a, 1)\n", &rules);
    near(half.row[0].cached, 0.5, 0.01);
    kt_prediction_free(&near_by);
    kt_prediction_free(&far);
    kt_prediction_free(&half);
}

static void test_intervals(void **state)
{
    (void)state;
    struct kt_prediction_rules rules = rules_of(KT_BY_PAPER);
    struct kt_prediction one = predict("for i = 1, 4\ndscal(n-i, 2, a, 1)\nend\n", &rules);
    near(one.cost.hi - one.cost.seconds, 4 * 0.6, 0.02); /* the same model: errors add up */
    struct kt_prediction two = predict("for i = 1, 4\ndscal(n-i, 2, a, 1)\ndaxpy(n-i, 2, a, 1, z, 1)\nend\n", &rules);
    near(two.cost.hi - two.cost.seconds, sqrt(2) * 4 * 0.6, 0.02);
    near(two.cost.seconds - two.cost.lo, sqrt(2) * 4 * 0.3, 0.02);
    assert_int_equal(two.extrapolated, 4);
    near(two.worst_outside, 0.25, 0);
    kt_prediction_free(&one);
    kt_prediction_free(&two);
}

static void test_unknown(void **state)
{
    (void)state;
    struct kt_prediction_rules rules = rules_of(KT_BY_PAPER);
    struct kt_prediction p = predict("dcopy(10, a, 1, z, 1)\ndscal(n, 2, a, 1)\ndcopy(10, a, 1, z, 1)\n", &rules);
    near(p.cost.seconds, 3, 0.01);
    assert_int_equal(p.unknown, 2);
    assert_int_equal(p.calls, 3);
    assert_string_equal(p.row[0].symbol ? "" : "none", "");
    assert_int_equal(p.row[1].costs.known, KT_COST_UNKNOWN);
    assert_true(isnan(p.measured));
    json_t *json = kt_prediction_json(&p, 1);
    assert_int_equal(json_array_size(json_object_get(json, "calls")), 1);
    assert_int_equal(json_integer_value(json_object_get(json, "calls_left_out")), 1);
    assert_null(json_object_get(json, "measured"));
    json_decref(json);
    kt_prediction_free(&p);
}

/* Many shapes: the table grows. */
static void test_many(void **state)
{
    (void)state;
    struct kt_prediction_rules rules = rules_of(KT_BY_LEVEL);
    struct kt_prediction p = predict("for r = 1, 2\nfor i = 1, 5000\ndscal(i, 2, a, 1)\nend\nend\n", &rules);
    assert_int_equal(p.rows, 5000);
    assert_int_equal(p.calls, 10000);
    kt_prediction_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smoothing),    cmocka_unit_test(test_weights),
        cmocka_unit_test(test_combinations), cmocka_unit_test(test_warm_is_as_far_as_its_size),
        cmocka_unit_test(test_near_and_far), cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_unknown),      cmocka_unit_test(test_many),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, free_kept);
}
