/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/base/plain.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- characters -------------------------------------------------------------------------------------------- */

enum { PIECE = 8192 };

/* What may begin with a control character: the ends of lines of CSV; bold and back, which trace/print/text.c prints. */
static const char *const sequence[] = {"\r\n", "\033[1m", "\033[0m"};
enum { SEQUENCES = sizeof sequence / sizeof *sequence };

static bool begins_sequence(const char *text, size_t bytes)
{
    for (int i = 0; i < SEQUENCES; i++)
        if (bytes >= strlen(sequence[i]) && !memcmp(text, sequence[i], strlen(sequence[i])))
            return true;
    return false;
}

static bool is_allowed(const char *text, size_t bytes)
{
    unsigned char c = (unsigned char)*text;
    return (c >= ' ' && c != 0x7f) || c == '\n' || c == '\t' || begins_sequence(text, bytes);
}

/* Bytes at the end of TEXT that begin a sequence, which may go on in the next piece. */
static size_t undecided(const char *text, size_t bytes)
{
    for (size_t n = bytes < KT_PLAIN_HELD ? bytes : KT_PLAIN_HELD; n > 0; n--)
        for (int i = 0; i < SEQUENCES; i++)
            if (n < strlen(sequence[i]) && !memcmp(text + bytes - n, sequence[i], n))
                return n;
    return 0;
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

/* Writes TEXT behind what is held of the last piece, and holds what the next one decides on. */
static bool write_piece(struct kt_plain *plain, const char *text, size_t bytes)
{
    char piece[PIECE + KT_PLAIN_HELD];
    size_t n = plain->held;
    memcpy(piece, plain->hold, n);
    memcpy(piece + n, text, bytes);
    n += bytes;
    plain->held = undecided(piece, n);
    n -= plain->held;
    memcpy(plain->hold, piece + n, plain->held);
    kt_plain_clean(plain, piece, n);
    return write_all(piece, n);
}

/* COOKIE: struct kt_plain. */
static ssize_t write_plain(void *cookie, const char *text, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        size_t n = bytes - done < PIECE ? bytes - done : PIECE;
        if (!write_piece(cookie, text + done, n))
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
