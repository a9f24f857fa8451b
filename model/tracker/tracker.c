/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/tracker/tracker.h"

#include "trace/base/memory.h"

#include <math.h>

/* A processor's caches. */
struct processor {
    unsigned cpu;
    struct kt_lru lru;
};

enum { EXPECTED = 4096 };

/* What was computed for a distance, in lines: programs repeat themselves. */
struct expected {
    uint64_t distance;
    double share[KT_MAX_CACHES];
};

/* As long as all calls were made on one processor, its caches have seen what all have seen. */
struct kt_tracker {
    struct kt_caches caches;
    unsigned shift, privates;
    struct kt_lru all;
    struct processor *processor; /* none before calls came from two; owned */
    size_t processors;
    struct kt_lines_walked walked;
    unsigned first; /* cpu of the first call */
    bool begun;
    struct expected expected[EXPECTED];
};

unsigned kt_tracker_private_levels(const struct kt_caches *caches)
{
    unsigned level = 0;
    while (level < caches->count) {
        unsigned shared = caches->cache[level].shared;
        if (shared > 2 || (shared == 2 && level + 1 == caches->count))
            break;
        level++;
    }
    return level;
}

/* The paper's smoothing, (1 + tanh(w r)) / 2, in the form that takes the least time. */
double kt_cached_share(uint64_t distance, uint64_t cache)
{
    if (distance == KT_NEVER || cache == 0)
        return 0;
    double relative = ((double)cache - (double)distance) / (double)cache;
    return 1 / (1 + exp(relative * (relative >= 0 ? -8 : -4)));
}

/* --- caches ------------------------------------------------------------------------------------------------ */

static unsigned log2_of(uint64_t line)
{
    unsigned shift = 0;
    while ((uint64_t)2 << shift <= line)
        shift++;
    return shift;
}

struct kt_tracker *kt_tracker_new(const struct kt_caches *caches)
{
    struct kt_tracker *t = kt_resize(NULL, 1, sizeof *t);
    *t = (struct kt_tracker){.caches = *caches};
    t->shift = log2_of(caches->line);
    t->privates = kt_tracker_private_levels(caches);
    kt_lru_make(t->shift, &t->all);
    return t;
}

void kt_tracker_free(struct kt_tracker *t)
{
    for (size_t i = 0; i < t->processors; i++)
        kt_lru_free(&t->processor[i].lru);
    free(t->processor);
    kt_lru_free(&t->all);
    free(t);
}

static struct processor *add_processor(struct kt_tracker *t, unsigned cpu)
{
    t->processor = kt_room_for_one(t->processor, t->processors, sizeof *t->processor);
    t->processor[t->processors].cpu = cpu;
    return &t->processor[t->processors++];
}

static struct processor *find_processor(struct kt_tracker *t, unsigned cpu)
{
    for (size_t i = 0; i < t->processors; i++)
        if (t->processor[i].cpu == cpu)
            return &t->processor[i];
    return NULL;
}

/* What the processor's own caches have seen. */
static struct kt_lru *private_of(struct kt_tracker *t, unsigned cpu)
{
    t->first = t->begun ? t->first : cpu;
    t->begun = true;
    if (t->privates == 0 || (t->processors == 0 && cpu == t->first))
        return &t->all;
    if (t->processors == 0)
        kt_lru_copy(&t->all, &add_processor(t, t->first)->lru);
    struct processor *found = find_processor(t, cpu);
    if (!found) {
        found = add_processor(t, cpu);
        kt_lru_make(t->shift, &found->lru);
    }
    return &found->lru;
}

/* --- calls ------------------------------------------------------------------------------------------------- */

/* What is found out about the operands of a call. */
struct finding {
    struct kt_tracker *tracker;
    const struct kt_operand *operand;
    unsigned from, to; /* levels that are asked about */
    uint64_t own;      /* mark of the processor */
    double lines[KT_MAX_OPERANDS];
    double held[KT_MAX_OPERANDS][KT_MAX_CACHES]; /* lines that each level is expected to hold */
    uint64_t users[KT_MAX_OPERANDS];             /* marks of the processors that may have some of them */
};

static const double *expected_shares(struct kt_tracker *t, uint64_t distance)
{
    struct expected *e = &t->expected[distance % EXPECTED];
    if (e->distance == distance)
        return e->share;
    e->distance = distance;
    for (unsigned level = 0; level < t->caches.count; level++)
        e->share[level] = kt_cached_share(distance << t->shift, t->caches.cache[level].bytes);
    return e->share;
}

static void count_part(void *context, int operand, uint64_t distance, uint64_t lines, uint64_t marks)
{
    struct finding *f = context;
    f->users[operand] |= marks;
    if (f->from == 0)
        f->lines[operand] += (double)lines;
    if (distance == KT_NEVER)
        return;
    const double *share = expected_shares(f->tracker, distance);
    for (unsigned level = f->from; level < f->to; level++)
        f->held[operand][level] += (double)lines * share[level];
}

static bool is_written(const struct kt_operand *operand)
{
    return operand->access & (KT_WRITE | KT_WORK);
}

/* Who writes a line is the only one that has it. */
static uint64_t mark_users(void *context, int operand)
{
    const struct finding *f = context;
    return is_written(&f->operand[operand]) ? f->own : f->own | f->users[operand];
}

/* A level's share is what it holds and no nearer level does. */
static void set_shares(const double *held_lines, double lines, unsigned levels, float *share)
{
    double nearer = 0;
    for (unsigned level = 0; level < levels; level++) {
        double held = lines > 0 ? held_lines[level] / lines : 1;
        share[level] = (float)(held > nearer ? held - nearer : 0);
        nearer = held > nearer ? held : nearer;
    }
    share[levels] = (float)(1 - nearer);
}

static uint64_t mark_of(unsigned cpu)
{
    return (uint64_t)1 << cpu % 64;
}

/* Writing a line takes it from the caches of other processors. */
static void take_from_others(struct kt_tracker *t, unsigned cpu, const struct kt_operand *operand, uint64_t users)
{
    for (size_t i = 0; i < t->processors; i++)
        if (t->processor[i].cpu != cpu && users & mark_of(t->processor[i].cpu))
            kt_lru_forget(&t->processor[i].lru, operand);
}

static void clear_finding(struct finding *f, int operands)
{
    memset(f->lines, 0, (size_t)operands * sizeof *f->lines);
    memset(f->held, 0, (size_t)operands * sizeof *f->held);
    memset(f->users, 0, (size_t)operands * sizeof *f->users);
}

bool kt_tracker_call(struct kt_tracker *t, unsigned cpu, const struct kt_operand *operand, int operands,
                     kt_shares share)
{
    struct finding f;
    if (!kt_lines_affords(&t->walked, operand, operands))
        return false;
    struct kt_lru *own = private_of(t, cpu);
    unsigned privates = own == &t->all ? 0 : t->privates;
    f.tracker = t;
    f.operand = operand;
    f.own = mark_of(cpu);
    clear_finding(&f, operands);
    if (privates) {
        f.from = 0;
        f.to = privates;
        kt_lru_call(own, operand, operands, &(struct kt_lru_visit){count_part, NULL, &f});
    }
    f.from = privates;
    f.to = t->caches.count;
    kt_lru_call(&t->all, operand, operands, &(struct kt_lru_visit){count_part, mark_users, &f});
    for (int i = 0; i < operands; i++) {
        set_shares(f.held[i], f.lines[i], t->caches.count, share[i]);
        if (is_written(&operand[i]))
            take_from_others(t, cpu, &operand[i], f.users[i]);
    }
    return true;
}
