/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of ktrace model print with --json. */
#include "trace/command/document.h"

/* --- models -------------------------------------------------------------------------------------------------- */

static const struct kt_field error_fields[] = {
    {"avg", KT_AS_SHARE, KT_NULL, .meaning = "mean"},
    {"max", KT_AS_SHARE, KT_NULL, .meaning = "largest"},
    {"p95", KT_AS_SHARE, KT_NULL, .meaning = "larger than 95 % of them"},
    {"floor", KT_AS_SHARE, KT_NULL, .meaning = "what the noise of the measurements explains"},
    {"n", KT_AS_COUNT, .meaning = "points"},
    {0}};

static const struct kt_field range_map[] = {
    {"SIZE", KT_AS_COUNT, KT_MANY, .meaning = "smallest and largest value of a size"}, {0}};

static const struct kt_field kernel_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"options", KT_AS_TEXT, .meaning = "options and scalars that the model is for"},
    {"context", KT_AS_TEXT, .meaning = "where operands are"},
    {"domain", KT_AS_MAP, .meaning = "sizes that it is for", .of = range_map},
    {"crossover", KT_AS_NUMBER, KT_NULL, .meaning = "product of sizes at which the library changes its code"},
    {"crossover_of", KT_AS_TEXT, KT_MANY, .meaning = "sizes of that product"},
    {"regions", KT_AS_COUNT, .meaning = "parts of the domain with a function of their own"},
    {"regions_wanted", KT_AS_COUNT, .meaning = "parts that it is to have"},
    {"samples", KT_AS_COUNT, .meaning = "points that it was fitted to"},
    {"held_out", KT_AS_COUNT, .meaning = "points that it was judged by"},
    {"error", KT_AS_RECORD, .meaning = "relative error at points that were held out", .of = error_fields},
    {"error_between", KT_AS_RECORD, .meaning = "the same at sizes that lie on no grid", .of = error_fields},
    {"cost", KT_AS_SECONDS, KT_NULL, .meaning = "time of its measurements"},
    {0}};

static const struct kt_field models_fields[] = {
    {"file", KT_AS_TEXT, .meaning = "file of the models"},
    {"library", KT_AS_TEXT, .meaning = "library that they are of"},
    {"models", KT_AS_RECORD, KT_MANY, .meaning = "models", .of = kernel_fields},
    {0}};

static const struct kt_field build_fields[] = {
    KT_FIELDS(models_fields),
    {"samples", KT_AS_COUNT, .meaning = "points that were measured"},
    {"samples_again", KT_AS_COUNT, .meaning = "of these, points that were measured again"},
    {"seconds_spent", KT_AS_SECONDS, KT_NULL, .meaning = "how long measuring took"},
    {"complete", KT_AS_FLAG, .meaning = "all models are as good as they are to be"},
    {"processor", KT_AS_ID, KT_NULL, .meaning = "processor of the measurements"},
    {"coverage", KT_AS_SHARE, KT_NULL, .meaning = "part of the time of the trace that there are models for"},
    {0}};

const struct kt_document kt_document_model_show = {
    .verb = "model", .part = "show", .what = "ktrace model show --json", .version = 1, .field = models_fields};
const struct kt_document kt_document_model_build = {
    .verb = "model", .part = "build", .what = "ktrace model build --json", .version = 1, .field = build_fields};

/* --- predictions --------------------------------------------------------------------------------------------- */

static const struct kt_field cost_fields[] = {{"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "time"},
                                              {"lo", KT_AS_SECONDS, KT_NULL, .meaning = "begin of its interval"},
                                              {"hi", KT_AS_SECONDS, KT_NULL, .meaning = "its end"},
                                              {0}};

static const struct kt_field setup_fields[] = {
    {"library", KT_AS_TEXT, .meaning = "library of the models"},
    {"machine", KT_AS_TEXT, .meaning = "processor that they were made on"},
    {"samples", KT_AS_COUNT, .meaning = "sizes that they rest on, of all kernels"},
    {"combination", KT_AS_TEXT, .meaning = "how warm and cold are combined: paper or level"},
    {"caches", KT_AS_COUNT, KT_MANY, .unit = "bytes", .meaning = "sizes of the caches"},
    {"caches_known", KT_AS_TEXT, .meaning = "who says so"},
    {"interrupted", KT_AS_FLAG, .meaning = "a signal ended it"},
    {0}};

static const struct kt_field call_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"args", KT_AS_MAP, .meaning = "arguments, by their names"},
    {"calls", KT_AS_COUNT, .meaning = "calls"},
    {"known", KT_AS_TEXT, .meaning = "known, extrapolated, too far outside, or no model"},
    {"outside", KT_AS_NUMBER, KT_NULL, .meaning = "how far outside of the model's domain"},
    {"predicted", KT_AS_RECORD, .meaning = "time of all of them", .of = cost_fields},
    {"warm", KT_AS_SECONDS, KT_NULL, .meaning = "the same with operands in cache"},
    {"cold", KT_AS_SECONDS, KT_NULL, .meaning = "the same with operands in memory"},
    {"cached", KT_AS_SHARE, KT_NULL, .meaning = "part of their operands that was in cache"},
    {"measured", KT_AS_SECONDS, KT_NULL, .meaning = "their time in the program"},
    {0}};

static const struct kt_field prediction_fields[] = {
    {"predicted", KT_AS_RECORD, .meaning = "time of all calls", .of = cost_fields},
    {"warm", KT_AS_SECONDS, KT_NULL, .meaning = "the same with all operands in cache"},
    {"cold", KT_AS_SECONDS, KT_NULL, .meaning = "the same with all operands in memory"},
    {"measured", KT_AS_SECONDS, KT_NULL | KT_LACKS, .meaning = "measured time"},
    {"measured_of_predicted", KT_AS_SECONDS, KT_NULL | KT_LACKS, .meaning = "of these, of calls that were predicted"},
    {"error", KT_AS_SHARE, KT_NULL | KT_LACKS, .meaning = "error of the prediction"},
    {"missing_share", KT_AS_SHARE, KT_NULL | KT_LACKS, .meaning = "part of the measured time that is not predicted"},
    {"pace", KT_AS_RECORD, KT_LACKS, .meaning = "how many times slower than its models the machine is",
     .of = kt_field_stat},
    {"at_pace", KT_AS_RECORD, KT_LACKS, .meaning = "predicted at that pace, over measured", .of = kt_field_stat},
    {"error_at_pace", KT_AS_SHARE, KT_NULL | KT_LACKS, .meaning = "error of the prediction at that pace"},
    {"calls_total", KT_AS_COUNT, .meaning = "calls"},
    {"calls_extrapolated", KT_AS_COUNT, .meaning = "of these, calls outside of their model's domain"},
    {"calls_not_predicted", KT_AS_COUNT, .meaning = "of these, calls without a model"},
    {"worst_outside", KT_AS_NUMBER, KT_NULL, .meaning = "how far outside of a model's domain a call is, at most"},
    {"calls_left_out", KT_AS_COUNT, .meaning = "rows that are not listed"},
    {0}};

static const struct kt_field parameter_map[] = {{"NAME", KT_AS_NUMBER, KT_NULL, .meaning = "a parameter"}, {0}};

static const struct kt_field of_algorithm_fields[] = {
    {"parameters", KT_AS_MAP, KT_LACKS, .meaning = "of an algorithm: its parameters", .of = parameter_map},
    {"measured_stat", KT_AS_RECORD, KT_LACKS, .meaning = "of an algorithm: measured time", .of = kt_field_stat},
    {0}};

static const struct kt_field curve_fields[] = {KT_FIELDS(prediction_fields), KT_FIELDS(of_algorithm_fields), {0}};

static const struct kt_field predict_fields[] = {
    KT_FIELDS(prediction_fields),
    {"calls", KT_AS_RECORD, KT_MANY, .meaning = "calls, longest time first", .of = call_fields},
    KT_FIELDS(of_algorithm_fields),
    {"algorithm", KT_AS_TEXT, KT_LACKS, .meaning = "the algorithm"},
    KT_FIELDS(setup_fields),
    {"curve", KT_AS_RECORD, KT_MANY | KT_LACKS, .meaning = "of an algorithm: each size", .of = curve_fields},
    {0}};

const struct kt_document kt_document_model_predict = {
    .verb = "model", .part = "predict", .what = "ktrace model predict --json", .version = 1, .field = predict_fields};

/* --- choices ------------------------------------------------------------------------------------------------- */

static const struct kt_field choice_fields[] = {
    {"value", KT_AS_NUMBER, KT_NULL, .meaning = "block size"},
    {"predicted", KT_AS_RECORD, KT_NULL, .meaning = "time; null: not all is predicted", .of = cost_fields},
    {"warm", KT_AS_SECONDS, KT_NULL, .meaning = "the same with all operands in cache"},
    {"cold", KT_AS_SECONDS, KT_NULL, .meaning = "the same with all operands in memory"},
    {"calls_not_predicted", KT_AS_COUNT, .meaning = "calls without a model"},
    {"measured", KT_AS_RECORD, KT_LACKS, .meaning = "measured time", .of = kt_field_stat},
    {0}};

static const struct kt_field tuned_fields[] = {
    {"n", KT_AS_NUMBER, KT_NULL, .meaning = "columns"},
    {"m", KT_AS_NUMBER, KT_NULL, .meaning = "rows"},
    {"best", KT_AS_NUMBER, KT_NULL, .meaning = "block size that is predicted to be best"},
    {"fastest", KT_AS_NUMBER, KT_NULL | KT_LACKS, .meaning = "block size that was measured to be best"},
    {"fastest_over_best", KT_AS_RECORD, KT_LACKS, .meaning = "measured times of these two", .of = kt_field_stat},
    {"curve", KT_AS_RECORD, KT_MANY, .meaning = "each block size", .of = choice_fields},
    {0}};

static const struct kt_field tune_fields[] = {
    KT_FIELDS(tuned_fields),
    {"routine", KT_AS_TEXT, .meaning = "routine"},
    {"default", KT_AS_NUMBER, KT_NULL, .meaning = "block size that the algorithm has if none is chosen"},
    {"block_size_matters", KT_AS_TEXT, .meaning = "in this library: yes, no or unknown"},
    {"curves", KT_AS_RECORD, KT_MANY, .meaning = "the same for each size", .of = tuned_fields},
    {"not_predicted", KT_AS_COUNT, KT_MANY, .meaning = "sizes that nothing can be predicted for"},
    KT_FIELDS(setup_fields),
    {0}};

const struct kt_document kt_document_model_tune = {
    .verb = "model", .part = "tune", .what = "ktrace model tune --json", .version = 1, .field = tune_fields};

static const struct kt_field ranked_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "algorithm"},
    {"rank", KT_AS_ID, KT_NULL, .meaning = "1 is quickest; null: not all of it is predicted"},
    {"tied", KT_AS_FLAG, .meaning = "not told apart from the one before"},
    {"b", KT_AS_NUMBER, KT_NULL, .meaning = "block size"},
    {"predicted", KT_AS_RECORD, KT_NULL, .meaning = "time; null: not all is predicted", .of = cost_fields},
    {"margin", KT_AS_SECONDS, KT_NULL, .meaning = "half the interval of its difference from the first"},
    {"missing", KT_AS_TEXT, KT_NULL, .meaning = "kernel that has no model"},
    {"calls_not_predicted", KT_AS_COUNT, .meaning = "calls without a model"},
    {"measured", KT_AS_RECORD, KT_LACKS, .meaning = "measured time", .of = kt_field_stat},
    {"measured_over_first", KT_AS_RECORD, KT_LACKS, .meaning = "over that of the first", .of = kt_field_stat},
    {0}};

static const struct kt_field order_fields[] = {
    {"n", KT_AS_NUMBER, KT_NULL, .meaning = "columns"},
    {"order", KT_AS_RECORD, KT_MANY, .meaning = "quickest first", .of = ranked_fields},
    {0}};

static const struct kt_field rank_fields[] = {
    {"n", KT_AS_NUMBER, KT_NULL | KT_LACKS, .meaning = "columns"},
    {"order", KT_AS_RECORD, KT_MANY | KT_LACKS, .meaning = "quickest first", .of = ranked_fields},
    {"orders", KT_AS_RECORD, KT_MANY, .meaning = "the same for each size", .of = order_fields},
    KT_FIELDS(setup_fields),
    {0}};

const struct kt_document kt_document_model_rank = {
    .verb = "model", .part = "rank", .what = "ktrace model rank --json", .version = 1, .field = rank_fields};

/* --- calls of an algorithm ----------------------------------------------------------------------------------- */

static const struct kt_field operand_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "operand"},
    {"lo", KT_AS_TEXT, .meaning = "first byte that the call may touch, hexadecimal"},
    {"hi", KT_AS_TEXT, .meaning = "end of these bytes, hexadecimal"},
    {"rows", KT_AS_COUNT, .meaning = "rows"},
    {"cols", KT_AS_COUNT, .meaning = "columns"},
    {0}};

static const struct kt_field made_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"args", KT_AS_MAP, .meaning = "arguments, by their names"},
    {"flops", KT_AS_NUMBER, KT_NULL, .unit = "operations", .meaning = "floating-point operations, by formula"},
    {"line", KT_AS_ID, .meaning = "line of the algorithm"},
    {"operands", KT_AS_RECORD, KT_MANY, .meaning = "memory that it may touch", .of = operand_fields},
    {0}};

const struct kt_document kt_document_model_calls = {.verb = "model",
                                                    .part = "calls",
                                                    .what = "ktrace model calls --json, each line",
                                                    .version = 1,
                                                    .is_line = true,
                                                    .field = made_fields};
