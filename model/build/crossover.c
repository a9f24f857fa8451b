/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/build/crossover.h"

#include <math.h>
#include <string.h>

static const double part_elsewhere = 0.5; /* of the step, to be found at the same product on other lines */
static const double narrowest = 4;        /* range of sizes */
static const double coarse = 0.06;        /* of a size: a step of the grid that leaves a product too uncertain */
enum { CHECKED = 4 /* sizes of a line that checks a step */ };

/* At the ends of a line, of which one neighbour only is known, the growth beside a step looks like one, too; between
 * two neighbours like half of one. */
static const double at_end = 0.6;

double kt_crossover_roundest(double lo, double hi)
{
    for (double unit = pow(10, floor(log10(hi))); unit >= 1; unit /= 10) {
        double number = (ceil(hi / unit) - 1) * unit;
        if (number >= lo)
            return number;
    }
    return lo;
}

/* --- dividing ---------------------------------------------------------------------------------------------- */

static double width(const struct kt_kernel_model *m, int axis, double *lo, double *hi)
{
    *lo = fmax((double)m->domain.lo[axis], KT_CROSSOVER_MULTIPLE);
    *hi = fmax((double)m->domain.hi[axis], *lo);
    return *hi / *lo;
}

/* Along the axis with the widest range of those that were not tried, through the middle of the others; false: there is
 * none of them that is wide enough. */
static bool next_line(const struct kt_kernel_model *m, struct kt_crossover_search *s)
{
    double widest = 0;
    for (int a = 0; a < m->axes; a++) {
        double lo;
        double hi;
        double wide = width(m, a, &lo, &hi);
        int64_t middle = kt_crossover_line_round(sqrt(lo * hi));
        s->line.fixed[a] = middle < m->domain.hi[a] ? middle : m->domain.hi[a];
        if (s->tried & 1u << a || wide <= widest)
            continue;
        widest = wide;
        s->line.axis = a;
        s->lo = kt_crossover_line_round(lo);
        s->hi = kt_crossover_line_round(hi);
    }
    if (widest < narrowest)
        return false;
    kt_crossover_line_multiply(m, &s->line);
    s->tried |= 1u << s->line.axis;
    s->crossover = (struct kt_crossover){0};
    s->is_sharpened = s->is_confirming = s->has_counter = false;
    s->state = KT_CROSSOVER_DIVIDED;
    s->asked_again = false;
    return true;
}

void kt_crossover_begin(const struct kt_kernel_model *m, struct kt_crossover_search *out)
{
    *out = (struct kt_crossover_search){.state = KT_CROSSOVER_KNOWN};
    if (m->axes > 1)
        next_line(m, out);
}

/* Beyond the model's domain only what tells a step at its end from growth. */
static void set_sizes(const struct kt_kernel_model *m, struct kt_crossover_search *s, kt_possible *possible,
                      void *context)
{
    struct kt_crossover_line *line = &s->line;
    int64_t size[KT_CROSSOVER_LINE_MOST];
    int n = kt_crossover_line_sizes(s->lo, s->hi, size);
    line->n = 0;
    for (int i = 0; i < n; i++) {
        bool beyond = size[i] > s->hi + KT_CROSSOVER_MULTIPLE && size[i] > m->domain.hi[line->axis];
        if (!beyond && kt_crossover_line_can(line, size[i], possible, context))
            line->size[line->n++] = size[i];
    }
}

/* Not along this line; of one that was to be told more exactly, what was known before stays. That there is none is
 * known if nothing left a doubt of it. */
static void give_up(const struct kt_kernel_model *m, struct kt_crossover_search *s)
{
    if (s->is_sharpened)
        s->state = KT_CROSSOVER_KNOWN;
    else if (!next_line(m, s))
        s->state = s->is_uncertain ? KT_CROSSOVER_UNCERTAIN : KT_CROSSOVER_KNOWN;
}

/* To where the largest step is. */
static void narrow(const struct kt_kernel_model *m, struct kt_crossover_search *s, const struct kt_crossover_reading *r)
{
    bool was_narrow = s->hi - s->lo <= KT_CROSSOVER_MULTIPLE;
    double largest = 0;
    int at = -1;
    s->step = 0;
    s->is_uncertain = s->is_uncertain || !r->is_certain;
    for (int i = 0; r->n > 2 && i + 1 < r->n; i++) {
        double step = kt_crossover_line_step(r->size, r->seconds, r->n, i);
        double weight = i == 0 || i + 2 == r->n ? at_end : 1;
        if (r->size[i] < s->lo || r->size[i + 1] > s->hi || weight * fabs(step) <= largest)
            continue;
        largest = weight * fabs(step);
        s->step = step;
        at = i;
    }
    bool is_same = !was_narrow && at >= 0 && r->size[at] == s->lo && r->size[at + 1] == s->hi;
    if (at < 0 || is_same || (was_narrow && fabs(s->step) < KT_CROSSOVER_STEP)) {
        give_up(m, s);
        return;
    }
    s->state = was_narrow ? KT_CROSSOVER_CHECKED : KT_CROSSOVER_DIVIDED;
    s->asked_again = false;
    s->lo = r->size[at];
    s->hi = r->size[at + 1];
}

/* --- checking ---------------------------------------------------------------------------------------------- */

/* Two sizes on either side of where the product would be the same, or of where the step is on the line. */
static void set_checked_sizes(const struct kt_crossover_search *s, bool stays, struct kt_crossover_line *line)
{
    double ratio = stays ? 1 : s->line.product / line->product;
    line->size[1] = (int64_t)floor((double)s->lo * ratio / KT_CROSSOVER_MULTIPLE) * KT_CROSSOVER_MULTIPLE;
    line->size[2] = (int64_t)ceil((double)s->hi * ratio / KT_CROSSOVER_MULTIPLE) * KT_CROSSOVER_MULTIPLE;
    line->size[0] = line->size[1] - KT_CROSSOVER_MULTIPLE;
    line->size[3] = line->size[2] + KT_CROSSOVER_MULTIPLE;
    line->n = CHECKED;
}

/* false: such calls are outside of the domain or cannot be timed. */
static bool is_usable(const struct kt_kernel_model *m, const struct kt_crossover_line *line, kt_possible *possible,
                      void *context)
{
    bool usable = line->size[0] >= m->domain.lo[line->axis] && line->size[0] >= KT_CROSSOVER_MULTIPLE &&
                  line->size[CHECKED - 1] <= m->domain.hi[line->axis];
    for (int i = 0; i < CHECKED && usable; i++)
        usable = kt_crossover_line_can(line, line->size[i], possible, context);
    return usable;
}

/* With another of the sizes so many times as large. */
static bool other_line(const struct kt_kernel_model *m, const struct kt_crossover_search *s, int axis, double factor,
                       kt_possible *possible, void *context, struct kt_crossover_line *out)
{
    *out = s->line;
    out->fixed[axis] = kt_crossover_line_round(factor * (double)s->line.fixed[axis]);
    kt_crossover_line_multiply(m, out);
    set_checked_sizes(s, false, out);
    return axis != out->axis && out->fixed[axis] != s->line.fixed[axis] && out->fixed[axis] >= m->domain.lo[axis] &&
           out->fixed[axis] <= m->domain.hi[axis] && is_usable(m, out, possible, context);
}

static bool is_among(const struct kt_crossover_line *line, const struct kt_crossover_line *lines, int n)
{
    for (int i = 0; i < n; i++)
        if (!memcmp(lines[i].fixed, line->fixed, sizeof line->fixed))
            return true;
    return false;
}

/* First along different ones of the other sizes: what is a matter of one of these alone is no product's. Where they are
 * too few, as of a size with a narrow range, others along the same. */
static bool set_checks(const struct kt_kernel_model *m, struct kt_crossover_search *s, kt_possible *possible,
                       void *context)
{
    static const double factor[] = {2, 0.5, 1.5, 0.75};
    enum { FACTORS = sizeof factor / sizeof *factor };
    int n = 0;
    for (int all = 0; all < 2; all++)
        for (int a = 0; a < m->axes; a++) {
            int before = n;
            for (int f = 0; f < FACTORS && n < KT_CROSSOVER_CHECKS && (all || n == before); f++) {
                struct kt_crossover_line line;
                if (other_line(m, s, a, factor[f], possible, context, &line) && !is_among(&line, s->check, n)) {
                    s->varied[n] = a;
                    s->stays[n] = false;
                    s->check[n++] = line;
                }
            }
        }
    return n == KT_CROSSOVER_CHECKS;
}

static bool is_there(const struct kt_crossover_search *s, const struct kt_crossover_reading *r)
{
    return r->n == CHECKED && kt_crossover_line_step(r->size, r->seconds, CHECKED, 1) / s->step >= part_elsewhere;
}

/* Is it the only check that varies its size? */
static bool is_alone(const struct kt_crossover_search *s, int check)
{
    int same = 0;
    for (int i = 0; i < KT_CROSSOVER_CHECKS; i++)
        same += s->varied[i] == s->varied[check];
    return same == 1;
}

/* Sets out to look for a step whose place does not depend on the size that is varied there. */
static bool try_staying(const struct kt_kernel_model *m, struct kt_crossover_search *s, int check,
                        kt_possible *possible, void *context)
{
    if (s->stays[check] || !is_alone(s, check))
        return false;
    s->stays[check] = true;
    s->asked_again = false;
    set_checked_sizes(s, true, &s->check[check]);
    return is_usable(m, &s->check[check], possible, context);
}

static void set_axes(const struct kt_kernel_model *m, struct kt_crossover_search *s)
{
    s->crossover.axes = (1u << m->axes) - 1;
    for (int i = 0; i < KT_CROSSOVER_CHECKS; i++)
        s->crossover.axes &= s->stays[i] ? ~(1u << s->varied[i]) : ~0u;
}

/* Of the line's other sizes that matter. */
static double others_of(const struct kt_crossover_search *s, const struct kt_crossover_line *line)
{
    int64_t size[KT_MODEL_AXES] = {0};
    kt_crossover_line_point(line, 1, size);
    return kt_crossover_product(&s->crossover, size);
}

static void cross(struct kt_crossover_search *s)
{
    double others = others_of(s, &s->line);
    s->crossover.product = kt_crossover_roundest((double)s->lo * others, (double)s->hi * others);
    s->state = KT_CROSSOVER_KNOWN;
}

/* On a line whose other sizes that matter are as small as they may be, the step is at a larger size, of which a step of
 * the grid is less. Where such a line is of no use, what is known has to do. */
static void sharpen(const struct kt_kernel_model *m, struct kt_crossover_search *s, kt_possible *possible,
                    void *context)
{
    cross(s);
    struct kt_crossover_search sharp = *s;
    for (int a = 0; a < m->axes; a++)
        if (a != s->line.axis && s->crossover.axes & 1u << a)
            sharp.line.fixed[a] = m->domain.lo[a] < KT_CROSSOVER_MULTIPLE
                                      ? KT_CROSSOVER_MULTIPLE
                                      : kt_crossover_line_round((double)m->domain.lo[a]);
    double ratio = others_of(s, &s->line) / others_of(s, &sharp.line);
    kt_crossover_line_multiply(m, &sharp.line);
    sharp.lo = (int64_t)floor((double)s->lo * ratio / KT_CROSSOVER_MULTIPLE) * KT_CROSSOVER_MULTIPLE;
    sharp.hi = (int64_t)ceil((double)s->hi * ratio / KT_CROSSOVER_MULTIPLE) * KT_CROSSOVER_MULTIPLE;
    sharp.state = KT_CROSSOVER_DIVIDED;
    sharp.asked_again = false;
    sharp.is_sharpened = true;
    bool usable = sharp.lo > s->lo && sharp.hi + KT_CROSSOVER_MULTIPLE <= m->domain.hi[s->line.axis];
    set_sizes(m, &sharp, possible, context);
    if (usable && sharp.line.n > 3)
        *s = sharp;
}

static size_t want_points(const struct kt_crossover_search *s, const struct kt_kernel_model *m, bool noisy,
                          kt_want *want, void *context)
{
    size_t wanted = 0;
    if (s->state == KT_CROSSOVER_DIVIDED)
        return kt_crossover_line_want(&s->line, m, noisy, want, context);
    for (int i = 0; i < KT_CROSSOVER_CHECKS; i++)
        wanted += kt_crossover_line_want(&s->check[i], m, noisy, want, context);
    return wanted + (s->has_counter ? kt_crossover_line_want(&s->counter, m, noisy, want, context) : 0);
}

/* --- confirming -------------------------------------------------------------------------------------------- */

/* What speaks for a step and was timed only once. */
static size_t want_again(const struct kt_crossover_search *s, const struct kt_kernel_model *m, kt_want *want,
                         void *context)
{
    size_t wanted = 0;
    for (int l = 0; l <= KT_CROSSOVER_CHECKS; l++) {
        const struct kt_crossover_line *line = l < KT_CROSSOVER_CHECKS ? &s->check[l] : &s->line;
        for (int i = 0; i < line->n; i++) {
            int64_t size[KT_MODEL_AXES];
            kt_crossover_line_point(line, line->size[i], size);
            const struct kt_point *point = kt_model_find_point(m, size);
            if (!point || !point->samples || point->again)
                continue;
            wanted++;
            if (want)
                want(context, size);
        }
    }
    return wanted;
}

/* Is it on the line, too, as it was? */
static bool is_still_there(const struct kt_crossover_search *s, const struct kt_kernel_model *m)
{
    const struct kt_crossover_reading r = kt_crossover_line_read(&s->line, m);
    for (int i = 0; r.n > 2 && i + 1 < r.n; i++)
        if (r.size[i] == s->lo)
            return kt_crossover_line_step(r.size, r.seconds, r.n, i) / s->step >= part_elsewhere;
    return false;
}

/* False: there is no such line. */
static bool set_counter(const struct kt_kernel_model *m, struct kt_crossover_search *s, kt_possible *possible,
                        void *context)
{
    for (int i = 0; i < KT_CROSSOVER_CHECKS && !s->has_counter; i++) {
        if (s->stays[i])
            continue;
        s->counter = s->check[i];
        set_checked_sizes(s, true, &s->counter);
        s->has_counter = is_usable(m, &s->counter, possible, context);
        s->asked_again = false;
    }
    return s->has_counter;
}

/* The step is there, too, or that is not known. */
static bool is_countered(struct kt_crossover_search *s, const struct kt_kernel_model *m)
{
    const struct kt_crossover_reading r = kt_crossover_line_read(&s->counter, m);
    s->is_uncertain = s->is_uncertain || !r.is_certain;
    return r.n < CHECKED || is_there(s, &r);
}

static void believe(struct kt_crossover_search *s, const struct kt_kernel_model *m, kt_possible *possible,
                    void *context)
{
    set_axes(m, s);
    if ((double)(s->hi - s->lo) > coarse * (double)s->lo)
        sharpen(m, s, possible, context);
    else
        cross(s);
}

/* All checks agree: first the counter line, then all of it once more. */
static void doubt(struct kt_crossover_search *s, const struct kt_kernel_model *m, kt_possible *possible, void *context)
{
    if (!s->has_counter) {
        if (!set_counter(m, s, possible, context))
            give_up(m, s);
    } else if (is_countered(s, m) || (s->is_confirming && !is_still_there(s, m))) {
        give_up(m, s);
    } else if (!s->is_confirming) {
        s->is_confirming = true;
    } else {
        believe(s, m, possible, context);
    }
}

static void conclude(struct kt_crossover_search *s, const struct kt_kernel_model *m, kt_possible *possible,
                     void *context)
{
    int stay = 0;
    bool agree = true;
    bool goes_on = false;
    for (int i = 0; i < KT_CROSSOVER_CHECKS && agree; i++) {
        struct kt_crossover_reading r = kt_crossover_line_read(&s->check[i], m);
        bool there = is_there(s, &r);
        s->is_uncertain = s->is_uncertain || !r.is_certain;
        bool again = !there && try_staying(m, s, i, possible, context);
        goes_on = goes_on || again;
        agree = there || again;
        stay += s->stays[i];
    }
    if (!agree || stay == m->axes - 1)
        give_up(m, s);
    else if (!goes_on)
        doubt(s, m, possible, context);
}

/* --- the whole --------------------------------------------------------------------------------------------- */

/* What is noisy after it was asked for again stays as it is: the machine is. */
static size_t want_next(struct kt_crossover_search *s, const struct kt_kernel_model *m, kt_want *want, void *context)
{
    size_t wanted = want_points(s, m, false, want, context);
    if (!wanted && s->is_confirming && s->state == KT_CROSSOVER_CHECKED)
        wanted = want_again(s, m, want, context);
    if (wanted || s->asked_again)
        return wanted;
    s->asked_again = true;
    return want_points(s, m, true, want, context);
}

static void divide(struct kt_crossover_search *s, const struct kt_kernel_model *m, kt_possible *possible, void *context)
{
    const struct kt_crossover_reading r = kt_crossover_line_read(&s->line, m);
    narrow(m, s, &r);
    if (s->state == KT_CROSSOVER_CHECKED && s->is_sharpened)
        cross(s);
    else if (s->state == KT_CROSSOVER_CHECKED && !set_checks(m, s, possible, context))
        give_up(m, s);
}

size_t kt_crossover_go_on(struct kt_crossover_search *s, const struct kt_kernel_model *m, kt_possible *possible,
                          kt_want *want, void *context)
{
    while (s->state < KT_CROSSOVER_KNOWN) {
        if (s->state == KT_CROSSOVER_DIVIDED)
            set_sizes(m, s, possible, context);
        size_t wanted = want_next(s, m, want, context);
        if (wanted)
            return wanted;
        if (s->state == KT_CROSSOVER_CHECKED)
            conclude(s, m, possible, context);
        else
            divide(s, m, possible, context);
    }
    return 0;
}
