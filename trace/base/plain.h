/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What goes to a terminal. Names of programs, libraries, regions and files come from traces, which anybody may have
 * made: no byte of theirs may steer the terminal.
 */
#ifndef KT_PLAIN_H
#define KT_PLAIN_H

#include <stddef.h>

enum { KT_PLAIN_HELD = 3 };

/* Where a text is: within a character of several bytes, behind its first byte. */
struct kt_plain {
    int rest;            /* bytes of the character that are still to come */
    unsigned char first; /* of it */
    size_t held;         /* of standard output: bytes that wait for what follows them */
    char hold[KT_PLAIN_HELD];
};

/*
 * Replaces control characters in place, those of Unicode (U+0080 to U+009F) among them, but for newline, tab, carriage
 * return before a newline, and what makes headings bold. A text may come in pieces that do not cut the last two.
 */
void kt_plain_clean(struct kt_plain *plain, char *text, size_t bytes);

/* From here on all that is printed to standard output goes through kt_plain_clean. */
void kt_plain_begin(void);

#endif
