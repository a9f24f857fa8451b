/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/decomposition/paired.h"

#include "trace/base/memory.h"
#include "trace/base/random.h"
#include "trace/base/stats.h"

#include <math.h>

const char *const kt_paired_part_name[] = {
#define KT_PAIRED_NAME(name, text) [KT_PAIRED_##name] = text,
    KT_PAIRED_PARTS_LIST(KT_PAIRED_NAME)
#undef KT_PAIRED_NAME
};

enum { REPLICATES = 300, BEYOND = KT_PAIRED_PARTS, TRACKED, SEQUENCE, VALUES };
static const double nearly_none = 0.02; /* of the time in situ */
static const double slower = 0.1;

/* Pairs, each as often as it was drawn. */
struct draw {
    size_t *pair;
    size_t pairs;
};

/* Of one shape in one pair, as parts of the median call in situ. */
typedef double value_of(const struct kt_paired_shape *shape, size_t pair);

static double at(const struct kt_paired_shape *s, enum kt_paired_time time, size_t pair)
{
    return s->time[time][pair];
}

static double bound_of(const struct kt_paired_shape *s, size_t pair)
{
    return isnan(s->bound) ? 0 : fmin(s->bound, at(s, KT_PAIRED_WARM, pair));
}

static double bound_part(const struct kt_paired_shape *s, size_t pair)
{
    return bound_of(s, pair) / at(s, KT_PAIRED_MEDIAN, pair);
}

static double warm_part(const struct kt_paired_shape *s, size_t pair)
{
    return at(s, KT_PAIRED_WARM, pair) / at(s, KT_PAIRED_MEDIAN, pair);
}

static double context_part(const struct kt_paired_shape *s, size_t pair)
{
    return at(s, KT_PAIRED_CONTEXT, pair) / at(s, KT_PAIRED_MEDIAN, pair);
}

static double uneven_part(const struct kt_paired_shape *s, size_t pair)
{
    return 1 - at(s, KT_PAIRED_MEDIAN, pair) / at(s, KT_PAIRED_INSITU, pair);
}

static double tracked_part(const struct kt_paired_shape *s, size_t pair)
{
    return at(s, KT_PAIRED_TRACKED, pair) / at(s, KT_PAIRED_MEDIAN, pair);
}

static double sequence_part(const struct kt_paired_shape *s, size_t pair)
{
    return at(s, KT_PAIRED_SEQUENCE, pair) / at(s, KT_PAIRED_PLAYED, pair);
}

static double insitu(const struct kt_paired_shape *s, size_t pair)
{
    return at(s, KT_PAIRED_INSITU, pair);
}

static double played(const struct kt_paired_shape *s, size_t pair)
{
    return at(s, KT_PAIRED_PLAYED, pair);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *value, size_t count)
{
    if (!count)
        return NAN;
    qsort(value, count, sizeof *value, compare);
    return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

/* Over the pairs of a draw in which it is known. */
static double median_over(const struct kt_paired_shape *s, value_of *value, const struct draw *draw)
{
    double known[KT_PAIRED_MOST];
    size_t count = 0;
    for (size_t i = 0; i < draw->pairs; i++) {
        double one = value(s, draw->pair[i]);
        if (isfinite(one))
            known[count++] = one;
    }
    return median_of(known, count);
}

static size_t count_known(const double *time, size_t pairs)
{
    size_t count = 0;
    for (size_t i = 0; i < pairs; i++)
        count += isfinite(time[i]);
    return count;
}

void kt_paired_choose_context(struct kt_paired_shape *s, size_t pairs)
{
    const double *played = s->time[KT_PAIRED_SEQUENCE_MEDIAN];
    const double *tracked = s->time[KT_PAIRED_TRACKED];
    double *context = s->time[KT_PAIRED_CONTEXT];
    for (size_t i = 0; i < pairs; i++)
        context[i] = played[i] / at(s, KT_PAIRED_PLAYED_MEDIAN, i) * at(s, KT_PAIRED_MEDIAN, i);
    bool is_played = count_known(context, pairs) && 2 * count_known(context, pairs) >= count_known(tracked, pairs);
    if (!is_played)
        memcpy(context, tracked, pairs * sizeof *context);
}

/* Has any pair a replay where operands were? A draw has as many pairs as there are. */
static bool is_in_context(const struct kt_paired_shape *s, size_t pairs)
{
    return count_known(s->time[KT_PAIRED_CONTEXT], pairs) > 0;
}

/* Parts of one shape. The median call is taken apart by three ratios to it, or two, and what is left is the residual,
 * or unsplit. */
static bool find_parts(const struct kt_paired_shape *s, const struct draw *draw, double part[KT_PAIRED_PARTS])
{
    bool in_context = is_in_context(s, draw->pairs);
    double warm = median_over(s, warm_part, draw);
    double bound = median_over(s, bound_part, draw);
    double uneven = median_over(s, uneven_part, draw);
    double context = in_context ? median_over(s, context_part, draw) : warm;
    if (isnan(context + warm + uneven))
        return false;
    warm = fmin(warm, context);
    bound = fmin(bound, warm);
    part[KT_PAIRED_BOUND] = (1 - uneven) * bound;
    part[KT_PAIRED_LIBRARY] = (1 - uneven) * (warm - bound);
    part[KT_PAIRED_CACHE] = (1 - uneven) * (context - warm);
    part[KT_PAIRED_RESIDUAL] = in_context ? (1 - uneven) * (1 - context) : 0;
    part[KT_PAIRED_UNSPLIT] = in_context ? 0 : (1 - uneven) * (1 - warm);
    part[KT_PAIRED_UNEVEN] = uneven;
    return true;
}

/* A sum over shapes of parts, each by the seconds that it is a part of. */
struct weighted {
    double sum, weight;
};

static void weigh(struct weighted *w, double part, double seconds)
{
    if (!isfinite(part) || !isfinite(seconds))
        return;
    w->sum += part * seconds;
    w->weight += seconds;
}

static void add_shape(const struct kt_paired_shape *s, const struct draw *draw, struct weighted out[VALUES],
                      double *missing)
{
    double part[KT_PAIRED_PARTS];
    double seconds = s->calls * median_over(s, insitu, draw);
    bool known = find_parts(s, draw, part);
    *missing += !known && isfinite(seconds) ? seconds : 0;
    for (int p = 0; p < KT_PAIRED_PARTS; p++)
        weigh(&out[p], known ? part[p] : NAN, seconds);
    weigh(&out[BEYOND], known ? part[KT_PAIRED_RESIDUAL] + part[KT_PAIRED_UNSPLIT] : NAN, seconds);
    weigh(&out[TRACKED], median_over(s, tracked_part, draw), known ? seconds : NAN);
    weigh(&out[SEQUENCE], median_over(s, sequence_part, draw), s->calls * median_over(s, played, draw));
}

static void sum_up(const struct kt_paired_shape *const *shape, size_t shapes, const struct draw *draw,
                   struct weighted out[VALUES], double *missing)
{
    *missing = 0;
    memset(out, 0, VALUES * sizeof *out);
    for (size_t i = 0; i < shapes; i++)
        add_shape(shape[i], draw, out, missing);
}

/* --- intervals ----------------------------------------------------------------------------------------------- */

static void draw_again(struct draw *draw, uint64_t *state)
{
    for (size_t i = 0; i < draw->pairs; i++)
        draw->pair[i] = kt_random(state) % draw->pairs;
}

/* The 95 % between the replicates' tails, which are sorted. */
static struct kt_time interval_of(double value, double *replicate)
{
    enum { TAIL = REPLICATES / 40 };
    qsort(replicate, REPLICATES, sizeof *replicate, compare);
    return (struct kt_time){value, fmin(value, replicate[TAIL]), fmax(value, replicate[REPLICATES - 1 - TAIL])};
}

static double ratio_of(const struct weighted *w)
{
    return w->weight > 0 ? w->sum / w->weight : NAN;
}

/* Replicates in which no shape has a pair count as the value itself. */
static void find_intervals(const struct kt_paired_shape *const *shape, size_t shapes, struct draw *draw,
                           const struct weighted value[VALUES], struct kt_time out[VALUES])
{
    uint64_t state = 1;
    double missing;
    struct weighted drawn[VALUES];
    double(*replicate)[REPLICATES] = kt_resize(NULL, VALUES, sizeof *replicate);
    for (size_t r = 0; r < REPLICATES; r++) {
        draw_again(draw, &state);
        sum_up(shape, shapes, draw, drawn, &missing);
        for (int v = 0; v < VALUES; v++)
            replicate[v][r] = drawn[v].weight > 0 ? ratio_of(&drawn[v]) : ratio_of(&value[v]);
    }
    for (int v = 0; v < VALUES; v++)
        out[v] = interval_of(ratio_of(&value[v]), replicate[v]);
    free(replicate);
}

static size_t count_pairs(const struct kt_paired_shape *s, size_t pairs)
{
    size_t count = 0;
    bool in_context = is_in_context(s, pairs);
    for (size_t i = 0; i < pairs; i++)
        count += isfinite(warm_part(s, i)) && (!in_context || isfinite(context_part(s, i)));
    return count;
}

/* What is known of the shapes: how many pairs, whether in context, and whether their operations are counted. */
static void add_pairs(const struct kt_paired_shape *const *shape, size_t shapes, const struct draw *all,
                      struct kt_paired_sum *sum)
{
    double part[KT_PAIRED_PARTS];
    bool any_in_context = false;
    double undivided = 0;
    for (size_t i = 0; i < shapes; i++) {
        size_t count = count_pairs(shape[i], all->pairs);
        bool in_context = is_in_context(shape[i], all->pairs);
        sum->pairs = count > sum->pairs ? count : sum->pairs;
        if (!find_parts(shape[i], all, part))
            continue;
        double seconds = shape[i]->calls * median_over(shape[i], insitu, all);
        any_in_context = any_in_context || in_context;
        sum->unsplit += in_context ? 0 : seconds;
        undivided += shape[i]->uncounted ? seconds * part[KT_PAIRED_LIBRARY] : 0;
    }
    sum->undivided = sum->seconds > 0 ? undivided / sum->seconds : 0;
    sum->part[KT_PAIRED_BOUND].hi += sum->undivided;
    sum->part[KT_PAIRED_LIBRARY].lo -= sum->undivided;
    if (!any_in_context)
        sum->part[KT_PAIRED_CACHE] = sum->part[KT_PAIRED_RESIDUAL] = (struct kt_time){NAN, NAN, NAN};
}

struct kt_paired_sum kt_paired_sum(const struct kt_paired_shape *const *shape, size_t shapes, size_t pairs)
{
    struct weighted value[VALUES];
    struct kt_time time[VALUES];
    struct kt_paired_sum sum = {0};
    struct draw draw = {kt_resize(NULL, pairs, sizeof *draw.pair), pairs};
    for (size_t i = 0; i < pairs; i++)
        draw.pair[i] = i;
    sum_up(shape, shapes, &draw, value, &sum.missing);
    find_intervals(shape, shapes, &draw, value, time);
    sum.seconds = value[KT_PAIRED_BOUND].weight;
    for (int p = 0; p < KT_PAIRED_PARTS; p++)
        sum.part[p] = time[p];
    sum.beyond = time[BEYOND];
    sum.tracked = time[TRACKED];
    sum.sequence = time[SEQUENCE];
    add_pairs(shape, shapes, &draw, &sum);
    free(draw.pair);
    return sum;
}

bool kt_paired_is_slower(const struct kt_paired_sum *sum)
{
    return sum->beyond.value < -slower && sum->beyond.hi < 0;
}

/* Are there pairs enough, which met the same? What is uneven follows from the runs alone. */
static bool may_tell(const struct kt_paired_sum *sum, enum kt_paired_part part)
{
    return sum->pairs >= KT_PAIRED_LEAST && (part == KT_PAIRED_UNEVEN || !kt_paired_is_slower(sum));
}

enum kt_paired_sign kt_paired_sign(const struct kt_paired_sum *sum, enum kt_paired_part p)
{
    const struct kt_time *part = &sum->part[p];
    if (p == KT_PAIRED_UNSPLIT && sum->unsplit == 0)
        return KT_SIGN_NONE;
    if (!may_tell(sum, p))
        return KT_SIGN_CANNOT_TELL;
    if (part->lo > -nearly_none && part->hi < nearly_none)
        return KT_SIGN_NONE;
    return kt_decomposition_is_told(part) ? KT_SIGN_KNOWN : KT_SIGN_CANNOT_TELL;
}

enum kt_paired_part kt_paired_dominant(const struct kt_paired_sum *sum)
{
    int most = 0;
    for (int p = 1; p < KT_PAIRED_PARTS; p++)
        most = sum->part[p].value > sum->part[most].value ? p : most;
    for (int p = 0; p < KT_PAIRED_PARTS; p++)
        if (p != most && sum->part[p].hi >= sum->part[most].lo)
            return KT_PAIRED_PARTS;
    bool is_known = may_tell(sum, (enum kt_paired_part)most) && sum->part[most].lo > 0;
    return is_known ? (enum kt_paired_part)most : KT_PAIRED_PARTS;
}
