/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/shape_words.h"

#include "trace/base/memory.h"
#include "trace/shape/shape.h"
#include "trace/table/operand.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

static enum kt_role role_of(const struct kt_symbol *symbol, int param)
{
    int arg = symbol->param[param].arg;
    return arg < 0 ? KT_INFO : symbol->routine->arg[arg].role;
}

/* Operands as they are, in all places, and no other option: letters that differ stand in the same place in all words
 * of a routine that has others. */
static bool is_plain(const struct kt_call *call)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    for (int i = 0; i < symbol->params; i++) {
        char text[KT_PARAM_TEXT];
        enum kt_role role = role_of(symbol, i);
        if (role < KT_SIZE && (role != KT_TRANS || strcmp(kt_param_text(call, &symbol->param[i], text), "N") != 0))
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
        enum kt_role role = role_of(symbol, i);
        if (kt_stored_is_address(p->stored) || role > KT_SIZE || (role == KT_SIZE) != sizes ||
            (plain && role == KT_TRANS))
            continue;
        add(w, "%s%s", separator, kt_param_text(call, p, text));
        separator = sizes ? "x" : " ";
    }
}

/* 1, or 0 as beta. */
static bool is_usual(const struct kt_call *call, const struct kt_param *p, enum kt_role role)
{
    double imaginary = 0;
    if (role != KT_SCALAR && role != KT_INC)
        return true;
    double real =
        role == KT_INC ? (double)kt_stored_integer(call->args, p) : kt_stored_value(call->args, p, &imaginary);
    return imaginary == 0 && real == (role == KT_SCALAR && !strcmp(p->name, "beta") ? 0 : 1);
}

/* As many digits as can be read at a glance; all of them where these would be the number 0, 1 or -1, which it is not.
 */
static void shorten(const struct kt_call *call, const struct kt_param *p, char text[KT_PARAM_TEXT])
{
    double imaginary = 0;
    char less[KT_PARAM_TEXT];
    if (p->stored == KT_INT)
        return;
    double value = kt_stored_value(call->args, p, &imaginary);
    int used = snprintf(less, sizeof less, "%.3g", value);
    if (p->stored == KT_CFLOAT || p->stored == KT_CDOUBLE)
        snprintf(less + used, sizeof less - (size_t)used, "%+.3gi", imaginary);
    double rounded = strtod(less, NULL);
    if (rounded == value || (rounded != 0 && fabs(rounded) != 1))
        strcpy(text, less);
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
        if (p->arg < 0 || is_usual(call, p, role_of(symbol, i)))
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

static void add_also(struct words *w, const struct kt_call *call, uint64_t also)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    char text[KT_PARAM_TEXT];
    for (int i = 0; i < symbol->params; i++)
        if (also >> i & 1)
            add(w, " %s=%s", symbol->param[i].name, kt_param_text(call, &symbol->param[i], text));
    if (also >> KT_WORDS_SYMBOL & 1)
        add(w, " by %s", symbol->name);
    if (also >> KT_WORDS_LIBRARY & 1)
        add(w, " of %s", call->entry->library->path);
}

void kt_shape_words(const struct kt_call *call, uint64_t also, char *out, size_t size)
{
    struct words w = {.out = out, .size = size};
    struct kt_values values;
    kt_values_decode(&call->entry->symbol, call->args, &values);
    add(&w, "%s", call->entry->symbol.routine->name);
    if (kt_is_query(call->entry->symbol.routine, &values))
        add(&w, " query");
    add_main(&w, call, false);
    add_main(&w, call, true);
    add_unusual(&w, call);
    add_dimensions(&w, call);
    add_also(&w, call, also);
}

/* --- told apart ---------------------------------------------------------------------------------------------- */

struct worded {
    const struct kt_call *call;
    uint64_t *also;
    char words[256];
};

static int compare_worded(const void *a, const void *b)
{
    return strcmp(((const struct worded *)a)->words, ((const struct worded *)b)->words);
}

static uint64_t differ_in_symbol(const struct kt_call *a, const struct kt_call *b)
{
    return strcmp(a->entry->symbol.name, b->entry->symbol.name) != 0 ? 1ull << KT_WORDS_SYMBOL : 0;
}

static uint64_t differ_in_library(const struct kt_call *a, const struct kt_call *b)
{
    return strcmp(a->entry->library->path, b->entry->library->path) != 0 ? 1ull << KT_WORDS_LIBRARY : 0;
}

/* Of calls of one symbol. */
static uint64_t differ_in_parameters(const struct kt_call *a, const struct kt_call *b)
{
    const struct kt_symbol *symbol = &a->entry->symbol;
    uint64_t out = 0;
    for (int i = 0; i < symbol->params; i++) {
        char text[2][KT_PARAM_TEXT];
        const struct kt_param *p = &symbol->param[i];
        bool tells = !kt_stored_is_address(p->stored) && role_of(symbol, i) != KT_INFO;
        if (tells && strcmp(kt_param_text(a, p, text[0]), kt_param_text(b, p, text[1])) != 0)
            out |= 1ull << i;
    }
    return out;
}

/* All that have the same words say besides what tells one of them from the first. */
static bool tell_apart(struct worded *worded, size_t count,
                       uint64_t (*differ)(const struct kt_call *, const struct kt_call *))
{
    bool alike = false;
    for (size_t i = 0; i < count; i++)
        kt_shape_words(worded[i].call, *worded[i].also, worded[i].words, sizeof worded[i].words);
    qsort(worded, count, sizeof *worded, compare_worded);
    for (size_t from = 0, to; from < count; from = to) {
        uint64_t also = 0;
        for (to = from + 1; to < count && !strcmp(worded[to].words, worded[from].words); to++)
            also |= differ(worded[from].call, worded[to].call);
        for (size_t i = from; i < to; i++)
            *worded[i].also |= also;
        alike = alike || to - from > 1;
    }
    return alike;
}

void kt_shape_words_apart(const struct kt_call *const *call, size_t count, uint64_t *also)
{
    struct worded *worded = kt_resize(NULL, count + 1, sizeof *worded);
    for (size_t i = 0; i < count; i++) {
        also[i] = 0;
        worded[i] = (struct worded){.call = call[i], .also = &also[i]};
    }
    if (count && tell_apart(worded, count, differ_in_symbol) && tell_apart(worded, count, differ_in_parameters))
        tell_apart(worded, count, differ_in_library);
    free(worded);
}
