/* SPDX-License-Identifier: BSD-3-Clause */
/* What ktrace replay --json prints. */
#include "replay/result/result_document.h"

#include "trace/command/state_json.h"
#include "trace/command/subnormal.h"

const struct kt_field kt_field_replay_machine[] = {
    {"boot_id", KT_AS_TEXT, .meaning = "identity of the time since the machine started"},
    {"cpu", KT_AS_TEXT, .meaning = "processor"},
    {"cpus", KT_AS_COUNT, .meaning = "processors that the system has"},
    {0}};

const struct kt_field kt_field_replay_library[] = {
    {"name", KT_AS_TEXT, .meaning = "name that --blas takes"},
    {"path", KT_AS_TEXT, .meaning = "its first file"},
    {"version", KT_AS_TEXT, .meaning = "what it says of itself"},
    {"files", KT_AS_TEXT, KT_MANY, .meaning = "all of its files"},
    {"build_ids", KT_AS_TEXT, KT_MANY | KT_NULLS, .meaning = "build id of each"},
    {"threads", KT_AS_COUNT, .meaning = "threads that it uses"},
    {"int_bits", KT_AS_ID, .unit = "bits", .meaning = "size of an integer argument"},
    {0}};

const struct kt_field kt_field_replay_shape[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"symbol", KT_AS_TEXT, .meaning = "name that was called"},
    {"words", KT_AS_TEXT, .meaning = "the shape in words"},
    {"args", KT_AS_MAP, .meaning = "arguments of the first call, by their names"},
    {"calls", KT_AS_COUNT, .meaning = "recorded calls"},
    {"total", KT_AS_SECONDS, .meaning = "their time in the program"},
    {"insitu", KT_AS_RECORD, .meaning = "time of a call in the program", .of = kt_field_stat},
    {"stopped", KT_AS_TEXT, .meaning = "why no more samples were taken"},
    {"contents", KT_AS_TEXT, .meaning = "of operands: recorded or made"},
    {0}};

/* --- shapes -------------------------------------------------------------------------------------------------- */

static const struct kt_field context_map[] = {
    {"CONTEXT", KT_AS_RECORD, .meaning = "time of a call in this context", .of = kt_field_context}, {0}};

/* Of each run of the program, and of the visits or passes next to it. */
static const struct kt_field beside_map[] = {
    {"NAME", KT_AS_SECONDS, KT_MANY | KT_NULLS,
     .meaning =
         "one number a run: insitu (mean), insitu_median; insitu_played, insitu_played_median: of the calls that a "
         "sequence has; each context; sequence (mean), sequence_median"},
    {0}};

static const struct kt_field shape_fields[] = {
    KT_FIELDS(kt_field_replay_shape),
    {"contexts", KT_AS_MAP, .meaning = "time of a call in each context", .of = context_map},
    {"subnormal", KT_AS_RECORD, KT_NULL, .meaning = "subnormal numbers in operands, and what they cost",
     .of = kt_field_subnormal_cost},
    {"context_index", KT_AS_INDEX, KT_NULL, .meaning = "0 as fast as warm, 1 as slow as cold"},
    {"bound", KT_AS_SECONDS, KT_NULL, .meaning = "shortest time that the hardware allows, operands in cache"},
    {"bound_by", KT_AS_TEXT, KT_NULL, .meaning = "what sets it: flops, a cache or memory"},
    {"bound_cold", KT_AS_SECONDS, KT_NULL, .meaning = "the same, operands in memory"},
    {"bound_cold_by", KT_AS_TEXT, KT_NULL, .meaning = "what sets that"},
    {"flops", KT_AS_NUMBER, KT_NULL, .unit = "operations",
     .meaning = "floating-point operations of a call, by formula"},
    {"bytes", KT_AS_NUMBER, KT_NULL, .unit = "bytes", .meaning = "bytes of operands that a call reads and writes"},
    {"again", KT_AS_MAP, KT_LACKS, .meaning = "times of a call by run of the program", .of = beside_map},
    {0}};

static const struct kt_field refused_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"symbol", KT_AS_TEXT, .meaning = "name that was called"},
    {"args", KT_AS_MAP, .meaning = "arguments of the first call, by their names"},
    {"calls", KT_AS_COUNT, .meaning = "recorded calls"},
    {"seconds", KT_AS_SECONDS, .meaning = "their time in the program"},
    {"why", KT_AS_TEXT, .meaning = "why they cannot be replayed"},
    {0}};

/* --- the replay ---------------------------------------------------------------------------------------------- */

static const struct kt_field total_map[] = {
    {"NAME", KT_AS_SECONDS, KT_NULL,
     .meaning = "insitu, each context, bound and bound_cold; insitu_not_tracked: of calls that tracked leaves out"},
    {0}};

/* All but the first are there where it is not. */
static const struct kt_field sequence_fields[] = {
    {"unusable", KT_AS_TEXT, KT_LACKS, .meaning = "why there is no sequence; then there is no other key"},
    {"pid", KT_AS_ID, KT_LACKS, .meaning = "process whose calls are played"},
    {"tid", KT_AS_ID, KT_LACKS, .meaning = "thread whose calls are played"},
    {"threads", KT_AS_COUNT, KT_LACKS, .meaning = "threads that made calls"},
    {"calls", KT_AS_COUNT, KT_LACKS, .meaning = "calls of that thread"},
    {"counted", KT_AS_COUNT, KT_LACKS, .meaning = "of these, calls that are timed"},
    {"windows", KT_AS_COUNT, KT_LACKS, .meaning = "parts of the program that are played"},
    {"passes", KT_AS_COUNT, KT_LACKS, .meaning = "how often each is played"},
    {"seats", KT_AS_COUNT, KT_LACKS, .meaning = "threads that play at the same time; 0: calls of one, one by one"},
    {"together", KT_AS_NUMBER, KT_NULL | KT_LACKS,
     .meaning = "calls that were under way at a time in the program, when any was; null: they are played one by one"},
    {"passes_alone", KT_AS_COUNT, KT_LACKS, .meaning = "how often each is played alone, besides"},
    {"insitu", KT_AS_SECONDS, KT_LACKS, .meaning = "time of these calls in the program"},
    {"seconds", KT_AS_SECONDS, KT_LACKS, .meaning = "their time in the sequence"},
    {"ratio", KT_AS_NUMBER, KT_LACKS, .meaning = "seconds over insitu"},
    {"typical", KT_AS_NUMBER, KT_LACKS, .meaning = "the same of medians of shapes times calls"},
    {"quartiles", KT_AS_SECONDS, KT_MANY | KT_LACKS, .meaning = "half of the passes lie between these"},
    {"share", KT_AS_SHARE, KT_LACKS, .meaning = "part of the time of all calls"},
    {"seconds_spent", KT_AS_SECONDS, KT_LACKS, .meaning = "how long playing took"},
    {"layout", KT_AS_TEXT, KT_LACKS, .meaning = "where operands lie"},
    {"bytes", KT_AS_COUNT, KT_LACKS, .unit = "bytes", .meaning = "memory of operands"},
    {"gaps", KT_AS_TEXT, KT_LACKS, .meaning = "what happens between calls"},
    {"gap_seconds", KT_AS_SECONDS, KT_LACKS, .meaning = "time between calls, a pass"},
    {"refilled", KT_AS_COUNT, KT_LACKS, .meaning = "calls whose inputs are written again before them"},
    {"strange", KT_AS_COUNT, KT_LACKS, .meaning = "calls that left the range of ordinary numbers"},
    {"left_out", KT_AS_COUNT, KT_LACKS, .meaning = "calls whose shapes cannot be played"},
    {"denormal", KT_AS_COUNT, KT_LACKS, .meaning = "operands with denormal numbers after the last pass"},
    {"overflowed", KT_AS_COUNT, KT_LACKS, .meaning = "operands with numbers that are not finite after it"},
    {0}};

static const struct kt_field store_fields[] = {
    {"path", KT_AS_TEXT, KT_NULL, .meaning = "file of known times"},
    {"series_reused", KT_AS_COUNT, .meaning = "series of samples that come from it"},
    {"measured_from", KT_AS_NUMBER, KT_NULL, .unit = "seconds since 1970",
     .meaning = "when the first of them was taken"},
    {"measured_to", KT_AS_NUMBER, KT_NULL, .unit = "seconds since 1970", .meaning = "when the last of them was taken"},
    {0}};

static const struct kt_field level_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "cache or memory"},
    {"bytes", KT_AS_NUMBER, KT_NULL, .unit = "bytes", .meaning = "its size"},
    {"read", KT_AS_NUMBER, KT_NULL, .unit = "bytes per second", .meaning = "reading"},
    {"write", KT_AS_NUMBER, KT_NULL, .unit = "bytes per second", .meaning = "writing"},
    {"both", KT_AS_NUMBER, KT_NULL, .unit = "bytes per second", .meaning = "both together"},
    {0}};

static const struct kt_field peak_fields[] = {
    {"threads", KT_AS_COUNT, .meaning = "threads that these are the peaks of"},
    {"flops_single", KT_AS_NUMBER, KT_NULL, .unit = "operations per second", .meaning = "in single precision"},
    {"flops_double", KT_AS_NUMBER, KT_NULL, .unit = "operations per second", .meaning = "in double precision"},
    {"levels", KT_AS_RECORD, KT_MANY, .meaning = "caches and memory", .of = level_fields},
    {"source", KT_AS_TEXT, .meaning = "machine file or measured"},
    {0}};

static const struct kt_field sweep_fields[] = {
    {"read_bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "how much is read to evict from it"},
    {"resident_ticks", KT_AS_NUMBER, .unit = "clock ticks", .meaning = "time of an access before"},
    {"evicted_ticks", KT_AS_NUMBER, .unit = "clock ticks", .meaning = "time of an access afterwards"},
    {"flushed_ticks", KT_AS_NUMBER, .unit = "clock ticks", .meaning = "time of an access to what was flushed"},
    {"reliable", KT_AS_FLAG, .meaning = "it evicts"},
    {"doubt", KT_AS_TEXT, .meaning = "why it may not; empty: there is no doubt"},
    {0}};

static const struct kt_field cache_fields[] = {{"level", KT_AS_ID, .meaning = "1 is nearest to the processor"},
                                               {"bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "its size"},
                                               {"evicted_by", KT_AS_RECORD, KT_NULL,
                                                .meaning = "what it took to evict from it, if a context does",
                                                .of = sweep_fields},
                                               {"source", KT_AS_TEXT, .meaning = "machine file, measured or system"},
                                               {0}};

static const struct kt_field left_out_fields[] = {
    {"shapes", KT_AS_COUNT, .meaning = "shapes that the budget had no time for"},
    {"calls", KT_AS_COUNT, KT_NULL, .meaning = "their calls"},
    {"seconds", KT_AS_SECONDS, .meaning = "their time in the program"},
    {"share", KT_AS_SHARE, .meaning = "part of the time of all calls"},
    {0}};

static const struct kt_field run_fields[] = {{"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "wall time"},
                                             {"seconds_cpu", KT_AS_SECONDS, KT_NULL, .meaning = "processor time"},
                                             {"seconds_blas", KT_AS_SECONDS, KT_NULL, .meaning = "in recorded calls"},
                                             {"calls", KT_AS_COUNT, KT_NULL, .meaning = "recorded calls"},
                                             {0}};

static const struct kt_field again_fields[] = {
    {"runs", KT_AS_RECORD, KT_MANY, .meaning = "runs of the program between the rounds", .of = run_fields},
    {"processor", KT_AS_ID, KT_NULL, .meaning = "processor that they were kept on"},
    {"seconds_spent", KT_AS_SECONDS, .meaning = "how long they took"},
    {"stopped", KT_AS_TEXT, KT_NULL, .meaning = "why there are fewer than were asked for"},
    {0}};

static const struct kt_field shard_fields[] = {
    {"shapes", KT_AS_COUNT, .meaning = "shapes that it replayed"},
    {"machine", KT_AS_RECORD, .meaning = "machine that it ran on", .of = kt_field_replay_machine},
    {"processor", KT_AS_ID, KT_NULL, .meaning = "processor that it was kept on"},
    {"seconds_spent", KT_AS_SECONDS, .meaning = "how long sampling took"},
    {"state", KT_AS_RECORD, KT_NULL, .meaning = "how fast the machine was meanwhile", .of = kt_field_speed},
    {0}};

static const struct kt_field replay_fields[] = {
    {"ktrace", KT_AS_TEXT, .meaning = "version of ktrace"},
    {"machine", KT_AS_RECORD, .meaning = "machine of the replay", .of = kt_field_replay_machine},
    {"library", KT_AS_RECORD, .meaning = "library of the replay", .of = kt_field_replay_library},
    {"level", KT_AS_TEXT, .meaning = "which calls: outermost or leaves"},
    {"contexts", KT_AS_TEXT, KT_MANY, .meaning = "names of the contexts"},
    {"shapes", KT_AS_RECORD, KT_MANY, .meaning = "shapes that were replayed, longest total first", .of = shape_fields},
    {"totals", KT_AS_MAP, .meaning = "sums of best estimates over all calls", .of = total_map},
    {"not_replayed", KT_AS_RECORD, KT_MANY, .meaning = "shapes that cannot be replayed", .of = refused_fields},
    {"sequence", KT_AS_RECORD, KT_LACKS, .meaning = "calls in their recorded order", .of = sequence_fields},
    {"rounds", KT_AS_COUNT, .meaning = "rounds of samples"},
    {"seconds_spent", KT_AS_SECONDS, .meaning = "how long sampling took"},
    {"pinned", KT_AS_FLAG, .meaning = "on one processor"},
    {"processor", KT_AS_ID, KT_NULL, .meaning = "on which"},
    {"flush_effect", KT_AS_NUMBER, .meaning = "how many times longer a flushed access takes"},
    {"interrupted", KT_AS_FLAG, .meaning = "a signal ended it"},
    {"state", KT_AS_RECORD, KT_NULL, .meaning = "how fast the machine was meanwhile", .of = kt_field_speed},
    {"store", KT_AS_RECORD, .meaning = "times from earlier replays", .of = store_fields},
    {"peaks", KT_AS_RECORD, KT_NULL, .meaning = "what bounds rest on", .of = peak_fields},
    {"page_fault", KT_AS_SECONDS, KT_NULL, .meaning = "time of a page fault"},
    {"caches", KT_AS_RECORD, KT_MANY, .meaning = "caches, as contexts take them", .of = cache_fields},
    {"timer", KT_AS_TEXT, .meaning = "wall, cpu or sets"},
    {"left_out", KT_AS_RECORD, .meaning = "what there was no time for", .of = left_out_fields},
    {"shards", KT_AS_RECORD, KT_MANY | KT_LACKS, .meaning = "of a replay by several processes: each of them",
     .of = shard_fields},
    {"again", KT_AS_RECORD, KT_LACKS, .meaning = "the program run again (--runs)", .of = again_fields},
    KT_FIELDS(kt_field_missing),
    {0}};

const struct kt_document kt_document_replay = {
    .verb = "replay", .what = "ktrace replay --json", .version = 1, .field = replay_fields};
