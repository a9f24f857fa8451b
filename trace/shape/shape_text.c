/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments and shapes in words. */
#include "trace/shape/shape.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

char *kt_number_text(double value, bool is_float, char *out, size_t size)
{
    for (int digits = is_float ? 6 : 15; digits <= 17; digits++) {
        snprintf(out, size, "%.*g", digits, value);
        double back = strtod(out, NULL);
        if (is_float ? (float)back == (float)value : back == value)
            break;
    }
    return out;
}

static void letter_text(char letter, char *out)
{
    snprintf(out, KT_PARAM_TEXT, "%c", isprint((unsigned char)letter) ? letter : '?');
}

static void enum_text(const struct kt_param *p, int value, char *out)
{
    char letter = kt_cblas_letter(value);
    if (p->arg == KT_ARG_LAYOUT && (value == 101 || value == 102))
        snprintf(out, KT_PARAM_TEXT, "%s", value == 101 ? "row" : "col");
    else if (letter != ' ')
        letter_text(letter, out);
    else
        snprintf(out, KT_PARAM_TEXT, "%d", value);
}

static void scalar_text(const struct kt_param *p, const unsigned char *args, char *out)
{
    char part[KT_PARAM_TEXT / 2 - 2];
    double imaginary;
    bool is_float = p->stored == KT_FLOAT || p->stored == KT_CFLOAT;
    kt_number_text(kt_stored_value(args, p, &imaginary), is_float, out, sizeof part);
    if (p->stored != KT_CFLOAT && p->stored != KT_CDOUBLE)
        return;
    size_t length = strlen(out);
    kt_number_text(imaginary, is_float, part, sizeof part);
    snprintf(out + length, KT_PARAM_TEXT - length, "%s%si", *part == '-' ? "" : "+", part);
}

char *kt_param_text(const struct kt_call *call, const struct kt_param *param, char out[KT_PARAM_TEXT])
{
    int64_t integer;
    switch (param->stored) {
    case KT_CHAR:
        letter_text((char)call->args[param->offset], out);
        break;
    case KT_ENUM:
        enum_text(param, (int)kt_stored_value(call->args, param, NULL), out);
        break;
    case KT_INT:
        memcpy(&integer, call->args + param->offset, sizeof integer);
        snprintf(out, KT_PARAM_TEXT, "%" PRId64, integer);
        break;
    case KT_ADDRESS:
    case KT_CODE:
        snprintf(out, KT_PARAM_TEXT, "0x%" PRIx64, kt_stored_address(call->args, param));
        break;
    default:
        scalar_text(param, call->args, out);
    }
    return out;
}

struct shape_line {
    char *out;
    size_t used, width;
    bool full;
};

/* A word that does not fit leaves ".." and ends the line. */
static void add_word(struct shape_line *line, const char *name, const char *value)
{
    char word[2 * KT_PARAM_TEXT];
    snprintf(word, sizeof word, "%s%s%s%s", line->used ? " " : "", name, *name ? "=" : "", value);
    size_t length = strlen(word);
    if (line->full)
        return;
    if (line->used + length > line->width) {
        line->full = true;
        snprintf(word, sizeof word, "..");
        line->used = line->used + 2 <= line->width ? line->used : line->width - 2;
        length = 2;
    }
    memcpy(line->out + line->used, word, length + 1);
    line->used += length;
}

static bool is_main(enum kt_role role)
{
    return role <= KT_SIZE; /* options and sizes */
}

static void add_words(struct shape_line *line, const struct kt_call *call, bool main_ones)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    for (int i = 0; i < symbol->params; i++) {
        char text[KT_PARAM_TEXT];
        const struct kt_param *p = &symbol->param[i];
        enum kt_role role = p->arg < 0 ? KT_OPTION : symbol->routine->arg[p->arg].role;
        if (kt_stored_is_address(p->stored) || role == KT_INFO || is_main(role) != main_ones)
            continue;
        kt_param_text(call, p, text);
        if (role != KT_INC || strcmp(text, "1") != 0)
            add_word(line, main_ones ? "" : p->name, text);
    }
}

void kt_shape_text(const struct kt_call *call, char *out, size_t width)
{
    struct shape_line line = {.out = out, .width = width < 2 ? 2 : width};
    struct kt_values values;
    kt_values_decode(&call->entry->symbol, call->args, &values);
    *out = '\0';
    if (kt_is_query(call->entry->symbol.routine, &values))
        add_word(&line, "", "query");
    add_words(&line, call, true);
    add_words(&line, call, false);
}
