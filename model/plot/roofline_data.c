/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The points of a roofline plot as JSON and as CSV. What is not known is null, or an empty field.
 */
#include "model/roofline/roofline.h"

#include "trace/print/csv_cell.h"
#include "trace/print/text_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is known of a kernel's calls is the lower quartile of their times, which is the upper one of their rates. */
static struct kt_spread quartile_alone(const struct kt_spread *s, bool is_rate)
{
    struct kt_spread alone = {.least = NAN, .q1 = NAN, .median = NAN, .q3 = NAN, .most = NAN, .n = s->n};
    *(is_rate ? &alone.q3 : &alone.q1) = s->median;
    return alone;
}

static json_t *roof_json(const struct kt_roofs *roofs, const struct kt_roof *roof)
{
    bool flops = roof->kind == KT_ROOF_FLOPS;
    return json_pack("{so ss sf ss so si so}", "name", kt_json_text(roof->name), "kind", flops ? "flops" : "bytes",
                     "value", roof->value, "unit", flops ? "flop/cycle" : "byte/cycle", "per_second",
                     kt_json_number(roof->value * roofs->hz), "cores", roof->cores, "machine",
                     kt_json_text(roofs->machine));
}

static json_t *point_json(const struct kt_roofline *roofline, const struct kt_roofline_point *p)
{
    json_t *point = json_pack(
        "{so so so so so ss so so ss so so}", "routine", kt_json_text(p->routine), "shape", kt_json_text(p->shape),
        "args", p->args ? json_incref(p->args) : json_null(), "calls", kt_json_number(p->calls), "series",
        kt_json_text(roofline->series[p->series].name), "context", kt_point_context_name[p->context], "intensity",
        kt_json_number(p->intensity.median), "flops_per_cycle", kt_json_number(p->rate.median), "source",
        kt_point_source_name[p->source], "share", kt_json_number(p->share), "seconds", kt_json_number(p->seconds));
    const struct kt_point_series *series = &roofline->series[p->series];
    double limit = kt_point_limit(roofline, p);
    json_object_set_new(point, "series_number", json_integer((json_int_t)p->series + 1));
    json_object_set_new(point, "library", kt_json_text(series->library));
    json_object_set_new(point, "threads", json_integer(series->threads));
    json_object_set_new(point, "statistic", json_string(kt_roofline_statistic(roofline)));
    json_object_set_new(point, "shapes", json_integer((json_int_t)p->shapes));
    json_object_set_new(point, "number", p->number ? json_integer((json_int_t)p->number) : json_null());
    json_object_set_new(point, "limit", kt_json_number(limit));
    json_object_set_new(point, "limit_cores", isnan(limit) ? json_null() : json_integer(series->cores));
    json_object_set_new(point, "of_highest_roof", kt_json_number(kt_point_excess(roofline, p)));
    json_object_set_new(point, "flops", kt_json_number(p->work.flops));
    json_object_set_new(point, "traffic", kt_json_number(p->traffic));
    json_object_set_new(point, "flops_counted", kt_json_number(p->flops_counted));
    json_object_set_new(point, "traffic_counted", kt_json_number(p->traffic_counted));
    json_object_set_new(point, "traffic_tracked", kt_json_number(p->traffic_tracked));
    const struct kt_spread time = roofline->lined ? quartile_alone(&p->time, false) : p->time;
    const struct kt_spread rate = roofline->lined ? quartile_alone(&p->rate, true) : p->rate;
    json_object_set_new(point, "time", kt_spread_json(&time));
    json_object_set_new(point, "intensity_spread", kt_spread_json(&p->intensity));
    json_object_set_new(point, "rate_spread", kt_spread_json(&rate));
    return point;
}

static json_t *ridges_json(const struct kt_roofs *roofs)
{
    json_t *ridges = json_array();
    for (size_t i = 0; i < roofs->count; i++) {
        double ridge = kt_roofs_ridge_at(roofs, &roofs->roof[i]);
        if (!isnan(ridge))
            json_array_append_new(ridges, json_pack("{si sf}", "cores", roofs->roof[i].cores, "flops_per_byte", ridge));
    }
    return ridges;
}

static json_t *machine_json(const struct kt_roofs *roofs)
{
    return json_pack("{so sf so}", "name", kt_json_text(roofs->machine), "hz", roofs->hz, "ridges", ridges_json(roofs));
}

static json_t *left_out_json(const struct kt_roofline *roofline)
{
    struct kt_unplaced left_out[KT_LEFT_OUT_REASONS];
    json_t *array = json_array();
    kt_roofline_left_out(roofline, left_out);
    for (int i = 0; i < KT_LEFT_OUT_REASONS; i++)
        if (left_out[i].shapes)
            json_array_append_new(array, json_pack("{ss sI so}", "reason", kt_left_out_text[i], "shapes",
                                                   (json_int_t)left_out[i].shapes, "share",
                                                   kt_json_number(left_out[i].share)));
    return array;
}

json_t *kt_roofline_json(const struct kt_roofline *roofline)
{
    json_t *roofs = json_array();
    json_t *points = json_array();
    json_t *machines = json_array();
    for (size_t m = 0; m < roofline->machines; m++)
        for (size_t i = 0; i < roofline->roofs[m].count; i++)
            json_array_append_new(roofs, roof_json(&roofline->roofs[m], &roofline->roofs[m].roof[i]));
    for (size_t i = 0; i < roofline->points; i++)
        json_array_append_new(points, point_json(roofline, &roofline->point[i]));
    for (size_t m = 0; m < roofline->machines; m++)
        json_array_append_new(machines, machine_json(&roofline->roofs[m]));
    return json_pack("{so so so so}", "machines", machines, "roofs", roofs, "points", points, "left_out",
                     left_out_json(roofline));
}

/* --- CSV --------------------------------------------------------------------------------------------------- */

static void write_number(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, ",%.6g", value);
    else
        fprintf(file, ",%s", isinf(value) ? "inf" : "");
}

static void write_spread(FILE *file, const struct kt_spread *s)
{
    write_number(file, s->least);
    write_number(file, s->q1);
    write_number(file, s->median);
    write_number(file, s->q3);
    write_number(file, s->most);
}

static void write_point(FILE *file, const struct kt_roofline *roofline, const struct kt_roofline_point *p)
{
    const struct kt_point_series *series = &roofline->series[p->series];
    if (p->number)
        fprintf(file, "%zu", p->number);
    fputc(',', file);
    kt_csv_cell(file, p->routine);
    fputc(',', file);
    kt_csv_cell(file, p->shape);
    fputc(',', file);
    kt_csv_cell(file, series->name);
    fputc(',', file);
    kt_csv_cell(file, series->library);
    fprintf(file, ",%s,%s", kt_point_context_name[p->context], kt_point_source_name[p->source]);
    write_number(file, p->calls);
    write_number(file, p->seconds);
    write_number(file, p->share);
    write_number(file, p->work.flops);
    write_number(file, p->traffic);
    write_number(file, p->flops_counted);
    write_number(file, p->traffic_counted);
    write_number(file, p->traffic_tracked);
    write_spread(file, &p->intensity);
    write_spread(file, &p->rate);
    write_number(file, kt_point_limit(roofline, p));
    fputc('\n', file);
}

enum kt_status kt_roofline_csv(const struct kt_roofline *roofline, const char *path, struct kt_error *error)
{
    struct kt_text_file data;
    KT_TRY(kt_text_file_begin(&data, path, error));
    FILE *file = data.file;
    fprintf(
        file,
        "number,routine,shape,series,library,context,source,calls,seconds,share,flops,traffic_bytes,"
        "flops_counted,traffic_counted_bytes,traffic_tracked_bytes,intensity_least,intensity_q1,intensity,intensity_q3,"
        "intensity_most,flops_per_cycle_least,flops_per_cycle_q1,flops_per_cycle,flops_per_cycle_q3,"
        "flops_per_cycle_most,limit_flops_per_cycle\n");
    for (size_t i = 0; i < roofline->points; i++)
        write_point(file, roofline, &roofline->point[i]);
    return kt_text_file_end(&data, error);
}
