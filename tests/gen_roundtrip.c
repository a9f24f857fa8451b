/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes programs that call every symbol of the table, each argument with a value of its own, and say before each
 * call what a trace of it must hold:
 *
 *     gen_roundtrip SPEC c|fortran|cblas|lapacke|lapacke_work|names > PROGRAM
 *
 *     c        C that calls the Fortran interfaces, with hidden lengths
 *     fortran  Fortran that calls the same under their usual names
 *     cblas    C that calls the CBLAS interfaces, row-major and column-major, through the header of a BLAS
 *     lapacke, lapacke_work  the same for LAPACKE
 *     names    a library that has all names and passes calls on to the usual ones in others
 *
 * The C programs call each symbol by all its names. The lines that the programs print are what
 * tests/roundtrip_check.py compares with `ktrace dump --json`:
 *
 *     {"routine": NAME, "symbol": NAME, "args": {NAME: VALUE}, "code": [NAME], "has_info": BOOLEAN}
 *
 * where "code" names the arguments that are addresses of procedures. All numbers, with two decimals, are exact in
 * every type.
 */
#include "tests/prototype.h"
#include "tests/synth.h"
#include "tests/table_load.h"
#include "trace/operand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
    struct kt_symbol symbol;
    bool row_major;
    unsigned char args[KT_SYNTH_ARG_BYTES];
};

typedef void visit_call(const struct call *call, void *context);

/* The calls of a program in order; a symbol with a layout is called twice. Always draws the same arguments. */
static void each_call(const struct kt_table *table, enum kt_view view, visit_call *visit, void *context)
{
    struct kt_synth synth = {.state = 1, .distinct = true};
    for (size_t i = 0; i < table->count; i++) {
        struct call call = {0};
        if (!kt_symbol_make(&table->routine[i], view, &call.symbol))
            continue;
        int layouts = call.symbol.param[0].arg == KT_ARG_LAYOUT ? 2 : 1;
        for (int layout = 0; layout < layouts; layout++) {
            call.row_major = layout == 1;
            kt_synth_arguments(&synth, &call.symbol, call.row_major, call.args);
            visit(&call, context);
        }
    }
}

/* --- what the programs have in common ---------------------------------------------------------------------- */

/* Workspaces are longer than any routine needs, and matrices of them (trsyl3) beyond measure. */
enum { MOST_ELEMENTS = 1 << 18, MOST_FILLED = 1 << 12 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

struct extent {
    size_t elements; /* that the largest operand spans */
    int operands;    /* of the call that has most */
};

static struct extent extent_of(const struct call *call)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    kt_values_decode(&call->symbol, call->args, &values);
    struct extent extent = {0, kt_operands(&call->symbol, &values, sizeof(int), operand)};
    for (int i = 0; i < extent.operands; i++) {
        size_t elements = smaller(operand[i].hi / operand[i].elem, MOST_ELEMENTS);
        extent.elements = elements > extent.elements ? elements : extent.elements;
    }
    return extent;
}

static void measure_call(const struct call *call, void *context)
{
    struct extent *most = context;
    struct extent extent = extent_of(call);
    most->operands = extent.operands > most->operands ? extent.operands : most->operands;
    most->elements = extent.elements > most->elements ? extent.elements : most->elements;
}

static bool is_info(const struct call *call, const struct kt_param *p)
{
    return p->arg >= 0 && call->symbol.routine->arg[p->arg].role == KT_INFO;
}

static bool has_info(const struct call *call)
{
    for (int i = 0; i < call->symbol.params; i++)
        if (is_info(call, &call->symbol.param[i]))
            return true;
    return false;
}

static bool is_complex(const struct kt_param *p)
{
    return p->stored == KT_CFLOAT || p->stored == KT_CDOUBLE;
}

/* The type of an array's elements. */
static enum kt_type element_type(const struct call *call, const struct kt_param *p)
{
    const struct kt_routine *r = call->symbol.routine;
    return p->arg == KT_ARG_RESULT ? r->result : r->arg[p->arg].type;
}

/* Value of a parameter, not an address, as JSON has it. QUOTE is how the program's strings write one. */
static void print_json(const struct call *call, const struct kt_param *p, const char *quote)
{
    double imaginary;
    double value = kt_stored_value(call->args, p, &imaginary);
    if (p->stored == KT_CHAR)
        printf("%s%c%s", quote, (int)value, quote);
    else if (is_complex(p))
        printf("[%.2f, %.2f]", value, imaginary);
    else if (p->stored == KT_INT || p->stored == KT_ENUM)
        printf("%.0f", value);
    else
        printf("%.2f", value);
}

/* The value of a parameter, which programs get with two decimals; ends the generator at one that a float would round.
 */
static double exact_value(const struct call *call, const struct kt_param *p, double *imaginary)
{
    double value = kt_stored_value(call->args, p, imaginary);
    double printed = round(value * 100) / 100;
    if ((p->stored != KT_FLOAT && p->stored != KT_CFLOAT) || (double)(float)printed == printed)
        return value;
    fprintf(stderr, "%s: %s{%g} of the table is not the same in every type with two decimals\n", call->symbol.name,
            p->name, value);
    exit(1);
}

/* --- C ----------------------------------------------------------------------------------------------------- */

/* ELEMENTS: how many each array must have. */
static void print_c_declaration(const struct call *call, const struct kt_param *p, size_t elements, int *array)
{
    static const char *const number[] = {
        [KT_FLOAT] = "float", [KT_DOUBLE] = "double", [KT_CFLOAT] = "float", [KT_CDOUBLE] = "double"};
    double imaginary;
    if (p->stored == KT_ADDRESS) {
        printf("    void *%s = fill_%c(%d, %zu);\n", p->name, "sdsdi"[element_type(call, p)], (*array)++,
               smaller(elements, MOST_FILLED));
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
    else if (is_complex(p))
        printf("    %s %s[2] = {%.2f, %.2f};\n", number[p->stored], p->name, value, imaginary);
    else
        printf("    %s %s = %.2f;\n", number[p->stored], p->name, value);
}

static bool is_address(const struct kt_param *p)
{
    return p->stored == KT_ADDRESS || p->stored == KT_CODE;
}

/* "code": [...], with QUOTE as print_json has it. */
static void print_code(const struct kt_symbol *s, const char *quote)
{
    const char *separator = "";
    printf("%scode%s: [", quote, quote);
    for (int i = 0; i < s->params; i++)
        if (s->param[i].stored == KT_CODE) {
            printf("%s%s%s%s", separator, quote, s->param[i].name, quote);
            separator = ", ";
        }
    printf("]");
}

static void print_c_expectation(const struct call *call)
{
    const struct kt_symbol *s = &call->symbol;
    const char *separator = "";
    printf("    printf(\"{\\\"routine\\\": \\\"%s\\\", \\\"symbol\\\": \\\"%%s\\\", \\\"args\\\": {", s->routine->name);
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        if (is_info(call, p))
            continue;
        printf("%s\\\"%s\\\": ", separator, p->name);
        if (is_address(p))
            printf("\\\"%%p\\\"");
        else
            print_json(call, p, "\\\"");
        separator = ", ";
    }
    printf("}, ");
    print_code(s, "\\\"");
    printf(", \\\"has_info\\\": %s}\\n\", symbol", has_info(call) ? "true" : "false");
    for (int i = 0; i < s->params; i++)
        if (is_address(&s->param[i]))
            printf(", %s", s->param[i].name);
    printf(");\n    fflush(stdout);\n");
}

/* How C passes the parameter: its value or its address; arrays are pointers already. */
static const char *passed_as(const struct kt_symbol *s, const struct kt_param *p)
{
    if (is_complex(p))
        return p->by_value ? s->view == KT_CBLAS      ? ""
                             : p->stored == KT_CFLOAT ? "*(float _Complex *)"
                                                      : "*(double _Complex *)"
                           : "(void *)";
    return p->by_value || is_address(p) ? "" : "&";
}

static void print_c_call(const struct call *call)
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

static const char *layout_suffix(const struct call *call)
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

static void print_c_function(const struct call *call, void *context)
{
    (void)context;
    int array = 0;
    size_t elements = extent_of(call).elements;
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

static void print_c_entry(const struct call *call, void *context)
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
static void print_c_prologue(enum kt_view view, const struct extent *extent)
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

static void print_c_program(const struct kt_table *table, enum kt_view view)
{
    struct extent extent = {0};
    each_call(table, view, measure_call, &extent);
    print_c_prologue(view, &extent);
    each_call(table, view, print_c_function, NULL);
    printf("static const struct {\n    void (*call)(const char *symbol, void *function);\n    void *usual;\n"
           "    const char *name[16];\n} entries[] = {\n");
    each_call(table, view, print_c_entry, NULL);
    printf("};\nenum { COUNT = sizeof entries / sizeof *entries };\n\n");
    print_c_main();
}

/* --- a library of all names -------------------------------------------------------------------------------- */

static void print_other_name(const struct kt_symbol *symbol, const char *name, bool common, void *context)
{
    (void)common, (void)context;
    printf("NAME(%s, %s)\n", name, symbol->name);
}

static void print_slot(const struct kt_symbol *symbol, const char *name, bool common, void *context)
{
    (void)common, (void)context;
    if (!strcmp(name, symbol->name))
        printf("SLOT(%s)\n", name);
}

/* For each interface of the table: VISIT its names. */
static void each_name(const struct kt_table *table, kt_name_visit *visit)
{
    for (size_t i = 0; i < table->count; i++)
        for (enum kt_view view = 0; view < KT_UNDESCRIBED; view++) {
            struct kt_symbol symbol;
            if (kt_symbol_make(&table->routine[i], view, &symbol))
                kt_symbol_names(&symbol, visit, NULL);
        }
}

/*
 * A name is a jump through the slot of the usual name, which is filled with what the libraries given to the compiler
 * as strings LIBRARIES define: not with what the dynamic linker would find, as that is the shim.
 */
static void print_names_library(const struct kt_table *table)
{
    printf("/* Made by gen_roundtrip from trace/routines. */\n#include <dlfcn.h>\n#include <stddef.h>\n\n"
           "#ifdef __aarch64__\n"
           "#define JUMP(slot) \"adrp x16, \" slot \"\\n ldr x16, [x16, :lo12:\" slot \"]\\n br x16\"\n"
           "#else\n#define JUMP(slot) \"jmp *\" slot \"(%%rip)\"\n#endif\n"
           "#define SLOT(usual) __attribute__((visibility(\"hidden\"))) void *slot_##usual;\n"
           "#define NAME(name, usual) \\\n"
           "    __asm__(\".text\\n .globl \" #name \"\\n .type \" #name \", %%function\\n\" #name \":\\n \" "
           "JUMP(\"slot_\" #usual));\n\n");
    each_name(table, print_slot);
    each_name(table, print_other_name);
    printf("\n#undef SLOT\n#define SLOT(usual) {#usual, &slot_##usual},\n"
           "static const struct {\n    const char *name;\n    void **slot;\n} slots[] = {\n");
    each_name(table, print_slot);
    printf("};\n\nstatic int nothing(void)\n{\n    return 0;\n}\n\n"
           "__attribute__((constructor)) static void fill_slots(void)\n{\n"
           "    static const char *const libraries[] = {LIBRARIES};\n"
           "    enum { COUNT = sizeof libraries / sizeof *libraries };\n"
           "    void *handle[COUNT];\n"
           "    for (int i = 0; i < COUNT; i++)\n"
           "        handle[i] = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);\n"
           "    for (size_t k = 0; k < sizeof slots / sizeof *slots; k++)\n"
           "        for (int i = 0; i <= COUNT && !*slots[k].slot; i++)\n"
           "            *slots[k].slot = i == COUNT ? (void *)nothing : handle[i] ? dlsym(handle[i], slots[k].name) : "
           "NULL;\n"
           "}\n");
}

/* --- Fortran ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *array;
    const char *value;
} fortran_type[] = {
    [KT_S] = {"real(4)", "real4", "1 + mod(k, 7) / 8.0_4"},
    [KT_D] = {"real(8)", "real8", "1 + mod(k, 7) / 8.0_8"},
    [KT_C] = {"complex(4)", "complex4", "1 + mod(k, 7) / 8.0_4"},
    [KT_Z] = {"complex(8)", "complex8", "1 + mod(k, 7) / 8.0_8"},
    [KT_I] = {"integer", "integers", "k"},
};

static void print_fortran_declaration(const struct call *call, const struct kt_param *p)
{
    double imaginary;
    if (p->stored == KT_CODE)
        printf("  integer, external :: choose\n");
    if (is_address(p))
        return;
    double value = kt_stored_value(call->args, p, &imaginary);
    int bytes = p->stored == KT_FLOAT || p->stored == KT_CFLOAT ? 4 : 8;
    if (p->stored == KT_CHAR)
        printf("  character :: %s = '%c'\n", p->name, (int)value);
    else if (p->stored == KT_INT)
        printf("  integer :: %s = %.0f\n", p->name, value);
    else if (is_complex(p))
        printf("  complex(%d) :: %s = (%.2f_%d, %.2f_%d)\n", bytes, p->name, value, bytes, imaginary, bytes);
    else
        printf("  real(%d) :: %s = %.2f_%d\n", bytes, p->name, value, bytes);
}

static void print_fortran_value(const struct call *call, const struct kt_param *p, int array)
{
    if (p->stored == KT_ADDRESS) {
        printf("  call put_address('%s', loc(%s(1, %d)))\n", p->name, fortran_type[element_type(call, p)].array, array);
        return;
    }
    if (p->stored == KT_CODE) {
        printf("  call put_address('%s', loc(choose))\n", p->name);
        return;
    }
    printf("  call put('\"%s\": ", p->name);
    print_json(call, p, "\"");
    printf("')\n");
}

static void print_fortran_expectation(const struct call *call)
{
    const struct kt_symbol *s = &call->symbol;
    int array = 0;
    bool first = true;
    printf("  call put('{\"routine\": \"%s\", \"symbol\": \"%s\", \"args\": {')\n", s->routine->name, s->name);
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        if (is_info(call, p))
            continue;
        if (!first)
            printf("  call put(', ')\n");
        array += p->stored == KT_ADDRESS;
        print_fortran_value(call, p, array);
        first = false;
    }
    printf("  call put('}, ");
    print_code(s, "\"");
    printf(", \"has_info\": %s}')\n  call put_end\n", has_info(call) ? "true" : "false");
}

static void print_fortran_call(const struct call *call)
{
    const struct kt_symbol *s = &call->symbol;
    int array = 0;
    printf("  %s%s( &\n", s->routine->has_result ? "answer = " : "call ", s->routine->name);
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        const char *end = i + 1 < s->params ? ", &" : ")";
        if (p->stored == KT_ADDRESS)
            printf("    %s(1, %d)%s\n", fortran_type[element_type(call, p)].array, ++array, end);
        else if (p->stored == KT_CODE)
            printf("    choose%s\n", end);
        else
            printf("    %s%s\n", p->name, end);
    }
}

static void print_fortran_subroutine(const struct call *call, void *context)
{
    (void)context;
    const struct kt_routine *r = call->symbol.routine;
    printf("subroutine call_%s\n  use arrays\n  implicit none\n", r->name);
    if (r->has_result)
        printf("  %s, external :: %s\n  %s :: answer\n", fortran_type[r->result].name, r->name,
               fortran_type[r->result].name);
    else
        printf("  external :: %s\n", r->name);
    for (int i = 0; i < call->symbol.params; i++)
        print_fortran_declaration(call, &call->symbol.param[i]);
    printf("  call fill(%zu)\n", smaller(extent_of(call).elements, MOST_FILLED));
    print_fortran_expectation(call);
    print_fortran_call(call);
    printf("end subroutine\n\n");
}

static void print_fortran_main_call(const struct call *call, void *context)
{
    int *number = context;
    printf("  if (first <= %d) call call_%s\n", ++*number, call->symbol.routine->name);
}

static void print_fortran_module(const struct extent *extent)
{
    printf("module arrays\n  implicit none\n  integer, parameter :: elements = %zu, operands = %d\n", extent->elements,
           extent->operands);
    for (enum kt_type t = KT_S; t <= KT_I; t++)
        printf("  %s, save :: %s(elements, operands)\n", fortran_type[t].name, fortran_type[t].array);
    printf("  integer, save :: rest\n  interface\n    integer function alarm(seconds) bind(c)\n"
           "      integer, value :: seconds\n    end function\n  end interface\ncontains\n\nsubroutine fill(count)\n  "
           "integer, intent(in) :: count\n  integer :: k\n  do k = 1, count\n");
    for (enum kt_type t = KT_S; t <= KT_I; t++)
        printf("    %s(k, :) = %s\n", fortran_type[t].array, fortran_type[t].value);
    printf("  end do\nend subroutine\n\n"
           "subroutine put(text)\n  character(*), intent(in) :: text\n"
           "  write (*, '(a)', advance='no') text\nend subroutine\n\n"
           "subroutine put_address(name, address)\n  character(*), intent(in) :: name\n"
           "  integer(8), intent(in) :: address\n"
           "  write (*, '(a, z0, a)', advance='no') '\"' // name // '\": \"0x', address, '\"'\nend subroutine\n\n"
           "subroutine put_end\n  write (*, '(a)') ''\n  flush (6)\n  rest = alarm(2)\nend subroutine\n\nend module\n\n"
           "subroutine xerbla\nend subroutine\n\n"
           "integer function choose()\n  choose = 1\nend function\n\n");
}

/* With an argument the program begins with the call of that number: a call may end it. */
static void print_fortran_program(const struct kt_table *table)
{
    struct extent extent = {0};
    int number = 0;
    each_call(table, KT_FORTRAN, measure_call, &extent);
    printf("! Made by gen_roundtrip from trace/routines.\n");
    print_fortran_module(&extent);
    each_call(table, KT_FORTRAN, print_fortran_subroutine, NULL);
    printf("program roundtrip\n  implicit none\n  character(16) :: text\n  integer :: first = 1\n"
           "  call get_command_argument(1, text)\n  if (text /= '') read (text, *) first\n");
    each_call(table, KT_FORTRAN, print_fortran_main_call, &number);
    printf("end program\n");
}

/* --- command line ------------------------------------------------------------------------------------------ */

static enum kt_status print_program(const struct kt_table *table, const char *kind)
{
    if (!strcmp(kind, "c"))
        print_c_program(table, KT_FORTRAN);
    else if (!strcmp(kind, "cblas"))
        print_c_program(table, KT_CBLAS);
    else if (!strcmp(kind, "lapacke"))
        print_c_program(table, KT_LAPACKE);
    else if (!strcmp(kind, "lapacke_work"))
        print_c_program(table, KT_LAPACKE_WORK);
    else if (!strcmp(kind, "names"))
        print_names_library(table);
    else if (!strcmp(kind, "fortran"))
        print_fortran_program(table);
    else
        return KT_USAGE;
    return KT_OK;
}

int main(int argc, char **argv)
{
    struct kt_table table = {0};
    struct kt_error error = {0};
    enum kt_status status = KT_USAGE;
    if (argc == 3 && kt_spec_load(argv[1], &table, &error) != KT_OK) {
        fprintf(stderr, "gen_roundtrip: %s\n", error.text);
        status = error.status;
    } else if (argc == 3) {
        status = print_program(&table, argv[2]);
    }
    if (status == KT_USAGE)
        fprintf(stderr, "usage: gen_roundtrip SPEC c|fortran|cblas|lapacke|lapacke_work|names\n");
    kt_table_free(&table);
    return (int)status;
}
