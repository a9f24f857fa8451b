/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/summary/estimates.h"

#include "trace/base/memory.h"

#include <math.h>

/* --- sums over sampled calls ------------------------------------------------------------------------------- */

enum auxiliary { SECONDS, NESTED, AUXILIARIES };

/* What is known of each quantity is set against: numbers of calls against numbers, all else against times. */
static enum auxiliary auxiliary_of(int quantity)
{
    return quantity == KT_INSIDE_CALLS ? NESTED : SECONDS;
}

/* Of sampled calls. Squares have the weight w (w - 1): a call that stands for itself alone leaves nothing open. */
struct base {
    double n;
    double sum[AUXILIARIES];
    double square[AUXILIARIES];
    double weight[AUXILIARIES]; /* squares of what a call contributes to SUM */
};

/* What a routine does in them. */
struct sums {
    double sum[KT_INSIDE_QUANTITIES];
    double stated[KT_INSIDE_TIMED];
    double square[KT_INSIDE_TIMED];
    double product[KT_INSIDE_TIMED]; /* with the auxiliary */
};

struct cell {
    size_t routine;
    struct sums drawn, certain;
};

/* Calls of a shape. */
struct stratum {
    bool described;
    size_t outer;
    struct kt_inside_population population;
    struct base drawn, certain;
    struct cell *cell; /* owned */
    size_t cells;
};

struct kt_inside {
    struct stratum *stratum; /* of each shape, and one for calls of none */
    size_t shapes;
};

struct kt_inside *kt_inside_new(size_t shapes)
{
    struct kt_inside *inside = kt_resize(NULL, 1, sizeof *inside);
    *inside = (struct kt_inside){.shapes = shapes};
    inside->stratum = kt_zeros(shapes + 1, sizeof *inside->stratum);
    return inside;
}

void kt_inside_describe(struct kt_inside *inside, size_t shape, size_t outer, const struct kt_inside_population *calls)
{
    struct stratum *stratum = &inside->stratum[shape];
    stratum->described = true;
    stratum->outer = outer;
    stratum->population = *calls;
}

static struct cell *cell_of(struct stratum *stratum, size_t routine)
{
    for (size_t i = 0; i < stratum->cells; i++)
        if (stratum->cell[i].routine == routine)
            return &stratum->cell[i];
    stratum->cell = kt_room_for_one(stratum->cell, stratum->cells, sizeof *stratum->cell);
    stratum->cell[stratum->cells] = (struct cell){.routine = routine};
    return &stratum->cell[stratum->cells++];
}

static void add_to_base(struct base *base, const double auxiliary[AUXILIARIES], double weight)
{
    base->n++;
    for (int a = 0; a < AUXILIARIES; a++) {
        base->sum[a] += weight * auxiliary[a];
        base->square[a] += weight * (weight - 1) * auxiliary[a] * auxiliary[a];
        base->weight[a] += weight * weight * auxiliary[a] * auxiliary[a];
    }
}

static void add_to_sums(struct sums *sums, const struct kt_inside_part *part, const double auxiliary[AUXILIARIES],
                        double weight)
{
    double squared = weight * (weight - 1);
    for (int q = 0; q < KT_INSIDE_QUANTITIES; q++)
        sums->sum[q] += weight * part->quantity[q];
    for (int q = 0; q < KT_INSIDE_TIMED; q++) {
        double x = part->quantity[q];
        sums->stated[q] += weight * part->stated[q];
        sums->square[q] += squared * x * x;
        sums->product[q] += squared * x * auxiliary[auxiliary_of(q)];
    }
}

void kt_inside_add(struct kt_inside *inside, const struct kt_inside_call *call, const struct kt_inside_part *part,
                   size_t parts)
{
    struct stratum *stratum = &inside->stratum[call->shape < inside->shapes ? call->shape : inside->shapes];
    const double auxiliary[AUXILIARIES] = {call->seconds, call->nested};
    bool drawn = call->weight > 1;
    add_to_base(drawn ? &stratum->drawn : &stratum->certain, auxiliary, drawn ? call->weight : 1);
    for (size_t i = 0; i < parts; i++) {
        struct cell *cell = cell_of(stratum, part[i].routine);
        add_to_sums(drawn ? &cell->drawn : &cell->certain, &part[i], auxiliary, drawn ? call->weight : 1);
    }
}

/* --- estimates --------------------------------------------------------------------------------------------- */

/* Of a quantity, while parts of it are added. */
struct total {
    double value, stated;
    double variance;
    double over_degrees; /* sum of variance^2 / degrees of freedom */
    double loose;        /* of VALUE, that no interval is known of */
};

struct result {
    struct total of[KT_INSIDE_TIMED];
    double flops, bytes;
    bool seen; /* in calls of the outermost routine at hand */
};

struct estimation {
    const struct kt_inside *inside;
    struct result *result; /* of each routine */
    struct sums *pooled;   /* likewise, of shapes that are taken together */
    bool *is_pooled;
    struct kt_insides *out;
};

/* Below it a sample tells nothing. */
static const double least_effective = 1.5;

/* Sum of the squared residuals of the ratio R. */
static double residual(const struct sums *sums, const struct base *base, int q, double r)
{
    enum auxiliary a = auxiliary_of(q);
    return fmax(sums->square[q] - 2 * r * sums->product[q] + r * r * base->square[a], 0);
}

/* As many calls of equal weight and time would tell as much. A few long ones among many short ones do not tell more for
 * the short ones. */
static double effective(const struct base *base, enum auxiliary a)
{
    return base->weight[a] > 0 ? fmax(base->sum[a] * base->sum[a] / base->weight[a], least_effective) : base->n;
}

static double ratio(double sum, double base)
{
    return base > 0 ? sum / base : 0;
}

/* What the routine does in all calls of the population, as the sample in BASE and SUMS tells. */
static void add_timed(struct total *total, const struct sums *sums, const struct base *base,
                      const struct kt_inside_population *of, int q)
{
    enum auxiliary a = auxiliary_of(q);
    double all = a == NESTED ? of->nested : of->seconds;
    double r = ratio(sums->sum[q], base->sum[a]);
    double scale = ratio(all, base->sum[a]);
    total->value += sums->sum[q] * scale;
    total->stated += sums->stated[q] * scale;
    if (base->n < 2) {
        total->loose += fabs(sums->sum[q] * scale);
        return;
    }
    double n = effective(base, a);
    double variance = n / (n - 1) * residual(sums, base, q, r) * scale * scale;
    total->variance += variance;
    total->over_degrees += variance * variance / fmax(n - 1, 1);
}

static void add_estimate(struct result *result, const struct sums *sums, const struct base *base,
                         const struct kt_inside_population *of, bool is_loose)
{
    struct base single = *base;
    single.n = is_loose ? 1 : base->n;
    for (int q = 0; q < KT_INSIDE_TIMED; q++)
        add_timed(&result->of[q], sums, &single, of, q);
    result->flops += ratio(sums->sum[KT_INSIDE_FLOPS], base->sum[SECONDS]) * of->seconds;
    result->bytes += ratio(sums->sum[KT_INSIDE_BYTES], base->sum[SECONDS]) * of->seconds;
    result->seen = true;
}

/* What happened in calls that stand for themselves. */
static void add_exact(struct result *result, const struct sums *sums)
{
    for (int q = 0; q < KT_INSIDE_TIMED; q++) {
        result->of[q].value += sums->sum[q];
        result->of[q].stated += sums->stated[q];
    }
    result->flops += sums->sum[KT_INSIDE_FLOPS];
    result->bytes += sums->sum[KT_INSIDE_BYTES];
    result->seen = true;
}

static void add_certain(const struct estimation *e, const struct stratum *stratum)
{
    for (size_t i = 0; i < stratum->cells && stratum->certain.n > 0; i++)
        add_exact(&e->result[stratum->cell[i].routine], &stratum->cell[i].certain);
}

static void add_own(const struct estimation *e, const struct stratum *stratum)
{
    for (size_t i = 0; i < stratum->cells; i++)
        add_estimate(&e->result[stratum->cell[i].routine], &stratum->cell[i].drawn, &stratum->drawn,
                     &stratum->population, false);
}

/* --- shapes that are taken together ------------------------------------------------------------------------ */

static bool has_enough(const struct stratum *stratum)
{
    return stratum->drawn.n >= KT_INSIDE_ENOUGH;
}

static bool is_of(const struct stratum *stratum, size_t outer)
{
    return stratum->described && stratum->outer == outer;
}

/* Calls that only ask for the size of a workspace tell nothing of those that work, nor these of them. */
static bool is_alike(const struct stratum *stratum, size_t outer, bool idle)
{
    return is_of(stratum, outer) && stratum->population.idle == idle;
}

/* Who speaks for shapes with too few drawn calls. */
enum speakers { DRAWN_OF_THESE, DRAWN_OF_ALL, CERTAIN };

static bool speaks(const struct stratum *stratum, enum speakers speakers)
{
    return speakers != DRAWN_OF_THESE || !has_enough(stratum);
}

static void join_base(struct base *to, const struct base *from)
{
    to->n += from->n;
    for (int a = 0; a < AUXILIARIES; a++) {
        to->sum[a] += from->sum[a];
        to->square[a] += from->square[a];
        to->weight[a] += from->weight[a];
    }
}

static void join_sums(struct sums *to, const struct sums *from)
{
    for (int q = 0; q < KT_INSIDE_QUANTITIES; q++)
        to->sum[q] += from->sum[q];
    for (int q = 0; q < KT_INSIDE_TIMED; q++) {
        to->stated[q] += from->stated[q];
        to->square[q] += from->square[q];
        to->product[q] += from->product[q];
    }
}

static struct base pool_base(const struct kt_inside *inside, size_t outer, bool idle, enum speakers speakers)
{
    struct base base = {0};
    for (size_t i = 0; i < inside->shapes; i++) {
        const struct stratum *stratum = &inside->stratum[i];
        if (is_alike(stratum, outer, idle) && speaks(stratum, speakers))
            join_base(&base, speakers == CERTAIN ? &stratum->certain : &stratum->drawn);
    }
    return base;
}

static void pool_sums(const struct estimation *e, size_t outer, bool idle, enum speakers speakers)
{
    memset(e->pooled, 0, e->out->routines * sizeof *e->pooled);
    memset(e->is_pooled, 0, e->out->routines * sizeof *e->is_pooled);
    for (size_t i = 0; i < e->inside->shapes; i++) {
        const struct stratum *stratum = &e->inside->stratum[i];
        if (!is_alike(stratum, outer, idle) || !speaks(stratum, speakers))
            continue;
        for (size_t c = 0; c < stratum->cells; c++) {
            const struct cell *cell = &stratum->cell[c];
            join_sums(&e->pooled[cell->routine], speakers == CERTAIN ? &cell->certain : &cell->drawn);
            e->is_pooled[cell->routine] = true;
        }
    }
}

static struct base find_speakers(const struct kt_inside *inside, size_t outer, bool idle, enum speakers *out)
{
    static const double needed[] = {[DRAWN_OF_THESE] = 2, [DRAWN_OF_ALL] = 1, [CERTAIN] = 1};
    struct base base = {0};
    for (*out = DRAWN_OF_THESE; *out <= CERTAIN; (*out)++) {
        base = pool_base(inside, outer, idle, *out);
        if (base.n >= needed[*out])
            break;
    }
    return base;
}

static struct kt_inside_population few_of(const struct kt_inside *inside, size_t outer, bool idle)
{
    struct kt_inside_population few = {0};
    for (size_t i = 0; i < inside->shapes; i++) {
        const struct stratum *stratum = &inside->stratum[i];
        if (!is_alike(stratum, outer, idle) || has_enough(stratum))
            continue;
        few.calls += stratum->population.calls;
        few.seconds += stratum->population.seconds;
        few.nested += stratum->population.nested;
    }
    return few;
}

/* Returns the seconds of calls for which nobody speaks. */
static double add_few(const struct estimation *e, size_t outer, bool idle)
{
    enum speakers speakers;
    struct kt_inside_population few = few_of(e->inside, outer, idle);
    if (few.calls == 0)
        return 0;
    struct base base = find_speakers(e->inside, outer, idle, &speakers);
    if (speakers > CERTAIN)
        return few.seconds;
    pool_sums(e, outer, idle, speakers);
    for (size_t r = 0; r < e->out->routines; r++)
        if (e->is_pooled[r])
            add_estimate(&e->result[r], &e->pooled[r], &base, &few, speakers != DRAWN_OF_THESE);
    return 0;
}

/* --- outermost routines ------------------------------------------------------------------------------------ */

static struct kt_inside_outer *add_outer(struct kt_insides *out, size_t routine)
{
    out->outer = kt_room_for_one(out->outer, out->outers, sizeof *out->outer);
    out->outer[out->outers] = (struct kt_inside_outer){.routine = routine};
    return &out->outer[out->outers++];
}

/* Of calls that do no work only those count whose inside is not known. */
static void count_calls(const struct kt_inside *inside, struct kt_inside_outer *outer)
{
    for (size_t i = 0; i < inside->shapes; i++) {
        const struct stratum *stratum = &inside->stratum[i];
        if (!is_of(stratum, outer->routine) || (stratum->population.idle && stratum->population.calls == 0))
            continue;
        outer->calls += stratum->population.calls + (uint64_t)stratum->certain.n;
        if (stratum->population.idle)
            continue;
        outer->drawn += (uint64_t)stratum->drawn.n;
        outer->sampled += (uint64_t)(stratum->drawn.n + stratum->certain.n);
    }
}

/* The routines that were found in calls of the outermost one. */
static void note_seen(const struct estimation *e, const struct kt_inside_outer *outer)
{
    for (size_t r = 0; r < e->out->routines; r++) {
        if (!e->result[r].seen)
            continue;
        e->out->routine[r].sampled += outer->sampled;
        e->out->routine[r].calls += outer->calls;
        e->result[r].seen = false;
    }
}

static void estimate_outer(const struct estimation *e, size_t routine)
{
    struct kt_inside_outer *outer = add_outer(e->out, routine);
    count_calls(e->inside, outer);
    for (size_t i = 0; i < e->inside->shapes; i++) {
        const struct stratum *stratum = &e->inside->stratum[i];
        if (!is_of(stratum, routine))
            continue;
        add_certain(e, stratum);
        if (has_enough(stratum))
            add_own(e, stratum);
    }
    e->result[routine].seen = true;
    outer->unknown = e->out->routine[routine].unknown = add_few(e, routine, false) + add_few(e, routine, true);
    note_seen(e, outer);
}

static bool is_outer(const struct kt_inside *inside, size_t routine)
{
    for (size_t i = 0; i < inside->shapes; i++)
        if (is_of(&inside->stratum[i], routine))
            return true;
    return false;
}

/* --- the end ----------------------------------------------------------------------------------------------- */

double kt_student(double degrees)
{
    static const double quantile[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
    enum { KNOWN = sizeof quantile / sizeof *quantile };
    const double normal = 1.960;
    if (degrees >= KNOWN) /* the first terms of the expansion at infinity */
        return normal + 2.372 / degrees + 2.823 / (degrees * degrees);
    int below = degrees > 1 ? (int)degrees : 1;
    double part = fmax(degrees - below, 0); /* linear in 1 / degrees */
    part *= (below + 1) / fmax(degrees, 1);
    return quantile[below - 1] + part * (quantile[below < KNOWN ? below : KNOWN - 1] - quantile[below - 1]);
}

/* What recording took is known in two ways: the interval holds what follows from either. */
static struct kt_estimate finish(const struct total *total)
{
    double degrees = total->over_degrees > 0 ? total->variance * total->variance / total->over_degrees : 1;
    double half = total->variance > 0 ? kt_student(degrees) * sqrt(total->variance) : 0;
    return (struct kt_estimate){.value = total->value,
                                .lo = fmin(total->value, total->stated) - half,
                                .hi = fmax(total->value, total->stated) + half,
                                .loose = total->loose};
}

/* A loose part is as wrong as it is large; an interval that is mostly that tells nothing. */
struct kt_estimate kt_estimate_shift(struct kt_estimate estimate, double exact)
{
    static const double most_loose = 0.5; /* of the value */
    double value = fmax(estimate.value + exact, 0);
    struct kt_estimate shifted = {.value = value,
                                  .lo = fmax(estimate.lo + exact - estimate.loose, 0),
                                  .hi = fmax(estimate.hi + exact + estimate.loose, 0),
                                  .loose = estimate.loose};
    if (estimate.loose > most_loose * value)
        shifted.lo = shifted.hi = NAN;
    return shifted;
}

static void free_inside(struct kt_inside *inside)
{
    for (size_t i = 0; i <= inside->shapes; i++)
        free(inside->stratum[i].cell);
    free(inside->stratum);
    free(inside);
}

static void take_results(const struct estimation *e)
{
    for (size_t r = 0; r < e->out->routines; r++) {
        struct kt_inside_routine *routine = &e->out->routine[r];
        for (int q = 0; q < KT_INSIDE_TIMED; q++)
            routine->of[q] = finish(&e->result[r].of[q]);
        routine->flops = e->result[r].flops;
        routine->bytes = e->result[r].bytes;
    }
}

void kt_inside_finish(struct kt_inside *inside, size_t routines, struct kt_insides *out)
{
    struct estimation e = {.inside = inside, .out = out};
    *out = (struct kt_insides){.routines = routines};
    out->routine = kt_resize(NULL, routines, sizeof *out->routine);
    e.result = kt_resize(NULL, routines, sizeof *e.result);
    e.pooled = kt_resize(NULL, routines, sizeof *e.pooled);
    e.is_pooled = kt_resize(NULL, routines, sizeof *e.is_pooled);
    memset(out->routine, 0, routines * sizeof *out->routine);
    memset(e.result, 0, routines * sizeof *e.result);
    for (size_t r = 0; r < routines; r++)
        if (is_outer(inside, r))
            estimate_outer(&e, r);
    add_certain(&e, &inside->stratum[inside->shapes]);
    take_results(&e);
    free(e.result);
    free(e.pooled);
    free(e.is_pooled);
    free_inside(inside);
}

void kt_insides_free(struct kt_insides *insides)
{
    free(insides->routine);
    free(insides->outer);
    *insides = (struct kt_insides){0};
}
