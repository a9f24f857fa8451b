/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context `sequence`: the calls of one thread, or windows of them, played in their order in memory laid out as
 * it was, over and over. The estimate of a call is the median of its times over the passes; a shape's statistic is that
 * of its calls' estimates, of which the mean is the best: times the number of calls it is a sum over the calls. Its
 * minimum is over all times.
 */
#ifndef KT_SEQUENCE_H
#define KT_SEQUENCE_H

#include "replay/measure/child.h"
#include "replay/sequence/play.h"
#include "replay/setup/setup.h"

enum { KT_MOST_PASSES = 100 };

struct kt_sequence {
    bool open;
    char unusable[256]; /* why there are no times, or "" */
    const struct kt_setup *setup;
    enum kt_level level;
    struct kt_library library; /* borrowed from a worker */
    struct kt_recording recording;
    struct kt_ranges ranges;
    uint64_t bytes;  /* that they take */
    double patience; /* seconds after which a turn is taken for hanging */
    struct kt_play play;
    struct kt_board *board;
    size_t board_calls; /* that it has room for */
    struct kt_child child;
    unsigned crashes;
    unsigned passes;    /* that count */
    float *first;       /* by call: the pass of a new process that does not count, until it is taken; owned */
    bool is_tried;      /* a first pass has shown which calls need fresh inputs */
    bool warms;         /* the next pass is the first of a new process, and does not count */
    bool rests;         /* its process stands still between turns: threads of its library disturb nobody */
    float **sample;     /* by pass: the times of the calls; owned */
    double *pass_total; /* by pass: seconds of the calls that count; owned */
    bool splits;        /* calls that have company are played alone, too, in turns with that */
    struct kt_alone {
        float **sample; /* as those above; owned */
        unsigned passes;
        double **of_shape;
        size_t *of_shape_count;
        double *least;
    } alone;
    struct kt_pass last;
    double seconds;    /* spent */
    double budget;     /* to be spent */
    double *estimate;  /* by call, NAN: none; after finish; owned */
    double **of_shape; /* by shape: the estimates of its calls; after finish; owned */
    size_t *of_shape_count;
    double *least; /* by shape: the least of its times; after finish; owned */
};

/* BUDGET: seconds. LIMIT: bytes that operands may take. A sequence that cannot be played says why in unusable. LIBRARY
 * must live as long. */
void kt_sequence_open(const struct kt_setup *setup, const struct kt_replay_options *options,
                      const struct kt_library *library, double budget, uint64_t limit, struct kt_sequence *out);
/* One pass. False: there cannot be more, or need not. */
bool kt_sequence_pass(struct kt_sequence *sequence);
/* Whoever plays several sequences in turns: a process is there, and what it plays next counts. False: there cannot be
 * one. */
bool kt_sequence_prepare(struct kt_sequence *sequence);
/* Those calls of a pass: from 0, or from where the last turn ended. A pass counts when its last call was played. False:
 * the process is gone, and the pass with it. */
bool kt_sequence_turn(struct kt_sequence *sequence, const struct kt_window *calls);
/* The next pass is played by a new process, which differs from the one before by up to a percent. */
void kt_sequence_renew(struct kt_sequence *sequence);
/* Calls of the job's shape are not played. */
void kt_sequence_leave_out(struct kt_sequence *sequence, const struct kt_job *job);
/* What passes are still needed, and the estimates. */
void kt_sequence_finish(struct kt_sequence *sequence);
void kt_sequence_close(struct kt_sequence *sequence);

/* The number of a job's shape. */
size_t kt_sequence_shape(const struct kt_sequence *sequence, const struct kt_job *job);

/* The statistic of a job's shape; n = 0: none of its calls was timed. */
struct kt_stat kt_sequence_stat(const struct kt_sequence *sequence, const struct kt_job *job);

/* The same of calls that were played alone, though they had company. */
struct kt_stat kt_sequence_stat_alone(const struct kt_sequence *sequence, const struct kt_job *job);

/* Of the calls that count and were timed. */
struct kt_sequence_sum {
    size_t calls;
    double insitu;                         /* measured in the program, without the cost of recording */
    double played;                         /* sum of estimates */
    double typical_insitu, typical_played; /* sums of the medians of their shapes: disturbed calls do not count */
    double share;      /* of the time of all calls of the level in the trace that these calls took */
    double quarter_lo; /* of the totals of single passes: quartiles */
    double quarter_hi;
    size_t refilled, strange, left_out; /* calls, see enum kt_play_part */
};
void kt_sequence_sum(const struct kt_sequence *sequence, struct kt_sequence_sum *out);

/* Why a shape was not played; NULL: it was, or was not among the calls. */
const char *kt_sequence_absence(const struct kt_sequence *sequence, const struct kt_job *job);

#endif
