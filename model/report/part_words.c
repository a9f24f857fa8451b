/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/part_words.h"

#include <stdio.h>

size_t kt_part_words(char mark, const struct kt_time *part, bool told, char *out, size_t size)
{
    static const double rounding = 0.015;
    double value = 100 * part->value;
    if (!told)
        return (size_t)snprintf(out, size, " %c?", mark);
    if (kt_decomposition_half(part) <= rounding)
        return (size_t)snprintf(out, size, " %c%.0f%%", mark, value);
    return (size_t)snprintf(out, size, " %c%.0f+-%.0f%%", mark, value, 100 * kt_decomposition_half(part));
}
