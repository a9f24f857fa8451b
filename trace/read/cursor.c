/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/cursor.h"

#include "trace/base/memory.h"
#include "trace/read/regions.h"
#include "trace/read/stream.h"

void kt_cursor_begin(const struct kt_trace *trace, struct kt_cursor *out)
{
    memset(out, 0, offsetof(struct kt_cursor, contexts));
    kt_contexts_begin(&out->contexts);
    out->trace = trace;
}

void kt_cursor_begin_stream(const struct kt_trace *trace, size_t process, size_t stream, struct kt_cursor *out)
{
    kt_cursor_begin(trace, out);
    out->process = process;
    out->stream = stream;
    out->versions = (uint64_t)(stream + 1) << 40;
}

static void enter_span(struct kt_cursor *cursor, const struct kt_stream *s, const struct kt_span *span)
{
    kt_stream_pass(s, &cursor->passed, span->begin);
    kt_contexts_clear(&cursor->contexts);
    cursor->at = s->bytes + span->begin;
    cursor->end = s->bytes + span->end;
    cursor->last = span->anchor;
    if (cursor->trace->process[cursor->process].nested_mode == KT_NESTED_ALL)
        cursor->weight = cursor->inside = 1; /* of all its calls */
    if (span->after_gap)
        cursor->opens = cursor->region = cursor->deeper = 0;
}

/* Goes to the next span of the trace, none of which is empty; false at its end. */
static bool next_span(struct kt_cursor *cursor)
{
    for (; cursor->process < cursor->trace->processes; cursor->process++) {
        const struct kt_process *p = &cursor->trace->process[cursor->process];
        for (; cursor->stream < p->streams; cursor->stream++) {
            const struct kt_stream *s = &p->stream[cursor->stream];
            if (cursor->span < s->spans) {
                enter_span(cursor, s, &s->span[cursor->span++]);
                return true;
            }
            kt_stream_pass(s, &cursor->passed, s->size);
            cursor->passed = 0;
            cursor->span = cursor->late = cursor->opens = cursor->region = cursor->deeper = 0;
        }
        cursor->stream = 0;
    }
    return false;
}

/* --- calls in progress ------------------------------------------------------------------------------------- */

/* A call ends those that began at its level or deeper: they were left by a jump. */
static void leave_calls(struct kt_cursor *cursor, unsigned depth)
{
    while (cursor->opens && cursor->open[cursor->opens - 1].depth >= depth)
        cursor->opens--;
}

/* A LEAF_END that did not follow a call at once can only be of one whose symbol is not defined. */
static void leave_ended(struct kt_cursor *cursor, struct kt_head end)
{
    if (end.kind != KT_EVENT_LEAF_END)
        leave_calls(cursor, end.id);
    else
        cursor->opens -= cursor->opens && cursor->open[cursor->opens - 1].n == -1;
}

static void enter_call(struct kt_cursor *cursor, unsigned depth, int64_t n)
{
    if (cursor->opens < KT_CURSOR_LEVELS)
        cursor->open[cursor->opens++] = (struct kt_open_call){depth, n};
}

/* The call that one of this depth is nested in; -1 if that was not recorded. */
static int64_t find_parent(const struct kt_cursor *cursor, unsigned depth)
{
    const struct kt_open_call *last = cursor->opens ? &cursor->open[cursor->opens - 1] : NULL;
    return last && last->depth + 1 == depth ? last->n : -1;
}

/* --- outermost calls --------------------------------------------------------------------------------------- */

/* EVENT begins a call: is what nests in it recorded, and how many outermost calls does it stand for, or the one that it
 * is in? A nested call whose outermost one is not there stands for itself. */
static void weigh_call(struct kt_cursor *cursor, const unsigned char *event, unsigned depth)
{
    bool has_outermost = cursor->opens && cursor->open[0].depth == 0;
    if (depth == 0)
        cursor->weight = event == cursor->drawn ? cursor->drawn_weight : 0;
    else if (!has_outermost)
        cursor->weight = 1;
    cursor->inside = depth > 0 || cursor->weight > 0;
}

/* Does a PASSED stand at EVENT? No event goes beyond END. */
static inline bool is_passed(const unsigned char *event, const unsigned char *end)
{
    return event < end && *event == KT_EVENT_PASSED;
}

/* The PASSED at EVENT follows the end of CALL. */
static void add_passed(struct kt_call *call, const unsigned char *event)
{
    if (call->depth == 0 && call->process->nested_mode != KT_NESTED_ALL)
        call->passed = kt_event_at(event).upper;
}

/* --- ends -------------------------------------------------------------------------------------------------- */

/* What the call returned is one of its arguments. */
static void add_info(struct kt_cursor *cursor, struct kt_call *call, int64_t info)
{
    const struct kt_param *p = info ? kt_symbol_info(&call->entry->symbol) : NULL;
    if (!p)
        return;
    memcpy(cursor->args, call->args, call->entry->symbol.arg_bytes);
    memcpy((unsigned char *)cursor->args + p->offset, &info, sizeof info);
    call->args = (const unsigned char *)cursor->args;
}

static void add_end(struct kt_cursor *cursor, struct kt_call *call, const unsigned char *event)
{
    struct kt_end end = kt_end_at(event, cursor->last);
    call->complete = true;
    call->start = end.start;
    call->ticks = end.ticks;
    call->migrated = end.has_cpu && end.cpu != call->cpu;
    call->cpu = end.has_cpu ? end.cpu : call->cpu;
    call->faults = end.faults;
    call->counter = end.counter;
    call->counters = end.counters;
    add_info(cursor, call, end.info);
}

/* The end of a call that does not follow at once, if there is one. */
static void add_late_end(struct kt_cursor *cursor, struct kt_call *call, const struct kt_stream *s)
{
    const struct kt_late_end *late = cursor->late < s->lates ? &s->late[cursor->late++] : NULL;
    if (!late || !late->at)
        return;
    add_end(cursor, call, s->bytes + late->at);
    call->nested = late->nested;
    if (late->has_passed)
        add_passed(call, s->bytes + late->at + 8 * (size_t)kt_event_at(s->bytes + late->at).words);
}

/* --- calls ------------------------------------------------------------------------------------------------- */

/* The words of a call that a shape may depend on: all but its place, operand addresses and info. */
static uint64_t shape_words(const struct kt_symbol *symbol)
{
    uint64_t words = 0;
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        bool info = p->arg >= 0 && symbol->routine->arg[p->arg].role == KT_INFO;
        uint64_t bits = kt_stored_bytes(p->stored) > 8 ? 3 : 1;
        if (!info && !kt_stored_is_address(p->stored))
            words |= bits << (KT_CALL_HEAD_WORDS + p->offset / 8);
    }
    return words;
}

/* The number of the arguments that the call shares with earlier ones of its entry. */
static uint64_t version_of(struct kt_cursor *cursor, struct kt_context_slot *slot, const struct kt_symbol *symbol,
                           uint64_t changed)
{
    if (!slot->version)
        slot->mask = shape_words(symbol);
    if (!slot->version || changed & slot->mask)
        slot->version = ++cursor->versions;
    return slot->version;
}

/* All members are named, so that the compiler does not clear the whole first: that took longer than all the rest. */
static struct kt_call make_call(struct kt_cursor *cursor, const struct kt_process *process,
                                const struct kt_entry *entry, const struct kt_context_slot *slot, uint64_t version)
{
    unsigned depth = slot->word[0] & UINT16_MAX;
    return (struct kt_call){.n = cursor->n++,
                            .process = process,
                            .tid = process->stream[cursor->stream].tid,
                            .depth = depth,
                            .entry = entry,
                            .version = version,
                            .caller = slot->word[1],
                            .source = (uint32_t)(slot->word[0] >> KT_SOURCE_SHIFT),
                            .args = (const unsigned char *)(slot->word + KT_CALL_HEAD_WORDS),
                            .parent = find_parent(cursor, depth),
                            .region = cursor->region,
                            .complete = false,
                            .migrated = false,
                            .in_parallel = slot->word[0] & KT_TEAM_FLAG,
                            .cpu = slot->word[0] >> 16 & UINT16_MAX,
                            .start = 0,
                            .ticks = 0,
                            .faults = -1,
                            .nested = 0,
                            .inside_recorded = cursor->inside,
                            .weight = cursor->weight,
                            .passed = 0,
                            .counter = NULL,
                            .counters = 0};
}

/* Later times in the chunk count from this end. */
static void pass_end(struct kt_cursor *cursor, struct kt_head head, const unsigned char *event)
{
    if (!kt_ends_call(head) && head.kind != KT_EVENT_DONE)
        return;
    struct kt_end end = kt_end_at(event, cursor->last);
    cursor->last = end.start + end.ticks;
}

/* EVENT begins a call. False if its symbol is not defined. */
static bool take_call(struct kt_cursor *cursor, struct kt_head head, const unsigned char *event, struct kt_call *out)
{
    const struct kt_process *process = &cursor->trace->process[cursor->process];
    struct kt_context_slot *slot = kt_contexts_call(&cursor->contexts, event);
    const struct kt_entry *entry = head.id < process->entries ? &process->entry[head.id] : NULL;
    unsigned depth = slot->word[0] & UINT16_MAX;
    leave_calls(cursor, depth);
    if (process->nested_mode != KT_NESTED_ALL)
        weigh_call(cursor, event, depth);
    if (!entry || !entry->symbol.routine) {
        enter_call(cursor, depth, -1);
        pass_end(cursor, head, event);
        return false;
    }
    uint64_t version = version_of(cursor, slot, &entry->symbol, kt_changed_words(head, event));
    *out = make_call(cursor, process, entry, slot, version);
    const unsigned char *end = kt_next_end(event, cursor->end, depth);
    if (!end) {
        enter_call(cursor, depth, (int64_t)out->n);
        add_late_end(cursor, out, &process->stream[cursor->stream]);
        return true;
    }
    cursor->at = end + 8 * (size_t)kt_event_at(end).words;
    add_end(cursor, out, end);
    cursor->last = out->start + out->ticks;
    if (is_passed(cursor->at, cursor->end))
        add_passed(out, cursor->at);
    return true;
}

static void change_region(struct kt_cursor *cursor, unsigned id)
{
    const struct kt_regions *regions = cursor->trace->process[cursor->process].regions;
    cursor->region = kt_regions_step(regions, cursor->region, &cursor->deeper, id);
}

/* An event that neither begins nor ends a call. */
static void take_other(struct kt_cursor *cursor, struct kt_head head)
{
    if (head.kind == KT_EVENT_REGION)
        change_region(cursor, head.id);
    if (head.kind != KT_EVENT_INSIDE)
        return;
    cursor->drawn = cursor->at;
    cursor->drawn_weight = (double)head.upper / KT_INSIDE_ONE;
}

bool kt_cursor_next(struct kt_cursor *cursor, struct kt_call *out)
{
    do {
        while (cursor->at < cursor->end) {
            const unsigned char *event = cursor->at;
            struct kt_head head = kt_event_at(event);
            if (head.words == 0)
                break; /* the file changed since it was checked */
            cursor->at += 8 * (size_t)head.words;
            if (kt_begins_call(head) && take_call(cursor, head, event, out))
                return true;
            if (kt_ends_call(head)) {
                leave_ended(cursor, head);
                pass_end(cursor, head, event);
            } else {
                take_other(cursor, head);
            }
        }
    } while (next_span(cursor));
    return false;
}

bool kt_call_info(const struct kt_call *call, int64_t *info)
{
    const struct kt_param *p = kt_symbol_info(&call->entry->symbol);
    if (!call->complete || !p)
        return false;
    *info = kt_stored_integer(call->args, p);
    return true;
}

struct kt_call kt_call_keep(const struct kt_call *call)
{
    struct kt_call kept = *call;
    size_t bytes = call->entry->symbol.arg_bytes;
    kept.args = memcpy(kt_resize(NULL, bytes, 1), call->args, bytes);
    kept.counter = NULL;
    kept.counters = 0;
    kept.version = 0;
    return kept;
}

void kt_call_drop(struct kt_call *kept)
{
    free((void *)kept->args);
    kept->args = NULL;
}
