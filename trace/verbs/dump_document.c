/* SPDX-License-Identifier: BSD-3-Clause */
/* What ktrace dump --json prints of each call. */
#include "trace/command/document.h"

static const struct kt_field caller_fields[] = {
    {"object", KT_AS_TEXT, KT_NULL, .meaning = "program or library that contains the call"},
    {"offset", KT_AS_TEXT, KT_NULL, .meaning = "address in it, hexadecimal"},
    {"address", KT_AS_TEXT, .meaning = "address that the call returns to, hexadecimal"},
    {0}};

static const struct kt_field line_fields[] = {
    {"file", KT_AS_TEXT, KT_NULL, .meaning = "source file; null: a function of R whose line is not known"},
    {"line", KT_AS_ID, KT_NULL, .meaning = "line in it"},
    {"function", KT_AS_TEXT, .meaning = "function"},
    {0}};

static const struct kt_field operand_fields[] = {
    {"name", KT_AS_TEXT, .meaning = "operand"},
    {"access", KT_AS_TEXT, .meaning = "r: read, w: written, rw: both"},
    {"base", KT_AS_TEXT, .meaning = "address that was passed, hexadecimal"},
    {"lo", KT_AS_TEXT, .meaning = "first byte that the call may touch, hexadecimal"},
    {"hi", KT_AS_TEXT, .meaning = "end of these bytes, hexadecimal"},
    {"rows", KT_AS_COUNT, .meaning = "rows"},
    {"cols", KT_AS_COUNT, .meaning = "columns"},
    {"ld", KT_AS_COUNT, .unit = "elements", .meaning = "distance of columns"},
    {"elem", KT_AS_COUNT, .unit = "bytes", .meaning = "size of an element"},
    {0}};

static const struct kt_field event_map[] = {{"NAME", KT_AS_COUNT, KT_NULL, .meaning = "count of a counter"}, {0}};

static const struct kt_field call_fields[] = {
    {"n", KT_AS_ID, .meaning = "number of the call in the trace"},
    {"process", KT_AS_ID, .meaning = "number of its process, as info has it"},
    {"pid", KT_AS_ID, .meaning = "process id"},
    {"tid", KT_AS_ID, .meaning = "thread id"},
    {"depth", KT_AS_COUNT, .meaning = "recorded calls that it is nested in; 0: outermost"},
    {"parent", KT_AS_ID, KT_NULL, .meaning = "number of the innermost of these"},
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"symbol", KT_AS_TEXT, .meaning = "name that was called"},
    {"t", KT_AS_SECONDS, KT_NULL, .meaning = "when it began, after the start of the trace"},
    {"dt", KT_AS_SECONDS, KT_NULL, .meaning = "how long it took; null: it has not returned"},
    {"nested", KT_AS_COUNT, KT_NULL, .meaning = "recorded calls nested in it"},
    {"inside", KT_AS_FLAG, KT_LACKS, .meaning = "of outermost calls: nested ones are recorded"},
    {"weight", KT_AS_NUMBER, KT_NULL | KT_LACKS,
     .meaning = "of outermost calls: how many calls this inside stands for"},
    {"passed", KT_AS_COUNT, KT_NULL | KT_LACKS, .meaning = "of outermost calls: nested ones that were not recorded"},
    {"cpu", KT_AS_ID, .meaning = "processor at its end"},
    {"in_parallel", KT_AS_FLAG, .meaning = "called within a parallel region of OpenMP"},
    {"faults", KT_AS_COUNT, KT_NULL, .meaning = "page faults, where they were counted"},
    {"caller", KT_AS_RECORD, .meaning = "who called", .of = caller_fields},
    {"source", KT_AS_RECORD, KT_MANY | KT_LACKS,
     .meaning = "lines of a Python or R program, functions of R whose lines are not known, innermost first",
     .of = line_fields},
    {"stack", KT_AS_RECORD, KT_MANY | KT_LACKS,
     .meaning = "return addresses on the stack of the call, innermost first, where somebody looked for them",
     .of = caller_fields},
    {"args", KT_AS_MAP, .meaning = "arguments, by their names"},
    {"info", KT_AS_ID, KT_NULL, .meaning = "the info that the routine returned"},
    {"region", KT_AS_TEXT, KT_MANY | KT_LACKS, .meaning = "names of regions, the outermost first"},
    {"operands", KT_AS_RECORD, KT_MANY, .meaning = "memory that it may touch", .of = operand_fields},
    {"flops", KT_AS_NUMBER, KT_NULL, .unit = "operations", .meaning = "floating-point operations, by formula"},
    {"events", KT_AS_MAP, KT_LACKS, .meaning = "counters", .of = event_map},
    {"complete", KT_AS_FLAG, .meaning = "it has returned"},
    {0}};

const struct kt_document kt_document_dump = {
    .verb = "dump", .what = "ktrace dump --json, each line", .version = 1, .is_line = true, .field = call_fields};
