/* SPDX-License-Identifier: BSD-3-Clause */
/* A Fortran call as it comes in: words, and what the table makes of them. */
#ifndef PROOF_CALL_H
#define PROOF_CALL_H

#include "tests/proof/tally.h"

enum { PROOF_WORDS = 2 * KT_MAX_ARGS, PROOF_INT_BYTES = 4 };

/* What a function returned, in the registers it may return it in. */
struct proof_result {
    uint64_t rax, xmm0, xmm1;
};

/* enter.S */
void proof_forward(void *function, const uint64_t *words, size_t count, struct proof_result *result);

struct proof_call {
    const struct kt_symbol *symbol;
    void *function;
    uint64_t word[PROOF_WORDS]; /* addresses of the arguments, then the lengths of options */
    size_t words;
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    int operands;
    int parameter[KT_MAX_OPERANDS]; /* of the interface, for each operand */
};

/* How many words the symbol takes. */
size_t proof_words(const struct kt_symbol *symbol);

/* Values from the words. False if an address that must be read is none. */
bool proof_call_read(struct proof_call *call);

/* Operands from the values. */
void proof_call_lay_out(struct proof_call *call);

/* What kind of call it is, to tell calls apart. */
struct proof_seen proof_call_kind(const struct proof_call *call);

/* Bytes that a scalar argument has in memory. */
size_t proof_scalar_bytes(const struct kt_arg *arg);

/* "uplo=U n=5 lda=6": what was passed, without addresses. */
void proof_call_print(const struct proof_call *call, char *out, size_t room);

#endif
