/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/table/notation.h"

#include <ctype.h>
#include <string.h>

void kt_skip_blanks(struct kt_notation *l)
{
    while (*l->at == ' ')
        l->at++;
}

bool kt_accept(struct kt_notation *l, char c)
{
    if (*l->at != c)
        return false;
    l->at++;
    return true;
}

struct kt_word kt_read_word(struct kt_notation *l)
{
    struct kt_word w = {l->at, 0};
    while (isalnum((unsigned char)*l->at) || *l->at == '?' || *l->at == '_')
        l->at++;
    w.length = (size_t)(l->at - w.start);
    return w;
}

bool kt_word_is(struct kt_word w, const char *text)
{
    return strlen(text) == w.length && !strncmp(text, w.start, w.length);
}

enum kt_status kt_copy_name(struct kt_notation *l, struct kt_word w, char out[KT_NAME])
{
    if (w.length == 0 || w.length >= KT_NAME)
        return kt_fail(l->error, KT_BAD_INPUT, "expected a name of 1 to %d letters at '%.20s'", KT_NAME - 1, w.start);
    memcpy(out, w.start, w.length);
    out[w.length] = '\0';
    return KT_OK;
}

enum kt_status kt_read_type(struct kt_notation *l, enum kt_type t, enum kt_type *out)
{
    static const char letters[] = "SDCZI";
    char c = *l->at++;
    const char *found = c ? strchr(letters, c) : NULL;
    if (c == 'T')
        *out = t;
    else if (c == 'R')
        *out = kt_type_real(t);
    else if (found)
        *out = (enum kt_type)(found - letters);
    else
        return kt_fail(l->error, KT_BAD_INPUT, "expected a type T R I S D C or Z at '%.20s'", l->at - 1);
    return KT_OK;
}
