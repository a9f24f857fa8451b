/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/state.h"

#include "trace/base/memory.h"
#include "trace/read/profile.h"
#include "trace/read/stream.h"

static const struct {
    const char *name, *text;
} losses[] = {
#define KT_LOSS_ROW(name, text) {#name, text},
    KT_LOSSES(KT_LOSS_ROW)
#undef KT_LOSS_ROW
};

const char *kt_loss_name(enum kt_loss cause)
{
    return losses[cause].name;
}

const char *kt_loss_text(enum kt_loss cause)
{
    return losses[cause].text;
}

/* What is known of a process without its calls. */
static void add_process(struct kt_state *state, const struct kt_process *p)
{
    const char *invariant = kt_meta(p, "tsc_invariant");
    const char *note = kt_meta(p, "clock_note");
    for (size_t i = 0; i < p->streams; i++) {
        state->calls += p->stream[i].calls;
        state->completed += p->stream[i].completed;
        state->migrated += p->stream[i].migrated;
        state->outermost += p->stream[i].outermost;
        state->outermost_inside += p->stream[i].inside;
    }
    state->threads += kt_process_threads(p);
    state->self_seconds += (double)p->calls * (p->self_ticks ? p->self_ticks : p->clock_ticks) / p->tick_hz;
    state->self_seconds += (double)p->passed * p->price[KT_PRICE_PASSED] / p->tick_hz;
    state->self_is_clock |= !p->self_ticks;
    if (!note && invariant && !strcmp(invariant, "0"))
        note = "the time stamp counter is not invariant";
    if (!state->clock_note)
        state->clock_note = note;
    for (int cause = 0; cause < KT_LOSS_COUNT; cause++)
        state->lost[cause] += p->lost[cause];
    state->skipped += p->skipped;
    state->passed += p->passed;
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static bool all_are_plausible(const struct kt_process *p, const struct kt_stream *s)
{
    uint64_t most = p->longest_ticks;
    return s->completed == 0 || !most ||
           (s->longest <= most && s->earliest >= p->first_ticks && s->latest - p->first_ticks <= most);
}

/* Calls have to be looked at one by one only if something is wrong with some. */
static bool has_odd_calls(const struct kt_trace *trace)
{
    for (size_t i = 0; i < trace->processes; i++) {
        const struct kt_process *p = &trace->process[i];
        for (size_t j = 0; j < p->streams; j++)
            if ((p->stream[j].opens && !p->complete) || !all_are_plausible(p, &p->stream[j]))
                return true;
    }
    return false;
}

/* The calls of one thread up to where the cursor is. */
struct thread {
    size_t process, stream;
    uint64_t first; /* number of its first call */
    size_t open;    /* of the calls in progress at its end, how many have been met */
};

static void find_in_call(struct kt_state *state, struct thread *thread, const struct kt_call *call)
{
    const struct kt_stream *s = &call->process->stream[thread->stream];
    state->implausible += !kt_call_is_plausible(call);
    if (thread->open == s->opens || s->open[thread->open] != call->n - thread->first)
        return;
    thread->open++;
    if (call->process->complete)
        return;
    state->in_flight = kt_room_for_one(state->in_flight, state->in_flights, sizeof *state->in_flight);
    state->in_flight[state->in_flights++] = kt_call_keep(call);
}

static void find_in_calls(const struct kt_trace *trace, struct kt_state *out)
{
    struct kt_cursor cursor;
    struct kt_call call;
    struct thread thread = {0};
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call)) {
        if (cursor.process != thread.process || cursor.stream != thread.stream)
            thread = (struct thread){cursor.process, cursor.stream, call.n, 0};
        find_in_call(out, &thread, &call);
    }
}

/* Of a profile a call of that shape stands for the one that was under way. */
static void find_in_counts(const struct kt_trace *trace, struct kt_state *out)
{
    struct kt_counts_cursor cursor;
    struct kt_counts counts;
    kt_counts_begin(trace, &cursor);
    while (kt_counts_next(&cursor, &counts)) {
        out->overflow += counts.call.args ? 0 : counts.begun;
        if (!counts.is_current || !counts.call.args || counts.call.process->complete)
            continue; /* without room for its shape the arguments are not known */
        counts.call.complete = false;
        out->in_flight = kt_room_for_one(out->in_flight, out->in_flights, sizeof *out->in_flight);
        out->in_flight[out->in_flights++] = kt_call_keep(&counts.call);
    }
}

void kt_state_find(const struct kt_trace *trace, struct kt_state *out)
{
    *out = (struct kt_state){0};
    for (size_t i = 0; i < trace->processes; i++)
        add_process(out, &trace->process[i]);
    find_in_counts(trace, out);
    if (has_odd_calls(trace))
        find_in_calls(trace, out);
}

void kt_state_free(struct kt_state *state)
{
    for (size_t i = 0; i < state->in_flights; i++)
        kt_call_drop(&state->in_flight[i]);
    free(state->in_flight);
    *state = (struct kt_state){0};
}

/* As the shim takes it: what is no number does not count. */
uint64_t kt_state_sample(const struct kt_trace *trace)
{
    const char *text = kt_trace_option(trace, "SAMPLE", "1");
    bool number = *text && strspn(text, "0123456789") == strlen(text);
    unsigned long long interval = number ? strtoull(text, NULL, 10) : 1;
    return interval ? interval : 1;
}

enum kt_nested_mode kt_state_nested(const struct kt_trace *trace)
{
    for (size_t i = 0; i < trace->processes; i++)
        if (trace->process[i].nested_mode != KT_NESTED_ALL)
            return trace->process[i].nested_mode;
    return KT_NESTED_ALL;
}

/* As KTRACE_NESTED says it. */
const char *kt_nested_name(enum kt_nested_mode mode)
{
    static const char *const names[] = {"all", "sample", "none"};
    return names[mode];
}

bool kt_state_keeps_last(const struct kt_trace *trace, const struct kt_state *state)
{
    const char *limit = kt_trace_option(trace, "MAX_BYTES", "");
    const char *colon = strrchr(limit, ':');
    return state->lost[KT_LOSS_LIMIT] && colon && !strcmp(colon, ":last");
}

const char *kt_state_text(const struct kt_trace *trace)
{
    bool running = false;
    bool complete = true;
    for (size_t i = 0; i < trace->processes; i++) {
        running |= trace->process[i].running;
        complete &= trace->process[i].complete;
    }
    return running ? "running" : complete ? "complete" : "incomplete";
}
