/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/line.h"

#include <stdbool.h>

static void put(struct kt_line *line, char c)
{
    if (line->length < sizeof line->text)
        line->text[line->length++] = c;
}

void kt_line_raw(struct kt_line *line, const char *text)
{
    while (*text)
        put(line, *text++);
}

/* U+0080 to U+009F, which are 0xc2 and one of these bytes, and such a byte alone are control characters, too. */
static bool is_control(unsigned char c, unsigned char before)
{
    return c < ' ' || c == 127 || (c >= 0x80 && c < 0xa0 && (before < 0x80 || before == 0xc2));
}

void kt_line_plain(struct kt_line *line, const char *text)
{
    for (unsigned char before = 0; *text; before = (unsigned char)*text++)
        put(line, is_control((unsigned char)*text, before) ? '?' : *text);
}

void kt_line_escaped(struct kt_line *line, const char *text, size_t length)
{
    static const char hex[] = "0123456789abcdef";
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= ' ' && c < 127 && c != '\\') {
            put(line, (char)c);
            continue;
        }
        kt_line_raw(line, "\\x");
        put(line, hex[c >> 4]);
        put(line, hex[c & 15]);
    }
}

void kt_line_unsigned(struct kt_line *line, uint64_t value, unsigned base)
{
    char digits[24];
    size_t n = sizeof digits - 1;
    digits[n] = '\0';
    do
        digits[--n] = "0123456789abcdef"[value % base];
    while (value /= base);
    kt_line_raw(line, digits + n);
}
