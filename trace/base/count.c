/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/base/count.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER = 16 };

char *kt_count_text(double count, char *out)
{
    char digits[NUMBER];
    if (!isfinite(count) || fabs(count) >= 99999999999.5) {
        snprintf(out, NUMBER, isfinite(count) ? "%.4g" : "n/a", count);
        return out;
    }
    int length = snprintf(digits, sizeof digits, "%.0f", fabs(count));
    char *to = out;
    if (count < 0)
        *to++ = '-';
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}

const char *kt_count_word(double count, const char *one, const char *more)
{
    return count == 1 ? one : more;
}

static bool ends_in(const char *noun, const char *letters)
{
    size_t length = strlen(noun);
    return length && strchr(letters, noun[length - 1]) != NULL;
}

/* Two libraries, two processes, two days. */
char *kt_count_of(double count, const char *noun, char *out)
{
    char number[NUMBER];
    int length = (int)strlen(noun);
    bool is_y = ends_in(noun, "y") && length > 1 && !strchr("aeou", noun[length - 2]);
    kt_count_text(count, number);
    snprintf(out, KT_COUNT_BYTES, "%s %.*s%s", number, is_y && count != 1 ? length - 1 : length, noun,
             kt_count_word(count, "",
                           is_y                  ? "ies"
                           : ends_in(noun, "sx") ? "es"
                                                 : "s"));
    return out;
}
