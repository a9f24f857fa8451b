/* SPDX-License-Identifier: BSD-3-Clause */
/* What ktrace info --json prints, and what it prints of libraries. */
#include "trace/command/counts.h"
#include "trace/command/document.h"
#include "trace/command/hosts_json.h"
#include "trace/command/state_json.h"
#include "trace/command/subnormal.h"

/* --- of a trace ---------------------------------------------------------------------------------------------- */

static const struct kt_field library_fields[] = {
    {"path", KT_AS_TEXT, .meaning = "that the program opened"},
    {"file", KT_AS_TEXT, KT_NULL, .meaning = "file that the path leads to"},
    {"soname", KT_AS_TEXT, .meaning = "name that programs are linked with"},
    {"build_id", KT_AS_TEXT, .meaning = "build id of the file"},
    {"name", KT_AS_TEXT, .meaning = "which library it is"},
    {"version", KT_AS_TEXT, .meaning = "what it says of itself"},
    {"int_bits", KT_AS_ID, .unit = "bits", .meaning = "size of an integer argument"},
    {"threads", KT_AS_COUNT, KT_NULL, .meaning = "threads that it uses"},
    {0}};

static const struct kt_field process_fields[] = {
    {"process", KT_AS_ID, .meaning = "number of the process in the trace"},
    {"pid", KT_AS_ID, .meaning = "process id"},
    {"ppid", KT_AS_ID, KT_NULL, .meaning = "process id of its parent"},
    {"rank", KT_AS_ID, KT_NULL, .meaning = "rank in a parallel job"},
    {"job", KT_AS_TEXT, KT_NULL, .meaning = "name of the job"},
    {"host", KT_AS_TEXT, KT_NULL, .meaning = "machine"},
    {"program", KT_AS_TEXT, KT_NULL, .meaning = "path of the program"},
    {"command", KT_AS_TEXT, KT_MANY, .meaning = "its command line"},
    {"state", KT_AS_TEXT, .meaning = "complete, incomplete or running"},
    {"start", KT_AS_SECONDS, KT_NULL, .meaning = "when it began, after the first of all"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "from its start to its end"},
    {"threads", KT_AS_COUNT, .meaning = "threads that made calls"},
    {"calls", KT_AS_COUNT, .meaning = "recorded calls"},
    {0}};

static const struct kt_field clock_fields[] = {
    {"clock", KT_AS_TEXT, KT_NULL, .meaning = "which clock"},
    {"tsc_invariant", KT_AS_ID, KT_NULL, .meaning = "1: the processor says that its counter has a constant rate"},
    {"note", KT_AS_TEXT, KT_NULL, .meaning = "why the clock may not measure time"},
    {"migrated", KT_AS_COUNT, .meaning = "calls that ended on another processor than they began on"},
    {"implausible", KT_AS_COUNT, .meaning = "calls whose times cannot be"},
    {0}};

static const struct kt_field variable_map[] = {{"NAME", KT_AS_TEXT, .meaning = "value of the variable"}, {0}};

static const struct kt_field machine_fields[] = {
    {"host", KT_AS_TEXT, KT_NULL, .meaning = "name of the machine"},
    {"cpu_model", KT_AS_TEXT, KT_NULL, .meaning = "processor"},
    {"cpus", KT_AS_COUNT, KT_NULL, .meaning = "processors that the system has"},
    {"affinity", KT_AS_TEXT, KT_NULL, .meaning = "processors that the process might use, as 0-3,8"},
    {"cpuset", KT_AS_TEXT, KT_NULL, .meaning = "the same of its control group"},
    {"quota", KT_AS_NUMBER, KT_NULL, .unit = "processors",
     .meaning = "as much time as so many have, granted by its control groups; null: all"},
    {"environment", KT_AS_MAP, .meaning = "variables that say how many threads there are and how they wait",
     .of = variable_map},
    {"page_bytes", KT_AS_COUNT, KT_NULL, .unit = "bytes", .meaning = "size of a page"},
    {"clock", KT_AS_TEXT, KT_NULL, .meaning = "which clock"},
    {"byte_order", KT_AS_TEXT, KT_NULL, .meaning = "byte order"},
    {"boot_id", KT_AS_TEXT, KT_NULL, .meaning = "identity of the time since the machine started"},
    {0}};

static const struct kt_field option_map[] = {{"KTRACE_NAME", KT_AS_TEXT, .meaning = "value of the variable"}, {0}};

static const struct kt_field snapshot_fields[] = {
    {"count", KT_AS_COUNT, .meaning = "snapshots of operands"},
    {"bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "their size"},
    {"missing", KT_AS_COUNT, .meaning = "that could not be taken, or were beyond the limit"},
    {"damaged", KT_AS_COUNT, .meaning = "that cannot be read"},
    {"subnormal", KT_AS_RECORD, KT_MANY, .meaning = "those that hold subnormal numbers", .of = kt_field_subnormal},
    {0}};

static const struct kt_field info_fields[] = {
    {"format", KT_AS_TEXT, .meaning = "version of the trace format that this command reads"},
    {"state", KT_AS_TEXT, .meaning = "complete, incomplete or running"},
    {"command", KT_AS_TEXT, KT_MANY, .meaning = "command line of the first process"},
    {"program", KT_AS_TEXT, KT_NULL, .meaning = "its path"},
    {"processes", KT_AS_COUNT, .meaning = "processes"},
    {"threads", KT_AS_COUNT, .meaning = "threads that made calls"},
    {"ranks", KT_AS_COUNT, .meaning = "ranks of parallel jobs"},
    {"mode", KT_AS_TEXT, .meaning = "full, profile or workload"},
    {"calls", KT_AS_COUNT, .meaning = "recorded calls"},
    {"overflow", KT_AS_COUNT, .meaning = "calls of profiles that are counted by routine only"},
    {"lost", KT_AS_RECORD, KT_MANY, .meaning = "calls that are missing", .of = kt_field_losses},
    {"damage", KT_AS_TEXT, KT_MANY, .meaning = "what cannot be read"},
    {"skipped", KT_AS_COUNT, .meaning = "calls that were not recorded, as the user wished"},
    {"sample", KT_AS_COUNT, .meaning = "one in so many of the program's calls was recorded; 1: all"},
    {"nested", KT_AS_RECORD, .meaning = "in which calls nested ones were recorded", .of = kt_field_nested},
    {"in_flight", KT_AS_RECORD, KT_MANY, .meaning = "calls that had not returned when the process ended",
     .of = kt_field_in_flight},
    {"tsc_hz", KT_AS_NUMBER, KT_NULL, .unit = "Hz", .meaning = "rate of the clock"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "of the longest process"},
    {"self_seconds", KT_AS_SECONDS, KT_NULL, .meaning = "that the recorder took, as it measured itself"},
    {"bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "size of the trace"},
    {"events", KT_AS_RECORD, KT_MANY, .meaning = "counters of the trace", .of = kt_field_counters},
    {"libraries", KT_AS_RECORD, KT_MANY, .meaning = "libraries that calls went to", .of = library_fields},
    {"traces", KT_AS_COUNT, .meaning = "traces that were opened as one"},
    {"ranks_expected", KT_AS_COUNT, KT_NULL, .meaning = "ranks that the launcher started"},
    {"process_table", KT_AS_RECORD, KT_MANY, .meaning = "processes, each behind its parent", .of = process_fields},
    {"clock", KT_AS_RECORD, .meaning = "the clock, and what is odd about it", .of = clock_fields},
    {KT_HOSTS_FIELD},
    {"machine", KT_AS_RECORD, .meaning = "machine of the first process", .of = machine_fields},
    {"options", KT_AS_MAP, .meaning = "settings of the first process", .of = option_map},
    {"snapshots", KT_AS_RECORD, .meaning = "contents of operands", .of = snapshot_fields},
    {0}};

const struct kt_document kt_document_info = {
    .verb = "info", .what = "ktrace info --json", .version = 1, .field = info_fields};

/* --- of the libraries of this machine -------------------------------------------------------------------------- */

static const struct kt_field has_fields[] = {{"blas", KT_AS_FLAG, .meaning = "BLAS"},
                                             {"lapack", KT_AS_FLAG, .meaning = "LAPACK"},
                                             {"cblas", KT_AS_FLAG, .meaning = "CBLAS"},
                                             {"lapacke", KT_AS_FLAG, .meaning = "LAPACKE"},
                                             {0}};

static const struct kt_field installed_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "name that --blas takes"},
    {"files", KT_AS_TEXT, KT_MANY, .meaning = "its files"},
    {"aliases", KT_AS_TEXT, KT_MANY, .meaning = "other names for it"},
    {"usable", KT_AS_FLAG, .meaning = "it can be loaded"},
    {"reason", KT_AS_TEXT, KT_LACKS, .meaning = "why not"},
    {"version", KT_AS_TEXT, KT_LACKS, .meaning = "what it says of itself"},
    {"number", KT_AS_TEXT, KT_LACKS, .meaning = "number of the version"},
    {"kernel", KT_AS_TEXT, KT_LACKS, .meaning = "code that it chose for this processor"},
    {"int_bits", KT_AS_ID, KT_NULL | KT_LACKS, .unit = "bits", .meaning = "size of an integer argument"},
    {"int_bits_of_names_with_64", KT_AS_ID, KT_NULL | KT_LACKS, .unit = "bits", .meaning = "the same of names with 64"},
    {"threads", KT_AS_COUNT, KT_NULL | KT_LACKS, .meaning = "threads that it uses"},
    {"threading", KT_AS_TEXT, KT_LACKS, .meaning = "how it makes them"},
    {"has", KT_AS_RECORD, KT_LACKS, .meaning = "interfaces that it has", .of = has_fields},
    {0}};

static const struct kt_field libraries_fields[] = {
    {"libraries", KT_AS_RECORD, KT_MANY, .meaning = "installed libraries, or those named", .of = installed_fields},
    {0}};

const struct kt_document kt_document_libraries = {
    .verb = "info", .what = "ktrace info --libraries --json", .version = 1, .field = libraries_fields};
