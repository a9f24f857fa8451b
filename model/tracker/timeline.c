/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/tracker/timeline.h"

#include "trace/base/memory.h"
#include "trace/read/stream.h"

/* A call, and its arguments as long as they are needed. */
struct kept {
    struct kt_call call;
    uint64_t args[KT_CONTEXT_WORDS];
};

/* What is being read of a thread. */
struct reading {
    struct kt_cursor cursor;
    struct kt_call found;
    struct kept kept[2]; /* leaves: the call before, and the one given out */
    int last;            /* which of them is the call before */
    bool any;            /* there is one */
};

struct lane {
    uint64_t time; /* at which its next call began, or its first one if nothing was read */
    size_t stream;
    struct reading *reading; /* NULL: not yet; owned */
    const struct kt_call *next;
};

/* A heap: no lane's time is later than those of the two lanes below it. */
struct kt_timeline {
    const struct kt_trace *trace;
    size_t process;
    enum kt_level level;
    struct lane *lane; /* owned */
    size_t lanes;
    bool given; /* the first lane's call was given out */
};

/* --- one thread -------------------------------------------------------------------------------------------- */

static bool read_call(const struct kt_timeline *t, const struct lane *lane, struct kt_call *out)
{
    struct kt_cursor *cursor = &lane->reading->cursor;
    return kt_cursor_next(cursor, out) && cursor->process == t->process && cursor->stream == lane->stream;
}

static const struct kt_call *next_outermost(const struct kt_timeline *t, struct lane *lane)
{
    struct kt_call *found = &lane->reading->found;
    while (read_call(t, lane, found))
        if (found->complete && found->depth == 0)
            return found;
    return NULL;
}

/* The call after it shows whether a call is a leaf. */
static const struct kt_call *next_leaf(const struct kt_timeline *t, struct lane *lane)
{
    struct reading *r = lane->reading;
    for (bool more = true; more;) {
        struct kt_call *before = r->any ? &r->kept[r->last].call : NULL;
        more = read_call(t, lane, &r->found);
        r->any = more;
        if (more) {
            struct kept *kept = &r->kept[r->last ^= 1];
            kept->call = r->found;
            kept->call.args = memcpy(kept->args, r->found.args, r->found.entry->symbol.arg_bytes);
        }
        if (before && (kt_call_is_leaf(before, more ? &r->found : NULL) || (before->complete && before->passed)))
            return before;
    }
    return NULL;
}

static void begin_reading(const struct kt_timeline *t, struct lane *lane)
{
    lane->reading = kt_resize(NULL, 1, sizeof *lane->reading);
    lane->reading->any = false;
    lane->reading->last = 0;
    kt_cursor_begin_stream(t->trace, t->process, lane->stream, &lane->reading->cursor);
}

/* Reads the lane's next call; false at its end. */
static bool advance(const struct kt_timeline *t, struct lane *lane)
{
    if (!lane->reading)
        begin_reading(t, lane);
    lane->next = t->level == KT_LEAVES ? next_leaf(t, lane) : next_outermost(t, lane);
    if (lane->next)
        lane->time = lane->next->start;
    return lane->next;
}

/* --- all threads ------------------------------------------------------------------------------------------- */

/* Moves the lane in place I down to where it belongs. */
static void sift(struct kt_timeline *t, size_t i)
{
    struct lane moved = t->lane[i];
    for (size_t below; (below = 2 * i + 1) < t->lanes; i = below) {
        if (below + 1 < t->lanes && t->lane[below + 1].time < t->lane[below].time)
            below++;
        if (t->lane[below].time >= moved.time)
            break;
        t->lane[i] = t->lane[below];
    }
    t->lane[i] = moved;
}

struct kt_timeline *kt_timeline_new(const struct kt_trace *trace, size_t process, enum kt_level level)
{
    const struct kt_process *p = &trace->process[process];
    struct kt_timeline *t = kt_resize(NULL, 1, sizeof *t);
    *t = (struct kt_timeline){.trace = trace, .process = process, .level = level};
    t->lane = kt_resize(NULL, p->events, sizeof *t->lane);
    for (size_t s = 0; s < p->events; s++)
        if (p->stream[s].completed)
            t->lane[t->lanes++] = (struct lane){.time = p->stream[s].earliest, .stream = s};
    for (size_t i = t->lanes / 2; i-- > 0;)
        sift(t, i);
    return t;
}

static void drop_first(struct kt_timeline *t)
{
    free(t->lane[0].reading);
    t->lane[0] = t->lane[--t->lanes];
}

const struct kt_call *kt_timeline_next(struct kt_timeline *t)
{
    while (t->lanes) {
        if (t->lane[0].next && !t->given) {
            t->given = true;
            return t->lane[0].next;
        }
        if (!advance(t, &t->lane[0]))
            drop_first(t);
        t->given = false;
        sift(t, 0);
    }
    return NULL;
}

void kt_timeline_free(struct kt_timeline *t)
{
    for (size_t i = 0; i < t->lanes; i++)
        free(t->lane[i].reading);
    free(t->lane);
    free(t);
}
