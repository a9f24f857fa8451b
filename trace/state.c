/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/state.h"

#include "trace/memory.h"

enum { LEVELS = 64 };

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

/* The last calls of a thread, by depth: which of them contain the last one of all? */
struct stack {
    struct kt_call call[LEVELS];
    size_t count;
    size_t process, stream; /* of the cursor: a change begins another thread */
};

static void push(struct stack *stack, const struct kt_call *call)
{
    while (stack->count && stack->call[stack->count - 1].record->depth >= call->record->depth)
        stack->count--;
    if (stack->count < LEVELS)
        stack->call[stack->count++] = *call;
}

static void flush(struct stack *stack, struct kt_state *out)
{
    for (size_t i = 0; i < stack->count; i++) {
        if (stack->call[i].complete || stack->call[i].process->complete)
            continue;
        out->in_flight = kt_room_for_one(out->in_flight, out->in_flights, sizeof *out->in_flight);
        out->in_flight[out->in_flights++] = stack->call[i];
    }
    stack->count = 0;
}

static void count_call(struct kt_state *state, const struct kt_call *call)
{
    state->calls++;
    state->completed += call->complete;
    state->clock_seconds += call->process->clock_ticks / call->process->tick_hz;
}

void kt_state_find(const struct kt_trace *trace, struct kt_state *out)
{
    struct kt_cursor cursor;
    struct kt_call call;
    struct stack stack = {0};
    *out = (struct kt_state){0};
    kt_cursor_begin(trace, &cursor);
    while (kt_cursor_next(&cursor, &call)) {
        if (cursor.process != stack.process || cursor.stream != stack.stream)
            flush(&stack, out);
        stack.process = cursor.process;
        stack.stream = cursor.stream;
        push(&stack, &call);
        count_call(out, &call);
    }
    flush(&stack, out);
    for (size_t i = 0; i < trace->processes; i++) {
        out->threads += trace->process[i].streams;
        for (int cause = 0; cause < KT_LOSS_COUNT; cause++)
            out->lost[cause] += trace->process[i].lost[cause];
    }
}

void kt_state_free(struct kt_state *state)
{
    free(state->in_flight);
    *state = (struct kt_state){0};
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
