/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/cursor.h"

#include "trace/stream.h"

enum { LEVELS = KT_CURSOR_LEVELS };

static void forget_open(struct kt_cursor *cursor, size_t from)
{
    for (size_t i = from; i < LEVELS; i++)
        cursor->open[i] = -1;
}

void kt_cursor_begin(const struct kt_trace *trace, struct kt_cursor *out)
{
    *out = (struct kt_cursor){.trace = trace};
    forget_open(out, 0);
}

/* The stream and span of the next record, or NULL at the end of the trace. */
static const struct kt_stream *seek(struct kt_cursor *cursor)
{
    for (; cursor->process < cursor->trace->processes; cursor->process++) {
        const struct kt_process *p = &cursor->trace->process[cursor->process];
        for (; cursor->stream < p->streams; cursor->stream++) {
            const struct kt_stream *s = &p->stream[cursor->stream];
            for (; cursor->span < s->spans; cursor->span++) {
                if (cursor->offset < s->span[cursor->span].end - s->span[cursor->span].begin)
                    return s;
                cursor->offset = 0;
            }
            cursor->span = 0;
            forget_open(cursor, 0);
        }
        cursor->stream = 0;
    }
    return NULL;
}

/* The call that this one is nested in, unless it was not recorded: then an earlier call of that depth is over. */
static int64_t find_parent(const struct kt_cursor *cursor, const struct kt_record *record)
{
    size_t depth = record->depth;
    if (depth == 0 || depth > LEVELS || record->start > cursor->until[depth - 1])
        return -1;
    return cursor->open[depth - 1];
}

static void remember_open(struct kt_cursor *cursor, const struct kt_record *record, uint64_t n)
{
    if (record->depth >= LEVELS)
        return;
    forget_open(cursor, record->depth);
    cursor->open[record->depth] = (int64_t)n;
    cursor->until[record->depth] = kt_record_is_complete(record) ? record->start + record->ticks : UINT64_MAX;
}

bool kt_cursor_next(struct kt_cursor *cursor, struct kt_call *out)
{
    const struct kt_stream *s = seek(cursor);
    if (!s)
        return false;
    const unsigned char *at = s->bytes + s->span[cursor->span].begin + cursor->offset;
    const struct kt_record *record = (const struct kt_record *)(const void *)at;
    const struct kt_process *process = &cursor->trace->process[cursor->process];
    *out = (struct kt_call){.n = cursor->n++,
                            .process = process,
                            .tid = s->tid,
                            .entry = &process->entry[record->entry],
                            .record = record,
                            .args = at + sizeof *record,
                            .parent = find_parent(cursor, record),
                            .complete = kt_record_is_complete(record)};
    remember_open(cursor, record, out->n);
    cursor->offset += 8 * (uint64_t)record->words;
    return true;
}

double kt_call_seconds(const struct kt_call *call)
{
    double ticks = call->complete ? (double)call->record->ticks - call->process->clock_ticks : 0;
    return ticks > 0 ? ticks / call->process->tick_hz : 0;
}

bool kt_call_info(const struct kt_call *call, int64_t *info)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    for (int i = 0; call->complete && i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        if (p->arg < 0 || symbol->routine->arg[p->arg].role != KT_INFO)
            continue;
        *info = (int64_t)kt_stored_value(call->args, p, NULL);
        return true;
    }
    return false;
}
