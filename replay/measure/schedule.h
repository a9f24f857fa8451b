/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of measurements and when they are enough.
 *
 * An item is a shape, a lane one of the conditions that it is timed under: a context, or a library. Rounds are the
 * outermost loop: in a round every item that is due is visited once, items in random order, its lanes one right after
 * the other in random order. Slow drifts of the machine then hit all lanes of an item alike, and the samples of one
 * lane are spread over the whole measurement instead of one lucky or unlucky moment.
 */
#ifndef KT_SCHEDULE_H
#define KT_SCHEDULE_H

#include "replay/measure/disturbance.h"
#include "trace/base/stats.h"

/*
 * Why sampling of an item stopped. Columns: name, text in JSON.
 *
 * CONVERGED: the interval of each lane's median is narrow. STEADY: it is not and will not be in the rounds that there
 * may be, as the noise, which is known well by now, stays the same: more samples would tell nothing new. ROUNDS: the
 * most there may be. BUDGET: the time is over. INTERRUPTED: by the user.
 */
#define KT_STOPS(X)               \
    X(NOT_YET, "not yet")         \
    X(CONVERGED, "converged")     \
    X(STEADY, "noise steady")     \
    X(BUDGET, "budget")           \
    X(ROUNDS, "rounds")           \
    X(INTERRUPTED, "interrupted") \
    X(FAILED, "failed")           \
    X(NOTHING, "nothing to time")

enum kt_stop {
#define KT_STOP_ENUM(name, text) KT_STOP_##name,
    KT_STOPS(KT_STOP_ENUM)
#undef KT_STOP_ENUM
};

extern const char *const kt_stop_text[];

/* The times of an item on one lane. */
struct kt_series {
    double *sample; /* owned; order is not kept */
    size_t samples;
    double *visit;   /* the median of each visit, in order; owned */
    unsigned *round; /* of each visit; owned */
    double *whole;   /* the median of each visit with the samples that are left out; owned */
    size_t visits;
    double *left; /* samples that are left out, as others of the machine disturbed them; owned */
    size_t lefts;
    bool absent;                         /* the item cannot be brought into this condition: it is not visited */
    struct kt_disturbances disturbances; /* of samples that were watched; they are among the samples all the same */
    bool enough;                         /* from an earlier replay: not visited */
};

struct kt_item {
    double weight;          /* seconds that it accounts for in the trace */
    enum kt_best best;      /* what estimates its time */
    bool once;              /* too unimportant for more than the fewest rounds */
    struct kt_series *lane; /* owned */
    enum kt_stop stop;
    bool major; /* one of those that account for most of the time */
};

struct kt_schedule {
    struct kt_item *item; /* owned */
    size_t items, lanes;
    size_t least;   /* items, the first ones, that get a first round whatever it takes. Where there are others, which
                       come heaviest first, all else is within the budget; otherwise major items get the certain
                       rounds, too. */
    size_t reached; /* items behind these were left out, as there was no time for them */
    double budget;  /* seconds */
    double spread;  /* seconds over which the samples of major items are spread at least, within the budget */
    bool goes_on;   /* whatever the budget; begin_round may change it */
    uint64_t seed;
    const char *label; /* of the progress bar */
    /* Times the item and adds to its series; false: it cannot be timed. */
    bool (*visit)(void *context, size_t item, size_t lane);
    void (*begin_round)(void *context); /* may be NULL */
    void *context;
    unsigned rounds; /* finished so far: the number of the current one */
    double seconds;  /* that it took */
};

/* Room for so many items on so many lanes, none of which is left out; the caller sets weights and the fields after it,
 * and LEAST where some may be. */
void kt_schedule_make(size_t items, size_t lanes, struct kt_schedule *out);
void kt_schedule_run(struct kt_schedule *schedule);
void kt_schedule_free(struct kt_schedule *schedule);

/* Adds the samples of one visit in that round. What disturbed them is added by kt_disturbances_merge(). */
void kt_series_add(struct kt_series *series, unsigned round, const double *seconds, size_t count);

/* Of the last visit, COUNT samples of which count, those that are left out stand behind these, up to ALL. */
void kt_series_leave_out(struct kt_series *series, const double *seconds, size_t count, size_t all);

/* From here on they count like the others. */
void kt_series_take_in(struct kt_series *series);

/* To be forgotten. */
struct kt_series kt_series_copy(const struct kt_series *series);

/* Statistics of its visits. */
struct kt_stat kt_series_visits(const struct kt_series *series);

/* Of its samples. Those of a visit share its conditions: together they tell the median no better than the visits do. */
struct kt_stat kt_series_stat(const struct kt_series *series, enum kt_best best);

/* Makes all its times so many times longer. */
void kt_series_scale(struct kt_series *series, double factor);

/* Makes all its times so many seconds shorter, but none shorter than LEAST times what it was. */
void kt_series_shorten(struct kt_series *series, double less, double least);

/* Makes it empty. */
void kt_series_forget(struct kt_series *series);

#endif
