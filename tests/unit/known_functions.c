/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/known_functions.h"

#include <math.h>
#include <string.h>

struct kt_solver *kt_known_solver;

int kt_known_open(void **state)
{
    struct kt_error error = {0};
    (void)state;
    kt_known_solver = kt_solver_open(&error);
    if (!kt_known_solver)
        fail_msg("%s", error.text);
    return 0;
}

int kt_known_close(void **state)
{
    (void)state;
    kt_solver_close(kt_known_solver);
    return 0;
}

void kt_known_add(struct kt_kernel_model *m, const int64_t *size, double seconds, bool held_out)
{
    struct kt_point p = {.seconds = seconds, .samples = 1, .held_out = held_out};
    memcpy(p.size, size, (size_t)m->axes * sizeof *size);
    kt_model_add_point(m, &p);
}

void kt_known_sample(void *sampling, const int64_t *size)
{
    struct kt_known_sampling *s = sampling;
    if (isnan(s->function(size)))
        return;
    kt_known_add(s->model, size, s->function(size), false);
    s->samples++;
}

struct kt_kernel_model kt_known_model(int axes, int64_t lo, int64_t hi)
{
    struct kt_kernel_model m = {.axes = axes};
    for (int a = 0; a < axes; a++) {
        m.domain.lo[a] = lo;
        m.domain.hi[a] = hi;
    }
    return m;
}

size_t kt_known_refine(const struct kt_refine_rules *rules, kt_known *function, struct kt_kernel_model *m)
{
    struct kt_known_sampling s = {m, function, 0};
    struct kt_error error = {0};
    kt_domain_grow(rules, m, &m->domain);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < m->regions; i++) {
            if (!kt_refine_is_pending(&m->region[i]))
                continue;
            kt_grid_wanted(rules, m, i, kt_known_sample, &s);
            assert_int_equal(kt_refine_fit(rules, kt_known_solver, m, i, &error), KT_OK);
            if (kt_refine_excess(rules, m, i) > rules->bound)
                again = kt_refine_split(rules, m, i) || again;
        }
    }
    return s.samples;
}

double kt_known_ask(const struct kt_kernel_model *m, int64_t a, int64_t b, int64_t c)
{
    const int64_t size[KT_MODEL_AXES] = {a, b, c};
    struct kt_model_answer answer;
    kt_kernel_model_ask(m, size, &answer);
    return answer.seconds;
}

double kt_known_worst(const struct kt_kernel_model *m, kt_known *function, int64_t lo, int64_t hi, int64_t step)
{
    double worst = 0;
    for (int64_t a = lo; a <= hi; a += step)
        for (int64_t b = lo; b <= hi; b += step) {
            const int64_t size[KT_MODEL_AXES] = {a, b, a};
            worst = fmax(worst, fabs(kt_known_ask(m, a, b, a) / function(size) - 1));
        }
    return worst;
}
