/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/probe/probe.h"

#include "trace/command/json.h"
#include "trace/print/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kt_probe_not_determined(struct kt_probe *probe, const char *what, const char *format, ...)
{
    char why[512];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    json_array_append_new(json_object_get(probe->answer, "not_determined"),
                          json_pack("{s:s, s:s}", "what", what, "why", why));
}

static json_t *numbers(const double *value, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, kt_json_number(value[i]));
    return array;
}

void kt_probe_curve(struct kt_probe *probe, const char *name, const char *x_name, const char *y_name, const double *x,
                    const double *y, size_t n, const double *steps, size_t step_count)
{
    json_object_set_new(json_object_get(probe->answer, "curves"), name,
                        json_pack("{s:s, s:s, s:o, s:o, s:o}", "x_name", x_name, "y_name", y_name, "x", numbers(x, n),
                                  "y", numbers(y, n), "steps", numbers(steps, step_count)));
}

typedef void part(struct kt_probe *probe);

static const struct {
    const char *label;
    part *run;
    bool quick; /* what replays need */
} parts[] = {
    {"clocks", kt_probe_clocks, true},        {"operations", kt_probe_operations, true},
    {"caches", kt_probe_caches, true},        {"bandwidth", kt_probe_bandwidth, true},
    {"code", kt_probe_code, false},           {"pages", kt_probe_pages, false},
    {"registers", kt_probe_registers, false}, {"contexts", kt_probe_contexts, false},
    {"cores", kt_probe_cores, false},
};

/* KTRACE_PROBE_PARTS, for tests: labels of parts, all that are measured. */
static bool is_wanted(size_t i, bool quick)
{
    const char *only = getenv("KTRACE_PROBE_PARTS");
    return only && *only ? strstr(only, parts[i].label) || i == 0 : !quick || parts[i].quick;
}

json_t *kt_probe_machine(bool quick)
{
    struct kt_probe probe = {.quick = quick, .answer = json_object(), .start = kt_seconds_now()};
    json_object_set_new(probe.answer, "format", json_integer(1));
    json_object_set_new(probe.answer, "quick", json_boolean(quick));
    json_object_set_new(probe.answer, "not_determined", json_array());
    json_object_set_new(probe.answer, "curves", json_object());
    json_object_set_new(probe.answer, "peak", json_array());
    json_object_set_new(probe.answer, "bandwidth", json_array());
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double start = kt_seconds_now();
        if (!is_wanted(i, quick))
            continue;
        kt_progress(parts[i].label, (double)i, sizeof parts / sizeof *parts);
        parts[i].run(&probe);
        json_t *spent = json_object_get(probe.answer, "seconds_parts");
        if (!spent)
            json_object_set_new(probe.answer, "seconds_parts", spent = json_object());
        json_object_set_new(spent, parts[i].label, json_real(kt_seconds_now() - start));
    }
    kt_progress_end();
    json_object_set_new(probe.answer, "seconds_spent", json_real(kt_seconds_now() - probe.start));
    return probe.answer;
}

void kt_probe_add_cores(json_t *answer)
{
    double tsc_hz = json_number_value(json_object_get(answer, "tsc_hz"));
    double core_hz = json_number_value(json_object_get(answer, "core_hz"));
    const json_t *first = json_array_get(json_object_get(answer, "caches"), 0);
    struct kt_probe probe = {.quick = true,
                             .answer = answer,
                             .ticks_per_second = tsc_hz,
                             .ticks_per_cycle = tsc_hz / core_hz,
                             .start = kt_seconds_now(),
                             .first = json_number_value(json_object_get(first, "bytes"))};
    kt_probe_cores(&probe);
}
