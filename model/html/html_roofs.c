/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roofs of the machine that a trace was recorded on, from its machine file or from what a replay reached. Nothing
 * is measured for a page.
 */
#include "model/html/html_parts.h"

#include "model/roofline/roofline_machine.h"

#include <limits.h>
#include <unistd.h>

static bool find_roofs(const struct kt_report *report, struct kt_roofs *out)
{
    char path[PATH_MAX];
    struct kt_error error = {0};
    const struct kt_trace *trace = &report->trace;
    const struct kt_process *process = &trace->process[0];
    bool is_here = kt_roofline_is_of_this_machine(process) && kt_machine_path(path, sizeof path);
    if (is_here && access(path, R_OK) == 0 &&
        kt_roofline_find_roofs(path, trace, &report->from_replay[0], out, &error) == KT_OK)
        return true;
    return kt_roofs_of_replay(report->from_replay[0].document, process->tick_hz, out);
}

static json_t *roof_json(const struct kt_roofs *roofs, const struct kt_roof *roof)
{
    return json_pack("{s:o, s:s, s:o, s:i, s:b, s:b, s:o}", "name", kt_json_text(roof->name), "kind",
                     roof->kind == KT_ROOF_FLOPS ? "flops" : "bytes", "per_second",
                     kt_json_number(roof->value * roofs->hz), "cores", roof->cores, "single", roof->is_single, "main",
                     roof->is_main, "level", kt_json_text_or_null(roof->level));
}

json_t *kt_html_roofs(const struct kt_report *report)
{
    struct kt_roofs roofs;
    if (report->trace.processes == 0 || report->replays == 0 || !find_roofs(report, &roofs))
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < roofs.count; i++)
        json_array_append_new(list, roof_json(&roofs, &roofs.roof[i]));
    return list;
}
