/* SPDX-License-Identifier: BSD-3-Clause */
/* ktgen: the functions that calls of BLAS routines go through, one per symbol, readable C. */
#include "ktrace/format.h"
#include "trace/generate/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The widest register contents a result can have, so that nothing is lost whatever the library's convention:
 * float functions of some compilers return double, integers may have 32 or 64 bits.
 */
static const char *result_type(const struct kt_symbol *s)
{
    if (!kt_gen_returns_value(s))
        return "void";
    return s->routine->result == KT_I ? "int64_t" : "double";
}

static const char *param_type(const struct kt_param *p)
{
    if (!p->by_value)
        return "void *";
    switch (p->stored) {
    case KT_FLOAT:
        return "float ";
    case KT_DOUBLE:
        return "double ";
    case KT_INT:
        return "int64_t ";
    default:
        return "int ";
    }
}

static void print_params(const struct kt_symbol *s, bool types, bool names)
{
    int printed = 0;
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        kt_gen_separator(&printed);
        printf("%s%s", types ? param_type(p) : "", names ? p->name : "");
    }
    for (int i = 0; i < s->params; i++) {
        if (!kt_gen_has_length(s, &s->param[i]))
            continue;
        kt_gen_separator(&printed);
        printf("%s", types ? "size_t " : "");
        if (names)
            printf("%s_length", s->param[i].name);
    }
}

/* One of the 8-byte words that a parameter takes in a record, or its part of one, as an expression. */
static void print_part(const struct kt_symbol *s, const struct kt_param *p, int word)
{
    const char *n = p->name;
    switch (p->stored) {
    case KT_CHAR:
        printf("kt_letter(%s)", n);
        break;
    case KT_ENUM:
        printf("kt_code(%s)", n);
        break;
    case KT_INT:
        printf("(uint64_t)%s(%s, frame.binding->wide)", p->by_value ? "kt_integer_value" : "kt_integer", n);
        break;
    case KT_FLOAT:
        printf("%s(%s)", p->by_value ? "kt_float_half" : "kt_half_word", n);
        break;
    case KT_DOUBLE:
        printf(p->by_value ? "kt_double_word(%s)" : "kt_word(%s, 0)", n);
        break;
    case KT_CFLOAT:
    case KT_CDOUBLE:
        printf("kt_word(%s, %d)", n, word - p->offset / 8);
        break;
    case KT_ADDRESS:
    case KT_CODE:
        printf("(uintptr_t)%s", n);
    }
    (void)s;
}

/* Parameters never cross words but for those that take two. */
static void print_word(const struct kt_symbol *s, int word)
{
    const char *before = "            ";
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        int last = p->offset + (int)kt_stored_bytes(p->stored) - 1;
        if (p->offset / 8 > word || last / 8 < word)
            continue;
        printf("%s", before);
        print_part(s, p, word);
        if (p->offset % 8)
            printf(" << %d", 8 * (p->offset % 8));
        before = " | ";
    }
    printf(",\n");
}

static void print_call(const struct kt_symbol *s)
{
    bool value = kt_gen_returns_value(s);
    printf("    %s%s((%s (*)(", value ? result_type(s) : "", value ? " result = " : "", result_type(s));
    print_params(s, true, false);
    printf("))frame.binding->target)(");
    print_params(s, false, true);
    printf(");\n");
}

static void print_signature(const struct kt_symbol *s, const char *end)
{
    printf("KT_HIDDEN %s kt_wrap_%s(", result_type(s), s->name);
    print_params(s, true, true);
    printf(")%s\n", end);
}

static const char *end_of(const struct kt_symbol *s)
{
    if (!kt_gen_returns_value(s))
        return "kt_end(&frame);";
    return s->routine->result == KT_I ? "kt_end_returning(&frame, (uint64_t)result);"
                                      : "kt_end_returning(&frame, kt_double_word(result));";
}

static void print_wrapper(const struct kt_symbol *s, int number, void *section)
{
    (void)number;
    if (!kt_gen_is_compiled(s) || strcmp(s->routine->section, section) != 0)
        return;
    print_signature(s, ";");
    print_signature(s, "\n{");
    printf("    struct kt_slot *slot = kt_called_slot();\n"
           "    void *caller = __builtin_return_address(0);\n"
           "    struct kt_frame frame;\n"
           "    if (KT_LIKELY(kt_enter(&frame, kt_binding_for(slot, caller)))) {\n"
           "        _Alignas(16) uint64_t word[] = {\n            0,\n            (uintptr_t)caller,\n");
    for (int word = 0; word < s->arg_bytes / 8; word++)
        print_word(s, word);
    int words = KT_CALL_HEAD_WORDS + s->arg_bytes / 8;
    printf("%s        };\n        kt_begin(&frame, word, %d);\n    }\n", words % 2 ? "            0,\n" : "", words);
    print_call(s);
    printf("    %s\n%s}\n\n", end_of(s), kt_gen_returns_value(s) ? "    return result;\n" : "");
}

void kt_gen_wrappers(const struct kt_table *table, const char *section)
{
    char name[KT_NAME];
    snprintf(name, sizeof name, "%s", section);
    printf("/* Made by ktgen from trace/routines, section %s. */\n"
           "#include \"preload/wrapper.h\"\n\n",
           section);
    kt_gen_symbols(table, print_wrapper, name);
}
