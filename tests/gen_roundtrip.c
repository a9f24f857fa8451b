/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes programs that call every symbol of the table, each argument with a value of its own, and say before each
 * call what a trace of it must hold:
 *
 *     gen_roundtrip SPEC c|fortran|cblas > PROGRAM
 *
 *     c        C that calls the Fortran interfaces, with hidden lengths
 *     fortran  Fortran that calls the same
 *     cblas    C that calls the CBLAS interfaces, row-major and column-major, through the header of a BLAS
 *
 * The lines that the programs print are what tests/roundtrip_check.py compares with `ktrace dump --json`:
 *
 *     {"routine": NAME, "symbol": NAME, "args": {NAME: VALUE}, "has_info": BOOLEAN}
 *
 * All numbers are multiples of 1/4, so that they are exact in print and in every type.
 */
#include "tests/prototype.h"
#include "tests/synth.h"
#include "tests/table_load.h"
#include "trace/operand.h"

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

struct extent {
    size_t elements; /* that the largest operand spans */
    int operands;    /* of the call that has most */
};

static void measure_call(const struct call *call, void *context)
{
    struct extent *extent = context;
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    kt_values_decode(&call->symbol, call->args, &values);
    int count = kt_operands(&call->symbol, &values, sizeof(int), operand);
    extent->operands = count > extent->operands ? count : extent->operands;
    for (int i = 0; i < count; i++) {
        size_t elements = operand[i].hi / operand[i].elem;
        extent->elements = elements > extent->elements ? elements : extent->elements;
    }
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

/* --- C ----------------------------------------------------------------------------------------------------- */

static void print_c_declaration(const struct call *call, const struct kt_param *p, int *array)
{
    static const char *const number[] = {
        [KT_FLOAT] = "float", [KT_DOUBLE] = "double", [KT_CFLOAT] = "float", [KT_CDOUBLE] = "double"};
    double imaginary;
    if (p->stored == KT_ADDRESS) {
        printf("    void *%s = fill_%c(%d);\n", p->name, "sdsdi"[element_type(call, p)], (*array)++);
        return;
    }
    double value = kt_stored_value(call->args, p, &imaginary);
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

static void print_c_expectation(const struct call *call)
{
    const struct kt_symbol *s = &call->symbol;
    const char *separator = "";
    printf("    printf(\"{\\\"routine\\\": \\\"%s\\\", \\\"symbol\\\": \\\"%s\\\", \\\"args\\\": {", s->routine->name,
           s->name);
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        if (is_info(call, p))
            continue;
        printf("%s\\\"%s\\\": ", separator, p->name);
        if (p->stored == KT_ADDRESS)
            printf("\\\"%%p\\\"");
        else
            print_json(call, p, "\\\"");
        separator = ", ";
    }
    printf("}, \\\"has_info\\\": %s}\\n\"", has_info(call) ? "true" : "false");
    for (int i = 0; i < s->params; i++)
        if (s->param[i].stored == KT_ADDRESS)
            printf(", %s", s->param[i].name);
    printf(");\n    fflush(stdout);\n");
}

static void print_c_call(const struct call *call)
{
    const struct kt_symbol *s = &call->symbol;
    printf("    (void)%s(", s->name);
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        const char *reference = is_complex(p) ? "(void *)" : p->by_value || p->stored == KT_ADDRESS ? "" : "&";
        printf("%s%s%s", i ? ", " : "", reference, p->name);
    }
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

static void print_c_function(const struct call *call, void *context)
{
    (void)context;
    int array = 0;
    if (call->symbol.view == KT_FORTRAN) {
        kt_prototype_print(stdout, &call->symbol);
        printf(";\n\n");
    }
    printf("static void call_%s%s(void)\n{\n", call->symbol.name, layout_suffix(call));
    for (int i = 0; i < call->symbol.params; i++)
        print_c_declaration(call, &call->symbol.param[i], &array);
    print_c_expectation(call);
    print_c_call(call);
    printf("}\n\n");
}

static void print_c_main_call(const struct call *call, void *context)
{
    (void)context;
    printf("    call_%s%s();\n", call->symbol.name, layout_suffix(call));
}

/* A fill function returns the I-th array with contents on which every routine ends without complaint. */
static void print_c_fill(char letter, const char *type, const char *value)
{
    printf("static void *fill_%c(int i)\n{\n    %s *array = (%s *)arrays[i];\n", letter, type, type);
    printf("    for (size_t k = 0; k < sizeof arrays[i] / sizeof *array; k++)\n        array[k] = %s;\n", value);
    printf("    return array;\n}\n\n");
}

static void print_c_program(const struct kt_table *table, enum kt_view view)
{
    struct extent extent = {0};
    each_call(table, view, measure_call, &extent);
    printf("/* Made by gen_roundtrip from trace/routines. */\n#include <stddef.h>\n#include <stdio.h>\n");
    if (view == KT_CBLAS)
        printf("#if __has_include(<cblas-netlib.h>)\n#include <cblas-netlib.h>\n#else\n#include <cblas.h>\n#endif\n");
    printf("\nstatic _Alignas(64) unsigned char arrays[%d][16 * %zu];\n\n", extent.operands, extent.elements);
    print_c_fill('s', "float", "1 + (float)(k % 7) / 8");
    print_c_fill('d', "double", "1 + (double)(k % 7) / 8");
    if (view == KT_FORTRAN)
        print_c_fill('i', "int", "1");
    each_call(table, view, print_c_function, NULL);
    printf("int main(void)\n{\n");
    each_call(table, view, print_c_main_call, NULL);
    printf("    return 0;\n}\n");
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
    [KT_I] = {"integer", "integers", "1"},
};

static void print_fortran_declaration(const struct call *call, const struct kt_param *p)
{
    double imaginary;
    if (p->stored == KT_ADDRESS)
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
    printf("  call put('}, \"has_info\": %s}')\n  call put_end\n", has_info(call) ? "true" : "false");
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
    printf("  call fill\n");
    print_fortran_expectation(call);
    print_fortran_call(call);
    printf("end subroutine\n\n");
}

static void print_fortran_main_call(const struct call *call, void *context)
{
    (void)context;
    printf("  call call_%s\n", call->symbol.routine->name);
}

static void print_fortran_module(const struct extent *extent)
{
    printf("module arrays\n  implicit none\n  integer, parameter :: elements = %zu, operands = %d\n", extent->elements,
           extent->operands);
    for (enum kt_type t = KT_S; t <= KT_I; t++)
        printf("  %s, save :: %s(elements, operands)\n", fortran_type[t].name, fortran_type[t].array);
    printf("contains\n\nsubroutine fill\n  integer :: k\n  do k = 1, elements\n");
    for (enum kt_type t = KT_S; t <= KT_I; t++)
        printf("    %s(k, :) = %s\n", fortran_type[t].array, fortran_type[t].value);
    printf("  end do\nend subroutine\n\n"
           "subroutine put(text)\n  character(*), intent(in) :: text\n"
           "  write (*, '(a)', advance='no') text\nend subroutine\n\n"
           "subroutine put_address(name, address)\n  character(*), intent(in) :: name\n"
           "  integer(8), intent(in) :: address\n"
           "  write (*, '(a, z0, a)', advance='no') '\"' // name // '\": \"0x', address, '\"'\nend subroutine\n\n"
           "subroutine put_end\n  write (*, '(a)') ''\n  flush (6)\nend subroutine\n\nend module\n\n");
}

static void print_fortran_program(const struct kt_table *table)
{
    struct extent extent = {0};
    each_call(table, KT_FORTRAN, measure_call, &extent);
    printf("! Made by gen_roundtrip from trace/routines.\n");
    print_fortran_module(&extent);
    each_call(table, KT_FORTRAN, print_fortran_subroutine, NULL);
    printf("program roundtrip\n  implicit none\n");
    each_call(table, KT_FORTRAN, print_fortran_main_call, NULL);
    printf("end program\n");
}

/* --- command line ------------------------------------------------------------------------------------------ */

static enum kt_status print_program(const struct kt_table *table, const char *kind)
{
    if (!strcmp(kind, "c"))
        print_c_program(table, KT_FORTRAN);
    else if (!strcmp(kind, "cblas"))
        print_c_program(table, KT_CBLAS);
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
        fprintf(stderr, "usage: gen_roundtrip SPEC c|fortran|cblas\n");
    kt_table_free(&table);
    return (int)status;
}
