/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/summary/inside_counts.h"

#include "trace/base/memory.h"
#include "trace/read/profile.h"

#include <math.h>

/* Nested calls whose weights are not known are, weighted, what all calls have nested in them and known ones are not. */
struct balance {
    double missing; /* weighted: in calls with a known weight; */
    double counted; /* once: nested calls with none, without what nests in such */
};

/* What the cells of a process add up to, over all routines. */
struct totals {
    double nested;          /* calls that were counted in others, nobody knows in which outermost ones, */
    double known, weighted; /* of these, those whose weights are known, and the sum of the weights */
    double passed;          /* likewise */
    struct balance calls_of, seconds_of;
    double in_sample, in_all; /* seconds of calls nested one level down: weighted ones, and in all outermost calls */
    uint64_t calls, drawn;    /* outermost ones that nest, and of these, those whose inside was recorded */
};

/* What weighted sums are multiplied by. */
struct scale {
    double calls, seconds;
    double unknown_calls, unknown_seconds; /* times as much: nested calls without a weight */
};

/* What a routine does in the process at hand. */
struct here {
    bool nested;
    uint64_t calls, drawn;                  /* outermost ones that nest */
    double seconds;                         /* of these */
    double sampled_seconds, nested_seconds; /* of the drawn ones and of what nests in them, weighted */
    double inside, weighted, passed;        /* nested calls that were counted in them, also weighted, and passed on */
    struct scale scale;                     /* of what nests in them */
};

struct counting {
    const struct kt_trace *trace;
    struct kt_inside_found *found;
    struct here *here; /* of each routine */
    struct totals totals;
    struct scale scale;
};

/* --- routines ---------------------------------------------------------------------------------------------- */

static size_t add_routine(struct counting *c, const char *name)
{
    struct kt_insides *of = &c->found->of;
    size_t i = of->routines++;
    of->routine = kt_resize(of->routine, of->routines, sizeof *of->routine);
    c->found->name = kt_resize(c->found->name, of->routines, sizeof *c->found->name);
    c->here = kt_resize(c->here, of->routines, sizeof *c->here);
    of->routine[i] = (struct kt_inside_routine){0};
    c->found->name[i] = name;
    c->here[i] = (struct here){0};
    return i;
}

static size_t routine_of(struct counting *c, const struct kt_entry *entry)
{
    const char *name = entry->symbol.routine->name;
    for (size_t i = 0; i < c->found->of.routines; i++)
        if (!strcmp(c->found->name[i], name))
            return i;
    return add_routine(c, name);
}

/* A sum over a sample; a sample of all calls leaves nothing open. */
static void add_value(const struct counting *c, struct kt_estimate *estimate, double value)
{
    estimate->value += value;
    estimate->lo += value;
    estimate->hi += value;
    estimate->loose += c->totals.drawn < c->totals.calls ? fabs(value) : 0;
}

/* --- totals ------------------------------------------------------------------------------------------------ */

static void add_to_balance(struct balance *balance, const struct kt_counts *counts, double own, double nested)
{
    double open = nested - (counts->nesting == KT_NOT_NESTED ? 0 : own);
    if (counts->weighted.is_known)
        balance->missing += open;
    else
        balance->counted -= open;
}

/* --- outermost calls --------------------------------------------------------------------------------------- */

static void add_nested_to_totals(struct counting *c, size_t i, const struct kt_counts *counts)
{
    struct totals *totals = &c->totals;
    c->here[i].nested = true;
    if (counts->outermost && counts->weighted.is_known) {
        struct here *outermost = &c->here[routine_of(c, counts->outermost)];
        outermost->inside += (double)counts->calls;
        outermost->weighted += counts->weighted.calls;
        return;
    }
    totals->nested += (double)counts->calls;
    totals->known += counts->weighted.is_known ? (double)counts->calls : 0;
    totals->weighted += counts->weighted.is_known ? counts->weighted.calls : 0;
}

static void add_outermost(struct counting *c, struct here *here, const struct kt_counts *counts)
{
    if (!counts->nest || !counts->weighted.is_known)
        return;
    here->calls += counts->calls;
    here->drawn += counts->drawn;
    here->seconds += counts->seconds;
    here->sampled_seconds += counts->weighted.seconds;
    here->nested_seconds += counts->weighted.nested_seconds;
    here->passed += (double)counts->passed;
    c->totals.calls += counts->calls;
    c->totals.drawn += counts->drawn;
}

/* Of the time of the outermost calls, which is known, nested ones take the part that they take in the sample. */
static double nested_in(const struct here *here)
{
    double part = here->sampled_seconds > 0 ? here->nested_seconds / here->sampled_seconds : 0;
    return fmin(part, 1) * here->seconds;
}

static struct kt_inside_outer *outer_of(struct kt_insides *of, size_t routine)
{
    for (size_t i = 0; i < of->outers; i++)
        if (of->outer[i].routine == routine)
            return &of->outer[i];
    of->outer = kt_resize(of->outer, of->outers + 1, sizeof *of->outer);
    of->outer[of->outers] = (struct kt_inside_outer){.routine = routine};
    return &of->outer[of->outers++];
}

static void finish_outermost(struct counting *c, size_t i)
{
    const struct here *here = &c->here[i];
    struct kt_inside_outer *outer = outer_of(&c->found->of, i);
    double unknown = here->drawn ? 0 : here->seconds;
    outer->calls += here->calls;
    outer->sampled += here->drawn;
    outer->drawn += here->drawn;
    outer->unknown += unknown;
    c->found->of.routine[i].unknown += unknown;
    c->totals.in_sample += here->nested_seconds;
    c->totals.in_all += nested_in(here);
    add_value(c, &c->found->of.routine[i].of[KT_INSIDE_SELF], -nested_in(here));
}

/* --- nested calls ------------------------------------------------------------------------------------------ */

static double ratio(double a, double b)
{
    return a > 0 && b > 0 ? a / b : 1;
}

/* Without a balance they have the weight of the others on average. */
static double unknown_weight(const struct balance *balance, double mean)
{
    return balance->missing > 0 && balance->counted > 0 ? balance->missing / balance->counted : mean;
}

/* What nests in a routine: all of it takes what was passed on, too, and the part of its time that it takes in the
 * sample. */
static struct scale scale_of_inside(const struct here *here)
{
    return (struct scale){.calls = ratio(here->inside + here->passed, here->weighted),
                          .seconds = ratio(nested_in(here), here->nested_seconds)};
}

static struct scale scale_of(const struct totals *totals)
{
    double mean = ratio(totals->weighted, totals->known);
    double unknown = unknown_weight(&totals->calls_of, mean);
    double weighted = totals->weighted + unknown * (totals->nested - totals->known);
    return (struct scale){.calls = ratio(totals->nested + totals->passed, weighted),
                          .seconds = ratio(totals->in_all, totals->in_sample),
                          .unknown_calls = unknown,
                          .unknown_seconds = unknown_weight(&totals->seconds_of, mean)};
}

/* Time in a call of the same routine is in the time of that. */
static void add_nested(const struct counting *c, struct kt_inside_routine *routine, const struct scale *scale,
                       const struct kt_counts *counts)
{
    const struct kt_counts_weighted *weighted = &counts->weighted;
    double each = scale->seconds * (weighted->is_known ? 1 : scale->unknown_seconds);
    double calls = scale->calls * weighted->calls * (weighted->is_known ? 1 : scale->unknown_calls);
    double seconds = each * weighted->seconds;
    add_value(c, &routine->of[KT_INSIDE_CALLS], calls + (double)(counts->begun - counts->calls));
    add_value(c, &routine->of[KT_INSIDE_SELF], seconds - each * weighted->nested_seconds);
    if (counts->nesting == KT_WITHIN_ITSELF || !counts->calls)
        return;
    struct kt_call_work work = counts->call.args ? kt_call_work_of(&counts->call) : (struct kt_call_work){NAN, NAN};
    add_value(c, &routine->of[KT_INSIDE_SECONDS], seconds);
    routine->flops += calls * work.flops;
    routine->bytes += calls * work.bytes;
}

/* --- processes --------------------------------------------------------------------------------------------- */

static void add_totals(struct counting *c, size_t i, const struct kt_counts *counts)
{
    const struct kt_counts_weighted *weighted = &counts->weighted;
    add_to_balance(&c->totals.calls_of, counts, weighted->calls, weighted->nested);
    add_to_balance(&c->totals.seconds_of, counts, weighted->seconds, weighted->nested_seconds);
    if (counts->nesting == KT_NOT_NESTED)
        add_outermost(c, &c->here[i], counts);
    else
        add_nested_to_totals(c, i, counts);
}

static void add_estimates(struct counting *c, size_t i, const struct kt_counts *counts)
{
    bool is_told = counts->outermost && counts->weighted.is_known;
    if (counts->nesting != KT_NOT_NESTED)
        add_nested(c, &c->found->of.routine[i], is_told ? &c->here[routine_of(c, counts->outermost)].scale : &c->scale,
                   counts);
}

static void each_of(struct counting *c, size_t process,
                    void (*work)(struct counting *c, size_t routine, const struct kt_counts *counts))
{
    struct kt_counts_cursor cursor;
    struct kt_counts counts;
    kt_counts_begin(c->trace, &cursor);
    cursor.process = process;
    while (kt_counts_next(&cursor, &counts) && counts.call.process == &c->trace->process[process])
        work(c, routine_of(c, counts.call.entry), &counts);
}

/* A nested routine may be in all outermost calls that nest. */
static void finish_routines(struct counting *c)
{
    struct kt_insides *of = &c->found->of;
    for (size_t i = 0; i < of->routines; i++) {
        of->routine[i].sampled += c->here[i].nested ? c->totals.drawn : c->here[i].drawn;
        of->routine[i].calls += c->here[i].nested ? c->totals.calls : c->here[i].calls;
        if (c->here[i].calls)
            finish_outermost(c, i);
        c->here[i].scale = scale_of_inside(&c->here[i]);
        c->totals.passed -= c->here[i].weighted > 0 ? c->here[i].passed : 0;
    }
    c->totals.passed = fmax(c->totals.passed, 0);
}

static void add_process(struct counting *c, size_t process)
{
    c->totals = (struct totals){.passed = (double)c->trace->process[process].passed};
    memset(c->here, 0, c->found->of.routines * sizeof *c->here);
    each_of(c, process, add_totals);
    finish_routines(c);
    c->scale = scale_of(&c->totals);
    each_of(c, process, add_estimates);
}

void kt_inside_counts_add(const struct kt_trace *trace, struct kt_inside_found *found)
{
    struct counting c = {.trace = trace, .found = found};
    c.here = kt_resize(NULL, found->of.routines, sizeof *c.here);
    for (size_t i = 0; i < trace->processes; i++)
        if (kt_process_is_profile(&trace->process[i]))
            add_process(&c, i);
    free(c.here);
}
