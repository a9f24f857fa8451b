/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The JSON document of a report, put together from the lists of its tables.
 */
#include "model/report/findings.h"
#include "model/report/machine_states.h"
#include "model/report/report_lists.h"
#include "model/report/report_subnormal.h"
#include "trace/command/counts.h"
#include "trace/command/hosts_json.h"
#include "trace/command/state_json.h"
#include "trace/command/subnormal.h"
#include "trace/read/profile.h"

#include <math.h>

json_t *kt_report_share(double part, double whole)
{
    return kt_json_number(whole > 0 ? part / whole : NAN);
}

/* --- the run ------------------------------------------------------------------------------------------------- */

static json_t *state(const struct kt_at *at)
{
    return json_string(kt_state_text(&kt_report_of(at)->trace));
}

/* Of all calls, where one in several was recorded. */
static json_t *estimated(const struct kt_at *at)
{
    const struct kt_report *report = kt_report_of(at);
    uint64_t sample = kt_state_sample(&report->trace);
    const struct kt_estimate all = kt_summary_of_all(&report->summary, sample);
    return sample > 1 ? json_pack("{s:o, s:o, s:o}", "value", kt_json_number(all.value), "lo", kt_json_number(all.lo),
                                  "hi", kt_json_number(all.hi))
                      : json_null();
}

static json_t *states(const struct kt_at *at)
{
    return kt_machine_states_json(kt_report_of(at));
}

static json_t *nested(const struct kt_at *at)
{
    return kt_nested_json(&kt_report_of(at)->trace, &kt_report_of(at)->state);
}

static json_t *in_flight(const struct kt_at *at)
{
    return kt_in_flight_json(&kt_report_of(at)->state);
}

static json_t *mode(const struct kt_at *at)
{
    const struct kt_trace *trace = &kt_report_of(at)->trace;
    return json_string(kt_is_workload(trace) ? "workload" : kt_is_profile(trace) ? "profile" : "full");
}

static json_t *events(const struct kt_at *at)
{
    return kt_counters_json(&kt_report_of(at)->trace);
}

static json_t *unblocked(const struct kt_at *at)
{
    return kt_findings_unblocked_json(kt_report_of(at));
}

static json_t *paths(const struct kt_at *at)
{
    return kt_paths_json(&kt_report_of(at)->tree);
}

static json_t *hosts(const struct kt_at *at)
{
    return kt_hosts_json(&kt_report_of(at)->trace);
}

static json_t *subnormal(const struct kt_at *at)
{
    return kt_report_subnormals_json(kt_report_of(at));
}

static json_t *share_of_wall(const struct kt_at *at)
{
    return kt_json_number(kt_report_blas_share(kt_report_of(at)));
}

static json_t *most_at_once(const struct kt_at *at)
{
    const struct kt_overlaps *overlaps = &kt_report_of(at)->overlaps;
    return overlaps->known ? json_integer(overlaps->most) : json_null();
}

static json_t *at_begin(const struct kt_at *at)
{
    return kt_json_number(kt_overlap_at_begin(&kt_report_of(at)->overlaps.all));
}

static json_t *beside(const struct kt_at *at)
{
    return kt_json_number(kt_overlap_beside(&kt_report_of(at)->overlaps.all));
}

static const struct kt_field overlap_fields[] = {
    {"calls_at_once", KT_AS_COUNT, KT_NULL, .meaning = "most calls that ran at the same time, of one machine",
     .get = most_at_once},
    {"others_at_begin", KT_AS_NUMBER, KT_NULL, .meaning = KT_REPORT_AT_BEGIN, .get = at_begin},
    {"others_beside", KT_AS_NUMBER, KT_NULL, .meaning = KT_REPORT_BESIDE, .get = beside},
    {0}};

static const struct kt_field overhead_fields[] = {
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "estimate", KT_AT(struct kt_report, overhead.value)},
    {"lo", KT_AS_SECONDS, KT_NULL, .meaning = "begin of its interval", KT_AT(struct kt_report, overhead.lo)},
    {"hi", KT_AS_SECONDS, KT_NULL, .meaning = "its end", KT_AT(struct kt_report, overhead.hi)},
    {0}};

static const struct kt_field clock_fields[] = {
    {"migrated", KT_AS_COUNT, .meaning = "calls that ended on another processor than they began on",
     KT_AT(struct kt_report, state.migrated)},
    {"implausible", KT_AS_COUNT, .meaning = "calls whose times cannot be", KT_AT(struct kt_report, state.implausible)},
    {"note", KT_AS_TEXT, KT_NULL, .meaning = "why the clock may not measure time",
     KT_AT(struct kt_report, state.clock_note)},
    {0}};

/* A place or a routine. */
static const struct kt_field node_fields[] = {
    {"routine", KT_AS_TEXT, KT_LACKS, .meaning = "of leaves: the routine that is called; others have a place"},
    {"object", KT_AS_TEXT, KT_NULL | KT_LACKS, .meaning = "program or library that contains the call"},
    {"function", KT_AS_TEXT, KT_NULL | KT_LACKS, .meaning = "function that makes the call"},
    {"file", KT_AS_TEXT, KT_NULL | KT_LACKS, .meaning = "source file"},
    {"line", KT_AS_ID, KT_NULL | KT_LACKS, .meaning = "line in the source file"},
    {"offset", KT_AS_ID, KT_LACKS, .meaning = "address of the call in the object"},
    {"calls", KT_AS_COUNT, .meaning = "outermost calls below it"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "their time"},
    {"children", KT_AS_SAME, KT_MANY, .meaning = "what it leads to", .ref = "paths"},
    {0}};

static const struct kt_field document_fields[] = {
    {"state", KT_AS_TEXT, .meaning = "complete, incomplete or running", .get = state},
    {"calls", KT_AS_COUNT, .meaning = "recorded calls", KT_AT(struct kt_report, summary.calls)},
    {"calls_top", KT_AS_COUNT, .meaning = "of these, outermost ones: those that the application made",
     KT_AT(struct kt_report, summary.calls_top)},
    {"unfinished", KT_AS_COUNT, .meaning = "calls that have not returned: they have no time",
     KT_AT(struct kt_report, summary.unfinished)},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "from the start of the longest process to its end",
     KT_AT(struct kt_report, summary.seconds)},
    {"seconds_before_first_call", KT_AS_SECONDS, KT_NULL, .meaning = "of these, before its first call",
     KT_AT(struct kt_report, summary.seconds_before)},
    {"seconds_blas", KT_AS_SECONDS, KT_NULL, .meaning = "in outermost calls, threads added",
     KT_AT(struct kt_report, summary.seconds_blas)},
    {"seconds_busy", KT_AS_SECONDS, KT_NULL,
     .meaning = "in which at least one thread of a process is in an outermost call, processes added",
     KT_AT(struct kt_report, overlaps.busy)},
    {"share_of_wall", KT_AS_SHARE, KT_NULL,
     .meaning = "part of the wall time of all processes in which at least one thread is in a call",
     .get = share_of_wall},
    {"overlap", KT_AS_RECORD, .meaning = "calls that ran at the same time", .of = overlap_fields},
    {"self_seconds", KT_AS_SECONDS, KT_NULL, .meaning = "that the recorder took, as it measured itself",
     KT_AT(struct kt_report, state.self_seconds)},
    {"seconds_blas_estimated", KT_AS_RECORD, KT_NULL,
     .meaning = "where one call in several was recorded: in all outermost calls, in seconds", .get = estimated,
     .of = kt_field_estimate},
    {"overhead", KT_AS_RECORD, .meaning = "by how much recording made the calls longer", .of = overhead_fields},
    {"states", KT_AS_RECORD, .meaning = "how fast the machine was", .get = states, .of = kt_machine_states_fields},
    {"nested", KT_AS_RECORD, .meaning = "in which calls nested ones were recorded", .get = nested,
     .of = kt_field_nested},
    KT_FIELDS(kt_report_summary_record),
    KT_FIELDS(kt_report_inside_list),
    {"in_flight", KT_AS_RECORD, KT_MANY, .meaning = "calls that had not returned when the process ended",
     .get = in_flight, .of = kt_field_in_flight},
    {"mode", KT_AS_TEXT, .meaning = "full, profile or workload", .get = mode},
    {"overflow", KT_AS_COUNT, .meaning = "calls of profiles that are counted by routine only",
     KT_AT(struct kt_report, state.overflow)},
    KT_FIELDS(kt_report_routine_list),
    {"events", KT_AS_RECORD, KT_MANY, .meaning = "counters of the trace", .get = events, .of = kt_field_counters},
    KT_FIELDS(kt_report_count_list),
    KT_FIELDS(kt_report_shape_list),
    {"unblocked", KT_AS_RECORD, KT_MANY, .meaning = "LAPACK routines that ran without blocks", .get = unblocked,
     .of = kt_findings_unblocked_fields},
    KT_FIELDS(kt_report_place_lists),
    {"paths", KT_AS_RECORD, KT_MANY, .meaning = "call paths as a tree, where they were recorded", .get = paths,
     .of = node_fields},
    KT_FIELDS(kt_report_thread_list),
    KT_FIELDS(kt_report_process_list),
    {"clock", KT_AS_RECORD, .meaning = "what is odd about the clock", .of = clock_fields},
    {KT_HOSTS_FIELD, .get = hosts},
    KT_FIELDS(kt_report_rank_fields),
    KT_FIELDS(kt_report_rank_statistics),
    KT_FIELDS(kt_report_node_list),
    KT_FIELDS(kt_field_missing),
    KT_FIELDS(kt_report_region_list),
    {"regions_unmatched", KT_AS_COUNT, .meaning = "ends of regions whose begin was not recorded",
     KT_AT(struct kt_report, regions.unmatched)},
    KT_FIELDS(kt_report_parts_record),
    {"subnormal", KT_AS_RECORD, KT_MANY, .meaning = "subnormal numbers in operands of snapshots", .get = subnormal,
     .of = kt_field_subnormal},
    {0}};

const struct kt_document kt_document_report = {
    .verb = "report", .what = "ktrace report --json", .version = 1, .field = document_fields};

json_t *kt_report_json(const struct kt_report *report)
{
    json_t *document = kt_field_object(document_fields, &(struct kt_at){report, report, 0});
    kt_json_add_missing(document, &report->trace, &report->state);
    return document;
}
