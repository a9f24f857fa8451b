/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/base/words.h"

#include "trace/base/memory.h"

#include <stdarg.h>
#include <stdio.h>

void kt_words_add(struct kt_words *words, const char *format, ...)
{
    va_list list;
    words->word = kt_resize(words->word, words->count + 2, sizeof *words->word);
    va_start(list, format);
    if (vasprintf(&words->word[words->count], format, list) < 0)
        abort();
    va_end(list);
    words->word[++words->count] = NULL;
}

void kt_words_free(struct kt_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->word[i]);
    free(words->word);
    *words = (struct kt_words){0};
}
