/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/sequences.h"

#include "replay/interrupt.h"
#include "replay/random.h"
#include "trace/memory.h"
#include "trace/now.h"
#include "trace/text.h"

#include <math.h>
#include <string.h>

enum { FEWEST_ROUNDS = 6, ENOUGH_ROUNDS = 15, MOST_ROUNDS = 60, ROUNDS_OF_A_PROCESS = 5 };
static const double precision = 0.005; /* half-width of the interval of a library's median pass */
/* A pass on all libraries takes so many times as long as one on the recorded library, times their number: some are slow. */
static const double slowness = 3;

/* --- rounds ------------------------------------------------------------------------------------------------ */

/* One timed pass. False: there cannot be one. */
static bool play(struct kt_sequence *s)
{
    unsigned before = s->passes;
    while (s->passes == before && !kt_interrupted())
        if (!kt_sequence_pass(s))
            return false;
    return s->passes > before;
}

static void keep_times(struct kt_comparison *c, struct kt_sequences *s, size_t lane)
{
    double *mean = kt_resize(NULL, c->setup.jobs.count, sizeof *mean);
    kt_sequence_take_means(&s->lane[lane], mean);
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (c->met[i] && !isnan(mean[i]))
            kt_series_add(&c->schedule.item[i].lane[lane], s->rounds, &mean[i], 1);
    free(mean);
}

static bool run_round(struct kt_sequences *s, struct kt_comparison *c)
{
    size_t order[KT_MOST_LANES];
    double begin = kt_now();
    bool is_complete = true;
    kt_shuffle(order, s->lanes, &s->seed);
    for (size_t k = 0; k < s->lanes && is_complete; k++) {
        struct kt_sequence *lane = &s->lane[order[k]];
        if (s->rounds && s->rounds % ROUNDS_OF_A_PROCESS == 0)
            kt_sequence_renew(lane);
        is_complete = play(lane);
        if (is_complete)
            keep_times(c, s, order[k]);
    }
    s->rounds += is_complete;
    s->seconds += kt_now() - begin;
    kt_progress("sequence", fmin(s->seconds, s->budget), s->budget);
    return is_complete;
}

/* --- which shapes ------------------------------------------------------------------------------------------ */

/* A library that is wrong in a shape may as well crash or hang there: then it is called alone. */
static void leave_out_wrong(const struct kt_comparison *c, size_t lane, struct kt_sequence *s)
{
    for (size_t i = 0; c->right.of && i < c->setup.jobs.count; i++)
        if (kt_right_of(&c->right, lane, i)->verdict == KT_RESULT_WRONG)
            kt_sequence_leave_out(s, &c->setup.jobs.job[i]);
}

static void forget(struct kt_comparison *c, size_t i)
{
    for (size_t l = 0; l < c->libraries; l++)
        kt_series_forget(&c->schedule.item[i].lane[l]);
}

static bool is_played(const struct kt_comparison *c, const struct kt_sequences *s, size_t i)
{
    for (size_t l = 0; l < s->lanes; l++)
        if (!c->schedule.item[i].lane[l].visits || kt_sequence_absence(&s->lane[l], &c->setup.jobs.job[i]))
            return false;
    return true;
}

/* Shapes that some library did not play are timed one by one on all, and left out of all sequences: what a library
 * does not do leaves its caches to the calls that follow. Returns whether there are any. */
static bool leave_out_unmet(struct kt_comparison *c, struct kt_sequences *s)
{
    bool any = false;
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        if (!c->met[i] || is_played(c, s, i))
            continue;
        any = true;
        c->met[i] = false;
        forget(c, i);
        for (size_t l = 0; l < s->lanes; l++)
            kt_sequence_leave_out(&s->lane[l], &c->setup.jobs.job[i]);
    }
    return any;
}

static void give_up(struct kt_comparison *c)
{
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        if (c->met[i])
            forget(c, i);
        c->met[i] = false;
    }
}

/* The first round, and once more without what it showed that cannot be played. */
void kt_sequences_begin(struct kt_comparison *c, double budget, struct kt_sequences *out)
{
    *out = (struct kt_sequences){.lanes = c->libraries, .budget = budget, .seed = 1};
    out->lane = kt_resize(NULL, c->libraries, sizeof *out->lane);
    memset(out->lane, 0, c->libraries * sizeof *out->lane);
    for (size_t l = 0; l < c->libraries && !kt_interrupted(); l++) {
        kt_sequence_open(&c->setup, &c->options.replay, &c->worker[l].library,
                         budget / (slowness * (double)c->libraries), kt_pages_limit() / c->libraries, &out->lane[l]);
        out->lane[l].rests = true;
        leave_out_wrong(c, l, &out->lane[l]);
    }
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        c->met[i] = !c->setup.jobs.job[i].refused;
    for (bool again = true; again && !kt_interrupted();) {
        out->rounds = 0;
        again = run_round(out, c) && leave_out_unmet(c, out);
        for (size_t i = 0; i < c->setup.jobs.count && again; i++)
            forget(c, i);
    }
    if (!out->rounds || !kt_comparison_is_any_met(c)) {
        give_up(c);
        out->rounds = 0;
        kt_sequences_close(out);
    }
}

/* --- until it is enough ------------------------------------------------------------------------------------ */

static bool is_settled(const struct kt_sequence *s)
{
    double *total = kt_resize(NULL, s->passes, sizeof *total);
    memcpy(total, s->pass_total, s->passes * sizeof *total);
    struct kt_stat stat = kt_stat_of(total, s->passes, KT_BEST_MEDIAN);
    free(total);
    return stat.hi - stat.lo <= 2 * precision * stat.median;
}

static bool are_settled(const struct kt_sequences *s)
{
    for (size_t l = 0; l < s->lanes; l++)
        if (!is_settled(&s->lane[l]))
            return false;
    return s->rounds >= ENOUGH_ROUNDS;
}

static enum kt_stop stop_of(const struct kt_sequences *s)
{
    if (kt_interrupted())
        return KT_STOP_INTERRUPTED;
    if (are_settled(s))
        return KT_STOP_CONVERGED;
    return s->seconds < s->budget ? KT_STOP_ROUNDS : KT_STOP_BUDGET;
}

void kt_sequences_run(struct kt_sequences *s, struct kt_comparison *c)
{
    if (!s->rounds)
        return;
    while (s->rounds < MOST_ROUNDS && (s->rounds < FEWEST_ROUNDS || s->seconds < s->budget) && !are_settled(s) &&
           run_round(s, c))
        ;
    kt_progress_end();
    leave_out_unmet(c, s);
    if (s->rounds < FEWEST_ROUNDS && !kt_interrupted())
        give_up(c);
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (c->met[i])
            c->schedule.item[i].stop = stop_of(s);
    kt_sequences_close(s);
}

/* What they hold; how long it took stays known. */
void kt_sequences_close(struct kt_sequences *s)
{
    for (size_t l = 0; l < s->lanes; l++)
        kt_sequence_close(&s->lane[l]);
    free(s->lane);
    s->lane = NULL;
    s->lanes = 0;
}
