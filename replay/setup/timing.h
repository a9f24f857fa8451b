/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timing calls that nobody recorded: sizes that others choose, operands as replay makes them. The one way by which
 * models get samples.
 *
 * A call is timed as a replay times it: in a worker process, with legal data, its operands brought into the context,
 * single calls between two readings of the clock. Rounds are the outermost loop, calls come in random order in each,
 * and so that no estimate rests on the pages of one process, rounds are spread over several.
 */
#ifndef KT_TIMING_H
#define KT_TIMING_H

#include "trace/table/operand.h"
#include "trace/read/reader.h"

struct kt_timing;

/* Which library, and where: on the processor that the trace was mostly recorded on, or else the one of
 * kt_timing_attend; with several threads on any. */
struct kt_timing_of {
    const char *blas;             /* path, soname or short name; NULL: as the trace was recorded */
    const char *kernel;           /* file of a kernel of the user's, in place of a library; NULL: none */
    const struct kt_trace *trace; /* may be NULL if BLAS is not */
    int threads;                  /* 0: as recorded, or 1 without a trace */
};

/* Texts that are the same only on the same machine, for the same build of the library. */
struct kt_timing_identity {
    char name[64]; /* of the library: a short one where there is one */
    char *machine; /* owned */
    char *library; /* with its threads and the variables that it obeys; owned */
    char *doubt;   /* that the trace was recorded on another build of it, in one line; NULL: it was not; owned */
};

/* One clear error if the library is not there or cannot be loaded. To be freed in any case. */
enum kt_status kt_timing_identify(const struct kt_timing_of *of, struct kt_timing_identity *out,
                                  struct kt_error *error);
void kt_timing_identity_free(struct kt_timing_identity *identity);

/* Contexts: names as --context of replay takes them, tracked and sequence are none. */
enum kt_status kt_timing_open(const struct kt_timing_of *of, const char *const *context, size_t contexts,
                              struct kt_timing **out, struct kt_error *error);
void kt_timing_close(struct kt_timing *timing); /* NULL is allowed */

/* On which calls are timed; -1: with several threads, or where that cannot be chosen, on any. */
int kt_timing_processor(const struct kt_timing *timing);

/* From within AFTER (below): the next round is timed in a new process, with pages of its own. */
void kt_timing_renew(struct kt_timing *timing);

/* What was found for a call in one context. Times are seconds. A model is to tell what a call takes when nothing gets
 * in its way, so other than a replay it leaves out samples during which the processor was taken away. */
struct kt_timed {
    double best;                       /* lower quartile of the least of each visit; NAN: not timed */
    double least, median, upper, most; /* of these values of visits, with the upper quartile; NAN: not timed */
    double last;                       /* median of the last round's visit, with what got in its way; NAN: not timed */
    double
        noise; /* relative: half the difference of two such estimates, from every other visit each, and the clock's */
    unsigned visits; /* rounds in which it was timed */
    unsigned spoilt; /* of these, in how many something else ran on the processor during each sample: they count only if
                        fewer than three others are left */
    unsigned samples; /* single calls */
};

/* What is left of the cost of the clock, which is subtracted, differs from process to process, and clocks of virtual
 * machines advance in steps of 10 ns. A call that is shorter counts as that long; a part of NOISE. Seconds. */
#define KT_CLOCK_DOUBT 5e-9

/*
 * A call. Arrays: VALUES.address is where they are, modulo the page; operands do not overlap. A leading dimension has
 * to be given like all else.
 */
struct kt_timing_call {
    const struct kt_routine *routine; /* borrowed, called by its Fortran name, so in column-major terms */
    struct kt_values values;
    double guess;            /* seconds that it will take, roughly */
    unsigned rounds;         /* in which it is timed at most, spread over all; 0: in each */
    unsigned contexts;       /* to be timed in, as bits: those of kt_timing_open in their order */
    struct kt_timed *result; /* by context; the caller's */
    char failure[160];       /* why it could not be timed, or "" */
    bool untried;            /* ... which says nothing of this call: others had hung */
};

struct kt_timing_rules {
    unsigned rounds;              /* visits of each call; at least 2; estimates are from the first 4096 */
    unsigned processes;           /* over which they are spread */
    double seconds;               /* then it ends after the current round, but not before the third; 0: no limit */
    const char *label;            /* of the progress bar; NULL: none */
    bool (*after)(void *context); /* called after each whole round; false: it is the last one; NULL: none */
    void *context;
};

/* Times all calls. Ends early when the user interrupts (kt_timing_interrupted); calls then have fewer visits or none.
 */
enum kt_status kt_timing_run(struct kt_timing *timing, struct kt_timing_call *call, size_t calls,
                             const struct kt_timing_rules *rules, struct kt_error *error);

/* The library, loaded into this process as those that time calls load it, for one thread. Never freed: BLAS libraries
 * cannot be unloaded. */
struct kt_timing_loaded;
enum kt_status kt_timing_load(const char *blas, struct kt_timing_loaded **out, struct kt_error *error);
/* The routine that calls of that symbol are timed of; NULL: the library has none. */
void *kt_timing_symbol(const struct kt_timing_loaded *loaded, const char *symbol);

/* Makes this process one like those that time calls: it leaves signals of the terminal to its parent, ends with it, and
 * stays on the processor on which calls are timed with one thread; false: it could not be pinned. */
bool kt_timing_attend(void);

/* The signal by which the user ended measuring, 0: none yet; a second one ends the process. Signals are caught from
 * kt_timing_open on, or from this call. */
void kt_timing_catch(void);
int kt_timing_interrupted(void);

#endif
