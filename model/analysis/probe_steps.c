/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/analysis/probe_steps.h"

#include "model/analysis/analysis.h"

#include <math.h>

enum { STEPS_MAX = 64, LEAST_AFTER = 4 };

size_t kt_page_step(const double *y, size_t n, double *confidence)
{
    double rise[STEPS_MAX] = {0};
    size_t biggest = 0;
    for (size_t i = 1; i + 1 < n; i++) {
        rise[i] = fmax(0, log(fmin(y[i], y[i + 1]) / y[i - 1]));
        biggest = rise[i] > rise[biggest] ? i : biggest;
    }
    double next = 0.02;
    for (size_t i = 1; i + 1 < n; i++)
        next = i != biggest ? fmax(next, fmin(rise[i], fabs(log(y[i] / y[i - 1])))) : next;
    *confidence = fmin(1, rise[biggest] / next / 3);
    return biggest > 1 && rise[biggest] > fmax(0.1, 1.5 * next) ? biggest : 0;
}

size_t kt_page_of(size_t measured, size_t system, size_t *joined)
{
    enum { MOST_JOINED = 16 };
    bool is_joined = measured > system && measured % system == 0 && measured / system <= MOST_JOINED;
    *joined = is_joined ? measured : 0;
    return is_joined ? system : measured;
}

bool kt_is_tlb_reach(double bytes, double entries, double page)
{
    return bytes > 0 && entries > 0 && fabs(log(bytes / (entries * page))) < 0.2;
}

int kt_live_step(const double *y, size_t n, double *confidence)
{
    double noise = fmax(kt_noise_of(y, n) / 2, 0.005);
    double after[STEPS_MAX + 1];
    double before = INFINITY;
    after[n] = INFINITY;
    for (size_t i = n; i-- > 0;)
        after[i] = fmin(after[i + 1], y[i]);
    for (size_t i = 0; i + LEAST_AFTER < n; i++) {
        before = fmin(before, y[i]);
        double rise = log(after[i + 1] / before);
        *confidence = 1 - exp(-rise / noise / 2);
        if (rise > fmax(0.1, 2 * noise))
            return (int)i;
    }
    *confidence = 0;
    return -1;
}
