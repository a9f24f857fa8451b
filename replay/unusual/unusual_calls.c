/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/unusual/unusual_calls.h"

#include "trace/base/memory.h"

#include <math.h>
#include <stdio.h>

static const int64_t most_of_size[KT_UNUSUAL_SIZES] = {5, 40, INT64_MAX / 8};

/* --- which ------------------------------------------------------------------------------------------------- */

static bool is_option(const struct kt_symbol *symbol, const struct kt_param *p)
{
    enum kt_role role = p->arg >= 0 ? symbol->routine->arg[p->arg].role : KT_INFO;
    return p->arg == KT_ARG_LAYOUT || role <= KT_OPTION || role == KT_LOGICAL;
}

static bool same_options(const struct kt_job *a, const struct kt_job *b)
{
    const struct kt_symbol *symbol = &a->shape->first.entry->symbol;
    if (strcmp(symbol->name, b->shape->first.entry->symbol.name) != 0 || a->int_bytes != b->int_bytes)
        return false;
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        if (is_option(symbol, p) &&
            kt_stored_integer(a->shape->first.args, p) != kt_stored_integer(b->shape->first.args, p))
            return false;
    }
    return true;
}

/* It works on numbers at all. */
static bool is_candidate(const struct kt_job *job)
{
    bool numbers = false;
    for (int i = 0; i < job->operands; i++)
        numbers = numbers || (job->operand[i].arg && job->operand[i].arg->type != KT_I &&
                              job->operand[i].access != KT_WORK && job->operand[i].lo < job->operand[i].hi);
    return numbers && !job->refused && job->info >= 0 && !job->shape->query;
}

/* The heaviest shape of each group. */
static bool is_first(const struct kt_jobs *jobs, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (is_candidate(&jobs->job[i]) && same_options(&jobs->job[i], &jobs->job[number]))
            return false;
    return is_candidate(&jobs->job[number]);
}

/* --- their arguments --------------------------------------------------------------------------------------- */

static int64_t cut(int64_t value, int64_t most)
{
    return value > most ? most : value < -most ? -most : value;
}

/* A leading dimension is at least the rows, or what a band takes. */
static void cut_integer(const struct kt_param *p, enum kt_role role, int64_t most, unsigned char *args)
{
    enum { ROOM = 4 };
    bool is_step = role == KT_LD || role == KT_INC;
    if (p->stored != KT_INT || !(is_step || role == KT_SIZE || role == KT_INTEGER))
        return;
    int64_t value = cut(kt_stored_integer(args, p), is_step ? ROOM * most : most);
    memcpy(args + p->offset, &value, sizeof value);
}

static bool is_multiplier(const struct kt_arg *arg)
{
    return arg->role == KT_SCALAR && (!strcmp(arg->name, "alpha") || !strcmp(arg->name, "beta"));
}

static void set_number(const struct kt_param *p, double value, unsigned char *args)
{
    const double wide[2] = {value, 0};
    const float narrow[2] = {(float)value, 0};
    bool single = p->stored == KT_FLOAT || p->stored == KT_CFLOAT;
    memcpy(args + p->offset, single ? (const void *)narrow : (const void *)wide, kt_stored_bytes(p->stored));
}

/* Operands are far apart, so that none overlaps another. */
static void change(const struct kt_symbol *symbol, const struct kt_unusual_call *call, unsigned char *args)
{
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        const struct kt_arg *arg = p->arg >= 0 ? &symbol->routine->arg[p->arg] : NULL;
        uint64_t far =
            ((uint64_t)(i + 1) << 40) + (p->stored == KT_ADDRESS ? kt_stored_address(args, p) % KT_ARENA_PAGE : 0);
        if (p->stored == KT_ADDRESS)
            memcpy(args + p->offset, &far, sizeof far);
        else if (arg && call->scalar.name && is_multiplier(arg) && !strcmp(arg->name, call->scalar.name))
            set_number(p, call->scalar.value, args);
        else if (arg)
            cut_integer(p, arg->role, most_of_size[call->size], args);
    }
}

static const char *find_zero(const struct kt_symbol *symbol, const unsigned char *args)
{
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        double imaginary = 0;
        if (p->arg >= 0 && is_multiplier(&symbol->routine->arg[p->arg]) && kt_stored_value(args, p, &imaginary) == 0 &&
            imaginary == 0)
            return symbol->routine->arg[p->arg].name;
    }
    return NULL;
}

/* --- all of them ------------------------------------------------------------------------------------------- */

static void add(struct kt_unusual_calls *c, const struct kt_job *job, const struct kt_unusual_call *call)
{
    const struct kt_entry *entry = job->shape->first.entry;
    const struct kt_symbol *symbol = &entry->symbol;
    struct kt_values values;
    unsigned char *args = kt_resize(NULL, symbol->arg_bytes, 1);
    memcpy(args, job->shape->first.args, symbol->arg_bytes);
    change(symbol, call, args);
    kt_values_decode(symbol, args, &values);
    c->call = kt_room_for_one(c->call, c->count, sizeof *c->call);
    c->shape = kt_room_for_one(c->shape, c->count, sizeof *c->shape);
    c->args = kt_room_for_one(c->args, c->count, sizeof *c->args);
    c->call[c->count] = *call;
    c->call[c->count].zero = find_zero(symbol, job->shape->first.args);
    c->args[c->count] = args;
    c->shape[c->count++] = (struct kt_shape_group){.first = {.entry = entry, .args = args},
                                                   .usual = {.entry = entry, .args = args},
                                                   .calls = job->shape->calls,
                                                   .flops = kt_flops(symbol->routine, &values)};
}

static void add_scalars(struct kt_unusual_calls *c, const struct kt_job *job, struct kt_unusual_call call)
{
    static const double value[] = {0, NAN, INFINITY};
    const struct kt_routine *routine = job->shape->first.entry->symbol.routine;
    add(c, job, &call);
    for (int i = 0; i < routine->args; i++)
        for (size_t v = 0; is_multiplier(&routine->arg[i]) && v < sizeof value / sizeof *value; v++) {
            call.scalar = (struct kt_unusual_scalar){routine->arg[i].name, value[v]};
            add(c, job, &call);
        }
}

/* Is any size beyond that? Then there is something to be cut. */
static bool exceeds(const struct kt_job *job, int64_t most)
{
    const struct kt_symbol *symbol = &job->shape->first.entry->symbol;
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        enum kt_role role = p->arg >= 0 ? symbol->routine->arg[p->arg].role : KT_INFO;
        if (role == KT_SIZE && kt_stored_integer(job->shape->first.args, p) > most)
            return true;
    }
    return false;
}

void kt_unusual_calls_make(const struct kt_jobs *jobs, struct kt_unusual_calls *out)
{
    struct kt_jobs_rules rules = {.limit = (uint64_t)64 << 20};
    *out = (struct kt_unusual_calls){0};
    for (size_t i = 0; i < jobs->count; i++) {
        if (!is_first(jobs, i))
            continue;
        for (int size = 0; size < KT_UNUSUAL_SIZES; size++)
            if (size == 0 || exceeds(&jobs->job[i], most_of_size[size - 1]))
                add_scalars(out, &jobs->job[i], (struct kt_unusual_call){.group = out->groups, .size = size});
        out->groups++;
    }
    struct kt_shapes shapes = {.shape = out->shape, .count = out->count, .processor = jobs->processor};
    kt_jobs_make(&shapes, &rules, &out->jobs);
}

void kt_unusual_calls_free(struct kt_unusual_calls *c)
{
    kt_jobs_free(&c->jobs);
    for (size_t i = 0; i < c->count; i++)
        free(c->args[i]);
    free(c->args);
    free(c->shape);
    free(c->call);
    *c = (struct kt_unusual_calls){0};
}
