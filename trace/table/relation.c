/* SPDX-License-Identifier: BSD-3-Clause */
/*
 *     relations = 'none' | relation {';' relation}
 *     relation = ['[' EXPR ']'] sum ['~' sum]
 *     sum = product {'+' product}               product = factor {'*' factor}
 *     factor = ('1' | NAME["'"] | PART '(' NAME["'"] [',' NAME["'"]] ')') ['^' ('T' | 'H' | OPTION)]
 */
#include "trace/table/relation.h"

#include "trace/base/memory.h"
#include "trace/table/notation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char **at;
    const struct kt_routine *routine;
    struct kt_error *error;
};

static const char *const part_name[KT_MATRIX_PARTS] = {
    [KT_PART_TRIANGLE] = "tri",     [KT_PART_SYMMETRIC] = "sym", [KT_PART_HERMITIAN] = "her",
    [KT_PART_UNIT_LOWER] = "unl",   [KT_PART_UPPER] = "upp",     [KT_PART_LOWER] = "low",
    [KT_PART_DIAGONAL] = "diag",    [KT_PART_PAIRS] = "pairs",   [KT_PART_EXCHANGES] = "swap",
    [KT_PART_PERMUTATION] = "perm", [KT_PART_REFLECTORS] = "q",  [KT_PART_ROW_REFLECTORS] = "ql",
};

static bool accept(const struct reader *r, char c)
{
    if (**r->at != c)
        return false;
    ++*r->at;
    return true;
}

static struct kt_word read_word(const struct reader *r)
{
    struct kt_word w = {*r->at, 0};
    while (isalnum((unsigned char)**r->at))
        ++*r->at;
    w.length = (size_t)(*r->at - w.start);
    return w;
}

static enum kt_status fail(const struct reader *r, const char *expected, const char *at)
{
    return kt_fail(r->error, KT_BAD_INPUT, "check: expected %s at '%.20s'", expected, at);
}

static int find(const struct reader *r, struct kt_word w)
{
    for (int i = 0; i < r->routine->args; i++)
        if (kt_word_is(w, r->routine->arg[i].name))
            return i;
    return kt_word_is(w, "result") && r->routine->has_result ? KT_RESULT_OPERAND : -1;
}

static enum kt_status read_operand(const struct reader *r, int *arg, bool *after)
{
    struct kt_word w = read_word(r);
    *arg = find(r, w);
    *after = accept(r, '\'');
    return *arg == -1 ? fail(r, "an argument", w.start) : KT_OK;
}

static enum kt_status read_part(const struct reader *r, struct kt_word w, struct kt_factor *out)
{
    bool ignored;
    for (out->part = KT_PART_TRIANGLE; out->part < KT_PART_ONE; out->part++)
        if (kt_word_is(w, part_name[out->part]))
            break;
    if (out->part == KT_PART_ONE)
        return fail(r, "a part of an operand", w.start);
    KT_TRY(read_operand(r, &out->arg, &out->after));
    if (accept(r, ','))
        KT_TRY(read_operand(r, &out->second, &ignored));
    return accept(r, ')') ? KT_OK : fail(r, "')'", *r->at);
}

static enum kt_status read_turn(const struct reader *r, struct kt_factor *out)
{
    if (!accept(r, '^'))
        return KT_OK;
    struct kt_word w = read_word(r);
    out->turn = kt_word_is(w, "T") ? KT_TRANSPOSED : kt_word_is(w, "H") ? KT_CONJUGATED : KT_BY_OPTION;
    out->option = out->turn == KT_BY_OPTION ? find(r, w) : -1;
    return out->turn == KT_BY_OPTION && out->option < 0 ? fail(r, "T, H or an option", w.start) : KT_OK;
}

static enum kt_status read_factor(const struct reader *r, struct kt_factor *out)
{
    *out = (struct kt_factor){.arg = -1, .second = -1};
    const char *start = *r->at;
    struct kt_word w = read_word(r);
    if (kt_word_is(w, "1"))
        out->part = KT_PART_ONE;
    else if (accept(r, '('))
        KT_TRY(read_part(r, w, out));
    else {
        *r->at = start;
        KT_TRY(read_operand(r, &out->arg, &out->after));
    }
    out->number = out->arg >= 0 && r->routine->arg[out->arg].role == KT_SCALAR;
    if (out->arg >= 0 && !out->number && r->routine->arg[out->arg].role != KT_ARRAY)
        return fail(r, "an array or a scalar", start);
    return read_turn(r, out);
}

static enum kt_status read_product(const struct reader *r, struct kt_product *out)
{
    do {
        if (out->factors == KT_MAX_FACTORS)
            return fail(r, "fewer factors", *r->at);
        KT_TRY(read_factor(r, &out->factor[out->factors++]));
    } while (accept(r, '*'));
    return KT_OK;
}

static enum kt_status read_sum(const struct reader *r, struct kt_terms *out)
{
    do {
        if (out->products == KT_MAX_PRODUCTS)
            return fail(r, "fewer products", *r->at);
        KT_TRY(read_product(r, &out->product[out->products++]));
    } while (accept(r, '+'));
    return KT_OK;
}

static enum kt_status read_relation(const struct reader *r, struct kt_relation *out)
{
    const struct kt_scope scope = {kt_find_argument, r->routine};
    const char *start;
    if (accept(r, '[')) {
        KT_TRY(kt_expr_parse(r->at, &scope, &out->condition, r->error));
        if (!accept(r, ']'))
            return fail(r, "']'", *r->at);
    }
    start = *r->at;
    KT_TRY(read_sum(r, &out->left));
    if (accept(r, '~'))
        KT_TRY(read_sum(r, &out->right));
    out->text = strndup(start, (size_t)(*r->at - start));
    if (!out->text)
        abort();
    return KT_OK;
}

enum kt_status kt_relations_parse(const char **cursor, const struct kt_routine *routine, struct kt_relations *out,
                                  struct kt_error *error)
{
    const struct reader r = {cursor, routine, error};
    *out = (struct kt_relations){0};
    if (!strncmp(*cursor, "none", 4)) {
        *cursor += 4;
        return KT_OK;
    }
    do {
        if (out->count == KT_MAX_RELATIONS)
            return fail(&r, "fewer relations", *cursor);
        out->relation = kt_room_for_one(out->relation, (size_t)out->count, sizeof *out->relation);
        out->relation[out->count] = (struct kt_relation){0};
        KT_TRY(read_relation(&r, &out->relation[out->count++]));
    } while (accept(&r, ';'));
    return KT_OK;
}

void kt_relations_free(struct kt_relations *relations)
{
    for (int i = 0; relations && i < relations->count; i++) {
        kt_expr_free(&relations->relation[i].condition);
        free(relations->relation[i].text);
    }
    if (relations)
        free(relations->relation);
}
