/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/tracker/placements.h"

#include "model/tracker/timeline.h"
#include "model/tracker/tracker.h"
#include "trace/base/memory.h"

#include <math.h>

/* Placements that differ in less than this part of the lines are one. */
static const double same_place = 0.05;

/* Of all calls of a shape; the operands are those of its first call. */
struct pattern {
    struct kt_operand *operand; /* owned */
    float *part;                /* of the lines that all operands have together; owned */
    const struct kt_param **param;
    int operands;
};

struct placing {
    const struct kt_shapes *shapes;
    const struct kt_caches *caches;
    struct kt_collection *collection;
    struct pattern *pattern; /* of each shape; owned */
    struct kt_placements_of_shape *out;
};

/* --- operands of a call ------------------------------------------------------------------------------------ */

static void find_params(const struct kt_symbol *symbol, struct pattern *out)
{
    int count = 0;
    out->param = kt_resize(NULL, (size_t)out->operands, sizeof *out->param);
    for (int i = 0; i < symbol->params && count < out->operands; i++)
        if (symbol->param[i].stored == KT_ADDRESS)
            out->param[count++] = &symbol->param[i];
}

static void weigh_operands(struct pattern *out)
{
    double all = 0;
    out->part = kt_resize(NULL, (size_t)out->operands, sizeof *out->part);
    for (int i = 0; i < out->operands; i++) {
        out->part[i] = kt_lines_are_sane(&out->operand[i]) ? (float)kt_lines_of(&out->operand[i], 6) : 0;
        all += (double)out->part[i];
    }
    for (int i = 0; i < out->operands && all > 0; i++)
        out->part[i] = (float)((double)out->part[i] / all);
}

static void make_pattern(const struct kt_call *first, struct pattern *out)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    kt_values_decode(&first->entry->symbol, first->args, &values);
    out->operands = kt_operands(&first->entry->symbol, &values, first->entry->int_bytes, operand);
    out->operand = kt_resize(NULL, (size_t)out->operands, sizeof *out->operand);
    memcpy(out->operand, operand, (size_t)out->operands * sizeof *operand);
    find_params(&first->entry->symbol, out);
    weigh_operands(out);
}

/* Puts the operands where the call has them. */
static void move_operands(struct pattern *pattern, const struct kt_call *call)
{
    for (int i = 0; i < pattern->operands; i++) {
        struct kt_operand *o = &pattern->operand[i];
        uint64_t shift = kt_stored_address(call->args, pattern->param[i]) - o->base;
        o->base += shift;
        o->lo += shift;
        o->hi += shift;
    }
}

static void free_patterns(struct placing *p)
{
    for (size_t i = 0; i < p->shapes->count; i++) {
        free(p->pattern[i].operand);
        free(p->pattern[i].part);
        free(p->pattern[i].param);
    }
    free(p->pattern);
}

/* --- placements of a shape --------------------------------------------------------------------------------- */

/* The part of the lines that lie elsewhere. */
static double difference(const struct placing *p, const struct pattern *pattern, const kt_shares a, const kt_shares b)
{
    double sum = 0;
    for (int i = 0; i < pattern->operands; i++)
        for (unsigned level = 0; level <= p->caches->count; level++)
            sum += (double)pattern->part[i] * fabs((double)(a[i][level] - b[i][level]));
    return sum / 2;
}

/* Moves the placement to the mean of both. */
static void add_to(const struct placing *p, const struct pattern *pattern, struct kt_placement *placement,
                   const kt_shares share, double weight)
{
    placement->weight += weight;
    float part = (float)(weight / placement->weight);
    for (int i = 0; i < pattern->operands; i++)
        for (unsigned level = 0; level <= p->caches->count; level++)
            placement->share[i][level] += part * (share[i][level] - placement->share[i][level]);
}

static struct kt_placement *nearest(const struct placing *p, const struct pattern *pattern,
                                    struct kt_placements_of_shape *of, const kt_shares share, double *distance)
{
    struct kt_placement *found = NULL;
    for (unsigned i = 0; i < of->count; i++) {
        double d = difference(p, pattern, of->placement[i].share, share);
        if (found && d >= *distance)
            continue;
        found = &of->placement[i];
        *distance = d;
    }
    return found;
}

/* What making them one would cost: the distance that their calls move, squared. */
static double union_cost(const struct placing *p, const struct pattern *pattern, const struct kt_placement *a,
                         const struct kt_placement *b)
{
    double d = difference(p, pattern, a->share, b->share);
    return d * d * a->weight * b->weight / (a->weight + b->weight);
}

/* Leaves room for one more among the COUNT placements: unites two of them. */
static void unite_two(const struct placing *p, const struct pattern *pattern, struct kt_placement *placement,
                      unsigned count)
{
    unsigned one = 0;
    unsigned two = 1;
    double least = INFINITY;
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = i + 1; j < count; j++) {
            double cost = union_cost(p, pattern, &placement[i], &placement[j]);
            if (cost >= least)
                continue;
            least = cost;
            one = i;
            two = j;
        }
    add_to(p, pattern, &placement[one], (const float(*)[KT_MAX_CACHES + 1]) placement[two].share,
           placement[two].weight);
    placement[two] = placement[count - 1];
}

static void add_placement(const struct placing *p, const struct pattern *pattern, struct kt_placements_of_shape *of,
                          const kt_shares share)
{
    struct kt_placement all[KT_MOST_PLACEMENTS + 1];
    double distance = 0;
    struct kt_placement *near = nearest(p, pattern, of, share, &distance);
    if (near && distance < same_place) {
        add_to(p, pattern, near, share, 1);
        return;
    }
    memcpy(all, of->placement, of->count * sizeof *all);
    all[of->count] = (struct kt_placement){.weight = 1};
    memcpy(all[of->count].share, share, (size_t)pattern->operands * sizeof *share);
    if (of->count == KT_MOST_PLACEMENTS)
        unite_two(p, pattern, all, KT_MOST_PLACEMENTS + 1);
    else
        of->count++;
    memcpy(of->placement, all, of->count * sizeof *all);
}

static int compare_weights(const void *a, const void *b)
{
    const struct kt_placement *x = a;
    const struct kt_placement *y = b;
    return (x->weight < y->weight) - (x->weight > y->weight);
}

/* From numbers of calls to shares. */
static void finish_shape(struct kt_placements_of_shape *of)
{
    double calls = 0;
    for (unsigned i = 0; i < of->count; i++)
        calls += of->placement[i].weight;
    for (unsigned i = 0; i < of->count; i++)
        of->placement[i].weight /= calls;
    if (of->count)
        qsort(of->placement, of->count, sizeof *of->placement, compare_weights);
}

/* A call among leaves whose inside is not in the trace: what it touched is known as far as its own operands are. */
static void touch(struct kt_tracker *tracker, const struct kt_call *call)
{
    kt_shares share;
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    kt_values_decode(&call->entry->symbol, call->args, &values);
    int operands = kt_operands(&call->entry->symbol, &values, call->entry->int_bytes, operand);
    kt_tracker_call(tracker, call->cpu, operand, operands, share);
}

/* --- the walk ---------------------------------------------------------------------------------------------- */

static void place_call(struct placing *p, struct kt_tracker *tracker, const struct kt_call *call)
{
    kt_shares share;
    size_t number = kt_collection_number(p->collection, call);
    if (number >= p->shapes->count)
        return;
    struct pattern *pattern = &p->pattern[number];
    if (!pattern->operand)
        make_pattern(&p->shapes->shape[number].first, pattern);
    move_operands(pattern, call);
    if (kt_tracker_call(tracker, call->cpu, pattern->operand, pattern->operands, share))
        add_placement(p, pattern, &p->out[number], (const float(*)[KT_MAX_CACHES + 1]) share);
}

static void place_process(struct placing *p, const struct kt_trace *trace, size_t process, enum kt_level level)
{
    struct kt_tracker *tracker = kt_tracker_new(p->caches);
    struct kt_timeline *timeline = kt_timeline_new(trace, process, level);
    const struct kt_call *call;
    while ((call = kt_timeline_next(timeline)))
        if (level == KT_LEAVES && call->passed)
            touch(tracker, call);
        else
            place_call(p, tracker, call);
    kt_timeline_free(timeline);
    kt_tracker_free(tracker);
}

enum kt_status kt_placements_of_trace(const struct kt_trace *trace, enum kt_level level, const struct kt_shapes *shapes,
                                      const struct kt_caches *caches, struct kt_placements_of_shape *out,
                                      struct kt_error *error)
{
    struct placing p = {.shapes = shapes, .caches = caches, .out = out};
    struct kt_shapes collected;
    if (caches->count == 0 || caches->count > KT_MAX_CACHES || caches->line == 0)
        return kt_fail(error, KT_BAD_INPUT,
                       "where operands were is not known, because the sizes of the caches are not known");
    p.pattern = kt_zeros(shapes->count, sizeof *p.pattern);
    memset(out, 0, shapes->count * sizeof *out);
    p.collection = kt_collection_of(trace, shapes);
    for (size_t process = 0; process < trace->processes; process++)
        place_process(&p, trace, process, level);
    for (size_t i = 0; i < shapes->count; i++)
        finish_shape(&out[i]);
    kt_collection_finish(p.collection, &collected);
    kt_shapes_free(&collected);
    free_patterns(&p);
    return KT_OK;
}
