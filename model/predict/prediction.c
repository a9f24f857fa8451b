/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/predict/prediction.h"

#include "model/tracker/tracker.h"
#include "trace/base/memory.h"

#include <math.h>

struct kt_predictor {
    struct kt_prediction_rules rules;
    struct kt_tracker *tracker;
    struct kt_prediction sum;
    uint32_t *slot; /* hash table of the rows: index + 1, 0: free; owned */
    size_t slots;   /* a power of two */
    size_t last;    /* the row that was found last */
};

/* --- where operands are, and what that means --------------------------------------------------------------- */

void kt_level_weights(const struct kt_operand *operand, int operands, const float (*share)[KT_MAX_CACHES + 1],
                      unsigned levels, double weight[KT_MAX_CACHES + 1])
{
    double all = 0;
    for (unsigned level = 0; level <= levels; level++)
        weight[level] = 0;
    for (int i = 0; i < operands; i++) {
        double bytes = (double)operand[i].elements * (double)operand[i].elem;
        all += bytes;
        for (unsigned level = 0; level <= levels; level++)
            weight[level] += bytes * (double)share[i][level];
    }
    for (unsigned level = 0; level <= levels && all > 0; level++)
        weight[level] /= all;
    if (all == 0)
        weight[0] = 1;
}

static void add_part(struct kt_cost *sum, const struct kt_cost *cost, double weight)
{
    sum->seconds += weight * cost->seconds;
    sum->lo += weight * cost->lo;
    sum->hi += weight * cost->hi;
}

static struct kt_cost between(const struct kt_costs *costs, double warm)
{
    struct kt_cost sum = {0};
    add_part(&sum, &costs->warm, warm);
    add_part(&sum, &costs->cold, 1 - warm);
    return sum;
}

/* How much of the way from the first level to memory it is to this one. */
static double remoteness(const struct kt_prediction_rules *rules, unsigned level)
{
    unsigned memory = rules->caches.count;
    double first = rules->latency[0];
    double last = rules->latency[memory];
    if (level == memory)
        return 1;
    if (!(first > 0) || !(last > first) || !(rules->latency[level] > 0))
        return 0;
    return fmin(1, (rules->latency[level] - first) / (last - first));
}

double kt_warm_remoteness(const struct kt_prediction_rules *rules, const struct kt_operand *operand, int operands)
{
    double bytes = 0;
    double nearer = 0;
    double sum = 0;
    for (int i = 0; i < operands; i++)
        bytes += (double)operand[i].elements * (double)operand[i].elem;
    for (unsigned level = 0; level < rules->caches.count; level++) {
        double share = fmax(nearer, kt_cached_share((uint64_t)bytes, rules->caches.cache[level].bytes));
        sum += (share - nearer) * remoteness(rules, level);
        nearer = share;
    }
    return sum + 1 - nearer;
}

/* Of what is so far away on average, where WARM is as far as what was timed warm. */
static double part_warm(double remote, double warm)
{
    return remote <= warm || warm >= 1 ? 1 : fmax(0, (1 - remote) / (1 - warm));
}

struct kt_cost kt_combine(const struct kt_prediction_rules *rules, const struct kt_costs *costs,
                          const double weight[KT_MAX_CACHES + 1], double warm)
{
    struct kt_cost sum = {0};
    double remote = 0;
    double others = 0; /* weight of levels without models of their own */
    if (rules->combination == KT_BY_PAPER)
        return between(costs, 1 - weight[rules->caches.count]);
    for (unsigned level = 0; level <= rules->caches.count; level++)
        if (level < rules->caches.count && !isnan(costs->level[level].seconds))
            add_part(&sum, &costs->level[level], weight[level]);
        else {
            others += weight[level];
            remote += weight[level] * remoteness(rules, level);
        }
    if (others > 0) {
        struct kt_cost there = between(costs, part_warm(remote / others, warm));
        add_part(&sum, &there, others);
    }
    return sum;
}

/* --- rows -------------------------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct kt_symbol *symbol, const double *v, bool row_major)
{
    uint64_t hash = row_major;
    for (const char *c = symbol->name; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    for (int i = 0; i < symbol->routine->args; i++) {
        uint64_t word;
        memcpy(&word, &v[i], sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Each process has a table of its own. */
static bool is_same_symbol(const struct kt_symbol *a, const struct kt_symbol *b)
{
    return a == b || (a->view == b->view && a->routine->args == b->routine->args && !strcmp(a->name, b->name) &&
                      !strcmp(a->routine->name, b->routine->name));
}

static bool is_same(const struct kt_predicted_calls *row, const struct kt_symbol *symbol,
                    const struct kt_values *values)
{
    size_t bytes = (size_t)symbol->routine->args * sizeof *values->v;
    return is_same_symbol(row->symbol, symbol) && row->row_major == values->row_major &&
           !memcmp(row->v, values->v, bytes) && !memcmp(row->v + symbol->routine->args, values->imaginary, bytes);
}

static void put_in_slot(struct kt_predictor *p, size_t row)
{
    const struct kt_predicted_calls *added = &p->sum.row[row];
    size_t at = hash_of(added->symbol, added->v, added->row_major) & (p->slots - 1);
    while (p->slot[at])
        at = (at + 1) & (p->slots - 1);
    p->slot[at] = (uint32_t)row + 1;
}

static void grow_table(struct kt_predictor *p)
{
    p->slots = p->slots ? 2 * p->slots : 1024;
    p->slot = kt_resize(p->slot, p->slots, sizeof *p->slot);
    memset(p->slot, 0, p->slots * sizeof *p->slot);
    for (size_t i = 0; i < p->sum.rows; i++)
        put_in_slot(p, i);
}

static struct kt_predicted_calls *add_row(struct kt_predictor *p, const struct kt_symbol *symbol,
                                          const struct kt_values *values)
{
    if (2 * p->sum.rows >= p->slots)
        grow_table(p);
    p->sum.row = kt_room_for_one(p->sum.row, p->sum.rows, sizeof *p->sum.row);
    struct kt_predicted_calls *row = &p->sum.row[p->sum.rows];
    size_t args = (size_t)symbol->routine->args;
    *row = (struct kt_predicted_calls){.symbol = symbol, .row_major = values->row_major};
    row->v = kt_resize(NULL, 3 * args, sizeof *row->v);
    memcpy(row->v, values->v, args * sizeof *row->v);
    memcpy(row->v + args, values->imaginary, args * sizeof *row->v);
    for (size_t i = 0; i < args; i++)
        row->v[2 * args + i] = (double)values->address[i];
    put_in_slot(p, p->sum.rows++);
    p->rules.source(p->rules.context, symbol, values, &row->costs);
    return row;
}

void kt_predicted_values(const struct kt_predicted_calls *row, struct kt_values *out)
{
    size_t args = (size_t)row->symbol->routine->args;
    *out = (struct kt_values){.row_major = row->row_major};
    memcpy(out->v, row->v, args * sizeof *row->v);
    memcpy(out->imaginary, row->v + args, args * sizeof *row->v);
    for (size_t i = 0; i < args; i++)
        out->address[i] = (uint64_t)row->v[2 * args + i];
}

static struct kt_predicted_calls *row_of(struct kt_predictor *p, const struct kt_symbol *symbol,
                                         const struct kt_values *values)
{
    if (p->last < p->sum.rows && is_same(&p->sum.row[p->last], symbol, values))
        return &p->sum.row[p->last];
    size_t at = p->slots ? hash_of(symbol, values->v, values->row_major) & (p->slots - 1) : 0;
    for (; p->slots && p->slot[at]; at = (at + 1) & (p->slots - 1)) {
        p->last = p->slot[at] - 1;
        if (is_same(&p->sum.row[p->last], symbol, values))
            return &p->sum.row[p->last];
    }
    p->last = p->sum.rows;
    return add_row(p, symbol, values);
}

/* --- the sequence ------------------------------------------------------------------------------------------ */

struct kt_predictor *kt_predictor_new(const struct kt_prediction_rules *rules)
{
    struct kt_predictor *p = kt_resize(NULL, 1, sizeof *p);
    *p = (struct kt_predictor){.rules = *rules};
    kt_predictor_begin_process(p);
    return p;
}

void kt_predictor_begin_process(struct kt_predictor *p)
{
    if (p->tracker)
        kt_tracker_free(p->tracker);
    p->tracker = kt_tracker_new(&p->rules.caches);
}

void kt_predictor_touch(struct kt_predictor *p, const struct kt_operand *operand, int operands)
{
    kt_shares share;
    kt_tracker_call(p->tracker, 0, operand, operands, share);
}

void kt_predictor_call(struct kt_predictor *p, const struct kt_symbol *symbol, const struct kt_values *values,
                       const struct kt_operand *operand, int operands, unsigned cpu, double measured)
{
    kt_shares share;
    double weight[KT_MAX_CACHES + 1];
    struct kt_predicted_calls *row = row_of(p, symbol, values);
    if (!kt_tracker_call(p->tracker, cpu, operand, operands, share))
        memset(share, 0, sizeof share);
    kt_level_weights(operand, operands, (const float(*)[KT_MAX_CACHES + 1]) share, p->rules.caches.count, weight);
    if (!row->calls)
        row->warm_remoteness = kt_warm_remoteness(&p->rules, operand, operands);
    struct kt_cost cost = kt_combine(&p->rules, &row->costs, weight, row->warm_remoteness);
    row->calls++;
    row->cached += 1 - weight[p->rules.caches.count];
    row->measured += measured;
    add_part(&row->cost, &cost, 1);
}

/* --- sums -------------------------------------------------------------------------------------------------- */

static bool is_predicted(const struct kt_predicted_calls *row)
{
    return row->costs.known <= KT_COST_EXTRAPOLATED && !isnan(row->cost.seconds);
}

static int compare_rows(const void *a, const void *b)
{
    const struct kt_predicted_calls *x = a;
    const struct kt_predicted_calls *y = b;
    int known = is_predicted(y) - is_predicted(x);
    if (known)
        return known;
    double one = is_predicted(x) ? x->cost.seconds : x->measured;
    double two = is_predicted(y) ? y->cost.seconds : y->measured;
    return (one < two) - (one > two);
}

/* By a context in which next to nothing of its operands is nobody is misled. */
static void judge_row(struct kt_predicted_calls *row)
{
    static const double least_part = 0.05;
    const struct kt_costs *costs = &row->costs;
    double warm = row->cached / (double)row->calls;
    row->known = costs->known;
    row->outside = costs->known >= KT_COST_TOO_FAR ? NAN : 0;
    if (costs->known >= KT_COST_TOO_FAR)
        return;
    if (warm > least_part && costs->known_warm > row->known)
        row->known = costs->known_warm;
    if (1 - warm > least_part && costs->known_cold > row->known)
        row->known = costs->known_cold;
    if (warm > least_part)
        row->outside = fmax(row->outside, costs->outside_warm);
    if (1 - warm > least_part)
        row->outside = fmax(row->outside, costs->outside_cold);
}

static void add_row_to_sum(struct kt_prediction *sum, const struct kt_predicted_calls *row)
{
    bool predicted = is_predicted(row);
    sum->calls += row->calls;
    sum->measured += row->measured;
    sum->unknown += predicted ? 0 : row->calls;
    if (!predicted)
        return;
    sum->covered += row->measured;
    sum->extrapolated += row->known == KT_COST_EXTRAPOLATED ? row->calls : 0;
    sum->worst_outside = fmax(sum->worst_outside, row->outside);
    sum->cost.seconds += row->cost.seconds;
    sum->warm += (double)row->calls * row->costs.warm.seconds;
    sum->cold += (double)row->calls * row->costs.cold.seconds;
}

/* How far off the sum may be because of the models of one routine. */
struct routine_error {
    const struct kt_routine *routine;
    double below, above;
};

static struct routine_error *error_of(struct routine_error **errors, size_t *count, const struct kt_routine *routine)
{
    for (size_t i = 0; i < *count; i++)
        if (!strcmp((*errors)[i].routine->name, routine->name))
            return &(*errors)[i];
    *errors = kt_room_for_one(*errors, *count, sizeof **errors);
    (*errors)[*count] = (struct routine_error){.routine = routine};
    return &(*errors)[(*count)++];
}

static void set_interval(struct kt_prediction *sum)
{
    struct routine_error *error = NULL;
    size_t errors = 0;
    double below = 0;
    double above = 0;
    for (size_t i = 0; i < sum->rows && is_predicted(&sum->row[i]); i++) {
        const struct kt_cost *cost = &sum->row[i].cost;
        struct routine_error *e = error_of(&error, &errors, sum->row[i].symbol->routine);
        e->below += cost->seconds - cost->lo;
        e->above += cost->hi - cost->seconds;
    }
    for (size_t i = 0; i < errors; i++) {
        below += error[i].below * error[i].below;
        above += error[i].above * error[i].above;
    }
    sum->cost.lo = sum->cost.seconds - sqrt(below);
    sum->cost.hi = sum->cost.seconds + sqrt(above);
    free(error);
}

void kt_predictor_finish(struct kt_predictor *p, struct kt_prediction *out)
{
    struct kt_prediction *sum = &p->sum;
    if (sum->rows)
        qsort(sum->row, sum->rows, sizeof *sum->row, compare_rows);
    for (size_t i = 0; i < sum->rows; i++) {
        judge_row(&sum->row[i]);
        add_row_to_sum(sum, &sum->row[i]);
    }
    if (sum->calls && sum->unknown == sum->calls)
        sum->cost.seconds = sum->warm = sum->cold = NAN;
    set_interval(sum);
    *out = *sum;
    kt_tracker_free(p->tracker);
    free(p->slot);
    free(p);
}

void kt_prediction_free(struct kt_prediction *prediction)
{
    for (size_t i = 0; i < prediction->rows; i++)
        free(prediction->row[i].v);
    free(prediction->row);
    *prediction = (struct kt_prediction){0};
}
