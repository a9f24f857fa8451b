/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/look.h"

#include "trace/command/counts.h"
#include "trace/base/memory.h"
#include "trace/read/profile.h"
#include "trace/read/state.h"
#include "trace/read/stream.h"

#include <stdio.h>

/* Operands, text and JSON take long: of the first calls only, and of every so many. */
enum { WHOLE_CALLS = 3, EVERY = 17 };

static struct kt_cursor cursor; /* large */

static _Noreturn void give_up(const char *path, const char *what, uint64_t found, uint64_t expected)
{
    fprintf(stderr, "%s: %s: %llu, not %llu\n", path, what, (unsigned long long)found, (unsigned long long)expected);
    abort();
}

static void look_at_arguments(const struct kt_call *call)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    char text[61];
    const struct kt_entry *entry = call->entry;
    kt_values_decode(&entry->symbol, call->args, &values);
    int count = kt_operands(&entry->symbol, &values, entry->int_bytes, operand);
    for (int i = 0; i < count; i++) {
        int64_t runs = kt_operand_runs(&operand[i]);
        uint64_t lo, hi;
        if (runs > 0)
            kt_operand_run(&operand[i], (int64_t)(call->caller % (uint64_t)runs), &lo, &hi);
    }
    volatile double work = kt_bytes(operand, count) + kt_flops(entry->symbol.routine, &values);
    (void)work;
    kt_shape_text(call, text, sizeof text - 1);
    json_decref(kt_json_args(call, true));
}

/* Every word that the call has is read. */
static uint64_t look_at_call(const struct kt_call *call)
{
    uint64_t sum = 0;
    uint64_t count;
    int64_t info;
    for (size_t at = 0; at < call->entry->symbol.arg_bytes; at += sizeof sum)
        sum += kt_word_at(call->args + at);
    for (unsigned i = 0; i < call->counters; i++)
        sum += kt_call_count(call, i, &count) ? count : call->counter[i];
    sum += kt_call_info(call, &info) ? (uint64_t)info : 0;
    volatile double seconds = kt_call_seconds(call);
    (void)seconds;
    kt_object_at(call->process, call->caller);
    return sum;
}

/* What a walk over the calls of a stream finds. */
struct found {
    uint64_t calls, completed, outermost, inside;
};

static void look_at_calls(const struct kt_trace *trace, struct found *found)
{
    struct kt_call call;
    volatile uint64_t sum = 0;
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call)) {
        if (call.n != found->calls)
            give_up(trace->path, "number of a call", call.n, found->calls);
        if (call.parent >= (int64_t)call.n)
            give_up(trace->path, "number of the call around call n", (uint64_t)call.parent, call.n);
        found->calls++;
        found->completed += call.complete;
        found->outermost += call.depth == 0;
        found->inside += call.depth == 0 && call.inside_recorded;
        sum += look_at_call(&call);
        if (call.n < WHOLE_CALLS || call.n % EVERY == 0)
            look_at_arguments(&call);
    }
    (void)sum;
}

static void look_at_counts(const struct kt_trace *trace)
{
    struct kt_counts_cursor counts;
    struct kt_counts one;
    kt_counts_begin(trace, &counts);
    while (kt_counts_next(&counts, &one)) {
        struct kt_samples samples = {0};
        if (!one.call.args)
            continue;
        look_at_call(&one.call);
        if (one.call.n >= WHOLE_CALLS && one.call.n % EVERY)
            continue;
        look_at_arguments(&one.call);
        kt_counts_samples(&one, false, &samples);
        kt_samples_free(&samples);
    }
}

static struct found totals(const struct kt_trace *trace)
{
    struct found sum = {0};
    for (size_t i = 0; i < trace->processes; i++)
        for (size_t k = 0; k < trace->process[i].events; k++) {
            sum.calls += trace->process[i].stream[k].calls;
            sum.completed += trace->process[i].stream[k].completed;
            sum.outermost += trace->process[i].stream[k].outermost;
            sum.inside += trace->process[i].stream[k].inside;
        }
    return sum;
}

void kt_look_at(const struct kt_trace *trace)
{
    struct kt_state state;
    struct found found = {0};
    struct found expected = totals(trace);
    look_at_calls(trace, &found);
    if (found.calls != expected.calls)
        give_up(trace->path, "calls", found.calls, expected.calls);
    if (found.completed != expected.completed)
        give_up(trace->path, "complete calls", found.completed, expected.completed);
    if (found.outermost != expected.outermost)
        give_up(trace->path, "outermost calls", found.outermost, expected.outermost);
    if (found.inside != expected.inside)
        give_up(trace->path, "outermost calls whose inside is recorded", found.inside, expected.inside);
    look_at_counts(trace);
    kt_state_find(trace, &state);
    kt_state_free(&state);
}
