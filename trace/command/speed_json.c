/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/speed_json.h"

json_t *kt_speed_json(const struct kt_speed_sums *sums)
{
    struct kt_speed speed;
    if (!kt_speed_mean(sums, &speed))
        return json_null();
    return json_pack("{s:I, s:f, s:f, s:f}", "readings", (json_int_t)sums->weight, "core_hz", 1 / speed.chain,
                     "issue_hz", 1 / speed.wide, "memory_seconds", speed.memory);
}

bool kt_speed_from_json(const json_t *json, struct kt_speed_sums *out)
{
    struct kt_speed speed = {1 / json_number_value(json_object_get(json, "core_hz")),
                             1 / json_number_value(json_object_get(json, "issue_hz")),
                             json_number_value(json_object_get(json, "memory_seconds"))};
    *out = (struct kt_speed_sums){0};
    kt_speed_add(out, &speed, json_number_value(json_object_get(json, "readings")));
    return kt_speed_mean(out, &speed);
}
