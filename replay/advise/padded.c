/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/advise/padded.h"

#include <string.h>

enum { PAGE = 4096 };

bool kt_padded_is_matrix(const struct kt_routine *routine, const struct kt_operand *operand)
{
    const struct kt_arg *arg = operand->arg;
    bool has_ld = arg && arg->shape.step >= 0 && routine->arg[arg->shape.step].role == KT_LD;
    return has_ld && operand->ld > 0 && operand->cols > 1 && operand->lo != operand->hi;
}

bool kt_padded_overlaps(const struct kt_operand *operand, int count, int i)
{
    for (int k = 0; k < count; k++)
        if (k != i && operand[k].lo < operand[i].hi && operand[i].lo < operand[k].hi)
            return true;
    return false;
}

static const struct kt_param *param_of(const struct kt_symbol *symbol, int arg)
{
    for (int i = 0; i < symbol->params; i++)
        if (symbol->param[i].arg == arg && !symbol->param[i].returned)
            return &symbol->param[i];
    return NULL;
}

static void move_apart(const struct kt_symbol *symbol, unsigned char *args)
{
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        if (p->stored != KT_ADDRESS)
            continue;
        uint64_t address = ((uint64_t)(i + 1) << 40) + kt_stored_address(args, p) % PAGE;
        memcpy(args + p->offset, &address, sizeof address);
    }
}

const char *kt_padded_args(const struct kt_call *call, int64_t by, unsigned char *out)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    const struct kt_symbol *symbol = &call->entry->symbol;
    int matrices = 0;
    if (symbol->view == KT_UNDESCRIBED)
        return "what its arguments mean is not known";
    kt_values_decode(symbol, call->args, &values);
    int count = kt_operands(symbol, &values, call->entry->int_bytes, operand);
    memcpy(out, call->args, symbol->arg_bytes);
    for (int i = 0; i < count; i++) {
        if (!kt_padded_is_matrix(symbol->routine, &operand[i]))
            continue;
        if (kt_padded_overlaps(operand, count, i))
            return "a matrix of it overlaps another operand";
        const struct kt_param *p = param_of(symbol, operand[i].arg->shape.step);
        int64_t longer = p ? kt_stored_integer(call->args, p) + by : 0;
        if (longer > INT32_MAX && call->entry->int_bytes == sizeof(int32_t))
            return "its leading dimension cannot be longer";
        if (p)
            memcpy(out + p->offset, &longer, sizeof longer);
        matrices += p != NULL;
    }
    if (!matrices)
        return "no operand has columns that are a leading dimension apart";
    move_apart(symbol, out);
    return NULL;
}
