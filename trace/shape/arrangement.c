/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/arrangement.h"

#include "trace/shape/fingerprint.h"
#include "trace/base/memory.h"

enum { LINE = 64 };

/* Bytes from the pointer that is passed, mostly upwards; they wrap. */
struct kt_extent {
    const struct kt_param *pointer;
    uint64_t lo, hi;
    bool solid; /* every byte between these belongs to the operand */
};

void kt_arrangements_begin(const struct kt_call *call, const struct kt_operand *operand, int operands,
                           struct kt_arrangements *out)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    *out = (struct kt_arrangements){.extent = kt_resize(NULL, (size_t)operands, sizeof *out->extent)};
    for (int i = 0; i < symbol->params && out->operands < operands; i++) {
        if (symbol->param[i].stored != KT_ADDRESS)
            continue;
        const struct kt_operand *o = &operand[out->operands];
        out->extent[out->operands++] = (struct kt_extent){.pointer = &symbol->param[i],
                                                          .lo = o->lo - o->base,
                                                          .hi = o->hi - o->base,
                                                          .solid = o->hi - o->lo == o->elements * o->elem};
    }
}

/* How far apart they begin if that matters. */
static uint64_t distance(const struct kt_extent *a, const struct kt_extent *b, const unsigned char *args)
{
    const uint64_t apart = 1; /* no distance of elements */
    uint64_t x = kt_stored_address(args, a->pointer);
    uint64_t y = kt_stored_address(args, b->pointer);
    bool overlap = a->solid && b->solid && x + a->lo < y + b->hi && y + b->lo < x + a->hi;
    return overlap || x == y ? y - x : apart;
}

static uint64_t hash_of(const struct kt_arrangements *a, const unsigned char *args)
{
    uint64_t word[KT_MAX_OPERANDS * (KT_MAX_OPERANDS + 1) / 2];
    size_t words = 0;
    for (int i = 0; i < a->operands; i++) {
        word[words++] = kt_stored_address(args, a->extent[i].pointer) % LINE;
        for (int k = 0; k < i; k++)
            word[words++] = distance(&a->extent[k], &a->extent[i], args);
    }
    return kt_bytes_number(word, words * sizeof *word);
}

/* The candidate with that hash, or else a free place, or else the one with the fewest calls. */
static int find(const struct kt_arrangements *a, uint64_t hash)
{
    int least = 0;
    for (int i = 0; i < KT_ARRANGEMENTS; i++) {
        if (!a->candidate[i].call.args || a->candidate[i].hash == hash)
            return i;
        least = a->candidate[i].calls < a->candidate[least].calls ? i : least;
    }
    return least;
}

void kt_arrangements_add(struct kt_arrangements *a, const struct kt_call *call)
{
    uint64_t hash = hash_of(a, call->args);
    struct kt_arrangement *found = &a->candidate[find(a, hash)];
    if (!found->call.args || found->hash != hash) {
        kt_call_drop(&found->call);
        found->call = kt_call_keep(call);
        found->hash = hash;
    }
    found->calls++;
}

struct kt_call kt_arrangements_usual(const struct kt_arrangements *a, const struct kt_call *first)
{
    int most = 0;
    for (int i = 1; i < KT_ARRANGEMENTS; i++)
        most = a->candidate[i].calls > a->candidate[most].calls ? i : most;
    return kt_call_keep(a->candidate[most].call.args ? &a->candidate[most].call : first);
}

void kt_arrangements_free(struct kt_arrangements *a)
{
    for (int i = 0; i < KT_ARRANGEMENTS; i++)
        kt_call_drop(&a->candidate[i].call);
    free(a->extent);
    *a = (struct kt_arrangements){0};
}
