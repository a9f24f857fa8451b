/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/report_subnormal.h"

#include "trace/command/subnormal.h"
#include "trace/print/text.h"

#include <stdio.h>

enum { LISTED = 8 };

static json_t *replayed_json(const struct kt_report *report)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct kt_call *call = &report->shape[i].group->first;
        const json_t *cost = json_object_get(report->shape[i].parts.replayed, "subnormal");
        if (!json_is_object(cost))
            continue;
        json_t *one =
            json_pack("{s:s, s:o}", "routine", call->entry->symbol.routine->name, "args", kt_json_args(call, false));
        json_object_update_new(one, json_copy((json_t *)cost));
        json_array_append_new(list, one);
    }
    return list;
}

json_t *kt_report_subnormals_json(const struct kt_report *report)
{
    json_t *list = replayed_json(report);
    if (json_array_size(list))
        return list;
    json_decref(list);
    return kt_subnormals_of_trace(&report->trace);
}

void kt_report_subnormals(const struct kt_report *report)
{
    json_t *list = kt_report_subnormals_json(report);
    size_t count = json_array_size(list);
    if (count)
        kt_heading("Subnormal numbers in operands");
    for (size_t i = 0; i < count && i < LISTED; i++) {
        char text[512];
        const json_t *one = json_array_get(list, i);
        kt_subnormals_cost_text(one, text, sizeof text);
        printf("%s: %s.\n", json_string_value(json_object_get(one, "routine")), text);
    }
    if (count > LISTED)
        printf("And %zu others; all of them with --json.\n", count - LISTED);
    if (count && !report->replayed)
        printf("What they cost ktrace replay tells.\n");
    if (count)
        printf("\n");
    json_decref(list);
}
