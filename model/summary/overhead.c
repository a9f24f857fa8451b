/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/summary/overhead.h"

/* Measured in a loop, where all that recording needs is in the nearest cache and the branches are known. */
static const double doubt = 2;

struct kt_estimate kt_overhead_of(const struct kt_state *state, const struct kt_shapes *shapes)
{
    double seconds = state->self_seconds;
    for (size_t i = 0; i < shapes->count; i++)
        seconds += shapes->shape[i].inside.excess * shapes->shape[i].inside.in_dirty;
    seconds = seconds > 0 ? seconds : 0;
    return (struct kt_estimate){.value = seconds, .lo = seconds / doubt, .hi = seconds * doubt};
}
