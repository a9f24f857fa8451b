/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes in-situ time apart with the help of replays (DESIGN.md):
 *
 *     in-situ = bound                         what the hardware allows for these operations and bytes
 *             + library   warm - bound        what a better kernel would win
 *             + cache     tracked - warm      what operands nearer to the processor would win
 *             + contention  together - alone  what calls of other threads at the same time cost
 *             + residual  all else            page faults, other processes, frequency, other data
 *
 * Shape by shape, on medians, as an in-situ time is a single draw and only medians compare; the residual gets what the
 * calls took longer than their median. Of a shape without a tracked replay cache and residual are not known apart:
 * what in-situ takes longer than warm is left whole, and told beside what operands in memory would cost at most. No
 * part is forced to be positive but the library's: where a replay is faster than the bound, within its error or not,
 * the bound counts as that time. What is odd beyond errors is counted. Pure functions.
 *
 * Of the residual, or of what is left whole, a part is the machine's: what follows from how fast it was while recorded
 * and while replayed, and what calls lost while they were without a processor.
 */
#ifndef KT_DECOMPOSITION_H
#define KT_DECOMPOSITION_H

#include "trace/base/speed.h"

#include <stdbool.h>
#include <stddef.h>

/* Seconds with a 95 % interval; NAN: not known. */
struct kt_time {
    double value, lo, hi;
};

/* A shape's times per call, medians. */
struct kt_context_times {
    struct kt_time warm, cold, tracked;
    struct kt_time together, alone; /* calls that ran at the same time played so, and each alone */
    double bound, bound_cold;       /* operands as near as they fit, and in memory */
    bool uncounted;         /* the bound is that of bytes only: no formula tells how many operations there are */
    double fault;           /* of one page fault, on the machine of the replay */
    struct kt_speed slower; /* how many times longer things took while recorded than while replayed; 0: not known */
};

/* The calls of a shape, or some of them. */
struct kt_timed_calls {
    double calls;
    double total;  /* seconds in all of them together */
    double median; /* of one */
    double faults; /* page faults in them, as far as they were counted */
    double lost;   /* seconds that they were without a processor */
};

/* What cannot be, as a part of in-situ time: shapes where that is so beyond the intervals. */
enum kt_odd {
    KT_ODD_BOUND,   /* warm is faster than the bound */
    KT_ODD_TRACKED, /* tracked is faster than warm */
    KT_ODD_INSITU,  /* in-situ is faster than tracked, or than warm if that is all there is */
    KT_ODDS
};

/* Seconds over all calls of the shapes that could be taken apart. */
struct kt_decomposition {
    size_t shapes;
    double calls;
    double insitu;
    struct kt_time bound, library;  /* NAN unless the bound of every shape is known */
    struct kt_time warm;            /* both together */
    double undivided;               /* of library, what may as well be bound: of shapes whose operations are uncounted.
                                     * The interval of the bound reaches up by that, the library's down */
    struct kt_time cache, residual; /* of shapes that were tracked; NAN if none was */
    struct kt_time unsplit;         /* in-situ - warm of those that were not */
    struct kt_time contention;      /* of shapes that were played in company; NAN if none was */
    size_t in_company;              /* shapes that were */
    size_t tracked;                 /* shapes that were */
    double cache_most;              /* cold - warm of those that were not; NAN if it is not known of all */
    double faults;                  /* page faults in the calls, as far as they were counted: long ones */
    double fault_seconds;   /* a part of residual and unsplit: faults times what one takes; modelled. NAN: not known */
    struct kt_time machine; /* another part of them, see kt_decomposition_machine; NAN: not known of all shapes */
    double lost;            /* of that, without a processor */
    double index;           /* (in-situ - warm) / (cold - warm), on medians; NAN as in kt_context_index */
    double odd[KT_ODDS];    /* in-situ seconds of such shapes */
    struct {
        double insitu, warm, cold; /* medians times calls, of shapes with a cold replay */
    } sums;
};

/* From a decomposition of zeros: adds calls of a shape, if it can be taken apart, which needs a warm replay. Shapes
 * count as independent, so each is to be added once. */
void kt_decomposition_add(struct kt_decomposition *d, const struct kt_context_times *times,
                          const struct kt_timed_calls *calls);
void kt_decomposition_finish(struct kt_decomposition *d);

/*
 * Seconds that a call takes longer by the machine. All but waiting for memory goes with the core's clock. Where others
 * share the core it takes longer by nothing to as much as additions do that wait for nothing, where memory is slower by
 * half to all of what a load takes longer: the middle, and the ends as an interval. NAN: not known.
 */
struct kt_time kt_decomposition_machine(const struct kt_context_times *times);

/* Were the two states so different that nothing can be said of the parts? */
bool kt_decomposition_is_unclear(const struct kt_decomposition *d);

/* Is so much of the time undivided that neither bound nor library is told? */
bool kt_decomposition_is_undivided(double undivided, double whole);

/* How far the further end of its interval is. */
double kt_decomposition_half(const struct kt_time *part);

/* Is a part, as a share of 1, known well enough to be told? That is where its interval reaches no further than a
 * quarter of the whole, and where it is not certainly more than the whole. Whoever prints, draws or writes parts asks
 * here. */
bool kt_decomposition_is_told(const struct kt_time *part);

#endif
