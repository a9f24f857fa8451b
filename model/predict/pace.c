/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/predict/pace.h"

#include "model/kernels/kernel_needs.h"
#include "model/kernels/model_set.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/base/stats.h"

#include <math.h>

static const enum kt_model_context context_of[] = {KT_MODEL_WARM, KT_MODEL_COLD};
enum { CONTEXTS = sizeof context_of / sizeof *context_of, MOST_NEEDS = 8, ANCHORS = 5, PROCESSES = 8 };

static const double most_of_time = 0.98;   /* that the models chosen account for */
static const double longest_anchor = 5e-3; /* seconds; where there is a choice */
static const double longest_of_all = 0.2;
static const double least_anchor = 1e-6; /* where there is a choice: below it the clock matters */
static const double least_part = 0.02;   /* of the operands in or out of caches, below which a context is left out */

/* A point of a model. */
struct anchor {
    int model;
    double known; /* seconds */
    int context;
    struct kt_timed timed[CONTEXTS]; /* one of them */
};

struct kt_pace {
    const struct kt_models *models;
    struct kt_timing *timing;
    struct kt_needs needs;       /* of all predictions */
    struct anchor *anchor;       /* owned */
    struct kt_timing_call *call; /* of each anchor; owned */
    size_t anchors;
    double *ratio; /* time over known time, by round, then by anchor: means of its readings; NAN: not timed; owned */
    int most;      /* rounds */
    int rounds, readings; /* complete rounds; readings of the one that is not */
    double begin, took;   /* when that began; what AFTER took last */
    bool (*after)(void *context);
    void *context;
};

/* --- which points ---------------------------------------------------------------------------------------------- */

static bool query_of(const struct kt_predicted_calls *row, struct kt_values *values, struct kt_model_query *query)
{
    kt_predicted_values(row, values);
    return kt_model_query_of_call(row->symbol, values, query);
}

/* The part of a row's time that rests on models of that context. */
static double seconds_in(const struct kt_predicted_calls *row, int context)
{
    double cached = row->cached / (double)row->calls;
    return row->cost.seconds * (context_of[context] == KT_MODEL_WARM ? cached : 1 - cached);
}

/* Adds to both sums what the prediction's rows take. */
static void add_needs(struct kt_pace *p, const struct kt_prediction *prediction, double part[CONTEXTS])
{
    for (size_t i = 0; i < prediction->rows; i++) {
        const struct kt_predicted_calls *row = &prediction->row[i];
        struct kt_values values;
        struct kt_model_query query;
        if (row->costs.known >= KT_COST_TOO_FAR || !query_of(row, &values, &query))
            continue;
        kt_needs_add(&p->needs, row->symbol, &values, row->cost.seconds, row->calls);
        for (int c = 0; c < CONTEXTS; c++)
            part[c] += seconds_in(row, c);
    }
}

static bool is_among(const struct kt_point *point, const struct kt_point *const *chosen, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (chosen[i] == point)
            return true;
    return false;
}

/* The fitted point nearest to the use that is not chosen yet and takes neither less nor more; NULL: there is none. */
static const struct kt_point *nearest(const struct kt_kernel_model *m, const struct kt_use *use,
                                      const struct kt_point *const *chosen, size_t count, double least, double most)
{
    const struct kt_point *best = NULL;
    for (size_t i = 0; i < m->points; i++) {
        const struct kt_point *point = &m->point[i];
        bool usable = point->samples && !point->held_out && point->seconds >= least && point->seconds <= most &&
                      !is_among(point, chosen, count);
        if (usable &&
            (!best || kt_point_distance(point, use->size, m->axes) < kt_point_distance(best, use->size, m->axes)))
            best = point;
    }
    return best;
}

/* Points near the sizes that take most time. */
static void add_anchors(struct kt_pace *p, const struct kt_need *need, int context)
{
    const struct kt_point *chosen[ANCHORS];
    size_t count = 0;
    int model = kt_models_find(p->models, &need->query, context_of[context]);
    for (size_t i = 0; model >= 0 && i < ANCHORS; i++) {
        const struct kt_use *use = &need->use[i * need->uses / (2 * ANCHORS)];
        const struct kt_kernel_model *m = &p->models->model[model];
        const struct kt_point *point = nearest(m, use, chosen, count, least_anchor, longest_anchor);
        if (!point)
            point = nearest(m, use, chosen, count, 0, longest_anchor);
        if (!point && count == 0)
            point = nearest(m, use, chosen, count, 0, longest_of_all);
        if (!point)
            break;
        chosen[count++] = point;
        p->anchor = kt_room_for_one(p->anchor, p->anchors, sizeof *p->anchor);
        p->call = kt_room_for_one(p->call, p->anchors, sizeof *p->call);
        p->anchor[p->anchors] = (struct anchor){.model = model, .known = point->seconds, .context = context};
        p->call[p->anchors] =
            (struct kt_timing_call){.routine = need->routine, .guess = point->seconds, .contexts = 1u << context};
        kt_need_values(need, point->size, &p->call[p->anchors++].values);
    }
}

enum kt_status kt_pace_open(const struct kt_models *models, const struct kt_timing_of *library,
                            const struct kt_prediction *const *of, size_t count, struct kt_pace **out,
                            struct kt_error *error)
{
    const char *name[CONTEXTS];
    double part[CONTEXTS] = {0};
    double seconds = 0;
    struct kt_pace *p = kt_resize(NULL, 1, sizeof *p);
    *out = p;
    *p = (struct kt_pace){.models = models};
    for (size_t i = 0; i < count; i++)
        add_needs(p, of[i], part);
    kt_needs_sort(&p->needs);
    for (size_t i = 0; i < p->needs.count && i < MOST_NEEDS && seconds < most_of_time * p->needs.seconds; i++) {
        seconds += p->needs.need[i].seconds;
        for (int c = 0; c < CONTEXTS; c++)
            if (part[c] > least_part * p->needs.seconds)
                add_anchors(p, &p->needs.need[i], c);
    }
    for (int c = 0; c < CONTEXTS; c++)
        name[c] = kt_model_context_name[context_of[c]];
    return kt_timing_open(library, name, CONTEXTS, &p->timing, error);
}

void kt_pace_close(struct kt_pace *pace)
{
    if (!pace)
        return;
    kt_timing_close(pace->timing);
    kt_needs_free(&pace->needs);
    free(pace->anchor);
    free(pace->call);
    free(pace->ratio);
    free(pace);
}

/* --- rounds ---------------------------------------------------------------------------------------------------- */

/* Of what AFTER takes; and at most so many. */
static const double part_of_readings = 0.25;
enum { READINGS = 50 };

/* The mean of the readings of a round: what comes between two of them lasts longer than each of them. */
static void add_reading(struct kt_pace *p)
{
    double *ratio = &p->ratio[(size_t)p->rounds * p->anchors];
    p->readings++;
    for (size_t i = 0; i < p->anchors; i++) {
        double one = p->anchor[i].timed[p->anchor[i].context].last / p->anchor[i].known;
        ratio[i] = p->readings == 1 ? one : ratio[i] + (one - ratio[i]) / p->readings;
    }
}

static bool keep_reading(void *context)
{
    struct kt_pace *p = context;
    add_reading(p);
    double end = kt_now();
    if (end - p->begin < part_of_readings * p->took && p->readings < READINGS)
        return true;
    bool more = (!p->after || p->after(p->context)) && p->rounds + 1 < p->most;
    p->begin = kt_now();
    p->took = p->begin - end;
    p->rounds++;
    p->readings = 0;
    return more;
}

static enum kt_status time_anchors(struct kt_pace *p, const struct kt_timing_rules *rules, struct kt_error *error)
{
    p->begin = kt_now();
    p->ratio = kt_resize(NULL, (size_t)p->most * p->anchors, sizeof *p->ratio);
    for (size_t i = 0; i < p->anchors; i++)
        p->call[i].result = p->anchor[i].timed;
    return kt_timing_run(p->timing, p->call, p->anchors, rules, error);
}

enum kt_status kt_pace_run(struct kt_pace *p, int rounds, bool (*after)(void *context), void *context,
                           struct kt_error *error)
{
    const struct kt_timing_rules rules = {
        .rounds = (unsigned)rounds * READINGS, .processes = PROCESSES, .after = keep_reading, .context = p};
    p->after = after;
    p->context = context;
    p->most = rounds;
    for (bool more = !p->anchors; more && p->rounds < rounds && !kt_timing_interrupted(); p->rounds++)
        more = after(context);
    return p->anchors ? time_anchors(p, &rules, error) : KT_OK;
}

void kt_pace_renew(struct kt_pace *p)
{
    kt_timing_renew(p->timing);
}

enum kt_status kt_pace_take(struct kt_pace *p, int rounds, double seconds, struct kt_error *error)
{
    const struct kt_timing_rules rules = {.rounds = (unsigned)rounds,
                                          .processes = PROCESSES,
                                          .seconds = seconds,
                                          .label = "pace",
                                          .after = keep_reading,
                                          .context = p};
    p->most = rounds;
    return p->anchors ? time_anchors(p, &rules, error) : KT_OK;
}

int kt_pace_rounds(const struct kt_pace *p)
{
    return p->rounds;
}

/* --- the pace -------------------------------------------------------------------------------------------------- */

static double pace_of_model(const struct kt_pace *p, int model, int round)
{
    double ratio[ANCHORS];
    size_t n = 0;
    for (size_t i = 0; i < p->anchors && n < ANCHORS; i++) {
        double one = p->ratio[(size_t)round * p->anchors + i];
        if (p->anchor[i].model == model && !isnan(one))
            ratio[n++] = one;
    }
    return kt_stat_of(ratio, n, KT_BEST_MEDIAN).median;
}

double kt_pace_of(const struct kt_pace *p, const struct kt_prediction *prediction, int round)
{
    double all = 0;
    double sum = 0;
    for (size_t i = 0; i < prediction->rows; i++) {
        struct kt_values values;
        struct kt_model_query query;
        const struct kt_predicted_calls *row = &prediction->row[i];
        if (row->costs.known >= KT_COST_TOO_FAR || !query_of(row, &values, &query))
            continue;
        for (int c = 0; c < CONTEXTS; c++) {
            double pace = pace_of_model(p, kt_models_find(p->models, &query, context_of[c]), round);
            double weight = isnan(pace) ? 0 : seconds_in(row, c);
            all += weight;
            sum += weight > 0 ? weight * pace : 0;
        }
    }
    return all > 0 ? sum / all : NAN;
}
