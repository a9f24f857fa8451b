/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/print/csv_cell.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && !*end;
}

void kt_csv_cell(FILE *file, const char *text)
{
    bool is_formula = *text && strchr("=+-@", *text) && !is_number(text);
    if (!is_formula && !strpbrk(text, ",\"\r\n\t")) {
        for (; *text; text++)
            putc(iscntrl((unsigned char)*text) ? '?' : *text, file);
        return;
    }
    fputs(is_formula ? "\"'" : "\"", file);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', file);
        putc(iscntrl((unsigned char)*text) ? '?' : *text, file);
    }
    putc('"', file);
}
