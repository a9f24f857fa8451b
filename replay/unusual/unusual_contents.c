/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/unusual/unusual_contents.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KT_UNUSUAL_STRING(name, text) [KT_UNUSUAL_##name] = text,
const char *const kt_unusual_kind_text[] = {KT_UNUSUAL_KINDS(KT_UNUSUAL_STRING)};

/* --- which there are --------------------------------------------------------------------------------------- */

struct list {
    struct kt_unusual_contents *out;
    size_t count;
    uint32_t inputs;
    bool single;
};

/* Read by the call, or by another one with another beta. */
static bool is_input(const struct kt_operand *o)
{
    return o->arg && o->arg->type != KT_I && o->lo < o->hi && o->access != KT_WORK &&
           (o->access & KT_READ || o->arg->access == KT_UPDATE);
}

static bool is_single(const struct kt_operand *o)
{
    return kt_type_real(o->arg->type) == KT_S;
}

static void add(struct list *l, struct kt_unusual_contents contents)
{
    if (l->count < KT_UNUSUAL_MOST)
        l->out[l->count++] = contents;
}

static void add_value(struct list *l, enum kt_unusual_kind kind, int operand, double value, enum kt_unusual_place place)
{
    add(l, (struct kt_unusual_contents){.kind = kind, .operand = operand, .value = value, .place = place});
}

static void add_scaled(struct list *l, enum kt_unusual_kind kind, uint32_t of, double factor)
{
    if (of)
        add(l, (struct kt_unusual_contents){.kind = kind, .factor = factor, .of = of, .operand = -1});
}

/* Squares overflow, the numbers do not. */
static double huge_factor(const struct list *l)
{
    return l->single ? 1e30 : 1e200;
}

static double subnormal_factor(const struct list *l)
{
    return l->single ? 0x1p-130 : 0x1p-1030;
}

static void add_of_operand(struct list *l, int i)
{
    uint32_t own = (uint32_t)1 << i;
    uint32_t others = l->inputs & ~own;
    for (enum kt_unusual_place place = KT_PLACE_FIRST; place <= KT_PLACE_LAST; place++) {
        add_value(l, KT_UNUSUAL_NOT_FINITE, i, NAN, place);
        add_value(l, KT_UNUSUAL_NOT_FINITE, i, INFINITY, place);
    }
    add_value(l, KT_UNUSUAL_NOT_FINITE, i, INFINITY, KT_PLACE_BOTH_ENDS);
    add(l, (struct kt_unusual_contents){.kind = KT_UNUSUAL_HUGE_NOT_FINITE,
                                        .factor = huge_factor(l),
                                        .of = l->inputs,
                                        .operand = i,
                                        .value = NAN,
                                        .place = KT_PLACE_LAST});
    if (!others)
        return;
    add_scaled(l, KT_UNUSUAL_ZERO, own, 0);
    add_scaled(l, KT_UNUSUAL_HUGE, own, huge_factor(l));
    add_scaled(l, KT_UNUSUAL_SUBNORMAL, others, subnormal_factor(l));
}

static void add_zero_times_infinite(struct list *l, int zero, int infinite)
{
    add(l, (struct kt_unusual_contents){.kind = KT_UNUSUAL_ZERO_TIMES_INFINITE,
                                        .of = (uint32_t)1 << zero,
                                        .operand = infinite,
                                        .value = INFINITY,
                                        .place = KT_PLACE_FIRST});
}

static void add_ordinary_factors(struct list *l)
{
    add_scaled(l, KT_UNUSUAL_ZERO, l->inputs, 0);
    add_scaled(l, KT_UNUSUAL_HUGE, l->inputs, huge_factor(l));
    add_scaled(l, KT_UNUSUAL_SUBNORMAL, l->inputs, subnormal_factor(l));
    for (int i = 0; i < KT_MAX_OPERANDS; i++)
        if (l->inputs >> i & 1)
            add_of_operand(l, i);
    for (int i = 0; i < KT_MAX_OPERANDS; i++)
        for (int j = 0; j < KT_MAX_OPERANDS; j++)
            if (i != j && l->inputs >> i & l->inputs >> j & 1)
                add_zero_times_infinite(l, i, j);
}

static void add_changed_factor(struct list *l, double factor)
{
    if (factor != 0) {
        add(l, (struct kt_unusual_contents){.kind = KT_UNUSUAL_FACTOR_NOT_FINITE, .operand = -1});
        add_scaled(l, KT_UNUSUAL_FACTOR_NOT_FINITE, l->inputs, 0);
        return;
    }
    for (int i = 0; i < KT_MAX_OPERANDS; i++)
        if (l->inputs >> i & 1) {
            add_value(l, KT_UNUSUAL_FACTOR_ZERO, i, NAN, KT_PLACE_ALL);
            add_value(l, KT_UNUSUAL_FACTOR_ZERO, i, INFINITY, KT_PLACE_ALL);
        }
}

size_t kt_unusual_list(const struct kt_operand *operand, int count, const struct kt_unusual_call *call,
                       struct kt_unusual_contents out[KT_UNUSUAL_MOST])
{
    struct list l = {.out = out};
    for (int i = 0; i < count; i++)
        if (is_input(&operand[i])) {
            l.inputs |= (uint32_t)1 << i;
            l.single = l.single || is_single(&operand[i]);
        }
    if (call->scalar.name)
        add_changed_factor(&l, call->scalar.value);
    else
        add_ordinary_factors(&l);
    return l.count;
}

/* --- writing them ------------------------------------------------------------------------------------------ */

static void write_number(const struct kt_operand *o, uint64_t address, double value)
{
    float narrow = (float)value;
    if (is_single(o))
        memcpy((void *)address, &narrow, sizeof narrow);
    else
        memcpy((void *)address, &value, sizeof value);
}

static double read_number(const struct kt_operand *o, uint64_t address)
{
    float narrow;
    double wide;
    if (is_single(o)) {
        memcpy(&narrow, (void *)address, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, (void *)address, sizeof wide);
    return wide;
}

/* Every number of the operand, of complex ones both parts. */
static void multiply(const struct kt_operand *o, double factor)
{
    size_t bytes = is_single(o) ? sizeof(float) : sizeof(double);
    int64_t runs = kt_operand_runs(o);
    for (int64_t run = 0; run < runs; run++) {
        uint64_t lo, hi;
        kt_operand_run(o, run, &lo, &hi);
        for (; lo < hi; lo += bytes)
            write_number(o, lo, factor == 0 ? 0 : read_number(o, lo) * factor);
    }
}

/* The real part of element NUMBER, or of all. */
static void set_elements(const struct kt_operand *o, uint64_t number, bool all, double value)
{
    int64_t runs = kt_operand_runs(o);
    uint64_t element = 0;
    for (int64_t run = 0; run < runs; run++) {
        uint64_t lo, hi;
        kt_operand_run(o, run, &lo, &hi);
        for (; lo < hi; lo += o->elem, element++)
            if (all || element == number)
                write_number(o, lo, value);
    }
}

static uint64_t count_elements(const struct kt_operand *o)
{
    uint64_t bytes = 0;
    int64_t runs = kt_operand_runs(o);
    for (int64_t run = 0; run < runs; run++) {
        uint64_t lo, hi;
        kt_operand_run(o, run, &lo, &hi);
        bytes += lo < hi ? hi - lo : 0;
    }
    return bytes / o->elem;
}

static void set_value(const struct kt_operand *o, double value, enum kt_unusual_place place)
{
    uint64_t last = count_elements(o) - 1;
    uint64_t first = place == KT_PLACE_LAST ? last : place == KT_PLACE_MIDDLE ? (last + 1) / 2 : 0;
    set_elements(o, first, place == KT_PLACE_ALL, value);
    if (place == KT_PLACE_BOTH_ENDS && last > 0)
        set_elements(o, last, false, -value);
}

void kt_unusual_fill(const struct kt_unusual_contents *c, const struct kt_operand *operand, int count)
{
    for (int i = 0; i < count; i++)
        if (c->of >> i & 1)
            multiply(&operand[i], c->factor);
    if (c->operand >= 0)
        set_value(&operand[c->operand], c->value, c->place);
}

/* --- in words ---------------------------------------------------------------------------------------------- */

static const char *factor_text(double factor)
{
    return factor == 0 ? "0" : factor > 1 ? "huge" : "subnormal";
}

/* "all", or names joined by commas. */
static int operands_text(const struct kt_unusual_contents *c, const struct kt_operand *operand, int count, char *out,
                         size_t size)
{
    int used = 0;
    uint32_t inputs = 0;
    for (int i = 0; i < count; i++)
        inputs |= (uint32_t)is_input(&operand[i]) << i;
    if (c->of == inputs && (inputs & (inputs - 1)))
        return snprintf(out, size, "all");
    for (int i = 0; i < count; i++)
        if (c->of >> i & 1 && used < (int)size)
            used += snprintf(out + used, size - (size_t)used, "%s%s", used ? "," : "", operand[i].name);
    return used;
}

static const char *value_text(double value)
{
    return isnan(value) ? "NaN" : value < 0 ? "-Inf" : "Inf";
}

void kt_unusual_text(const struct kt_unusual_contents *c, const struct kt_unusual_call *call,
                     const struct kt_operand *operand, int count, char out[KT_UNUSUAL_TEXT])
{
    static const char *const place[] = {[KT_PLACE_FIRST] = "first of ",
                                        [KT_PLACE_MIDDLE] = "middle of ",
                                        [KT_PLACE_LAST] = "last of ",
                                        [KT_PLACE_ALL] = "all of "};
    char scaled[KT_UNUSUAL_TEXT / 2] = "";
    char factor[KT_UNUSUAL_TEXT / 4] = "";
    char value[KT_UNUSUAL_TEXT / 2] = "";
    if (call->scalar.name)
        snprintf(factor, sizeof factor, "%s=%s", call->scalar.name,
                 call->scalar.value == 0 ? "0" : value_text(call->scalar.value));
    else if (call->zero)
        snprintf(factor, sizeof factor, "%s=0", call->zero);
    if (c->of) {
        operands_text(c, operand, count, scaled, sizeof scaled - 12);
        snprintf(scaled + strlen(scaled), 12, " %s", factor_text(c->factor));
    }
    if (c->operand >= 0 && c->place == KT_PLACE_BOTH_ENDS)
        snprintf(value, sizeof value, "ends of %s Inf, -Inf", operand[c->operand].name);
    else if (c->operand >= 0)
        snprintf(value, sizeof value, "%s%s %s", place[c->place], operand[c->operand].name, value_text(c->value));
    snprintf(out, KT_UNUSUAL_TEXT, "%s%s%.36s%s%.32s", factor, *factor && (*scaled || *value) ? ", " : "", scaled,
             *scaled && *value ? ", " : "", value);
}
