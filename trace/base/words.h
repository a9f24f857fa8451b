/* SPDX-License-Identifier: BSD-3-Clause */
/* A command line that is made word by word. */
#ifndef KT_WORDS_H
#define KT_WORDS_H

#include <stddef.h>

/* WORD ends with NULL; NULL: none was added. */
struct kt_words {
    char **word; /* owned, and so is each of them */
    size_t count;
};

void kt_words_add(struct kt_words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kt_words_free(struct kt_words *words);

#endif
