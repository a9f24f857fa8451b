/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/verbs/diff_runs.h"

#include "trace/command/state_json.h"
#include "trace/shape/shape_words.h"

#include <math.h>

double kt_diff_rest_ratio(const struct kt_diff_runs *r)
{
    double rest[2] = {r->wall[0] - r->diff.total[0], r->wall[1] - r->diff.total[1]};
    return rest[0] > 0 && rest[1] > 0 ? rest[1] / rest[0] : NAN;
}

static json_t *side_json(const struct kt_diff_side *side)
{
    if (!side->calls)
        return json_null();
    return json_pack("{s:I, s:o, s:o}", "calls", (json_int_t)side->calls, "seconds", kt_json_number(side->total),
                     "in_situ", kt_json_stat(&side->stat));
}

static json_t *shape_json(const struct kt_diff_told *told, const struct kt_diff_shape *s, double drift)
{
    char words[256];
    kt_shape_words(&s->first, s->also, words, sizeof words);
    json_t *out =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "routine", s->routine, "symbol",
                  kt_json_text(s->first.entry->symbol.name), "shape", kt_json_text(s->text), "words",
                  kt_json_text(words), "args", kt_json_args(&s->first, false), "change", kt_change_name[s->change]);
    json_object_set_new(out, "before", side_json(&s->side[0]));
    json_object_set_new(out, "after", side_json(&s->side[1]));
    json_object_set_new(out, "ratio", kt_json_number(s->ratio / drift));
    json_object_set_new(out, "lo", kt_json_number(s->lo / drift));
    json_object_set_new(out, "hi", kt_json_number(s->hi / drift));
    json_object_set_new(out, "p", kt_json_number(s->p));
    json_object_set_new(out, "source", kt_shape_source_json(kt_diff_source(told, s)));
    return out;
}

static json_t *routine_json(const struct kt_diff_routine *r, double drift)
{
    return json_pack("{s:s, s:[II], s:[oo], s:o, s:i}", "routine", r->name, "calls", (json_int_t)r->calls[0],
                     (json_int_t)r->calls[1], "seconds", kt_json_number(r->total[0]), kt_json_number(r->total[1]),
                     "ratio_of_all_shapes", kt_json_number(r->drift / drift), "shapes_changed", r->changed);
}

static json_t *total_json(const struct kt_diff *d, double drift)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "change", kt_change_name[d->all.change], "ratio",
                     kt_json_number(d->all.ratio / drift), "lo", kt_json_number(d->all.lo / drift), "hi",
                     kt_json_number(d->all.hi / drift), "p", kt_json_number(d->all.p));
}

/* What is missing from a run, as far as it can be told. */
static json_t *missing_json(const struct kt_diff_runs *r, int side)
{
    json_t *object = json_object();
    kt_json_add_missing(object, &r->trace[side], &r->state[side]);
    return object;
}

json_t *kt_diff_json(const struct kt_diff_runs *r, const struct kt_diff_told *told)
{
    const struct kt_diff *d = &r->diff;
    bool is_out = d->drift_out && !isnan(d->drift);
    double drift = kt_diff_drift(d);
    json_t *failed = told->fail_above < 0 ? json_null() : json_boolean(kt_diff_fails(d, told->fail_above));
    json_t *shapes = json_array();
    json_t *routines = json_array();
    for (size_t i = 0; i < d->shapes; i++)
        json_array_append_new(shapes, shape_json(told, &d->shape[i], drift));
    for (size_t i = 0; i < d->routines; i++)
        json_array_append_new(routines, routine_json(&d->routine[i], drift));
    return json_pack("{s:[oo], s:[oo], s:[bb], s:[oo], s:o, s:[oo], s:[oo], s:o, s:b, s:o, s:o, s:o, s:I, "
                     "s:I, s:o, s:o, s:o, s:o}",
                     "traces", kt_json_text(r->trace[0].path), kt_json_text(r->trace[1].path), "processors",
                     kt_json_processor(r->shapes[0].processor), kt_json_processor(r->shapes[1].processor), "complete",
                     !r->incomplete[0], !r->incomplete[1], "missing", missing_json(r, 0), missing_json(r, 1),
                     "drift_not_taken_out", r->why ? kt_json_text(r->why) : json_null(), "seconds_blas",
                     kt_json_number(d->total[0]), kt_json_number(d->total[1]), "seconds", kt_json_number(r->wall[0]),
                     kt_json_number(r->wall[1]), "drift", kt_json_number(d->drift), "drift_taken_out", is_out,
                     "rest_ratio", kt_json_number(kt_diff_rest_ratio(r)), "spread", kt_json_number(d->spread), "margin",
                     kt_json_number(expm1(d->margin)), "tested", (json_int_t)d->tested, "changed",
                     (json_int_t)d->changed, "failed", failed, "total", total_json(d, drift), "shapes", shapes,
                     "routines", routines);
}
