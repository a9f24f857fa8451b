/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/error.h"

#include <stdarg.h>
#include <stdio.h>

enum kt_status kt_fail(struct kt_error *error, enum kt_status status, const char *format, ...)
{
    if (error->status == KT_OK) {
        va_list list;
        va_start(list, format);
        vsnprintf(error->text, sizeof error->text, format, list);
        va_end(list);
        error->status = status;
    }
    return status;
}
