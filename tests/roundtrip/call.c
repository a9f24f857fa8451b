/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/roundtrip/call.h"

#include "trace/table/operand.h"

#include <stdio.h>

void trip_each_call(const struct kt_table *table, enum kt_view view, trip_visit *visit, void *context)
{
    struct kt_synth synth = {.state = 1, .distinct = true};
    for (size_t i = 0; i < table->count; i++) {
        struct trip_call call = {0};
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

/* Workspaces are longer than any routine needs, and matrices of them (trsyl3) beyond measure. */
enum { MOST_ELEMENTS = 1 << 18, MOST_FILLED = 1 << 12 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t trip_filled(size_t elements)
{
    return smaller(elements, MOST_FILLED);
}

struct trip_extent trip_extent_of_call(const struct trip_call *call)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    kt_values_decode(&call->symbol, call->args, &values);
    struct trip_extent extent = {0, kt_operands(&call->symbol, &values, sizeof(int), operand)};
    for (int i = 0; i < extent.operands; i++) {
        size_t elements = smaller(operand[i].hi / operand[i].elem, MOST_ELEMENTS);
        extent.elements = elements > extent.elements ? elements : extent.elements;
    }
    return extent;
}

static void measure_call(const struct trip_call *call, void *context)
{
    struct trip_extent *most = context;
    struct trip_extent extent = trip_extent_of_call(call);
    most->operands = extent.operands > most->operands ? extent.operands : most->operands;
    most->elements = extent.elements > most->elements ? extent.elements : most->elements;
}

struct trip_extent trip_extent_of_all(const struct kt_table *table, enum kt_view view)
{
    struct trip_extent most = {0};
    trip_each_call(table, view, measure_call, &most);
    return most;
}

bool trip_is_info(const struct trip_call *call, const struct kt_param *p)
{
    return p->arg >= 0 && call->symbol.routine->arg[p->arg].role == KT_INFO;
}

bool trip_has_info(const struct trip_call *call)
{
    for (int i = 0; i < call->symbol.params; i++)
        if (trip_is_info(call, &call->symbol.param[i]))
            return true;
    return false;
}

bool trip_is_complex(const struct kt_param *p)
{
    return p->stored == KT_CFLOAT || p->stored == KT_CDOUBLE;
}

enum kt_type trip_element_type(const struct trip_call *call, const struct kt_param *p)
{
    const struct kt_routine *r = call->symbol.routine;
    return p->arg == KT_ARG_RESULT ? r->result : r->arg[p->arg].type;
}

void trip_print_json(const struct trip_call *call, const struct kt_param *p, const char *quote)
{
    double imaginary;
    double value = kt_stored_value(call->args, p, &imaginary);
    if (p->stored == KT_CHAR)
        printf("%s%c%s", quote, (int)value, quote);
    else if (trip_is_complex(p))
        printf("[%.2f, %.2f]", value, imaginary);
    else if (p->stored == KT_INT || p->stored == KT_ENUM)
        printf("%.0f", value);
    else
        printf("%.2f", value);
}

bool trip_is_address(const struct kt_param *p)
{
    return p->stored == KT_ADDRESS || p->stored == KT_CODE;
}

void trip_print_code(const struct kt_symbol *s, const char *quote)
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
