/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/kernels/crossover.h"

#include "model/kernels/model_batch.h"
#include "trace/memory.h"
#include "trace/now.h"

#include <math.h>

static const double least_budget = 40; /* seconds; below it what this takes is better spent on samples */
static const double part_of_budget = 0.1;
static const double least_step = 0.08;    /* of the logarithm of time, between two sizes next to each other */
static const double part_elsewhere = 0.5; /* of that step, to be found at the same product on other lines */
static const double narrowest = 4;        /* range of sizes */
static const int64_t multiple = 8;
enum { MOST_NEEDS = 12, CHECKS = 2, CHECKED = 4 /* sizes */ };

/* Along one axis; the other sizes stay. */
struct line {
    int axis;
    int64_t fixed[KT_MODEL_AXES];
    double product; /* of the others */
    int64_t size[KT_LINE_MOST];
    double seconds[KT_LINE_MOST];
    int n;
};

enum state { SEARCHED, FOUND, NOT_THERE };

struct search {
    size_t need;
    enum state state;
    struct line line;
    int64_t lo, hi; /* between them is the step */
    double step;
};

/* The same step, looked for on another line. */
struct check {
    const struct search *search;
    struct line line;
};

/* --- pure -------------------------------------------------------------------------------------------------- */

static int64_t to_multiple(double size)
{
    int64_t rounded = llround(size / (double)multiple) * multiple;
    return rounded < multiple ? multiple : rounded;
}

int kt_line_sizes(int64_t lo, int64_t hi, int64_t out[KT_LINE_MOST])
{
    enum { PARTS = KT_LINE_MOST - 3 };
    double ratio = pow((double)hi / (double)lo, 1.0 / PARTS);
    int n = 0;
    for (int i = -1; i <= PARTS + 1; i++) {
        int64_t size = to_multiple((double)lo * pow(ratio, i));
        size = i < 0 && size >= lo ? lo - multiple : i > PARTS && size <= hi ? hi + multiple : size;
        if (size >= multiple && (n == 0 || size > out[n - 1]))
            out[n++] = size;
    }
    return n;
}

/* The power of the size that the time grows with from one to the next. */
static double exponent(const int64_t *size, const double *seconds, int i)
{
    return log(seconds[i + 1] / seconds[i]) / log((double)size[i + 1] / (double)size[i]);
}

double kt_line_step(const int64_t *size, const double *seconds, int n, int i)
{
    double around = 0;
    int neighbours = 0;
    for (int k = i - 1; k <= i + 1; k += 2)
        if (k >= 0 && k + 1 < n) {
            around += exponent(size, seconds, k);
            neighbours++;
        }
    return (exponent(size, seconds, i) - around / neighbours) * log((double)size[i + 1] / (double)size[i]);
}

double kt_roundest(double lo, double hi)
{
    for (double unit = pow(10, floor(log10(hi))); unit >= 1; unit /= 10) {
        double number = (ceil(hi / unit) - 1) * unit;
        if (number >= lo)
            return number;
    }
    return lo;
}

/* --- lines ------------------------------------------------------------------------------------------------- */

static void point_of(const struct line *line, int64_t size, int64_t out[KT_MODEL_AXES])
{
    memcpy(out, line->fixed, sizeof line->fixed);
    out[line->axis] = size;
}

static void set_fixed(const struct kt_kernel_model *m, struct line *line)
{
    line->product = 1;
    for (int a = 0; a < m->axes; a++)
        if (a != line->axis)
            line->product *= (double)line->fixed[a];
}

/* Along the axis with the widest range, through the middle of the others. */
static void first_line(const struct kt_kernel_model *m, struct search *s)
{
    double widest = 0;
    for (int a = 0; a < m->axes; a++) {
        double lo = fmax((double)m->domain.lo[a], (double)multiple);
        double hi = fmax((double)m->domain.hi[a], lo);
        int64_t middle = to_multiple(sqrt(lo * hi));
        s->line.fixed[a] = middle < m->domain.hi[a] ? middle : m->domain.hi[a];
        if (hi / lo <= widest)
            continue;
        widest = hi / lo;
        s->line.axis = a;
        s->lo = to_multiple(lo);
        s->hi = to_multiple(hi);
    }
    set_fixed(m, &s->line);
    s->state = widest < narrowest ? NOT_THERE : SEARCHED;
}

/* As long as there is time for it. */
static void wish_for_line(const struct kt_build *build, size_t need, const struct line *line, double seconds,
                          struct kt_batch *batch)
{
    for (int i = 0; i < line->n && batch->seconds < seconds; i++) {
        struct kt_wish wish = {.need = need, .contexts = 1};
        point_of(line, line->size[i], wish.size);
        if (kt_model_find_point(kt_build_model(build, need, 0), wish.size) ||
            !kt_batch_can_time(build, need, wish.size))
            continue;
        wish.guess = kt_batch_guess(build, need, 0, wish.size);
        kt_batch_add(batch, build, &wish);
    }
}

/* What was timed of it: sizes that could not be are left out. */
static void read_line(const struct kt_build *build, size_t need, struct line *line)
{
    int kept = 0;
    for (int i = 0; i < line->n; i++) {
        int64_t size[KT_MODEL_AXES];
        point_of(line, line->size[i], size);
        const struct kt_point *point = kt_model_find_point(kt_build_model(build, need, 0), size);
        if (!point || !point->samples || point->noise > least_step)
            continue;
        line->size[kept] = line->size[i];
        line->seconds[kept++] = point->seconds;
    }
    line->n = kept;
}

/* --- searching --------------------------------------------------------------------------------------------- */

static double left(const struct kt_build *build, double start)
{
    return kt_timing_interrupted() ? 0 : part_of_budget * build->rules->budget - (kt_now() - start);
}

static enum kt_status run(struct kt_batch *batch, struct kt_build *build, double seconds, struct kt_error *error)
{
    enum kt_status status = batch->wishes ? kt_batch_run(batch, build, seconds, error) : KT_OK;
    kt_batch_free(batch);
    return status;
}

/* Beyond the model's domain only what tells a step at its end from growth. */
static void set_sizes(const struct kt_kernel_model *m, struct search *s)
{
    struct line *line = &s->line;
    line->n = kt_line_sizes(s->lo, s->hi, line->size);
    while (line->n > 0 && line->size[line->n - 1] > s->hi + multiple &&
           line->size[line->n - 1] > m->domain.hi[line->axis])
        line->n--;
}

/* To where the largest step is. */
static void narrow(struct search *s)
{
    const struct line *line = &s->line;
    bool was_narrow = s->hi - s->lo <= multiple;
    int at = -1;
    s->step = 0;
    for (int i = 0; line->n > 2 && i + 1 < line->n; i++) {
        double step = kt_line_step(line->size, line->seconds, line->n, i);
        if (line->size[i] < s->lo || line->size[i + 1] > s->hi || fabs(step) <= fabs(s->step))
            continue;
        s->step = step;
        at = i;
    }
    bool is_same = !was_narrow && at >= 0 && line->size[at] == s->lo && line->size[at + 1] == s->hi;
    if (at < 0 || is_same || (was_narrow && fabs(s->step) < least_step)) {
        s->state = NOT_THERE;
        return;
    }
    s->state = was_narrow ? FOUND : SEARCHED;
    s->lo = line->size[at];
    s->hi = line->size[at + 1];
}

static enum kt_status divide(struct kt_build *build, struct search *search, size_t searches, double seconds,
                             struct kt_error *error)
{
    struct kt_batch batch = {0};
    for (size_t i = 0; i < searches; i++) {
        if (search[i].state != SEARCHED)
            continue;
        set_sizes(kt_build_model(build, search[i].need, 0), &search[i]);
        wish_for_line(build, search[i].need, &search[i].line, seconds, &batch);
    }
    KT_TRY(run(&batch, build, seconds, error));
    for (size_t i = 0; i < searches && !kt_timing_interrupted(); i++) {
        if (search[i].state != SEARCHED)
            continue;
        read_line(build, search[i].need, &search[i].line);
        narrow(&search[i]);
    }
    return KT_OK;
}

static bool is_searched(const struct search *search, size_t searches)
{
    bool searched = false;
    for (size_t i = 0; i < searches; i++)
        searched = searched || search[i].state == SEARCHED;
    return searched;
}

/* --- checking ---------------------------------------------------------------------------------------------- */

/* Two sizes on either side of where the product would be the same. */
static void set_checked_sizes(const struct search *s, struct line *line)
{
    double below = (double)s->lo * s->line.product / line->product;
    double above = (double)s->hi * s->line.product / line->product;
    line->size[1] = (int64_t)floor(below / (double)multiple) * multiple;
    line->size[2] = (int64_t)ceil(above / (double)multiple) * multiple;
    line->size[0] = line->size[1] - multiple;
    line->size[3] = line->size[2] + multiple;
    line->n = CHECKED;
}

/* With another size twice or half as large; false: outside of the domain. */
static bool other_line(const struct kt_kernel_model *m, const struct search *s, int axis, double factor,
                       struct line *out)
{
    *out = s->line;
    out->fixed[axis] = to_multiple(factor * (double)s->line.fixed[axis]);
    set_fixed(m, out);
    set_checked_sizes(s, out);
    return axis != out->axis && out->fixed[axis] != s->line.fixed[axis] && out->fixed[axis] >= m->domain.lo[axis] &&
           out->fixed[axis] <= m->domain.hi[axis] && out->size[0] >= m->domain.lo[out->axis] &&
           out->size[0] >= multiple && out->size[CHECKED - 1] <= m->domain.hi[out->axis];
}

static int count_wide(const struct kt_kernel_model *m)
{
    int wide = 0;
    for (int a = 0; a < m->axes; a++)
        wide += m->domain.lo[a] < m->domain.hi[a];
    return wide;
}

/* Along other sizes each, unless there is only one other: what is a matter of one of these alone is no product's. */
static size_t add_checks(const struct kt_build *build, const struct search *s, struct check out[CHECKS])
{
    static const double factor[] = {2, 0.5};
    const struct kt_kernel_model *m = kt_build_model(build, s->need, 0);
    size_t most = count_wide(m) > 2 ? 1 : CHECKS; /* of an axis */
    size_t n = 0;
    for (int a = 0; a < m->axes; a++) {
        size_t of_axis = 0;
        for (size_t f = 0; f < sizeof factor / sizeof *factor && n < CHECKS && of_axis < most; f++) {
            out[n].search = s;
            bool possible = other_line(m, s, a, factor[f], &out[n].line);
            of_axis += possible;
            n += possible;
        }
    }
    return n == CHECKS ? n : 0;
}

/* Is the step there as well? */
static bool agrees(const struct check *check)
{
    const struct line *line = &check->line;
    double step = line->n == CHECKED ? kt_line_step(line->size, line->seconds, CHECKED, 1) : 0;
    return step / check->search->step >= part_elsewhere;
}

static void conclude(const struct kt_build *build, const struct search *s, const struct check *check)
{
    double crossover = kt_roundest((double)s->lo * s->line.product, (double)s->hi * s->line.product);
    for (size_t i = 0; i < CHECKS; i++)
        if (!agrees(&check[i]))
            return;
    kt_regions_cross(kt_build_model(build, s->need, 0), crossover);
}

static enum kt_status check_all(struct kt_build *build, struct search *search, size_t searches, double seconds,
                                struct kt_error *error)
{
    struct kt_batch batch = {0};
    struct check check[MOST_NEEDS * CHECKS];
    size_t checks = 0;
    for (size_t i = 0; i < searches; i++)
        if (search[i].state == FOUND)
            checks += add_checks(build, &search[i], &check[checks]);
    for (size_t i = 0; i < checks; i++)
        wish_for_line(build, check[i].search->need, &check[i].line, seconds, &batch);
    KT_TRY(run(&batch, build, seconds, error));
    for (size_t i = 0; i < checks; i++)
        read_line(build, check[i].search->need, &check[i].line);
    for (size_t i = 0; i < checks; i += CHECKS)
        conclude(build, check[i].search, &check[i]);
    return KT_OK;
}

/* --- the whole --------------------------------------------------------------------------------------------- */

/* A library turns where it turns, wherever operands are. */
static void share(const struct kt_build *build, size_t need)
{
    const struct kt_kernel_model *known = NULL;
    for (size_t c = 0; c < build->rules->contexts; c++)
        if (kt_build_model(build, need, c)->is_searched)
            known = kt_build_model(build, need, c);
    for (size_t c = 0; c < build->rules->contexts && known; c++) {
        struct kt_kernel_model *m = kt_build_model(build, need, c);
        if (!m->is_searched && known->crossover > 0)
            kt_regions_cross(m, known->crossover);
        m->is_searched = true;
    }
}

static size_t begin(const struct kt_build *build, struct search search[MOST_NEEDS])
{
    size_t searches = 0;
    for (size_t n = 0; n < build->needs->count && searches < MOST_NEEDS; n++) {
        const struct kt_kernel_model *m = kt_build_model(build, n, 0);
        share(build, n);
        if (m->axes < 2 || m->is_searched)
            continue;
        search[searches] = (struct search){.need = n};
        first_line(m, &search[searches++]);
    }
    return searches;
}

/* What is not known for want of time is searched for again. */
static void end(const struct kt_build *build, const struct search *search, size_t searches)
{
    for (size_t i = 0; i < searches; i++) {
        kt_build_model(build, search[i].need, 0)->is_searched = search[i].state != SEARCHED;
        share(build, search[i].need);
    }
}

enum kt_status kt_crossovers_find(struct kt_build *build, struct kt_error *error)
{
    struct search search[MOST_NEEDS];
    double start = kt_now();
    if (build->rules->budget < least_budget)
        return KT_OK;
    size_t searches = begin(build, search);
    while (is_searched(search, searches) && left(build, start) > 0)
        KT_TRY(divide(build, search, searches, left(build, start), error));
    if (left(build, start) <= 0)
        return KT_OK;
    KT_TRY(check_all(build, search, searches, left(build, start), error));
    end(build, search, searches);
    return KT_OK;
}
