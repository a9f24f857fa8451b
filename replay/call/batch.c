/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/call/batch.h"

#include "trace/base/memory.h"

/* --- dependence -------------------------------------------------------------------------------------------- */

/* Bytes from one column or element to the next, and those of each that belong to the operand; 0: it has no gaps. */
struct comb {
    uint64_t step, width;
};

static struct comb comb_of(const struct kt_operand *o)
{
    uint64_t step = (uint64_t)(o->ld < 0 ? -o->ld : o->ld) * o->elem;
    if (o->form == KT_FORM_MATRIX && o->base == o->lo)
        return (struct comb){step, (uint64_t)o->rows * o->elem};
    if (o->form == KT_FORM_VECTOR)
        return (struct comb){step, o->elem};
    return (struct comb){0, 0};
}

static bool fit_into_each_other(const struct kt_operand *a, const struct kt_operand *b)
{
    struct comb x = comb_of(a);
    struct comb y = comb_of(b);
    if (x.step == 0 || x.step != y.step)
        return false;
    uint64_t distance = b->lo >= a->lo ? (b->lo - a->lo) % x.step : (x.step - (a->lo - b->lo) % x.step) % x.step;
    return distance >= x.width && distance + y.width <= x.step;
}

bool kt_operands_meet(const struct kt_operand *a, const struct kt_operand *b)
{
    return a->lo < b->hi && b->lo < a->hi && !fit_into_each_other(a, b);
}

static bool is_written(const struct kt_operand *o)
{
    return o->access != KT_READ;
}

static bool conflict(const struct kt_operand *a, const struct kt_operand *b, struct kt_call_batch_conflict *out)
{
    if ((!is_written(a) && !is_written(b)) || !kt_operands_meet(a, b))
        return false;
    *out = is_written(a) ? (struct kt_call_batch_conflict){a->name, b->name}
                         : (struct kt_call_batch_conflict){b->name, a->name};
    return true;
}

static int operands_of(const struct kt_call *call, struct kt_operand out[KT_MAX_OPERANDS])
{
    struct kt_values values;
    kt_values_decode(&call->entry->symbol, call->args, &values);
    return kt_operands(&call->entry->symbol, &values, call->entry->int_bytes, out);
}

bool kt_call_batch_is_independent(const struct kt_call_batch *batch, const struct kt_call *call,
                                  struct kt_call_batch_conflict *out)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    int count = operands_of(call, operand);
    for (size_t i = 0; i < batch->calls * (size_t)batch->per_call; i++)
        for (int k = 0; k < count; k++)
            if (conflict(&batch->operand[i], &operand[k], out))
                return false;
    return true;
}

/* --- batches ----------------------------------------------------------------------------------------------- */

void kt_call_batch_add(struct kt_call_batch *batch, const struct kt_call *call)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    size_t bytes = call->entry->symbol.arg_bytes;
    batch->entry = call->entry;
    batch->per_call = operands_of(call, operand);
    size_t each = (size_t)batch->per_call;
    batch->args = kt_resize(batch->args, batch->calls + 1, bytes);
    batch->operand = kt_resize(batch->operand, (batch->calls + 1) * each, sizeof *operand);
    memcpy(batch->args + batch->calls * bytes, call->args, bytes);
    memcpy(batch->operand + batch->calls * each, operand, each * sizeof *operand);
    batch->calls++;
}

bool kt_call_batch_lay_out(struct kt_call_batch *batch, const struct kt_layout *layout)
{
    size_t count = batch->calls * (size_t)batch->per_call;
    batch->address = kt_resize(batch->address, count, sizeof *batch->address);
    if (!kt_arena_layout(layout, batch->operand, (int)count, batch->address, &batch->bytes))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct kt_operand *o = &batch->operand[i];
        uint64_t shift = batch->address[i] - o->base;
        o->base += shift;
        o->lo += shift;
        o->hi += shift;
    }
    return true;
}

void kt_call_batch_clear(struct kt_call_batch *batch)
{
    batch->calls = 0;
}

void kt_call_batch_free(struct kt_call_batch *batch)
{
    free(batch->args);
    free(batch->operand);
    free(batch->address);
    *batch = (struct kt_call_batch){0};
}
