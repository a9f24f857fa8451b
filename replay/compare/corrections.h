/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything that is done to measured times before they are added up. Times are kept as they were measured; corrections
 * are made when they are summed, each can be left out (--without), and compare --json says what each changes.
 */
#ifndef KT_CORRECTIONS_H
#define KT_CORRECTIONS_H

#include "trace/command/verb.h"

#include <stdbool.h>

/* Columns: name, name in texts, what it does. */
#define KT_CORRECTIONS(X)                                                                                             \
    X(DISTURBED, "disturbed", "samples that another process disturbed do not count where a visit has others")         \
    X(COLD, "cold", "calls of a window whose operands were further away than in the program are shortened by that")   \
    X(WINDOWS, "windows", "calls of a window that took longer or shorter in the program than others stand for these") \
    X(PACE, "pace", "calls are slower in the program than replayed by a common factor: the lower quartile of shapes") \
    X(DISTURBANCE, "disturbance", "what lifts means above medians in the program lengthens calls in proportion")      \
    X(FAULTS, "faults", "page faults of the program's calls take as long on any library")                             \
    X(FIRST, "first", "the first call of a library in a process takes longer")                                        \
    X(WAITING, "waiting", "what is left of the time in the program is the same on any library")                       \
    X(CONTENTION, "contention", "or is the baseline's alone, if its threads and the program's held each other up")    \
    X(SCATTER, "scatter", "where pairs scatter much, the ratio is that of the sums of lower quartiles")

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
