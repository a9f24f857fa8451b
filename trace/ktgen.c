/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktgen turns trace/routines into code; make runs it and keeps what it prints in the build folder.
 *
 *     ktgen SPEC sections          the sections, one per line
 *     ktgen SPEC wrappers SECTION  the functions of libktrace.so for one section, readable C
 *     ktgen SPEC slots             the shim's table of symbols
 *     ktgen SPEC thunks            calls by prototype class for replay (replay/call.h)
 *     ktgen SPEC manual            the routine list, Markdown
 *     ktgen SPEC check             nothing if the table is sound, otherwise what is wrong, status 1
 */
#include "trace/spec.h"
#include "trace/symbol.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls VISIT for every symbol of the table, in the order that numbers the slots. */
typedef void visit_symbol(const struct kt_symbol *symbol, int number, void *context);

static int each_symbol(const struct kt_table *table, visit_symbol *visit, void *context)
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

/* --- what follows from a symbol ---------------------------------------------------------------------------- */

static bool passes_float(const struct kt_param *p)
{
    return p->by_value && (p->stored == KT_FLOAT || p->stored == KT_DOUBLE);
}

/* gfortran passes the length of every character argument behind all others. */
static bool has_length(const struct kt_symbol *s, const struct kt_param *p)
{
    return s->view == KT_FORTRAN && p->stored == KT_CHAR;
}

static bool returns_value(const struct kt_symbol *s)
{
    bool sub = s->view == KT_CBLAS && kt_type_is_complex(s->routine->result);
    return s->routine->has_result && !sub;
}

static bool returns_complex(const struct kt_symbol *s)
{
    return returns_value(s) && kt_type_is_complex(s->routine->result);
}

/*
 * The widest register contents a result can have, so that nothing is lost whatever the library's convention:
 * float functions of some compilers return double, integers may have 32 or 64 bits, complex ones fill two registers.
 */
static const char *result_type(const struct kt_symbol *s)
{
    if (!returns_value(s))
        return "void";
    if (s->routine->result == KT_I)
        return "int64_t";
    return returns_complex(s) ? "double _Complex" : "double";
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

/* --- wrappers ---------------------------------------------------------------------------------------------- */

static void print_separator(int *printed)
{
    if ((*printed)++)
        printf(", ");
}

static void print_params(const struct kt_symbol *s, bool types, bool names)
{
    int printed = 0;
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        print_separator(&printed);
        printf("%s%s", types ? param_type(p) : "", names ? p->name : "");
    }
    for (int i = 0; i < s->params; i++) {
        if (!has_length(s, &s->param[i]))
            continue;
        print_separator(&printed);
        printf("%s", types ? "size_t " : "");
        if (names)
            printf("%s_length", s->param[i].name);
    }
    /* Some compilers return complex results through a hidden first argument: one more word is passed on. */
    if (s->view == KT_FORTRAN && returns_complex(s)) {
        print_separator(&printed);
        printf("%s%s", types ? "void *" : "", names ? "sixth" : "");
    }
}

static const char *member_type(enum kt_stored stored)
{
    static const char *const type[] = {[KT_CHAR] = "unsigned char",
                                       [KT_ENUM] = "int32_t",
                                       [KT_INT] = "int64_t",
                                       [KT_FLOAT] = "float",
                                       [KT_DOUBLE] = "double",
                                       [KT_CFLOAT] = "struct complex_float",
                                       [KT_CDOUBLE] = "struct complex_double",
                                       [KT_ADDRESS] = "uint64_t"};
    return type[stored];
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
        printf("    %s %s;\n", member_type(sorted[i].stored), sorted[i].name);
    printf("};\n_Static_assert(sizeof(struct args_%s) == %d, \"layout\");\n\n", s->name, s->arg_bytes);
}

static bool is_info(const struct kt_symbol *s, const struct kt_param *p)
{
    return p->arg >= 0 && s->routine->arg[p->arg].role == KT_INFO;
}

static void print_store(const struct kt_symbol *s, const struct kt_param *p)
{
    const char *n = p->name;
    if (is_info(s, p))
        return;
    printf("        args->%s = ", n);
    if (p->stored == KT_ADDRESS)
        printf("(uintptr_t)%s;\n", n);
    else if (p->stored == KT_INT)
        printf("%s(%s, frame.binding->wide);\n", p->by_value ? "kt_integer_value" : "kt_integer", n);
    else if (p->by_value)
        printf("%s;\n", n);
    else
        printf("load_%s(%s);\n",
               strrchr(member_type(p->stored), ' ') ? strrchr(member_type(p->stored), ' ') + 1 : member_type(p->stored),
               n);
}

static void print_call(const struct kt_symbol *s)
{
    bool value = returns_value(s);
    printf("    %s%s((%s (*)(", value ? result_type(s) : "", value ? " result = " : "", result_type(s));
    print_params(s, true, false);
    printf("))frame.binding->target)(");
    print_params(s, false, true);
    printf(");\n");
}

static void print_info_store(const struct kt_symbol *s)
{
    for (int i = 0; i < s->params; i++)
        if (is_info(s, &s->param[i]))
            printf("    if (frame.record)\n        args->%s = kt_integer(%s, frame.binding->wide);\n", s->param[i].name,
                   s->param[i].name);
}

static void print_signature(const struct kt_symbol *s, const char *end)
{
    printf("KT_EXPORT %s %s(", result_type(s), s->name);
    print_params(s, true, true);
    printf(")%s\n", end);
}

struct section {
    const char *name;
};

static void print_wrapper(const struct kt_symbol *s, int number, void *context)
{
    const struct section *section = context;
    if (strcmp(s->routine->section, section->name) != 0)
        return;
    print_args_struct(s);
    print_signature(s, ";");
    print_signature(s, "\n{");
    printf("    struct kt_frame frame;\n"
           "    struct args_%s *args = kt_enter(&frame, &kt_slots[%d], sizeof *args, __builtin_return_address(0));\n"
           "    if (KT_LIKELY(args)) {\n",
           s->name, number);
    for (int i = 0; i < s->params; i++)
        print_store(s, &s->param[i]);
    printf("    }\n    kt_begin(&frame, sizeof *args);\n");
    print_call(s);
    printf("    kt_end(&frame);\n");
    print_info_store(s);
    printf("%s}\n\n", returns_value(s) ? "    return result;\n" : "");
}

static void print_wrappers(const struct kt_table *table, const char *name)
{
    struct section section = {name};
    printf("/* Made by ktgen from trace/routines, section %s. */\n"
           "#include \"preload/wrapper.h\"\n\n",
           name);
    each_symbol(table, print_wrapper, &section);
}

/* --- the shim's table -------------------------------------------------------------------------------------- */

static void print_c_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void print_slot(const struct kt_symbol *s, int number, void *context)
{
    (void)number;
    (void)context;
    printf("    {\"%s\", \"%s\", \"%s\",\n     ", s->name, kt_view_name[s->view], s->routine->name);
    print_c_string(s->routine->text);
    printf("},\n");
}

static void print_slots(const struct kt_table *table)
{
    printf("/* Made by ktgen from trace/routines. */\n#include \"preload/shim.h\"\n\n"
           "const struct kt_slot_info kt_slot_infos[] = {\n");
    int count = each_symbol(table, print_slot, NULL);
    printf("};\n\nconst unsigned kt_slot_count = %d;\n"
           "struct kt_slot kt_slots[%d] = {[0 ... %d] = {.recent = &kt_unbound}};\n",
           count, count, count - 1);
}

/* --- thunks ------------------------------------------------------------------------------------------------ */

struct thunk_class {
    int words, numbers;
    bool is_float, float_result;
};

struct thunk_classes {
    struct thunk_class item[1024];
    int count;
};

static struct thunk_class class_of(const struct kt_symbol *s)
{
    struct thunk_class c = {0};
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        c.numbers += passes_float(p);
        c.words += !passes_float(p) + has_length(s, p);
        c.is_float |= passes_float(p) && p->stored == KT_FLOAT;
    }
    c.float_result = returns_value(s) && s->routine->result != KT_I;
    return c;
}

static void collect_class(const struct kt_symbol *s, int number, void *context)
{
    (void)number;
    struct thunk_classes *all = context;
    struct thunk_class c = class_of(s);
    for (int i = 0; i < all->count; i++) {
        const struct thunk_class *o = &all->item[i];
        if (o->words == c.words && o->numbers == c.numbers && o->is_float == c.is_float &&
            o->float_result == c.float_result)
            return;
    }
    if (all->count < (int)(sizeof all->item / sizeof *all->item))
        all->item[all->count++] = c;
}

/* COUNT items, separated by commas: "before" or, with an index, "before0after", "before1after", ... */
static void print_items(int *printed, int count, const char *before, const char *after)
{
    for (int i = 0; i < count; i++) {
        print_separator(printed);
        printf("%s", before);
        if (after)
            printf("%d%s", i, after);
    }
}

static void print_thunk_name(const struct thunk_class *c)
{
    printf("call_%d_words_%d_%ss%s", c->words, c->numbers, c->is_float ? "float" : "double",
           c->float_result ? "_to_number" : "");
}

static void print_thunk(const struct thunk_class *c)
{
    printf("static void ");
    print_thunk_name(c);
    printf("(void *function, const struct kt_parameters *p, struct kt_returned *out)\n{\n    ");
    printf("%s result = ((%s (*)(", c->float_result ? "double _Complex" : "int64_t",
           c->float_result ? "double _Complex" : "int64_t");
    int printed = 0;
    print_items(&printed, c->words, "int64_t", NULL);
    print_items(&printed, c->numbers, c->is_float ? "float" : "double", NULL);
    printf("))function)(");
    printed = 0;
    print_items(&printed, c->words, "p->word[", "]");
    print_items(&printed, c->numbers, c->is_float ? "(float)p->number[" : "p->number[", "]");
    printf(");\n    memcpy(%s, &result, sizeof result);\n}\n\n", c->float_result ? "out->number" : "&out->integer");
}

static void print_thunks(const struct kt_table *table)
{
    static struct thunk_classes all;
    each_symbol(table, collect_class, &all);
    printf("/* Made by ktgen from trace/routines. */\n#include \"replay/call.h\"\n\n#include <string.h>\n\n");
    for (int i = 0; i < all.count; i++)
        print_thunk(&all.item[i]);
    printf("kt_thunk *kt_thunk_find(int words, int numbers, bool is_float, bool float_result)\n{\n");
    for (int i = 0; i < all.count; i++) {
        const struct thunk_class *c = &all.item[i];
        printf("    if (words == %d && numbers == %d && %sis_float && %sfloat_result)\n        return ", c->words,
               c->numbers, c->is_float ? "" : "!", c->float_result ? "" : "!");
        print_thunk_name(c);
        printf(";\n");
    }
    printf("    return NULL;\n}\n");
}

/* --- manual ------------------------------------------------------------------------------------------------ */

static bool is_first_of_family(const struct kt_table *table, size_t i)
{
    return i == 0 || strcmp(table->routine[i].text, table->routine[i - 1].text) != 0;
}

static void print_family(const struct kt_table *table, size_t first)
{
    const struct kt_routine *r = &table->routine[first];
    printf("| ");
    for (size_t i = first; i < table->count && (i == first || !is_first_of_family(table, i)); i++)
        printf("%s%s", i == first ? "" : " ", table->routine[i].name);
    printf(" | %s | ", r->interfaces & KT_HAS_CBLAS ? "Fortran, CBLAS" : "Fortran");
    for (int i = 0; i < r->args; i++)
        printf("%s%s", i ? ", " : "", r->arg[i].name);
    printf(" | %s |\n", r->mul.count || r->flops.count ? "yes" : "no");
}

static void print_manual(const struct kt_table *table)
{
    const char *section = "";
    printf("# Routines that ktrace records\n\nMade from trace/routines.\n");
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(section, table->routine[i].section) != 0) {
            section = table->routine[i].section;
            printf("\n## %s\n\n| routines | interfaces | arguments | operation count |\n|---|---|---|---|\n", section);
        }
        if (is_first_of_family(table, i))
            print_family(table, i);
    }
}

static void print_sections(const struct kt_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (i == 0 || strcmp(table->routine[i].section, table->routine[i - 1].section) != 0)
            printf("%s\n", table->routine[i].section);
}

/* --- validator --------------------------------------------------------------------------------------------- */

static int complain(const struct kt_routine *r, const char *what, const char *name)
{
    fprintf(stderr, "ktgen: %s: %s%s%s\n", r->name, what, *name ? " " : "", name);
    return 1;
}

/* Every leading dimension and increment belongs to some array, or the line has a slip. */
static int check_steps(const struct kt_routine *r)
{
    int wrong = 0;
    for (int i = 0; i < r->args; i++) {
        bool used = r->arg[i].role != KT_LD && r->arg[i].role != KT_INC;
        for (int a = 0; a < r->args && !used; a++)
            used = r->arg[a].role == KT_ARRAY && r->arg[a].shape.step == i;
        if (!used)
            wrong += complain(r, "no array uses", r->arg[i].name);
    }
    return wrong;
}

static int check_names(const struct kt_table *table, size_t index)
{
    const struct kt_routine *r = &table->routine[index];
    int wrong = 0;
    for (size_t i = 0; i < index; i++)
        if (!strcmp(table->routine[i].name, r->name))
            wrong += complain(r, "is described twice", "");
    for (int i = 0; i < r->args; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(r->arg[i].name, r->arg[j].name))
                wrong += complain(r, "has two arguments", r->arg[i].name);
    return wrong;
}

static int check_table(const struct kt_table *table)
{
    int wrong = 0;
    for (size_t i = 0; i < table->count; i++)
        wrong += check_names(table, i) + check_steps(&table->routine[i]);
    return wrong != 0;
}

/* --- main -------------------------------------------------------------------------------------------------- */

static int run(const struct kt_table *table, int argc, char **argv)
{
    const char *kind = argv[2];
    if (!strcmp(kind, "check"))
        return check_table(table);
    if (!strcmp(kind, "sections"))
        print_sections(table);
    else if (!strcmp(kind, "wrappers") && argc == 4)
        print_wrappers(table, argv[3]);
    else if (!strcmp(kind, "slots"))
        print_slots(table);
    else if (!strcmp(kind, "thunks"))
        print_thunks(table);
    else if (!strcmp(kind, "manual"))
        print_manual(table);
    else
        return KT_USAGE;
    return KT_OK;
}

int main(int argc, char **argv)
{
    struct kt_error error = {0};
    struct kt_table table;
    if (argc < 3) {
        fprintf(stderr, "usage: ktgen SPEC sections|wrappers SECTION|slots|thunks|manual|check\n");
        return KT_USAGE;
    }
    if (kt_spec_load(argv[1], &table, &error) != KT_OK) {
        fprintf(stderr, "ktgen: %s\n", error.text);
        return KT_BAD_INPUT;
    }
    int status = run(&table, argc, argv);
    kt_table_free(&table);
    return status;
}
