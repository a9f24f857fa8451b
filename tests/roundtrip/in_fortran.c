/* SPDX-License-Identifier: BSD-3-Clause */
/* The program in Fortran: a subroutine for each call. */
#include "tests/roundtrip/programs.h"

#include "tests/roundtrip/call.h"

#include <stdio.h>

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

static void print_fortran_declaration(const struct trip_call *call, const struct kt_param *p)
{
    double imaginary;
    if (p->stored == KT_CODE)
        printf("  integer, external :: choose\n");
    if (trip_is_address(p))
        return;
    double value = kt_stored_value(call->args, p, &imaginary);
    int bytes = p->stored == KT_FLOAT || p->stored == KT_CFLOAT ? 4 : 8;
    if (p->stored == KT_CHAR)
        printf("  character :: %s = '%c'\n", p->name, (int)value);
    else if (p->stored == KT_INT)
        printf("  integer :: %s = %.0f\n", p->name, value);
    else if (trip_is_complex(p))
        printf("  complex(%d) :: %s = (%.2f_%d, %.2f_%d)\n", bytes, p->name, value, bytes, imaginary, bytes);
    else
        printf("  real(%d) :: %s = %.2f_%d\n", bytes, p->name, value, bytes);
}

static void print_fortran_value(const struct trip_call *call, const struct kt_param *p, int array)
{
    if (p->stored == KT_ADDRESS) {
        printf("  call put_address('%s', loc(%s(1, %d)))\n", p->name, fortran_type[trip_element_type(call, p)].array,
               array);
        return;
    }
    if (p->stored == KT_CODE) {
        printf("  call put_address('%s', loc(choose))\n", p->name);
        return;
    }
    printf("  call put('\"%s\": ", p->name);
    trip_print_json(call, p, "\"");
    printf("')\n");
}

static void print_fortran_expectation(const struct trip_call *call)
{
    const struct kt_symbol *s = &call->symbol;
    int array = 0;
    bool first = true;
    printf("  call put('{\"routine\": \"%s\", \"symbol\": \"%s\", \"args\": {')\n", s->routine->name, s->name);
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        if (trip_is_info(call, p))
            continue;
        if (!first)
            printf("  call put(', ')\n");
        array += p->stored == KT_ADDRESS;
        print_fortran_value(call, p, array);
        first = false;
    }
    printf("  call put('}, ");
    trip_print_code(s, "\"");
    printf(", \"has_info\": %s}')\n  call put_end\n", trip_has_info(call) ? "true" : "false");
}

static void print_fortran_call(const struct trip_call *call)
{
    const struct kt_symbol *s = &call->symbol;
    int array = 0;
    printf("  %s%s( &\n", s->routine->has_result ? "answer = " : "call ", s->routine->name);
    for (int i = 0; i < s->params; i++) {
        const struct kt_param *p = &s->param[i];
        const char *end = i + 1 < s->params ? ", &" : ")";
        if (p->stored == KT_ADDRESS)
            printf("    %s(1, %d)%s\n", fortran_type[trip_element_type(call, p)].array, ++array, end);
        else if (p->stored == KT_CODE)
            printf("    choose%s\n", end);
        else
            printf("    %s%s\n", p->name, end);
    }
}

static void print_fortran_subroutine(const struct trip_call *call, void *context)
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
    printf("  call fill(%zu)\n", trip_filled(trip_extent_of_call(call).elements));
    print_fortran_expectation(call);
    print_fortran_call(call);
    printf("end subroutine\n\n");
}

static void print_fortran_main_call(const struct trip_call *call, void *context)
{
    int *number = context;
    printf("  if (first <= %d) call call_%s\n", ++*number, call->symbol.routine->name);
}

static void print_fortran_module(const struct trip_extent *extent)
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
void trip_print_fortran(const struct kt_table *table)
{
    struct trip_extent extent = trip_extent_of_all(table, KT_FORTRAN);
    int number = 0;
    printf("! Made by gen_roundtrip from trace/routines.\n");
    print_fortran_module(&extent);
    trip_each_call(table, KT_FORTRAN, print_fortran_subroutine, NULL);
    printf("program roundtrip\n  implicit none\n  character(16) :: text\n  integer :: first = 1\n"
           "  call get_command_argument(1, text)\n  if (text /= '') read (text, *) first\n");
    trip_each_call(table, KT_FORTRAN, print_fortran_main_call, &number);
    printf("end program\n");
}
