/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorded calls played in their order (replay/sequence/sequence.h) on each library: a round is one pass on each,
 * in turns: each library plays the same few milliseconds of calls, in random order, then the next ones. What slows the
 * machine down for longer than that hits all alike. Of a shape each pass gives one time, the mean of its calls.
 *
 * Why calls are not only timed one by one with their operands where the trace says: what else the program's other calls
 * leave in caches, branch predictors and the library's own memory matters most for the smallest calls, and differs
 * between libraries. For a sparse Cholesky factorisation with 95,000 small calls the ratio of BLIS to OpenBLAS is 4.6
 * in sequence, 4.7 (4.3 to 5.1) in the program, and 3.6 call by call.
 */
#ifndef KT_SEQUENCES_H
#define KT_SEQUENCES_H

#include "replay/compare/comparison.h"
#include "replay/sequence/sequence.h"

struct kt_sequences {
    struct kt_sequence *lane; /* by library; owned */
    size_t lanes;
    double **total;          /* by library and round: seconds of the pass; owned */
    struct kt_series *first; /* by shape and library: the first call in a new process less the others; owned */
    size_t shapes;
    unsigned rounds, renewals;
    double seconds, budget;
    double preparing; /* s, of SECONDS: new processes */
    uint64_t seed;
    void (*between)(void *context); /* called after each round of kt_sequences_run, at no time of theirs; NULL: none */
    void *context;
};

/* Finds out which shapes can be played on every library, with the first round: those are met. To be closed. */
void kt_sequences_begin(struct kt_comparison *comparison, double budget, struct kt_sequences *out);
/* Further rounds, until the ratio of totals of each library is known well, or the time is over; then closes them.
 * Shapes that a library fails in after all are not met any more. */
void kt_sequences_run(struct kt_sequences *sequences, struct kt_comparison *comparison);
void kt_sequences_close(struct kt_sequences *sequences);

/* What first calls take beyond others, as far as enough processes agree; 0: nothing. */
double kt_sequences_first(const struct kt_series *less_others);

/*
 * Are a window's calls, which took COUNT seconds in the program, of the kind of ALL? Where they took less than half as
 * long they are not: an eigenvalue test has dopmtr apply its 130 reflectors in 320 us, and in 3 us where the matrix was
 * diagonal already, which on another library, whose numbers differ in the last bit, it is not. Pure.
 */
bool kt_sequences_stand_for(double count, double all);

#endif
