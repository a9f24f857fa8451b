/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a decomposition means, in words: which calls and which part of their time dominate, and what to try. Fixed
 * rules, so that the same numbers always give the same words.
 *
 * A part of a routine's time is worth words if it is at least a tenth of all BLAS time, or else the largest there is;
 * at most KT_MOST_ADVICE of them. What to try follows from the part, and from what is known of the calls: see the
 * table in advice.c.
 */
#ifndef KT_ADVICE_H
#define KT_ADVICE_H

#include "model/decomposition/decomposition.h"

#include <limits.h>

/* A text has room for commands with the path of the trace, at most twice. */
enum { KT_MOST_ADVICE = 5, KT_ADVICE_TEXT = 1024 + 2 * PATH_MAX };

enum kt_part {
    KT_PART_BOUND,
    KT_PART_LIBRARY,
    KT_PART_CACHE,
    KT_PART_CONTENTION,
    KT_PART_RESIDUAL,
    KT_PART_UNSPLIT,
    KT_PARTS
};

/* "bound", ... */
extern const char *const kt_part_name[];

/* What the rules see of a routine. */
struct kt_advice_case {
    const char *routine;
    const struct kt_decomposition *parts;
    double seconds;       /* in situ */
    const char *shape;    /* text of the shape that takes longest */
    double heaviest;      /* its seconds */
    double calls_total;   /* seconds of its calls */
    double calls, median; /* their number, and the median */
    double warm, bound;   /* one of them; NAN: not known */
    const char *bound_by; /* "flops", "L1", ..., "memory"; NULL: not known */
    bool contents_made;   /* its work depends on contents, and it was replayed with others than the program's */
    bool flops_known;     /* otherwise the bound counts bytes only */
};

struct kt_advice {
    const char *routine;
    enum kt_part part;
    double seconds, share; /* of that part; of all BLAS time */
    char text[KT_ADVICE_TEXT];
};

/* Of what is certain alone. SECONDS: all BLAS time; IS_REFERENCE: the library is one that is not made for speed; TRACE:
 * its name, for commands. Returns how many, the largest first. */
int kt_advice_find(const struct kt_advice_case *of, size_t count, double seconds, bool is_reference, const char *trace,
                   struct kt_advice out[KT_MOST_ADVICE]);

#endif
