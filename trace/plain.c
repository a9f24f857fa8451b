/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/plain.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- characters -------------------------------------------------------------------------------------------- */

/* Bold and back: what trace/text.c prints around headings. */
static bool is_emphasis(const char *text, size_t bytes)
{
    return bytes >= 4 && (!memcmp(text, "\033[1m", 4) || !memcmp(text, "\033[0m", 4));
}

static bool is_allowed(const char *text, size_t bytes)
{
    unsigned char c = (unsigned char)*text;
    if (c == '\r')
        return bytes > 1 && text[1] == '\n';
    return (c >= ' ' && c != 0x7f) || c == '\n' || c == '\t' || is_emphasis(text, bytes);
}

/* Bytes that follow this first one of a character of UTF-8. */
static int bytes_behind(unsigned char c)
{
    return c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 0;
}

/* A byte of 0x80 and above. U+0080 to U+009F are 0xc2 and one that is below 0xa0; alone such a byte is a control
 * character of older character sets. */
static char clean_high(struct kt_plain *plain, unsigned char c)
{
    enum { FIRST_OF_CONTROL = 0xc2, NO_BREAK_SPACE = 0xa0 };
    bool follows = plain->rest > 0 && c < 0xc0;
    bool is_control = c < NO_BREAK_SPACE && follows && plain->first == FIRST_OF_CONTROL;
    if (!follows) {
        plain->rest = bytes_behind(c);
        plain->first = c;
        return c < 0xc0 ? '?' : (char)c;
    }
    plain->rest--;
    return is_control ? (char)NO_BREAK_SPACE : (char)c;
}

void kt_plain_clean(struct kt_plain *plain, char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x80) {
            text[i] = clean_high(plain, c);
            continue;
        }
        plain->rest = 0;
        if (!is_allowed(text + i, bytes - i))
            text[i] = '?';
    }
}

/* --- standard output --------------------------------------------------------------------------------------- */

static bool write_all(const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(STDOUT_FILENO, text, bytes);
        if (n < 0 && errno != EINTR)
            return false;
        text += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* COOKIE: struct kt_plain. */
static ssize_t write_plain(void *cookie, const char *text, size_t bytes)
{
    char piece[8192];
    for (size_t done = 0; done < bytes;) {
        size_t n = bytes - done < sizeof piece ? bytes - done : sizeof piece;
        memcpy(piece, text + done, n);
        kt_plain_clean(cookie, piece, n);
        if (!write_all(piece, n))
            return done ? (ssize_t)done : 0; /* 0: an error, as fopencookie(3) has it */
        done += n;
    }
    return (ssize_t)bytes;
}

void kt_plain_begin(void)
{
    static struct kt_plain plain;
    FILE *out = fopencookie(&plain, "w", (cookie_io_functions_t){.write = write_plain});
    if (!out)
        return;
    setvbuf(out, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, 1 << 16);
    fflush(stdout);
    stdout = out;
}
