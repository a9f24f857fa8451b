/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/decomposition/spread.h"

#include "trace/base/memory.h"

#include <math.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t n, double part)
{
    double place = part * (double)(n - 1);
    size_t below = (size_t)place;
    size_t above = below + 1 < n ? below + 1 : below;
    if (sorted[above] == sorted[below]) /* infinite ones too */
        return sorted[below];
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

struct kt_spread kt_spread_of(double *value, size_t n)
{
    if (n == 0)
        return (struct kt_spread){NAN, NAN, NAN, NAN, NAN, 0};
    qsort(value, n, sizeof *value, compare);
    return (struct kt_spread){.least = value[0],
                              .q1 = quantile(value, n, 0.25),
                              .median = quantile(value, n, 0.5),
                              .q3 = quantile(value, n, 0.75),
                              .most = value[n - 1],
                              .n = n};
}

struct kt_spread kt_spread_of_samples(const struct kt_samples *samples)
{
    enum { ROOM = 8192 };
    double *value = kt_resize(NULL, ROOM, sizeof *value);
    struct kt_spread spread = kt_spread_of(value, kt_samples_take(samples, value, ROOM));
    free(value);
    if (spread.n == 0)
        return spread;
    spread.least = samples->least;
    spread.most = samples->most;
    spread.n = samples->n;
    return spread;
}

struct kt_spread kt_spread_exact(double value)
{
    return (struct kt_spread){value, value, value, value, value, 1};
}

struct kt_spread kt_spread_quotient(double a, const struct kt_spread *s)
{
    return (struct kt_spread){a / s->most, a / s->q3, a / s->median, a / s->q1, a / s->least, s->n};
}

bool kt_spread_is_wide(const struct kt_spread *s)
{
    return (isfinite(s->q1) && s->q3 > s->q1) || (isfinite(s->least) && s->most > s->least);
}

json_t *kt_spread_json(const struct kt_spread *s)
{
    return json_pack("{so so so so so sI}", "least", kt_json_number(s->least), "q1", kt_json_number(s->q1), "median",
                     kt_json_number(s->median), "q3", kt_json_number(s->q3), "most", kt_json_number(s->most), "n",
                     (json_int_t)s->n);
}

const struct kt_field kt_field_spread[] = {{"least", KT_AS_NUMBER, KT_NULL, .meaning = "least"},
                                           {"q1", KT_AS_NUMBER, KT_NULL, .meaning = "lower quartile"},
                                           {"median", KT_AS_NUMBER, KT_NULL, .meaning = "median"},
                                           {"q3", KT_AS_NUMBER, KT_NULL, .meaning = "upper quartile"},
                                           {"most", KT_AS_NUMBER, KT_NULL, .meaning = "most"},
                                           {"n", KT_AS_COUNT, .meaning = "number of calls or samples"},
                                           {0}};
