/* SPDX-License-Identifier: BSD-3-Clause */
/* What ktrace compare --workloads --json prints. */
#include "replay/compare/beyond.h"
#include "replay/compare/ratio_json.h"
#include "replay/result/result_document.h"
#include "replay/workloads/workloads.h"
#include "trace/base/interrupt.h"

static const struct kt_field lane_fields[] = {
    {"label", KT_AS_TEXT, .meaning = "its name in tables"},
    {"ratio", KT_AS_RECORD, .meaning = "geometric mean of its ratios, with its 95 % interval", .of = kt_field_estimate},
    {"verdict", KT_AS_TEXT, .meaning = "baseline, faster, slower, or not told apart"},
    {"workloads", KT_AS_COUNT, .meaning = "workloads that the mean is of"},
    {0}};

static const struct kt_field cell_fields[] = {
    {"label", KT_AS_TEXT, .meaning = "the library"},
    {"seconds_replayed", KT_AS_SECONDS, KT_NULL, .meaning = "time of all calls as replayed"},
    {"ratio", KT_AS_RECORD, .meaning = "the same over that of the baseline", .of = kt_field_estimate},
    {"pairs", KT_AS_COUNT, .meaning = "pairs of times that this rests on, in the mean over the shapes"},
    {"verdict", KT_AS_TEXT, .meaning = "baseline, faster, slower, or not told apart"},
    {"shapes_wrong", KT_AS_COUNT, .meaning = "shapes whose results are wrong"},
    {"shapes_unfinished", KT_AS_COUNT, .meaning = "shapes that were not finished within their time limit"},
    {"shapes_failed", KT_AS_COUNT, .meaning = "shapes that it cannot run, which the ratio leaves out"},
    {0}};

static const struct kt_field row_fields[] = {
    {"workload", KT_AS_TEXT, .meaning = "name of the file, without .ktw"},
    {"path", KT_AS_TEXT, .meaning = "the file"},
    {"status", KT_AS_COUNT, .meaning = "exit status of its comparison"},
    {"why", KT_AS_TEXT, KT_NULL, .meaning = "why it was not compared"},
    {"reused", KT_AS_FLAG, KT_NULL, .meaning = "all times come from the store"},
    {"libraries", KT_AS_RECORD, KT_MANY, .meaning = "on each library", .of = cell_fields},
    {"limit", KT_AS_RECORD, KT_LACKS, .meaning = "what --fail-above does not allow", .of = kt_beyond_fields},
    {0}};

static const struct kt_field workloads_fields[] = {
    {"ktrace", KT_AS_TEXT, .meaning = "version of ktrace"},
    {"directory", KT_AS_TEXT, .meaning = "where the workloads are"},
    {"machine", KT_AS_RECORD, KT_NULL, .meaning = "machine of the comparison", .of = kt_field_replay_machine},
    {"baseline", KT_AS_TEXT, .meaning = "label of the library that others are compared with"},
    {"libraries", KT_AS_RECORD, KT_MANY, .meaning = "libraries, the baseline first", .of = lane_fields},
    {"workloads", KT_AS_RECORD, KT_MANY, .meaning = "workloads, by name", .of = row_fields},
    {"compared", KT_AS_COUNT, .meaning = "how many of them were compared"},
    {"budget", KT_AS_SECONDS, .meaning = "time for each of them"},
    {"seconds_spent", KT_AS_SECONDS, .meaning = "how long sampling took"},
    {"interrupted", KT_AS_FLAG, .meaning = "a signal ended it"},
    {0}};

const struct kt_document kt_document_compare_workloads = {
    .verb = "compare", .what = "ktrace compare --workloads DIR --json", .version = 1, .field = workloads_fields};

static const char *verdict_of(const struct kt_ratio *ratio, size_t lane)
{
    return lane ? kt_verdict_text[kt_ratio_verdict(ratio)] : "baseline";
}

static json_t *lanes_json(const struct kt_workloads *w)
{
    json_t *list = json_array();
    for (size_t l = 0; l < w->lanes; l++) {
        const struct kt_workload_lane *lane = &w->lane[l];
        json_array_append_new(list, json_pack("{s:o, s:o, s:s, s:I}", "label", kt_json_text(lane->label), "ratio",
                                              kt_ratio_json(&lane->mean), "verdict", verdict_of(&lane->mean, l),
                                              "workloads", (json_int_t)lane->workloads));
    }
    return list;
}

static json_t *cells_json(const struct kt_workloads *w, const struct kt_workload_row *row)
{
    json_t *list = json_array();
    for (size_t l = 0; l < w->lanes && !row->why; l++) {
        const struct kt_workload_cell *cell = &row->cell[l];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:I, s:s, s:I, s:I, s:I}", "label", kt_json_text(w->lane[l].label),
                            "seconds_replayed", kt_json_number(cell->seconds), "ratio", kt_ratio_json(&cell->ratio),
                            "pairs", (json_int_t)cell->ratio.n, "verdict", verdict_of(&cell->ratio, l), "shapes_wrong",
                            (json_int_t)cell->wrong, "shapes_unfinished", (json_int_t)cell->unfinished, "shapes_failed",
                            (json_int_t)cell->failed));
    }
    return list;
}

static json_t *row_json(const struct kt_workloads *w, const struct kt_workload_row *row)
{
    json_t *limit = json_object_get(row->said, "limit");
    json_t *reused = json_object_get(json_object_get(row->said, "store"), "reused");
    json_t *json =
        json_pack("{s:o, s:o, s:i, s:o, s:O?, s:o}", "workload", json_stringn(row->name, (size_t)row->name_length),
                  "path", kt_json_text(row->path), "status", row->exit, "why",
                  row->why ? kt_json_text(row->why) : json_null(), "reused", reused, "libraries", cells_json(w, row));
    if (limit)
        json_object_set(json, "limit", limit);
    return json;
}

json_t *kt_workloads_json(const struct kt_workloads *w)
{
    json_t *machine = NULL;
    json_t *rows = json_array();
    for (size_t i = 0; i < w->rows; i++) {
        machine = machine ? machine : json_object_get(w->row[i].said, "machine");
        json_array_append_new(rows, row_json(w, &w->row[i]));
    }
    return json_pack("{s:s, s:o, s:O?, s:o, s:o, s:o, s:I, s:f, s:f, s:b}", "ktrace", KT_VERSION, "directory",
                     kt_json_text(w->options->workloads), "machine", machine, "baseline",
                     kt_json_text(w->lane[0].label), "libraries", lanes_json(w), "workloads", rows, "compared",
                     (json_int_t)w->compared, "budget", w->budget, "seconds_spent", w->spent, "interrupted",
                     kt_interrupted() != 0);
}
