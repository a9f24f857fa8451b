/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/crossover_line.h"

#include <math.h>
#include <string.h>

int64_t kt_crossover_line_round(double size)
{
    int64_t rounded = llround(size / KT_CROSSOVER_MULTIPLE) * KT_CROSSOVER_MULTIPLE;
    return rounded < KT_CROSSOVER_MULTIPLE ? KT_CROSSOVER_MULTIPLE : rounded;
}

int kt_crossover_line_sizes(int64_t lo, int64_t hi, int64_t out[KT_CROSSOVER_LINE_MOST])
{
    enum { PARTS = KT_CROSSOVER_LINE_MOST - 3 };
    double ratio = pow((double)hi / (double)lo, 1.0 / PARTS);
    int64_t last = 0;
    int n = 0;
    for (int i = -1; i <= PARTS + 1; i++) {
        int64_t size = kt_crossover_line_round((double)lo * pow(ratio, i));
        size = i < 0 && size >= lo       ? lo - KT_CROSSOVER_MULTIPLE
               : i > PARTS && size <= hi ? hi + KT_CROSSOVER_MULTIPLE
                                         : size;
        if (size >= KT_CROSSOVER_MULTIPLE && size > last)
            out[n++] = last = size;
    }
    return n;
}

/* The power of the size that the time grows with from one to the next. */
static double exponent(const int64_t *size, const double *seconds, int i)
{
    return log(seconds[i + 1] / seconds[i]) / log((double)size[i + 1] / (double)size[i]);
}

double kt_crossover_line_step(const int64_t *size, const double *seconds, int n, int i)
{
    double around = 0;
    int neighbours = 0;
    for (int k = i - 1; k <= i + 1; k += 2)
        if (k >= 0 && k + 1 < n) {
            around += exponent(size, seconds, k);
            neighbours++;
        }
    return (exponent(size, seconds, i) - around / neighbours) * log((double)size[i + 1] / (double)size[i]);
}

void kt_crossover_line_point(const struct kt_crossover_line *line, int64_t size, int64_t out[KT_MODEL_AXES])
{
    memcpy(out, line->fixed, sizeof line->fixed);
    out[line->axis] = size;
}

void kt_crossover_line_multiply(const struct kt_kernel_model *m, struct kt_crossover_line *line)
{
    line->product = 1;
    for (int a = 0; a < m->axes; a++)
        if (a != line->axis)
            line->product *= (double)line->fixed[a];
}

bool kt_crossover_line_can(const struct kt_crossover_line *line, int64_t size, kt_possible *possible, void *context)
{
    int64_t point[KT_MODEL_AXES];
    kt_crossover_line_point(line, size, point);
    return possible(context, point);
}

/* Is there a point that may be off by as much as a step? */
static bool is_noisy(const struct kt_point *point)
{
    return point && point->samples && point->noise > KT_CROSSOVER_STEP;
}

size_t kt_crossover_line_want(const struct kt_crossover_line *line, const struct kt_kernel_model *m, bool noisy,
                              kt_want *want, void *context)
{
    size_t wanted = 0;
    for (int i = 0; i < line->n; i++) {
        int64_t size[KT_MODEL_AXES];
        kt_crossover_line_point(line, line->size[i], size);
        const struct kt_point *point = kt_model_find_point(m, size);
        if (noisy ? !is_noisy(point) : point != NULL)
            continue;
        wanted++;
        if (want)
            want(context, size);
    }
    return wanted;
}

struct kt_crossover_reading kt_crossover_line_read(const struct kt_crossover_line *line,
                                                   const struct kt_kernel_model *m)
{
    struct kt_crossover_reading r = {.is_certain = true};
    for (int i = 0; i < line->n; i++) {
        int64_t size[KT_MODEL_AXES];
        kt_crossover_line_point(line, line->size[i], size);
        const struct kt_point *point = kt_model_find_point(m, size);
        if (!point || !point->samples)
            continue;
        if (is_noisy(point)) {
            r.is_certain = false;
            continue;
        }
        r.size[r.n] = line->size[i];
        r.seconds[r.n++] = point->seconds;
    }
    return r;
}
