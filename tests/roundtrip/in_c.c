/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs in C: functions that make a call each, and a main() that calls them by all names of the symbols. */
#include "tests/roundtrip/programs.h"

#include "tests/parts/prototype.h"
#include "tests/roundtrip/call.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a parameter, which programs get with two decimals; ends the generator at one that a float would round.
 */
static double exact_value(const struct trip_call *call, const struct kt_param *p, double *imaginary)
{
    double value = kt_stored_value(call->args, p, imaginary);
    double printed = round(value * 100) / 100;
    if ((p->stored != KT_FLOAT && p->stored != KT_CFLOAT) || (double)(float)printed == printed)
        return value;
    fprintf(stderr, "%s: %s{%g} of the table is not the same in every type with two decimals\n", call->symbol.name,
            p->name, value);
    exit(1);
}

/* ELEMENTS: how many each array must have. */
static void print_c_declaration(const struct trip_call *call, const struct kt_param *p, size_t elements, int *array)
{
    static const char *const number[] = {
        [KT_FLOAT] = "float", [KT_DOUBLE] = "double", [KT_CFLOAT] = "float", [KT_CDOUBLE] = "double"};
    double imaginary;
    if (p->stored == KT_ADDRESS) {
        printf("    void *%s = fill_%c(%d, %zu);\n", p->name, "sdsdi"[trip_element_type(call, p)], (*array)++,
               trip_filled(elements));
        return;
    }
    if (p->stored == KT_CODE) {
        printf("    void *%s = (void *)choose;\n", p->name);
        return;
    }
    double value = exact_value(call, p, &imaginary);
    if (p->stored == KT_CHAR)
        printf("    char %s = '%c';\n", p->name, (int)value);
    else if (p->stored == KT_ENUM)
        printf("    %s%s = %.0f;\n", kt_prototype_type(&call->symbol, p), p->name, value);
    else if (p->stored == KT_INT)
        printf("    int %s = %.0f;\n", p->name, value);
    else if (trip_is_complex(p))
        printf("    %s %s[2] = {%.2f, %.2f};\n", number[p->stored], p->name, value, imaginary);
    else
        printf("    %s %s = %.2f;\n", number[p->stored], p->name, value);
}

static void print_c_expectation(const struct trip_call *call)
{
    const struct kt_symbol *s = &call->symbol;
    const char *separator = "";
    printf("    printf(\"{\\\"routine\\\": \\\"%s\\\", \\\"symbol\\\": \\\"%%s\\\", \\\"args\\\": {", s->routine->name);
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        if (trip_is_info(call, p))
            continue;
        printf("%s\\\"%s\\\": ", separator, p->name);
        if (trip_is_address(p))
            printf("\\\"%%p\\\"");
        else
            trip_print_json(call, p, "\\\"");
        separator = ", ";
    }
    printf("}, ");
    trip_print_code(s, "\\\"");
    printf(", \\\"has_info\\\": %s}\\n\", symbol", trip_has_info(call) ? "true" : "false");
    for (int i = 0; i < s->params; i++)
        if (trip_is_address(&s->param[i]))
            printf(", %s", s->param[i].name);
    printf(");\n    fflush(stdout);\n");
}

/* How C passes the parameter: its value or its address; arrays are pointers already. */
static const char *passed_as(const struct kt_symbol *s, const struct kt_param *p)
{
    if (trip_is_complex(p))
        return p->by_value ? s->view == KT_CBLAS      ? ""
                             : p->stored == KT_CFLOAT ? "*(float _Complex *)"
                                                      : "*(double _Complex *)"
                           : "(void *)";
    return p->by_value || trip_is_address(p) ? "" : "&";
}

static void print_c_call(const struct trip_call *call)
{
    const struct kt_symbol *s = &call->symbol;
    printf("    (void)((__typeof__(%s) *)function)(", s->name);
    for (int i = 0, printed = 0; i < s->params; i++)
        if (!s->param[i].returned)
            printf("%s%s%s", printed++ ? ", " : "", passed_as(s, &s->param[i]), s->param[i].name);
    for (int i = 0; i < s->params; i++)
        if (kt_prototype_has_length(s, &s->param[i]))
            printf(", 1");
    printf(");\n");
}

static const char *layout_suffix(const struct trip_call *call)
{
    if (call->symbol.param[0].arg != KT_ARG_LAYOUT)
        return "";
    return call->row_major ? "_rows" : "_columns";
}

/* The Fortran interfaces are declared as the table has them, all others as a header of the reference library does. */
static bool is_in_header(const struct kt_symbol *s)
{
    bool extension = !strcmp(s->routine->section, "extensions");
    return s->view == KT_CBLAS ? !extension : s->view != KT_FORTRAN;
}

static void print_c_function(const struct trip_call *call, void *context)
{
    (void)context;
    int array = 0;
    size_t elements = trip_extent_of_call(call).elements;
    if (!is_in_header(&call->symbol)) {
        kt_prototype_print(stdout, &call->symbol);
        printf(";\n\n");
    }
    printf("static void call_%s%s(const char *symbol, void *function)\n{\n", call->symbol.name, layout_suffix(call));
    for (int i = 0; i < call->symbol.params; i++)
        if (!call->symbol.param[i].returned)
            print_c_declaration(call, &call->symbol.param[i], elements, &array);
    print_c_expectation(call);
    print_c_call(call);
    printf("}\n\n");
}

static void print_c_name(const struct kt_symbol *symbol, const char *name, bool common, void *context)
{
    (void)symbol, (void)common, (void)context;
    printf("\"%s\", ", name);
}

static void print_c_entry(const struct trip_call *call, void *context)
{
    (void)context;
    printf("    {call_%s%s, (void *)%s, {", call->symbol.name, layout_suffix(call), call->symbol.name);
    kt_symbol_names(&call->symbol, print_c_name, NULL);
    printf("NULL}},\n");
}

/* A fill function returns the I-th array with contents on which every routine ends without complaint. */
static void print_c_fill(char letter, const char *type, const char *value)
{
    printf("static void *fill_%c(int i, size_t count)\n{\n    %s *array = (%s *)arrays[i];\n", letter, type, type);
    printf("    for (size_t k = 0; k < 2 * count; k++)\n        array[k] = %s;\n", value);
    printf("    return array;\n}\n\n");
}

/*
 * Arguments are legal one by one, but a routine may ask more of them: then it refuses them, and the error handler
 * returns, or does anything. So a child process makes the calls; if one ends it, the next child goes on behind it.
 */
static void print_c_prologue(enum kt_view view, const struct trip_extent *extent)
{
    printf("/* Made by gen_roundtrip from trace/routines. */\n"
           "#include <dlfcn.h>\n#include <stddef.h>\n#include <stdio.h>\n#include <sys/mman.h>\n#include <sys/time.h>\n"
           "#include <sys/wait.h>\n#include <unistd.h>\n");
    if (view == KT_CBLAS)
        printf("#if __has_include(<cblas-netlib.h>)\n#include <cblas-netlib.h>\n#else\n#include <cblas.h>\n#endif\n");
    if (view == KT_LAPACKE || view == KT_LAPACKE_WORK)
        printf("#include <lapacke.h>\n");
    printf("\nenum { ARRAYS = %d, BYTES = 32 * %zu, GUARD = 1 << 26 };\n"
           "static unsigned char (*arrays)[BYTES];\n\n"
           "static int choose(void)\n{\n    return 1;\n}\n\n"
           "void xerbla_(void)\n{\n}\n\nvoid LAPACKE_xerbla(void)\n{\n}\n\n",
           extent->operands + 1, extent->elements);
    print_c_fill('s', "float", "1 + (float)(k % 7) / 8");
    print_c_fill('d', "double", "1 + (double)(k % 7) / 8");
    print_c_fill('i', "int", "1 + (int)k");
}

static void print_c_main(void)
{
    printf("static struct progress {\n    size_t entry, name;\n} *at;\n\n"
           "static void *function_at(void)\n{\n"
           "    return at->name ? dlsym(RTLD_DEFAULT, entries[at->entry].name[at->name]) : "
           "entries[at->entry].usual;\n}\n\n"
           "static void make_calls(void)\n{\n"
           "    const struct itimerval limit = {.it_value = {.tv_usec = 100000}};\n"
           "    for (; at->entry < COUNT; at->entry++, at->name = 0)\n"
           "        for (; entries[at->entry].name[at->name]; at->name++) {\n"
           "            setitimer(ITIMER_VIRTUAL, &limit, NULL);\n"
           "            entries[at->entry].call(entries[at->entry].name[at->name], function_at());\n"
           "        }\n}\n\n"
           "static int child_fails(void)\n{\n"
           "    int status;\n"
           "    pid_t child = fork();\n"
           "    if (child == 0) {\n        make_calls();\n        _exit(0);\n    }\n"
           "    return waitpid(child, &status, 0) != child || status;\n}\n\n"
           "int main(void)\n{\n"
           "    size_t bytes = sizeof(unsigned char[ARRAYS][BYTES]);\n"
           "    char *memory = mmap(NULL, bytes + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, "
           "-1, 0);\n"
           "    at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);\n"
           "    arrays = (void *)(memory + GUARD);\n"
           "    if (mprotect(arrays, bytes, PROT_READ | PROT_WRITE) != 0)\n        return 1;\n"
           "    while (child_fails()) {\n"
           "        fprintf(stderr, \"%%s does not return\\n\", entries[at->entry].name[at->name]);\n"
           "        at->name++;\n    }\n"
           "    return 0;\n}\n");
}

void trip_print_c(const struct kt_table *table, enum kt_view view)
{
    struct trip_extent extent = trip_extent_of_all(table, view);
    print_c_prologue(view, &extent);
    trip_each_call(table, view, print_c_function, NULL);
    printf("static const struct {\n    void (*call)(const char *symbol, void *function);\n    void *usual;\n"
           "    const char *name[16];\n} entries[] = {\n");
    trip_each_call(table, view, print_c_entry, NULL);
    printf("};\nenum { COUNT = sizeof entries / sizeof *entries };\n\n");
    print_c_main();
}
