/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of things as words: "1 call", "12,345 calls". */
#ifndef KT_COUNT_H
#define KT_COUNT_H

enum { KT_COUNT_BYTES = 64 };

/* "12,345"; "n/a" for NAN. OUT holds 16 bytes or more. Returns OUT, as the next one does. */
char *kt_count_text(double count, char *out);

/* With a noun of one thing, "call" or "other process". OUT holds KT_COUNT_BYTES. */
char *kt_count_of(double count, const char *noun, char *out);

/* The same in memory of its own, which lasts as long as the block that it stands in. */
#define KT_COUNT(count, noun) kt_count_of((double)(count), noun, (char[KT_COUNT_BYTES]){0})

/* The one of two words that goes with so many, such as "is" and "are". */
const char *kt_count_word(double count, const char *one, const char *more);

#endif
