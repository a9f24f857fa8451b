/* SPDX-License-Identifier: BSD-3-Clause */
/* What ktrace probe --json prints. Quick probes, and those of earlier versions, have less. */
#include "trace/command/document.h"

#define CYCLES .unit = "core cycles"

static const struct kt_field undetermined_fields[] = {
    {"what", KT_AS_TEXT, .meaning = "what could not be measured"}, {"why", KT_AS_TEXT, .meaning = "why"}, {0}};

static const struct kt_field curve_fields[] = {
    {"x_name", KT_AS_TEXT, .meaning = "what x is"},
    {"y_name", KT_AS_TEXT, .meaning = "what y is"},
    {"x", KT_AS_NUMBER, KT_MANY | KT_NULLS, .meaning = "points"},
    {"y", KT_AS_NUMBER, KT_MANY | KT_NULLS, .meaning = "what was measured there"},
    {"steps", KT_AS_NUMBER, KT_MANY | KT_NULLS, .meaning = "x of the steps that were found"},
    {0}};
static const struct kt_field curve_map[] = {{"NAME", KT_AS_RECORD, .meaning = "a curve", .of = curve_fields}, {0}};

static const struct kt_field peak_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "operation and type"},
    {"operation", KT_AS_TEXT, .meaning = "operation"},
    {"type", KT_AS_TEXT, .meaning = "type"},
    {"lanes", KT_AS_COUNT, .meaning = "numbers in a vector"},
    {"cores", KT_AS_COUNT, .meaning = "cores at work"},
    {"flops_per_cycle", KT_AS_NUMBER, .unit = "operations per core cycle", .meaning = "most operations"},
    {"flops_per_second", KT_AS_NUMBER, KT_LACKS, .unit = "operations per second", .meaning = "the same of all cores"},
    {"at_least", KT_AS_FLAG, KT_LACKS, .meaning = "more may be possible"},
    {0}};

static const struct kt_field bandwidth_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "level and operation"},
    {"level", KT_AS_TEXT, .meaning = "cache or memory"},
    {"operation", KT_AS_TEXT, .meaning = "load, store, nt_store, copy, triad or random"},
    {"bytes_per_cycle", KT_AS_NUMBER, .unit = "bytes per core cycle", .meaning = "bandwidth"},
    {"bytes_per_second", KT_AS_NUMBER, .unit = "bytes per second", .meaning = "bandwidth"},
    {"bits", KT_AS_COUNT, KT_LACKS, .unit = "bits", .meaning = "width of the loads that were quickest"},
    {"streams", KT_AS_COUNT, KT_LACKS, .meaning = "streams that were quickest"},
    {"cores", KT_AS_COUNT, .meaning = "cores at work"},
    {0}};

static const struct kt_field part_map[] = {{"PART", KT_AS_SECONDS, .meaning = "time of a part"}, {0}};

static const struct kt_field operation_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "operation"},
    {"type", KT_AS_TEXT, .meaning = "type, with the numbers in a vector"},
    {"lanes", KT_AS_COUNT, .meaning = "numbers in a vector"},
    {"latency_cycles", KT_AS_NUMBER, CYCLES, .meaning = "time until a result can be used"},
    {"throughput_per_cycle", KT_AS_NUMBER, .unit = "instructions per core cycle", .meaning = "most instructions"},
    {"in_flight", KT_AS_COUNT, .meaning = "independent ones that this takes"},
    {"in_flight_at_least", KT_AS_FLAG, .meaning = "more may be needed"},
    {0}};

static const struct kt_field cache_fields[] = {
    {"level", KT_AS_ID, .meaning = "1 is nearest to the processor"},
    {"bytes", KT_AS_COUNT, KT_NULL, .unit = "bytes", .meaning = "size"},
    {"ways", KT_AS_COUNT, KT_NULL, .meaning = "ways of a set"},
    {"latency_cycles", KT_AS_NUMBER, CYCLES, .meaning = "time of a load"},
    {"latency_ns", KT_AS_NUMBER, .unit = "nanoseconds", .meaning = "time of a load"},
    {"effective_bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "up to which loads are quick"},
    {"confidence", KT_AS_SHARE, KT_NULL, .meaning = "how clear its end is"},
    {"bytes_between", KT_AS_COUNT, KT_MANY | KT_LACKS, .unit = "bytes", .meaning = "its end lies between these"},
    {0}};

static const struct kt_field memory_fields[] = {
    {"latency_cycles", KT_AS_NUMBER, KT_NULL, CYCLES, .meaning = "time of a load"},
    {"latency_ns", KT_AS_NUMBER, KT_NULL, .unit = "nanoseconds", .meaning = "time of a load"},
    {"span_bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "memory that was used"},
    {"huge_bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "of these, in huge pages"},
    {0}};

static const struct kt_field tlb_fields[] = {
    {"level", KT_AS_ID, .meaning = "1 is nearest to the processor"},
    {"entries", KT_AS_COUNT, KT_NULL, .meaning = "pages whose translations it holds"},
    {"miss_cycles", KT_AS_NUMBER, CYCLES, .meaning = "cost of a page that it does not hold"},
    {"confidence", KT_AS_SHARE, .meaning = "how clear its end is"},
    {0}};

static const struct kt_field code_fields[] = {
    {"bytes", KT_AS_NUMBER, KT_NULL, .unit = "bytes", .meaning = "size"},
    {"effective_bytes", KT_AS_NUMBER, .unit = "bytes", .meaning = "up to which code is quick"},
    {"confidence", KT_AS_SHARE, .meaning = "how clear its end is"},
    {0}};

static const struct kt_field live_fields[] = {
    {"type", KT_AS_TEXT, .meaning = "type"},
    {"count", KT_AS_COUNT, KT_NULL, .meaning = "variables that registers hold"},
    {"confidence", KT_AS_SHARE, .meaning = "how clear the step is"},
    {0}};

static const struct kt_field context_fields[] = {
    {"int", KT_AS_COUNT, KT_NULL, .meaning = "of threads that compute with integers"},
    {"fp", KT_AS_COUNT, KT_NULL, .meaning = "of threads that compute with floating-point numbers"},
    {"mem", KT_AS_COUNT, KT_NULL, .meaning = "of threads that load"},
    {0}};

static const struct kt_field pair_fields[] = {{"cpus", KT_AS_ID, KT_MANY, .meaning = "two processors"},
                                              {"bytes_per_second", KT_AS_NUMBER, KT_NULL, .unit = "bytes per second",
                                               .meaning = "how fast they exchange the block"},
                                              {0}};

static const struct kt_field sharing_fields[] = {
    {"block_bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "size of the block"},
    {"groups", KT_AS_ANY, KT_MANY, .meaning = "lists of processors that share a cache of such a block"},
    {"pairs", KT_AS_RECORD, KT_MANY, .meaning = "each pair of processors", .of = pair_fields},
    {0}};

static const struct kt_field core_fields[] = {
    {"cpu", KT_AS_ID, .meaning = "processor"},
    {"core_hz", KT_AS_NUMBER, .unit = "Hz", .meaning = "clock rate"},
    {"second_cache_cycles", KT_AS_NUMBER, CYCLES, .meaning = "time of a load from the second cache"},
    {0}};

/* --- what others say ----------------------------------------------------------------------------------------- */

static const struct kt_field difference_fields[] = {
    {"what", KT_AS_TEXT, .meaning = "which number"},
    {"claimed", KT_AS_NUMBER, KT_NULL, .meaning = "what the system says"},
    {"measured", KT_AS_NUMBER, .meaning = "what was measured"},
    {0}};

static const struct kt_field claimed_fields[] = {
    {"level", KT_AS_ID, KT_LACKS, .meaning = "1 is nearest to the processor"},
    {"bytes", KT_AS_COUNT, KT_LACKS, .unit = "bytes", .meaning = "size"},
    {"ways", KT_AS_COUNT, KT_LACKS, .meaning = "ways of a set"},
    {"line", KT_AS_COUNT, KT_LACKS, .unit = "bytes", .meaning = "size of a line"},
    {"shared", KT_AS_TEXT, KT_LACKS, .meaning = "processors that share it"},
    {"processors", KT_AS_COUNT, KT_LACKS, .meaning = "how many these are"},
    {0}};

static const struct kt_field hwloc_fields[] = {
    {"caches", KT_AS_RECORD, KT_MANY, .meaning = "caches of the first processor", .of = claimed_fields},
    {"cores", KT_AS_COUNT, KT_LACKS, .meaning = "cores"},
    {"processors", KT_AS_COUNT, KT_LACKS, .meaning = "processors"},
    {0}};

/* --- all of it ----------------------------------------------------------------------------------------------- */

static const struct kt_field probe_fields[] = {
    {"format", KT_AS_ID, .meaning = "version of the machine file"},
    {"quick", KT_AS_FLAG, .meaning = "only what replays need"},
    {"not_determined", KT_AS_RECORD, KT_MANY, .meaning = "what could not be measured", .of = undetermined_fields},
    {"curves", KT_AS_MAP, .meaning = "what was measured, point by point", .of = curve_map},
    {"peak", KT_AS_RECORD, KT_MANY, .meaning = "most operations", .of = peak_fields},
    {"bandwidth", KT_AS_RECORD, KT_MANY, .meaning = "most bytes", .of = bandwidth_fields},
    {"tsc_hz", KT_AS_NUMBER, KT_NULL | KT_LACKS, .unit = "Hz", .meaning = "rate of the time stamp counter"},
    {"core_hz", KT_AS_NUMBER, KT_NULL | KT_LACKS, .unit = "Hz", .meaning = "clock rate of the core"},
    {"core_hz_range", KT_AS_NUMBER, KT_MANY | KT_NULL | KT_LACKS, .unit = "Hz", .meaning = "between which it varied"},
    {"core_hz_confidence", KT_AS_SHARE, KT_NULL | KT_LACKS, .meaning = "how steady it was"},
    {"operations", KT_AS_RECORD, KT_MANY | KT_LACKS, .meaning = "instructions", .of = operation_fields},
    {"fma", KT_AS_FLAG, KT_LACKS, .meaning = "multiplication and addition are one instruction"},
    {"line_bytes", KT_AS_COUNT, KT_NULL | KT_LACKS, .unit = "bytes", .meaning = "size of a cache line"},
    {"line_confidence", KT_AS_SHARE, KT_NULL | KT_LACKS, .meaning = "how clear that is"},
    {"caches", KT_AS_RECORD, KT_MANY | KT_LACKS, .meaning = "caches for data", .of = cache_fields},
    {"memory", KT_AS_RECORD, KT_LACKS, .meaning = "memory", .of = memory_fields},
    {"page_bytes", KT_AS_COUNT, KT_NULL | KT_LACKS, .unit = "bytes", .meaning = "size of a page"},
    {"page_confidence", KT_AS_SHARE, KT_NULL | KT_LACKS, .meaning = "how clear that is"},
    {"page_joined_bytes", KT_AS_COUNT, KT_LACKS, .unit = "bytes",
     .meaning = "how far a TLB entry of joined pages reaches"},
    {"tlb", KT_AS_RECORD, KT_MANY | KT_LACKS, .meaning = "caches of translations", .of = tlb_fields},
    {"instruction_cache", KT_AS_RECORD, KT_LACKS, .meaning = "cache for code", .of = code_fields},
    {"live_ranges", KT_AS_RECORD, KT_MANY | KT_LACKS, .meaning = "registers", .of = live_fields},
    {"contexts", KT_AS_RECORD, KT_LACKS, .meaning = "how many run at full speed together", .of = context_fields},
    {"smt", KT_AS_COUNT, KT_NULL | KT_LACKS, .meaning = "processors that share a core"},
    {"smt_slowdown", KT_AS_NUMBER, KT_NULL | KT_LACKS, .meaning = "by how much they slow each other down"},
    {"timeslice_ms", KT_AS_NUMBER, KT_NULL | KT_LACKS, .unit = "milliseconds", .meaning = "time slot of a thread"},
    {"timeslice_confidence", KT_AS_SHARE, KT_NULL | KT_LACKS, .meaning = "how clear that is"},
    {"sharing", KT_AS_RECORD, KT_MANY | KT_LACKS, .meaning = "processors that share caches", .of = sharing_fields},
    {"cores", KT_AS_RECORD, KT_MANY | KT_LACKS, .meaning = "each processor", .of = core_fields},
    {"cores_alike", KT_AS_FLAG, KT_NULL | KT_LACKS, .meaning = "all are equally fast"},
    {"seconds_parts", KT_AS_MAP, KT_LACKS, .meaning = "how long each part took", .of = part_map},
    {"seconds_spent", KT_AS_SECONDS, KT_LACKS, .meaning = "how long all took"},
    {"differences", KT_AS_RECORD, KT_MANY, .meaning = "where the system says otherwise", .of = difference_fields},
    {"claimed_caches", KT_AS_RECORD, KT_MANY, .meaning = "caches, as the system says", .of = claimed_fields},
    {"hwloc_differences", KT_AS_RECORD, KT_MANY, .meaning = "where hwloc says otherwise", .of = difference_fields},
    {"hwloc", KT_AS_RECORD, .meaning = "what hwloc says", .of = hwloc_fields},
    {0}};

const struct kt_document kt_document_probe = {
    .verb = "probe", .what = "ktrace probe --json", .version = 1, .field = probe_fields};
