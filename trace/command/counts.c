/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/counts.h"

#include "trace/command/about.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

bool kt_call_count(const struct kt_call *call, size_t counter, uint64_t *count)
{
    if (!call->complete || counter >= call->counters || call->counter[counter] > INT64_MAX)
        return false;
    uint64_t empty = counter < call->process->counters ? call->process->counter[counter].empty : 0;
    *count = call->counter[counter] > empty ? call->counter[counter] - empty : 0;
    return true;
}

json_t *kt_counts_json(const struct kt_call *call)
{
    json_t *object = json_object();
    for (size_t i = 0; i < call->process->counters; i++) {
        uint64_t count;
        bool known = kt_call_count(call, i, &count);
        kt_json_set_named(object, call->process->counter[i].name,
                          known ? json_integer((json_int_t)count) : json_null());
    }
    return object;
}

/* --- of all processes -------------------------------------------------------------------------------------- */

static bool is_same(const struct kt_counter *a, const struct kt_counter *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->status, b->status) && !strcmp(a->reason, b->reason);
}

/* Was one like counter I of process P met before? */
static bool is_repeated(const struct kt_trace *trace, size_t p, size_t i)
{
    const struct kt_counter *counter = &trace->process[p].counter[i];
    for (size_t q = 0; q <= p; q++)
        for (size_t j = 0; j < (q < p ? trace->process[q].counters : i); j++)
            if (is_same(counter, &trace->process[q].counter[j]))
                return true;
    return false;
}

const struct kt_field kt_field_counters[] = {{"name", KT_AS_TEXT, .meaning = "name of the counter"},
                                             {"status", KT_AS_TEXT, .meaning = "how it counted"},
                                             {"reason", KT_AS_TEXT, .meaning = "why not; empty: it counted"},
                                             {"empty", KT_AS_COUNT, .meaning = "what reading it adds"},
                                             {"code", KT_AS_TEXT, .meaning = "its code in the kernel's interface"},
                                             {0}};

json_t *kt_counters_json(const struct kt_trace *trace)
{
    json_t *array = json_array();
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].counters; i++) {
            const struct kt_counter *c = &trace->process[p].counter[i];
            if (is_repeated(trace, p, i))
                continue;
            json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:I, s:o}", "name", kt_json_text(c->name), "status",
                                                   kt_json_text(c->status), "reason", kt_json_text(c->reason), "empty",
                                                   (json_int_t)c->empty, "code", kt_json_text(c->code)));
        }
    return array;
}

void kt_counters_about(const struct kt_trace *trace, bool only_bad)
{
    const char *label = "counters";
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].counters; i++) {
            const struct kt_counter *c = &trace->process[p].counter[i];
            if (is_repeated(trace, p, i) || (only_bad && !*c->reason))
                continue;
            kt_about_line(label, "%s %s%s%s", c->name, c->status, *c->reason ? ": " : "", c->reason);
            label = "";
        }
}
