/* SPDX-License-Identifier: BSD-3-Clause */
/* What ktrace diff --json prints: of times, and of results. Pairs are of the run before and the one after. */
#include "trace/command/document.h"
#include "trace/command/state_json.h"

/* --- times --------------------------------------------------------------------------------------------------- */

static const struct kt_field side_fields[] = {
    {"calls", KT_AS_COUNT, .meaning = "calls"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "their time"},
    {"in_situ", KT_AS_RECORD, .meaning = "time of a call", .of = kt_field_stat},
    {0}};

static const struct kt_field shape_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"symbol", KT_AS_TEXT, .meaning = "name that was called"},
    {"shape", KT_AS_TEXT, .meaning = "arguments as text"},
    {"words", KT_AS_TEXT, .meaning = "the shape in words"},
    {"args", KT_AS_MAP, .meaning = "arguments of the first call, by their names"},
    {"change", KT_AS_TEXT, .meaning = "what became of it"},
    {"before", KT_AS_RECORD, KT_NULL, .meaning = "in the run before; null: not there", .of = side_fields},
    {"after", KT_AS_RECORD, KT_NULL, .meaning = "in the run after; null: not there", .of = side_fields},
    {"ratio", KT_AS_NUMBER, KT_NULL, .meaning = "after over before, without the drift"},
    {"lo", KT_AS_NUMBER, KT_NULL, .meaning = "begin of its interval"},
    {"hi", KT_AS_NUMBER, KT_NULL, .meaning = "its end"},
    {"p", KT_AS_NUMBER, KT_NULL, .meaning = "how often chance alone makes such a difference"},
    {"source", KT_AS_RECORD, KT_NULL, .meaning = "line of the program that most of the time comes from",
     .of = kt_field_source},
    {0}};

static const struct kt_field routine_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"calls", KT_AS_COUNT, KT_MANY, .meaning = "outermost calls of both runs"},
    {"seconds", KT_AS_SECONDS, KT_MANY | KT_NULLS, .meaning = "their time"},
    {"ratio_of_all_shapes", KT_AS_NUMBER, KT_NULL, .meaning = "after over before, without the drift"},
    {"shapes_changed", KT_AS_COUNT, .meaning = "shapes that changed"},
    {0}};

static const struct kt_field total_fields[] = {
    {"change", KT_AS_TEXT, .meaning = "what became of it"},
    {"ratio", KT_AS_NUMBER, KT_NULL, .meaning = "after over before, without the drift"},
    {"lo", KT_AS_NUMBER, KT_NULL, .meaning = "begin of its interval"},
    {"hi", KT_AS_NUMBER, KT_NULL, .meaning = "its end"},
    {"p", KT_AS_NUMBER, KT_NULL, .meaning = "how often chance alone makes such a difference"},
    {0}};

static const struct kt_field diff_fields[] = {
    {"traces", KT_AS_TEXT, KT_MANY, .meaning = "traces of both runs"},
    {"processors", KT_AS_ID, KT_MANY | KT_NULLS, .meaning = "processor that most calls ran on"},
    {"complete", KT_AS_FLAG, KT_MANY, .meaning = "nothing is missing"},
    {"missing", KT_AS_RECORD, KT_MANY, .meaning = "what is missing", .of = kt_field_missing},
    {"drift_not_taken_out", KT_AS_TEXT, KT_NULL, .meaning = "why not"},
    {"seconds_blas", KT_AS_SECONDS, KT_MANY | KT_NULLS, .meaning = "time of outermost calls"},
    {"seconds", KT_AS_SECONDS, KT_MANY | KT_NULLS, .meaning = "wall time"},
    {"drift", KT_AS_NUMBER, KT_NULL, .meaning = "ratio that shapes have in common"},
    {"drift_taken_out", KT_AS_FLAG, .meaning = "ratios are without it"},
    {"rest_ratio", KT_AS_NUMBER, KT_NULL, .meaning = "after over before, of the time outside of calls"},
    {"spread", KT_AS_NUMBER, KT_NULL, .meaning = "how far ratios of shapes lie apart"},
    {"margin", KT_AS_SHARE, KT_NULL, .meaning = "smaller changes do not count"},
    {"tested", KT_AS_COUNT, .meaning = "shapes that were tested"},
    {"changed", KT_AS_COUNT, .meaning = "shapes that changed"},
    {"failed", KT_AS_FLAG, KT_NULL, .meaning = "a shape or the total is slower than --fail-above; null: not asked"},
    {"total", KT_AS_RECORD, .meaning = "the time of all shapes, tested as that of one", .of = total_fields},
    {"shapes", KT_AS_RECORD, KT_MANY, .meaning = "shapes", .of = shape_fields},
    {"routines", KT_AS_RECORD, KT_MANY, .meaning = "routines", .of = routine_fields},
    {0}};

const struct kt_document kt_document_diff = {
    .verb = "diff", .what = "ktrace diff --json", .version = 1, .field = diff_fields};

/* --- results ------------------------------------------------------------------------------------------------- */

static const struct kt_field call_fields[] = {
    {"call", KT_AS_ID, .meaning = "number of the call in its trace"},
    {"pid", KT_AS_ID, .meaning = "process id"},
    {"thread", KT_AS_ID, .meaning = "thread id"},
    {"symbol", KT_AS_TEXT, .meaning = "name that was called"},
    {"shape", KT_AS_TEXT, .meaning = "arguments as text"},
    {"function", KT_AS_TEXT, KT_NULL, .meaning = "function that makes the call"},
    {"file", KT_AS_TEXT, KT_NULL, .meaning = "source file"},
    {"line", KT_AS_ID, KT_NULL, .meaning = "line in the source file"},
    {"object", KT_AS_TEXT, KT_NULL, .meaning = "program or library that contains the call"},
    {0}};

static const struct kt_field pair_fields[] = {
    {"before", KT_AS_RECORD, KT_NULL, .meaning = "in the run before", .of = call_fields},
    {"after", KT_AS_RECORD, KT_NULL, .meaning = "in the run after", .of = call_fields},
    {"differs", KT_AS_TEXT, KT_MANY, .meaning = "operands that differ"},
    {"sampled", KT_AS_FLAG, .meaning = "of large operands some elements are compared"},
    {0}};

static const struct kt_field distance_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "routine that reads the operand"},
    {"operand", KT_AS_TEXT, .meaning = "operand whose numbers are farthest apart"},
    {"numbers", KT_AS_COUNT, .meaning = "numbers of it that were compared; a complex element has two"},
    {"differ", KT_AS_COUNT, .meaning = "of these, that differ"},
    {"ulps", KT_AS_NUMBER, KT_NULL, .meaning = "largest distance in units in the last place; null: one is NaN"},
    {"values", KT_AS_NUMBER, KT_MANY | KT_NULLS, .meaning = "the numbers that are so far apart; null: not finite"},
    {0}};

static const struct kt_field distances_fields[] = {
    {"pairs", KT_AS_COUNT, .meaning = "snapshots of both runs that were compared"},
    {"not_compared", KT_AS_COUNT, .meaning = "pairs that cannot be read or are of other calls"},
    {"differ", KT_AS_COUNT, .meaning = "pairs that hold other numbers"},
    {"first", KT_AS_RECORD, KT_NULL, .meaning = "first pair that does", .of = distance_fields},
    {"widest", KT_AS_RECORD, KT_NULL, .meaning = "largest distance of all pairs", .of = distance_fields},
    {0}};

static const struct kt_field results_fields[] = {
    {"traces", KT_AS_TEXT, KT_MANY, .meaning = "traces of both runs"},
    {"inputs_known", KT_AS_FLAG, .meaning = "both runs have checksums of inputs"},
    {"outputs_known", KT_AS_FLAG, .meaning = "both runs have checksums of outputs"},
    {"processes", KT_AS_COUNT, KT_MANY, .meaning = "processes of both runs"},
    {"threads", KT_AS_COUNT, KT_MANY, .meaning = "threads of both runs"},
    {"calls", KT_AS_COUNT, KT_MANY, .meaning = "calls of both runs"},
    {"same", KT_AS_COUNT, .meaning = "calls that agree"},
    {"outputs_differ", KT_AS_COUNT, .meaning = "calls whose outputs differ though their inputs agree"},
    {"inputs_differ", KT_AS_COUNT, .meaning = "calls that had other inputs already"},
    {"not_compared", KT_AS_COUNT, .meaning = "calls that cannot be compared"},
    {"other_order", KT_AS_COUNT, .meaning = "threads that make other calls"},
    {"first", KT_AS_RECORD, KT_NULL, .meaning = "first call whose outputs differ", .of = pair_fields},
    {"first_other_inputs", KT_AS_RECORD, KT_NULL, .meaning = "first call with other inputs", .of = pair_fields},
    {"first_other_call", KT_AS_RECORD, KT_NULL, .meaning = "where a thread begins to make other calls",
     .of = pair_fields},
    {"distances", KT_AS_RECORD, .meaning = "by how much numbers differ, from snapshots of both runs",
     .of = distances_fields},
    {0}};

const struct kt_document kt_document_diff_results = {
    .verb = "diff", .what = "ktrace diff --results --json", .version = 1, .field = results_fields};
