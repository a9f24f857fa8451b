/* SPDX-License-Identifier: BSD-3-Clause */
/* What ktrace roofline --json prints: of a trace or a kernel, of the events of this machine, of a validation. */
#include "model/decomposition/spread.h"
#include "trace/command/document.h"

#define FLOPS    .unit = "operations"
#define BYTES    .unit = "bytes"
#define RATE     .unit = "operations per core cycle"
#define PER_BYTE .unit = "operations per byte"

/* --- points under roofs -------------------------------------------------------------------------------------- */

static const struct kt_field ridge_fields[] = {
    {"cores", KT_AS_COUNT, .meaning = "cores at work"},
    {"flops_per_byte", KT_AS_NUMBER, PER_BYTE, .meaning = "where the roofs of bytes and of operations meet"},
    {0}};

static const struct kt_field machine_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "machine"},
    {"hz", KT_AS_NUMBER, .unit = "Hz", .meaning = "clock rate of a core"},
    {"ridges", KT_AS_RECORD, KT_MANY, .meaning = "ridges", .of = ridge_fields},
    {0}};

static const struct kt_field roof_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "name"},
    {"kind", KT_AS_TEXT, .meaning = "flops or bytes"},
    {"value", KT_AS_NUMBER, .unit = "UNIT", .meaning = "height"},
    {"unit", KT_AS_TEXT, .meaning = "flop/cycle or byte/cycle"},
    {"per_second", KT_AS_NUMBER, KT_NULL, .unit = "UNIT, in a second", .meaning = "height"},
    {"cores", KT_AS_COUNT, .meaning = "cores at work"},
    {"machine", KT_AS_TEXT, .meaning = "machine"},
    {0}};

static const struct kt_field point_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore; that of a kernel; or region"},
    {"shape", KT_AS_TEXT, .meaning = "arguments as text; names of a region"},
    {"args", KT_AS_MAP, KT_NULL, .meaning = "arguments, by their names"},
    {"calls", KT_AS_NUMBER, KT_NULL, .meaning = "calls"},
    {"series", KT_AS_TEXT, .meaning = "series"},
    {"context", KT_AS_TEXT, .meaning = "where operands were"},
    {"intensity", KT_AS_NUMBER, KT_NULL, PER_BYTE, .meaning = "operations over memory traffic"},
    {"flops_per_cycle", KT_AS_NUMBER, KT_NULL, RATE, .meaning = "performance"},
    {"source", KT_AS_TEXT, .meaning = "of the intensity: counted, modelled, or stated by the program"},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of the time of its series; null: a region"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "time of all calls"},
    {"series_number", KT_AS_ID, .meaning = "number of the series"},
    {"library", KT_AS_TEXT, .meaning = "library that made the calls"},
    {"threads", KT_AS_COUNT, .meaning = "threads that it used"},
    {"statistic", KT_AS_TEXT, .meaning = "which statistic of time the performance is of"},
    {"shapes", KT_AS_COUNT, .meaning = "shapes that the point stands for"},
    {"number", KT_AS_ID, KT_NULL, .meaning = "number in the picture"},
    {"limit", KT_AS_NUMBER, KT_NULL, RATE, .meaning = "attainable with operands in memory"},
    {"limit_cores", KT_AS_COUNT, KT_NULL, .meaning = "cores of that"},
    {"of_highest_roof", KT_AS_SHARE, KT_NULL, .meaning = "part of the highest roof"},
    {"flops", KT_AS_NUMBER, KT_NULL, FLOPS, .meaning = "of a call, by formula"},
    {"traffic", KT_AS_NUMBER, KT_NULL, BYTES, .meaning = "memory traffic of a call"},
    {"flops_counted", KT_AS_NUMBER, KT_NULL, FLOPS, .meaning = "of a call, as counted"},
    {"traffic_counted", KT_AS_NUMBER, KT_NULL, BYTES, .meaning = "of a call, as counted"},
    {"traffic_tracked", KT_AS_NUMBER, KT_NULL, BYTES, .meaning = "of a call, by the model of the caches"},
    {"time", KT_AS_RECORD, .meaning = "time of a call, in seconds", .of = kt_field_spread},
    {"intensity_spread", KT_AS_RECORD, .meaning = "intensity", .of = kt_field_spread},
    {"rate_spread", KT_AS_RECORD, .meaning = "performance", .of = kt_field_spread},
    {0}};

static const struct kt_field left_out_fields[] = {{"reason", KT_AS_TEXT, .meaning = "why these are no points"},
                                                  {"shapes", KT_AS_COUNT, .meaning = "shapes"},
                                                  {"share", KT_AS_SHARE, KT_NULL, .meaning = "part of the time"},
                                                  {0}};

/* clang-format off */
#define ROOFLINE_FIELDS \
    {"machines", KT_AS_RECORD, KT_MANY, .meaning = "machines", .of = machine_fields}, \
    {"roofs", KT_AS_RECORD, KT_MANY, .meaning = "most that a machine can do", .of = roof_fields}, \
    {"points", KT_AS_RECORD, KT_MANY, .meaning = "shapes of calls", .of = point_fields}, \
    {"left_out", KT_AS_RECORD, KT_MANY, .meaning = "shapes that are no points", .of = left_out_fields}
/* clang-format on */
static const struct kt_field roofline_fields[] = {ROOFLINE_FIELDS, {0}};

const struct kt_document kt_document_roofline = {
    .verb = "roofline", .what = "ktrace roofline --json", .version = 1, .field = roofline_fields};

static const struct kt_field failure_fields[] = {
    {"kernel", KT_AS_TEXT, .meaning = "file of the kernel"},
    {"n", KT_AS_COUNT, KT_NULL, .meaning = "size at which it fails; null: at all"},
    {"why", KT_AS_TEXT, .meaning = "what it does, or why it was not timed"},
    {0}};

static const struct kt_field kernel_fields[] = {
    ROOFLINE_FIELDS,
    {"failures", KT_AS_RECORD, KT_MANY, .meaning = "kernels that are not timed", .of = failure_fields},
    {0}};

const struct kt_document kt_document_kernel = {
    .verb = "kernel", .what = "ktrace kernel --json", .version = 1, .field = kernel_fields};

/* --- events -------------------------------------------------------------------------------------------------- */

static const struct kt_field term_fields[] = {{"weight", KT_AS_NUMBER, .meaning = "what a count stands for"},
                                              {"event", KT_AS_TEXT, .meaning = "event in libpfm4's syntax"},
                                              {0}};

static const struct kt_field quantity_fields[] = {
    {"quantity", KT_AS_TEXT, .meaning = "what is counted"},
    {"unit", KT_AS_TEXT, .meaning = "its unit"},
    {"processor", KT_AS_TEXT, KT_NULL, .meaning = "processors that have these events; null: it cannot be counted here"},
    {"text", KT_AS_TEXT, KT_NULL, .meaning = "how it is counted"},
    {"terms", KT_AS_RECORD, KT_MANY, .meaning = "events that are added up", .of = term_fields},
    {0}};

static const struct kt_field event_fields[] = {
    {"quantities", KT_AS_RECORD, KT_MANY, .meaning = "quantities", .of = quantity_fields},
    {"setting", KT_AS_TEXT, .meaning = "value of KTRACE_EVENTS that counts them"},
    {0}};

const struct kt_document kt_document_roofline_events = {
    .verb = "roofline", .what = "ktrace roofline --events --json", .version = 1, .field = event_fields};

/* --- validation ---------------------------------------------------------------------------------------------- */

static const struct kt_field row_fields[] = {
    {"kernel", KT_AS_TEXT, .meaning = "kernel"},
    {"threads", KT_AS_COUNT, .meaning = "threads"},
    {"size", KT_AS_NUMBER, .meaning = "bytes of an array, or operations"},
    {"bytes_expected", KT_AS_NUMBER, KT_NULL, BYTES, .meaning = "memory traffic, expected"},
    {"bytes_found", KT_AS_NUMBER, KT_NULL, BYTES, .meaning = "memory traffic, counted"},
    {"bytes_error", KT_AS_NUMBER, KT_NULL, .unit = "%", .meaning = "error of it"},
    {"flops_expected", KT_AS_NUMBER, KT_NULL, FLOPS, .meaning = "operations, expected"},
    {"flops_found", KT_AS_NUMBER, KT_NULL, FLOPS, .meaning = "operations, counted"},
    {"flops_error", KT_AS_NUMBER, KT_NULL, .unit = "%", .meaning = "error of it"},
    {"seconds_expected", KT_AS_SECONDS, KT_NULL, .meaning = "time, expected by the roofs"},
    {"seconds_found", KT_AS_SECONDS, KT_NULL, .meaning = "time, measured"},
    {"seconds_error", KT_AS_NUMBER, KT_NULL, .unit = "%", .meaning = "error of it"},
    {"bytes_spread", KT_AS_RECORD, .meaning = "memory traffic, counted in all runs", .of = kt_field_spread},
    {"flops_spread", KT_AS_RECORD, .meaning = "operations, counted in all runs", .of = kt_field_spread},
    {"seconds_spread", KT_AS_RECORD, .meaning = "time of all runs", .of = kt_field_spread},
    {0}};

static const struct kt_field validate_fields[] = {
    {"k", KT_AS_COUNT, .meaning = "runs of each kernel"},
    {"rows", KT_AS_RECORD, KT_MANY, .meaning = "kernels", .of = row_fields},
    {"counters", KT_AS_TEXT, KT_NULL, .meaning = "which counters are missing"},
    {0}};

const struct kt_document kt_document_roofline_validate = {
    .verb = "roofline", .what = "ktrace roofline --validate --json", .version = 1, .field = validate_fields};
