/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/advise/form.h"

#include "trace/table/column_major.h"
#include "trace/table/known.h"
#include "trace/table/operand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Block sizes of LAPACK are not larger. */
enum { LARGEST_BLOCK = 64 };

/* What has no place in the recorded call lies where no operand of a program does. */
static const uint64_t nowhere = UINT64_C(1) << 52;

/* In column-major terms a conjugated operand of these stays one. */
static bool keeps_conjugates(const char *name)
{
    return strstr(name, "gemm") || strstr(name, "trsm");
}

bool kt_form_of_call(const struct kt_symbol *symbol, const unsigned char *args, struct kt_call_form *out)
{
    struct kt_values values;
    const struct kt_routine *r = symbol->routine;
    if (symbol->view == KT_UNDESCRIBED)
        return false;
    kt_values_decode(symbol, args, &values);
    if (values.row_major && kt_type_is_complex(r->type) && !keeps_conjugates(r->name))
        return false;
    *out = (struct kt_call_form){.routine = r};
    return !kt_is_query(r, &values) && kt_column_major(symbol, &values, &out->values);
}

int kt_form_find(const struct kt_call_form *form, const char *arg)
{
    for (int i = 0; i < form->routine->args; i++)
        if (!strcmp(form->routine->arg[i].name, arg))
            return i;
    return -1;
}

double kt_form_get(const struct kt_call_form *form, const char *arg)
{
    int i = kt_form_find(form, arg);
    return i < 0 ? NAN : form->values.v[i];
}

uint64_t kt_form_address(const struct kt_call_form *form, const char *arg)
{
    int i = kt_form_find(form, arg);
    return i < 0 ? 0 : form->values.address[i];
}

bool kt_form_is(const struct kt_call_form *form, const char *arg, double value)
{
    int i = kt_form_find(form, arg);
    return i >= 0 && form->values.v[i] == value && form->values.imaginary[i] == 0;
}

char kt_form_trans(const struct kt_call_form *form, const char *arg)
{
    char letter = (char)kt_form_get(form, arg);
    return letter == 'C' && !kt_type_is_complex(form->routine->type) ? 'T' : letter;
}

void kt_form_set(struct kt_call_form *form, const char *arg, double value)
{
    int i = kt_form_find(form, arg);
    if (i >= 0)
        form->values.v[i] = value;
}

void kt_form_take(struct kt_call_form *form, const char *arg, const struct kt_call_form *from, const char *same)
{
    int to = kt_form_find(form, arg);
    int i = kt_form_find(from, same);
    if (to < 0 || i < 0)
        return;
    form->values.v[to] = from->values.v[i];
    form->values.imaginary[to] = from->values.imaginary[i];
    form->values.address[to] = from->values.address[i];
}

/* A workspace of another routine has another length. */
static bool is_shared(const struct kt_arg *arg)
{
    return arg->role != KT_LWORK && !(arg->role == KT_ARRAY && arg->access == KT_WORK);
}

bool kt_form_begin(const struct kt_call_form *from, const char *name, struct kt_call_form *out)
{
    char whole[2 * KT_NAME];
    snprintf(whole, sizeof whole, "%c%s", *from->routine->name, name);
    *out = (struct kt_call_form){.routine = kt_table_find(kt_known_routines(), whole)};
    if (!out->routine)
        return false;
    for (int i = 0; i < out->routine->args; i++) {
        const struct kt_arg *arg = &out->routine->arg[i];
        out->values.v[i] = arg->role == KT_ARRAY || arg->role == KT_INFO || arg->role == KT_LWORK ? 0 : NAN;
        if (arg->role == KT_ARRAY)
            out->values.address[i] = nowhere + ((uint64_t)i << 40);
        if (is_shared(arg))
            kt_form_take(out, arg->name, from, arg->name);
    }
    return true;
}

/* As much as the table says is enough, and room for blocks of all columns. */
static void find_lengths(struct kt_call_form *form)
{
    double sizes = 0;
    for (int i = 0; i < form->routine->args; i++)
        sizes += form->routine->arg[i].role == KT_SIZE ? form->values.v[i] : 0;
    for (int i = 0; i < form->routine->args; i++) {
        const struct kt_arg *arg = &form->routine->arg[i];
        if (arg->role == KT_LWORK)
            form->values.v[i] =
                LARGEST_BLOCK * sizes + (arg->legal.count ? kt_expr_eval(&arg->legal, form->values.v) : 1);
    }
}

bool kt_form_finish(struct kt_call_form *form)
{
    for (int i = 0; i < form->routine->args; i++)
        if (isnan(form->values.v[i]))
            return false;
    find_lengths(form);
    return kt_is_within_bounds(form->routine, form->values.v);
}
