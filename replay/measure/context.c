/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/measure/context.h"

#include "trace/base/memory.h"

#include <stdio.h>
#include <strings.h>

static const struct {
    struct kt_condition condition;
    const char *name;
    bool code;
} conditions[] = {
    {{KT_WARM, 0}, "warm", false},       {{KT_COLD, 0}, "cold", false},    {{KT_COLD, 0}, "allcold", true},
    {{KT_EVICTED, 0}, "l1", false},      {{KT_EVICTED, 1}, "l2", false},   {{KT_EVICTED, 2}, "l3", false},
    {{KT_TRACKED, 0}, "tracked", false}, {{KT_WARM, 0}, "coldcode", true},
};

enum { CONDITIONS = sizeof conditions / sizeof *conditions };

/* Those that were asked for; they are never freed. */
static struct kt_context **known;
static size_t knowns;

static const struct kt_context *keep(const struct kt_context *context)
{
    for (size_t i = 0; i < knowns; i++)
        if (!strcmp(known[i]->name, context->name))
            return known[i];
    known = kt_room_for_one(known, knowns, sizeof *known);
    known[knowns] = kt_resize(NULL, 1, sizeof *context);
    *known[knowns] = *context;
    return known[knowns++];
}

/* --- parsing ----------------------------------------------------------------------------------------------- */

static int find_condition(const char *name)
{
    for (int i = 0; i < CONDITIONS; i++)
        if (!strcmp(conditions[i].name, name))
            return i;
    return -1;
}

static struct kt_context plain_context(int condition)
{
    struct kt_context context = {.others = conditions[condition].condition, .code = conditions[condition].code};
    snprintf(context.name, sizeof context.name, "%s", conditions[condition].name);
    return context;
}

const struct kt_context *kt_context_find(const char *name)
{
    int found = find_condition(name);
    if (found < 0)
        return NULL;
    struct kt_context context = plain_context(found);
    return keep(&context);
}

static enum kt_status fail_unknown(const char *name, struct kt_error *error)
{
    char list[128] = "";
    for (int i = 0; i < CONDITIONS; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", conditions[i].name);
    return kt_fail(error, KT_USAGE,
                   "context '%s' is unknown; there are: %s; of an operand: OPERAND=CONTEXT; replay also has sequence",
                   name, list);
}

static bool is_name(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length > 0 && length < KT_OPERAND_NAME && !text[length];
}

/* "A=cold": adds to OUT. "cold": is that of the other operands. */
static enum kt_status parse_part(char *part, bool *has_others, struct kt_context *out, struct kt_error *error)
{
    char *equals = strchr(part, '=');
    const char *name = equals ? equals + 1 : part;
    int found = find_condition(name);
    if (found < 0)
        return fail_unknown(name, error);
    if (!equals) {
        if (*has_others)
            return kt_fail(error, KT_USAGE, "context '%s': more than one condition for the other operands", out->name);
        *has_others = true;
        out->others = conditions[found].condition;
        out->code = conditions[found].code;
        return KT_OK;
    }
    *equals = '\0';
    if (conditions[found].code)
        return kt_fail(error, KT_USAGE, "%s is the context of a call, not of its operand %s", name, part);
    if (!is_name(part) || out->names == KT_MAX_OPERANDS)
        return kt_fail(error, KT_USAGE, "context '%s': '%s' is no operand", out->name, part);
    for (int i = 0; i < out->names; i++)
        if (!strcasecmp(out->named[i].operand, part))
            return kt_fail(error, KT_USAGE, "context '%s': operand %s has two conditions", out->name, part);
    memcpy(out->named[out->names].operand, part, strlen(part) + 1);
    out->named[out->names++].condition = conditions[found].condition;
    return KT_OK;
}

static enum kt_status parse_parts(const char *text, struct kt_context *out, struct kt_error *error)
{
    bool has_others = false;
    enum kt_status status = KT_OK;
    *out = (struct kt_context){0};
    if (snprintf(out->name, sizeof out->name, "%s", text) >= (int)sizeof out->name)
        return kt_fail(error, KT_USAGE, "context '%.20s...' is longer than %d characters", text, KT_CONTEXT_NAME - 1);
    char *copy = kt_copy(text);
    char *rest = copy;
    for (char *part; status == KT_OK && (part = strsep(&rest, ","));)
        status = parse_part(part, &has_others, out, error);
    free(copy);
    return status;
}

static enum kt_status add(const struct kt_context *context, const struct kt_context **list, size_t *count, size_t most,
                          struct kt_error *error)
{
    for (size_t i = 0; i < *count; i++)
        if (list[i] == context)
            return KT_OK;
    if (*count == most)
        return kt_fail(error, KT_USAGE, "more than %zu contexts", most);
    list[(*count)++] = context;
    return KT_OK;
}

enum kt_status kt_contexts_parse(const char *text, const struct kt_context **list, size_t *count, size_t most,
                                 struct kt_error *error)
{
    struct kt_context context;
    if (strchr(text, '=')) {
        KT_TRY(parse_parts(text, &context, error));
        return add(keep(&context), list, count, most, error);
    }
    char *copy = kt_copy(text);
    char *rest = copy;
    enum kt_status status = KT_OK;
    for (char *name; status == KT_OK && (name = strsep(&rest, ","));) {
        const struct kt_context *found = kt_context_find(name);
        status = found ? add(found, list, count, most, error) : fail_unknown(name, error);
    }
    free(copy);
    return status;
}

/* --- questions --------------------------------------------------------------------------------------------- */

bool kt_context_is_tracked(const struct kt_context *context)
{
    bool tracked = context->others.kind == KT_TRACKED;
    for (int i = 0; i < context->names; i++)
        tracked = tracked || context->named[i].condition.kind == KT_TRACKED;
    return tracked;
}

unsigned kt_context_names_of(const struct kt_context *context, const struct kt_operand *operand, int count)
{
    unsigned names = 0;
    for (int i = 0; i < context->names; i++)
        for (int j = 0; j < count; j++)
            if (!strcasecmp(context->named[i].operand, operand[j].name))
                names |= 1u << i;
    return names;
}

static unsigned evicts(struct kt_condition condition, const struct kt_caches *caches)
{
    if (condition.kind == KT_TRACKED && caches->count)
        return (1u << (caches->count - 1)) - 1;
    return condition.kind == KT_EVICTED && condition.cache < caches->count ? 1u << condition.cache : 0;
}

unsigned kt_context_evicts(const struct kt_context *context, const struct kt_caches *caches)
{
    unsigned all = evicts(context->others, caches);
    for (int i = 0; i < context->names; i++)
        all |= evicts(context->named[i].condition, caches);
    return all;
}

unsigned kt_context_last_cache(const struct kt_context *context)
{
    unsigned last = context->others.cache;
    for (int i = 0; i < context->names; i++)
        last = context->named[i].condition.cache > last ? context->named[i].condition.cache : last;
    return last;
}

/* --- plans ------------------------------------------------------------------------------------------------- */

static struct kt_condition condition_of(const struct kt_context *context, const struct kt_operand *operand)
{
    for (int i = 0; i < context->names; i++)
        if (!strcasecmp(context->named[i].operand, operand->name))
            return context->named[i].condition;
    return context->others;
}

/* Where the parts of an operand go: part [edge[level + 1], edge[level]) to that cache, counted from the nearest. */
struct parts {
    float edge[KT_MAX_CACHES + 2];
    bool swept; /* what is to be in memory gets there by reading other memory, not by flushing */
};

static struct parts whole_in(unsigned level, bool swept)
{
    struct parts parts = {.swept = swept};
    for (unsigned i = 0; i <= level; i++)
        parts.edge[i] = 1;
    return parts;
}

/* Less than this of an operand is nowhere of its own: a tracker's shares fade out over all levels, and bringing a few
 * bytes far away would take a sweep of a whole cache, which costs the call more than they do. */
static const float least_share = 0.01F;

/* Shares are made to add up to 1: what is missing was in memory. */
static struct parts parts_of(const float share[], unsigned memory)
{
    struct parts parts = {.edge[0] = 1};
    float kept[KT_MAX_CACHES + 1];
    float near = 0;
    float sum = 0;
    for (unsigned level = 0; level < memory; level++)
        near += share[level] > 0 ? share[level] : 0;
    for (unsigned level = 0; level <= memory; level++) {
        float part = level < memory ? share[level] : 1 - near;
        kept[level] = part >= least_share ? part : 0;
        sum += kept[level];
    }
    for (unsigned level = 0; level < memory; level++) {
        float edge = parts.edge[level] - kept[level] / sum;
        parts.edge[level + 1] = edge > 1e-5F ? edge : 0;
    }
    return parts;
}

static struct parts place(struct kt_condition condition, const struct kt_caches *caches, const float share[])
{
    switch (condition.kind) {
    case KT_WARM:
        return whole_in(0, false);
    case KT_COLD:
        return whole_in(caches->count, false);
    case KT_EVICTED:
        return whole_in(condition.cache < caches->count ? condition.cache + 1 : caches->count, true);
    default:
        return parts_of(share, caches->count);
    }
}

struct planning {
    const struct kt_operand *operand;
    int count;
    unsigned memory; /* the level behind the last cache */
    struct parts parts[KT_MAX_OPERANDS];
    bool cold[KT_MAX_OPERANDS]; /* by order, not by what a trace says */
    bool tracked;               /* some operand is */
    struct kt_plan *plan;
};

/* Steps for the parts that go to the level; returns how many. What goes to memory is either flushed or swept out. */
static int add_steps(struct planning *p, enum kt_step_kind kind, unsigned level)
{
    int before = p->plan->steps;
    for (int i = 0; i < p->count; i++) {
        const struct parts *parts = &p->parts[i];
        struct kt_step step = {.kind = kind, .operand = i, .from = parts->edge[level + 1], .to = parts->edge[level]};
        bool is_wanted = level < p->memory || parts->swept == (kind == KT_TOUCH);
        if (is_wanted && step.from < step.to && p->operand[i].lo < p->operand[i].hi)
            p->plan->step[p->plan->steps++] = step;
    }
    return p->plan->steps - before;
}

/* Making code cold takes from the caches whatever is there: what is to be in one comes after it. */
static void add_plain(struct planning *p, enum kt_step_kind kind)
{
    p->plan->step[p->plan->steps++] = (struct kt_step){.kind = kind};
}

/* Pages of operands that are cold as a whole and by order; where a trace says that one was in memory, its page was
 * used as long ago. */
static void add_pages(struct planning *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->cold[i] && p->operand[i].lo < p->operand[i].hi)
            p->plan->step[p->plan->steps++] = (struct kt_step){.kind = KT_PAGES, .operand = i, .to = 1};
}

static void add_eviction(struct planning *p, unsigned level)
{
    if (add_steps(p, KT_TOUCH, level))
        p->plan->step[p->plan->steps++] = (struct kt_step){.kind = KT_EVICT, .cache = level - 1};
}

/* Making code cold sweeps the caches, so it comes before what is to be in any of them; what displaces code comes before
 * it is called back, and that before what is to be near. */
static void make_plan(struct planning *p, bool code)
{
    p->plan->steps = 0;
    bool flushed = add_steps(p, KT_FLUSH, p->memory);
    if (code)
        add_plain(p, KT_COLD_CODE);
    int before = p->plan->steps;
    for (unsigned level = p->memory; level > 1; level--)
        add_eviction(p, level);
    bool far = p->plan->steps > before;
    if (flushed && !far)
        add_plain(p, KT_FILL);
    if (!code && (flushed || !far || p->tracked))
        add_plain(p, KT_RECALL);
    if (!code)
        add_pages(p);
    if (p->memory > 0)
        add_eviction(p, 1);
    add_steps(p, KT_TOUCH, 0);
}

void kt_plans_make(const struct kt_context *context, const struct kt_operand *operand, int count,
                   const struct kt_caches *caches, const struct kt_placements_of_shape *placed, struct kt_plans *out)
{
    static const struct kt_placement nowhere = {.weight = 1};
    bool tracked = kt_context_is_tracked(context) && placed && placed->count;
    double sum = 0;
    out->count = tracked ? placed->count : 1;
    for (unsigned i = 0; i < out->count; i++) {
        const struct kt_placement *placement = tracked ? &placed->placement[i] : &nowhere;
        struct planning p = {.operand = operand, .count = count, .memory = caches->count, .plan = &out->plan[i]};
        for (int j = 0; j < count; j++) {
            struct kt_condition condition = condition_of(context, &operand[j]);
            p.parts[j] = place(condition, caches, placement->share[j]);
            p.cold[j] = condition.kind == KT_COLD;
            p.tracked = p.tracked || condition.kind == KT_TRACKED;
        }
        make_plan(&p, context->code);
        out->weight[i] = placement->weight;
        sum += placement->weight;
    }
    for (unsigned i = 0; i < out->count; i++)
        out->weight[i] = sum > 0 ? out->weight[i] / sum : 1.0 / out->count;
}
