/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Crossovers of functions that are known: what a search finds, when it goes on, and what models make of them.
 */
#include "model/build/crossover.h"

#include "tests/unit/known_functions.h"
#include "trace/base/memory.h"

#include <math.h>
#include <string.h>

/* Small products without packing, as OpenBLAS's dgemm. */
static const struct kt_crossover crossover = {1e6, 7};

static double with_crossover(const int64_t *s)
{
    double all = (double)s[0] * (double)s[1] * (double)s[2];
    return 1e-7 + all * (all > crossover.product ? 6e-11 : 3.6e-11);
}

/* The polynomials of boxes do not follow it, those of sides of boxes do. */
static void sides_of_a_crossover(void **state)
{
    struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    (void)state;
    rules.smallest = 128; /* as in builds that have little time, such as this test's */
    struct kt_kernel_model m = kt_known_model(3, 8, 512);
    kt_known_refine(&rules, with_crossover, &m);
    assert_true(kt_known_worst(&m, with_crossover, 8, 512, 24) > 0.1);
    kt_kernel_model_free(&m);

    m = kt_known_model(3, 8, 512);
    kt_domain_grow(&rules, &m, &m.domain);
    kt_domain_cross(&m, &crossover);
    assert_int_equal(m.regions, 2);
    assert_true(kt_known_refine(&rules, with_crossover, &m) <= 125);
    assert_int_equal(m.regions, 2);
    assert_true(kt_known_worst(&m, with_crossover, 8, 512, 24) < 1e-6);
    kt_kernel_model_free(&m);
}

/* What is split later has sides where the crossover goes through it, and nowhere else. */
static void sides_of_parts(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    (void)state;
    struct kt_kernel_model m = kt_known_model(3, 8, 512);
    kt_domain_grow(&rules, &m, &m.domain);
    kt_domain_cross(&m, &crossover);
    for (size_t i = 0; i < 40; i++)
        kt_refine_split(&rules, &m, i % m.regions);
    for (size_t i = 0; i < m.regions; i++)
        assert_int_equal(m.region[i].side != KT_BOTH, kt_box_side(&m.region[i].box, &crossover) == KT_BOTH);
    for (int64_t a = 8; a <= 512; a += 56)
        for (int64_t b = 8; b <= 512; b += 56) {
            const int64_t size[KT_MODEL_AXES] = {a, b, b};
            bool held = false;
            for (size_t i = 0; i < m.regions; i++)
                held = held || kt_region_holds(&m.region[i], &crossover, 3, size);
            assert_true(held);
        }
    kt_kernel_model_free(&m);
}

static void finds_a_step(void **state)
{
    (void)state;
    int64_t size[KT_CROSSOVER_LINE_MOST];
    double seconds[KT_CROSSOVER_LINE_MOST];
    int n = kt_crossover_line_sizes(8, 2000, size);
    assert_int_equal(n, KT_CROSSOVER_LINE_MOST - 1); /* there is nothing below 8 */
    assert_int_equal(size[0], 8);
    assert_int_equal(size[n - 2], 2000);
    assert_true(size[n - 1] > 2000);
    n = kt_crossover_line_sizes(160, 168, size);
    assert_int_equal(n, 4);
    assert_int_equal(size[0], 152);
    assert_int_equal(size[3], 176);
    for (int i = 0; i < n; i++)
        seconds[i] = 1e-9 * (double)size[i] * (size[i] > 160 ? 1.5 : 1);
    assert_float_equal(kt_crossover_line_step(size, seconds, n, 1), log(1.5), 1e-9);
    assert_float_equal(kt_crossover_roundest(983040, 1007616), 1e6, 0);
    assert_float_equal(kt_crossover_roundest(1e6, 1007616), 1e6, 0);
    assert_float_equal(kt_crossover_roundest(994000, 1e6), 999000, 0);
    assert_float_equal(kt_crossover_roundest(131000, 131073), 131000, 0);
}

/* --- searching --------------------------------------------------------------------------------------------- */

struct fed {
    kt_known *function;
    kt_known *at_first; /* of points that are timed for the first time; NULL: the same */
    struct kt_kernel_model *model;
    size_t samples;
    int rest; /* points that there still is time for */
    double (*noise)(const int64_t *size, bool again);
    bool (*possible)(const int64_t *size);
};

static bool is_possible(void *context, const int64_t *size)
{
    const struct fed *f = context;
    return !f->possible || f->possible(size);
}

static void feed(void *context, const int64_t *size)
{
    struct fed *f = context;
    bool is_known = kt_model_find_point(f->model, size) != NULL;
    kt_known *function = f->at_first && !is_known ? f->at_first : f->function;
    struct kt_point point = {.seconds = function(size), .samples = 1};
    assert_true(is_possible(f, size));
    if (f->rest-- <= 0)
        return;
    memcpy(point.size, size, (size_t)f->model->axes * sizeof *size);
    point.noise = f->noise ? f->noise(size, is_known) : 0;
    kt_model_set_point(f->model, &point);
    f->samples++;
}

/* What a search finds; SEARCH, if it is not NULL, as it ended. */
static double found(struct kt_kernel_model *m, struct fed *f, struct kt_crossover_search *search)
{
    struct kt_crossover_search s;
    f->model = m;
    kt_crossover_begin(m, &s);
    while (kt_crossover_go_on(&s, m, is_possible, feed, f) && f->rest > 0)
        ;
    kt_crossover_go_on(&s, m, is_possible, NULL, f);
    if (search)
        *search = s;
    return s.state == KT_CROSSOVER_KNOWN ? s.crossover.product : NAN;
}

enum { PLENTY = 1000 };

static struct kt_kernel_model sized(int axes, struct kt_box domain)
{
    return (struct kt_kernel_model){.axes = axes, .domain = domain};
}

static void finds_a_product(void **state)
{
    (void)state;
    struct fed f = {.function = with_crossover, .rest = PLENTY};
    struct kt_kernel_model m = sized(3, (struct kt_box){{2, 8, 8}, {1984, 256, 1984}});
    assert_float_equal(found(&m, &f, NULL), crossover.product, 0);
    assert_true(f.samples < 45);
    size_t samples = f.samples;
    assert_float_equal(found(&m, &f, NULL), crossover.product, 0); /* what is known is not asked again */
    assert_int_equal(f.samples, samples);
    kt_kernel_model_free(&m);
}

/* Wherever a search is cut short, it does not say that there is none, and ends as it would have. */
static void goes_on_later(void **state)
{
    (void)state;
    for (int cut = 1; cut < 40; cut++) {
        struct kt_crossover_search s;
        struct fed f = {.function = with_crossover, .rest = cut};
        struct kt_kernel_model m = sized(3, (struct kt_box){{2, 8, 8}, {1984, 256, 1984}});
        found(&m, &f, &s);
        bool known = s.state == KT_CROSSOVER_KNOWN;
        assert_true(known ? s.crossover.product == crossover.product : s.state < KT_CROSSOVER_KNOWN);
        f.rest = PLENTY;
        assert_float_equal(found(&m, &f, NULL), crossover.product, 0);
        kt_kernel_model_free(&m);
    }
}

static double smooth(const int64_t *s)
{
    return 3e-7 + 2e-11 * (double)s[0] * (double)s[1] * (double)s[2] + 1e-9 * (double)s[0];
}

/* At one size of an axis: boxes are split there. */
static double at_a_size(const int64_t *s)
{
    return smooth(s) * (s[0] > 320 ? 1.5 : 1);
}

/* As BLIS: at the smaller one it happens to be where the product would be the same if another size is larger. */
static double at_each_of_two(const int64_t *s)
{
    return smooth(s) * (s[0] >= 64 ? 1.2 : 1) * (s[0] >= 32 ? 1.12 : 1);
}

static double at_two_sizes(const int64_t *s)
{
    return smooth(s) * (s[0] * s[1] > 10000 ? 1.5 : 1);
}

/* As OpenBLAS multiplies by a transposed matrix. */
static double at_a_small_product(const int64_t *s)
{
    return smooth(s) * (s[1] * s[2] > 1200 ? 1.4 : 1);
}

/* Of some of the sizes: the others do not matter, whichever axis is the widest. */
static void finds_a_product_of_two(void **state)
{
    (void)state;
    const struct {
        kt_known *function;
        struct kt_box domain;
        struct kt_crossover is;
    } t[] = {
        {at_two_sizes, {{8, 8, 8}, {2000, 1000, 1000}}, {10000, 3}},
        {at_two_sizes, {{8, 8, 8}, {1000, 1000, 4000}}, {10000, 3}},
        {at_a_small_product, {{8, 8, 8}, {4000, 3000, 256}}, {1200, 6}},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct kt_crossover_search s;
        struct fed f = {.function = t[i].function, .rest = PLENTY};
        struct kt_kernel_model m = sized(3, t[i].domain);
        assert_float_equal(found(&m, &f, &s), t[i].is.product, 0);
        assert_int_equal(s.crossover.axes, t[i].is.axes);
        assert_true(f.samples < 90);
        kt_kernel_model_free(&m);
    }
}

static void finds_nothing_else(void **state)
{
    (void)state;
    static kt_known *const other[] = {smooth, at_a_size, at_each_of_two};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        struct fed f = {.function = other[i], .rest = PLENTY};
        struct kt_kernel_model m = sized(3, (struct kt_box){{8, 8, 8}, {2000, 1000, 1000}});
        assert_float_equal(found(&m, &f, NULL), 0, 0);
        kt_kernel_model_free(&m);
    }
}

/* A spell of another pace, which no noise tells, may look like a step, but not twice. */
static void believes_nothing_at_once(void **state)
{
    (void)state;
    struct fed f = {.function = smooth, .at_first = with_crossover, .rest = PLENTY};
    struct kt_kernel_model m = sized(3, (struct kt_box){{8, 8, 8}, {2000, 1000, 1000}});
    assert_float_equal(found(&m, &f, NULL), 0, 0);
    kt_kernel_model_free(&m);
}

static bool is_tall(const int64_t *size)
{
    return size[0] >= 4 * size[1];
}

static double of_two(const int64_t *s)
{
    double all = (double)s[0] * (double)s[1];
    return 1e-7 + all * (all > 20000 ? 2e-9 : 1e-9);
}

/* Other lines are found where one size has a narrow range, and where not all calls can be timed. */
static void checks_where_it_can(void **state)
{
    (void)state;
    struct fed f = {.function = with_crossover, .rest = PLENTY};
    struct kt_kernel_model m = sized(3, (struct kt_box){{8, 96, 8}, {2000, 104, 1000}});
    assert_float_equal(found(&m, &f, NULL), crossover.product, 0);
    kt_kernel_model_free(&m);
    f = (struct fed){.function = of_two, .rest = PLENTY, .possible = is_tall};
    m = sized(2, (struct kt_box){{8, 8}, {2000, 256}});
    assert_float_equal(found(&m, &f, NULL), 20000, 0);
    kt_kernel_model_free(&m);
}

static double much(const int64_t *size, bool again)
{
    (void)size, (void)again;
    return 0.2;
}

static double much_at_first(const int64_t *size, bool again)
{
    (void)size;
    return again ? 0 : 0.2;
}

static double much_at_8(const int64_t *size, bool again)
{
    (void)again;
    return size[0] == 8 ? 0.2 : 0;
}

static double from_16(const int64_t *s)
{
    return smooth(s) * (s[0] * s[1] * s[2] >= 16 * 88 * 88 ? 1.5 : 1);
}

/* Samples that are off by as much as a step are asked for again, and decide nothing, neither way, if they stay so. */
static void noise_decides_nothing(void **state)
{
    (void)state;
    const struct {
        kt_known *function;
        double (*noise)(const int64_t *size, bool again);
        enum kt_crossover_state end;
        double found;
    } t[] = {
        {smooth, much, KT_CROSSOVER_UNCERTAIN, NAN},
        {from_16, much_at_8, KT_CROSSOVER_UNCERTAIN, NAN},
        {smooth, much_at_first, KT_CROSSOVER_KNOWN, 0},
        {with_crossover, much_at_first, KT_CROSSOVER_KNOWN, 1e6},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct kt_crossover_search s;
        struct fed f = {.function = t[i].function, .rest = PLENTY, .noise = t[i].noise};
        struct kt_kernel_model m = sized(3, (struct kt_box){{8, 8, 8}, {2000, 1000, 1000}});
        double result = found(&m, &f, &s);
        assert_int_equal(s.state, t[i].end);
        if (!isnan(t[i].found))
            assert_float_equal(result, t[i].found, 0);
        kt_kernel_model_free(&m);
    }
}

/* --- models that have one ---------------------------------------------------------------------------------- */

static double product(const int64_t *s)
{
    return 1e-7 + 1e-10 * (double)s[0] * (double)s[1] * (double)s[2];
}

/* Where only the other side of a crossover is known, that is no knowledge of this one. */
static void beyond_the_crossover(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    struct kt_model_answer answer;
    (void)state;
    struct kt_kernel_model m = kt_known_model(3, 8, 512);
    kt_known_refine(&rules, product, &m);
    kt_domain_cross(&m, &crossover);
    for (size_t i = 0; i < m.regions; i++)
        if (m.region[i].side == KT_ABOVE) {
            free(m.region[i].coefficient);
            m.region[i].coefficient = NULL;
        }
    kt_kernel_model_ask(&m, (const int64_t[]){100, 100, 100, 0}, &answer);
    assert_int_equal(answer.known, KT_MODEL_KNOWN);
    kt_kernel_model_ask(&m, (const int64_t[]){100, 100, 125, 0}, &answer);
    assert_int_equal(answer.known, KT_MODEL_OUTSIDE);
    assert_true(fabs(answer.outside - 0.25) < 1e-12);
    kt_kernel_model_ask(&m, (const int64_t[]){200, 200, 200, 0}, &answer);
    assert_int_equal(answer.known, KT_MODEL_UNKNOWN);
    kt_kernel_model_free(&m);
}

/* A part of which hardly any size of the grid is on one side is known to the crossover. */
static void sides_with_few_sizes(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    const int64_t lo[] = {8, 128, 264};
    const int64_t hi[] = {264, 264, 512};
    (void)state;
    struct kt_kernel_model m = sized(3, (struct kt_box){{8, 128, 264}, {264, 264, 512}});
    kt_domain_grow(&rules, &m, &m.domain);
    kt_domain_cross(&m, &crossover);
    kt_known_refine(&rules, with_crossover, &m);
    for (int64_t a = lo[0]; a <= hi[0]; a += 8)
        for (int64_t b = lo[1]; b <= hi[1]; b += 24)
            for (int64_t c = lo[2]; c <= hi[2]; c += 40)
                assert_float_equal(kt_known_ask(&m, a, b, c) / with_crossover((const int64_t[]){a, b, c}), 1, 0.05);
    kt_kernel_model_free(&m);
}

/* What a side is cut into are those parts that have sizes on it. */
static void cut_side(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    const struct kt_box part[] = {{{8, 64, 8}, {240, 64, 64}}, {{8, 64, 64}, {240, 64, 240}}};
    (void)state;
    for (size_t side = 0; side < 2; side++) {
        struct kt_kernel_model m = sized(3, (struct kt_box){{8, 64, 8}, {240, 64, 240}});
        kt_domain_grow(&rules, &m, &m.domain);
        kt_domain_cross(&m, &crossover);
        assert_int_equal(m.regions, 2);
        kt_domain_cut(&m, side, part, 2);
        size_t other = 1 - side;
        enum kt_side own = m.region[other].side == KT_BELOW ? KT_ABOVE : KT_BELOW;
        assert_int_equal(m.regions, own == KT_BELOW ? 3 : 2); /* the first part is below the crossover */
        for (size_t i = 0; i < m.regions; i++)
            if (i != other)
                assert_int_equal(m.region[i].side, m.region[i].box.hi[2] == 64 ? KT_BOTH : own);
        kt_kernel_model_free(&m);
    }
}

/* Slices too grow once, whatever their sides. */
static void slices_with_sides_grow(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    (void)state;
    struct kt_kernel_model m = kt_known_model(3, 8, 256);
    kt_domain_grow(&rules, &m, &m.domain);
    kt_domain_add_slice(&rules, &m, (const int64_t[KT_MODEL_AXES]){0, 64, 0});
    kt_domain_cross(&m, &crossover);
    kt_known_refine(&rules, with_crossover, &m);
    assert_int_equal(m.regions, 4);
    kt_domain_grow(&rules, &m, &(struct kt_box){{8, 8, 8}, {512, 256, 256}});
    assert_int_equal(m.regions, 8);
    kt_kernel_model_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_step),         cmocka_unit_test(finds_a_product),
        cmocka_unit_test(goes_on_later),        cmocka_unit_test(finds_a_product_of_two),
        cmocka_unit_test(finds_nothing_else),   cmocka_unit_test(believes_nothing_at_once),
        cmocka_unit_test(checks_where_it_can),  cmocka_unit_test(noise_decides_nothing),
        cmocka_unit_test(sides_of_a_crossover), cmocka_unit_test(sides_of_parts),
        cmocka_unit_test(beyond_the_crossover), cmocka_unit_test(slices_with_sides_grow),
        cmocka_unit_test(sides_with_few_sizes), cmocka_unit_test(cut_side),
    };
    return cmocka_run_group_tests(tests, kt_known_open, kt_known_close);
}
