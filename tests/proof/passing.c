/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/proof/passing.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static bool is_option(const struct kt_arg *arg)
{
    return arg->role <= KT_OPTION;
}

size_t proof_words(const struct kt_symbol *symbol)
{
    const struct kt_routine *r = symbol->routine;
    size_t words = (size_t)r->args;
    for (int i = 0; i < r->args; i++)
        words += is_option(&r->arg[i]);
    return words;
}

size_t proof_scalar_bytes(const struct kt_arg *arg)
{
    if (is_option(arg))
        return 1;
    return arg->type == KT_I ? PROOF_INT_BYTES : kt_type_bytes(arg->type);
}

static void read_scalar(const void *at, enum kt_type type, double *re, double *im)
{
    float f[2] = {0};
    double d[2] = {0};
    int32_t integer;
    if (type == KT_I) {
        memcpy(&integer, at, sizeof integer);
        *re = integer;
    } else if (kt_type_real(type) == KT_S) {
        memcpy(f, at, kt_type_bytes(type));
        *re = f[0], *im = f[1];
    } else {
        memcpy(d, at, kt_type_bytes(type));
        *re = d[0], *im = d[1];
    }
}

static bool read_argument(struct proof_call *c, int i)
{
    const struct kt_arg *arg = &c->symbol->routine->arg[i];
    const void *at = (const void *)(uintptr_t)c->word[i];
    if (arg->role == KT_ARRAY)
        c->values.address[i] = c->word[i];
    if (arg->role == KT_ARRAY || arg->role == KT_PROCEDURE || arg->role == KT_INFO)
        return true;
    if (c->word[i] < 4096)
        return false;
    if (is_option(arg))
        c->values.v[i] = toupper(*(const unsigned char *)at);
    else
        read_scalar(at, arg->type, &c->values.v[i], &c->values.imaginary[i]);
    return true;
}

/* Callers that only ask for a length may pass any address for an array. */
static bool is_mapped(const struct kt_operand *o)
{
    enum { PAGE = 4096, MOST_PAGES = 1 << 14 };
    unsigned char in_core[MOST_PAGES];
    uint64_t begin = o->lo / PAGE * PAGE;
    return o->hi - begin <= PAGE * MOST_PAGES && mincore((void *)(uintptr_t)begin, o->hi - begin, in_core) == 0;
}

/* What a query does not write it may read like the call itself: stemr counts eigenvalues to tell how many there are. */
static void allow_reading(struct proof_call *c)
{
    const struct kt_routine *r = c->symbol->routine;
    struct kt_operand whole[KT_MAX_OPERANDS];
    struct kt_values values = c->values;
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_LWORK)
            values.v[i] = 0;
    kt_operands(c->symbol, &values, PROOF_INT_BYTES, whole);
    for (int i = 0; i < c->operands; i++) {
        if (c->operand[i].elements || !(whole[i].access & KT_READ) || !is_mapped(&whole[i]))
            continue;
        c->operand[i] = whole[i];
        c->operand[i].access = KT_READ;
    }
}

bool proof_call_read(struct proof_call *c)
{
    const struct kt_routine *r = c->symbol->routine;
    c->values = (struct kt_values){0};
    for (int i = 0; i < r->args; i++)
        if (!read_argument(c, i))
            return false;
    return true;
}

void proof_call_lay_out(struct proof_call *c)
{
    const struct kt_routine *r = c->symbol->routine;
    c->operands = kt_operands(c->symbol, &c->values, PROOF_INT_BYTES, c->operand);
    if (kt_is_query(r, &c->values))
        allow_reading(c);
    int operand = 0;
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_ARRAY)
            c->parameter[operand++] = i;
}

/* --- kinds ------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/* From nothing to do through very small to more than a block. */
static int magnitude(const struct proof_call *c)
{
    double most = 1;
    for (int i = 0; i < c->symbol->routine->args; i++) {
        if (c->symbol->routine->arg[i].role != KT_SIZE)
            continue;
        if (c->values.v[i] <= 0)
            return 0;
        most = c->values.v[i] > most ? c->values.v[i] : most;
    }
    return most <= 2 ? 1 : most <= 6 ? 2 : most <= 16 ? 3 : most <= 40 ? 4 : 5;
}

struct proof_seen proof_call_kind(const struct proof_call *c)
{
    const struct kt_routine *r = c->symbol->routine;
    struct proof_seen seen = {.magnitude = magnitude(c)};
    for (int i = 0; i < r->args; i++) {
        enum kt_role role = r->arg[i].role;
        double value = c->values.v[i];
        double size = role == KT_SIZE ? fmin(value, 2) : 0;
        double option = role <= KT_OPTION || role == KT_LOGICAL ? value : role == KT_LWORK ? value == -1 : 0;
        seen.options = mix(seen.options, option);
        seen.sizes = mix(seen.sizes, size);
        seen.call = mix(mix(seen.call, value), c->values.imaginary[i]);
    }
    return seen;
}

/* --- text -------------------------------------------------------------------------------------------------- */

void proof_call_print(const struct proof_call *c, char *out, size_t room)
{
    const struct kt_routine *r = c->symbol->routine;
    size_t used = 0;
    *out = '\0';
    for (int i = 0; i < r->args && used < room; i++) {
        const struct kt_arg *arg = &r->arg[i];
        double v = c->values.v[i];
        if (arg->role == KT_ARRAY || arg->role == KT_PROCEDURE || arg->role == KT_INFO)
            continue;
        if (is_option(arg))
            used += (size_t)snprintf(out + used, room - used, " %s=%c", arg->name, (int)v);
        else if (kt_type_is_complex(arg->type) && arg->role == KT_SCALAR)
            used += (size_t)snprintf(out + used, room - used, " %s=(%g,%g)", arg->name, v, c->values.imaginary[i]);
        else
            used += (size_t)snprintf(out + used, room - used, " %s=%g", arg->name, v);
    }
}
