/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/proof/copies.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, MOST_BYTES = 1 << 26, CELL_AT = 2, UNIT = sizeof(uint32_t) };

/*
 * NAN as a float and as a double, and as an integer an index far outside. A NAN absorbs what is added to it and goes
 * unnoticed in comparisons; 12345.67 as a double, 6.28 as a float, does not, nor does 0.
 */
static const uint32_t poisons[PROOF_RUNS] = {0x7ff80000, 0x40c81cd6, 0};

/* --- blocks ------------------------------------------------------------------------------------------------ */

static bool overlap(const struct proof_block *a, const struct proof_block *b)
{
    return a->lo < a->hi && b->lo < b->hi && a->lo < b->hi && b->lo < a->hi;
}

/* Makes block B part of block A, A < B; the last block gets B's number. */
static void join_blocks(struct proof_copies *c, int a, int b)
{
    struct proof_block *to = &c->block[a];
    const struct proof_block *from = &c->block[b];
    to->lo = from->lo < to->lo ? from->lo : to->lo;
    to->hi = from->hi > to->hi ? from->hi : to->hi;
    int last = --c->blocks;
    c->block[b] = c->block[last];
    for (int i = 0; i < c->call->operands; i++)
        c->block_of[i] = c->block_of[i] == b ? a : c->block_of[i] == last ? b : c->block_of[i];
}

static bool join_two(struct proof_copies *c)
{
    for (int a = 0; a < c->blocks; a++)
        for (int b = a + 1; b < c->blocks; b++)
            if (overlap(&c->block[a], &c->block[b])) {
                join_blocks(c, a, b);
                return true;
            }
    return false;
}

static void find_blocks(struct proof_copies *c)
{
    c->blocks = c->call->operands;
    for (int i = 0; i < c->blocks; i++) {
        const struct kt_operand *o = &c->call->operand[i];
        c->block[i] = (struct proof_block){.lo = o->lo, .hi = o->hi};
        c->block_of[i] = i;
    }
    while (join_two(c))
        ;
}

/* Units [*BEGIN, *END) of its block that the I-th run of an operand covers. */
static void run_units(const struct proof_copies *c, int operand, int64_t i, size_t *begin, size_t *end)
{
    uint64_t lo, hi;
    uint64_t start = c->block[c->block_of[operand]].lo;
    kt_operand_run(&c->call->operand[operand], i, &lo, &hi);
    *begin = lo < hi ? (lo - start) / UNIT : 0;
    *end = lo < hi ? (hi - start) / UNIT : 0;
}

static void declare_operand(struct proof_copies *c, int operand)
{
    const struct kt_operand *o = &c->call->operand[operand];
    unsigned char *access = c->block[c->block_of[operand]].access;
    int64_t runs = kt_operand_runs(o);
    for (int64_t i = 0; i < runs; i++) {
        size_t begin, end;
        run_units(c, operand, i, &begin, &end);
        for (size_t u = begin; u < end; u++)
            access[u] |= (unsigned char)o->access;
    }
}

static void *memory_for(size_t bytes)
{
    void *memory = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static bool make_block(struct proof_block *b)
{
    if ((b->lo | b->hi) % UNIT)
        return false;
    b->units = (b->hi - b->lo) / UNIT;
    b->access = memory_for(b->units);
    b->input = memory_for(b->units * UNIT);
    return b->access && b->input;
}

static void save_input(struct proof_block *b)
{
    const uint32_t *original = (const uint32_t *)(uintptr_t)b->lo;
    for (size_t u = 0; u < b->units; u++)
        if (b->access[u] & KT_READ)
            b->input[u] = original[u];
}

/* --- places ------------------------------------------------------------------------------------------------ */

static bool place_block(struct proof_place *p, const struct proof_block *b, bool at_end)
{
    size_t bytes = b->units * UNIT;
    size_t room = (bytes + PAGE - 1) / PAGE * PAGE;
    unsigned char *memory = mmap(NULL, room + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || (room && mprotect(memory + PAGE, room, PROT_READ | PROT_WRITE) != 0))
        return false;
    p->begin = (uint32_t *)(memory + PAGE);
    p->end = (uint32_t *)(memory + PAGE + room);
    p->data = at_end ? p->end - b->units : p->begin;
    return true;
}

/* Integers and options can be written, too, with a role of their own. */
static bool is_written(const struct kt_arg *arg)
{
    return arg->role == KT_INFO || (arg->role != KT_ARRAY && arg->access & KT_WRITE);
}

/* Arguments that are no operands: scalars lie in cells, option letters and procedures are the application's. */
static bool needs_cell(const struct kt_arg *arg)
{
    return is_written(arg) || (arg->role > KT_OPTION && arg->role != KT_ARRAY && arg->role != KT_PROCEDURE);
}

static void save_scalars(struct proof_copies *c)
{
    const struct kt_routine *r = c->call->symbol->routine;
    for (int i = 0; i < r->args; i++)
        if (needs_cell(&r->arg[i]) && r->arg[i].role != KT_INFO)
            memcpy(c->scalar[i], (const void *)(uintptr_t)c->call->word[i], proof_scalar_bytes(&r->arg[i]));
}

static void place_scalars(const struct proof_call *call, struct proof_run *run)
{
    const struct kt_routine *r = call->symbol->routine;
    memcpy(run->word, call->word, sizeof run->word);
    for (int i = 0; i < r->args; i++)
        if (needs_cell(&r->arg[i]))
            run->word[i] = (uintptr_t)&run->cell[i][CELL_AT];
}

static bool place_run(struct proof_copies *c, int number)
{
    struct proof_run *run = &c->run[number];
    place_scalars(c->call, run);
    for (int b = 0; b < c->blocks; b++)
        if (!place_block(&run->place[b], &c->block[b], number % 2 == 0))
            return false;
    for (int i = 0; i < c->call->operands; i++) {
        int b = c->block_of[i];
        uint64_t offset = c->call->operand[i].base - c->block[b].lo;
        run->word[c->call->parameter[i]] = (uintptr_t)run->place[b].data + offset;
    }
    return true;
}

static bool can_be_copied(const struct proof_copies *c)
{
    uint64_t bytes = 0;
    for (int b = 0; b < c->blocks; b++) {
        if (c->block[b].hi - c->block[b].lo > MOST_BYTES)
            return false;
        bytes += c->block[b].hi - c->block[b].lo;
    }
    return bytes <= MOST_BYTES;
}

bool proof_copies_make(const struct proof_call *call, struct proof_copies *out)
{
    out->call = call;
    find_blocks(out);
    if (!can_be_copied(out))
        return false;
    for (int b = 0; b < out->blocks; b++)
        if (!make_block(&out->block[b]))
            return false;
    for (int i = 0; i < call->operands; i++)
        declare_operand(out, i);
    for (int b = 0; b < out->blocks; b++)
        save_input(&out->block[b]);
    save_scalars(out);
    for (int run = 0; run <= PROOF_RUNS; run++)
        if (!place_run(out, run))
            return false;
    return true;
}

/* --- contents ---------------------------------------------------------------------------------------------- */

/* What the cell of a scalar holds before the call: poison around it, and in its place what is only written. */
static void cell_contents(const struct proof_copies *c, const struct proof_run *run, int i, uint32_t cell[PROOF_CELL])
{
    const struct kt_arg *arg = &c->call->symbol->routine->arg[i];
    for (int u = 0; u < PROOF_CELL; u++)
        cell[u] = run->poison;
    if (arg->role != KT_INFO)
        memcpy(&cell[CELL_AT], c->scalar[i], proof_scalar_bytes(arg));
}

static uint32_t unit_before(const struct proof_block *b, const struct proof_run *run, size_t u)
{
    return b->access[u] & KT_READ ? b->input[u] : run->poison;
}

static void fill_run(struct proof_copies *c, struct proof_run *run)
{
    for (int i = 0; i < c->call->symbol->routine->args; i++)
        if (needs_cell(&c->call->symbol->routine->arg[i]))
            cell_contents(c, run, i, run->cell[i]);
    for (int b = 0; b < c->blocks; b++) {
        struct proof_place *p = &run->place[b];
        for (uint32_t *at = p->begin; at < p->end; at++)
            *at = run->poison;
        for (size_t u = 0; u < c->block[b].units; u++)
            p->data[u] = unit_before(&c->block[b], run, u);
    }
}

/* --- findings ---------------------------------------------------------------------------------------------- */

static bool covers(const struct proof_copies *c, int operand, uint64_t address)
{
    const struct kt_operand *o = &c->call->operand[operand];
    int64_t runs = address >= o->lo && address < o->hi ? kt_operand_runs(o) : 0;
    for (int64_t i = 0; i < runs; i++) {
        uint64_t lo, hi;
        kt_operand_run(o, i, &lo, &hi);
        if (address >= lo && address < hi)
            return true;
    }
    return false;
}

/* The operand of block B that an address of the application belongs to, or else the first of the block. */
static struct proof_finding finding_at(const struct proof_copies *c, const char *what, int b, int64_t offset)
{
    uint64_t address = c->block[b].lo + (uint64_t)offset;
    int best = -1;
    for (int i = c->call->operands - 1; i >= 0; i--)
        if (c->block_of[i] == b && (best < 0 || !covers(c, best, address)))
            best = i;
    return (struct proof_finding){what, best, (int64_t)(address - c->call->operand[best].base)};
}

static struct proof_finding check_place(const struct proof_copies *c, const struct proof_run *run, int b)
{
    static const char changed[] = "changed a byte that the table does not call written";
    const struct proof_block *block = &c->block[b];
    const struct proof_place *p = &run->place[b];
    for (const uint32_t *at = p->begin; at < p->data; at++)
        if (*at != run->poison)
            return finding_at(c, changed, b, (at - p->data) * UNIT);
    for (size_t u = 0; u < block->units; u++)
        if (!(block->access[u] & (KT_WRITE | KT_WORK)) && p->data[u] != unit_before(block, run, u))
            return finding_at(c, changed, b, (int64_t)u * UNIT);
    for (const uint32_t *at = p->data + block->units; at < p->end; at++)
        if (*at != run->poison)
            return finding_at(c, changed, b, (at - p->data) * UNIT);
    return (struct proof_finding){0};
}

static bool scalar_changed(const struct proof_copies *c, const struct proof_run *run, int i)
{
    const struct kt_arg *arg = &c->call->symbol->routine->arg[i];
    uint32_t before[PROOF_CELL];
    if (!needs_cell(arg))
        return false;
    cell_contents(c, run, i, before);
    if (is_written(arg))
        memcpy(&before[CELL_AT], &run->cell[i][CELL_AT], proof_scalar_bytes(arg));
    return memcmp(before, run->cell[i], sizeof before) != 0;
}

static struct proof_finding check_unchanged(const struct proof_copies *c, const struct proof_run *run)
{
    struct proof_finding found = {0};
    for (int i = 0; i < c->call->symbol->routine->args; i++)
        if (scalar_changed(c, run, i))
            return (struct proof_finding){"changed the scalar argument", -1, i};
    for (int b = 0; b < c->blocks && !found.what; b++)
        found = check_place(c, run, b);
    return found;
}

static bool results_differ(const struct kt_routine *r, const struct proof_result *a, const struct proof_result *b)
{
    if (!r->has_result)
        return false;
    if (r->result == KT_I)
        return (uint32_t)a->rax != (uint32_t)b->rax;
    size_t bytes = kt_type_bytes(r->result);
    return memcmp(&a->xmm0, &b->xmm0, bytes < 8 ? bytes : 8) || (bytes > 8 && a->xmm1 != b->xmm1);
}

int32_t proof_copies_info(const struct proof_copies *c)
{
    const struct kt_routine *r = c->call->symbol->routine;
    int32_t info = 0;
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_INFO)
            memcpy(&info, (const void *)(uintptr_t)c->call->word[i], sizeof info);
    return info;
}

/* The argument of a written scalar that differs from what the original call made of it, or -1. */
static int differing_scalar(const struct proof_copies *c, const struct proof_run *run)
{
    const struct kt_routine *r = c->call->symbol->routine;
    for (int i = 0; i < r->args; i++)
        if (is_written(&r->arg[i]) && memcmp(&run->cell[i][CELL_AT], (const void *)(uintptr_t)c->call->word[i],
                                             proof_scalar_bytes(&r->arg[i])) != 0)
            return i;
    return -1;
}

/* A routine need not write all that it may write; but then it must do so in no run. */
static bool is_untouched(const struct proof_copies *c, int b, size_t u)
{
    for (int r = 0; r < PROOF_RUNS; r++)
        if (c->run[r].place[b].data[u] != unit_before(&c->block[b], &c->run[r], u))
            return false;
    return true;
}

/* The application's memory holds what the original call made of it. */
static bool output_differs(const struct proof_copies *c, int b, size_t u)
{
    const uint32_t *original = (const uint32_t *)(uintptr_t)c->block[b].lo;
    unsigned access = c->block[b].access[u];
    if (!(access & KT_WRITE) || access & KT_WORK || is_untouched(c, b, u))
        return false;
    for (int r = 0; r < PROOF_RUNS; r++)
        if (c->run[r].place[b].data[u] != original[u])
            return true;
    return false;
}

struct proof_finding proof_copies_compare(const struct proof_copies *c)
{
    const struct kt_routine *r = c->call->symbol->routine;
    for (int run = 0; run < PROOF_RUNS; run++) {
        int scalar = differing_scalar(c, &c->run[run]);
        if (scalar >= 0)
            return (struct proof_finding){"a number depends on bytes that the table does not call read", -1, scalar};
        if (results_differ(r, &c->run[run].result, &c->original))
            return (struct proof_finding){"the result depends on bytes that the table does not call read", -1, -1};
    }
    for (int b = 0; b < c->blocks; b++)
        for (size_t u = 0; u < c->block[b].units; u++)
            if (output_differs(c, b, u))
                return finding_at(c, "an output depends on bytes that the table does not call read", b,
                                  (int64_t)u * UNIT);
    return (struct proof_finding){0};
}

static uint64_t distance(const struct proof_place *p, uint64_t at)
{
    uint64_t begin = (uintptr_t)p->begin;
    uint64_t end = (uintptr_t)p->end;
    return at < begin ? begin - at : at > end ? at - end : 0;
}

struct proof_finding proof_copies_fault(const struct proof_copies *c, const void *address)
{
    const struct proof_run *run = &c->run[c->running];
    uint64_t at = (uintptr_t)address;
    int nearest = -1;
    for (int b = 0; b < c->blocks; b++)
        if (nearest < 0 || distance(&run->place[b], at) < distance(&run->place[nearest], at))
            nearest = b;
    if (nearest < 0 || distance(&run->place[nearest], at) > MOST_BYTES)
        return (struct proof_finding){"touched memory far from all operands", -1, -1};
    return finding_at(c, "touched memory that the table does not call its own", nearest,
                      (int64_t)(at - (uintptr_t)run->place[nearest].data));
}

/* --- calls ------------------------------------------------------------------------------------------------- */

void proof_copies_original(struct proof_copies *c)
{
    proof_forward(c->call->function, c->call->word, c->call->words, &c->original);
}

static void call_run(struct proof_copies *c, int number, uint32_t poison)
{
    struct proof_run *run = &c->run[number];
    c->running = number;
    run->poison = poison;
    fill_run(c, run);
    proof_forward(c->call->function, run->word, c->call->words, &run->result);
}

struct proof_finding proof_copies_run(struct proof_copies *c, int run)
{
    call_run(c, run, poisons[run]);
    return check_unchanged(c, &c->run[run]);
}

/* --- mutations --------------------------------------------------------------------------------------------- */

/* Units of the first or last element of an operand. False if it has none. */
static bool end_element(const struct proof_copies *c, struct proof_mutation m, size_t *begin, size_t *end)
{
    const struct kt_operand *o = &c->call->operand[m.operand];
    int64_t runs = kt_operand_runs(o);
    bool first = m.end == PROOF_FIRST;
    for (int64_t i = first ? 0 : runs - 1; i >= 0 && i < runs; i += first ? 1 : -1) {
        run_units(c, m.operand, i, begin, end);
        if (*begin == *end)
            continue;
        if (first)
            *end = *begin + o->elem / UNIT;
        else
            *begin = *end - o->elem / UNIT;
        return true;
    }
    return false;
}

/* An output that is not what it was with the whole operand; what stayed poison then was not written. */
static bool shows_in(const struct proof_copies *c, const struct proof_run *run, int b, size_t u)
{
    const struct proof_run *whole = &c->run[0];
    unsigned access = c->block[b].access[u];
    if (!(access & KT_WRITE) || access & KT_WORK || whole->place[b].data[u] == whole->poison)
        return false;
    return run->place[b].data[u] != whole->place[b].data[u];
}

static bool outputs_show(const struct proof_copies *c, const struct proof_run *run)
{
    for (int b = 0; b < c->blocks; b++)
        for (size_t u = 0; u < c->block[b].units; u++)
            if (shows_in(c, run, b, u))
                return true;
    return false;
}

static bool mutation_shows(struct proof_copies *c, uint32_t poison)
{
    const struct proof_run *run = &c->run[PROOF_RUNS];
    call_run(c, PROOF_RUNS, poison);
    return check_unchanged(c, run).what || differing_scalar(c, run) >= 0 ||
           results_differ(c->call->symbol->routine, &run->result, &c->original) || outputs_show(c, run);
}

bool proof_copies_mutate(struct proof_copies *c, struct proof_mutation m)
{
    struct proof_block *b = &c->block[c->block_of[m.operand]];
    unsigned char saved[16];
    size_t begin, end;
    bool shown = false;
    if (!end_element(c, m, &begin, &end))
        return false;
    memcpy(saved, b->access + begin, end - begin);
    memset(b->access + begin, 0, end - begin);
    for (int i = 0; i < PROOF_RUNS && !shown; i++)
        shown = mutation_shows(c, poisons[i]);
    memcpy(b->access + begin, saved, end - begin);
    return shown;
}
