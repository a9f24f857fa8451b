/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/call/call.h"

#include <string.h>

/* Floating-point scalars that are passed by value travel in registers of their own, a complex double in two. */
static int numbers_of(const struct kt_param *p)
{
    if (!p->by_value)
        return 0;
    return p->stored == KT_CDOUBLE ? 2 : p->stored == KT_FLOAT || p->stored == KT_DOUBLE || p->stored == KT_CFLOAT;
}

static bool returns_number(const struct kt_symbol *symbol)
{
    const struct kt_routine *r = symbol->routine;
    if (!r->has_result || r->result == KT_I)
        return false;
    return symbol->params == 0 || symbol->param[symbol->params - 1].arg != KT_ARG_RESULT;
}

kt_thunk *kt_thunk_of(const struct kt_symbol *symbol)
{
    int words = 0;
    int numbers = 0;
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        bool hidden_length = p->stored == KT_CHAR && symbol->view == KT_FORTRAN;
        numbers += numbers_of(p);
        words += (!numbers_of(p) && !p->returned) + hidden_length;
    }
    return kt_thunk_find(words, numbers, returns_number(symbol));
}

/* In place of the program's function, which is not here: the only functions passed select eigenvalues. */
static int64_t select_none(void)
{
    return 0;
}

/* Stores an integer as a library with integers of that width reads it. */
static void store_integer(unsigned char *cell, int64_t value, size_t int_bytes)
{
    int32_t narrow = (int32_t)value;
    if (int_bytes == sizeof value)
        memcpy(cell, &value, sizeof value);
    else
        memcpy(cell, &narrow, sizeof narrow);
}

/* Records hold every other kind just as memory does. */
static void fill_cell(unsigned char *cell, const unsigned char *args, const struct kt_param *p, size_t int_bytes)
{
    if (p->stored == KT_INT)
        store_integer(cell, kt_stored_integer(args, p), int_bytes);
    else
        memcpy(cell, args + p->offset, kt_stored_bytes(p->stored));
}

void kt_parameters_fill(const struct kt_symbol *symbol, const unsigned char *args, const uint64_t *address,
                        size_t int_bytes, struct kt_by_reference *cells, struct kt_parameters *out)
{
    int word = 0;
    int number = 0;
    int lengths = 0;
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        lengths += p->stored == KT_CHAR && symbol->view == KT_FORTRAN;
        if (p->stored == KT_ADDRESS) {
            out->word[word++] = (int64_t)*address++;
        } else if (numbers_of(p)) {
            memcpy(&out->number[number], args + p->offset, kt_stored_bytes(p->stored));
            number += numbers_of(p);
        } else if (p->returned) {
            continue;
        } else if (p->stored == KT_CODE) {
            out->word[word++] = (int64_t)(uintptr_t)select_none;
        } else if (p->by_value) {
            out->word[word++] = kt_stored_integer(args, p);
        } else {
            fill_cell(cells->cell[i], args, p, int_bytes);
            out->word[word++] = (int64_t)(uintptr_t)cells->cell[i];
        }
    }
    for (int i = 0; i < lengths; i++)
        out->word[word++] = 1;
}

bool kt_failure_is_early(const struct kt_routine *routine)
{
    for (int i = 0; i < routine->args; i++)
        if (routine->arg[i].role == KT_ARRAY && routine->arg[i].data == KT_SPD)
            return true;
    return false;
}

int64_t kt_parameters_info(const struct kt_symbol *symbol, const struct kt_by_reference *cells,
                           const struct kt_returned *returned, size_t int_bytes)
{
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        if (p->arg < 0 || symbol->routine->arg[p->arg].role != KT_INFO)
            continue;
        int32_t narrow;
        int64_t wide;
        const void *from = p->returned ? (const void *)&returned->integer : cells->cell[i];
        memcpy(&narrow, from, sizeof narrow);
        memcpy(&wide, from, sizeof wide);
        return int_bytes == sizeof wide ? wide : narrow;
    }
    return 0;
}
