/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/ranks.h"

#include "trace/base/memory.h"

/* --- ranks ------------------------------------------------------------------------------------------------- */

/* A number without a sign; -1: there is none. */
static int64_t meta_number(const struct kt_process *process, const char *key)
{
    const char *text = kt_meta(process, key);
    char *end;
    if (!text || *text < '0' || *text > '9')
        return -1;
    unsigned long number = strtoul(text, &end, 10);
    return *end == '\0' && number < INT64_MAX ? (int64_t)number : -1;
}

static const char *job_of(const struct kt_process *process)
{
    const char *job = kt_meta(process, "job");
    return job ? job : "";
}

static struct kt_rank rank_of(const struct kt_process *process)
{
    int64_t of = meta_number(process, "ranks");
    return (struct kt_rank){.job = job_of(process),
                            .rank = meta_number(process, "rank"),
                            .of = of > 0 && of <= INT32_MAX ? of : 0,
                            .first = process,
                            .processes = 1,
                            .calls = process->calls,
                            .seconds = process->seconds};
}

static int compare_ranks(const void *a, const void *b)
{
    const struct kt_rank *x = a;
    const struct kt_rank *y = b;
    int order = strcmp(x->job, y->job);
    if (order == 0)
        order = (x->rank > y->rank) - (x->rank < y->rank);
    if (order == 0)
        order = (x->first->start > y->first->start) - (x->first->start < y->first->start);
    return order;
}

static bool is_same_rank(const struct kt_rank *a, const struct kt_rank *b)
{
    return a->rank == b->rank && !strcmp(a->job, b->job);
}

/* TO is the earlier of the two. */
static void add_process(struct kt_rank *to, const struct kt_rank *more)
{
    double end = more->first->start + more->seconds;
    double before = to->first->start + to->seconds;
    to->seconds = (end > before ? end : before) - to->first->start;
    to->processes++;
    to->calls += more->calls;
    to->of = more->of > to->of ? more->of : to->of;
}

/* Sorted, those of one rank become one. */
static size_t join_ranks(struct kt_rank *rank, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept && is_same_rank(&rank[kept - 1], &rank[i]))
            add_process(&rank[kept - 1], &rank[i]);
        else
            rank[kept++] = rank[i];
    return kept;
}

/* Jobs follow one another. A job whose size is not known leaves the sum unknown. */
static void count_jobs(struct kt_ranks *ranks)
{
    bool known = true;
    for (size_t i = 0; i < ranks->count; i++) {
        bool first = i == 0 || strcmp(ranks->rank[i].job, ranks->rank[i - 1].job) != 0;
        ranks->jobs += first;
        ranks->expected += first ? (size_t)ranks->rank[i].of : 0;
        known = known && ranks->rank[i].of;
    }
    if (!known)
        ranks->expected = 0;
}

static size_t find_rank(const struct kt_ranks *ranks, const struct kt_process *process)
{
    struct kt_rank key = rank_of(process);
    size_t low = 0;
    for (size_t high = ranks->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        const struct kt_rank *at = &ranks->rank[middle];
        int order = strcmp(at->job, key.job);
        bool before = order < 0 || (order == 0 && at->rank < key.rank);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < ranks->count && is_same_rank(&ranks->rank[low], &key) ? low : KT_NO_RANK;
}

void kt_ranks_find(const struct kt_trace *trace, struct kt_ranks *out)
{
    *out = (struct kt_ranks){.rank = kt_resize(NULL, trace->processes, sizeof *out->rank),
                             .of = kt_resize(NULL, trace->processes, sizeof *out->of)};
    for (size_t i = 0; i < trace->processes; i++)
        if (meta_number(&trace->process[i], "rank") >= 0)
            out->rank[out->count++] = rank_of(&trace->process[i]);
    qsort(out->rank, out->count, sizeof *out->rank, compare_ranks);
    out->count = join_ranks(out->rank, out->count);
    count_jobs(out);
    for (size_t i = 0; i < trace->processes; i++)
        out->of[i] = find_rank(out, &trace->process[i]);
}

void kt_ranks_free(struct kt_ranks *ranks)
{
    free(ranks->rank);
    free(ranks->of);
    *ranks = (struct kt_ranks){0};
}

/* --- the tree ---------------------------------------------------------------------------------------------- */

/* A process while the tree is made. */
struct node {
    const struct kt_process *process;
    const char *boot; /* ids of processes are those of one kernel */
    int64_t rank;
    int64_t ppid;
    int64_t born; /* in the kernel's units; -1: not known */
    bool placed;
};

/* Those without a rank in front: they may be what started the others. */
static int compare_nodes(const void *a, const void *b)
{
    const struct node *x = a;
    const struct node *y = b;
    if (x->rank != y->rank)
        return x->rank > y->rank ? 1 : -1;
    if (x->process->start != y->process->start)
        return x->process->start > y->process->start ? 1 : -1;
    return (x->process->pid > y->process->pid) - (x->process->pid < y->process->pid);
}

/* Ids come again: a parent is not younger. When a process began to make calls says nothing here. */
static bool is_child(const struct node *child, const struct node *parent)
{
    return child->ppid == (int64_t)parent->process->pid && !strcmp(child->boot, parent->boot) &&
           child->born >= parent->born;
}

static bool has_parent(const struct node *node, const struct node *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (&all[i] != node && is_child(node, &all[i]))
            return true;
    return false;
}

struct tree {
    struct node *node;
    size_t count;
    struct kt_branch *branch;
    size_t branches;
};

static void place(struct tree *tree, struct node *node, int depth)
{
    node->placed = true;
    tree->branch[tree->branches++] = (struct kt_branch){node->process, depth};
    for (size_t i = 0; i < tree->count; i++)
        if (!tree->node[i].placed && is_child(&tree->node[i], node))
            place(tree, &tree->node[i], depth + 1);
}

struct kt_branch *kt_process_tree(const struct kt_trace *trace)
{
    struct tree tree = {.node = kt_resize(NULL, trace->processes, sizeof *tree.node),
                        .count = trace->processes,
                        .branch = kt_resize(NULL, trace->processes, sizeof *tree.branch)};
    for (size_t i = 0; i < tree.count; i++) {
        const struct kt_process *process = &trace->process[i];
        const char *boot = kt_meta(process, "boot_id");
        tree.node[i] = (struct node){.process = process,
                                     .boot = boot ? boot : "",
                                     .rank = meta_number(process, "rank"),
                                     .ppid = meta_number(process, "ppid"),
                                     .born = meta_number(process, "start_time")};
    }
    qsort(tree.node, tree.count, sizeof *tree.node, compare_nodes);
    for (size_t i = 0; i < tree.count; i++)
        if (!tree.node[i].placed && !has_parent(&tree.node[i], tree.node, tree.count))
            place(&tree, &tree.node[i], 0);
    for (size_t i = 0; i < tree.count; i++)
        if (!tree.node[i].placed) /* damaged: its own ancestor */
            place(&tree, &tree.node[i], 0);
    free(tree.node);
    return tree.branch;
}
