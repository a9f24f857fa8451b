/* SPDX-License-Identifier: BSD-3-Clause */
/* ktgen: the functions that calls of BLAS routines go through, one per symbol, readable C. */
#include "trace/gen.h"

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

/* A member of the record and how it is read through a pointer. */
struct member {
    const char *type, *load;
};

static struct member member_of(enum kt_stored stored)
{
    static const struct member member[] = {[KT_CHAR] = {"unsigned char", "kt_char"},
                                           [KT_ENUM] = {"int32_t", ""},
                                           [KT_INT] = {"int64_t", ""},
                                           [KT_FLOAT] = {"float", "kt_float"},
                                           [KT_DOUBLE] = {"double", "kt_double"},
                                           [KT_CFLOAT] = {"struct kt_complex_float", "kt_complex_float"},
                                           [KT_CDOUBLE] = {"struct kt_complex_double", "kt_complex_double"},
                                           [KT_ADDRESS] = {"uint64_t", ""},
                                           [KT_CODE] = {"uint64_t", ""}};
    return member[stored];
}

static int by_offset(const void *a, const void *b)
{
    const struct kt_param *p = a;
    const struct kt_param *q = b;
    return p->offset - q->offset;
}

static void print_args_struct(const struct kt_symbol *s)
{
    struct kt_param sorted[KT_MAX_PARAMS];
    memcpy(sorted, s->param, sizeof sorted);
    qsort(sorted, (size_t)s->params, sizeof *sorted, by_offset);
    printf("struct args_%s {\n", s->name);
    for (int i = 0; i < s->params; i++)
        printf("    %s %s;\n", member_of(sorted[i].stored).type, sorted[i].name);
    printf("};\n_Static_assert(sizeof(struct args_%s) == %d, \"layout\");\n\n", s->name, s->arg_bytes);
}

static void print_store(const struct kt_param *p)
{
    const char *n = p->name;
    printf("        args->%s = ", n);
    if (p->stored == KT_ADDRESS)
        printf("(uintptr_t)%s;\n", n);
    else if (p->stored == KT_INT)
        printf("%s(%s, frame.binding->wide);\n", p->by_value ? "kt_integer_value" : "kt_integer", n);
    else if (p->by_value)
        printf("%s;\n", n);
    else
        printf("%s(%s);\n", member_of(p->stored).load, n);
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

static void print_wrapper(const struct kt_symbol *s, int number, void *section)
{
    (void)number;
    if (!kt_gen_is_compiled(s) || strcmp(s->routine->section, section) != 0)
        return;
    print_args_struct(s);
    print_signature(s, ";");
    print_signature(s, "\n{");
    printf("    struct kt_slot *slot = kt_called_slot();\n"
           "    void *caller = __builtin_return_address(0);\n"
           "    struct kt_frame frame;\n"
           "    struct args_%s *args = kt_enter(&frame, kt_binding_for(slot, caller), sizeof *args, caller);\n"
           "    if (KT_LIKELY(args)) {\n",
           s->name);
    for (int i = 0; i < s->params; i++)
        print_store(&s->param[i]);
    printf("    }\n    kt_begin(&frame, sizeof *args);\n");
    print_call(s);
    printf("    kt_end(&frame);\n%s}\n\n", kt_gen_returns_value(s) ? "    return result;\n" : "");
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
