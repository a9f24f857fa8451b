/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/arrangement.h"

#include "trace/fingerprint.h"
#include "trace/memory.h"

#include <string.h>

enum { LINE = 64 };

/* Bytes from the pointer that is passed; LO = HI: nothing is referenced. */
struct kt_extent {
    size_t offset; /* of the pointer in the arguments */
    int64_t lo, hi;
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
        out->extent[out->operands++] =
            (struct kt_extent){symbol->param[i].offset, (int64_t)(o->lo - o->base), (int64_t)(o->hi - o->base)};
    }
}

static uint64_t address_of(const struct kt_extent *e, const unsigned char *args)
{
    uint64_t address;
    memcpy(&address, args + e->offset, sizeof address);
    return address;
}

/* How far apart they are if they share memory. */
static int64_t shared(const struct kt_extent *a, const struct kt_extent *b, const unsigned char *args)
{
    enum { NOTHING = -1 };
    int64_t apart = (int64_t)(address_of(b, args) - address_of(a, args));
    bool shares = a->lo != a->hi && b->lo != b->hi && a->lo < apart + b->hi && apart + b->lo < a->hi;
    return shares ? apart : NOTHING;
}

static uint64_t hash_of(const struct kt_arrangements *a, const unsigned char *args)
{
    int64_t word[KT_MAX_OPERANDS * (KT_MAX_OPERANDS + 1) / 2];
    size_t words = 0;
    for (int i = 0; i < a->operands; i++) {
        word[words++] = (int64_t)(address_of(&a->extent[i], args) % LINE);
        for (int k = 0; k < i; k++)
            word[words++] = shared(&a->extent[k], &a->extent[i], args);
    }
    return kt_bytes_number(word, words * sizeof *word);
}

/* The candidate with that hash, or else a free place, or else the one with the fewest calls. */
static int find(const struct kt_arrangements *a, uint64_t hash)
{
    int least = 0;
    for (int i = 0; i < KT_ARRANGEMENTS; i++) {
        if (!a->candidate[i].args || a->candidate[i].hash == hash)
            return i;
        least = a->candidate[i].calls < a->candidate[least].calls ? i : least;
    }
    return least;
}

void kt_arrangements_add(struct kt_arrangements *a, const struct kt_call *call)
{
    size_t bytes = call->entry->symbol.arg_bytes;
    uint64_t hash = hash_of(a, call->args);
    struct kt_arrangement *found = &a->candidate[find(a, hash)];
    if (!found->args || found->hash != hash) {
        found->hash = hash;
        found->args = kt_resize(found->args, bytes, 1);
        memcpy(found->args, call->args, bytes);
    }
    found->calls++;
}

void kt_arrangements_choose(const struct kt_arrangements *a, unsigned char *args)
{
    int most = 0;
    for (int i = 1; i < KT_ARRANGEMENTS; i++)
        most = a->candidate[i].calls > a->candidate[most].calls ? i : most;
    for (int i = 0; i < a->operands && a->candidate[most].args; i++)
        memcpy(args + a->extent[i].offset, a->candidate[most].args + a->extent[i].offset, sizeof(uint64_t));
}

void kt_arrangements_free(struct kt_arrangements *a)
{
    for (int i = 0; i < KT_ARRANGEMENTS; i++)
        free(a->candidate[i].args);
    free(a->extent);
    *a = (struct kt_arrangements){0};
}
