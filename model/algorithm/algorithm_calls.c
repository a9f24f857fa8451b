/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls in algorithms pass, and everything about an algorithm that is neither parsing nor running it. */
#include "model/algorithm/algorithm_reading.h"
#include "trace/table/known.h"
#include "trace/base/memory.h"

#include <ctype.h>

/* The routine's symbol, which calls of the same routine share; -1: it is not in the table. */
static int symbol_of(struct kt_algorithm *a, const char *name)
{
    for (size_t i = 0; i < a->symbols; i++)
        if (!strcmp(a->symbol[i]->routine->name, name))
            return (int)i;
    const struct kt_routine *routine = kt_table_find(kt_known_routines(), name);
    struct kt_symbol *symbol = kt_resize(NULL, 1, sizeof *symbol);
    if (!routine || !kt_symbol_make(routine, KT_FORTRAN, symbol)) {
        free(symbol);
        return -1;
    }
    a->symbol = kt_room_for_one(a->symbol, a->symbols, sizeof *a->symbol);
    a->symbol[a->symbols] = symbol;
    return (int)a->symbols++;
}

/* Arguments that follow from others are not written. */
static bool is_written(const struct kt_arg *arg)
{
    return arg->role != KT_LD && arg->role != KT_LWORK && arg->role != KT_INFO;
}

static enum kt_status read_letter(struct kt_reading *r, const struct kt_arg *arg, struct kt_passed *out)
{
    char letter = (char)toupper((unsigned char)*r->at);
    bool usual = arg->role == KT_OPTION ? kt_letter_bit(letter) != 0 : kt_cblas_value(arg->role, letter) != 0;
    bool legal = arg->letters ? arg->letters & kt_letter_bit(letter) : usual;
    if (!legal || isalnum((unsigned char)r->at[1]))
        return kt_reading_fail(r, "expected a letter for the option %s at '%.20s'", arg->name, r->at);
    out->letter = letter;
    r->at++;
    return KT_OK;
}

static int find_store(const struct kt_algorithm *a, const char *name)
{
    for (int i = 0; i < a->stores; i++)
        if (!strcmp(a->store[i].name, name))
            return i;
    return -1;
}

static enum kt_status read_indices(struct kt_reading *r, const struct kt_algorithm_store *store, struct kt_passed *out)
{
    if (!kt_reading_accept(r, '('))
        return KT_OK;
    KT_TRY(kt_reading_expr(r, &out->first));
    if (!store->is_vector) {
        KT_TRY(kt_reading_expect(r, ','));
        KT_TRY(kt_reading_expr(r, &out->second));
    }
    return kt_reading_expect(r, ')');
}

static enum kt_status read_place(struct kt_reading *r, const struct kt_arg *arg, struct kt_passed *out)
{
    char name[KT_NAME];
    struct kt_algorithm *a = r->algorithm;
    size_t elem = kt_type_bytes(arg->type);
    KT_TRY(kt_reading_name(r, name));
    out->store = find_store(a, name);
    if (out->store < 0)
        return kt_reading_fail(r, "%s is no matrix or vector, as the argument %s is", name, arg->name);
    struct kt_algorithm_store *store = &a->store[out->store];
    if (store->elem && store->elem != elem)
        return kt_reading_fail(r, "%s has elements of %zu bytes here and %zu elsewhere", name, elem, store->elem);
    store->elem = elem;
    return read_indices(r, store, out);
}

static enum kt_status read_passed(struct kt_reading *r, const struct kt_arg *arg, struct kt_passed *out)
{
    if (arg->role == KT_ARRAY)
        return read_place(r, arg, out);
    if (arg->role <= KT_OPTION)
        return read_letter(r, arg, out);
    return kt_reading_expr(r, &out->first);
}

static struct kt_passed *new_passed(int count)
{
    struct kt_passed *passed = kt_zeros((size_t)count, sizeof *passed);
    for (int i = 0; i < count; i++)
        passed[i].store = -1;
    return passed;
}

static enum kt_status read_routine_call(struct kt_reading *r, int symbol)
{
    const struct kt_routine *routine = r->algorithm->symbol[symbol]->routine;
    struct kt_statement *s = kt_reading_append(r, KT_CALL_ROUTINE);
    s->target = symbol;
    s->count = routine->args;
    s->passed = new_passed(s->count);
    bool first = true;
    for (int i = 0; i < routine->args; i++) {
        const struct kt_arg *arg = &routine->arg[i];
        if (!is_written(arg))
            continue;
        if (arg->role == KT_PROCEDURE)
            return kt_reading_fail(r, "%s takes a procedure, which cannot be written here", routine->name);
        if (!first && !kt_reading_accept(r, ','))
            return kt_reading_fail(r, "%s: expected its argument %s at '%.20s'", routine->name, arg->name, r->at);
        KT_TRY(read_passed(r, arg, &s->passed[i]));
        first = false;
    }
    if (*r->at == ',')
        return kt_reading_fail(r, "%s has no further argument: '%.20s'", routine->name, r->at);
    return kt_reading_expect(r, ')');
}

static enum kt_status read_sub_call(struct kt_reading *r, int sub)
{
    struct kt_statement *s = kt_reading_append(r, KT_CALL_SUB);
    s->target = sub;
    s->passed = new_passed(KT_MOST_VARIABLES);
    do {
        if (s->count == KT_MOST_VARIABLES)
            return kt_reading_fail(r, "more than %d arguments", KT_MOST_VARIABLES);
        KT_TRY(kt_reading_expr(r, &s->passed[s->count++].first));
    } while (kt_reading_accept(r, ','));
    return kt_reading_expect(r, ')');
}

enum kt_status kt_reading_call(struct kt_reading *r, const char *name)
{
    int symbol = symbol_of(r->algorithm, name);
    if (symbol >= 0)
        return read_routine_call(r, symbol);
    int sub = kt_reading_sub(r, name);
    return sub < 0 ? kt_reading_fail(r, "%s is not known, and there are too many subs", name) : read_sub_call(r, sub);
}

/* --- the rest ---------------------------------------------------------------------------------------------- */

static void free_statement(struct kt_statement *s)
{
    for (int i = 0; i < 3; i++)
        kt_expr_free(&s->expr[i]);
    for (int i = 0; i < s->count; i++) {
        kt_expr_free(&s->passed[i].first);
        kt_expr_free(&s->passed[i].second);
    }
    free(s->passed);
}

void kt_algorithm_free(struct kt_algorithm *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->statements; i++)
        free_statement(&a->statement[i]);
    for (size_t i = 0; i < a->symbols; i++)
        free(a->symbol[i]);
    for (int i = 0; i < a->stores; i++) {
        kt_expr_free(&a->store[i].rows);
        kt_expr_free(&a->store[i].columns);
    }
    free(a->symbol);
    free(a->statement);
    free(a->file);
    free(a);
}

const char *kt_algorithm_name(const struct kt_algorithm *a)
{
    return a->name;
}

const char *kt_algorithm_operation(const struct kt_algorithm *a)
{
    return a->operation;
}

const char *kt_algorithm_routine(const struct kt_algorithm *a)
{
    return a->routine;
}

int kt_algorithm_parameters(const struct kt_algorithm *a)
{
    return a->parameters;
}

const char *kt_algorithm_parameter_name(const struct kt_algorithm *a, int parameter)
{
    return a->sub[0].variable[parameter];
}

int kt_algorithm_parameter(const struct kt_algorithm *a, const char *name)
{
    for (int i = 0; i < a->parameters; i++)
        if (!strcmp(a->sub[0].variable[i], name))
            return i;
    return -1;
}

double kt_algorithm_default(const struct kt_algorithm *a, int parameter)
{
    return a->fallback[parameter];
}
