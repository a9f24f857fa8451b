/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a sequence of calls costs, from what its kernels cost with all operands in cache (warm) and with none (cold),
 * and from where the tracker expects the operands of each call (Peise & Bientinesi, section 3.2). Nothing is executed.
 *
 * - By the paper: t = w t_warm + (1 - w) t_cold. w is the mean of the operands' shares in any cache, weighted by their
 *   sizes; the share of a part at access distance d is (1 + tanh(a r)) / 2, r = (c - d) / c, a = 4 where r >= 0 and 2
 *   elsewhere, c the size of the largest cache (kt_cached_share). An operand whose parts have several distances counts
 *   part by part.
 * - By level: each level has a time of its own, which is that of models of the level if there are any. Otherwise it
 *   lies between warm and cold as the level's latency lies between those of where warm operands are and memory. Warm
 *   ones were read through just before, so they are as far away as all of them together are large: what is larger than
 *   a cache is warm, and not in it.
 * - The sums of all warm and of all cold times, which know nothing of caches, bracket both.
 *
 * Errors of the models of one routine are taken to go the same way and add up; those of different routines add up as
 * squares.
 */
#ifndef KT_PREDICTION_H
#define KT_PREDICTION_H

#include "model/tracker/placement.h"
#include "trace/base/stats.h"

/* A time in seconds with a 95 % interval. NAN: not known. */
struct kt_cost {
    double seconds, lo, hi;
};

enum kt_cost_known {
    KT_COST_KNOWN,
    KT_COST_EXTRAPOLATED, /* outside of the sizes that the model knows */
    KT_COST_TOO_FAR,      /* too far outside for an answer */
    KT_COST_UNKNOWN       /* there is no model */
};

/* Where one context has no answer the other's stands for it, and counts as extrapolated. */
struct kt_costs {
    enum kt_cost_known known, known_warm, known_cold; /* KNOWN: of the better one */
    double outside_warm, outside_cold;                /* how far: 0.25 is 25 % beyond the largest size */
    struct kt_cost warm, cold;
    struct kt_cost level[KT_MAX_CACHES]; /* operands in that level; seconds NAN: there is no model of it */
};

/* Of a call of that symbol. */
typedef void kt_costs_source(void *context, const struct kt_symbol *symbol, const struct kt_values *values,
                             struct kt_costs *out);

enum kt_combination { KT_BY_PAPER, KT_BY_LEVEL };

struct kt_prediction_rules {
    enum kt_combination combination;
    struct kt_caches caches;
    double latency[KT_MAX_CACHES + 1]; /* of each level and of memory, in any unit; 0: not known */
    kt_costs_source *source;
    void *context;
};

/* Calls of one symbol with equal arguments but addresses. */
struct kt_predicted_calls {
    const struct kt_symbol *symbol; /* borrowed */
    double *v; /* arguments of the first of them: numbers and letters, imaginary parts, addresses; owned */
    bool row_major;
    struct kt_costs costs; /* of one call */
    uint64_t calls;
    enum kt_cost_known known; /* of those contexts that matter to it */
    double outside;           /* the same */
    double warm_remoteness;   /* see kt_warm_remoteness */
    double cached;            /* sum of w over the calls */
    struct kt_cost cost;      /* sums; lo and hi: if the model is as far off as it may be */
    double measured;          /* sum, NAN: not measured */
};

/* The arguments of the first of the calls. */
void kt_predicted_values(const struct kt_predicted_calls *row, struct kt_values *out);

struct kt_prediction {
    struct kt_cost cost;
    double warm, cold;        /* the sums that know nothing of caches */
    double measured, covered; /* sum over all calls, and over those that are predicted; NAN: not measured */
    struct kt_stat pace;      /* of the machine in each round of measuring (model/predict/pace.h); n 0: not known */
    struct kt_stat at_pace;   /* predicted at that pace over measured, of the same round; n 0: not known */
    uint64_t calls;
    uint64_t extrapolated, unknown; /* calls */
    double worst_outside;
    struct kt_predicted_calls *row; /* largest cost first, those that are not known at the end; owned */
    size_t rows;
};

struct kt_predictor;

struct kt_predictor *kt_predictor_new(const struct kt_prediction_rules *rules);

/* Memory that was used before the first call, such as the operands that somebody has written. */
void kt_predictor_touch(struct kt_predictor *predictor, const struct kt_operand *operand, int operands);

/* The next call, made on that processor. SYMBOL must live as long as the predictor. MEASURED: seconds, NAN: not known.
 */
void kt_predictor_call(struct kt_predictor *predictor, const struct kt_symbol *symbol, const struct kt_values *values,
                       const struct kt_operand *operand, int operands, unsigned cpu, double measured);

/* Another process: its caches and addresses are its own. */
void kt_predictor_begin_process(struct kt_predictor *predictor);

/* Sums up, and frees the predictor. */
void kt_predictor_finish(struct kt_predictor *predictor, struct kt_prediction *out);
void kt_prediction_free(struct kt_prediction *prediction);

/* The part of a call's operands, by size, that is in each level; the last one is memory. */
void kt_level_weights(const struct kt_operand *operand, int operands, const float (*share)[KT_MAX_CACHES + 1],
                      unsigned levels, double weight[KT_MAX_CACHES + 1]);

/* How far operands are that were read through just before, on average: 0 in the first level, 1 in memory, and between
 * them by latency. */
double kt_warm_remoteness(const struct kt_prediction_rules *rules, const struct kt_operand *operand, int operands);

/* The cost of a call whose operands lie so; WARM: their kt_warm_remoteness. */
struct kt_cost kt_combine(const struct kt_prediction_rules *rules, const struct kt_costs *costs,
                          const double weight[KT_MAX_CACHES + 1], double warm);

#endif
