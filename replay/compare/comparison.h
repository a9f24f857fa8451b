/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a comparison of libraries found. The lanes of the schedule are libraries with a number of threads, the first
 * one is the baseline. A shape that the baseline cannot run counts for none; one that another library cannot run counts
 * for the others, and for that library its time is the baseline's, as the program would have to call somebody.
 */
#ifndef KT_COMPARISON_H
#define KT_COMPARISON_H

#include "replay/compare/lanes.h"
#include "replay/compare/ratio.h"
#include "replay/compare/corrections.h"
#include "replay/sequence/company.h"
#include "replay/setup/recall.h"
#include "replay/right/right.h"
#include "replay/unusual/unusual.h"
#include "replay/measure/worker.h"

#include <jansson.h>

/* One shape on one library. */
struct kt_compared {
    bool counts;           /* timed on this library and on the baseline */
    struct kt_stat time;   /* of one call, seconds; n = 0: not timed */
    struct kt_ratio ratio; /* to the baseline */
    double residual;       /* how wrong its results are, in units that suit the routine; NAN: not checked */
    const char *wrong;     /* why they count as wrong, or NULL; borrowed */
};

/* All shapes, or those of a routine, on one library. */
struct kt_lane_sum {
    double seconds, lo, hi; /* all calls of the shapes that count: sum of best estimates, with its 95 % interval */
    double lacking;         /* seconds of the baseline for the shapes that only this library cannot run */
    size_t failed;          /* how many those are */
    struct kt_ratio ratio;  /* to the baseline, over the shapes that count */
};

struct kt_routine_sum {
    const char *name;
    double calls;
    struct kt_lane_sum *lane; /* by lane; owned */
    size_t best;              /* the lane with the least time */
    bool is_certain;          /* it is told apart from every other one */
};

/* Each shape on the library that is best for it: what no choice of one library can beat. */
struct kt_mix {
    size_t library;               /* the best single one */
    bool is_apart[KT_MOST_LANES]; /* by library: it is told apart from that one, or ran nothing */
    double seconds;     /* of the mix; another library counts for a shape only if it is certain to be faster there */
    double ratio;       /* to that single library */
    size_t elsewhere;   /* shapes that are better off on another one */
    double application; /* seconds; NAN: not known */
};

/* As much as can be seen. */
static inline bool kt_mix_wins(const struct kt_mix *mix)
{
    return mix->elsewhere && mix->ratio < 0.9995;
}

/* Of a shape that is played in windows which do not hold all of its calls: seconds of a call in the program. */
struct kt_windowed {
    double count; /* of those that the windows hold; NAN: not known, or there are no such windows */
    double all;
};

/* A library that cannot be loaded is not compared, and is no reason not to compare the others. */
struct kt_unusable {
    char name[KT_LANE_LABEL];
    char *why; /* owned */
};

struct kt_comparison {
    struct kt_compare_options options;
    struct kt_setup setup;
    struct kt_worker worker[KT_MOST_LANES];
    char label[KT_MOST_LANES][KT_LANE_LABEL];
    size_t libraries;    /* lanes */
    bool is_recorded;    /* the baseline is the recorded library */
    bool is_as_recorded; /* with as many threads as it had, too */
    struct kt_unusable unusable[KT_MOST_LANES];
    size_t unusables;
    const struct kt_context **context; /* by shape: tracked falls back to warm; owned */
    bool *met;                         /* by shape: timed in sequence, not in that context; owned */
    bool has_team; /* of these, some calls were made, and are played, within parallel regions of OpenMP */
    double budget; /* seconds that checking results left of the user's */
    double alone;  /* seconds that those which are not are promised, of the budget */
    double *first; /* by shape and lane: seconds that its first call in a process takes beyond the others; owned */
    struct kt_windowed *windowed; /* by shape; owned */
    unsigned *owner;              /* by shape: the share that it is of; NULL: there are no shares; owned */
    double *stands_for; /* by shape: as many times its own calls; 0: it is not timed, there is no time for all; owned */
    struct kt_schedule schedule;
    unsigned rounds; /* most that a shape was in */
    double spent;    /* seconds of measuring */
    struct kt_recall recall;
    struct kt_right right;     /* are the results right? Empty: not looked at */
    struct kt_unusual unusual; /* what is done with unusual contents; empty: not looked at */
    bool is_reused;            /* everything is from an earlier comparison, of the time MEASURED (seconds since 1970) */
    double measured;
    /* What kt_comparison_sum_up() makes of it: */
    struct kt_series *corrected; /* by shape and lane: the times of the schedule as they are added up; owned */
    struct kt_ratio ratio_without[KT_CORRECTION_KINDS][KT_MOST_LANES]; /* kt_comparison_multiple(), a correction left
                                                                          out besides those that are not wanted */
    struct kt_compared *cell;                                          /* by shape and lane; owned */
    struct kt_lane_sum sum[KT_MOST_LANES];
    struct kt_routine_sum *routine; /* largest time on the baseline first; owned */
    size_t routines;
    struct kt_mix mix;
    double insitu; /* seconds of the recorded calls of all shapes */
    double scale;  /* how many times longer those are than the ones that count */
    double pace;   /* how many times longer all calls took in the program than replayed: a lower clock, other users */
    double waited; /* seconds that calls took in the program beyond that: in any library, page faults for one */
    double contention;  /* seconds beyond that in which the program's OpenMP threads held up those of the baseline */
    double disturbance; /* a part of PACE, or of CONTENTION: by what lifted the mean of each shape's calls in the
                           program above most */
    double first_calls[KT_MOST_LANES]; /* seconds of all first calls beyond the others: what starting a library takes */
    double fault;                      /* seconds that a page fault takes here; NAN: not known. Set before the sums */
    size_t threads;                    /* that made calls */
    double together;                   /* calls that were under way at a time, when any was; 0: not looked at */
    double busy;                       /* seconds in which any was, of one process; NAN: not known */
    double wall; /* seconds of the recorded program; NAN where its other work is not one after the other with calls */
};

/* Computes the rest when the schedule has run. */
void kt_comparison_sum_up(struct kt_comparison *comparison);
void kt_comparison_free(struct kt_comparison *comparison);

const struct kt_compared *kt_comparison_cell(const struct kt_comparison *comparison, size_t shape, size_t lane);

/* Ratio of a lane to another one over so many SHAPES that count on both. */
struct kt_ratio kt_comparison_ratio(const struct kt_comparison *comparison, const size_t *shape, size_t shapes,
                                    size_t lane, size_t base);

/* The lane on which the shape takes least, and whether each other one is told apart from it: by the ratio in its cell
 * where that is known. */
size_t kt_comparison_shape_best(const struct kt_comparison *comparison, size_t shape, bool *is_certain);

/*
 * Seconds of BLAS, and of the whole program, on that library, all else unchanged. Shapes that could not be timed are
 * taken to change as the others do. NAN: not known.
 *
 * Where the baseline is the recorded library with its threads, it takes what it took in the program. PACE is the lower
 * quartile, by time, of what the shapes took there over their replay; each library has its FIRST_CALLS in every process
 * that calls it; what is left, WAITED, is the same with any. Where the program has OpenMP threads of its own, which
 * wait busily, and calls of a library with threads took much longer than replays, this is CONTENTION, of the baseline
 * alone.
 */
double kt_comparison_blas(const struct kt_comparison *comparison, size_t lane);
double kt_comparison_application(const struct kt_comparison *comparison, size_t lane);
/* Of the program, if its calls took BLAS seconds. */
double kt_comparison_application_with(const struct kt_comparison *comparison, double blas);

/* What BLAS as a whole takes in the program, as a multiple of the baseline: the paired ratio of replays, with the
 * baseline's own time for what the library does not run, with the FIRST_CALLS of each and with WAITED for both. Where
 * the pairs' interval is wide its value is the ratio of the sums of best estimates, if that lies in it. NAN: not known.
 */
struct kt_ratio kt_comparison_multiple(const struct kt_comparison *comparison, size_t lane);

/* The context that a shape is timed in, and of the comparison: sequence, if any shape is. */
const char *kt_comparison_context_of(const struct kt_comparison *comparison, size_t shape);
const char *kt_comparison_context(const struct kt_comparison *comparison);
bool kt_comparison_is_any_met(const struct kt_comparison *comparison);

/* Some library runs several threads, and in the program calls were held up a great deal: mostly by threads of its own
 * that wait busily on the same processors. Replays have these in calls that were made within its parallel regions only,
 * and they do not hold up every library alike. */
bool kt_comparison_is_contended(const struct kt_comparison *comparison);

/* Calls that the shape stands for, and the seconds that they took in the program. */
double kt_comparison_calls(const struct kt_comparison *comparison, size_t shape);
double kt_comparison_recorded(const struct kt_comparison *comparison, size_t shape);

/* Is the shape timed on the baseline? */
bool kt_comparison_counts(const struct kt_comparison *comparison, size_t shape);

/* Is it left to others, which were drawn, to stand for the shape? */
bool kt_comparison_is_light(const struct kt_comparison *comparison, size_t shape);

/* Is it of another share than this process's? */
bool kt_comparison_is_elsewhere(const struct kt_comparison *comparison, size_t shape);

/* Why the shape was not timed on that library; NULL: it was. */
const char *kt_comparison_failure(const struct kt_comparison *comparison, size_t shape, size_t lane);

/* In words, of a library as a whole. */
const char *kt_comparison_verdict(const struct kt_comparison *comparison, size_t lane);

/* True if a library is wrong, crashed or failed in a call that worked in the application. Slow ones are no defect. */
bool kt_comparison_found_defect(const struct kt_comparison *comparison);

json_t *kt_comparison_json(const struct kt_comparison *comparison);
void kt_comparison_print(const struct kt_comparison *comparison);       /* tables */
void kt_comparison_print_right(const struct kt_comparison *comparison); /* whether results are */

/* Bars of the routines that take longest, with intervals, as SVG; data and the gnuplot script are left beside it. */
enum kt_status kt_comparison_plot(const struct kt_comparison *comparison, const char *path, struct kt_error *error);

#endif
