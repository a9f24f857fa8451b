/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/summary/paces.h"

#include "trace/base/memory.h"
#include "trace/read/profile.h"

#include <math.h>

/* --- spreads ----------------------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the two values that it lies between, in proportion. */
static double quantile(const double *sorted, size_t count, double part)
{
    double at = part * (double)(count - 1);
    size_t below = (size_t)at;
    size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

/* VALUE is sorted in place; NAN in it does not count. */
static struct kt_quartiles quartiles_of(double *value, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(value[i]))
            value[n++] = value[i];
    if (n == 0)
        return (struct kt_quartiles){NAN, NAN, NAN, NAN, NAN, 0};
    qsort(value, n, sizeof *value, compare_numbers);
    return (struct kt_quartiles){
        value[0], quantile(value, n, 0.25), quantile(value, n, 0.5), quantile(value, n, 0.75), value[n - 1], n};
}

static bool is_slow(const struct kt_quartiles *all, double pace)
{
    return all->count >= KT_PACE_LEAST && pace >= KT_PACE_SLOW * all->median &&
           pace > all->q3 + 3 * (all->q3 - all->q1);
}

/* --- the walk ---------------------------------------------------------------------------------------------- */

struct walk {
    const struct kt_trace *trace;
    const struct kt_shapes *shapes;
    const struct kt_ranks *ranks;
    struct kt_collection *collection;
    struct kt_rank_pace *rank;
    double *spent, *expected; /* of each rank */
    size_t *last;             /* of each shape: the rank that was met with it last */
};

static uint64_t mix(uint64_t word)
{
    word = (word + 1) * 0x9e3779b97f4a7c15u;
    return word ^ word >> 29;
}

static void add(struct walk *w, const struct kt_call *call, uint64_t calls, double seconds)
{
    size_t rank = w->ranks->of[call->process - w->trace->process];
    size_t number = kt_collection_number(w->collection, call);
    if (number >= w->shapes->count)
        return;
    const struct kt_shape_group *shape = &w->shapes->shape[number];
    w->spent[rank] += isnan(seconds) ? kt_shape_call_seconds(shape, call) : seconds;
    w->expected[rank] += (double)calls * shape->total / (double)shape->calls;
    w->rank[rank].calls += calls;
    if (w->last[number] == rank)
        return;
    w->last[number] = rank;
    w->rank[rank].shapes++;
    w->rank[rank].made_of += mix(number);
}

static void walk_events(struct walk *w, size_t process)
{
    struct kt_cursor cursor;
    struct kt_call call;
    kt_cursor_begin_stream(w->trace, process, 0, &cursor);
    while (kt_cursor_next(&cursor, &call) && call.process == &w->trace->process[process])
        if (call.complete && call.depth == 0)
            add(w, &call, 1, NAN);
}

static void walk_profiles(struct walk *w, size_t process)
{
    struct kt_counts_cursor cursor;
    struct kt_counts counts;
    kt_counts_begin(w->trace, &cursor);
    cursor.process = process;
    while (kt_counts_next(&cursor, &counts) && counts.call.process == &w->trace->process[process])
        if (counts.call.args && counts.calls && counts.nesting == KT_NOT_NESTED)
            add(w, &counts.call, counts.calls, counts.seconds);
}

static void walk_process(struct walk *w, size_t process)
{
    const struct kt_process *p = &w->trace->process[process];
    if (p->events)
        walk_events(w, process);
    if (p->streams > p->events)
        walk_profiles(w, process);
}

struct process_of_rank {
    size_t rank, process;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct process_of_rank *x = a;
    const struct process_of_rank *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

/* The processes of a rank one after the other, so that it meets each shape once. */
static void walk_ranks(struct walk *w)
{
    size_t count = w->trace->processes;
    struct process_of_rank *order = kt_resize(NULL, count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = (struct process_of_rank){w->ranks->of[i], i};
    qsort(order, count, sizeof *order, compare_ranks);
    for (size_t i = 0; i < count && order[i].rank != KT_NO_RANK; i++)
        walk_process(w, order[i].process);
    free(order);
}

static void walk(const struct kt_trace *trace, const struct kt_shapes *shapes, const struct kt_ranks *ranks,
                 struct kt_rank_pace *rank)
{
    struct kt_shapes ignored;
    struct walk w = {.trace = trace, .shapes = shapes, .ranks = ranks, .rank = rank};
    w.collection = kt_collection_of(trace, shapes);
    w.spent = kt_zeros(ranks->count, sizeof *w.spent);
    w.expected = kt_zeros(ranks->count, sizeof *w.expected);
    w.last = kt_resize(NULL, shapes->count, sizeof *w.last);
    for (size_t i = 0; i < shapes->count; i++)
        w.last[i] = KT_NO_RANK;
    walk_ranks(&w);
    for (size_t i = 0; i < ranks->count; i++)
        rank[i].ratio = w.expected[i] > 0 ? w.spent[i] / w.expected[i] : NAN;
    kt_collection_finish(w.collection, &ignored);
    kt_shapes_free(&ignored);
    free(w.spent);
    free(w.expected);
    free(w.last);
}

/* --- nodes and groups -------------------------------------------------------------------------------------- */

/* A rank on its way to those that it belongs to. */
struct member {
    size_t rank;
    const char *host;
    uint64_t made_of;
};

static int compare_hosts(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;
    int order = strcmp(x->host, y->host);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_shapes(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;
    if (x->made_of != y->made_of)
        return x->made_of < y->made_of ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_nodes(const void *a, const void *b)
{
    const struct kt_node *x = a;
    const struct kt_node *y = b;
    if (x->pace.median != y->pace.median)
        return x->pace.median > y->pace.median || isnan(y->pace.median) ? -1 : 1;
    return strcmp(x->host, y->host);
}

static int compare_groups(const void *a, const void *b)
{
    const struct kt_rank_group *x = a;
    const struct kt_rank_group *y = b;
    if (x->ranks != y->ranks)
        return x->ranks > y->ranks ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static struct member *list_members(const struct kt_imbalance *imbalance, const struct kt_paces *paces)
{
    struct member *member = kt_resize(NULL, paces->ranks, sizeof *member);
    for (size_t i = 0; i < paces->ranks; i++) {
        const char *host = kt_meta(imbalance->ranks.rank[i].first, "host");
        member[i] = (struct member){i, host ? host : "", paces->rank[i].made_of};
    }
    return member;
}

static struct kt_node make_node(const struct kt_imbalance *imbalance, const struct kt_paces *paces,
                                const struct member *member, size_t count, double *value)
{
    struct kt_node node = {.host = member->host, .ranks = count};
    for (size_t i = 0; i < count; i++) {
        node.calls += imbalance->time[member[i].rank].calls;
        node.seconds_blas += imbalance->time[member[i].rank].seconds_blas;
        value[i] = paces->rank[member[i].rank].ratio;
    }
    node.pace = quartiles_of(value, count);
    return node;
}

static void find_nodes(const struct kt_imbalance *imbalance, struct kt_paces *out, struct member *member, double *value)
{
    qsort(member, out->ranks, sizeof *member, compare_hosts);
    for (size_t i = 0, end; i < out->ranks; i = end) {
        for (end = i + 1; end < out->ranks && !strcmp(member[i].host, member[end].host); end++)
            ;
        out->node = kt_room_for_one(out->node, out->nodes, sizeof *out->node);
        out->node[out->nodes++] = make_node(imbalance, out, &member[i], end - i, value);
    }
    qsort(out->node, out->nodes, sizeof *out->node, compare_nodes);
}

static struct kt_rank_group make_group(const struct kt_imbalance *imbalance, struct kt_paces *paces,
                                       const struct member *member, size_t count, double *value)
{
    struct kt_rank_group group = {.first = member->rank, .ranks = count, .shapes = paces->rank[member->rank].shapes};
    for (size_t i = 0; i < count; i++)
        value[i] = (double)paces->rank[member[i].rank].calls;
    group.calls = quartiles_of(value, count);
    for (size_t i = 0; i < count; i++)
        value[i] = imbalance->time[member[i].rank].seconds_blas;
    group.seconds_blas = quartiles_of(value, count);
    for (size_t i = 0; i < count; i++)
        value[i] = paces->rank[member[i].rank].ratio;
    group.pace = quartiles_of(value, count);
    return group;
}

/* Where each rank is, after the groups have their order. MEMBER: those of a group are one after the other, its first
 * rank in front. */
static void number_groups(struct kt_paces *out, const struct member *member)
{
    for (size_t g = 0; g < out->groups; g++)
        out->rank[out->group[g].first].group = g;
    for (size_t i = 1; i < out->ranks; i++)
        if (member[i].made_of == member[i - 1].made_of)
            out->rank[member[i].rank].group = out->rank[member[i - 1].rank].group;
}

static void find_groups(const struct kt_imbalance *imbalance, struct kt_paces *out, struct member *member,
                        double *value)
{
    qsort(member, out->ranks, sizeof *member, compare_shapes);
    for (size_t i = 0, end; i < out->ranks; i = end) {
        for (end = i + 1; end < out->ranks && member[i].made_of == member[end].made_of; end++)
            ;
        out->group = kt_room_for_one(out->group, out->groups, sizeof *out->group);
        out->group[out->groups++] = make_group(imbalance, out, &member[i], end - i, value);
    }
    qsort(out->group, out->groups, sizeof *out->group, compare_groups);
    number_groups(out, member);
}

/* --- who is slow ------------------------------------------------------------------------------------------- */

static void name_slow_nodes(struct kt_paces *out, double *value)
{
    for (size_t i = 0; i < out->nodes; i++)
        value[i] = out->node[i].pace.median;
    struct kt_quartiles all = quartiles_of(value, out->nodes);
    for (size_t i = 0; i < out->nodes; i++) {
        out->node[i].ratio = out->node[i].pace.median / all.median;
        out->node[i].slow = is_slow(&all, out->node[i].pace.median);
        out->slow_nodes += out->node[i].slow;
    }
}

static bool is_on_slow_node(const struct kt_imbalance *imbalance, const struct kt_paces *paces, size_t rank)
{
    const char *host = kt_meta(imbalance->ranks.rank[rank].first, "host");
    for (size_t i = 0; i < paces->slow_nodes; i++) /* these come first */
        if (!strcmp(paces->node[i].host, host ? host : ""))
            return true;
    return false;
}

static void name_slow_ranks(const struct kt_imbalance *imbalance, struct kt_paces *out)
{
    for (size_t i = 0; i < out->ranks; i++) {
        out->rank[i].slow = is_slow(&out->pace, out->rank[i].ratio);
        out->slow_ranks += out->rank[i].slow && !is_on_slow_node(imbalance, out, i);
    }
}

static void find_spreads(const struct kt_imbalance *imbalance, struct kt_paces *out, double *value)
{
    for (size_t i = 0; i < out->ranks; i++)
        value[i] = out->rank[i].ratio;
    out->pace = quartiles_of(value, out->ranks);
    for (size_t i = 0; i < out->ranks; i++)
        value[i] = imbalance->time[i].seconds_blas;
    out->seconds_blas = quartiles_of(value, out->ranks);
    for (size_t i = 0; i < out->ranks; i++)
        value[i] = imbalance->ranks.rank[i].seconds;
    out->wall = quartiles_of(value, out->ranks);
}

void kt_paces_find(const struct kt_trace *trace, const struct kt_shapes *shapes, const struct kt_imbalance *imbalance,
                   struct kt_paces *out)
{
    *out = (struct kt_paces){.ranks = imbalance->ranks.count};
    if (out->ranks == 0)
        return;
    out->rank = kt_zeros(out->ranks, sizeof *out->rank);
    walk(trace, shapes, &imbalance->ranks, out->rank);
    double *value = kt_resize(NULL, out->ranks, sizeof *value);
    struct member *member = list_members(imbalance, out);
    find_nodes(imbalance, out, member, value);
    find_groups(imbalance, out, member, value);
    find_spreads(imbalance, out, value);
    name_slow_nodes(out, value);
    name_slow_ranks(imbalance, out);
    free(member);
    free(value);
}

void kt_paces_free(struct kt_paces *paces)
{
    free(paces->rank);
    free(paces->node);
    free(paces->group);
    *paces = (struct kt_paces){0};
}
