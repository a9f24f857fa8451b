/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ceilings of a machine that a roofline plot shows, out of all that the probe found (paper 002, chapter 5): for
 * each precision the best and the best without vectors, on one core and on all; for each cache and for memory the best
 * of loads, stores and mixes of them; and lines of memory at random addresses.
 */
#ifndef KT_ROOFS_H
#define KT_ROOFS_H

#include "trace/command/machine.h"

enum kt_roof_kind { KT_ROOF_FLOPS, KT_ROOF_BYTES };
enum { KT_MOST_ROOFS = 64, KT_MOST_LEVELS = 4 };

struct kt_roof {
    char name[72]; /* such as "fma double x8", "L2 load", with "on 2 cores" if it is more than one */
    enum kt_roof_kind kind;
    double value; /* flops or bytes per cycle */
    int cores;
    bool is_single; /* flops: of single precision */
    bool is_main;   /* the highest of its kind: no vectors, random addresses and the like are not */
    char level[16]; /* bytes: L1, L2, ..., memory */
};

struct kt_roofs {
    char machine[128];                  /* for people; "" if there is only one */
    double hz;                          /* core cycles per second: what turns seconds of a trace into cycles */
    double cache;                       /* bytes of the largest cache */
    double level_bytes[KT_MOST_LEVELS]; /* of each cache as far as a process has it for itself, nearest first */
    unsigned levels;
    unsigned line_shift;
    bool is_own; /* of the machine that this program runs on */
    struct kt_roof roof[KT_MOST_ROOFS];
    size_t count;
};

void kt_roofs_choose(const struct kt_machine *machine, struct kt_roofs *out);

/*
 * The roofs that `ktrace replay` measured and left in the file replay.json of a trace; false if there are none. Their
 * cycles are those of the clock with HZ.
 */
bool kt_roofs_of_replay(const json_t *replay, double hz, struct kt_roofs *out);

/* A rate that was reached once can be reached: raises main roofs to those of the other measurement of the same machine,
 * and adds those of numbers of cores that were not known. */
void kt_roofs_raise(struct kt_roofs *roofs, const struct kt_roofs *other);

/* Where the diagonal meets the ceiling: intensity above which a call may be bound by operations. */
double kt_roofs_ridge(const struct kt_roof *flops, const struct kt_roof *bytes);

/* That of double precision where ROOF is the one of memory for its number of cores; NAN: it is not, or no peak is
 * known.
 */
double kt_roofs_ridge_at(const struct kt_roofs *roofs, const struct kt_roof *roof);

bool kt_roofs_are_equal(const struct kt_roofs *a, const struct kt_roofs *b);

/* The highest of a kind on exactly that many cores, as roofs of others are no bound. BYTES: from that level. NULL: it
 * is not known. */
const struct kt_roof *kt_roofs_flops(const struct kt_roofs *roofs, bool is_single, int cores);
const struct kt_roof *kt_roofs_bytes(const struct kt_roofs *roofs, const char *level, int cores);

/* What is attainable at that intensity with operands at that level; NAN: not known. */
double kt_roofs_limit(const struct kt_roofs *roofs, bool is_single, int cores, const char *level, double intensity);

/* The same with operands at the nearest level, and so on until memory: what nothing can be above. */
double kt_roofs_highest_limit(const struct kt_roofs *roofs, bool is_single, int cores, double intensity);

#endif
