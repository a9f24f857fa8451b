/* SPDX-License-Identifier: BSD-3-Clause */
/* What ktrace compare --json prints. */
#include "replay/compare/beyond.h"
#include "replay/result/result_document.h"
#include "trace/command/state_json.h"

/* --- libraries ----------------------------------------------------------------------------------------------- */

static const struct kt_field call_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"words", KT_AS_TEXT, .meaning = "the shape in words"},
    {"args", KT_AS_MAP, .meaning = "arguments of the first call, by their names"},
    {"calls", KT_AS_COUNT, .meaning = "recorded calls"},
    {0}};

static const struct kt_field wrong_fields[] = {
    KT_FIELDS(call_fields),
    {"what", KT_AS_TEXT, .meaning = "what is wrong"},
    {"residual", KT_AS_NUMBER, KT_NULL, .meaning = "how wrong, in units that suit the routine"},
    {"reproduce", KT_AS_TEXT, .meaning = "command that prints a program that shows it"},
    {0}};

static const struct kt_field unchecked_fields[] = {
    KT_FIELDS(call_fields), {"why", KT_AS_TEXT, KT_NULL, .meaning = "why its results were not checked"}, {0}};

static const struct kt_field unusual_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"args", KT_AS_MAP, .meaning = "arguments, by their names"},
    {"kind", KT_AS_TEXT, .meaning = "kind of contents"},
    {"contents", KT_AS_TEXT, .meaning = "what operands held"},
    {"gives", KT_AS_TEXT, .meaning = "what the library makes of it"},
    {"reference", KT_AS_TEXT, .meaning = "what the reference library makes of it"},
    {0}};

static const struct kt_field unusual_contents_fields[] = {
    {"calls", KT_AS_COUNT, .meaning = "calls that were tried"},
    {"other", KT_AS_COUNT, .meaning = "of these, calls with another outcome than the reference library's"},
    {"given_up", KT_AS_COUNT, .meaning = "calls that did not end"},
    {"groups_left", KT_AS_COUNT, .meaning = "groups of calls that there was no time for"},
    {"not_tried", KT_AS_TEXT, KT_NULL, .meaning = "why nothing was tried"},
    {"findings", KT_AS_RECORD, KT_MANY, .meaning = "other outcomes", .of = unusual_fields},
    {0}};

static const struct kt_field failed_fields[] = {KT_FIELDS(call_fields),
                                                {"seconds", KT_AS_SECONDS, .meaning = "their time in the program"},
                                                {"why", KT_AS_TEXT, .meaning = "why it cannot run them"},
                                                {0}};

static const struct kt_field replayed_fields[] = {
    {"seconds_replayed", KT_AS_SECONDS, KT_NULL, .meaning = "time of all calls as replayed"},
    {"seconds_replayed_interval", KT_AS_SECONDS, KT_MANY | KT_NULLS, .meaning = "its 95 % interval"},
    {"ratio_replayed", KT_AS_RECORD, .meaning = "the same over that of the baseline", .of = kt_field_estimate},
    {"pairs", KT_AS_COUNT, .meaning = "pairs of times that this rests on, in the mean over the shapes"},
    {0}};

static const struct kt_field right_fields[] = {
    {"not_compared", KT_AS_TEXT, KT_NULL | KT_LACKS,
     .meaning = "why results were not compared with those of a reference"},
    {"unchecked", KT_AS_RECORD, KT_MANY | KT_LACKS, .meaning = "shapes whose results were not checked",
     .of = unchecked_fields},
    {"unfinished", KT_AS_RECORD, KT_MANY | KT_LACKS, .meaning = "shapes that were not finished within their time limit",
     .of = unchecked_fields},
    {"worst_residual", KT_AS_NUMBER, KT_NULL, .meaning = "largest residual; null: nothing was checked"},
    {"residual_limit", KT_AS_NUMBER, KT_LACKS, .meaning = "beyond which a result is wrong"},
    {"shapes_checked", KT_AS_COUNT, KT_LACKS, .meaning = "shapes whose results were checked"},
    {"shapes_unchecked", KT_AS_COUNT, KT_LACKS, .meaning = "shapes whose results were not checked"},
    {"shapes_unfinished", KT_AS_COUNT, KT_LACKS, .meaning = "shapes that were not finished within their time limit"},
    {"wrong", KT_AS_RECORD, KT_MANY | KT_LACKS, .meaning = "shapes whose results are wrong", .of = wrong_fields},
    {0}};

static const struct kt_field library_fields[] = {
    KT_FIELDS(kt_field_replay_library),
    {"label", KT_AS_TEXT, .meaning = "its name in tables"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "predicted time of the recorded calls"},
    {"ratio", KT_AS_RECORD, .meaning = "the same over that of the baseline", .of = kt_field_estimate},
    KT_FIELDS(replayed_fields),
    {"verdict", KT_AS_TEXT, .meaning = "baseline, faster, slower, or not told apart"},
    {"seconds_application", KT_AS_SECONDS, KT_NULL, .meaning = "predicted time of the program"},
    {"seconds_lacking", KT_AS_SECONDS, KT_NULL, .meaning = "time of shapes that only it cannot run, on the baseline"},
    {"seconds_first_calls", KT_AS_SECONDS, KT_NULL, .meaning = "what first calls in a process take beyond the others"},
    KT_FIELDS(right_fields),
    {"unusual_contents", KT_AS_RECORD, KT_NULL, .meaning = "what it makes of NaN, Inf, subnormal and huge numbers",
     .of = unusual_contents_fields},
    {"failed", KT_AS_RECORD, KT_MANY, .meaning = "shapes that it cannot run", .of = failed_fields},
    {0}};

/* --- routines, shapes ---------------------------------------------------------------------------------------- */

static const struct kt_field routine_library_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "label of the library"},
    {"seconds_lacking", KT_AS_SECONDS, KT_NULL, .meaning = "time of shapes that only it cannot run, on the baseline"},
    {"shapes_failed", KT_AS_COUNT, .meaning = "how many these are"},
    KT_FIELDS(replayed_fields),
    {0}};

static const struct kt_field routine_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"calls", KT_AS_NUMBER, .meaning = "recorded calls"},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of the time of all calls on the baseline"},
    {"best", KT_AS_TEXT, .meaning = "label of the quickest library"},
    {"best_is_certain", KT_AS_FLAG, .meaning = "it is told apart from every other one"},
    {"libraries", KT_AS_RECORD, KT_MANY, .meaning = "on each library", .of = routine_library_fields},
    {0}};

static const struct kt_field shape_library_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "label of the library"},
    {"seconds", KT_AS_RECORD, .meaning = "time of a call", .of = kt_field_stat},
    {"ratio", KT_AS_RECORD, .meaning = "over that of the baseline", .of = kt_field_estimate},
    {"verdict", KT_AS_TEXT, KT_NULL, .meaning = "baseline, faster, slower, not told apart, or failed"},
    {"residual", KT_AS_NUMBER, KT_NULL, .meaning = "how wrong its results are; null: not checked"},
    {"wrong", KT_AS_TEXT, KT_NULL, .meaning = "why they count as wrong"},
    {0}};

static const struct kt_field shape_fields[] = {
    KT_FIELDS(kt_field_replay_shape),
    {"context", KT_AS_TEXT, .meaning = "context that it was timed in"},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of the time of all calls in the program"},
    {"stands_for", KT_AS_NUMBER, KT_NULL, .meaning = "as many times its own calls; 0: it is not timed"},
    {"source", KT_AS_RECORD, KT_NULL, .meaning = "line of the program that most of the time comes from",
     .of = kt_field_source},
    {"libraries", KT_AS_RECORD, KT_MANY, .meaning = "on each library", .of = shape_library_fields},
    {0}};

/* --- all of it ----------------------------------------------------------------------------------------------- */

static const struct kt_field application_fields[] = {
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "time of the recorded program"},
    {"seconds_busy", KT_AS_SECONDS, KT_NULL, .meaning = "of these, with at least one call under way"},
    {"calls_together", KT_AS_NUMBER, KT_NULL, .meaning = "calls that are under way at a time, when any is"},
    {"in_company", KT_AS_FLAG, .meaning = "calls that were made at the same time are played at the same time"},
    {"seconds_blas", KT_AS_SECONDS, KT_NULL, .meaning = "in calls, threads added"},
    {"pace", KT_AS_NUMBER, KT_NULL, .meaning = "how many times longer calls took in the program than replayed"},
    {"seconds_waited", KT_AS_SECONDS, KT_NULL, .meaning = "that calls took beyond that, such as in page faults"},
    {"seconds_contention", KT_AS_SECONDS, KT_NULL, .meaning = "in which the program's threads held up the baseline's"},
    {"disturbance", KT_AS_NUMBER, KT_NULL, .meaning = "part of the pace that other programs may have caused"},
    {"is_contended", KT_AS_FLAG, .meaning = "threads held each other up"},
    {0}};

static const struct kt_field best_fields[] = {
    {"library", KT_AS_TEXT, .meaning = "label of the best single library"},
    {"mix_seconds", KT_AS_SECONDS, KT_NULL, .meaning = "time if each shape ran on the library that is best for it"},
    {"mix_ratio", KT_AS_NUMBER, KT_NULL, .meaning = "the same over that of the best single one"},
    {"shapes_elsewhere", KT_AS_COUNT, .meaning = "shapes that are better off on another one"},
    {"mix_seconds_application", KT_AS_SECONDS, KT_NULL, .meaning = "predicted time of the program then"},
    {0}};

static const struct kt_field unusable_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "library"}, {"why", KT_AS_TEXT, .meaning = "why it cannot be loaded"}, {0}};

static const struct kt_field excluded_fields[] = {{"shapes", KT_AS_COUNT, .meaning = "shapes"},
                                                  {"seconds", KT_AS_SECONDS, .meaning = "their time in the program"},
                                                  {0}};

static const struct kt_field store_fields[] = {
    {"path", KT_AS_TEXT, KT_NULL, .meaning = "file of known times"},
    {"reused", KT_AS_FLAG, .meaning = "all times come from it"},
    {"measured", KT_AS_NUMBER, KT_NULL, .unit = "seconds since 1970", .meaning = "when they were taken"},
    {0}};

static const struct kt_field without_fields[] = {{"name", KT_AS_TEXT, .meaning = "label of the library"},
                                                 {"ratio", KT_AS_RECORD,
                                                  .meaning = "over that of the baseline, if the correction is not made",
                                                  .of = kt_field_estimate},
                                                 {0}};

static const struct kt_field correction_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "name, for --without"},
    {"what", KT_AS_TEXT, .meaning = "what it does"},
    {"made", KT_AS_FLAG, .meaning = "it is made"},
    {"without", KT_AS_RECORD, KT_MANY, .meaning = "what comes out without it; empty: it is not made anyway",
     .of = without_fields},
    {0}};

static const struct kt_field verified_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "label of the library"},
    {"threads", KT_AS_COUNT, .meaning = "its threads"},
    {"predicted", KT_AS_SECONDS, KT_NULL, .meaning = "time of calls, predicted"},
    {"measured", KT_AS_RECORD, .meaning = "the same, measured", .of = kt_field_stat},
    {"ratio_predicted", KT_AS_NUMBER, KT_NULL, .meaning = "over that of the baseline, predicted"},
    {"ratio_measured", KT_AS_RECORD, .meaning = "the same, measured", .of = kt_field_estimate},
    {"error", KT_AS_SHARE, KT_NULL, .meaning = "error of the predicted ratio"},
    {"ratio_typical", KT_AS_RECORD, .meaning = "measured ratio of medians of shapes", .of = kt_field_estimate},
    {"error_typical", KT_AS_SHARE, KT_NULL, .meaning = "error of the predicted ratio to that"},
    {"program_predicted", KT_AS_SECONDS, KT_NULL, .meaning = "time of the program, predicted"},
    {"program_measured", KT_AS_RECORD, .meaning = "the same, measured", .of = kt_field_stat},
    {"program_cpu", KT_AS_RECORD, .meaning = "processor time of the program", .of = kt_field_stat},
    {"calls", KT_AS_COUNT, .meaning = "calls of a run"},
    {"failed", KT_AS_TEXT, KT_NULL, .meaning = "why it did not run"},
    {0}};

static const struct kt_field verify_fields[] = {
    {"runs", KT_AS_COUNT, .meaning = "runs on each library"},
    {"processor", KT_AS_ID, KT_NULL, .meaning = "processor of all runs"},
    {"order_is_right", KT_AS_FLAG, KT_NULL, .meaning = "libraries are in the order that was predicted"},
    {"libraries", KT_AS_RECORD, KT_MANY, .meaning = "on each library", .of = verified_fields},
    {0}};

static const struct kt_field map_rule_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"library", KT_AS_TEXT, .meaning = "label of the library that its calls go to"},
    {"shapes", KT_AS_COUNT, .meaning = "recorded shapes that it holds for"},
    {"calls", KT_AS_NUMBER, .meaning = "their calls in the program"},
    {"seconds", KT_AS_SECONDS, .meaning = "time of these in the program"},
    {"ratio", KT_AS_RECORD, .meaning = "time on the library over that on the recorded one", .of = kt_field_estimate},
    {"gain", KT_AS_SECONDS, .meaning = "what the program is predicted to take less"},
    {0}};

static const struct kt_field map_fields[] = {
    {"file", KT_AS_TEXT, KT_NULL, .meaning = "file of the map; null: nothing is worth a rule, none was written"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "time of calls with the map, predicted"},
    {"ratio", KT_AS_RECORD, .meaning = "over that on the recorded library, predicted", .of = kt_field_estimate},
    {"seconds_application", KT_AS_SECONDS, KT_NULL, .meaning = "time of the program, predicted"},
    {"rules", KT_AS_RECORD, KT_MANY, .meaning = "rules, those of a routine one after the other", .of = map_rule_fields},
    {0}};

static const struct kt_field beyond_fields[] = {
    {"library", KT_AS_TEXT, .meaning = "library that is slower"},
    {"routine", KT_AS_TEXT, KT_NULL, .meaning = "in that routine; null: in all calls"},
    {"what", KT_AS_TEXT, .meaning = "all calls, the routine, or one of its shapes"},
    {"ratio", KT_AS_RECORD, .meaning = "time on the library over that on the baseline", .of = kt_field_estimate},
    {"share", KT_AS_NUMBER, .meaning = "part of the recorded time"},
    {0}};

const struct kt_field kt_beyond_fields[] = {{"above", KT_AS_NUMBER, .meaning = "part by which a library may be slower"},
                                            {"fails", KT_AS_FLAG, .meaning = "something is slower by more"},
                                            {"beyond", KT_AS_RECORD, KT_MANY, .meaning = "what", .of = beyond_fields},
                                            {0}};

static const struct kt_field compare_fields[] = {
    {"ktrace", KT_AS_TEXT, .meaning = "version of ktrace"},
    {"machine", KT_AS_RECORD, .meaning = "machine of the comparison", .of = kt_field_replay_machine},
    {"baseline", KT_AS_TEXT, .meaning = "label of the library that others are compared with"},
    {"baseline_is_recorded", KT_AS_FLAG, .meaning = "it is the one that the program ran on"},
    {"context", KT_AS_TEXT, .meaning = "context of the replays"},
    {"level", KT_AS_TEXT, .meaning = "which calls: outermost or leaves"},
    {"application", KT_AS_RECORD, .meaning = "the recorded program", .of = application_fields},
    {"libraries", KT_AS_RECORD, KT_MANY, .meaning = "libraries, the baseline first", .of = library_fields},
    {"routines", KT_AS_RECORD, KT_MANY, .meaning = "routines", .of = routine_fields},
    {"shapes", KT_AS_RECORD, KT_MANY, .meaning = "shapes", .of = shape_fields},
    {"best", KT_AS_RECORD, .meaning = "the best choice", .of = best_fields},
    {"unusable", KT_AS_RECORD, KT_MANY, .meaning = "libraries that cannot be loaded", .of = unusable_fields},
    {"excluded", KT_AS_RECORD, .meaning = "what counts for no library", .of = excluded_fields},
    {"light", KT_AS_RECORD, .meaning = "what takes too little time to be timed", .of = excluded_fields},
    {"store", KT_AS_RECORD, .meaning = "times from earlier comparisons", .of = store_fields},
    {"corrections", KT_AS_RECORD, KT_MANY, .meaning = "what is done to measured times", .of = correction_fields},
    {"rounds", KT_AS_COUNT, .meaning = "rounds of samples"},
    {"seconds_spent", KT_AS_SECONDS, .meaning = "how long sampling took"},
    {"interrupted", KT_AS_FLAG, .meaning = "a signal ended it"},
    {"shards", KT_AS_COUNT, KT_LACKS, .meaning = "shares that it was measured in, of --shard or ranks"},
    KT_FIELDS(kt_field_missing),
    {"limit", KT_AS_RECORD, KT_LACKS, .meaning = "what --fail-above does not allow", .of = kt_beyond_fields},
    {"map", KT_AS_RECORD, KT_LACKS, .meaning = "which library calls are to go to", .of = map_fields},
    {"verify", KT_AS_RECORD, KT_LACKS, .meaning = "the program really run on each library", .of = verify_fields},
    {0}};

const struct kt_document kt_document_compare = {
    .verb = "compare", .what = "ktrace compare --json", .version = 1, .field = compare_fields};
