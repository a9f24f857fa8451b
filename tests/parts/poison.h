/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operands in poisoned memory: random legal arguments of a symbol, its operands in an arena of their own, legal
 * contents in what the table says is read, and poison, another in each run, in all other bytes.
 */
#ifndef KT_POISON_H
#define KT_POISON_H

#include "tests/parts/synth.h"
#include "trace/table/operand.h"

enum { KT_POISON_RUNS = 3, KT_POISON_BYTES = 1 << 25, KT_POISON_INT_BYTES = 4 };

enum kt_end { KT_NO_END, KT_FIRST_ELEMENT, KT_LAST_ELEMENT };

/* Which operand is declared one element too small, and at which end. */
struct kt_mutation {
    int operand;
    enum kt_end end;
};

/* Bytes [begin, end) of the arena around an operand. */
struct kt_region {
    size_t begin, end;
    size_t base; /* where the pointer passed points */
    enum kt_type type;
    size_t elem;
};

/* The operands of one call. All arenas have the same layout; only the first is seen by the routine. */
struct kt_poison {
    const struct kt_symbol *symbol; /* set by the user */
    unsigned char args[KT_SYNTH_ARG_BYTES];
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    struct kt_region region[KT_MAX_OPERANDS];
    int operands;
    size_t used;
    unsigned char *arena;
    unsigned char *input;  /* legal contents */
    unsigned char *access; /* KT_READ, KT_WRITE, KT_WORK: what the table says of each byte */
    unsigned char *before; /* the arena as it was filled */
};

/* False if there is no memory. */
bool kt_poison_open(struct kt_poison *p);
void kt_poison_close(struct kt_poison *p);

/* Draws arguments, places the operands and makes their legal contents. False if they are too large. */
bool kt_poison_draw(struct kt_poison *p, struct kt_synth *s);

/* Notes what the table says of each byte. */
void kt_poison_declare(struct kt_poison *p, struct kt_mutation m);

/* Makes the arena ready for a run. */
void kt_poison_fill(struct kt_poison *p, int run);

/* The poison of that byte of the arena in that run. */
unsigned char kt_poison_byte(const struct kt_poison *p, size_t at, int run);

#endif
