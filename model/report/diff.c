/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/diff.h"

#include "model/report/diff_match.h"
#include "trace/base/memory.h"

#include <math.h>

/*
 * Two runs of a program differ by how code and data happen to lie in memory, each of them from its first call to its
 * last: by nanoseconds in the shortest calls, and then by a few per cent (dgemm of order 16: 1.52 us in some processes,
 * 1.61 in others). What is longer than a microsecond or so differs by no more than this many seconds.
 */
static const double placement_least = 10e-9;
static const double placement_share = 0.08;
static const double placement_most = 100e-9;

/* The drift is not estimated from fewer shapes; their spread neither, nor what shapes of a routine have in common. */
enum { DRIFT_SHAPES = 5, SPREAD_SHAPES = 8, ROUTINE_SHAPES = 3, TAKEN = 4096 };

/* A change is larger than so many standard deviations of what shapes differ by anyway. */
static const double spreads = 3;

const struct kt_diff_limits kt_diff_usual = {.margin = 0.03, .share = 0.001, .level = 0.05};

const char *const kt_change_name[KT_CHANGES] = {
    [KT_SAME] = "same",     [KT_UNSURE] = "cannot tell", [KT_TOO_FEW] = "too few",
    [KT_SMALL] = "small",   [KT_UNLIKE] = "unlike",      [KT_SLOWER] = "slower",
    [KT_FASTER] = "faster", [KT_APPEARED] = "new",       [KT_VANISHED] = "vanished",
};

/* --- numbers ----------------------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts. */
static double median(double *x, size_t n)
{
    if (n == 0)
        return NAN;
    qsort(x, n, sizeof *x, compare_numbers);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* Durations of 0 are shorter than a tick. */
static double logarithm(double seconds)
{
    return log(fmax(seconds, 1e-10));
}

void kt_diff_fill(struct kt_diff_side *side, const struct kt_samples *samples, uint64_t calls, double total)
{
    double *taken = kt_resize(NULL, TAKEN, sizeof *taken);
    size_t n = kt_samples_take(samples, taken, TAKEN);
    size_t blocks = n < KT_DIFF_BLOCKS ? n : KT_DIFF_BLOCKS;
    side->calls = calls;
    side->total = total;
    side->stat = kt_samples_stat(samples, KT_BEST_MEDIAN);
    side->blocks = (int)blocks;
    for (size_t b = 0; b < blocks; b++) {
        size_t from = b * n / blocks;
        size_t to = (b + 1) * n / blocks;
        side->block[b] = logarithm(median(taken + from, to - from));
    }
    free(taken);
}

/* --- which shapes are tested ------------------------------------------------------------------------------- */

static bool is_in_both(const struct kt_diff_shape *s)
{
    return s->side[0].calls && s->side[1].calls;
}

static bool has_weight(const struct kt_diff *diff, const struct kt_diff_shape *s, double share)
{
    return s->side[0].total >= share * diff->total[0] || s->side[1].total >= share * diff->total[1];
}

/* In one run what nests in the calls was recorded, in the other it was not. What recording took is known to a factor of
 * three or so: as this part of the time it stays below the margin. */
static bool is_unlike(const struct kt_diff_shape *s)
{
    static const double worth_a_word = 0.005;
    double least = fmin(s->side[0].subtracted, s->side[1].subtracted);
    return least == 0 && fmax(s->side[0].subtracted, s->side[1].subtracted) > worth_a_word;
}

/* Before it is tested. */
static enum kt_change first_look(const struct kt_diff *diff, const struct kt_diff_shape *s, double share)
{
    if (!s->side[0].calls)
        return KT_APPEARED;
    if (!s->side[1].calls)
        return KT_VANISHED;
    if (!has_weight(diff, s, share))
        return KT_SMALL;
    if (is_unlike(s))
        return KT_UNLIKE;
    return s->side[0].blocks < KT_DIFF_LEAST || s->side[1].blocks < KT_DIFF_LEAST ? KT_TOO_FEW : KT_SAME;
}

/* --- slow spells ------------------------------------------------------------------------------------------- */

static double middle_of(const struct kt_diff_side *side)
{
    double sorted[KT_DIFF_BLOCKS];
    memcpy(sorted, side->block, sizeof sorted);
    return median(sorted, KT_DIFF_BLOCKS);
}

/* By how much the shapes were slower than usual at that stage of the run: the median. */
static double spell_at(const struct kt_diff *diff, int run, int block, const double *middle, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < diff->shapes; i++)
        if (!isnan(middle[i]))
            room[n++] = diff->shape[i].side[run].block[block] - middle[i];
    return n >= DRIFT_SHAPES ? median(room, n) : 0;
}

/*
 * A program that goes round in a loop makes the calls of all shapes side by side, so that spells of the machine show in
 * the same blocks of all: they are taken out. Where shapes have their time one after the other, there is nothing that
 * blocks have in common, and nothing happens.
 */
static void take_out_spells(struct kt_diff *diff, int run)
{
    double *middle = kt_resize(NULL, diff->shapes, sizeof *middle);
    double *room = kt_resize(NULL, diff->shapes, sizeof *room);
    for (size_t i = 0; i < diff->shapes; i++) {
        const struct kt_diff_shape *s = &diff->shape[i];
        bool counts = s->change == KT_SAME && s->side[run].blocks == KT_DIFF_BLOCKS;
        middle[i] = counts ? middle_of(&s->side[run]) : NAN;
    }
    for (int b = 0; b < KT_DIFF_BLOCKS; b++) {
        double spell = spell_at(diff, run, b, middle, room);
        for (size_t i = 0; i < diff->shapes; i++)
            diff->shape[i].side[run].block[b] -= isnan(middle[i]) ? 0 : spell;
    }
    free(middle);
    free(room);
}

/* --- routines ---------------------------------------------------------------------------------------------- */

static struct kt_diff_routine *find_routine(struct kt_diff *diff, const char *name)
{
    for (size_t i = 0; i < diff->routines; i++)
        if (!strcmp(diff->routine[i].name, name))
            return &diff->routine[i];
    diff->routine = kt_room_for_one(diff->routine, diff->routines, sizeof *diff->routine);
    diff->routine[diff->routines] = (struct kt_diff_routine){.name = name};
    return &diff->routine[diff->routines++];
}

static void sum_up_routines(struct kt_diff *diff)
{
    diff->routines = 0;
    for (size_t i = 0; i < diff->shapes; i++) {
        const struct kt_diff_shape *s = &diff->shape[i];
        struct kt_diff_routine *r = find_routine(diff, s->routine);
        for (int side = 0; side < 2; side++) {
            r->calls[side] += s->side[side].calls;
            r->total[side] += s->side[side].total;
        }
    }
}

/* --- what changed ------------------------------------------------------------------------------------------ */

static void measure_shape(struct kt_diff_shape *s)
{
    s->ratio = s->shift = s->shift_lo = s->shift_hi = s->lo = s->hi = s->p = NAN;
    if (!is_in_both(s))
        return;
    struct kt_rank_shift shift =
        kt_rank_shift(s->side[0].block, s->side[0].blocks, s->side[1].block, s->side[1].blocks);
    s->ratio = s->side[1].stat.median / s->side[0].stat.median;
    s->shift = exp(shift.shift);
    s->shift_lo = exp(shift.lo);
    s->shift_hi = exp(shift.hi);
    s->lo = fmin(s->shift_lo, s->ratio);
    s->hi = fmax(s->shift_hi, s->ratio);
}

static void measure(struct kt_diff *diff)
{
    for (size_t i = 0; i < diff->shapes; i++) {
        measure_shape(&diff->shape[i]);
        diff->tested += diff->shape[i].change == KT_SAME;
    }
}

/* The logarithms of the ratios of tested shapes, of ROUTINE (NULL: all); returns how many. */
static size_t take_ratios(const struct kt_diff *diff, const char *routine, double *out)
{
    size_t n = 0;
    for (size_t i = 0; i < diff->shapes; i++)
        if (diff->shape[i].change == KT_SAME && (!routine || !strcmp(diff->shape[i].routine, routine)))
            out[n++] = log(diff->shape[i].shift);
    return n;
}

/* 1.4826 makes the median of deviations the standard deviation of a normal distribution. */
static void estimate_drift(struct kt_diff *diff)
{
    double *ratio = kt_resize(NULL, diff->shapes, sizeof *ratio);
    size_t n = take_ratios(diff, NULL, ratio);
    double middle = median(ratio, n);
    diff->drift = n >= DRIFT_SHAPES ? exp(middle) : NAN;
    diff->spread = 0;
    for (size_t i = 0; i < n; i++)
        ratio[i] = fabs(ratio[i] - middle);
    if (n >= SPREAD_SHAPES)
        diff->spread = 1.4826 * median(ratio, n);
    free(ratio);
}

static double placement(double seconds)
{
    return fmin(fmax(placement_least, placement_share * seconds), placement_most);
}

static bool differs_enough(const struct kt_diff_shape *s, double drift)
{
    double before = s->side[0].stat.median;
    return fabs(s->side[1].stat.median / drift - before) > placement(before);
}

/* What slows a machine by more does not slow all shapes alike: who has to share a core with a neighbour loses half of
 * its units, but a chain of additions, of which each waits for the one before, loses nothing (0.52 for dgemm, 1.00 for
 * ddot). */
static const double common_drift = 0.25; /* logarithm */

/* The most that the machine may have slowed the shape from the first run to the second; logarithms. Shapes that did not
 * share that drift may have had a usual one. */
static double most_drift(double drift)
{
    return fabs(drift) > common_drift ? fmax(drift, common_drift) : drift;
}

/*
 * What all shapes of a routine have in common. A machine that is slower for the kernels of one routine looks like this
 * (six orders of dgemm 1.25 times slower, all else as before), and one pair of runs cannot tell it from a routine that
 * is slower: so it is told of the routine, and is no change of its shapes.
 */
static void estimate_routine_drifts(struct kt_diff *diff)
{
    double *ratio = kt_resize(NULL, diff->shapes, sizeof *ratio);
    for (size_t i = 0; i < diff->routines; i++) {
        size_t n = take_ratios(diff, diff->routine[i].name, ratio);
        diff->routine[i].drift = n >= ROUTINE_SHAPES ? exp(median(ratio, n)) : NAN;
    }
    free(ratio);
}

/* As far from that of all as a machine can be the cause; NAN: not known. Logarithms but for the routine's. */
static double routine_drift(const struct kt_diff_routine *routine, double of_all)
{
    double apart = log(routine->drift) - of_all;
    return isnan(apart) ? NAN : of_all + fmax(-common_drift, fmin(apart, common_drift));
}

/* Probability that the shape changed by less than the margin either way, were there nothing but chance. */
static void test(struct kt_diff *diff, struct kt_diff_shape *s, double drift)
{
    const struct kt_diff_side *a = &s->side[0];
    const struct kt_diff_side *b = &s->side[1];
    double of_routine = diff->drift_out && s->routine ? routine_drift(find_routine(diff, s->routine), log(drift)) : NAN;
    double most = fmax(most_drift(log(drift)), of_routine); /* a NAN does not count */
    double least = fmin(-most_drift(-log(drift)), of_routine);
    double slower = kt_rank_above(a->block, a->blocks, b->block, b->blocks, most + diff->margin);
    double faster = kt_rank_above(b->block, b->blocks, a->block, a->blocks, diff->margin - least);
    s->p = differs_enough(s, drift) ? fmin(1, 2 * fmin(slower, faster)) : 1;
}

static void tell_direction(struct kt_diff_shape *s, double level, double drift)
{
    bool slower = s->shift > drift;
    if (s->p <= level && slower == (s->ratio > drift))
        s->change = slower ? KT_SLOWER : KT_FASTER;
}

/* Corrected for as many shapes as were tested. */
static void correct(struct kt_diff *diff, double level, double drift)
{
    double *p = kt_resize(NULL, diff->tested, sizeof *p);
    int n = 0;
    for (size_t i = 0; i < diff->shapes; i++)
        if (diff->shape[i].change == KT_SAME)
            p[n++] = diff->shape[i].p;
    kt_holm(p, n);
    n = 0;
    for (size_t i = 0; i < diff->shapes; i++) {
        struct kt_diff_shape *s = &diff->shape[i];
        if (s->change != KT_SAME)
            continue;
        s->p = p[n++];
        tell_direction(s, level, drift);
    }
    free(p);
}

/* An interval of few blocks has no ends. It is the one beside the ratio that is printed: where the medians differ and
 * the blocks without the machine's spells do not, a reader cannot tell either. */
static void tell_unsure(const struct kt_diff *diff, struct kt_diff_shape *s, double drift)
{
    double margin = exp(diff->margin);
    if (s->change == KT_SAME && !(s->lo >= drift / margin && s->hi <= drift * margin))
        s->change = KT_UNSURE;
}

/* --- the total --------------------------------------------------------------------------------------------- */

/* What a shape takes in that block of that run; where calls are too few for blocks, or cannot be compared, as if they
 * took what they took before. */
static double seconds_in_block(const struct kt_diff_shape *s, int run, int block)
{
    const struct kt_diff_side *side = &s->side[run];
    double part = (double)side->calls / KT_DIFF_BLOCKS;
    if (!is_in_both(s))
        return side->total / KT_DIFF_BLOCKS;
    if (s->change == KT_UNLIKE || s->side[0].blocks < KT_DIFF_BLOCKS || s->side[1].blocks < KT_DIFF_BLOCKS)
        return part * s->side[0].total / (double)s->side[0].calls;
    return part * exp(side->block[block]);
}

static void sum_up_blocks(struct kt_diff *diff, int run)
{
    struct kt_diff_side *all = &diff->all.side[run];
    all->total = diff->total[run];
    all->blocks = KT_DIFF_BLOCKS;
    for (size_t i = 0; i < diff->shapes; i++)
        all->calls += diff->shape[i].side[run].calls;
    for (int b = 0; b < KT_DIFF_BLOCKS; b++) {
        double seconds = 0;
        for (size_t i = 0; i < diff->shapes; i++)
            seconds += seconds_in_block(&diff->shape[i], run, b);
        all->block[b] = logarithm(seconds);
    }
    all->stat.median = exp(middle_of(all));
}

static void judge_total(struct kt_diff *diff, double level, double drift)
{
    diff->all = (struct kt_diff_shape){.change = KT_SAME};
    for (int run = 0; run < 2; run++)
        sum_up_blocks(diff, run);
    measure_shape(&diff->all);
    if (!is_in_both(&diff->all))
        return;
    test(diff, &diff->all, drift);
    tell_direction(&diff->all, level, drift);
    tell_unsure(diff, &diff->all, drift);
}

double kt_diff_drift(const struct kt_diff *diff)
{
    return diff->drift_out && !isnan(diff->drift) ? diff->drift : 1;
}

bool kt_diff_is_above(const struct kt_diff *diff, const struct kt_diff_shape *shape, double above)
{
    return shape->change == KT_SLOWER && shape->shift_lo / kt_diff_drift(diff) > 1 + above;
}

bool kt_diff_fails(const struct kt_diff *diff, double above)
{
    bool fails = kt_diff_is_above(diff, &diff->all, above);
    for (size_t i = 0; i < diff->shapes; i++)
        fails |= kt_diff_is_above(diff, &diff->shape[i], above);
    return fails;
}

/* --- the order --------------------------------------------------------------------------------------------- */

static bool is_change(enum kt_change change)
{
    return change >= KT_SLOWER;
}

static double time_won(const struct kt_diff_shape *s)
{
    return fabs(s->side[1].total - s->side[0].total);
}

static int compare_shapes(const void *a, const void *b)
{
    const struct kt_diff_shape *x = a;
    const struct kt_diff_shape *y = b;
    if (is_change(x->change) != is_change(y->change))
        return is_change(x->change) ? -1 : 1;
    if (time_won(x) != time_won(y))
        return time_won(x) > time_won(y) ? -1 : 1;
    return (x->first.n > y->first.n) - (x->first.n < y->first.n);
}

static int compare_routines(const void *a, const void *b)
{
    const struct kt_diff_routine *x = a;
    const struct kt_diff_routine *y = b;
    double won_x = fabs(x->total[1] - x->total[0]);
    double won_y = fabs(y->total[1] - y->total[0]);
    return won_x != won_y ? (won_x < won_y) - (won_x > won_y) : strcmp(x->name, y->name);
}

static void count_changes(struct kt_diff *diff)
{
    for (size_t i = 0; i < diff->shapes; i++) {
        find_routine(diff, diff->shape[i].routine)->changed += is_change(diff->shape[i].change);
        diff->changed += is_change(diff->shape[i].change);
    }
}

/* Shapes of other libraries and machines differ for their own reasons, and more than this is no machine's. */
static double margin_of(const struct kt_diff *diff, const struct kt_diff_limits *limits)
{
    double asked = log1p(limits->margin);
    double found = diff->drift_out ? fmin(spreads * diff->spread, common_drift) : 0;
    return fmax(asked, found);
}

void kt_diff_judge(struct kt_diff *diff, const struct kt_diff_limits *limits)
{
    diff->tested = 0;
    diff->changed = 0;
    for (size_t i = 0; i < diff->shapes; i++)
        diff->shape[i].change = first_look(diff, &diff->shape[i], limits->share);
    for (int run = 0; run < 2; run++)
        take_out_spells(diff, run);
    measure(diff);
    estimate_drift(diff);
    sum_up_routines(diff);
    estimate_routine_drifts(diff);
    diff->margin = margin_of(diff, limits);
    double drift = kt_diff_drift(diff);
    for (size_t i = 0; i < diff->shapes; i++)
        if (diff->shape[i].change == KT_SAME)
            test(diff, &diff->shape[i], drift);
    correct(diff, limits->level, drift);
    judge_total(diff, limits->level, drift);
    for (size_t i = 0; i < diff->shapes; i++)
        tell_unsure(diff, &diff->shape[i], drift);
    count_changes(diff);
    if (diff->shapes)
        qsort(diff->shape, diff->shapes, sizeof *diff->shape, compare_shapes);
    if (diff->routines)
        qsort(diff->routine, diff->routines, sizeof *diff->routine, compare_routines);
}

/* --- all of it --------------------------------------------------------------------------------------------- */

static void fill_side(struct kt_diff_side *out, const struct kt_diff_node *node, int side)
{
    kt_diff_fill(out, &node->samples[side], node->calls[side], node->total[side]);
    out->subtracted = node->total[side] > 0 ? node->subtracted[side] / node->total[side] : 0;
}

static void add_node(struct kt_diff *diff, const struct kt_diff_node *node)
{
    struct kt_diff_shape *s = &diff->shape[diff->shapes++];
    *s = (struct kt_diff_shape){.first = node->first, .also = node->also, .routine = node->key.routine};
    kt_shape_text(&node->first, s->text, KT_DIFF_TEXT);
    for (int side = 0; side < 2; side++) {
        s->most[side] = node->most[side];
        if (node->has[side])
            fill_side(&s->side[side], node, side);
    }
}

void kt_diff_make(const struct kt_shapes shapes[2], bool comparable, const struct kt_diff_limits *limits,
                  struct kt_diff *out)
{
    struct kt_diff_match m = {0};
    *out = (struct kt_diff){.drift_out = comparable};
    for (int side = 0; side < 2; side++) {
        out->total[side] = shapes[side].seconds;
        for (size_t i = 0; i < shapes[side].count; i++)
            kt_diff_match_add(&m, side, &shapes[side].shape[i]);
    }
    kt_diff_match_words(&m);
    out->shape = kt_resize(NULL, m.count, sizeof *out->shape);
    for (size_t i = 0; i < m.count; i++)
        add_node(out, m.node[i]);
    kt_diff_match_free(&m);
    kt_diff_judge(out, limits);
}

void kt_diff_free(struct kt_diff *diff)
{
    free(diff->shape);
    free(diff->routine);
    *diff = (struct kt_diff){0};
}
