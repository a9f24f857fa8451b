/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/parts_json.h"

static void add_time(json_t *object, json_t *intervals, const char *name, const struct kt_time *time)
{
    json_object_set_new(object, name, kt_json_number(time->value));
    json_object_set_new(intervals, name, json_pack("[o, o]", kt_json_number(time->lo), kt_json_number(time->hi)));
}

/* {"insitu", "bound", "library", "warm", "cache", "residual", "unsplit", ..., "intervals": {NAME: [LO, HI]}} */
static json_t *decomposition_json(const struct kt_decomposition *d)
{
    json_t *object = json_object();
    json_t *intervals = json_object();
    json_object_set_new(object, "insitu", kt_json_number(d->insitu));
    add_time(object, intervals, "bound", &d->bound);
    add_time(object, intervals, "library", &d->library);
    add_time(object, intervals, "warm", &d->warm);
    add_time(object, intervals, "cache", &d->cache);
    add_time(object, intervals, "residual", &d->residual);
    add_time(object, intervals, "unsplit", &d->unsplit);
    json_object_set_new(object, "intervals", intervals);
    json_object_set_new(object, "cache_most", kt_json_number(d->cache_most));
    json_object_set_new(object, "page_faults", kt_json_number(d->faults));
    json_object_set_new(object, "fault_seconds", kt_json_number(d->fault_seconds));
    json_object_set_new(object, "context_index", kt_json_number(d->index));
    json_object_set_new(object, "tracked", json_boolean(d->shapes > 0 && d->tracked == d->shapes));
    json_object_set_new(object, "shapes_tracked", json_integer((json_int_t)d->tracked));
    json_object_set_new(object, "shapes", json_integer((json_int_t)d->shapes));
    json_object_set_new(object, "calls", json_integer((json_int_t)d->calls));
    json_object_set_new(object, "odd",
                        json_pack("{s:o, s:o, s:o}", "warm_below_bound", kt_json_number(d->odd[KT_ODD_BOUND]),
                                  "tracked_below_warm", kt_json_number(d->odd[KT_ODD_TRACKED]), "insitu_below_replay",
                                  kt_json_number(d->odd[KT_ODD_INSITU])));
    return object;
}

static json_t *routines_json(const struct kt_parts_groups *groups)
{
    json_t *array = json_array();
    for (size_t i = 0; i < groups->count; i++) {
        json_t *object = decomposition_json(&groups->group[i].parts);
        json_object_set_new(object, "routine", json_string(groups->group[i].routine));
        json_object_set_new(object, "seconds", kt_json_number(groups->group[i].seconds));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *callers_json(const struct kt_parts_groups *groups)
{
    json_t *array = json_array();
    for (size_t i = 0; i < groups->count; i++) {
        const struct kt_place *place = groups->group[i].place;
        json_t *object = decomposition_json(&groups->group[i].parts);
        json_object_set_new(object, "object", kt_json_text_or_null(place->object));
        json_object_set_new(object, "function", kt_json_text_or_null(place->function));
        json_object_set_new(object, "file", kt_json_text_or_null(place->file));
        json_object_set_new(object, "line", place->file ? json_integer(place->line) : json_null());
        json_object_set_new(object, "offset", json_integer((json_int_t)place->offset));
        json_object_set_new(object, "seconds", kt_json_number(groups->group[i].seconds));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *missing_json(const struct kt_report *report)
{
    const struct kt_parts *parts = &report->parts;
    json_t *reasons = json_array();
    double seconds = 0;
    for (size_t i = 0; i < parts->missings; i++) {
        const struct kt_parts_missing *missing = &parts->missing[i];
        seconds += missing->seconds;
        json_array_append_new(reasons,
                              json_pack("{s:o, s:I, s:o}", "why", kt_json_text(missing->why), "calls",
                                        (json_int_t)missing->calls, "seconds", kt_json_number(missing->seconds)));
    }
    return json_pack("{s:o, s:o, s:o}", "seconds", kt_json_number(seconds), "share",
                     kt_json_number(seconds / report->groups.seconds), "reasons", reasons);
}

static json_t *advice_json(const struct kt_report *report)
{
    json_t *array = json_array();
    for (int i = 0; i < report->advices; i++) {
        const struct kt_advice *advice = &report->advice[i];
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:o, s:o, s:o}", "routine", advice->routine, "part",
                                        kt_part_name[advice->part], "seconds", kt_json_number(advice->seconds), "share",
                                        kt_json_number(advice->share), "text", kt_json_text(advice->text)));
    }
    return array;
}

json_t *kt_parts_json(const struct kt_report *report)
{
    json_t *object = decomposition_json(&report->parts.total.parts);
    json_object_set_new(object, "partial", json_boolean(report->partial));
    json_object_set_new(object, "routines", routines_json(&report->parts.routines));
    json_object_set_new(object, "callers", callers_json(&report->parts.callers));
    json_object_set_new(object, "not_replayed", missing_json(report));
    json_object_set_new(object, "advice", advice_json(report));
    return object;
}

void kt_parts_json_shapes(const struct kt_report *report, json_t *shapes)
{
    const struct kt_parts_groups *groups = &report->parts.shapes;
    for (size_t i = 0; i < groups->count; i++)
        json_object_set_new(json_array_get(shapes, groups->group[i].shape), "parts",
                            groups->group[i].parts.shapes ? decomposition_json(&groups->group[i].parts) : json_null());
}
