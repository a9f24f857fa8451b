/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/distill/canonical.h"

#include "trace/base/memory.h"
#include "trace/table/operand.h"

#include <math.h>
#include <string.h>

#define ORIGIN  (UINT64_C(1) << 32) /* where the first piece lies */
#define NOWHERE UINT64_C(0x1000)    /* addresses of what calls do not reference */

void kt_canonical_add(struct kt_canonical *c, const struct kt_call *call)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    kt_values_decode(&call->entry->symbol, call->args, &values);
    int operands = kt_operands(&call->entry->symbol, &values, call->entry->int_bytes, operand);
    for (int i = 0; i < operands; i++)
        kt_ranges_add(&c->ranges, operand[i].lo, operand[i].hi);
}

/* In the order of their addresses, at other places modulo KT_LAYOUT_PIECE: no two then share the same sets of a cache
 * more than chance has it. */
void kt_canonical_settle(struct kt_canonical *c)
{
    enum { PAGES = KT_LAYOUT_PIECE / KT_LAYOUT_PAGE, STEP = 197 };
    uint64_t at = ORIGIN;
    kt_ranges_join(&c->ranges);
    c->pieces = kt_space_pieces(&c->ranges, &c->piece);
    for (size_t i = 0; i < c->pieces; i++) {
        struct kt_piece *p = &c->piece[i];
        p->shift = at + i * STEP % PAGES * KT_LAYOUT_PAGE - p->lo;
        at = (p->hi + p->shift + 2 * (uint64_t)KT_LAYOUT_PIECE - 1) / KT_LAYOUT_PIECE * KT_LAYOUT_PIECE;
    }
}

static uint64_t address_of(const struct kt_canonical *c, uint64_t address)
{
    const struct kt_space space = {.piece = c->piece, .pieces = c->pieces};
    uint64_t moved = address ? kt_space_at(&space, address) : 0;
    return moved || !address ? moved : NOWHERE;
}

/* --- scalars --------------------------------------------------------------------------------------------------- */

static double power_of_two(double value)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent);
    return isfinite(value) && fraction > 0 ? copysign(ldexp(1, exponent - 1), value) : 0.5;
}

/* LAPACK decides by some of its scalars how much it has to do. */
static double scalar_of(double value, bool is_lapack)
{
    return is_lapack ? power_of_two(value) : 0.5;
}

static bool is_ordinary(double value)
{
    return value == 0 || fabs(value) == 1;
}

static void put_scalar(unsigned char *args, const struct kt_param *p, bool is_lapack)
{
    double imaginary = 0;
    double real = kt_stored_value(args, p, &imaginary);
    bool is_complex = p->stored == KT_CFLOAT || p->stored == KT_CDOUBLE;
    if (is_ordinary(real) && imaginary == 0)
        return;
    double value[2] = {real == 0 ? 0 : scalar_of(real, is_lapack),
                       imaginary == 0 ? 0 : scalar_of(imaginary, is_lapack)};
    float narrow[2] = {(float)value[0], (float)value[1]};
    bool is_float = p->stored == KT_FLOAT || p->stored == KT_CFLOAT;
    size_t each = is_float ? sizeof *narrow : sizeof *value;
    memcpy(args + p->offset, is_float ? (void *)narrow : (void *)value, (is_complex ? 2 : 1) * each);
}

/* --- words ----------------------------------------------------------------------------------------------------- */

static void put_param(const struct kt_canonical *c, const struct kt_symbol *symbol, const struct kt_param *p,
                      unsigned char *args)
{
    enum kt_role role = p->arg < 0 ? KT_OPTION : symbol->routine->arg[p->arg].role;
    bool is_number =
        p->stored == KT_FLOAT || p->stored == KT_DOUBLE || p->stored == KT_CFLOAT || p->stored == KT_CDOUBLE;
    if (kt_stored_is_address(p->stored)) {
        uint64_t moved = address_of(c, kt_stored_address(args, p));
        memcpy(args + p->offset, &moved, sizeof moved);
    } else if (role == KT_INFO) {
        memset(args + p->offset, 0, kt_stored_bytes(p->stored));
    } else if (is_number) {
        put_scalar(args, p, !(symbol->routine->interfaces & KT_HAS_CBLAS));
    }
}

size_t kt_canonical_words(const struct kt_canonical *c, const struct kt_call *call, uint64_t *out)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    unsigned char *args = (unsigned char *)(out + KT_CALL_HEAD_WORDS);
    out[0] = call->in_parallel ? KT_TEAM_FLAG : 0;
    out[1] = 0;
    memcpy(args, call->args, symbol->arg_bytes);
    for (int i = 0; i < symbol->params; i++)
        put_param(c, symbol, &symbol->param[i], args);
    return KT_CALL_HEAD_WORDS + symbol->arg_bytes / 8u;
}

void kt_canonical_free(struct kt_canonical *c)
{
    kt_ranges_free(&c->ranges);
    free(c->piece);
    *c = (struct kt_canonical){0};
}
