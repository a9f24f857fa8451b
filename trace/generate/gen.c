/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/generate/gen.h"

#include <stdio.h>
#include <string.h>

int kt_gen_symbols(const struct kt_table *table, kt_symbol_visit *visit, void *context)
{
    int number = 0;
    for (size_t i = 0; i < table->count; i++)
        for (enum kt_view view = 0; view < KT_VIEWS; view++) {
            struct kt_symbol symbol;
            if (kt_symbol_make(&table->routine[i], view, &symbol))
                visit(&symbol, number++, context);
        }
    return number;
}

int kt_gen_numbers(const struct kt_param *p)
{
    if (!p->by_value || p->returned)
        return 0;
    return p->stored == KT_CDOUBLE ? 2 : p->stored == KT_FLOAT || p->stored == KT_DOUBLE || p->stored == KT_CFLOAT;
}

bool kt_gen_has_length(const struct kt_symbol *s, const struct kt_param *p)
{
    return s->view == KT_FORTRAN && p->stored == KT_CHAR;
}

bool kt_gen_returns_value(const struct kt_symbol *s)
{
    bool sub = s->view == KT_CBLAS && kt_type_is_complex(s->routine->result);
    return s->routine->has_result && !sub;
}

bool kt_gen_returns_complex(const struct kt_symbol *s)
{
    return kt_gen_returns_value(s) && kt_type_is_complex(s->routine->result);
}

struct kt_gen_size kt_gen_size(const struct kt_symbol *s)
{
    struct kt_gen_size size = {0};
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        size.numbers += kt_gen_numbers(p);
        size.words += !p->returned && !kt_gen_numbers(p);
        size.words += kt_gen_has_length(s, p);
    }
    return size;
}

bool kt_gen_is_compiled(const struct kt_symbol *s)
{
    bool blas = s->view == KT_FORTRAN || s->view == KT_CBLAS;
    return blas && !strncmp(s->routine->section, "blas", 4) && !kt_gen_returns_complex(s);
}

void kt_gen_separator(int *printed)
{
    if ((*printed)++)
        printf(", ");
}

void kt_gen_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}
