/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/print/markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Bytes of the sequence of UTF-8 that TEXT begins with; 0: it is none. */
static int sequence(const char *text)
{
    static const struct {
        unsigned char mask, head;
        int bytes;
        unsigned least; /* code point: shorter sequences hold those below */
    } kind[] = {{0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
    unsigned char head = (unsigned char)*text;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        if ((head & kind[k].mask) != kind[k].head)
            continue;
        unsigned code = head & (unsigned char)~kind[k].mask;
        for (int i = 1; i < kind[k].bytes; i++) {
            if ((text[i] & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (text[i] & 0x3f);
        }
        bool is_surrogate = code >= 0xd800 && code < 0xe000;
        return code < kind[k].least || code > 0x10ffff || is_surrogate ? 0 : kind[k].bytes;
    }
    return 0;
}

void kt_markdown_code(FILE *file, const char *text)
{
    fputs("<code>", file);
    while (*text) {
        unsigned char c = (unsigned char)*text;
        int bytes = c < 0x80 ? 1 : sequence(text);
        if (bytes > 1)
            fwrite(text, 1, (size_t)bytes, file);
        else if (!bytes || iscntrl(c))
            putc('?', file);
        else if (isalnum(c) || strchr(" /,=", c))
            putc(c, file);
        else
            fprintf(file, "&#%d;", c);
        text += bytes ? bytes : 1;
    }
    fputs("</code>", file);
}
