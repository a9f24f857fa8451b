/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/nested.h"

#include "trace/print/text.h"

static uint64_t count_passed(const struct kt_trace *trace)
{
    uint64_t passed = 0;
    for (size_t i = 0; i < trace->processes; i++)
        passed += trace->process[i].passed;
    return passed;
}

void kt_nested_notice(const struct kt_trace *trace, enum kt_level level)
{
    uint64_t passed = count_passed(trace);
    if (level == KT_LEAVES && passed)
        kt_notice("%s %s not in the trace: numbers of calls and times are of those recorded; ktrace run "
                  "--nested all (KTRACE_NESTED=all) records all",
                  KT_COUNT(passed, "nested call"), kt_count_word((double)passed, "is", "are"));
}
