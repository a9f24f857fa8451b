/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Models of functions that are known: what the fit, the refinement and the residues make of them.
 */
#include "model/build/model_build.h"
#include "model/build/model_level.h"
#include "model/build/refine.h"
#include "model/build/tiles.h"
#include "model/build/residues.h"
#include "trace/base/memory.h"

#include "tests/unit/known_functions.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* --- the tests --------------------------------------------------------------------------------------------- */

static double cubic(const int64_t *s)
{
    double m = (double)s[0];
    double n = (double)s[1];
    return 1e-7 + 3e-9 * m + 2e-9 * m * n + 1e-10 * m * m * n + 5e-13 * m * m * m * n;
}

static double product(const int64_t *s)
{
    return 1e-7 + 1e-10 * (double)s[0] * (double)s[1] * (double)s[2] + 1e-9 * (double)s[0] * (double)s[1];
}

static void recovers_polynomials(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 1024);
    assert_int_equal(kt_known_refine(&rules, cubic, &m), 25);
    assert_int_equal(m.regions, 1);
    assert_true(kt_known_worst(&m, cubic, 8, 1024, 56) < 1e-9);
    kt_kernel_model_free(&m);
    m = kt_known_model(3, 8, 512);
    assert_int_equal(kt_known_refine(&rules, product, &m), 125);
    assert_true(kt_known_worst(&m, product, 8, 512, 24) < 1e-9);
    kt_kernel_model_free(&m);
}

static double triangle(const int64_t *s)
{
    double n = (double)s[0];
    double k = (double)s[1];
    return k > n ? NAN : 1e-7 + 1e-9 * n * k + 1e-11 * n * k * k + 5e-10 * k * k;
}

static double bent_triangle(const int64_t *s)
{
    double n = (double)s[0];
    double k = (double)s[1];
    return k > n ? NAN : 1e-7 + 1e-9 * n * pow(k, 1.5) + 1e-8 * sqrt(n) * k;
}

/* Half of the sizes are of no call; the other half is known as well as elsewhere. */
static void refines_a_triangle(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    double worst = 0;
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 512);
    kt_known_refine(&rules, bent_triangle, &m);
    for (int64_t n = 8; n <= 512; n += 8)
        for (int64_t k = 8; k <= n; k += 8)
            worst = fmax(worst, fabs(kt_known_ask(&m, n, k, 0) / bent_triangle((const int64_t[]){n, k}) - 1));
    print_message("# %d regions, worst error %.1f %%\n", (int)m.regions, 100 * worst);
    assert_true(worst < 0.1);
    kt_kernel_model_free(&m);
}

/* No more of a polynomial than samples can contradict: where k <= n, 15 points of a grid of 25 cannot tell 16 numbers.
 */
static void fits_what_is_there(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    struct kt_error error = {0};
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 264);
    int64_t at[KT_GRID_MOST];
    kt_domain_grow(&rules, &m, &m.domain);
    int n = kt_grid_axis(&rules, 8, 264, at);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            kt_known_add(&m, (const int64_t[]){at[i], at[j], 0, 0}, triangle((const int64_t[]){at[i], at[j]}), false);
    assert_int_equal(kt_refine_fit(&rules, kt_known_solver, &m, 0, &error), KT_OK);
    assert_true(m.region[0].coefficients < m.region[0].samples);
    for (int64_t k = 8; k <= 264; k += 16)
        assert_true(fabs(kt_known_ask(&m, 264, k, 0) / triangle((const int64_t[]){264, k}) - 1) < 1e-6);
    kt_kernel_model_free(&m);
}

/* Where the cache ends, memory is six times as slow. */
static double with_kink(const int64_t *s)
{
    double bytes = 8 * (double)s[0] * (double)s[1];
    return 1e-7 + bytes * 1e-10 + fmax(0, bytes - 1e6) * 5e-10;
}

static void refines_at_a_kink(void **state)
{
    struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 1024);
    size_t samples = kt_known_refine(&rules, with_kink, &m);
    double coarse = kt_known_worst(&m, with_kink, 8, 1024, 8);
    assert_true(m.regions > 4);
    assert_true(samples < 128 * 128 / 10);
    kt_kernel_model_free(&m);
    m = kt_known_model(2, 8, 1024);
    rules.bound = 0.01;
    assert_true(kt_known_refine(&rules, with_kink, &m) > samples);
    assert_true(kt_known_worst(&m, with_kink, 8, 1024, 8) < coarse);
    assert_true(coarse < 0.2);
    kt_kernel_model_free(&m);
}

/* Rough along one axis only. */
static double with_step(const int64_t *s)
{
    return 1e-7 + 1e-9 * (double)s[1] * (s[0] > 300 ? 3 : 1);
}

static void splits_along_the_rough_axis(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 1024);
    size_t samples = kt_known_refine(&rules, with_step, &m);
    assert_true(m.regions > 3);
    assert_true(samples < 25 + 10 * 25);
    for (size_t i = 0; i < m.regions; i++)
        assert_true(m.region[i].box.lo[1] == 8 && m.region[i].box.hi[1] == 1024);
    kt_kernel_model_free(&m);
}

static double two_paces(const int64_t *s)
{
    return s[0] <= 512 ? 1e-9 * (double)s[0] : 1e-6 + 3e-9 * (double)s[0];
}

/* As OpenBLAS' dsyrk where k is a multiple of 256. */
static double resonant(const int64_t *size)
{
    double n = (double)size[0];
    double k = (double)size[1];
    return 1e-9 * k * n * (n + (size[1] % 256 == 0 ? 26 : 1));
}

static double predicted_at(const struct kt_kernel_model *m, int64_t n, int64_t k)
{
    const int64_t size[KT_MODEL_AXES] = {n, k};
    struct kt_model_answer answer;
    kt_kernel_model_ask(m, size, &answer);
    return answer.seconds / resonant(size);
}

static void slices_are_apart(void **state)
{
    (void)state;
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    const int64_t at[KT_MODEL_AXES] = {0, 256};
    const int64_t pair[KT_MODEL_AXES] = {128, 512};
    const int64_t between[KT_MODEL_AXES] = {0, 250};
    struct kt_kernel_model m = kt_known_model(2, 8, 808);
    kt_domain_grow(&rules, &m, &m.domain);
    kt_domain_add_slice(&rules, &m, at);
    kt_domain_add_slice(&rules, &m, at);
    kt_domain_add_slice(&rules, &m, pair);
    kt_domain_add_slice(&rules, &m, between);
    assert_int_equal(m.regions, 3);
    kt_known_refine(&rules, resonant, &m);
    assert_true(fabs(predicted_at(&m, 200, 256) - 1) < 0.01);
    assert_true(fabs(predicted_at(&m, 200, 264) - 1) < 0.01);
    assert_true(fabs(predicted_at(&m, 600, 200) - 1) < 0.01);
    assert_true(fabs(predicted_at(&m, 128, 512) - 1) < 1e-6);
    assert_int_equal(kt_kernel_model_fixed(&m, (const int64_t[KT_MODEL_AXES]){128, 512}), 2);
    assert_int_equal(kt_kernel_model_fixed(&m, (const int64_t[KT_MODEL_AXES]){128, 256}), 1);
    assert_int_equal(kt_kernel_model_fixed(&m, (const int64_t[KT_MODEL_AXES]){128, 264}), 0);
    kt_kernel_model_free(&m);
}

/* Ends and middles of boxes are where slices often are: boxes are sampled beside them. */
static void boxes_beside_slices(void **state)
{
    (void)state;
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    struct kt_kernel_model m = kt_known_model(2, 8, 256);
    kt_domain_grow(&rules, &m, &m.domain);
    kt_domain_add_slice(&rules, &m, (const int64_t[KT_MODEL_AXES]){64, 256});
    kt_domain_add_slice(&rules, &m, (const int64_t[KT_MODEL_AXES]){0, 256});
    kt_domain_add_slice(&rules, &m, (const int64_t[KT_MODEL_AXES]){0, 136});
    kt_domain_add_slice(&rules, &m, (const int64_t[KT_MODEL_AXES]){0, 8});
    kt_domain_add_slice(&rules, &m, (const int64_t[KT_MODEL_AXES]){64, 0});
    assert_int_equal(m.regions, 5);
    kt_known_refine(&rules, resonant, &m);
    for (int64_t n = 16; n <= 256; n += 8)
        for (int64_t k = 16; k <= 256; k += 8)
            assert_true(fabs(predicted_at(&m, n, k) - 1) < 0.01);
    kt_kernel_model_free(&m);
}

/* More terms than there is room for are not asked for, however many samples there are. */
static double flat(const int64_t *s)
{
    return 1e-6 * (double)(s[0] + s[1] + s[2] + s[3]);
}

static void terms_are_bounded(void **state)
{
    (void)state;
    const struct kt_refine_rules rules = {5, 1, 0.05, 32, 8};
    struct kt_kernel_model m = kt_known_model(4, 8, 200);
    kt_known_refine(&rules, flat, &m);
    assert_true(m.region[0].fitted && m.region[0].coefficients <= KT_MAX_COEFFICIENTS);
    kt_kernel_model_free(&m);
}

/* What is known stays known, and takes no samples again; a little more is told by the same polynomials. */
static void growing_forgets_nothing(void **state)
{
    (void)state;
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    struct kt_kernel_model m = kt_known_model(2, 8, 400);
    kt_domain_grow(&rules, &m, &m.domain);
    kt_domain_add_slice(&rules, &m, (const int64_t[KT_MODEL_AXES]){0, 256});
    size_t first = kt_known_refine(&rules, resonant, &m);
    kt_domain_grow(&rules, &m, &(struct kt_box){{1, 30}, {400, 420}});
    assert_int_equal(m.domain.lo[0], 1);
    assert_int_equal(m.domain.hi[1], 424);
    assert_int_equal(m.regions, 4); /* with strips from 1 to 8 of both */
    assert_true(fabs(predicted_at(&m, 200, 416) - 1) < 0.01);
    assert_true(fabs(predicted_at(&m, 200, 256) - 1) < 0.01);
    size_t strips = kt_known_refine(&rules, resonant, &m);
    assert_true(strips < first);
    kt_domain_grow(&rules, &m, &(struct kt_box){{8, 8}, {1000, 400}});
    assert_true(fabs(predicted_at(&m, 200, 256) - 1) < 0.01);
    kt_known_refine(&rules, resonant, &m);
    for (int64_t k = 40; k <= 424; k += 8)
        assert_true(fabs(predicted_at(&m, 960, k) - 1) < 0.01);
    kt_kernel_model_free(&m);
}

static bool any_use_in(const struct kt_box *box, const struct kt_box *domain, const struct kt_use *use, size_t uses)
{
    for (size_t i = 0; i < uses; i++)
        if (kt_box_owns(box, domain, 3, use[i].size))
            return true;
    return false;
}

/* A block's size here or there: the corner of large sizes is in boxes without uses. */
static void tiles_leave_out_what_nobody_uses(void **state)
{
    (void)state;
    enum { MOST = 3 * 40 * 3 };
    static struct kt_use use[MOST];
    struct kt_box tile[KT_TILES_MOST];
    size_t uses = 0;
    for (int64_t n = 50; n <= 2000; n += 50)
        for (int64_t b = 64; b <= 256; b *= 2)
            for (int a = 0; a < 3; a++) {
                use[uses] = (struct kt_use){.size = {n, n, n}};
                use[uses++].size[a] = b;
            }
    const struct kt_box all = {{8, 8, 8}, {2000, 2000, 2000}};
    size_t tiles = kt_tiles_of(&all, &all, 3, use, uses, 8, tile);
    double used = 0;
    double volume = 0;
    for (size_t i = 0; i < tiles; i++) {
        double own = 1;
        for (int a = 0; a < 3; a++)
            own *= (double)(tile[i].hi[a] - tile[i].lo[a]);
        volume += own;
        used += any_use_in(&tile[i], &all, use, uses) ? own : 0;
    }
    assert_true(volume == 1992.0 * 1992 * 1992);
    assert_true(used < 0.4 * volume);
    assert_int_equal(kt_tiles_of(&all, &all, 3, use, 0, 8, tile), 1);
    assert_int_equal(kt_tiles_of(&all, &all, 3, &(struct kt_use){.size = {2000, 2000, 2000}}, 1, 8, tile), 1);
}

/* Regions cover the domain without gaps, and no smaller than allowed. */
static void splits_are_complete(void **state)
{
    struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    (void)state;
    rules.smallest = 64;
    struct kt_kernel_model m = kt_known_model(1, 8, 1024);
    kt_known_refine(&rules, two_paces, &m);
    assert_true(m.regions > 1);
    for (int64_t n = 8; n <= 1024; n++)
        assert_true(isfinite(kt_known_ask(&m, n, 0, 0)));
    for (size_t i = 0; i < m.regions; i++)
        assert_true(m.region[i].box.hi[0] - m.region[i].box.lo[0] >= 63);
    kt_kernel_model_free(&m);
}

/* Noise of a sample is not taken for structure. */
static void noise_does_not_split(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    struct kt_known_sampling s = {0};
    struct kt_error error = {0};
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 512);
    s = (struct kt_known_sampling){&m, cubic, 0};
    kt_domain_grow(&rules, &m, &m.domain);
    kt_grid_wanted(&rules, &m, 0, kt_known_sample, &s);
    m.point[12].seconds *= 1.3;
    assert_int_equal(kt_refine_fit(&rules, kt_known_solver, &m, 0, &error), KT_OK);
    assert_true(kt_refine_excess(&rules, &m, 0) > rules.bound);
    for (size_t i = 0; i < m.points; i++)
        m.point[i].noise = 0.15;
    assert_true(kt_refine_excess(&rules, &m, 0) < rules.bound);
    kt_kernel_model_free(&m);
}

/* Where noise decides, the sample is timed again; the less noisy one counts. */
static void doubts_noisy_samples(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    struct kt_error error = {0};
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 512);
    struct kt_known_sampling s = {&m, cubic, 0};
    kt_domain_grow(&rules, &m, &m.domain);
    kt_grid_wanted(&rules, &m, 0, kt_known_sample, &s);
    struct kt_point right = m.point[12];
    m.point[12].seconds *= 1.3;
    assert_int_equal(kt_refine_fit(&rules, kt_known_solver, &m, 0, &error), KT_OK);
    assert_false(kt_refine_doubts(&rules, &m, 0, &m.point[12])); /* its error counts */
    m.point[12].noise = 0.15;
    assert_true(kt_refine_doubts(&rules, &m, 0, &m.point[12]));
    right.noise = 0.2;
    kt_model_set_point(&m, &right);
    assert_true(m.point[12].noise == 0.15 && m.point[12].again == 1);
    right.noise = 0.01;
    kt_model_set_point(&m, &right);
    assert_true(m.point[12].seconds == right.seconds && m.point[12].again == 2);
    assert_int_equal(kt_refine_fit(&rules, kt_known_solver, &m, 0, &error), KT_OK);
    for (size_t i = 0; i < m.points; i++)
        assert_false(kt_refine_doubts(&rules, &m, 0, &m.point[i]));
    assert_int_equal(m.points, 25);
    kt_kernel_model_free(&m);
}

/* Strips of 4 rows; what is left over takes as long as 4. Columns one by one. */
static double in_strips(const int64_t *s)
{
    double rows = ceil((double)s[0] / 4) * 4;
    return 2e-7 + 1e-10 * rows * rows * (double)s[1];
}

static void check_shifts_of_strips(const struct kt_kernel_model *m, double most)
{
    for (int r = 0; r < 8; r++) {
        assert_true(fabs(m->residues.shift[0][r] - (r % 4 ? 4 - r % 4 : 0)) < most);
        assert_true(fabs(m->residues.shift[1][r]) < most);
    }
}

/* Refines the model and fits residues to samples between the multiples of 8, every third of which takes so many times
 * as long; returns the worst error before residues. */
static double fit_strips(struct kt_kernel_model *m, double every_third)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    struct kt_error error = {0};
    kt_known_refine(&rules, in_strips, m);
    double before = kt_known_worst(m, in_strips, 9, 500, 7);
    for (int64_t i = 0; i < 60; i++) {
        const int64_t size[KT_MODEL_AXES] = {9 + i * 37 % 200, 9 + i * 53 % 200};
        kt_known_add(m, size, in_strips(size) * (i % 3 ? 1 : every_third), false);
    }
    assert_int_equal(kt_residues_fit(kt_known_solver, m, &error), KT_OK);
    return before;
}

static void residues_of_strips(void **state)
{
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 512);
    double before = fit_strips(&m, 1);
    check_shifts_of_strips(&m, 0.1);
    assert_true(before > 0.1);
    assert_true(kt_known_worst(&m, in_strips, 9, 500, 7) < 0.01);
    kt_kernel_model_free(&m);
}

/* A third of the samples are where the polynomial is off by half: they are not taken for what residues cost. */
static void residues_where_polynomials_are_bad(void **state)
{
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 512);
    fit_strips(&m, 1.5);
    check_shifts_of_strips(&m, 0.5);
    kt_kernel_model_free(&m);
}

/* Sizes below 8 are sampled one by one. */
static double small_special(const int64_t *s)
{
    return s[0] < 8 ? 1e-7 * (double)(s[0] * s[0]) : 1e-7 + 1e-9 * (double)s[0];
}

static void small_sizes_apart(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    (void)state;
    struct kt_kernel_model m = kt_known_model(1, 1, 100);
    kt_known_refine(&rules, small_special, &m);
    assert_int_equal(m.domain.hi[0], 104);
    assert_true(fabs(kt_known_ask(&m, 1, 0, 0) / 1e-7 - 1) < 0.5);
    assert_true(fabs(kt_known_ask(&m, 5, 0, 0) / 25e-7 - 1) < 0.25);
    assert_true(fabs(kt_known_ask(&m, 40, 0, 0) / 1.4e-7 - 1) < 1e-6);
    kt_kernel_model_free(&m);
}

static struct kt_model_answer expect(const struct kt_kernel_model *m, int64_t rows, int64_t columns,
                                     enum kt_model_known known, double outside)
{
    struct kt_model_answer answer;
    kt_kernel_model_ask(m, (const int64_t[]){rows, columns, 0, 0}, &answer);
    assert_int_equal(answer.known, known);
    assert_true(isnan(outside) || fabs(answer.outside - outside) < 1e-12);
    return answer;
}

static void outside_the_domain(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 512);
    expect(&m, 64, 64, KT_MODEL_UNKNOWN, NAN);
    kt_known_refine(&rules, cubic, &m);
    struct kt_model_answer answer = expect(&m, 512, 512, KT_MODEL_KNOWN, 0);
    assert_true(answer.lo <= answer.seconds && answer.seconds <= answer.hi);
    answer = expect(&m, 640, 512, KT_MODEL_OUTSIDE, 0.25);
    assert_true(answer.hi / answer.lo > 1.2);
    answer = expect(&m, 2048, 512, KT_MODEL_TOO_FAR, 3);
    assert_true(isnan(answer.seconds));
    expect(&m, 0, 512, KT_MODEL_TOO_FAR, NAN);
    kt_kernel_model_free(&m);
}

/* Fewer rows than columns were never sampled; once they are wanted, what was fitted on one side only is no answer. */
static void beyond_the_diagonal(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 512);
    kt_known_refine(&rules, cubic, &m);
    kt_domain_set_larger(&m, 1);
    expect(&m, 320, 320, KT_MODEL_KNOWN, 0);
    expect(&m, 320, 400, KT_MODEL_OUTSIDE, 0.25);
    expect(&m, 64, 400, KT_MODEL_TOO_FAR, 5.25);
    expect(&m, 600, 512, KT_MODEL_OUTSIDE, 600.0 / 512 - 1);
    kt_domain_set_larger(&m, 0);
    expect(&m, 320, 320, KT_MODEL_UNKNOWN, NAN);
    assert_int_equal(kt_known_refine(&rules, cubic, &m), 0); /* nothing is sampled again */
    expect(&m, 64, 400, KT_MODEL_KNOWN, 0);
    kt_kernel_model_free(&m);
}

/* A polynomial may fall below 0 where it has no samples; no call takes less than nothing. */
static void no_time_is_negative(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    struct kt_model_answer answer;
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 512);
    kt_known_refine(&rules, cubic, &m);
    for (size_t i = 0; i < m.regions; i++)
        m.region[i].coefficient[0] -= 1;
    kt_kernel_model_ask(&m, (const int64_t[]){504, 512, 0, 0}, &answer);
    assert_int_equal(answer.known, KT_MODEL_OUTSIDE);
    assert_true(answer.seconds == cubic((const int64_t[]){512, 512, 0, 0}));
    kt_kernel_model_free(&m);
}

/* A batch at another pace: its anchors tell, and the lower quartile of the paces is where all ends. */
static void one_pace(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    const struct kt_point *anchor[KT_ANCHORS];
    double ratio[] = {1.21, 1.19, 1.2, 3, 1.2};
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 512);
    kt_known_refine(&rules, cubic, &m);
    assert_int_equal(kt_level_anchors(&m, 1, anchor), KT_ANCHORS);
    assert_int_equal(kt_level_anchors(&m, 0, anchor), 0);
    assert_true(fabs(kt_level_of_batch(ratio, 5) - 1.2) < 1e-12);
    assert_true(kt_level_of_batch(NULL, 0) == 1);
    double before = kt_known_ask(&m, 64, 64, 0);
    double levels[] = {1, 0.8, 0.8, 0.8, 1.2};
    for (size_t i = 0; i < 5; i++)
        kt_level_note(&m, levels[i]);
    kt_level_settle(&m);
    assert_true(fabs(kt_known_ask(&m, 64, 64, 0) / before - 0.8) < 1e-9);
    assert_true(fabs(m.level[0] - 1.25) < 1e-9);
    kt_kernel_model_free(&m);
}

static void judges_by_held_out_points(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    (void)state;
    struct kt_kernel_model m = kt_known_model(2, 8, 512);
    kt_known_refine(&rules, cubic, &m);
    for (int64_t i = 1; i <= 10; i++) {
        const int64_t size[KT_MODEL_AXES] = {8 * i + 8, 16 * i};
        kt_known_add(&m, size, cubic(size) * (i % 2 ? 1.01 : 0.99), true);
    }
    kt_model_judge(&m);
    assert_int_equal(m.error.n, 10);
    assert_int_equal(m.others.n, 0);
    assert_true(m.error.average > 0.0098 && m.error.average < 0.0102);
    assert_true(m.error.worst < 0.0102);
    kt_kernel_model_free(&m);
}

static void grids(void **state)
{
    const struct kt_refine_rules rules = KT_REFINE_DEFAULTS;
    int64_t at[KT_GRID_MOST];
    (void)state;
    assert_int_equal(kt_grid_axis(&rules, 8, 1024, at), 5);
    assert_true(at[0] == 8 && at[4] == 1024);
    for (int i = 0; i < 5; i++)
        assert_int_equal(at[i] % 8, 0);
    assert_int_equal(kt_grid_axis(&rules, 64, 64, at), 1);
    assert_int_equal(kt_grid_axis(&rules, 64, 72, at), 2);
    assert_int_equal(kt_grid_axis(&rules, 1, 8, at), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids),
        cmocka_unit_test(recovers_polynomials),
        cmocka_unit_test(fits_what_is_there),
        cmocka_unit_test(refines_a_triangle),
        cmocka_unit_test(refines_at_a_kink),
        cmocka_unit_test(splits_along_the_rough_axis),
        cmocka_unit_test(slices_are_apart),
        cmocka_unit_test(growing_forgets_nothing),
        cmocka_unit_test(terms_are_bounded),
        cmocka_unit_test(tiles_leave_out_what_nobody_uses),
        cmocka_unit_test(boxes_beside_slices),
        cmocka_unit_test(splits_are_complete),
        cmocka_unit_test(noise_does_not_split),
        cmocka_unit_test(doubts_noisy_samples),
        cmocka_unit_test(residues_of_strips),
        cmocka_unit_test(residues_where_polynomials_are_bad),
        cmocka_unit_test(small_sizes_apart),
        cmocka_unit_test(outside_the_domain),
        cmocka_unit_test(beyond_the_diagonal),
        cmocka_unit_test(no_time_is_negative),
        cmocka_unit_test(one_pace),
        cmocka_unit_test(judges_by_held_out_points),
    };
    return cmocka_run_group_tests(tests, kt_known_open, kt_known_close);
}
