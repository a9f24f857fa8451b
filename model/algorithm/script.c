/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/algorithm/script.h"

#include "replay/setup/timing.h"
#include "trace/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

enum { WORDS = 24, MOST_CALLS = 2000 * 1000 };

typedef void routine(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);

/* Words behind the last argument are lengths, and then those of the next call, which are never looked at. */
struct kt_script_call {
    routine *routine;
    uint32_t first; /* of its words */
    uint32_t args;
};

/*
 * Equal numbers are stored once, as far as they are remembered: a caller has what it passes on its stack, in the
 * nearest cache, and a place for each argument of each call took that from the operands.
 */
enum { REMEMBERED = 4096 };

struct making {
    struct kt_script *script;
    const struct kt_timing_loaded *library;
    const struct kt_symbol *symbol; /* of the last call */
    routine *found;
    uint32_t known[REMEMBERED]; /* by hash: a number's place + 1; 0: none */
};

static enum kt_status find_routine(struct making *m, const struct kt_symbol *symbol, struct kt_error *error)
{
    if (m->symbol == symbol)
        return KT_OK;
    m->symbol = symbol;
    m->found = (routine *)kt_timing_symbol(m->library, symbol->name);
    if (!m->found)
        return kt_fail(error, KT_BAD_INPUT, "the library has no %s", symbol->name);
    if (symbol->routine->args > WORDS - 6 || symbol->routine->type != KT_D)
        return kt_fail(error, KT_BAD_INPUT,
                       "%s cannot be run here: only routines of double precision with less than %d arguments",
                       symbol->routine->name, WORDS - 6);
    return KT_OK;
}

/* Integers, letters and numbers as the routine expects them, in 8 bytes. */
static uint64_t stored(const struct kt_arg *arg, double value)
{
    union {
        uint64_t word;
        double d;
        float f;
        int32_t i;
        char c;
    } u = {0};
    if (arg->role <= KT_OPTION)
        u.c = (char)value;
    else if (arg->role != KT_SCALAR)
        u.i = (int32_t)value;
    else if (arg->type == KT_S || arg->type == KT_C)
        u.f = (float)value;
    else
        u.d = value;
    return u.word;
}

/* A number of 16 bytes is a complex one, whose imaginary part stays 0. */
static uintptr_t place_of_number(struct making *m, uint64_t word)
{
    struct kt_script *s = m->script;
    uint32_t *known = &m->known[word * 0x9e3779b97f4a7c15u >> 52];
    if (*known && s->number[*known - 1] == word)
        return *known - 1;
    *known = (uint32_t)s->numbers + 1;
    for (int i = 0; i < 2; i++) {
        s->number = kt_room_for_one(s->number, s->numbers, sizeof *s->number);
        s->number[s->numbers++] = i ? 0 : word;
    }
    return *known - 1;
}

static void add_word(struct kt_script *s, uintptr_t word)
{
    s->word = kt_room_for_one(s->word, s->words, sizeof *s->word);
    s->word[s->words++] = word;
}

static enum kt_status add_call(void *context, const struct kt_kernel *k, struct kt_error *error)
{
    struct making *m = context;
    struct kt_script *s = m->script;
    const struct kt_routine *r = k->symbol->routine;
    int letters = 0;
    if (s->calls == MOST_CALLS)
        return kt_fail(error, KT_BAD_INPUT, "more than 2 million calls are not run");
    KT_TRY(find_routine(m, k->symbol, error));
    s->call = kt_room_for_one(s->call, s->calls, sizeof *s->call);
    s->call[s->calls++] =
        (struct kt_script_call){.routine = m->found, .first = (uint32_t)s->words, .args = (uint32_t)r->args};
    for (int i = 0; i < r->args; i++) {
        bool is_array = r->arg[i].role == KT_ARRAY;
        add_word(s, is_array ? k->values.address[i] : place_of_number(m, stored(&r->arg[i], k->values.v[i])));
        letters += r->arg[i].role <= KT_OPTION;
    }
    while (letters-- > 0)
        add_word(s, 1);
    return KT_OK;
}

/* From the algorithm's addresses and places of numbers to real addresses. */
static void set_addresses(struct kt_script *s)
{
    for (size_t c = 0; c < s->calls; c++)
        for (uint32_t i = 0; i < s->call[c].args; i++) {
            uintptr_t *word = &s->word[s->call[c].first + i];
            if (*word >= s->first / 2)
                *word = (uintptr_t)s->store + (*word - s->first);
            else
                *word = (uintptr_t)&s->number[*word];
        }
}

/* --- data -------------------------------------------------------------------------------------------------- */

/* Between -1 and 1. */
static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1;
}

/*
 * LU and QR get random numbers, so that rows really are exchanged; all others a matrix whose diagonal outweighs its
 * columns, which is positive definite, and whose triangles are well conditioned.
 */
static void fill(const struct kt_algorithm *a, const struct kt_operand *o, char *at)
{
    const char *operation = kt_algorithm_operation(a);
    bool dominant = o->form == KT_FORM_MATRIX && strcmp(operation, "lu") != 0 && strcmp(operation, "qr") != 0;
    uint64_t state = 88172645463325252u;
    for (uint64_t i = 0; i < o->elements; i++) {
        double value = draw(&state);
        if (dominant && i % ((uint64_t)o->rows + 1) == 0)
            value += (double)o->rows;
        if (o->elem == 8)
            ((double *)(void *)at)[i] = value;
        else if (o->elem == 4)
            ((int32_t *)(void *)at)[i] = 1;
        else
            memset(at + i * o->elem, 0, o->elem);
    }
}

static void *map(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The last one, mostly a workspace, may have more columns than are needed. */
static bool holds_all_of(const struct kt_script *a, const struct kt_script *b)
{
    bool same = a->stores == b->stores && a->bytes >= b->bytes && a->first == b->first;
    for (int i = 0; same && i < a->stores; i++)
        same = a->storage[i].lo == b->storage[i].lo && a->storage[i].rows == b->storage[i].rows &&
               a->storage[i].elem == b->storage[i].elem &&
               (i + 1 < a->stores ? a->storage[i].hi == b->storage[i].hi : a->storage[i].hi >= b->storage[i].hi);
    return same;
}

static enum kt_status make_store(const struct kt_algorithm *a, const double *parameter, const struct kt_script *like,
                                 struct kt_script *s, struct kt_error *error)
{
    struct kt_operand *storage = s->storage;
    int stores = s->stores = kt_algorithm_storage(a, parameter, storage);
    uint64_t end = stores ? storage[stores - 1].hi : 0;
    s->first = stores ? storage[0].base & ~(uint64_t)4095 : 0;
    s->bytes = (size_t)(end - s->first) + 8192;
    s->borrows = like && holds_all_of(like, s);
    if (s->borrows) {
        s->store = like->store;
        s->fresh = like->fresh;
        return KT_OK;
    }
    s->store = map(s->bytes);
    s->fresh = map(s->bytes);
    if (s->store == MAP_FAILED || s->fresh == MAP_FAILED)
        return kt_fail(error, KT_SYSTEM, "no memory for %zu bytes: %s", s->bytes, strerror(errno));
    for (int i = 0; i < stores; i++)
        fill(a, &storage[i], s->fresh + (storage[i].base - s->first));
    return KT_OK;
}

/* --- the whole --------------------------------------------------------------------------------------------- */

enum kt_status kt_script_make(const struct kt_algorithm *algorithm, const double *parameter,
                              const struct kt_timing_loaded *library, const struct kt_script *like,
                              struct kt_script *out, struct kt_error *error)
{
    struct making m = {.script = out, .library = library};
    *out = (struct kt_script){0};
    KT_TRY(make_store(algorithm, parameter, like, out, error));
    KT_TRY(kt_algorithm_run(algorithm, parameter, add_call, &m, error));
    for (int i = 0; i < WORDS; i++)
        add_word(out, 0); /* behind those of the last call */
    set_addresses(out);
    return KT_OK;
}

void kt_script_reset(struct kt_script *s)
{
    memcpy(s->store, s->fresh, s->bytes);
}

void kt_script_run(const struct kt_script *s)
{
    for (size_t i = 0; i < s->calls; i++) {
        void *const *w = (void *const *)&s->word[s->call[i].first];
        s->call[i].routine(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13],
                           w[14], w[15], w[16], w[17], w[18], w[19], w[20], w[21], w[22], w[23]);
    }
}
