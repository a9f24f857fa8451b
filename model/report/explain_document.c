/* SPDX-License-Identifier: BSD-3-Clause */
/* What ktrace explain --json prints. */
#include "model/report/explain.h"
#include "model/report/told.h"
#include "trace/command/document.h"

static const struct kt_field sum_fields[] = {
    {"insitu", KT_AS_SECONDS, KT_NULL, .meaning = "time of the calls in the program"},
    {"pairs", KT_AS_COUNT, .meaning = "runs of the program with the replays next to them"},
    {"not_replayed", KT_AS_SECONDS, KT_NULL, .meaning = "time of calls that no pair has"},
    {"bound", KT_AS_RECORD, .meaning = "what the hardware needs at least", .of = kt_told_part},
    {"library", KT_AS_RECORD, .meaning = "warm replay minus that", .of = kt_told_part},
    {"cache", KT_AS_RECORD, .meaning = "replay with operands where they were, minus warm", .of = kt_told_part},
    {"residual", KT_AS_RECORD, .meaning = "median in the program minus that", .of = kt_told_part},
    {"unsplit", KT_AS_RECORD, .meaning = "cache or residual of calls of which no replay tells which, as in a profile",
     .of = kt_told_part},
    {"uneven", KT_AS_RECORD, .meaning = "mean minus median in the program", .of = kt_told_part},
    {"dominant", KT_AS_TEXT, KT_NULL, .meaning = "the largest part that is known"},
    {0}};

static const struct kt_field place_fields[] = {
    {"place", KT_AS_RECORD, KT_NULL, .meaning = "the line that calls", .of = kt_field_place},
    {"routine", KT_AS_TEXT, .meaning = "Fortran name, lower case, without underscore"},
    {"args", KT_AS_MAP, .meaning = "arguments of the first call of its heaviest shape, by their names"},
    {"words", KT_AS_TEXT, .meaning = "that shape in words"},
    {"shapes", KT_AS_COUNT, .meaning = "shapes that are called there"},
    {"calls", KT_AS_COUNT, .meaning = "their calls"},
    {"seconds", KT_AS_SECONDS, .meaning = "their time: as long each as in the median over the runs"},
    {"parts", KT_AS_RECORD, .meaning = "what that is made of", .of = sum_fields},
    {0}};

static const struct kt_field state_fields[] = {
    {"repeated", KT_AS_FLAG, .meaning = "the program was run again"},
    {"pairs", KT_AS_COUNT, .meaning = "how often"},
    {"stopped", KT_AS_TEXT, KT_NULL, .meaning = "why it was not run any more"},
    {"tracked", KT_AS_RECORD, .meaning = "tracked replay over the time in the program", .of = kt_told_interval},
    {"sequence", KT_AS_RECORD, .meaning = "sequence over the time of the same calls", .of = kt_told_interval},
    {"runs", KT_AS_ANY, KT_LACKS, .meaning = "each run, as ktrace replay --json has it"},
    {0}};

static const struct kt_field explain_fields[] = {
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "wall time of a run: the median over them"},
    {"seconds_blas", KT_AS_SECONDS, KT_NULL,
     .meaning = "time in BLAS and LAPACK of all processes: the places' together, of which shares are"},
    {"decomposition", KT_AS_RECORD, .meaning = "all calls", .of = sum_fields},
    {"places", KT_AS_RECORD, KT_MANY, .meaning = "heaviest first", .of = place_fields},
    KT_FIELDS(kt_told_findings),
    {"advice", KT_AS_ANY, KT_MANY, .meaning = "what to change, as ktrace advise --json prints it"},
    {"changes_tried", KT_AS_COUNT, KT_NULL,
     .meaning = "how many changes were tried for that; null: ktrace advise failed"},
    {"states", KT_AS_RECORD, .meaning = "how often the program ran, and how near replays are", .of = state_fields},
    {"report", KT_AS_ANY, .meaning = "as ktrace report --json prints it"},
    {"replay", KT_AS_ANY, .meaning = "as ktrace replay --json prints it"},
    {0}};

const struct kt_document kt_document_explain = {
    .verb = "explain", .what = "ktrace explain --json", .version = 1, .field = explain_fields};
