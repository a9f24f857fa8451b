/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/sequences.h"
#include "replay/sequence/sequence_times.h"

#include "trace/base/interrupt.h"
#include "trace/base/random.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/print/text.h"

#include <math.h>
#include <string.h>

enum { FEWEST_PROCESSES = 3, FEWEST_ROUNDS = 6, FEWEST_WITH_RARE = 12, ENOUGH_ROUNDS = 15, MOST_ROUNDS = 60 };
static const double precision = 0.005; /* half-width of the interval of the ratio of passes */
/* Long beside what a turn costs, which is to wake a process and to fill its caches; short beside what slows a machine.
 */
static const double turn_seconds = 5e-3;
static const double lead_seconds = 0.5e-3;
/* So much of a gap counts as if it were of a call: turns are long enough for calls to fill caches in them, and short
 * where calls are few. */
static const double gap_part = 0.1;
/* A pass on all libraries takes so many times as long as one on the recorded library, times their number: some are
 * slow. */
static const double slowness = 3;
/* New processes may take so much of the time: to lay out operands, and to play a pass that does not count. */
static const double preparing_part = 0.4;

/* --- rounds ------------------------------------------------------------------------------------------------ */

static void keep_times(struct kt_comparison *c, struct kt_sequences *s, size_t lane)
{
    struct kt_sequence *sequence = &s->lane[lane];
    double *mean = kt_resize(NULL, c->setup.jobs.count, sizeof *mean);
    double *first = kt_resize(NULL, c->setup.jobs.count, sizeof *first);
    bool is_new = kt_sequence_times_first(sequence, first);
    kt_sequence_times_means(sequence, mean);
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        if (c->met[i] && !isnan(mean[i]))
            kt_series_add(&c->schedule.item[i].lane[lane], s->rounds, &mean[i], 1);
        if (is_new && !isnan(first[i]))
            kt_series_add(&s->first[i * s->lanes + lane], s->rounds, &first[i], 1);
    }
    free(mean);
    free(first);
    s->total[lane] = kt_room_for_one(s->total[lane], s->rounds, sizeof *s->total[lane]);
    s->total[lane][s->rounds] = sequence->pass_total[sequence->passes - 1];
}

/* In another order each time: who comes first gets other pages. */
static bool prepare_all(struct kt_sequences *s)
{
    size_t order[KT_MOST_LANES];
    kt_shuffle(order, s->lanes, &s->seed);
    for (size_t k = 0; k < s->lanes; k++)
        if (!kt_sequence_prepare(&s->lane[order[k]]))
            return false;
    return true;
}

static bool prepare(struct kt_sequences *s)
{
    double begin = kt_now();
    bool is_ready = prepare_all(s);
    s->preparing += kt_now() - begin;
    return is_ready;
}

/*
 * What pages a process gets is luck, half a per cent of the total, which rounds of one process share: taken for
 * independent draws, five rounds of each made intervals of which 91 % held, not 95. So a round has new ones as long as
 * what counts gets most of the time, which with gigabytes of operands is seldom.
 */
static void renew(struct kt_sequences *s)
{
    bool is_cheap = s->preparing <= preparing_part * s->seconds;
    if (!s->rounds || !is_cheap)
        return;
    s->renewals++;
    for (size_t l = 0; l < s->lanes; l++)
        kt_sequence_renew(&s->lane[l]);
}

/* Calls that took so many seconds in the program; the first of them find the caches as another library left them. Half
 * of the turns end before a call that is too long for them: otherwise what follows a long call were always first. */
static struct kt_window next_turn(const struct kt_recording *r, size_t first, double seconds, double lead,
                                  uint64_t *state)
{
    struct kt_window turn = {first, first, first};
    bool ends_before = kt_random(state) & 1;
    double sum = 0;
    while (turn.end < r->calls && sum < seconds) {
        double next = r->call[turn.end].seconds + gap_part * r->call[turn.end].gap;
        if (ends_before && turn.end > first && sum + next > seconds)
            break;
        sum += next;
        turn.end++;
        turn.counted += sum < lead;
    }
    return turn;
}

/* Threads that a library wakes or creates need some milliseconds until each has a processor of its own: with several a
 * turn is a pass. So it is where several threads make the calls. */
static double length_of_turns(const struct kt_sequences *s)
{
    if (s->lane->recording.seats > 1)
        return INFINITY;
    for (size_t l = 0; l < s->lanes; l++)
        if (s->lane[l].library.threads != 1)
            return INFINITY;
    return turn_seconds;
}

/* False: a process is gone. Turns begin at other calls in each round, so that each call counts in most; and in the
 * first one, which shows what can be played, all do. */
static bool take_turns(struct kt_sequences *s)
{
    size_t order[KT_MOST_LANES];
    const struct kt_recording *r = &s->lane->recording;
    const double length = length_of_turns(s);
    double seconds = (double)(kt_random(&s->seed) % 1024 + 1) / 1024 * length;
    for (size_t first = 0; first < r->calls;) {
        struct kt_window turn = next_turn(r, first, seconds, first && s->rounds ? lead_seconds : 0, &s->seed);
        kt_shuffle(order, s->lanes, &s->seed);
        for (size_t k = 0; k < s->lanes; k++)
            if (!kt_sequence_turn(&s->lane[order[k]], &turn))
                return false;
        first = turn.end;
        seconds = length;
    }
    return true;
}

static bool run_round(struct kt_sequences *s, struct kt_comparison *c)
{
    double begin = kt_now();
    bool is_complete = false;
    renew(s);
    while (!is_complete && !kt_interrupted() && prepare(s))
        is_complete = take_turns(s);
    for (size_t l = 0; l < s->lanes && is_complete; l++)
        keep_times(c, s, l);
    s->rounds += is_complete;
    s->seconds += kt_now() - begin;
    kt_progress("sequence", fmin(s->seconds, s->budget), s->budget);
    return is_complete;
}

/* --- which shapes ------------------------------------------------------------------------------------------ */

/* A library that is wrong in a shape, or did not finish it, may as well crash or hang there: then it is called alone.
 */
static void leave_out_wrong(const struct kt_comparison *c, size_t lane, struct kt_sequence *s)
{
    for (size_t i = 0; c->right.of && i < c->setup.jobs.count; i++) {
        const enum kt_verdict_of_result verdict = kt_right_of(&c->right, lane, i)->verdict;
        if (verdict == KT_RESULT_WRONG || verdict == KT_RESULT_UNFINISHED)
            kt_sequence_leave_out(s, &c->setup.jobs.job[i]);
    }
}

static void forget(struct kt_comparison *c, size_t i)
{
    for (size_t l = 0; l < c->libraries; l++)
        kt_series_forget(&c->schedule.item[i].lane[l]);
}

static bool is_absent(const struct kt_comparison *c, const struct kt_sequences *s, size_t i)
{
    for (size_t l = 0; l < s->lanes; l++)
        if (kt_sequence_absence(&s->lane[l], &c->setup.jobs.job[i]))
            return true;
    return false;
}

static bool is_timed(const struct kt_comparison *c, const struct kt_sequences *s, size_t i)
{
    for (size_t l = 0; l < s->lanes; l++)
        if (!c->schedule.item[i].lane[l].visits)
            return false;
    return true;
}

/* Shapes that are not timed on all are timed one by one. Those that some library cannot play are left out of all
 * sequences, too: what a library does not do leaves its caches to the calls that follow. Those that only lead to calls
 * that count stay, for the same reason: without the ddot before it a daxpy took four times as long. Returns whether any
 * were left out. */
static bool leave_out_unmet(struct kt_comparison *c, struct kt_sequences *s)
{
    bool any = false;
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        bool absent = c->met[i] && is_absent(c, s, i);
        if (!c->met[i] || (!absent && is_timed(c, s, i)))
            continue;
        c->met[i] = false;
        forget(c, i);
        for (size_t l = 0; l < s->lanes && absent; l++)
            kt_sequence_leave_out(&s->lane[l], &c->setup.jobs.job[i]);
        any = any || absent;
    }
    return any;
}

bool kt_sequences_stand_for(double count, double all)
{
    static const double least = 0.5;
    return !(count < least * all);
}

/* Shapes of which the windows hold other calls than most are timed one by one. */
static void leave_out_strange(struct kt_comparison *c, const struct kt_sequence *s)
{
    double *count = kt_resize(NULL, c->setup.jobs.count, sizeof *count);
    double *all = kt_resize(NULL, c->setup.jobs.count, sizeof *all);
    kt_sequence_times_insitu(s, count, all);
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (c->met[i] && !kt_sequences_stand_for(count[i], all[i])) {
            c->met[i] = false;
            forget(c, i);
        }
    free(count);
    free(all);
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
    *out = (struct kt_sequences){.lanes = c->libraries, .budget = budget, .seed = 1, .shapes = c->setup.jobs.count};
    const uint64_t limit = kt_pages_limit() / c->libraries; /* the same for all, which then play the same calls */
    out->lane = kt_zeros(c->libraries, sizeof *out->lane);
    out->total = kt_zeros(c->libraries, sizeof *out->total);
    out->first = kt_zeros(out->shapes * out->lanes, sizeof *out->first);
    for (size_t l = 0; l < c->libraries && !kt_interrupted(); l++) {
        kt_sequence_open(&c->setup, &c->options.replay, &c->worker[l].library,
                         budget / (slowness * (double)c->libraries), limit, &out->lane[l]);
        out->lane[l].rests = true;
        leave_out_wrong(c, l, &out->lane[l]);
    }
    c->has_team = out->lane[0].recording.team > 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        c->met[i] = !c->setup.jobs.job[i].refused;
    for (bool again = true; again && !kt_interrupted();) {
        out->rounds = 0;
        again = run_round(out, c) && leave_out_unmet(c, out);
        for (size_t i = 0; i < c->setup.jobs.count && again; i++)
            forget(c, i);
    }
    if (c->is_as_recorded && out->lane[0].open)
        leave_out_strange(c, &out->lane[0]);
    if (!out->rounds || !kt_comparison_is_any_met(c)) {
        give_up(c);
        out->rounds = 0;
        kt_sequences_close(out);
    }
}

/* --- until it is enough ------------------------------------------------------------------------------------ */

static bool are_settled(const struct kt_sequences *s)
{
    for (size_t l = 1; l < s->lanes; l++) {
        const struct kt_pairs pairs = {.time = s->total[l], .base = s->total[0], .n = s->rounds};
        struct kt_ratio ratio = kt_ratio_of(&pairs);
        if (ratio.hi - ratio.lo > 2 * precision * ratio.value)
            return false;
    }
    return s->rounds >= ENOUGH_ROUNDS && s->renewals >= FEWEST_PROCESSES;
}

static enum kt_stop stop_of(const struct kt_sequences *s)
{
    if (kt_interrupted())
        return KT_STOP_INTERRUPTED;
    if (are_settled(s))
        return KT_STOP_CONVERGED;
    return s->seconds < s->budget ? KT_STOP_ROUNDS : KT_STOP_BUDGET;
}

/* So few pairs of some shape tell nothing. A call that comes once in a pass counts in nine of ten rounds; for these
 * there are more, unless slow libraries make them take too long. */
static bool are_too_few(const struct kt_sequences *s, const struct kt_comparison *c)
{
    bool has_time = s->seconds < s->budget;
    for (size_t i = 0; i < c->setup.jobs.count && s->rounds >= FEWEST_ROUNDS; i++)
        if (c->met[i] && c->schedule.item[i].lane->visits < FEWEST_ROUNDS)
            return s->rounds < FEWEST_WITH_RARE && has_time;
    return s->rounds < FEWEST_ROUNDS;
}

double kt_sequences_first(const struct kt_series *less_others)
{
    struct kt_stat stat = kt_stat_of(less_others->visit, less_others->visits, KT_BEST_QUARTILE);
    return stat.n >= FEWEST_PROCESSES ? fmax(stat.best, 0) : 0;
}

/* What the program's calls took of which windows hold a part. */
static void keep_windowed(struct kt_comparison *c, const struct kt_sequences *s)
{
    double *count = kt_resize(NULL, s->shapes, sizeof *count);
    double *all = kt_resize(NULL, s->shapes, sizeof *all);
    kt_sequence_times_insitu(&s->lane[0], count, all);
    for (size_t i = 0; i < s->shapes; i++)
        if (c->met[i])
            c->windowed[i] = (struct kt_windowed){count[i], all[i]};
    free(count);
    free(all);
}

/* Libraries may be slower than was planned for. */
static void say_overtime(const struct kt_sequences *s)
{
    static const double worth_a_word = 1.2;
    char least[16];
    char budget[16];
    double seconds = s->seconds / s->rounds * FEWEST_ROUNDS;
    if (seconds > worth_a_word * s->budget)
        kt_notice("an interval needs %d rounds, which take about %s: longer than the %s that --budget leaves",
                  FEWEST_ROUNDS, kt_text_seconds(seconds, least), kt_text_seconds(s->budget, budget));
}

void kt_sequences_run(struct kt_sequences *s, struct kt_comparison *c)
{
    if (!s->rounds)
        return;
    say_overtime(s);
    while (s->rounds < MOST_ROUNDS && (are_too_few(s, c) || (s->seconds < s->budget && !are_settled(s))) &&
           run_round(s, c)) {
        leave_out_unmet(c, s);
        if (s->between)
            s->between(s->context);
    }
    kt_progress_end();
    leave_out_unmet(c, s);
    if (s->rounds < FEWEST_ROUNDS && !kt_interrupted())
        give_up(c);
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (c->met[i])
            c->schedule.item[i].stop = stop_of(s);
    const bool any = kt_comparison_is_any_met(c); /* if they gave up nothing of them is used */
    for (size_t i = 0; i < s->shapes * s->lanes && any; i++)
        c->first[i] = kt_sequences_first(&s->first[i]);
    if (c->is_as_recorded && s->lane[0].recording.calls < s->lane[0].recording.course.calls)
        keep_windowed(c, s);
    kt_sequences_close(s);
}

/* What they hold; how long it took stays known. */
void kt_sequences_close(struct kt_sequences *s)
{
    for (size_t l = 0; l < s->lanes; l++) {
        kt_sequence_close(&s->lane[l]);
        free(s->total[l]);
    }
    for (size_t i = 0; s->first && i < s->shapes * s->lanes; i++)
        kt_series_forget(&s->first[i]);
    free(s->first);
    free(s->lane);
    free(s->total);
    s->first = NULL;
    s->lane = NULL;
    s->total = NULL;
    s->lanes = 0;
}
