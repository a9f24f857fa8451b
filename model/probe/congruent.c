/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/probe/congruent.h"

#include "model/loops/stopwatch.h"
#include "trace/base/memory.h"

#include <math.h>

enum {
    VOTES_MAX = 9,
    VOTES_ENOUGH = 3,
    WAYS_MAX = 64,
    PASSES_MAX = 4, /* over single lines, until none can be spared */
    TRIED = 1600,   /* pages whose colour is asked for */
};

struct search {
    const struct kt_pages_walker *walker;
    uint64_t seed;
    uint32_t *page; /* in random order */
    size_t n;       /* that are left */
    uint32_t *rest; /* room for as many */
    int overflows;  /* searches that had more lines than fit */
};

static bool overflows(const struct search *s, const uint32_t *page, size_t n)
{
    return s->walker->overflows(s->walker->machine, page, n);
}

static void shuffle(struct search *s)
{
    for (size_t i = s->walker->pages; i > 1; i--) {
        size_t other = (size_t)(kt_any_number(&s->seed) % i);
        uint32_t kept = s->page[i - 1];
        s->page[i - 1] = s->page[other];
        s->page[other] = kept;
    }
}

/* Takes COUNT pages away from the place FROM on, if the rest still overflows. They go behind the rest. */
static bool spare(struct search *s, size_t from, size_t count)
{
    size_t left = s->n - count;
    memcpy(s->rest, s->page, from * sizeof *s->rest);
    memcpy(s->rest + from, s->page + from + count, (left - from) * sizeof *s->rest);
    if (!overflows(s, s->rest, left))
        return false;
    memcpy(s->rest + left, s->page + from, count * sizeof *s->rest);
    memcpy(s->page, s->rest, s->n * sizeof *s->rest);
    s->n = left;
    return true;
}

/* One pass with pieces of that size, from the end. Returns whether anything could be spared. */
static bool pass(struct search *s, size_t piece)
{
    bool any = false;
    for (size_t end = s->n; end >= piece && s->n > piece; end -= piece) {
        bool spared = spare(s, end - piece, piece);
        any = any || spared;
    }
    return any;
}

/* The lines that remain, one more than there are ways; 0: no set was found. */
static size_t reduce(struct search *s)
{
    shuffle(s);
    s->n = s->walker->most;
    if (!overflows(s, s->page, s->n))
        return 0;
    s->overflows++;
    for (size_t piece = s->n / 4; piece > 1; piece /= 2)
        pass(s, piece);
    for (int i = 0; i < PASSES_MAX && pass(s, 1); i++)
        ;
    return s->n > 2 && s->n <= WAYS_MAX + 1 && overflows(s, s->page, s->n) ? s->n : 0;
}

double kt_colours_of(size_t found, size_t tried)
{
    double power = log2((double)tried / (double)found);
    return found && fabs(power - round(power)) < 0.38 ? exp2(round(power)) : 0;
}

/* Other pages in the place of the last one of the set: those of its colour make it overflow. Pages that were not
 * searched, as most of its colour among those that were are in the set. */
static double count_colours(struct search *s)
{
    size_t found = 0;
    size_t others = s->walker->pages - s->walker->most;
    size_t tried = others < TRIED ? others : TRIED;
    memcpy(s->rest, s->page, s->n * sizeof *s->rest);
    for (size_t i = 0; i < tried; i++) {
        s->rest[s->n - 1] = s->page[s->walker->most + i];
        found += overflows(s, s->rest, s->n);
    }
    return kt_colours_of(found, tried);
}

/* Searches until three agree. The set of the last one that did stays in S. */
static double elect(struct search *s, size_t *lines)
{
    size_t vote[VOTES_MAX];
    for (size_t i = 0; i < VOTES_MAX; i++) {
        size_t equal = 0;
        vote[i] = reduce(s);
        if (i >= VOTES_ENOUGH && !s->overflows)
            return 0;
        for (size_t k = 0; k <= i; k++)
            equal += vote[k] == vote[i];
        if (vote[i] && equal >= VOTES_ENOUGH) {
            *lines = vote[i];
            return (double)equal / (double)(i + 1);
        }
    }
    return 0;
}

void kt_congruent_find(const struct kt_pages_walker *walker, struct kt_congruent *out)
{
    struct search s = {.walker = walker, .seed = walker->seed ? walker->seed : 1};
    size_t lines = 0;
    *out = (struct kt_congruent){0};
    s.page = kt_resize(NULL, walker->pages, sizeof *s.page);
    s.rest = kt_resize(NULL, walker->pages, sizeof *s.rest);
    for (size_t i = 0; i < walker->pages; i++)
        s.page[i] = (uint32_t)i;
    double share = elect(&s, &lines);
    out->overflows = s.overflows;
    if (share > 0) {
        out->ways = (int)lines - 1;
        out->colours = count_colours(&s);
        out->bytes = out->ways * out->colours * (double)walker->page;
        out->confidence = share;
    }
    free(s.page);
    free(s.rest);
}
