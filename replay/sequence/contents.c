/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/contents.h"

#include "trace/base/random.h"
#include "trace/base/memory.h"

#include <math.h>
#include <sys/mman.h>

/* --- scalars --------------------------------------------------------------------------------------------------- */

static const double small = 1.0 / (1 << 20);

static const struct kt_param *find_scalar(const struct kt_symbol *symbol, const char *name)
{
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        if (p->arg >= 0 && symbol->routine->arg[p->arg].role == KT_SCALAR &&
            !strcmp(symbol->routine->arg[p->arg].name, name))
            return p;
    }
    return NULL;
}

static bool is_zero(const unsigned char *args, const struct kt_param *p)
{
    double imaginary = 0;
    return kt_stored_value(args, p, &imaginary) == 0 && imaginary == 0;
}

/* Alpha is a factor of what is overwritten: of a scaled vector, of the right-hand sides of a triangular system. */
static bool scales_in_place(const struct kt_routine *routine)
{
    bool triangle = false;
    bool reads_only = false;
    for (int i = 0; i < routine->args; i++) {
        const struct kt_arg *a = &routine->arg[i];
        triangle |= a->role == KT_ARRAY && a->data == KT_TRIANGLE;
        reads_only |= a->role == KT_ARRAY && a->access == KT_READ;
    }
    return triangle || !reads_only;
}

static bool updates(const struct kt_routine *routine)
{
    for (int i = 0; i < routine->args; i++)
        if (routine->arg[i].role == KT_ARRAY &&
            (routine->arg[i].access == KT_READ_WRITE || routine->arg[i].access == KT_UPDATE))
            return true;
    return false;
}

static void set_scalar(unsigned char *args, const struct kt_param *p, double value)
{
    double imaginary = 0;
    double real = kt_stored_value(args, p, &imaginary);
    if (imaginary == 0 && (real == 0 || real == 1 || real == -1))
        return;
    const double wide[2] = {value, imaginary != 0 ? small : 0};
    const float narrow[2] = {(float)wide[0], (float)wide[1]};
    bool single = p->stored == KT_FLOAT || p->stored == KT_CFLOAT;
    if (single || p->stored == KT_DOUBLE || p->stored == KT_CDOUBLE)
        memcpy(args + p->offset, single ? (const void *)narrow : (const void *)wide, kt_stored_bytes(p->stored));
}

void kt_scalars_steady(const struct kt_symbol *symbol, unsigned char *args)
{
    const struct kt_param *alpha = find_scalar(symbol, "alpha");
    const struct kt_param *beta = find_scalar(symbol, "beta");
    if (beta)
        set_scalar(args, beta, 1 + small);
    if (!alpha || (beta && is_zero(args, beta)) || !updates(symbol->routine))
        return;
    set_scalar(args, alpha, !beta && scales_in_place(symbol->routine) ? 1 + small : small);
}

/* --- operands -------------------------------------------------------------------------------------------------- */

static int operands_recorded(const struct kt_recorded_call *call, struct kt_operand out[KT_MAX_OPERANDS])
{
    struct kt_values values;
    const struct kt_symbol *symbol = &call->entry->symbol;
    kt_values_decode(symbol, (const unsigned char *)call->args, &values);
    return kt_operands(symbol, &values, call->entry->int_bytes, out);
}

static void place(struct kt_operand *o, const struct kt_space *space)
{
    uint64_t now = o->lo < o->hi ? kt_space_at(space, o->lo) : 0;
    if (now && kt_space_at(space, o->hi - 1) != now + (o->hi - 1 - o->lo))
        now = 0; /* not in one piece: its range cannot be real */
    uint64_t shift = now ? now - o->lo : (uint64_t)space->spare + o->base % KT_LAYOUT_PAGE - o->base;
    o->hi = now ? o->hi : o->lo;
    o->base += shift;
    o->lo += shift;
    o->hi += shift;
}

int kt_operands_placed(const struct kt_recorded_call *call, const struct kt_space *space,
                       struct kt_operand out[KT_MAX_OPERANDS])
{
    int count = operands_recorded(call, out);
    for (int i = 0; i < count; i++)
        place(&out[i], space);
    return count;
}

static double norm_of_random(const struct kt_operand *o)
{
    int64_t order = o->ld > o->cols ? o->ld : o->cols;
    order = o->rows > order ? o->rows : order;
    return order > 1 ? sqrt((double)order) : 1;
}

static void divide(const struct kt_operand *o, double by)
{
    bool single = o->arg->type == KT_S || o->arg->type == KT_C;
    int64_t runs = kt_operand_runs(o);
    for (int64_t i = 0; i < runs; i++) {
        uint64_t lo, hi;
        kt_operand_run(o, i, &lo, &hi);
        if (single)
            for (float *x = (float *)lo; x < (float *)hi; x++)
                *x /= (float)by;
        else
            for (double *x = (double *)lo; x < (double *)hi; x++)
                *x /= by;
    }
}

/* Rows of a matrix that the call exchanges rows of; 0: of none. */
static int64_t rows_exchanged(const struct kt_operand *operand, int count)
{
    for (int i = 0; i < count; i++)
        if (operand[i].arg && operand[i].form == KT_FORM_MATRIX && operand[i].access == KT_READ_WRITE)
            return operand[i].rows;
    return 0;
}

/* dlaswp is told a part of the pivots of a factorisation: they name any row of the matrix, not only those in the part.
 */
static void widen_pivots(const struct kt_operand *o, int64_t rows)
{
    uint64_t state = o->lo; /* parts of one array differ */
    for (int64_t i = 0; i < o->rows && o->form != KT_FORM_MATRIX; i++) {
        int64_t pivot = i + 1 + (int64_t)(kt_random(&state) % (uint64_t)(rows - i));
        int32_t narrow = (int32_t)pivot;
        void *to = (void *)(o->lo + (uint64_t)i * o->elem);
        memcpy(to, o->elem == sizeof pivot ? (const void *)&pivot : (const void *)&narrow, o->elem);
    }
}

/* Vectors that are parts of one array differ: their numbers follow from the address that they had. */
static void fill(const struct kt_contents *c, const struct kt_recorded_call *call, int i)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    int count = operands_recorded(call, operand);
    uint64_t address = operand[i].base;
    for (int o = 0; o < count; o++)
        place(&operand[o], c->space);
    struct kt_recipe recipe = kt_data_recipe(operand, count, i);
    kt_data_fill_anew(c->pool, operand, count, i, address);
    if (recipe.fill == KT_FILL_RANDOM && operand[i].form >= KT_FORM_MATRIX && operand[i].arg->type != KT_I)
        divide(&operand[i], norm_of_random(&operand[i]));
    if (recipe.fill == KT_FILL_RULE && recipe.rule == KT_PIVOTS && rows_exchanged(operand, count) > operand[i].rows)
        widen_pivots(&operand[i], rows_exchanged(operand, count));
}

/* --- what has to be filled ------------------------------------------------------------------------------------- */

/* One bit for each four bytes of the space's pieces, the smallest elements that there are. */
struct map {
    const struct kt_space *space;
    uint64_t **bits; /* by piece */
};

static uint64_t map_bytes(const struct kt_piece *piece)
{
    return (piece->hi - piece->lo) / 32 + 8;
}

static struct map map_new(const struct kt_space *space)
{
    struct map map = {space, kt_resize(NULL, space->pieces, sizeof *map.bits)};
    for (size_t i = 0; i < space->pieces; i++) {
        map.bits[i] = mmap(NULL, map_bytes(&space->piece[i]), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (map.bits[i] == MAP_FAILED)
            abort();
    }
    return map;
}

static void map_free(struct map *map)
{
    for (size_t i = 0; i < map->space->pieces; i++)
        munmap(map->bits[i], map_bytes(&map->space->piece[i]));
    free(map->bits);
}

/* Sets bits FROM to TO - 1; true if one of them was not. */
static bool set_bits(uint64_t *bits, uint64_t from, uint64_t to)
{
    bool fresh = false;
    while (from < to) {
        uint64_t end = (from / 64 + 1) * 64 < to ? (from / 64 + 1) * 64 : to;
        uint64_t mask = (end - from == 64 ? UINT64_MAX : (UINT64_C(1) << (end - from)) - 1) << from % 64;
        fresh |= (bits[from / 64] & mask) != mask;
        bits[from / 64] |= mask;
        from = end;
    }
    return fresh;
}

/* Marks the bytes of the operand; true if some of them were not. */
static bool mark(struct map *map, const struct kt_operand *o)
{
    bool fresh = false;
    size_t p = 0;
    while (p < map->space->pieces && o->lo - (map->space->piece[p].lo + map->space->piece[p].shift) >=
                                         map->space->piece[p].hi - map->space->piece[p].lo)
        p++;
    if (p == map->space->pieces)
        return false;
    uint64_t base = map->space->piece[p].lo + map->space->piece[p].shift;
    int64_t runs = kt_operand_runs(o);
    for (int64_t i = 0; i < runs; i++) {
        uint64_t lo, hi;
        kt_operand_run(o, i, &lo, &hi);
        if (lo < hi)
            fresh |= set_bits(map->bits[p], (lo - base) / 4, (hi - base + 3) / 4);
    }
    return fresh;
}

static void add_filling(struct kt_filling **list, size_t *count, const struct kt_recorded_call *call, int operand)
{
    *list = kt_room_for_one(*list, *count, sizeof **list);
    (*list)[(*count)++] = (struct kt_filling){call, operand};
}

/* Loops meet the same operands again and again: so are not looked at. */
struct seen {
    uint64_t lo, hi;
    int64_t rows, ld;
    enum kt_data data;
};

static bool was_seen(struct seen *table, const struct kt_operand *o)
{
    enum { SLOTS = 1024 };
    struct seen new = {o->lo, o->hi, o->rows, o->ld, o->arg->data};
    struct seen *slot = &table[(o->lo * 31 + o->hi * 17 + (uint64_t)o->rows) / 8 % SLOTS];
    bool same = slot->lo == new.lo && slot->hi == new.hi && slot->rows == new.rows && slot->ld == new.ld &&
                slot->data == new.data;
    *slot = new;
    return same;
}

static bool is_special(const struct kt_recipe *recipe)
{
    return recipe->fill != KT_FILL_RANDOM && recipe->fill != KT_FILL_NOTHING;
}

void kt_contents_plan(const struct kt_space *space, struct kt_data_pool *pool, const struct kt_recorded_call *call,
                      size_t count, struct kt_contents *out)
{
    static struct seen table[1024];
    struct map random = map_new(space);
    struct map special = map_new(space);
    *out = (struct kt_contents){.space = space, .pool = pool};
    memset(table, 0, sizeof table);
    for (size_t c = 0; c < count; c++) {
        struct kt_operand operand[KT_MAX_OPERANDS];
        int operands = kt_operands_placed(&call[c], space, operand);
        for (int i = 0; i < operands; i++) {
            struct kt_recipe recipe = kt_data_recipe(operand, operands, i);
            if (!(operand[i].access & KT_READ) || recipe.fill == KT_FILL_NOTHING || was_seen(table, &operand[i]))
                continue;
            if (is_special(&recipe) && mark(&special, &operand[i]))
                add_filling(&out->special, &out->specials, &call[c], i);
            else if (!is_special(&recipe) && mark(&random, &operand[i]))
                add_filling(&out->random, &out->randoms, &call[c], i);
        }
    }
    map_free(&random);
    map_free(&special);
}

/* Backwards: where fillings overlap, that of the first call stays. */
static void fill_all(const struct kt_contents *c, const struct kt_filling *list, size_t count)
{
    while (count-- > 0)
        fill(c, list[count].call, list[count].operand);
}

void kt_contents_fill(const struct kt_contents *c)
{
    fill_all(c, c->random, c->randoms);
    fill_all(c, c->special, c->specials);
}

void kt_contents_refill(const struct kt_contents *c, const struct kt_recorded_call *call, enum kt_access access)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    int operands = kt_operands_placed(call, c->space, operand);
    for (int i = 0; i < operands; i++)
        if (operand[i].access & access)
            fill(c, call, i);
}

bool kt_contents_used_up(const struct kt_space *space, const struct kt_recorded_call *call)
{
    static const double worth_filling = 50e-6; /* seconds: what is filled gets into the caches */
    struct kt_operand operand[KT_MAX_OPERANDS];
    struct kt_values values;
    kt_values_decode(&call->entry->symbol, (const unsigned char *)call->args, &values);
    if (call->seconds < worth_filling || !isnan(kt_flops(call->entry->symbol.routine, &values)))
        return false;
    int operands = kt_operands_placed(call, space, operand);
    for (int i = 0; i < operands; i++)
        if ((operand[i].access & (KT_READ | KT_WRITE)) == (KT_READ | KT_WRITE) && operand[i].lo < operand[i].hi)
            return true;
    return false;
}

/* --- what came out --------------------------------------------------------------------------------------------- */

struct magnitude {
    double least, most; /* of numbers that are not 0; a NAN makes MOST infinite */
};

static void look_at(double x, struct magnitude *m)
{
    x = fabs(x);
    if (!(x <= m->most))
        m->most = isnan(x) ? INFINITY : x;
    if (x < m->least && x > 0)
        m->least = x;
}

static struct magnitude magnitude_of(const struct kt_operand *o)
{
    struct magnitude m = {INFINITY, 0};
    bool single = o->arg->type == KT_S || o->arg->type == KT_C;
    int64_t runs = kt_operand_runs(o);
    for (int64_t i = 0; i < runs; i++) {
        uint64_t lo, hi;
        kt_operand_run(o, i, &lo, &hi);
        if (single)
            for (const float *x = (const float *)lo; x < (const float *)hi; x++)
                look_at((double)*x, &m);
        else
            for (const double *x = (const double *)lo; x < (const double *)hi; x++)
                look_at(*x, &m);
    }
    return m;
}

static bool is_ordinary(const struct kt_operand *o)
{
    enum { SMALL_BYTES = 32 << 10 };
    bool single = o->arg->type == KT_S || o->arg->type == KT_C;
    double limit = single ? 1e12 : 1e60;
    struct magnitude m = magnitude_of(o);
    if (m.most > limit || m.least < 1 / limit)
        return false;
    return o->elements * o->elem > SMALL_BYTES || m.most == 0 || (m.most < 1e4 && m.most > 1e-6);
}

bool kt_results_ordinary(const struct kt_space *space, const struct kt_recorded_call *call)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    struct kt_values values;
    kt_values_decode(&call->entry->symbol, (const unsigned char *)call->args, &values);
    if (kt_flops(call->entry->symbol.routine, &values) == 0) /* it copies */
        return true;
    int operands = kt_operands_placed(call, space, operand);
    for (int i = 0; i < operands; i++)
        if (operand[i].access & KT_WRITE && operand[i].lo < operand[i].hi && operand[i].arg &&
            operand[i].arg->type != KT_I && !is_ordinary(&operand[i]))
            return false;
    return true;
}

void kt_contents_free(struct kt_contents *c)
{
    free(c->random);
    free(c->special);
    *c = (struct kt_contents){0};
}
