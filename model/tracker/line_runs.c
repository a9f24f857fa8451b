/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/tracker/line_runs.h"

#include "model/tracker/line_map.h"
#include "trace/base/memory.h"

/* A wrong call may name any sizes. No memory is larger, and no operand has so many columns or single elements. */
static const uint64_t most_bytes = (uint64_t)1 << 40;
static const int64_t most_runs = (int64_t)1 << 24;

static bool is_vector(const struct kt_operand *o)
{
    return o->form == KT_FORM_ARRAY || o->form == KT_FORM_VECTOR;
}

/* All rows of all columns belong to the matrix. */
static bool is_full(const struct kt_operand *o)
{
    return o->form == KT_FORM_MATRIX && o->below >= o->rows - 1 && o->above >= o->cols - 1;
}

/* The next column, or element of a vector, begins less than a line behind the end of the last. */
static bool is_dense(const struct kt_operand *o, unsigned shift)
{
    int64_t line = (int64_t)1 << shift;
    int64_t elem = (int64_t)o->elem;
    if (is_vector(o))
        return (o->ld < 0 ? -o->ld : o->ld) * elem <= line - 1 + elem;
    return is_full(o) && (o->cols == 1 || (o->ld - o->rows) * elem < line);
}

bool kt_lines_are_sane(const struct kt_operand *o)
{
    return o->lo <= o->hi && o->hi - o->lo <= most_bytes && o->hi >> 63 == 0 &&
           (is_dense(o, 6) || kt_operand_runs(o) <= most_runs);
}

/* Steps of a line map: blocks of lines, or runs. */
static uint64_t steps_over(const struct kt_operand *o)
{
    enum { BLOCK = KT_BLOCK_LINES << 6 };
    return is_dense(o, 6) ? (o->hi - o->lo) / BLOCK + 1 : (uint64_t)kt_operand_runs(o);
}

bool kt_lines_affords(struct kt_lines_walked *walk, const struct kt_operand *operand, int count)
{
    static const uint64_t at_first = (uint64_t)1 << 24;
    static const uint64_t per_call = (uint64_t)1 << 16;
    uint64_t steps = 0;
    walk->calls++;
    for (int i = 0; i < count; i++) {
        if (!kt_lines_are_sane(&operand[i]))
            return false;
        steps += steps_over(&operand[i]);
    }
    if (walk->steps + steps > at_first + per_call * walk->calls)
        return false;
    walk->steps += steps;
    return true;
}

static void begin_uniform(struct kt_line_runs *out)
{
    const struct kt_operand *o = out->operand;
    out->uniform = true;
    out->bytes = (uint64_t)(is_vector(o) ? 1 : o->rows) * o->elem;
    out->step = (uint64_t)o->ld * o->elem;
    out->at = is_vector(o) && o->ld < 0 ? o->hi - out->bytes : o->lo;
}

void kt_line_runs_begin(const struct kt_operand *o, unsigned shift, struct kt_line_runs *out)
{
    *out = (struct kt_line_runs){.operand = o, .shift = shift};
    if (o->lo == o->hi)
        return;
    if (is_dense(o, shift)) {
        out->ahead = kt_lines_between(o->lo, o->hi, shift);
        return;
    }
    out->left = kt_operand_runs(o);
    if (is_vector(o) || is_full(o))
        begin_uniform(out);
}

/* An element that is aligned to its own size, a power of two, lies on one line. */
bool kt_line_series_of(const struct kt_operand *o, unsigned shift, struct kt_line_series *out)
{
    uint64_t elem = o->elem;
    uint64_t step = (uint64_t)(o->ld < 0 ? -o->ld : o->ld) * elem;
    bool in_line = elem && !(elem & (elem - 1)) && o->lo % elem == 0 && elem <= (uint64_t)1 << shift;
    if (!is_vector(o) || !in_line || o->lo == o->hi || step < (uint64_t)2 << shift)
        return false;
    *out = (struct kt_line_series){o->lo, step, (uint64_t)kt_operand_runs(o), shift};
    return true;
}

/* --- keys -------------------------------------------------------------------------------------------------- */

enum key_kind { KEY_DENSE, KEY_LINES, KEY_BYTES, KEY_OTHER };

/* Runs that all begin at the same place in a line: rows of a matrix that lie on the same lines have one key. */
static struct kt_lines_key uniform_key(const struct kt_line_runs *runs)
{
    const struct kt_operand *o = runs->operand;
    uint64_t count = (uint64_t)runs->left;
    uint64_t step = (uint64_t)(o->ld < 0 ? -o->ld : o->ld) * o->elem;
    if (step & (((uint64_t)1 << runs->shift) - 1))
        return (struct kt_lines_key){{o->lo, step, runs->bytes, count, KEY_BYTES}};
    struct kt_line_run lowest = kt_lines_between(o->lo, o->lo + runs->bytes, runs->shift);
    return (struct kt_lines_key){{lowest.first, step, lowest.end, count, KEY_LINES}};
}

static struct kt_lines_key general_key(const struct kt_operand *o)
{
    return (struct kt_lines_key){{o->base, (uint64_t)o->rows << 32 | (uint64_t)o->cols,
                                  (uint64_t)o->ld << 32 | (uint64_t)(uint32_t)o->diagonal,
                                  (uint64_t)o->below << 32 | (uint64_t)(uint32_t)o->above,
                                  (uint64_t)o->elem << 16 | (uint64_t)o->form << 8 | KEY_OTHER}};
}

struct kt_lines_key kt_lines_key_of(const struct kt_operand *o, unsigned shift)
{
    struct kt_line_runs runs;
    kt_line_runs_begin(o, shift, &runs);
    if (runs.left == 0)
        return (struct kt_lines_key){{runs.ahead.first, runs.ahead.end, 0, 0, KEY_DENSE}};
    return runs.uniform ? uniform_key(&runs) : general_key(o);
}

/* --- counting ---------------------------------------------------------------------------------------------- */

uint64_t kt_lines_of(const struct kt_operand *operand, unsigned shift)
{
    uint64_t lines = 0;
    struct kt_line_runs runs;
    struct kt_line_run run;
    kt_line_runs_begin(operand, shift, &runs);
    while (kt_line_runs_next(&runs, &run))
        lines += run.end - run.first;
    return lines;
}

static int compare_runs(const void *a, const void *b)
{
    const struct kt_line_run *x = a;
    const struct kt_line_run *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

uint64_t kt_lines_of_call(const struct kt_operand *operand, int count, unsigned shift)
{
    struct kt_line_run *run = NULL;
    size_t runs = 0;
    for (int i = 0; i < count; i++) {
        struct kt_line_runs walk;
        struct kt_line_run next;
        kt_line_runs_begin(&operand[i], shift, &walk);
        while (kt_line_runs_next(&walk, &next)) {
            run = kt_room_for_one(run, runs, sizeof *run);
            run[runs++] = next;
        }
    }
    if (runs)
        qsort(run, runs, sizeof *run, compare_runs);
    uint64_t lines = 0;
    uint64_t covered = 0;
    for (size_t i = 0; i < runs; i++) {
        uint64_t first = run[i].first > covered ? run[i].first : covered;
        lines += run[i].end > first ? run[i].end - first : 0;
        covered = run[i].end > covered ? run[i].end : covered;
    }
    free(run);
    return lines;
}
