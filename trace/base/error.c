/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/base/error.h"

#include "trace/base/plain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kt_one_line(char *text)
{
    kt_plain_clean(&(struct kt_plain){0}, text, strlen(text));
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = '?';
}

enum kt_status kt_fail(struct kt_error *error, enum kt_status status, const char *format, ...)
{
    if (error->status == KT_OK) {
        va_list list;
        va_start(list, format);
        vsnprintf(error->text, sizeof error->text, format, list);
        va_end(list);
        kt_one_line(error->text);
        error->status = status;
    }
    return status;
}
