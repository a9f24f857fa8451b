/* SPDX-License-Identifier: BSD-3-Clause */
/* How good models are, at points that they were not fitted to, and how much of a trace they know. */
#include "model/build/model_batch.h"
#include "trace/base/memory.h"

#include <math.h>

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void judge(const struct kt_kernel_model *m, bool regular, struct kt_model_error *out)
{
    double *errors = kt_resize(NULL, m->points, sizeof *errors);
    double noise = 0;
    size_t n = 0;
    *out = (struct kt_model_error){NAN, NAN, NAN, NAN, 0};
    for (size_t i = 0; i < m->points; i++) {
        const struct kt_point *p = &m->point[i];
        struct kt_model_answer answer;
        if (!p->held_out || !p->samples || kt_sizes_are_regular(m->axes, p->size) != regular)
            continue;
        kt_kernel_model_ask(m, p->size, &answer);
        if (answer.known != KT_MODEL_KNOWN)
            continue;
        errors[n++] = fabs(answer.seconds / p->seconds - 1);
        noise += 2 * p->noise;
    }
    if (n) {
        double sum = 0;
        qsort(errors, n, sizeof *errors, compare_numbers);
        for (size_t i = 0; i < n; i++)
            sum += errors[i];
        *out = (struct kt_model_error){sum / (double)n, errors[n - 1], errors[(n * 95 - 1) / 100], noise / (double)n,
                                       (int)n};
    }
    free(errors);
}

void kt_model_judge(struct kt_kernel_model *model)
{
    judge(model, true, &model->error);
    judge(model, false, &model->others);
}

double kt_build_coverage(const struct kt_build *build)
{
    double known = 0;
    double all = build->needs->unmodelled;
    for (size_t n = 0; n < build->needs->count; n++) {
        const struct kt_need *need = &build->needs->need[n];
        for (size_t i = 0; i < need->uses; i++) {
            struct kt_model_answer answer;
            kt_kernel_model_ask(kt_build_model(build, n, 0), need->use[i].size, &answer);
            known += answer.known == KT_MODEL_KNOWN ? need->use[i].seconds : 0;
            all += need->use[i].seconds;
        }
    }
    return all > 0 ? known / all : NAN;
}
