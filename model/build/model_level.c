/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/model_level.h"

#include "trace/base/memory.h"
#include "trace/base/stats.h"

#include <math.h>

static int compare_points(const void *a, const void *b)
{
    double x = (*(const struct kt_point *const *)a)->seconds;
    double y = (*(const struct kt_point *const *)b)->seconds;
    return (x > y) - (x < y);
}

/* Below it the clock matters more than the machine. */
static const double least_anchor = 2e-6;

/* Where the anchors begin in sorted times: at those that are long enough, if there are as many. */
static size_t first_anchor(const struct kt_point *const *sorted, size_t n)
{
    size_t first = 0;
    while (first < n && sorted[first]->seconds < least_anchor)
        first++;
    return first + KT_ANCHORS <= n ? first : n > KT_ANCHORS ? n - KT_ANCHORS : 0;
}

size_t kt_level_anchors(const struct kt_kernel_model *m, double most, const struct kt_point *out[KT_ANCHORS])
{
    const struct kt_point **sorted = kt_resize(NULL, m->points, sizeof *sorted);
    size_t n = 0;
    size_t anchors = 0;
    for (size_t i = 0; i < m->points; i++)
        if (m->point[i].samples && !m->point[i].held_out && m->point[i].seconds <= most)
            sorted[n++] = &m->point[i];
    if (n)
        qsort(sorted, n, sizeof *sorted, compare_points);
    size_t first = first_anchor(sorted, n);
    for (size_t i = 0; i < KT_ANCHORS; i++) {
        size_t at = first + (2 * i + 1) * (n - first) / (2 * KT_ANCHORS);
        if (at < n && (anchors == 0 || out[anchors - 1] != sorted[at]))
            out[anchors++] = sorted[at];
    }
    free(sorted);
    return anchors;
}

double kt_level_of_batch(double *ratio, size_t ratios)
{
    return ratios ? kt_stat_of(ratio, ratios, KT_BEST_MEDIAN).median : 1;
}

/* The oldest gives way. */
void kt_level_note(struct kt_kernel_model *m, double level)
{
    if (m->levels == KT_LEVELS_MOST)
        memmove(m->level, m->level + 1, (size_t)--m->levels * sizeof *m->level);
    m->level[m->levels++] = level;
}

static void scale(struct kt_kernel_model *m, double factor)
{
    for (size_t i = 0; i < m->points; i++)
        m->point[i].seconds *= factor;
    for (size_t i = 0; i < m->regions; i++)
        for (int c = 0; m->region[i].coefficient && c < m->region[i].coefficients; c++)
            m->region[i].coefficient[c] *= factor;
    for (int i = 0; i < m->levels; i++)
        m->level[i] /= factor;
}

void kt_level_settle(struct kt_kernel_model *m)
{
    double sorted[KT_LEVELS_MOST];
    if (m->levels < 2)
        return;
    memcpy(sorted, m->level, (size_t)m->levels * sizeof *sorted);
    double level = kt_stat_of(sorted, (size_t)m->levels, KT_BEST_QUARTILE).best;
    if (level > 0)
        scale(m, level);
}
