/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/setup/forge.h"

#include "replay/machine/processor.h"
#include "trace/base/memory.h"

static void store_number(unsigned char *at, enum kt_stored stored, double re, double im)
{
    const float single[2] = {(float)re, (float)im};
    const double both[2] = {re, im};
    bool is_single = stored == KT_FLOAT || stored == KT_CFLOAT;
    memcpy(at, is_single ? (const void *)single : both, kt_stored_bytes(stored));
}

static void store_integer(unsigned char *at, enum kt_stored stored, int64_t value)
{
    int32_t narrow = (int32_t)value;
    if (stored == KT_CHAR)
        *at = (unsigned char)value;
    else if (stored == KT_ENUM)
        memcpy(at, &narrow, sizeof narrow);
    else
        memcpy(at, &value, sizeof value);
}

void kt_forge_encode(const struct kt_symbol *symbol, const struct kt_values *values, unsigned char *args)
{
    memset(args, 0, symbol->arg_bytes);
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        unsigned char *at = args + p->offset;
        if (p->arg < 0)
            continue;
        if (kt_stored_is_address(p->stored))
            memcpy(at, &values->address[p->arg], sizeof values->address[p->arg]);
        else if (p->stored >= KT_FLOAT && p->stored <= KT_CDOUBLE)
            store_number(at, p->stored, values->v[p->arg], values->imaginary[p->arg]);
        else
            store_integer(at, p->stored, (int64_t)values->v[p->arg]);
    }
}

/* Operands far apart, so that the arena keeps what their addresses are modulo the page. */
static void spread_operands(const struct kt_routine *routine, struct kt_values *values)
{
    for (int i = 0; i < routine->args; i++)
        if (routine->arg[i].role == KT_ARRAY)
            values->address[i] = ((uint64_t)(i + 1) << 40) + values->address[i] % KT_ARENA_PAGE;
}

static const struct kt_object no_object = {.path = ""};

static void forge_shape(const struct kt_timing_call *call, size_t int_bytes, struct kt_entry *entry,
                        unsigned char **args, struct kt_shape_group *shape)
{
    struct kt_values values = call->values;
    *entry = (struct kt_entry){.library = &no_object, .int_bytes = int_bytes};
    kt_symbol_make(call->routine, KT_FORTRAN, &entry->symbol);
    spread_operands(call->routine, &values);
    *args = kt_resize(NULL, entry->symbol.arg_bytes, 1);
    kt_forge_encode(&entry->symbol, &values, *args);
    *shape = (struct kt_shape_group){.first = {.entry = entry, .args = *args},
                                     .usual = {.entry = entry, .args = *args},
                                     .calls = 1,
                                     .total = call->guess};
    kt_samples_add(&shape->seconds, call->guess);
}

void kt_forge(const struct kt_timing_call *call, size_t calls, size_t int_bytes, struct kt_forged *out)
{
    struct kt_jobs_rules rules = {.limit = kt_pages_limit()};
    *out = (struct kt_forged){.count = calls};
    out->shape = kt_resize(NULL, calls, sizeof *out->shape);
    out->entry = kt_resize(NULL, calls, sizeof *out->entry);
    out->args = kt_resize(NULL, calls, sizeof *out->args);
    out->job_of = kt_resize(NULL, calls, sizeof *out->job_of);
    for (size_t i = 0; i < calls; i++)
        forge_shape(&call[i], int_bytes, &out->entry[i], &out->args[i], &out->shape[i]);
    out->shapes = (struct kt_shapes){.shape = out->shape, .count = calls, .processor = KT_NO_PROCESSOR};
    kt_jobs_make(&out->shapes, &rules, &out->jobs);
    memset(out->job_of, 0, calls * sizeof *out->job_of);
    for (size_t j = 0; j < out->jobs.count; j++)
        out->job_of[out->jobs.job[j].shape - out->shape] = j + 1;
}

void kt_forged_free(struct kt_forged *f)
{
    kt_jobs_free(&f->jobs);
    for (size_t i = 0; i < f->count; i++) {
        kt_samples_free(&f->shape[i].seconds);
        free(f->args[i]);
    }
    free(f->shape);
    free(f->entry);
    free(f->args);
    free(f->job_of);
}
