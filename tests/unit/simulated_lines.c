/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/simulated_lines.h"

static const uint64_t base = 0x7f0000000000 - SPACE / 2; /* the space spans blocks of the line map */

/* As trace/table/operand.c makes them: bounds from the runs, elements not needed. */
static struct kt_operand finished(struct kt_operand o)
{
    o.lo = UINT64_MAX;
    o.hi = 0;
    for (int64_t i = 0; i < kt_operand_runs(&o); i++) {
        uint64_t lo, hi;
        kt_operand_run(&o, i, &lo, &hi);
        if (lo < hi && lo < o.lo)
            o.lo = lo;
        if (lo < hi && hi > o.hi)
            o.hi = hi;
    }
    if (o.hi == 0)
        o.lo = o.hi = o.base;
    return o;
}

struct kt_operand kt_sim_matrix(uint64_t at, int64_t rows, int64_t cols, int64_t ld, enum kt_access access)
{
    return finished((struct kt_operand){.form = KT_FORM_MATRIX,
                                        .access = access,
                                        .base = base + at,
                                        .rows = rows,
                                        .cols = cols,
                                        .ld = ld,
                                        .below = rows,
                                        .above = cols,
                                        .elem = 8});
}

struct kt_operand kt_sim_vector(uint64_t at, int64_t n, int64_t inc, enum kt_access access)
{
    return finished((struct kt_operand){
        .form = KT_FORM_VECTOR, .access = access, .base = base + at, .rows = n, .cols = 1, .ld = inc, .elem = 8});
}

uint64_t kt_sim_draw(uint64_t below)
{
    static uint64_t state = 12345;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

struct kt_operand kt_sim_any_operand(void)
{
    struct kt_operand o = {.access = (enum kt_access[]){KT_READ, KT_WRITE, KT_READ_WRITE, KT_WORK}[kt_sim_draw(4)]};
    o.elem = (size_t)4 << kt_sim_draw(3);
    if (kt_sim_draw(3) == 0) {
        o.form = KT_FORM_VECTOR;
        o.rows = (int64_t)kt_sim_draw(60);
        o.cols = 1;
        o.ld = (int64_t)kt_sim_draw(41) - 20;
    } else {
        o.form = KT_FORM_MATRIX;
        o.rows = (int64_t)kt_sim_draw(30);
        o.cols = (int64_t)kt_sim_draw(30);
        o.ld = o.rows + (int64_t)(kt_sim_draw(2) ? kt_sim_draw(60) : 64 - (uint64_t)o.rows);
        uint64_t kind = kt_sim_draw(4);
        o.below = kind == 1 ? -(int64_t)kt_sim_draw(2) : o.rows;
        o.above = kind == 2 ? -(int64_t)kt_sim_draw(2) : o.cols;
    }
    uint64_t elements = SPACE / o.elem / 4;
    o.base = base + kt_sim_draw(elements) * o.elem + (kt_sim_draw(2) ? 4 * kt_sim_draw(16) : 0);
    return finished(o);
}

/* The same pointer with another size or leading dimension. */
static struct kt_operand variant(struct kt_operand o)
{
    uint64_t kind = kt_sim_draw(3);
    if (kind == 0)
        o.rows = o.form == KT_FORM_VECTOR ? (int64_t)kt_sim_draw(60)
                                          : (int64_t)kt_sim_draw((uint64_t)(o.ld < 31 ? o.ld + 1 : 31));
    else if (kind == 1 && o.form == KT_FORM_MATRIX)
        o.cols = (int64_t)kt_sim_draw(30);
    else if (o.form == KT_FORM_MATRIX)
        o.ld = o.rows + (int64_t)kt_sim_draw(60);
    return finished(o);
}

struct kt_operand kt_sim_next_operand(struct kt_operand *pool, int pooled)
{
    uint64_t kind = kt_sim_draw(5);
    struct kt_operand o = pool[kt_sim_draw((uint64_t)pooled)];
    if (kind < 2)
        return o;
    o = kind == 2 ? variant(o) : kt_sim_any_operand();
    pool[kt_sim_draw((uint64_t)pooled)] = o;
    return o;
}

static void add_element(kt_sim_lines set, uint64_t address, size_t elem)
{
    for (uint64_t byte = address; byte < address + elem; byte++)
        set[(byte - base) / LINE % LINES] = true;
}

void kt_sim_add(kt_sim_lines set, const struct kt_operand *o)
{
    for (int64_t j = 0; j < o->cols; j++)
        for (int64_t i = 0; i < o->rows; i++) {
            bool in = o->form == KT_FORM_VECTOR || (i - j <= o->below && j - i <= o->above);
            int64_t first = o->ld < 0 ? (1 - o->rows) * o->ld : 0;
            int64_t at = o->form == KT_FORM_VECTOR ? first + i * o->ld : i + j * o->ld;
            if (in)
                add_element(set, o->base + (uint64_t)at * o->elem, o->elem);
        }
}

uint64_t kt_sim_distance(const int last[LINES], int line)
{
    uint64_t count = 0;
    for (int i = 0; i < LINES; i++)
        count += last[i] >= last[line];
    return last[line] ? count : KT_NEVER;
}

const struct kt_caches kt_sim_caches = {
    .cache = {{.bytes = 4096, .shared = 1}, {.bytes = 16384, .shared = 2}, {.bytes = 32768, .shared = 8}},
    .count = 3,
    .line = LINE};
