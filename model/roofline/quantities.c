/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/roofline/quantities.h"

#include "model/tracker/line_runs.h"

#include <math.h>

/* Mixed routines do most of their work in the lower precision. */
static bool has_single(const struct kt_routine *routine)
{
    bool is_single = routine->type == KT_S || routine->type == KT_C;
    for (int i = 0; i < routine->args; i++) {
        const struct kt_arg *arg = &routine->arg[i];
        is_single = is_single || (arg->role == KT_ARRAY && (arg->type == KT_S || arg->type == KT_C));
    }
    return is_single;
}

/* Bytes of the lines that operands with that access are on. */
static double lines_with(const struct kt_operand *operand, int count, unsigned access, unsigned shift)
{
    struct kt_operand kept[KT_MAX_OPERANDS];
    int n = 0;
    for (int i = 0; i < count; i++) {
        if ((operand[i].access & access) == 0 || operand[i].lo == operand[i].hi)
            continue;
        if (!kt_lines_are_sane(&operand[i]))
            return NAN;
        kept[n++] = operand[i];
    }
    return ldexp((double)kt_lines_of_call(kept, n, shift), (int)shift);
}

void kt_quantities_of_values(const struct kt_symbol *symbol, const struct kt_values *values, size_t int_bytes,
                             double flops, unsigned line_shift, struct kt_quantities *out)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    int count = kt_operands(symbol, values, int_bytes, operand);
    *out = (struct kt_quantities){.flops = flops,
                                  .loaded = lines_with(operand, count, KT_READ_WRITE, line_shift),
                                  .stored = lines_with(operand, count, KT_WRITE, line_shift),
                                  .is_single = has_single(symbol->routine)};
}

void kt_quantities_of(const struct kt_call *call, double flops, unsigned line_shift, struct kt_quantities *out)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    struct kt_values values;
    kt_values_decode(symbol, call->args, &values);
    kt_quantities_of_values(symbol, &values, call->entry->int_bytes, flops, line_shift, out);
}

double kt_quantities_traffic(const struct kt_quantities *q, double cache_bytes)
{
    return q->loaded + (q->stored > cache_bytes ? q->stored - cache_bytes : 0);
}

double kt_intensity(double flops, double bytes)
{
    if (!(flops >= 0) || !(bytes >= 0) || (flops == 0 && bytes == 0))
        return NAN;
    return flops / bytes;
}
