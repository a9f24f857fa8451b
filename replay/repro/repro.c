/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/repro/repro.h"

#include "replay/call/arena.h"
#include "replay/call/data.h"

/* --- memory ------------------------------------------------------------------------------------------------ */

static bool is_referenced(const struct kt_operand *o)
{
    return o->lo != o->hi;
}

static void add_block(struct kt_repro *r, uint64_t lo, uint64_t hi, uint64_t place)
{
    r->block[r->blocks++] = (struct kt_repro_block){lo, hi, place};
}

/* The referenced operand with the lowest address of those that have no block yet, or -1. */
static int next_by_address(const struct kt_repro *r)
{
    int next = -1;
    for (int i = 0; i < r->operands; i++)
        if (is_referenced(&r->operand[i]) && r->block_of[i] < 0 && (next < 0 || r->operand[i].lo < r->operand[next].lo))
            next = i;
    return next;
}

/* ADDRESS: where replay's arena has the operands. */
static void make_blocks(struct kt_repro *r, const uint64_t *address)
{
    for (int i = 0; i < r->operands; i++)
        r->block_of[i] = -1;
    for (int i; (i = next_by_address(r)) >= 0;) {
        const struct kt_operand *o = &r->operand[i];
        if (r->blocks == 0 || o->lo >= r->block[r->blocks - 1].hi)
            add_block(r, o->lo, o->hi, address[i] + (o->lo - o->base));
        else if (o->hi > r->block[r->blocks - 1].hi)
            r->block[r->blocks - 1].hi = o->hi;
        r->block_of[i] = r->blocks - 1;
    }
    const struct kt_repro_block *last = r->blocks ? &r->block[r->blocks - 1] : NULL;
    uint64_t end = last ? last->place + (last->hi - last->lo) : 0;
    for (int i = 0; i < r->operands; i++) { /* these have no bytes */
        const struct kt_operand *o = &r->operand[i];
        if (is_referenced(o) || !o->base)
            continue;
        add_block(r, o->base, o->base, end);
        r->block_of[i] = r->blocks - 1;
    }
}

/* --- info -------------------------------------------------------------------------------------------------- */

static bool is_input_matrix(const struct kt_operand *o)
{
    return o->arg && o->access & KT_READ && o->form >= KT_FORM_MATRIX && o->arg->type != KT_I && is_referenced(o);
}

static int first_matrix(const struct kt_repro *r)
{
    for (int i = 0; i < r->operands; i++)
        if (is_input_matrix(&r->operand[i]))
            return i;
    return -1;
}

static int find_matrix(const struct kt_repro *r, enum kt_data data)
{
    for (int i = 0; i < r->operands; i++)
        if (is_input_matrix(&r->operand[i]) && r->operand[i].arg->data == data)
            return i;
    return -1;
}

static bool is_input_vector(const struct kt_operand *o, int64_t n)
{
    return o->arg && o->access & KT_READ && o->form == KT_FORM_ARRAY && o->arg->type != KT_I && o->rows == n;
}

/*
 * Below the diagonal, the diagonal, above it: vectors of n - 1, n and n - 1 elements. Returns the first, or -1. Two
 * symmetric matrices, four vectors, are something else.
 */
static int find_tridiagonal(const struct kt_repro *r)
{
    for (int i = 0; i + 2 < r->operands; i++) {
        int64_t n = r->operand[i].rows + 1;
        if (i > 0 && is_input_vector(&r->operand[i - 1], n))
            continue;
        if (is_input_vector(&r->operand[i], n - 1) && is_input_vector(&r->operand[i + 1], n) &&
            is_input_vector(&r->operand[i + 2], n - 1))
            return i;
    }
    return -1;
}

/* AT counts from 1. */
static void blame(struct kt_repro *r, enum kt_cause cause, int operand, int64_t at)
{
    const struct kt_operand *o = &r->operand[operand];
    bool has_diagonal = o->below >= 0 && o->above >= 0;
    bool inside = at >= 1 && at <= o->rows && (at <= o->cols || kt_data_is_stored_band(o));
    r->cause = inside && (has_diagonal || cause == KT_CAUSE_ZERO_CROSS) ? cause : KT_CAUSE_UNKNOWN;
    r->cause_operand = operand;
    r->cause_at = at - 1;
}

static void blame_tridiagonal(struct kt_repro *r, int operand)
{
    r->cause = KT_CAUSE_ZERO_COLUMN;
    r->cause_operand = operand;
    r->cause_at = r->info - 1;
}

/*
 * Info above 0 comes from data, by rules that LAPACK's routines share: the leading minor of that order is not positive,
 * that element of a factor's diagonal is 0. In problems of two matrices, n is added where the second one, a definite
 * one, is to blame.
 */
static void find_cause_in_data(struct kt_repro *r)
{
    int first = first_matrix(r);
    int definite = find_matrix(r, KT_SPD);
    int triangle = find_matrix(r, KT_TRIANGLE);
    int factors = find_matrix(r, KT_LU); /* not to blame where the call can compute them: an expert driver */
    int tridiagonal = find_tridiagonal(r);
    if (definite >= 0)
        blame(r, KT_CAUSE_NOT_POSITIVE, definite, definite == first ? r->info : r->info - r->operand[definite].rows);
    else if (triangle >= 0)
        blame(r, KT_CAUSE_ZERO, triangle, r->info);
    else if (factors >= 0 && r->operand[factors].access == KT_READ)
        blame(r, KT_CAUSE_ZERO, factors, r->info);
    else if (tridiagonal >= 0 && r->info <= r->operand[tridiagonal + 1].rows)
        blame_tridiagonal(r, tridiagonal);
    else if (first >= 0)
        blame(r, KT_CAUSE_ZERO_CROSS, first, r->info);
    else
        r->cause = KT_CAUSE_UNKNOWN;
}

/* Which operand parameter number P is; kt_operands lists them in the order of the interface. */
static int operand_of_param(const struct kt_symbol *symbol, int p)
{
    int operand = 0;
    for (int i = 0; i < p; i++)
        operand += symbol->param[i].stored == KT_ADDRESS;
    return operand;
}

/* Info below 0 counts parameters. An array is only to blame for what it contains. */
static void find_cause_in_arguments(struct kt_repro *r)
{
    const struct kt_symbol *symbol = &r->call->entry->symbol;
    r->cause = KT_CAUSE_UNKNOWN;
    if (r->info < -symbol->params)
        return;
    int param = (int)-r->info - 1;
    r->cause = KT_CAUSE_ARGUMENT;
    if (symbol->param[param].stored != KT_ADDRESS)
        return;
    r->cause_operand = operand_of_param(symbol, param);
    const struct kt_operand *o = &r->operand[r->cause_operand];
    bool can_be_nan = o->arg && o->arg->type != KT_I && o->access & KT_READ && is_referenced(o);
    r->cause = can_be_nan ? KT_CAUSE_NAN : KT_CAUSE_UNKNOWN;
}

/* --- plan -------------------------------------------------------------------------------------------------- */

enum kt_status kt_repro_plan(const struct kt_trace *trace, const struct kt_call *call, const struct kt_snapshot *held,
                             struct kt_repro *out, struct kt_error *error)
{
    const struct kt_entry *entry = call->entry;
    uint64_t address[KT_MAX_OPERANDS];
    uint64_t bytes;
    *out = (struct kt_repro){.trace = trace, .call = call, .held = held, .int_bytes = entry->int_bytes};
    if (entry->symbol.view == KT_UNDESCRIBED)
        return kt_fail(error, KT_BAD_INPUT, "%s: call %llu is of %s, of whose arguments nothing is recorded",
                       trace->path, (unsigned long long)call->n, entry->symbol.name);
    kt_values_decode(&entry->symbol, call->args, &out->values);
    out->operands = kt_operands(&entry->symbol, &out->values, out->int_bytes, out->operand);
    if (!kt_arena_layout(&(struct kt_layout){0}, out->operand, out->operands, address, &bytes))
        return kt_fail(error, KT_BAD_INPUT, "%s: the arguments of call %llu describe impossible operands", trace->path,
                       (unsigned long long)call->n);
    make_blocks(out, address);
    out->has_info = kt_call_info(call, &out->info);
    if (out->info < 0)
        find_cause_in_arguments(out);
    else if (out->info > 0 && !held)
        find_cause_in_data(out);
    return KT_OK;
}

bool kt_repro_is_renamed(const struct kt_repro *r, struct kt_symbol *usual)
{
    const struct kt_symbol *symbol = &r->call->entry->symbol;
    return kt_symbol_make(symbol->routine, symbol->view, usual) && strcmp(usual->name, symbol->name) != 0;
}
