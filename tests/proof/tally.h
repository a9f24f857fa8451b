/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the proof knows so far: a file that every process of a run maps, one record per routine of the table, in its
 * order. Processes that run at the same time share the work; a report can be made at any moment.
 */
#ifndef PROOF_STATE_H
#define PROOF_STATE_H

#include "trace/table/operand.h"

enum { PROOF_CALLS = 128, PROOF_ALIKE = 2, PROOF_MAGNITUDES = 6, PROOF_TEXT = 1400 };

/* Of a call. PROOF_EMPTY: passed, but there was nothing to do. PROOF_REFUSED: the routine called its arguments illegal.
 */
enum proof_verdict { PROOF_PASSED, PROOF_EMPTY, PROOF_FAILED, PROOF_REFUSED, PROOF_TOO_LARGE, PROOF_VERDICTS };

struct proof_seen {
    int magnitude; /* of the sizes, 0 .. PROOF_MAGNITUDES - 1 */
    uint64_t options;
    uint64_t sizes; /* which of them are 0, 1, larger */
    uint64_t call;  /* everything but addresses */
};

struct proof_record {
    char name[KT_NAME];
    unsigned seen; /* entries of CALL in use; may exceed the room */
    struct proof_seen call[PROOF_CALLS];
    unsigned verdict[PROOF_VERDICTS]; /* how many calls got which */
    uint64_t possible, noticed;       /* mutations, bit 2 * operand + end: met in a call, and shown by it */
    char text[PROOF_TEXT];            /* the first failure */
};

struct proof_state {
    struct proof_record *record; /* shared; as many as the table has routines */
    size_t count;
    int part; /* once every mutation shows PROOF_CALLS / PART calls of a routine are enough: 1 unless it is set */
};

/* Creates the file if need be. False, with errno, if it cannot be mapped or is of another table. */
bool proof_state_open(const char *path, const struct kt_table *table, struct proof_state *out);

struct proof_record *proof_state_find(const struct proof_state *state, const char *routine);

/*
 * True if a call like this, of one of its records, is to be proven, which is noted. Among calls of a magnitude at most
 * PROOF_ALIKE are that have its options, and its sizes, apart from those that the caller thinks CHOSEN; room is kept
 * for every magnitude.
 */
bool proof_state_claim(const struct proof_state *state, struct proof_record *record, struct proof_seen call,
                       bool chosen);

/* Is there no more room for calls of the record? */
bool proof_state_is_full(const struct proof_state *state, const struct proof_record *record);

#endif
