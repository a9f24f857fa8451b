/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktgen: programs that tell the shim where the arrays end that a call reads (preload/extent.h), one for each, from the
 * same expressions as kt_operands() evaluates. Many are alike; whatever stands in the code already is not added again.
 */
#include "ktrace/operation.h"
#include "trace/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 256, MOST = UINT16_MAX };

struct program {
    const struct kt_symbol *symbol;
    uint16_t word[LONGEST];
    int words, values; /* VALUES: on the stack after them */
};

struct code {
    uint16_t word[MOST]; /* the first is no program's */
    int words;
};

static void fail(const struct kt_symbol *symbol, const char *what)
{
    fprintf(stderr, "ktgen: %s: where an array ends: %s\n", symbol->name, what);
    exit(KT_BAD_INPUT);
}

static void put_word(struct program *p, unsigned word)
{
    if (p->words == LONGEST)
        fail(p->symbol, "the expression is too long");
    p->word[p->words++] = (uint16_t)word;
}

static void put(struct program *p, enum kt_operation code, int operand)
{
    if (operand < 0 || operand >> KT_OP_OPERAND_BITS)
        fail(p->symbol, "a number is too large");
    put_word(p, (unsigned)code << KT_OP_OPERAND_BITS | (unsigned)operand);
    p->values += 1 - kt_operation_values(code);
    if (p->values > KT_OP_DEPTH)
        fail(p->symbol, "the expression needs too many values");
}

static void put_set(struct program *p, enum kt_operation code, int operand, uint32_t set)
{
    put(p, code, operand);
    put_word(p, set & UINT16_MAX);
    put_word(p, set >> 16);
}

/* --- arguments ----------------------------------------------------------------------------------------------- */

/* NULL where the interface leaves the argument out, which then counts as 0. */
static const struct kt_param *param_of(const struct kt_symbol *s, int arg)
{
    for (int i = 0; i < s->params; i++)
        if (s->param[i].arg == arg && !s->param[i].returned)
            return &s->param[i];
    return NULL;
}

static void put_integer(struct program *p, int arg)
{
    const struct kt_param *param = param_of(p->symbol, arg);
    if (param && param->stored != KT_INT)
        fail(p->symbol, "depends on something else than integers and options");
    put(p, param ? KT_OP_ARG : KT_OP_NUMBER, param ? param->offset : 0);
}

static uint32_t enum_values(uint32_t letters)
{
    uint32_t set = 0;
    for (int i = 0; i < 32; i++)
        if (letters & kt_letter_bit(kt_cblas_letter(KT_OP_FIRST_ENUM + i)))
            set |= 1u << i;
    return set;
}

static void put_option(struct program *p, const struct kt_op *op)
{
    const struct kt_param *param = param_of(p->symbol, op->arg);
    if (!param)
        put(p, KT_OP_NUMBER, 0);
    else if (param->stored == KT_ENUM)
        put_set(p, KT_OP_ENUM_IN, param->offset, enum_values(op->letters));
    else if (param->stored == KT_CHAR)
        put_set(p, KT_OP_OPTION_IN, param->offset, op->letters);
    else
        fail(p->symbol, "an option is none");
}

static void put_layout(struct program *p)
{
    const struct kt_param *param = param_of(p->symbol, KT_ARG_LAYOUT);
    put(p, param ? KT_OP_ROW_MAJOR : KT_OP_NUMBER, param ? param->offset : 0);
}

static void put_expr(struct program *p, const struct kt_expr *expr)
{
    for (size_t i = 0; i < expr->count; i++) {
        const struct kt_op *op = &expr->op[i];
        if (op->code == KT_OP_NUMBER)
            put(p, KT_OP_NUMBER, (int)op->number);
        else if (op->code == KT_OP_ARG)
            put_integer(p, op->arg);
        else if (op->code == KT_OP_OPTION_IN)
            put_option(p, op);
        else
            put(p, op->code, 0);
    }
}

/* --- arrays -------------------------------------------------------------------------------------------------- */

static void put_ld(struct program *p, const struct kt_shape *shape)
{
    if (shape->step < 0)
        put(p, KT_OP_NUMBER, shape->constant_step);
    else
        put_integer(p, shape->step);
}

/* Rows of the array that holds a band. */
static void put_width(struct program *p, const struct kt_shape *shape)
{
    put(p, KT_OP_NUMBER, 1);
    for (int i = 2; i < 4; i++) {
        put(p, KT_OP_NUMBER, 0);
        put_expr(p, &shape->dim[i]);
        put(p, KT_OP_MAX, 0);
        put(p, KT_OP_ADD, 0);
    }
}

/* A row of a row-major matrix is a column of its array; LAPACKE transposes the array. */
static void put_band(struct program *p, const struct kt_shape *shape)
{
    put_width(p, shape);
    if (p->symbol->view == KT_CBLAS) {
        put_layout(p);
        put_expr(p, &shape->dim[0]);
        put_expr(p, &shape->dim[1]);
        put(p, KT_OP_SELECT, 0);
        put(p, KT_OP_NUMBER, 0);
    } else {
        put_expr(p, &shape->dim[1]);
        put_layout(p);
    }
    put_ld(p, shape);
    put(p, KT_OP_MATRIX, 0);
}

static void put_elements(struct program *p, const struct kt_shape *shape)
{
    if (shape->form == KT_FORM_BAND) {
        put_band(p, shape);
        return;
    }
    put_expr(p, &shape->dim[0]);
    if (shape->form == KT_FORM_PACKED)
        put(p, KT_OP_PACKED, 0);
    if (shape->form == KT_FORM_VECTOR) {
        put_integer(p, shape->step);
        put(p, KT_OP_VECTOR, 0);
    }
    if (shape->form == KT_FORM_MATRIX) {
        put_expr(p, &shape->dim[1]);
        put_layout(p);
        put_ld(p, shape);
        put(p, KT_OP_MATRIX, 0);
    }
}

/* Nothing is read where beta is 0. */
static void put_beta(struct program *p, int arg)
{
    const struct kt_param *beta = param_of(p->symbol, arg);
    bool is_double = beta && (beta->stored == KT_DOUBLE || beta->stored == KT_CDOUBLE);
    enum kt_operation code = is_double ? KT_OP_DOUBLE : KT_OP_FLOAT;
    if (!beta)
        fail(p->symbol, "the interface has no beta");
    put(p, code, beta->offset);
    if (beta->stored == KT_CFLOAT || beta->stored == KT_CDOUBLE) {
        put(p, code, beta->offset + (is_double ? 8 : 4));
        put(p, KT_OP_OR, 0);
    }
    put(p, KT_OP_MUL, 0);
}

/* A query for the best size of a workspace reads no array whose length follows from the sizes: kt_operands(). */
static void put_queries(struct program *p, const struct kt_shape *shape)
{
    const struct kt_routine *r = p->symbol->routine;
    bool is_sized = false;
    for (int i = 0; i < r->args; i++) {
        if (r->arg[i].role == KT_LWORK && kt_expr_uses(&shape->dim[0], i))
            return;
        is_sized |= kt_expr_uses(&shape->dim[0], i);
    }
    for (int i = 0; i < r->args && is_sized; i++) {
        if (r->arg[i].role != KT_LWORK || !param_of(p->symbol, i))
            continue;
        put_integer(p, i);
        put(p, KT_OP_NUMBER, 0);
        put(p, KT_OP_AT_LEAST, 0);
        put(p, KT_OP_MUL, 0);
    }
}

static void make(struct program *p, const struct kt_arg *arg)
{
    put_elements(p, &arg->shape);
    if (arg->access == KT_UPDATE)
        put_beta(p, arg->beta);
    put_queries(p, &arg->shape);
    put(p, KT_OP_END, arg->type == KT_I ? 0 : (int)kt_type_bytes(arg->type));
}

/* --- the tables ---------------------------------------------------------------------------------------------- */

static int place_of(struct code *code, const struct program *p)
{
    size_t bytes = (size_t)p->words * sizeof *p->word;
    for (int at = 1; at + p->words <= code->words; at++)
        if (!memcmp(&code->word[at], p->word, bytes))
            return at;
    if (code->words + p->words > MOST)
        fail(p->symbol, "no room for all programs");
    memcpy(&code->word[code->words], p->word, bytes);
    code->words += p->words;
    return code->words - p->words;
}

static int extent_of(struct code *code, const struct kt_symbol *s, const struct kt_param *p)
{
    const struct kt_arg *arg = p->arg >= 0 && p->stored == KT_ADDRESS ? &s->routine->arg[p->arg] : NULL;
    struct program program = {.symbol = s};
    if (!arg || !(arg->access & (KT_READ | KT_UPDATE)))
        return 0;
    make(&program, arg);
    return place_of(code, &program);
}

static void print_extents(const struct kt_symbol *s, int number, void *context)
{
    (void)number;
    printf("    /* %s */", s->name);
    for (int i = 0; i < s->params; i++)
        if (kt_stored_is_address(s->param[i].stored))
            printf(" %d,", extent_of(context, s, &s->param[i]));
    printf("\n");
}

void kt_gen_extents(const struct kt_table *table)
{
    static struct code code = {.words = 1};
    printf("const uint16_t kt_extents[] = {\n");
    kt_gen_symbols(table, print_extents, &code);
    printf("};\n\nconst uint16_t kt_extent_code[] = {");
    for (int i = 0; i < code.words; i++)
        printf("%s%d,", i % 16 ? " " : "\n    ", code.word[i]);
    printf("\n};\n\n");
}
