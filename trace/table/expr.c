/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recursive-descent compiler and evaluator of the expressions of the routine table. Grammar, loosest first:
 *
 *     expr = or ['?' expr ':' expr]        or = and {'||' and}          and = test {'&&' test}
 *     test = sum [('<'|'>'|'='|'<='|'>=') sum]       sum = product {('+'|'-') product}
 *     product = unary {('*'|'/') unary}    unary = '-' unary | primary
 *     primary = number | '(' expr ')' | function '(' expr {',' expr} ')' | argument ['=' LETTERS]
 */
#include "trace/table/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 24 };

struct parser {
    const char *at;
    const struct kt_scope *scope;
    struct kt_expr *out;
    struct kt_error *error;
    int nesting;
};

static enum kt_status parse_expr(struct parser *p);

uint32_t kt_letter_bit(char letter)
{
    if (letter >= 'A' && letter <= 'Z')
        return 1u << (letter - 'A');
    return letter >= '0' && letter <= '5' ? 1u << (26 + letter - '0') : 0;
}

uint32_t kt_letters_read(const char **cursor)
{
    uint32_t letters = 0;
    for (; kt_letter_bit(**cursor); ++*cursor)
        letters |= kt_letter_bit(**cursor);
    return letters;
}

static void emit(struct parser *p, struct kt_op op)
{
    p->out->op = realloc(p->out->op, (p->out->count + 1) * sizeof *p->out->op);
    if (!p->out->op)
        abort();
    p->out->op[p->out->count++] = op;
}

static void emit_code(struct parser *p, enum kt_operation code)
{
    emit(p, (struct kt_op){.code = (uint8_t)code});
}

static int accept(struct parser *p, const char *token)
{
    size_t length = strlen(token);
    if (strncmp(p->at, token, length) != 0)
        return 0;
    p->at += length;
    return 1;
}

static enum kt_status expect(struct parser *p, const char *token)
{
    if (accept(p, token))
        return KT_OK;
    return kt_fail(p->error, KT_BAD_INPUT, "expected '%s' at '%.20s'", token, p->at);
}

static enum kt_status parse_function(struct parser *p, enum kt_operation code, int operands)
{
    KT_TRY(expect(p, "("));
    KT_TRY(parse_expr(p));
    for (int i = 1; i < operands; i++) {
        KT_TRY(expect(p, ","));
        KT_TRY(parse_expr(p));
    }
    emit_code(p, code);
    return expect(p, ")");
}

static enum kt_status parse_option_test(struct parser *p, int arg)
{
    KT_TRY(expect(p, "="));
    uint32_t letters = kt_letters_read(&p->at);
    if (!letters)
        return kt_fail(p->error, KT_BAD_INPUT, "expected option letters at '%.20s'", p->at);
    emit(p, (struct kt_op){.code = KT_OP_OPTION_IN, .arg = (uint8_t)arg, .letters = letters});
    return KT_OK;
}

static enum kt_status parse_name(struct parser *p)
{
    static const struct {
        const char *name;
        enum kt_operation code;
        int operands;
    } function[] = {{"min", KT_OP_MIN, 2},
                    {"max", KT_OP_MAX, 2},
                    {"div", KT_OP_QUOTIENT, 2},
                    {"levels", KT_OP_LEVELS, 1},
                    {"lg", KT_OP_LG, 1}};
    const char *start = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    size_t length = (size_t)(p->at - start);
    for (size_t i = 0; i < sizeof function / sizeof *function; i++)
        if (strlen(function[i].name) == length && !strncmp(function[i].name, start, length) && *p->at == '(')
            return parse_function(p, function[i].code, function[i].operands);
    int is_option = 0;
    int arg = p->scope->find(p->scope->context, start, length, &is_option);
    if (arg < 0)
        return kt_fail(p->error, KT_BAD_INPUT, "'%.*s' is not an argument of the routine", (int)length, start);
    if (is_option)
        return parse_option_test(p, arg);
    emit(p, (struct kt_op){.code = KT_OP_ARG, .arg = (uint8_t)arg});
    return KT_OK;
}

static enum kt_status parse_primary(struct parser *p)
{
    if (accept(p, "(")) {
        KT_TRY(parse_expr(p));
        return expect(p, ")");
    }
    if (isdigit((unsigned char)*p->at)) {
        char *end;
        double number = (double)strtol(p->at, &end, 10);
        p->at = end;
        emit(p, (struct kt_op){.code = KT_OP_NUMBER, .number = number});
        return KT_OK;
    }
    if (isalpha((unsigned char)*p->at))
        return parse_name(p);
    return kt_fail(p->error, KT_BAD_INPUT, "expected a number, an argument or '(' at '%.20s'", p->at);
}

static enum kt_status parse_unary(struct parser *p)
{
    if (!accept(p, "-"))
        return parse_primary(p);
    emit(p, (struct kt_op){.code = KT_OP_NUMBER, .number = 0});
    KT_TRY(parse_primary(p));
    emit_code(p, KT_OP_SUB);
    return KT_OK;
}

/* One precedence level: operands of NEXT joined by any of the tokens, left to right. */
struct level {
    const char *token[5];
    enum kt_operation code[5];
};

static const struct level precedence[] = {
    {{"||"}, {KT_OP_OR}},
    {{"&&"}, {KT_OP_AND}},
    {{"<=", ">=", "<", ">", "="}, {KT_OP_AT_MOST, KT_OP_AT_LEAST, KT_OP_LESS, KT_OP_GREATER, KT_OP_EQUAL}},
    {{"+", "-"}, {KT_OP_ADD, KT_OP_SUB}},
    {{"*", "/"}, {KT_OP_MUL, KT_OP_DIV}},
};

static enum kt_status parse_level(struct parser *p, size_t level)
{
    if (level == sizeof precedence / sizeof *precedence)
        return parse_unary(p);
    KT_TRY(parse_level(p, level + 1));
    for (int i = 0; i < 5 && precedence[level].token[i];) {
        if (!accept(p, precedence[level].token[i])) {
            i++;
            continue;
        }
        KT_TRY(parse_level(p, level + 1));
        emit_code(p, precedence[level].code[i]);
        i = 0;
    }
    return KT_OK;
}

static enum kt_status parse_expr(struct parser *p)
{
    if (++p->nesting > MAX_DEPTH / 2)
        return kt_fail(p->error, KT_BAD_INPUT, "expression nests too deeply at '%.20s'", p->at);
    KT_TRY(parse_level(p, 0));
    if (accept(p, "?")) {
        KT_TRY(parse_expr(p));
        KT_TRY(expect(p, ":"));
        KT_TRY(parse_expr(p));
        emit_code(p, KT_OP_SELECT);
    }
    p->nesting--;
    return KT_OK;
}

static int operands_of(enum kt_operation code)
{
    return code < KT_OP_LEVELS ? 0 : code < KT_OP_ADD ? 1 : code < KT_OP_SELECT ? 2 : 3;
}

static int depth_needed(const struct kt_expr *expr)
{
    int depth = 0;
    int most = 0;
    for (size_t i = 0; i < expr->count; i++) {
        depth += 1 - operands_of(expr->op[i].code);
        most = depth > most ? depth : most;
    }
    return most;
}

enum kt_status kt_expr_parse(const char **cursor, const struct kt_scope *scope, struct kt_expr *out,
                             struct kt_error *error)
{
    struct parser p = {.at = *cursor, .scope = scope, .out = out, .error = error};
    *out = (struct kt_expr){0};
    enum kt_status status = parse_expr(&p);
    if (status == KT_OK && depth_needed(out) > MAX_DEPTH)
        status = kt_fail(error, KT_BAD_INPUT, "expression needs too many intermediate values");
    if (status != KT_OK)
        kt_expr_free(out);
    *cursor = p.at;
    return status;
}

static double apply_binary(uint8_t code, double a, double b)
{
    switch (code) {
    case KT_OP_ADD:
        return a + b;
    case KT_OP_SUB:
        return a - b;
    case KT_OP_MUL:
        return a * b;
    case KT_OP_DIV:
        return b != 0 ? a / b : 0;
    case KT_OP_LESS:
        return a < b;
    case KT_OP_GREATER:
        return a > b;
    case KT_OP_EQUAL:
        return a == b;
    case KT_OP_AT_MOST:
        return a <= b;
    case KT_OP_AT_LEAST:
        return a >= b;
    case KT_OP_AND:
        return a != 0 && b != 0;
    case KT_OP_OR:
        return a != 0 || b != 0;
    case KT_OP_QUOTIENT:
        return b != 0 ? floor(a / b) : 0;
    case KT_OP_MIN:
        return a < b ? a : b;
    default:
        return a > b ? a : b;
    }
}

/* NLVL of xGELSD and xBDSDC, rounded up: halvings until no part has more than SMLSIZ = 25 rows. */
static double levels(double n)
{
    double halvings = n > 0 ? floor(log2(n / 26)) + 2 : 0;
    return halvings > 0 ? halvings : 0;
}

/* The smallest k with 2**k >= n. */
static double lg(double n)
{
    return n > 1 ? ceil(log2(n)) : 0;
}

static double leaf_value(const struct kt_op *op, const double *v)
{
    if (op->code == KT_OP_NUMBER)
        return op->number;
    if (op->code == KT_OP_ARG)
        return v[op->arg];
    double letter = v[op->arg];
    return letter > 0 && letter < 128 && (op->letters & kt_letter_bit((char)letter));
}

double kt_expr_eval(const struct kt_expr *expr, const double *v)
{
    double stack[MAX_DEPTH + 1] = {0};
    int top = 0; /* stack[1..top] are live */
    for (size_t i = 0; i < expr->count; i++) {
        const struct kt_op *op = &expr->op[i];
        int operands = operands_of(op->code);
        double *s = &stack[top - operands + 1];
        if (operands == 0)
            *s = leaf_value(op, v);
        else if (operands == 3)
            *s = s[0] != 0 ? s[1] : s[2];
        else if (operands == 1)
            *s = op->code == KT_OP_LG ? lg(*s) : levels(*s);
        else
            *s = apply_binary(op->code, s[0], s[1]);
        top += 1 - operands;
    }
    return stack[1];
}

bool kt_expr_uses(const struct kt_expr *expr, int arg)
{
    for (size_t i = 0; i < expr->count; i++)
        if ((expr->op[i].code == KT_OP_ARG || expr->op[i].code == KT_OP_OPTION_IN) && expr->op[i].arg == arg)
            return true;
    return false;
}

void kt_expr_free(struct kt_expr *expr)
{
    free(expr->op);
    *expr = (struct kt_expr){0};
}
