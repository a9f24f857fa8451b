/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/map_plan.h"

#include "ktrace/library_map.h"
#include "trace/base/memory.h"
#include "trace/table/known.h"
#include "trace/table/symbol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)KT_MOST_LANES <= (int)KT_MAP_LIBRARIES, "what was compared fits into a map");

/* A rule is worth it from here on, as a part of the program's BLAS. */
static const double least_part = 0.001;

/* With all of the interval, by as much as counts: of many shapes a few look faster by chance. */
static bool is_certain(const struct kt_ratio *ratio)
{
    return kt_ratio_verdict(ratio) == KT_FASTER && ratio->hi < 1 - KT_SAME_WITHIN;
}

/* --- shapes ------------------------------------------------------------------------------------------------ */

/* A shape as rules speak of it. */
struct point {
    const struct kt_routine *routine;
    bool row_major;
    char option[KT_MAX_ARGS];
    int64_t size[KT_MAX_ARGS];
    double product; /* of the sizes */
    size_t shape;
    size_t lane; /* that is best for it; 0: no other than the recorded one */
};

static bool is_option(const struct kt_arg *arg)
{
    return arg->role <= KT_OPTION;
}

/* False if a map cannot speak of it. */
static bool describe(const struct kt_shape_group *shape, struct point *out)
{
    struct kt_values values;
    const struct kt_symbol *symbol = &shape->first.entry->symbol;
    int conditions = 1;
    if (symbol->view == KT_UNDESCRIBED)
        return false;
    kt_values_decode(symbol, shape->first.args, &values);
    out->routine = symbol->routine;
    out->row_major = values.row_major;
    out->product = 1;
    for (int i = 0; i < symbol->routine->args; i++) {
        const struct kt_arg *arg = &symbol->routine->arg[i];
        if (!is_option(arg) && arg->role != KT_SIZE)
            continue;
        bool fits = strlen(arg->name) < KT_MAP_NAME && values.v[i] >= 0;
        if (is_option(arg))
            out->option[i] = (char)values.v[i];
        else
            out->product *= fmax(1, (double)(out->size[i] = (int64_t)values.v[i]));
        if (!fits || (is_option(arg) && (out->option[i] < 'A' || out->option[i] > 'Z')))
            return false;
        conditions++;
    }
    return conditions <= KT_MAP_CONDITIONS;
}

/* The files behind the first, a LAPACK: in a process one library can have them, and the program may have them itself.
 */
static bool is_lapack_taken(const struct kt_comparison *c, size_t lane)
{
    const struct kt_library *library = &c->worker[lane].library;
    const struct kt_library *own = &c->worker[0].library;
    for (int i = 1; i < library->files; i++)
        for (int j = 0; j < own->files; j++)
            if (kt_same_file(library->file[i], own->file[j]))
                return true;
    return false;
}

static bool may_take(const struct kt_comparison *c, size_t lane, const struct point *point)
{
    const struct kt_compared *cell = kt_comparison_cell(c, point->shape, lane);
    bool is_lapack = kt_known_is_lapack(point->routine->name);
    return cell->counts && !cell->wrong && c->worker[lane].library.threads == c->worker[0].library.threads &&
           !(lane && is_lapack && is_lapack_taken(c, lane));
}

/* The library that is certainly best for the program as a whole: what is not told apart for a shape alone goes with all
 * the others, so that the map is no worse than any single library. */
static size_t usual_lane(const struct kt_comparison *c)
{
    struct kt_ratio ratio = kt_comparison_multiple(c, c->mix.library);
    return is_certain(&ratio) ? c->mix.library : 0;
}

/* Another one only if it is certainly faster than the usual one. */
static size_t best_lane(const struct kt_comparison *c, size_t usual, const struct point *point)
{
    size_t from = may_take(c, usual, point) ? usual : 0;
    size_t best = from;
    double least = 1;
    for (size_t l = 0; l < c->libraries; l++) {
        struct kt_ratio ratio = kt_comparison_ratio(c, &point->shape, 1, l, from);
        if (l == from || !may_take(c, l, point) || !is_certain(&ratio) || ratio.value >= least)
            continue;
        best = l;
        least = ratio.value;
    }
    return best;
}

static int compare_group(const struct point *a, const struct point *b)
{
    int order = strcmp(a->routine->name, b->routine->name);
    if (order == 0)
        order = (int)a->row_major - (int)b->row_major;
    return order ? order : memcmp(a->option, b->option, sizeof a->option);
}

static int compare_points(const void *first, const void *second)
{
    const struct point *a = first;
    const struct point *b = second;
    int order = compare_group(a, b);
    if (order == 0)
        order = (a->product > b->product) - (a->product < b->product);
    return order ? order : (a->shape > b->shape) - (a->shape < b->shape);
}

static struct point *collect(const struct kt_comparison *c, size_t *count)
{
    struct point *point = kt_resize(NULL, c->setup.jobs.count + 1, sizeof *point);
    const size_t usual = usual_lane(c);
    *count = 0;
    for (size_t i = 0; i < c->setup.jobs.count; i++) {
        struct point *p = &point[*count];
        *p = (struct point){.shape = i};
        if (!kt_comparison_counts(c, i) || !describe(c->setup.jobs.job[i].shape, p))
            continue;
        p->lane = best_lane(c, usual, p);
        ++*count;
    }
    qsort(point, *count, sizeof *point, compare_points);
    return point;
}

/* --- rules ------------------------------------------------------------------------------------------------- */

static void include(struct kt_planned_rule *rule, const struct point *point)
{
    for (int i = 0; i < point->routine->args; i++) {
        rule->low[i] = point->size[i] < rule->low[i] ? point->size[i] : rule->low[i];
        rule->high[i] = point->size[i] > rule->high[i] ? point->size[i] : rule->high[i];
    }
    rule->shape = kt_room_for_one(rule->shape, rule->shapes, sizeof *rule->shape);
    rule->shape[rule->shapes++] = point->shape;
}

static bool contains(const struct kt_planned_rule *rule, const struct point *point)
{
    for (int i = 0; i < point->routine->args; i++)
        if (point->size[i] < rule->low[i] || point->size[i] > rule->high[i])
            return false;
    return true;
}

static struct kt_planned_rule begin_rule(const struct point *point)
{
    struct kt_planned_rule rule = {.routine = point->routine, .row_major = point->row_major, .lane = point->lane};
    memcpy(rule.option, point->option, sizeof rule.option);
    memcpy(rule.low, point->size, sizeof rule.low);
    memcpy(rule.high, point->size, sizeof rule.high);
    include(&rule, point);
    return rule;
}

/* With that shape too it would have none within that is better off elsewhere. */
static bool can_include(const struct kt_planned_rule *rule, const struct point *more, const struct point *group,
                        size_t count)
{
    struct kt_planned_rule larger = *rule;
    for (int i = 0; i < more->routine->args; i++) {
        larger.low[i] = more->size[i] < larger.low[i] ? more->size[i] : larger.low[i];
        larger.high[i] = more->size[i] > larger.high[i] ? more->size[i] : larger.high[i];
    }
    for (size_t i = 0; i < count; i++)
        if (group[i].lane != rule->lane && contains(&larger, &group[i]))
            return false;
    return true;
}

static double base_seconds(const struct kt_comparison *c, const struct kt_planned_rule *rule)
{
    double seconds = 0;
    for (size_t i = 0; i < rule->shapes; i++)
        seconds += kt_comparison_calls(c, rule->shape[i]) * kt_comparison_cell(c, rule->shape[i], 0)->time.best;
    return c->pace * seconds;
}

/* Is it worth a rule? If it is not for the usual library that is certain, too, for its shapes together. */
static bool is_worth(const struct kt_comparison *c, struct kt_planned_rule *rule)
{
    const double base = base_seconds(c, rule);
    rule->ratio = kt_comparison_ratio(c, rule->shape, rule->shapes, rule->lane, 0);
    for (size_t i = 0; i < rule->shapes; i++) {
        rule->calls += kt_comparison_calls(c, rule->shape[i]);
        rule->seconds += kt_comparison_recorded(c, rule->shape[i]);
    }
    rule->gain = base * (1 - rule->ratio.value);
    rule->least = base * (1 - rule->ratio.hi);
    rule->most = base * (1 - rule->ratio.lo);
    bool counts = rule->lane == usual_lane(c) || is_certain(&rule->ratio);
    return counts && rule->gain >= least_part * c->insitu;
}

static void keep(const struct kt_comparison *c, struct kt_map_plan *plan, struct kt_planned_rule *rule)
{
    if (rule->lane && plan->rules < KT_MAP_RULES && is_worth(c, rule)) {
        plan->rule = kt_room_for_one(plan->rule, plan->rules, sizeof *plan->rule);
        plan->rule[plan->rules++] = *rule;
    } else {
        free(rule->shape);
    }
}

/* Shapes of one routine and the same options, smallest first. */
static void make_rules(const struct kt_comparison *c, const struct point *group, size_t count, struct kt_map_plan *plan)
{
    struct kt_planned_rule rule = begin_rule(&group[0]);
    for (size_t i = 1; i < count; i++) {
        if (group[i].lane == rule.lane && can_include(&rule, &group[i], group, count)) {
            include(&rule, &group[i]);
            continue;
        }
        keep(c, plan, &rule);
        rule = begin_rule(&group[i]);
    }
    keep(c, plan, &rule);
}

/* --- libraries --------------------------------------------------------------------------------------------- */

static void drop(struct kt_map_plan *plan, size_t r)
{
    free(plan->rule[r].shape);
    memmove(&plan->rule[r], &plan->rule[r + 1], (plan->rules - r - 1) * sizeof *plan->rule);
    plan->rules--;
}

static bool is_lapack_of(const struct kt_planned_rule *rule, size_t lane)
{
    return rule->lane == lane && kt_known_is_lapack(rule->routine->name);
}

static double gain_of(const struct kt_map_plan *plan, size_t lane, bool of_lapack)
{
    double gain = 0;
    for (size_t r = 0; r < plan->rules; r++)
        if (plan->rule[r].lane == lane && (!of_lapack || is_lapack_of(&plan->rule[r], lane)))
            gain += plan->rule[r].gain;
    return gain;
}

static bool share_lapack(const struct kt_comparison *c, size_t a, size_t b)
{
    const struct kt_library *one = &c->worker[a].library;
    const struct kt_library *two = &c->worker[b].library;
    for (int i = 1; i < one->files; i++)
        for (int j = 1; j < two->files; j++)
            if (kt_same_file(one->file[i], two->file[j]))
                return true;
    return false;
}

/* One LAPACK calls one BLAS: of two libraries that have the same file for it one gets its rules. */
static bool loses_lapack(const struct kt_comparison *c, const struct kt_map_plan *plan, size_t lane)
{
    for (size_t l = 1; l < c->libraries; l++) {
        double other = gain_of(plan, l, true);
        double own = gain_of(plan, lane, true);
        if (l != lane && share_lapack(c, l, lane) && (other > own || (other == own && l < lane)))
            return true;
    }
    return false;
}

/* A library has to gain more than starting it takes. */
static void choose_libraries(const struct kt_comparison *c, struct kt_map_plan *plan)
{
    bool loses[KT_MOST_LANES] = {false};
    for (size_t l = 1; l < c->libraries; l++)
        loses[l] = loses_lapack(c, plan, l);
    for (size_t r = plan->rules; r-- > 0;)
        if (loses[plan->rule[r].lane] && is_lapack_of(&plan->rule[r], plan->rule[r].lane))
            drop(plan, r);
    for (size_t l = 1; l < c->libraries; l++) {
        plan->is_used[l] = gain_of(plan, l, false) > c->first_calls[l];
        for (size_t r = plan->rules; r-- > 0;)
            if (!plan->is_used[l] && plan->rule[r].lane == l)
                drop(plan, r);
    }
}

/* What the rules gain together; their errors are independent of each other. */
static void predict(const struct kt_comparison *c, struct kt_map_plan *plan)
{
    const double own = kt_comparison_blas(c, 0);
    double below = 0;
    double above = 0;
    plan->seconds = own;
    for (size_t r = 0; r < plan->rules; r++) {
        const struct kt_planned_rule *rule = &plan->rule[r];
        plan->seconds -= rule->gain;
        below = hypot(below, rule->most - rule->gain);
        above = hypot(above, rule->gain - rule->least);
    }
    for (size_t l = 1; l < c->libraries; l++)
        plan->seconds += plan->is_used[l] ? c->first_calls[l] : 0;
    plan->ratio = (struct kt_ratio){plan->seconds / own, (plan->seconds - below) / own, (plan->seconds + above) / own,
                                    plan->rules};
    plan->application = kt_comparison_application_with(c, plan->seconds);
}

void kt_map_plan_make(const struct kt_comparison *c, struct kt_map_plan *out)
{
    size_t count;
    struct point *point = collect(c, &count);
    *out = (struct kt_map_plan){0};
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && compare_group(&point[i], &point[next]) == 0; next++)
            ;
        make_rules(c, point + i, next - i, out);
    }
    free(point);
    choose_libraries(c, out);
    predict(c, out);
}

void kt_map_plan_free(struct kt_map_plan *plan)
{
    for (size_t r = 0; r < plan->rules; r++)
        free(plan->rule[r].shape);
    free(plan->rule);
    *plan = (struct kt_map_plan){0};
}
