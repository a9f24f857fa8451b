/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/part_words.h"

#include <math.h>
#include <stdio.h>

static double half_of(const struct kt_time *part)
{
    double width = part->hi - part->lo;
    return isnan(width) ? width : fmax(part->hi - part->value, part->value - part->lo);
}

bool kt_part_is_told(const struct kt_time *part)
{
    static const double widest = 0.25;
    return half_of(part) <= widest; /* of NAN, no */
}

size_t kt_part_words(char mark, const struct kt_time *part, bool told, char *out, size_t size)
{
    static const double rounding = 0.015;
    double value = 100 * part->value;
    if (!told)
        return (size_t)snprintf(out, size, " %c?", mark);
    if (half_of(part) <= rounding)
        return (size_t)snprintf(out, size, " %c%.0f%%", mark, value);
    return (size_t)snprintf(out, size, " %c%.0f+-%.0f%%", mark, value, 100 * half_of(part));
}
