/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/advise/trials.h"

#include "replay/setup/forge.h"
#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/base/stats.h"

#include <math.h>
#include <string.h>

/* Lanes: for each context the recorded call and the other one. */
enum { RECORDED = KT_RECORDED_FORM, OTHER = KT_OTHER_FORM, FORMS = KT_FORMS };
enum { WARM, COLD, TRACKED, CONTEXTS };
enum { LEAST_TRIED = 40, ROUNDS_OF_PROCESS = 4 };

static const struct kt_context *context_of(size_t lane)
{
    static const char *const name[] = {"warm", "cold", "tracked"};
    return kt_context_find(name[lane / FORMS]);
}

/* --- the program ------------------------------------------------------------------------------------------- */

enum kt_status kt_trials_library(const struct kt_replay_options *options, const struct kt_trace *trace,
                                 struct kt_library *out, struct kt_error *error)
{
    if (options->libraries) {
        KT_TRY(kt_library_find(options->blas[0], out, error));
        KT_TRY(kt_library_add_recorded_lapack(out, trace, error));
        out->threads = kt_library_threads_recorded(trace);
    } else
        KT_TRY(kt_library_recorded(trace, out, error));
    if (options->threads)
        out->threads = options->threads;
    return KT_OK;
}

double kt_trials_program(const struct kt_trace *trace)
{
    double seconds = 0;
    for (size_t i = 0; i < trace->processes; i++)
        seconds += trace->process[i].seconds;
    return seconds;
}

/* --- the calls --------------------------------------------------------------------------------------------- */

/* Operands of the other call that are operands of the recorded one were where these were; others are near. */
static void place(const struct kt_operand *from, int froms, const struct kt_placements_of_shape *placed,
                  const struct kt_operand *to, int tos, struct kt_placements_of_shape *out)
{
    *out = *placed;
    for (unsigned p = 0; p < placed->count; p++)
        for (int i = 0; i < tos; i++) {
            int same = 0;
            while (same < froms && from[same].base != to[i].base)
                same++;
            float *share = out->placement[p].share[i];
            memset(share, 0, sizeof out->placement[p].share[i]);
            share[0] = 1;
            if (same < froms)
                memcpy(share, placed->placement[p].share[same], sizeof out->placement[p].share[i]);
        }
}

static void find_placements(const struct kt_trials *t, size_t i, const struct kt_placements_of_shape *placed)
{
    struct kt_operand from[KT_MAX_OPERANDS];
    struct kt_operand to[KT_MAX_OPERANDS];
    struct kt_values values;
    const struct kt_proposal *c = &t->candidate[i];
    const struct kt_entry *entry = c->shape->first.entry;
    t->placed[FORMS * i + RECORDED] = t->placed[FORMS * i + OTHER] = *placed;
    if (!c->to.routine)
        return;
    kt_values_decode(&entry->symbol, c->shape->usual.args, &values);
    int froms = kt_operands(&entry->symbol, &values, entry->int_bytes, from);
    int tos = kt_operands(&t->entry[i].symbol, &c->to.values, entry->int_bytes, to);
    place(from, froms, placed, to, tos, &t->placed[FORMS * i + OTHER]);
}

/* Operands that are stored otherwise would meet where they lay. */
static void move_apart(const struct kt_routine *routine, struct kt_values *values)
{
    for (int i = 0; i < routine->args; i++)
        if (routine->arg[i].role == KT_ARRAY)
            values->address[i] = ((uint64_t)(i + 1) << 40) + values->address[i] % KT_ARENA_PAGE;
}

/* Under a name of the recorded one's family, in column-major terms. */
static void make_other_call(struct kt_trials *t, size_t i)
{
    const struct kt_proposal *c = &t->candidate[i];
    struct kt_values values = c->to.values;
    kt_candidate_symbol(c, &t->entry[i].symbol);
    if (c->rule->moves)
        move_apart(c->to.routine, &values);
    t->args[i] = kt_resize(NULL, t->entry[i].symbol.arg_bytes, 1);
    kt_forge_encode(&t->entry[i].symbol, &values, t->args[i]);
}

static void copy_call(struct kt_trials *t, size_t i)
{
    t->args[i] = kt_copy_of_array(t->candidate[i].args, t->entry[i].symbol.arg_bytes, 1);
}

static void make_calls(struct kt_trials *t, size_t i)
{
    const struct kt_proposal *c = &t->candidate[i];
    struct kt_shape_group *other = &t->shape[FORMS * i + OTHER];
    t->entry[i] = *c->shape->first.entry;
    if (c->to.routine)
        make_other_call(t, i);
    else
        copy_call(t, i);
    if (c->batch.batch) {
        t->batch[FORMS * i + RECORDED] = (struct kt_call_batch_form){c->batch.batch, 1};
        t->batch[FORMS * i + OTHER] = c->batch;
    } else if (t->setup->placed && t->setup->placed[c->number].count)
        find_placements(t, i, &t->setup->placed[c->number]);
    t->shape[FORMS * i + RECORDED] = *c->shape;
    *other = *c->shape;
    other->failed = 0;
    other->first.entry = other->usual.entry = &t->entry[i];
    other->first.args = other->usual.args = t->args[i];
}

/* --- timing ------------------------------------------------------------------------------------------------ */

static bool visit(void *context, size_t item, size_t lane)
{
    struct kt_trials *t = context;
    size_t job = FORMS * item + lane % FORMS;
    double seconds[KT_VISIT_SAMPLES];
    size_t count = 0;
    size_t where = t->places > 1 ? lane % FORMS : 0;
    struct kt_worker *worker = &t->worker[where];
    t->tried[item].failure = t->jobs[where].job[job].refused;
    if (t->tried[item].failure || t->error->status != KT_OK)
        return false;
    if (kt_worker_time(worker, job, context_of(lane), seconds, &count, t->error) != KT_OK)
        return false;
    if (count == 0) {
        t->tried[item].failure = worker->failure[job];
        return kt_interrupted();
    }
    kt_worker_keep(worker, t->schedule.rounds, seconds, count, &t->schedule.item[item].lane[lane]);
    return true;
}

/* A ratio must not rest on the pages of one process, and two processes differ by up to a percent for as long as they
 * live: where forms are apart all of them are new in each round. */
static void begin_round(void *context)
{
    struct kt_trials *t = context;
    for (size_t w = 0; w < t->places; w++)
        if (t->places > 1 || t->schedule.rounds % ROUNDS_OF_PROCESS == 0)
            kt_worker_renew(&t->worker[w]);
}

static void make_schedule(struct kt_trials *t, const char *label)
{
    kt_schedule_make(t->count, (size_t)CONTEXTS * FORMS, &t->schedule);
    for (size_t i = 0; i < t->count; i++) {
        struct kt_item *item = &t->schedule.item[i];
        bool tracked = t->jobs[0].job[FORMS * i].placed != NULL;
        item->weight = t->candidate[i].seconds;
        item->best = KT_BEST_MEDIAN;
        for (size_t lane = 0; lane < t->schedule.lanes; lane++)
            item->lane[lane].absent = (lane / FORMS == TRACKED) != tracked;
    }
    t->schedule.least = t->count < LEAST_TRIED ? t->count : LEAST_TRIED;
    t->schedule.label = label;
    t->schedule.visit = visit;
    t->schedule.begin_round = begin_round;
    t->schedule.context = t;
}

static void open_workers(struct kt_trials *t, struct kt_trials_where *where)
{
    t->places = where->apart ? FORMS : 1;
    for (size_t w = 0; w < t->places; w++) {
        struct kt_jobs_rules rules = {
            .limit = kt_pages_limit(), .placed = t->placed, .batch = t->batch, .layout = where->layout[w]};
        kt_jobs_make(&t->shapes, &rules, &t->jobs[w]);
        kt_worker_prepare(&where->library[w], &t->jobs[w], &t->setup->hierarchy, &t->worker[w]);
        t->worker[w].rests = t->worker[w].short_lived = where->apart;
    }
}

void kt_trials_open(const struct kt_setup *setup, const struct kt_proposal *candidate, size_t count,
                    struct kt_trials_where *where, struct kt_trials *t)
{
    *t = (struct kt_trials){.setup = setup, .candidate = candidate, .count = count};
    t->tried = kt_resize(NULL, count, sizeof *t->tried);
    t->shape = kt_resize(NULL, FORMS * count, sizeof *t->shape);
    t->placed = kt_resize(NULL, FORMS * count, sizeof *t->placed);
    t->batch = kt_zeros(FORMS * count, sizeof *t->batch);
    t->entry = kt_resize(NULL, count, sizeof *t->entry);
    t->args = kt_resize(NULL, count, sizeof *t->args);
    memset(t->placed, 0, FORMS * count * sizeof *t->placed);
    for (size_t i = 0; i < count; i++) {
        t->tried[i] = (struct kt_tried){.recorded = NAN, .other = NAN, .place = NAN, .ratio = {NAN, NAN, NAN, 0}};
        make_calls(t, i);
    }
    t->shapes = (struct kt_shapes){.shape = t->shape, .count = FORMS * count, .processor = setup->shapes.processor};
    open_workers(t, where);
    make_schedule(t, where->label);
}

/* --- pairs ------------------------------------------------------------------------------------------------- */

/* The visit of a series in that round; NAN: there is none. */
static double visit_in(const struct kt_series *series, unsigned round)
{
    for (size_t i = 0; i < series->visits; i++)
        if (series->round[i] == round)
            return series->visit[i];
    return NAN;
}

static double median_of(const struct kt_series *series)
{
    return kt_series_visits(series).median;
}

/* Between cache and memory, as the program's calls were. */
static double find_place(const struct kt_trials *t, size_t i)
{
    const struct kt_series *lane = t->schedule.item[i].lane;
    double index = kt_context_index(t->jobs[0].job[FORMS * i].insitu.median, median_of(&lane[FORMS * WARM]),
                                    median_of(&lane[FORMS * COLD]));
    static const double unknown = 0.5;
    return isnan(index) ? unknown : fmin(1, fmax(0, index));
}

static double time_in(const struct kt_series *lane, double place, int form, unsigned round)
{
    if (isnan(place))
        return visit_in(&lane[FORMS * TRACKED + form], round);
    double warm = visit_in(&lane[FORMS * WARM + form], round);
    return warm + place * (visit_in(&lane[FORMS * COLD + form], round) - warm);
}

static double median_seconds(const double *seconds, size_t count)
{
    double *copy = kt_copy_of_array(seconds, count, sizeof *copy);
    double median = kt_stat_of(copy, count, KT_BEST_MEDIAN).median;
    free(copy);
    return median;
}

static void find_pairs(struct kt_trials *t, size_t i)
{
    struct kt_tried *tried = &t->tried[i];
    const struct kt_series *lane = t->schedule.item[i].lane;
    size_t most = t->schedule.rounds + 1;
    tried->time = kt_resize(NULL, most, sizeof *tried->time);
    tried->base = kt_resize(NULL, most, sizeof *tried->base);
    tried->round = kt_resize(NULL, most, sizeof *tried->round);
    tried->place = lane[FORMS * TRACKED].absent ? find_place(t, i) : NAN;
    for (unsigned round = 0; round < most; round++) {
        double time = time_in(lane, tried->place, OTHER, round);
        double base = t->candidate[i].each * time_in(lane, tried->place, RECORDED, round);
        if (!(time > 0) || !(base > 0))
            continue;
        tried->time[tried->pairs] = time;
        tried->base[tried->pairs] = base;
        tried->round[tried->pairs++] = round;
    }
    struct kt_pairs pairs = kt_trials_pairs(t, i);
    tried->ratio = kt_ratio_of(&pairs);
    tried->recorded = median_seconds(tried->base, tried->pairs);
    tried->other = median_seconds(tried->time, tried->pairs);
}

struct kt_pairs kt_trials_pairs(const struct kt_trials *t, size_t i)
{
    const struct kt_tried *tried = &t->tried[i];
    return (struct kt_pairs){tried->time, tried->base, tried->round, tried->pairs, t->candidate[i].seconds, 0};
}

enum kt_status kt_trials_run(struct kt_trials *t, double budget, struct kt_error *error)
{
    t->error = error;
    t->schedule.budget = budget;
    t->schedule.spread = budget / 2;
    if (t->count == 0)
        return KT_OK;
    for (size_t w = 0; w < t->places; w++)
        KT_TRY(kt_worker_start(&t->worker[w], error));
    kt_schedule_run(&t->schedule);
    for (size_t i = 0; i < t->count; i++)
        if (!t->tried[i].failure)
            find_pairs(t, i);
    return error->status;
}

void kt_trials_close(struct kt_trials *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free(t->tried[i].time);
        free(t->tried[i].base);
        free(t->tried[i].round);
        free(t->args[i]);
    }
    kt_schedule_free(&t->schedule);
    for (size_t w = 0; w < t->places; w++) {
        kt_worker_close(&t->worker[w]);
        kt_jobs_free(&t->jobs[w]);
    }
    free(t->tried);
    free(t->shape);
    free(t->placed);
    free(t->batch);
    free(t->entry);
    free(t->args);
    *t = (struct kt_trials){0};
}
