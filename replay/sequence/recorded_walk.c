/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/recorded_walk.h"

#include <string.h>

static void remember(struct kt_recorded_walk *w, const struct kt_call *call)
{
    w->last = *call;
    w->last.args = memcpy(w->last_args, call->args, call->entry->symbol.arg_bytes);
}

/* Moves to the next call; true if the one before it is of the level: OUT is that. */
static bool pass_over(struct kt_recorded_walk *w, const struct kt_call *next, struct kt_recorded_found *out)
{
    bool leaves = w->level == KT_LEAVES;
    bool inside = leaves ? next && next->parent == (int64_t)w->last.n : next && next->depth > 0;
    bool found = leaves ? kt_call_is_leaf(&w->last, next) : w->last.complete && !inside;
    if (found) {
        out->call = w->last;
        out->call.args = memcpy(out->args, w->last_args, w->last.entry->symbol.arg_bytes);
        out->seconds = kt_call_seconds(&w->last);
    }
    if (next && (leaves || !inside))
        remember(w, next);
    return found;
}

static bool next_of_threads(struct kt_recorded_walk *w, struct kt_recorded_found *out)
{
    struct kt_call next;
    while (!w->ended) {
        w->ended = !kt_cursor_next(&w->cursor, &next);
        if (pass_over(w, w->ended ? NULL : &next, out))
            return true;
    }
    return false;
}

static bool next_in_time(struct kt_recorded_walk *w, struct kt_recorded_found *out)
{
    const struct kt_call *next = kt_timeline_next(w->timeline);
    if (!next)
        return false;
    out->call = *next;
    out->call.args = memcpy(out->args, next->args, next->entry->symbol.arg_bytes);
    out->seconds = kt_call_seconds(next);
    return true;
}

void kt_recorded_walk_begin(const struct kt_trace *trace, enum kt_level level, const struct kt_process *process,
                            struct kt_recorded_walk *out)
{
    *out = (struct kt_recorded_walk){.level = level};
    if (process)
        out->timeline = kt_timeline_new(trace, process->number, level);
    else
        kt_cursor_begin(trace, &out->cursor);
}

bool kt_recorded_walk_next(struct kt_recorded_walk *w, struct kt_recorded_found *out)
{
    if (w->timeline ? next_in_time(w, out) : next_of_threads(w, out))
        return true;
    kt_recorded_walk_end(w);
    return false;
}

void kt_recorded_walk_end(struct kt_recorded_walk *w)
{
    if (w->timeline)
        kt_timeline_free(w->timeline);
    w->timeline = NULL;
    w->ended = true;
}
