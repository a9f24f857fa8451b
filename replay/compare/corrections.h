/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that is done to measured times before they are added up. Times are kept as they were measured; corrections
 * are made when they are summed, each can be left out (--without), and compare --json says what each changes.
 */
#ifndef KT_CORRECTIONS_H
#define KT_CORRECTIONS_H

#include "trace/command/verb.h"

#include <stdbool.h>

/* Columns: name, name in texts, what it does, as doc/compare.md has it. */
#define KT_CORRECTIONS(X)                                                                                            \
    X(DISTURBED, "disturbed", "leaves out samples that another process disturbed, if the same visit has others")     \
    X(COLD, "cold", "shortens calls at the begin of a window, whose operands were farther away than in the program") \
    X(WINDOWS, "windows",                                                                                            \
      "scales the calls in windows to the mean of all calls of their shape, as the program had it")                  \
    X(PACE, "pace", "lengthens all calls by the program's time over the replay's: the lower quartile of shapes")     \
    X(DISTURBANCE, "disturbance", "lengthens all calls by mean over median in the program")                          \
    X(FAULTS, "faults", "adds the time of the program's page faults, the same on each library")                      \
    X(FIRST, "first", "adds what the first call of a library in a process takes longer")                             \
    X(WAITING, "waiting", "adds the rest of the time in the program, the same on each library")                      \
    X(CONTENTION, "contention", "adds it to the baseline only, if its threads and the program's delayed each other") \
    X(SCATTER, "scatter", "takes the ratio of the sums of lower quartiles if pairs scatter much")

enum kt_correction {
#define KT_CORRECTION_ENUM(name, text, what) KT_CORRECT_##name,
    KT_CORRECTIONS(KT_CORRECTION_ENUM)
#undef KT_CORRECTION_ENUM
        KT_CORRECTION_KINDS
};

struct kt_correction_kind {
    const char *name, *what;
};

extern const struct kt_correction_kind kt_correction[KT_CORRECTION_KINDS];

/* WITHOUT has a bit, 1 << KT_CORRECT_X, for each that is left out. */
static inline bool kt_corrects(unsigned without, enum kt_correction which)
{
    return !(without >> which & 1);
}

/* Of a list of names, or "all", into such an unsigned. */
kt_verb_taker kt_corrections_take;

#endif
