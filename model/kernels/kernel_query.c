/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a model is found by: options, classes of scalars and increments as text, sizes as numbers.
 */
#include "model/kernels/kernel_models.h"

#include "trace/table/column_major.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const kt_model_context_name[KT_MODEL_CONTEXT_COUNT] = {
#define KT_MODEL_CONTEXT_NAME(name, text) [KT_MODEL_##name] = text,
    KT_MODEL_CONTEXTS(KT_MODEL_CONTEXT_NAME)
#undef KT_MODEL_CONTEXT_NAME
};

/* --- the query --------------------------------------------------------------------------------------------- */

static int find(const struct kt_routine *r, const char *name)
{
    for (int i = 0; i < r->args; i++)
        if (!strcmp(r->arg[i].name, name))
            return i;
    return -1;
}

/* Rows are exchanged from K1 to K2: how many there are is what counts. */
static void count_exchanges(const struct kt_routine *r, struct kt_values *v)
{
    int k1 = find(r, "k1");
    int k2 = find(r, "k2");
    if (k1 < 0 || k2 < 0)
        return;
    v->v[k2] -= v->v[k1] - 1;
    v->v[k1] = 1;
}

/* A conjugated real matrix is a transposed one. */
static char option_letter(const struct kt_routine *r, int i, double value)
{
    char letter = (char)value;
    return r->arg[i].role == KT_TRANS && letter == 'C' && !kt_type_is_complex(r->type) ? 'T' : letter;
}

static void describe_scalar(const char *name, double re, double im, char *out, size_t size)
{
    bool special = im == 0 && (re == 0 || re == 1 || re == -1);
    snprintf(out, size, special ? " %s=%g" : " %s=x", name, re);
}

static bool depends_on_others(const struct kt_expr *legal)
{
    for (int i = 0; legal->count && i < KT_MAX_ARGS; i++)
        if (kt_expr_uses(legal, i))
            return true;
    return false;
}

/* An integer whose legal values depend on sizes is like a size. */
static bool is_axis(const struct kt_arg *arg)
{
    return arg->role == KT_SIZE || (arg->role == KT_INTEGER && depends_on_others(&arg->legal));
}

/*
 * How far apart elements are says how many lines of the caches they take, and how many pages. Where that is a multiple
 * of a page, all lines are of one set of the first cache, which keeps but a few: dcopy of 128 to 512 elements that have
 * just been read takes five times as long as with an increment that is no such multiple.
 */
static const char *increment_class(const struct kt_routine *r, double increment)
{
    const double line = 64;
    const double page = 4096;
    double bytes = fabs(increment) * (double)kt_type_bytes(r->type);
    if (bytes < line)
        return "near";
    return fmod(bytes, page) == 0 ? "page" : "far";
}

static void add_text(struct kt_model_query *q, const struct kt_routine *r, int i, const struct kt_values *v)
{
    char text[KT_NAME + 32] = "";
    const struct kt_arg *arg = &r->arg[i];
    size_t used = strlen(q->options);
    if (arg->role == KT_SCALAR || arg->role == KT_INTEGER || arg->role == KT_LOGICAL)
        describe_scalar(arg->name, v->v[i], v->imaginary[i], text, sizeof text);
    else if (arg->role == KT_INC && v->v[i] != 1)
        snprintf(text, sizeof text, " %s=%s", arg->name, increment_class(r, v->v[i]));
    snprintf(q->options + used, sizeof q->options - used, "%s", text);
}

bool kt_model_query_of_values(const struct kt_routine *r, const struct kt_values *values, struct kt_model_query *out)
{
    struct kt_values v = *values;
    size_t letters = 0;
    *out = (struct kt_model_query){0};
    memcpy(out->routine, r->name, sizeof out->routine);
    count_exchanges(r, &v);
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role <= KT_OPTION && r->arg[i].role != KT_DIAG)
            out->options[letters++] = option_letter(r, i, v.v[i]);
    for (int i = 0; i < r->args; i++) {
        if (r->arg[i].role == KT_PROCEDURE || (is_axis(&r->arg[i]) && out->axes == KT_MODEL_AXES))
            return false;
        if (is_axis(&r->arg[i]))
            out->size[out->axes++] = (int64_t)v.v[i];
        else
            add_text(out, r, i, &v);
    }
    if (*out->options == ' ')
        memmove(out->options, out->options + 1, strlen(out->options));
    return out->axes > 0;
}

bool kt_model_values_of_call(const struct kt_symbol *symbol, const struct kt_values *values, struct kt_values *out)
{
    if (symbol->view == KT_UNDESCRIBED || kt_is_query(symbol->routine, values) || !kt_column_major(symbol, values, out))
        return false;
    count_exchanges(symbol->routine, out);
    return true;
}

bool kt_model_query_of_call(const struct kt_symbol *symbol, const struct kt_values *values, struct kt_model_query *out)
{
    struct kt_values v;
    return kt_model_values_of_call(symbol, values, &v) && kt_model_query_of_values(symbol->routine, &v, out);
}

bool kt_sizes_have_zero(int axes, const int64_t *size)
{
    for (int a = 0; a < axes; a++)
        if (size[a] <= 0)
            return true;
    return false;
}

bool kt_model_query_has_zero(const struct kt_model_query *query)
{
    return kt_sizes_have_zero(query->axes, query->size);
}

bool kt_has_nothing_to_do(const struct kt_symbol *symbol, const struct kt_values *values)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    double flops = kt_flops(symbol->routine, values);
    if (!isnan(flops))
        return flops == 0;
    int operands = kt_operands(symbol, values, 4, operand);
    for (int i = 0; i < operands; i++)
        if (operand[i].elements && (operand[i].access & KT_WRITE || symbol->routine->has_result))
            return false;
    return true;
}

int kt_model_axes_of(const struct kt_routine *r, int argument[KT_MODEL_AXES])
{
    int axes = 0;
    for (int i = 0; i < r->args; i++)
        if (is_axis(&r->arg[i]) && axes < KT_MODEL_AXES)
            argument[axes++] = i;
    return axes;
}
