/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/model_batch.h"

#include "model/build/model_level.h"

#include "trace/base/memory.h"
#include "trace/base/now.h"

#include <math.h>
#include <stdio.h>

/* What a call is taken to reach before anything is known of it. */
static const double flops_per_second = 16e9;
static const double bytes_per_second = 4e9;
static const double least_seconds = 3e-7;
static const double visit_seconds = 60e-6; /* of a visit besides calls and operands */
static const double process_seconds = 0.5; /* to start one */

struct kt_kernel_model *kt_build_model(const struct kt_build *build, size_t need, size_t context)
{
    return kt_models_add(build->models, &build->needs->need[need].query, build->rules->context[context]);
}

/* --- what a region is worth ---------------------------------------------------------------------------------- */

/* What is sampled without any use in the trace counts that much of the model's time. */
static const double share_of_volume = 0.02;

static double volume(const struct kt_box *box, int axes)
{
    double v = 1;
    for (int a = 0; a < axes; a++)
        v *= (double)(box->hi[a] - box->lo[a] + 1);
    return v;
}

/* Of the domain that the user gave, how much lies in the box. */
static double part_asked_for(const struct kt_build_rules *rules, const struct kt_box *box, int axes)
{
    double part = 1;
    for (int a = 0; a < axes; a++) {
        int64_t lo = box->lo[a] > rules->lo[a] ? box->lo[a] : rules->lo[a];
        int64_t hi = box->hi[a] < rules->hi[a] ? box->hi[a] : rules->hi[a];
        part *= hi < lo ? 0 : (double)(hi - lo + 1) / (double)(rules->hi[a] - rules->lo[a] + 1);
    }
    return part;
}

double kt_batch_worth(const struct kt_build *build, const struct kt_need *need, const struct kt_kernel_model *m,
                      const struct kt_region *region)
{
    const struct kt_box *box = &region->box;
    double seconds = 0;
    if (build->rules->hi[0])
        return part_asked_for(build->rules, box, m->axes);
    for (size_t i = 0; i < need->uses; i++)
        if (kt_box_owns(box, &m->domain, m->axes, need->use[i].size) &&
            kt_region_holds(region, &m->crossover, m->axes, need->use[i].size))
            seconds += need->use[i].seconds;
    if (seconds > 0)
        seconds += share_of_volume * need->seconds * volume(box, m->axes) / volume(&m->domain, m->axes);
    return seconds;
}

/* --- what it will cost ------------------------------------------------------------------------------------- */

static double bytes_of(const struct kt_routine *r, const struct kt_values *values)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    struct kt_symbol symbol;
    double bytes = 0;
    if (!kt_symbol_make(r, KT_FORTRAN, &symbol))
        return INFINITY;
    int operands = kt_operands(&symbol, values, 4, operand);
    for (int i = 0; i < operands; i++)
        bytes += (double)operand[i].elements * (double)operand[i].elem;
    return bytes;
}

static double bytes_at(const struct kt_build *build, size_t need, const int64_t *size)
{
    struct kt_values values;
    kt_need_values(&build->needs->need[need], size, &values);
    return bytes_of(build->needs->need[need].routine, &values);
}

bool kt_batch_can_time(const struct kt_build *build, size_t need, const int64_t *size)
{
    int larger = kt_build_model(build, need, 0)->larger - 1;
    return kt_need_is_legal(&build->needs->need[need], size) && (larger < 0 || size[larger] >= size[1 - larger]) &&
           bytes_at(build, need, size) <= (double)build->rules->most_bytes;
}

static double guess_from_operations(const struct kt_build *build, size_t need, const int64_t *size)
{
    struct kt_values values;
    kt_need_values(&build->needs->need[need], size, &values);
    double flops = kt_flops(build->needs->need[need].routine, &values);
    return least_seconds + (isfinite(flops) ? flops / flops_per_second : 0) +
           bytes_of(build->needs->need[need].routine, &values) / bytes_per_second;
}

double kt_batch_guess(const struct kt_build *build, size_t need, size_t context, const int64_t *size)
{
    struct kt_model_answer answer;
    kt_kernel_model_ask(kt_build_model(build, need, context), size, &answer);
    bool usable = answer.known == KT_MODEL_KNOWN && answer.seconds > least_seconds;
    return usable ? answer.seconds : guess_from_operations(build, need, size);
}

static int bits(unsigned set)
{
    return __builtin_popcount(set);
}

/* What takes long is less uncertain, and what all samples take is mostly what the longest take. */
static unsigned rounds_of(const struct kt_build *build, double seconds)
{
    unsigned rounds = seconds < 2e-3 ? build->rules->rounds : seconds < 20e-3 ? 4 : 3;
    return rounds < build->rules->rounds ? rounds : build->rules->rounds;
}

/* Short calls are repeated in a visit; operands are filled at each. */
double kt_batch_cost(const struct kt_build *build, const struct kt_wish *wish)
{
    double repeats = wish->guess < 5e-6 ? 20 : wish->guess < 50e-6 ? 10 : wish->guess < 1e-3 ? 3 : 1;
    double bytes = bytes_at(build, wish->need, wish->size);
    double visit = visit_seconds + repeats * (wish->guess + bytes / bytes_per_second);
    double dearness = build->dearness > 0 ? build->dearness : 1;
    return dearness * rounds_of(build, wish->guess) * (bits(wish->contexts) * visit + 2 * bytes / bytes_per_second);
}

/* --- collecting -------------------------------------------------------------------------------------------- */

static struct kt_wish *find(const struct kt_batch *batch, const struct kt_wish *wish)
{
    for (size_t i = 0; i < batch->wishes; i++)
        if (batch->wish[i].need == wish->need && batch->wish[i].held_out == wish->held_out &&
            batch->wish[i].anchor == wish->anchor && !memcmp(batch->wish[i].size, wish->size, sizeof wish->size))
            return &batch->wish[i];
    return NULL;
}

void kt_batch_add(struct kt_batch *batch, const struct kt_build *build, const struct kt_wish *wish)
{
    struct kt_wish *known = find(batch, wish);
    if (known) {
        batch->seconds -= kt_batch_cost(build, known);
        known->contexts |= wish->contexts;
        batch->seconds += kt_batch_cost(build, known);
        return;
    }
    batch->wish = kt_room_for_one(batch->wish, batch->wishes, sizeof *batch->wish);
    batch->wish[batch->wishes++] = *wish;
    batch->seconds += kt_batch_cost(build, wish);
}

void kt_batch_free(struct kt_batch *batch)
{
    free(batch->wish);
    *batch = (struct kt_batch){0};
}

/* --- timing ------------------------------------------------------------------------------------------------ */

static bool has_wish(const struct kt_batch *batch, size_t need, size_t context)
{
    for (size_t i = 0; i < batch->wishes; i++)
        if (batch->wish[i].need == need && batch->wish[i].contexts & 1u << context)
            return true;
    return false;
}

/* Calls that take longer are not repeated for that. */
static const double longest_anchor = 0.02;

static void add_anchors(struct kt_batch *batch, const struct kt_build *build, size_t need, size_t context)
{
    const struct kt_point *anchor[KT_ANCHORS];
    size_t anchors = kt_level_anchors(kt_build_model(build, need, context), longest_anchor, anchor);
    for (size_t i = 0; i < anchors; i++) {
        struct kt_wish wish = {.need = need, .contexts = 1u << context, .anchor = true, .guess = anchor[i]->seconds};
        memcpy(wish.size, anchor[i]->size, sizeof wish.size);
        kt_batch_add(batch, build, &wish);
    }
}

static void add_all_anchors(struct kt_batch *batch, const struct kt_build *build)
{
    for (size_t n = 0; n < build->needs->count; n++)
        for (size_t c = 0; c < build->rules->contexts; c++)
            if (has_wish(batch, n, c))
                add_anchors(batch, build, n, c);
}

static void make_calls(const struct kt_batch *batch, const struct kt_build *build, struct kt_timing_call *call,
                       struct kt_timed *timed)
{
    size_t contexts = build->rules->contexts;
    for (size_t i = 0; i < batch->wishes; i++) {
        const struct kt_need *need = &build->needs->need[batch->wish[i].need];
        call[i] = (struct kt_timing_call){.routine = need->routine,
                                          .guess = batch->wish[i].guess,
                                          .rounds = rounds_of(build, batch->wish[i].guess),
                                          .contexts = batch->wish[i].contexts,
                                          .result = timed + i * contexts};
        kt_need_values(need, batch->wish[i].size, &call[i].values);
    }
}

/* Visits that make an estimate: what was cut short after fewer is timed again another time. */
static bool is_estimate(const struct kt_build *build, const struct kt_timed *timed)
{
    const unsigned fewest = build->rules->rounds < 3 ? build->rules->rounds : 3;
    return timed->samples && timed->best > 0 && (timed->visits >= fewest || !kt_timing_interrupted());
}

/* A point that failed is remembered as such, or it would be asked for again; one that was interrupted is not, nor one
 * that was not tried because others hung. */
static void keep_point(struct kt_build *build, const struct kt_wish *wish, const struct kt_timing_call *call,
                       size_t context, double level)
{
    const struct kt_timed *timed = &call->result[context];
    struct kt_kernel_model *model = kt_build_model(build, wish->need, context);
    struct kt_point point = {.held_out = wish->held_out, .seconds = timed->best / level, .noise = timed->noise};
    memcpy(point.size, wish->size, sizeof point.size);
    bool is_timed = is_estimate(build, timed);
    if (!is_timed && (!call->failure[0] || call->untried))
        return;
    point.samples = is_timed ? (int)timed->samples : 0;
    point.noise = is_timed && isfinite(point.noise) ? point.noise : 0;
    bool is_known = kt_model_find_point(model, point.size) != NULL;
    kt_model_set_point(model, &point);
    build->samples += is_timed && !is_known;
    build->again += is_timed && is_known;
    build->failed += !is_timed && !is_known;
    if (!is_timed)
        snprintf(build->failure, sizeof build->failure, "%s", call->failure);
}

/* How fast the machine was for that model. */
static double level_of(const struct kt_batch *batch, const struct kt_build *build, const struct kt_timing_call *call,
                       size_t need, size_t context)
{
    double ratio[KT_ANCHORS];
    size_t ratios = 0;
    const struct kt_kernel_model *m = kt_build_model(build, need, context);
    for (size_t i = 0; i < batch->wishes; i++) {
        const struct kt_wish *wish = &batch->wish[i];
        bool is_anchor = wish->anchor && wish->need == need && wish->contexts & 1u << context;
        const struct kt_point *known = is_anchor ? kt_model_find_point(m, wish->size) : NULL;
        if (known && known->samples && is_estimate(build, &call[i].result[context]) && ratios < KT_ANCHORS)
            ratio[ratios++] = call[i].result[context].best / known->seconds;
    }
    return kt_level_of_batch(ratio, ratios);
}

static void keep_points_of(const struct kt_batch *batch, struct kt_build *build, const struct kt_timing_call *call,
                           size_t need, size_t context, double seconds)
{
    struct kt_kernel_model *m = kt_build_model(build, need, context);
    double level = level_of(batch, build, call, need, context);
    for (size_t i = 0; i < batch->wishes; i++) {
        const struct kt_wish *wish = &batch->wish[i];
        if (wish->need != need || !(wish->contexts & 1u << context))
            continue;
        m->cost += kt_batch_cost(build, wish) / batch->seconds / bits(wish->contexts) * seconds;
        if (!wish->anchor)
            keep_point(build, wish, &call[i], context, level);
    }
    kt_level_note(m, level);
}

static void keep_points(const struct kt_batch *batch, struct kt_build *build, const struct kt_timing_call *call,
                        double seconds)
{
    for (size_t n = 0; n < build->needs->count; n++)
        for (size_t c = 0; c < build->rules->contexts; c++)
            if (has_wish(batch, n, c))
                keep_points_of(batch, build, call, n, c, seconds);
}

/* Estimates of later batches learn from this one, if it was not cut short. */
static void learn_cost(const struct kt_batch *batch, struct kt_build *build, const struct kt_timed *timed, double took)
{
    size_t contexts = build->rules->contexts;
    double part = 0; /* of the visits that were planned */
    for (size_t i = 0; i < batch->wishes * contexts; i++)
        part = fmax(part, (double)timed[i].visits / rounds_of(build, batch->wish[i / contexts].guess));
    double whole = took > process_seconds ? took - process_seconds : 0;
    if (part <= 0 || batch->seconds <= 0 || whole <= 0)
        return;
    double ratio = whole / batch->seconds / part * (build->dearness > 0 ? build->dearness : 1);
    build->dearness = fmax(0.05, fmin(20, ratio));
}

enum kt_status kt_batch_run(struct kt_batch *batch, struct kt_build *build, double seconds, struct kt_error *error)
{
    const struct kt_timing_rules rules = {
        .rounds = build->rules->rounds, .processes = build->rules->processes, .seconds = seconds};
    add_all_anchors(batch, build);
    struct kt_timing_call *call = kt_resize(NULL, batch->wishes, sizeof *call);
    struct kt_timed *timed = kt_resize(NULL, batch->wishes * build->rules->contexts, sizeof *timed);
    double start = kt_now();
    make_calls(batch, build, call, timed);
    enum kt_status status = kt_timing_run(build->timing, call, batch->wishes, &rules, error);
    double took = kt_now() - start;
    build->spent += took;
    if (status == KT_OK)
        keep_points(batch, build, call, took);
    if (status == KT_OK)
        learn_cost(batch, build, timed, took);
    free(timed);
    free(call);
    return status;
}
