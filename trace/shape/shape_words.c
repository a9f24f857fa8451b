/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/shape_words.h"

#include "trace/shape/shape.h"
#include "trace/table/operand.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct words {
    char *out;
    size_t used, size;
};

__attribute__((format(printf, 2, 3))) static void add(struct words *w, const char *format, ...)
{
    va_list list;
    if (w->used + 1 >= w->size)
        return;
    va_start(list, format);
    w->used += (size_t)vsnprintf(w->out + w->used, w->size - w->used, format, list);
    va_end(list);
}

/* Operands as they are, in all places. */
static bool is_plain(const struct kt_call *call)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    for (int i = 0; i < symbol->params; i++) {
        char text[KT_PARAM_TEXT];
        const struct kt_param *p = &symbol->param[i];
        if (p->arg >= 0 && symbol->routine->arg[p->arg].role == KT_TRANS &&
            strcmp(kt_param_text(call, p, text), "N") != 0)
            return false;
    }
    return true;
}

static void add_main(struct words *w, const struct kt_call *call, bool sizes)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    const char *separator = " ";
    bool plain = is_plain(call);
    for (int i = 0; i < symbol->params; i++) {
        char text[KT_PARAM_TEXT];
        const struct kt_param *p = &symbol->param[i];
        enum kt_role role = p->arg < 0 ? KT_SIZE + 1 : symbol->routine->arg[p->arg].role;
        if (kt_stored_is_address(p->stored) || role > KT_SIZE || (role == KT_SIZE) != sizes ||
            (plain && role == KT_TRANS))
            continue;
        add(w, "%s%s", separator, kt_param_text(call, p, text));
        separator = sizes ? "x" : " ";
    }
}

static bool is_complex(const struct kt_param *p)
{
    return p->stored == KT_CFLOAT || p->stored == KT_CDOUBLE;
}

static bool is_usual(const struct kt_param *p, enum kt_role role, const char *text)
{
    if (role == KT_SCALAR)
        return is_complex(p) || !strcmp(text, strcmp(p->name, "beta") != 0 ? "1" : "0");
    return role != KT_INC || !strcmp(text, "1");
}

/* Of numbers as many digits as can be read at a glance. */
static void shorten(const struct kt_call *call, const struct kt_param *p, char text[KT_PARAM_TEXT])
{
    if (p->stored == KT_DOUBLE || p->stored == KT_FLOAT)
        snprintf(text, KT_PARAM_TEXT, "%.3g", kt_stored_value(call->args, p, NULL));
}

static void add_unusual(struct words *w, const struct kt_call *call)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    for (int i = 0; i < symbol->params; i++) {
        char text[KT_PARAM_TEXT];
        const struct kt_param *p = &symbol->param[i];
        if (kt_stored_is_address(p->stored))
            continue;
        kt_param_text(call, p, text);
        if (p->arg == KT_ARG_LAYOUT && !strcmp(text, "row"))
            add(w, " row");
        if (p->arg < 0 || is_usual(p, symbol->routine->arg[p->arg].role, text))
            continue;
        shorten(call, p, text);
        add(w, " %s=%s", p->name, text);
    }
}

static void add_dimensions(struct words *w, const struct kt_call *call)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    kt_values_decode(&call->entry->symbol, call->args, &values);
    int count = kt_operands(&call->entry->symbol, &values, sizeof(int), operand);
    for (int i = 0; i < count; i++)
        if (operand[i].cols > 1 && operand[i].ld > operand[i].rows && operand[i].access != KT_WORK)
            add(w, " ld%s=%" PRId64, operand[i].name, operand[i].ld);
}

void kt_shape_words(const struct kt_call *call, char *out, size_t size)
{
    struct words w = {.out = out, .size = size};
    add(&w, "%s", call->entry->symbol.routine->name);
    add_main(&w, call, false);
    add_main(&w, call, true);
    add_unusual(&w, call);
    add_dimensions(&w, call);
}
