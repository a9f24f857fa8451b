/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All events are walked once when the trace is opened. What is wrong is found and noted then, and whoever walks the
 * spans afterwards needs no further checks. Where a chunk's head is damaged the reader looks for the next good head.
 */
#include "trace/read/stream.h"

#include "trace/base/count.h"
#include "trace/files/event_check.h"
#include "trace/base/memory.h"
#include "trace/read/regions.h"

#include <inttypes.h>
#include <string.h>

enum { CHUNK_ALIGN = 8 };

/* Of a call whose end is not asked for, instead of its place among the late ends. */
enum { NO_END = -1 };

/* A chunk in the file. */
struct found {
    uint64_t at, used_bytes;
    uint32_t index;
};

struct open_call {
    uint16_t depth, cpu;
    int64_t late;
    uint64_t n;     /* of the stream's calls */
    uint64_t begun; /* calls up to this one */
};

/* What has to be known of an entry to check its calls. */
struct known {
    bool defined;
    enum kt_price price; /* of recording a call whose arguments changed; one less if none did */
    uint64_t beyond;     /* words that its calls do not have */
};

struct walk {
    struct kt_stream *stream;
    const struct kt_process *process;
    struct kt_trace *trace;
    uint32_t chunks;             /* index that the next chunk should have */
    uint64_t anchor;             /* of the chunk, in ticks */
    uint64_t last;               /* the last end of a call in the chunk, or its anchor */
    uint64_t begun;              /* calls so far, also of symbols that are not defined */
    const unsigned char *inside; /* the event behind the last INSIDE */
    const unsigned char *behind; /* the event behind the end of late call ENDED, which is an outermost one */
    int64_t ended;
    bool keeps_last; /* calls were lost because of KTRACE_MAX_BYTES */
    uint64_t undefined;
    uint64_t passed; /* see kt_stream_pass */
    struct open_call *open;
    size_t opens;
    bool gap; /* events are missing before the next span */
    struct kt_contexts *contexts;
    struct known *known; /* of each entry */
    struct kt_regions *regions;
    struct kt_region_place place;
};

/* --- chunks ------------------------------------------------------------------------------------------------ */

static bool all_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return false;
    return true;
}

static const struct kt_chunk *chunk_at(const struct kt_stream *s, uint64_t at)
{
    return (const struct kt_chunk *)(const void *)(s->bytes + at);
}

/* What is wrong with a head, or NULL. At least its size is there. */
static const char *head_problem(const struct kt_chunk *head)
{
    if (memcmp(head->magic, KT_CHUNK_MAGIC, sizeof head->magic) != 0)
        return "does not begin like a chunk";
    if (head->byte_order != KT_BYTE_ORDER)
        return "has another byte order";
    if (head->major != KT_FORMAT_MAJOR)
        return "has another format version";
    if (head->header_bytes < sizeof *head || head->header_bytes % 8 || head->header_bytes > head->chunk_bytes)
        return "has a head of impossible length";
    if (head->chunk_bytes % CHUNK_ALIGN || head->chunk_bytes == 0)
        return "has an impossible length";
    if (head->used_bytes > head->chunk_bytes || head->used_bytes % 8)
        return "uses more than it has";
    return NULL;
}

/* Where the first good head at or behind AT begins, or the size of the file. */
static uint64_t next_head(const struct kt_stream *s, uint64_t at)
{
    at = (at + CHUNK_ALIGN - 1) / CHUNK_ALIGN * CHUNK_ALIGN;
    for (; at + sizeof(struct kt_chunk) <= s->size; at += CHUNK_ALIGN)
        if (!head_problem(chunk_at(s, at)))
            return at;
    return s->size;
}

/* Skips what is no chunk. Zeros are space that was not used and no damage. */
static uint64_t skip_damage(struct walk *w, uint64_t at)
{
    const struct kt_stream *s = w->stream;
    bool whole_head = s->size - at >= sizeof(struct kt_chunk);
    uint64_t next = next_head(s, at + 1);
    if (all_zero(s->bytes + at, (size_t)(next - at)))
        return next;
    kt_trace_note(w->trace, "%s: the chunk at byte %" PRIu64 " %s; %" PRIu64 " bytes are skipped", s->path, at,
                  whole_head ? head_problem(chunk_at(s, at)) : "is cut off", next - at);
    return next;
}

static void add_span(struct walk *w, uint64_t begin, uint64_t end)
{
    struct kt_stream *s = w->stream;
    if (begin == end)
        return;
    s->span = kt_room_for_one(s->span, s->spans, sizeof *s->span);
    s->span[s->spans++] = (struct kt_span){begin, end, w->anchor, w->gap};
    w->gap = false;
}

/* Events are missing here. An end that follows may be that of a call among them: no call before them gets one. */
static void add_gap(struct walk *w)
{
    w->gap = true;
    w->opens = 0;
    kt_regions_leave(w->regions, &w->place, w->stream->last_ticks);
}

/* --- events ------------------------------------------------------------------------------------------------ */

static struct known known_of(const struct kt_entry *entry)
{
    unsigned words = KT_CALL_HEAD_WORDS + entry->symbol.arg_bytes / 8u;
    bool defined = entry->symbol.routine;
    return (struct known){defined, entry->compiled ? KT_PRICE_COMPILED : KT_PRICE_TRAMPOLINE,
                          defined && words < 64 ? UINT64_MAX << words : 0};
}

static void know_entries(struct walk *w)
{
    w->known = kt_resize(NULL, w->process->entries, sizeof *w->known);
    for (size_t i = 0; i < w->process->entries; i++)
        w->known[i] = known_of(&w->process->entry[i]);
}

static struct known known(const struct walk *w, uint64_t entry)
{
    return entry < w->process->entries ? w->known[entry] : (struct known){0};
}

/* At least the head is there. */
static inline const char *event_problem(const struct walk *w, const unsigned char *at, uint64_t left)
{
    struct kt_head head = kt_event_at(at);
    return kt_is_sound_by_head(head, left) ? NULL : kt_event_problem(head, at, left, known(w, head.id).beyond);
}

/* Lengths alone lead through the rest of a chunk: how many events would have followed? */
static void note_bad_event(struct walk *w, uint64_t at, uint64_t end, const char *problem)
{
    const struct kt_stream *s = w->stream;
    uint64_t first = at;
    uint64_t events = 0;
    for (; end - at >= 8; events++) {
        uint64_t bytes = 8 * (uint64_t)kt_event_at(s->bytes + at).words;
        if (bytes == 0 || bytes > end - at)
            break;
        at += bytes;
    }
    bool counted = events && at == end;
    kt_trace_note(w->trace,
                  "%s: the event at byte %" PRIu64 " %s; it and the rest of its chunk, %" PRIu64 " %s, is lost",
                  s->path, first, problem, counted ? events : end - first, counted ? "events" : "bytes");
}

/* --- calls and their ends ---------------------------------------------------------------------------------- */

static void push_open(struct walk *w, struct open_call call)
{
    while (w->opens && w->open[w->opens - 1].depth >= call.depth)
        w->opens--;
    w->open = kt_room_for_one(w->open, w->opens, sizeof *w->open);
    w->open[w->opens++] = call;
}

/* Room for the place of an end that does not follow at once. */
static int64_t add_late(struct kt_stream *s)
{
    s->late = kt_room_for_one(s->late, s->lates, sizeof *s->late);
    s->late[s->lates] = (struct kt_late_end){0};
    return (int64_t)s->lates++;
}

/* The call of a symbol that is defined has returned. */
static void count_end(struct kt_stream *s, const struct kt_end *end, unsigned cpu)
{
    s->completed++;
    s->migrated += end->has_cpu && end->cpu != cpu;
    s->longest = end->ticks > s->longest ? end->ticks : s->longest;
    s->earliest = end->start < s->earliest ? end->start : s->earliest;
    s->latest = end->start > s->latest ? end->start : s->latest;
    s->last_ticks = end->start + end->ticks > s->last_ticks ? end->start + end->ticks : s->last_ticks;
}

/* When a call of which nothing else is known was done. */
static uint64_t skip_done(const unsigned char *event, uint64_t last)
{
    struct kt_end end = kt_end_at(event, last);
    return end.start + end.ticks;
}

/* Takes the call that EVENT begins, and its end if that follows at once; returns where the next event is. */
static const unsigned char *take_call(struct walk *w, const unsigned char *event, const unsigned char *span_end)
{
    struct kt_stream *s = w->stream;
    struct kt_head head = kt_event_at(event);
    uint64_t first_word = kt_contexts_call(w->contexts, event)->word[0];
    struct open_call call = {
        .depth = (uint16_t)first_word, .cpu = (uint16_t)(first_word >> 16), .late = NO_END, .n = s->calls};
    const unsigned char *next = kt_next_end(event, span_end, call.depth);
    bool defined = known(w, head.id).defined;
    bool outermost = defined && call.depth == 0;
    w->begun++;
    w->undefined += !defined;
    call.begun = w->begun;
    s->calls += defined;
    if (defined)
        s->costing[known(w, head.id).price - (head.words == 1)]++;
    s->outermost += outermost;
    if (event == w->inside)
        s->inside += outermost;
    if (!defined && next == event)
        w->last = skip_done(event, w->last);
    if (!defined || !next || event_problem(w, next, (uint64_t)(span_end - next))) {
        if (defined)
            call.late = add_late(s);
        push_open(w, call);
        return event + 8 * (size_t)head.words;
    }
    struct kt_end end = kt_end_at(next, w->last);
    w->last = end.start + end.ticks;
    while (w->opens && w->open[w->opens - 1].depth >= call.depth)
        w->opens--;
    count_end(s, &end, call.cpu);
    return next + 8 * (size_t)kt_event_at(next).words;
}

/* One that does not follow its call at once: of calls whose symbol is not defined, a LEAF_END too. */
static void take_end(struct walk *w, const unsigned char *event)
{
    struct kt_stream *s = w->stream;
    struct kt_end end = kt_end_at(event, w->last);
    w->last = end.start + end.ticks;
    if (kt_event_at(event).kind == KT_EVENT_LEAF_END) {
        w->opens -= w->opens && w->open[w->opens - 1].late == NO_END;
        return;
    }
    while (w->opens && w->open[w->opens - 1].depth > end.depth)
        w->opens--;
    if (!w->opens || w->open[w->opens - 1].depth != end.depth)
        return; /* its beginning is lost */
    const struct open_call *call = &w->open[--w->opens];
    if (call->late == NO_END)
        return;
    s->late[call->late] = (struct kt_late_end){.at = (uint64_t)(event - s->bytes), .nested = w->begun - call->begun};
    if (end.depth == 0) {
        w->behind = event + 8 * (size_t)kt_event_at(event).words;
        w->ended = call->late;
    }
    count_end(s, &end, call->cpu);
}

static void take_region(struct walk *w, unsigned id, uint64_t ticks)
{
    struct kt_stream *s = w->stream;
    kt_regions_record(w->regions, &w->place, id, ticks);
    s->last_ticks = ticks > s->last_ticks ? ticks : s->last_ticks;
}

static void take_work(struct walk *w, const unsigned char *event)
{
    double number[2]; /* operations, bytes */
    memcpy(number, event + 8, sizeof number);
    kt_regions_work(w->regions, &w->place, number[0], number[1]);
}

/* An event that neither begins nor ends a call. */
static void take_other(struct walk *w, struct kt_head head, const unsigned char *event)
{
    if (head.kind == KT_EVENT_REGION)
        take_region(w, head.id, kt_word_at(event + 8));
    else if (head.kind == KT_EVENT_WORK)
        take_work(w, event);
    else if (head.kind == KT_EVENT_INSIDE && head.upper)
        w->inside = event + 8;
    else if (head.kind == KT_EVENT_PASSED && event == w->behind)
        w->stream->late[w->ended].has_passed = true;
}

/* Regions that the thread has not left last as long as it. The first thread's is the process's end, if that is known.
 */
static void leave_regions(struct walk *w)
{
    const struct kt_process *p = w->process;
    uint64_t end = w->stream->last_ticks;
    if (w->stream->tid == p->pid && p->last_ticks > end)
        end = p->last_ticks;
    kt_regions_leave(w->regions, &w->place, end);
}

static void walk_events(struct walk *w, uint64_t begin, uint64_t end)
{
    struct kt_stream *s = w->stream;
    const unsigned char *at = s->bytes + begin;
    const unsigned char *last = s->bytes + end;
    const char *problem = NULL;
    kt_contexts_clear(w->contexts);
    w->last = w->anchor;
    while (last - at >= 8 && !(problem = event_problem(w, at, (uint64_t)(last - at)))) {
        struct kt_head head = kt_event_at(at);
        if (kt_begins_call(head)) {
            at = take_call(w, at, last);
            continue;
        }
        if (kt_ends_call(head))
            take_end(w, at);
        else
            take_other(w, head, at);
        at += 8 * (size_t)head.words;
    }
    uint64_t good = (uint64_t)(at - s->bytes);
    if (problem)
        note_bad_event(w, good, end, problem);
    add_span(w, begin, good);
    if (problem)
        add_gap(w);
}

/* --- the whole --------------------------------------------------------------------------------------------- */

static void take_head(struct walk *w, const struct kt_chunk *head)
{
    struct kt_stream *s = w->stream;
    s->is_second = w->place.repeats = head->second == 1;
    bool wanted = w->keeps_last && w->begun == 0; /* the first calls made room for the last ones */
    if (head->index != w->chunks && !wanted)
        kt_trace_note(w->trace, "%s: chunk %" PRIu32 " follows where chunk %" PRIu32 " should", s->path, head->index,
                      w->chunks);
    if (head->index != w->chunks || head->calls > w->begun)
        add_gap(w);
    if (head->calls > w->begun && !wanted)
        kt_trace_note(w->trace, "%s: %s %s missing before chunk %" PRIu32, s->path,
                      KT_COUNT(head->calls - w->begun, "call"),
                      kt_count_word((double)(head->calls - w->begun), "is", "are"), head->index);
    w->begun = head->calls;
    w->chunks = head->index + 1;
    s->anchor = head->anchor;
    w->anchor = head->anchor.ticks;
    if (head->anchor.ticks > s->last_ticks)
        s->last_ticks = head->anchor.ticks;
    memcpy(s->lost, head->lost, sizeof s->lost);
    s->skipped = head->skipped;
    s->passed = head->passed;
}

static void walk_chunk(struct walk *w, const struct found *found)
{
    struct kt_stream *s = w->stream;
    const struct kt_chunk *head = chunk_at(s, found->at);
    kt_stream_pass(s, &w->passed, found->at);
    uint64_t used = head->used_bytes;
    if (used > s->size - found->at) {
        kt_trace_note(w->trace, "%s: ends %" PRIu64 " bytes before its last chunk does", s->path,
                      used - (s->size - found->at));
        used = s->size - found->at;
    }
    take_head(w, head);
    if (head->header_bytes < used)
        walk_events(w, found->at + head->header_bytes, found->at + used / 8 * 8);
}

/* --- the order of chunks ----------------------------------------------------------------------------------- */

/*
 * Of two with the same index the one with more in it comes first, and of equal ones the chunk being written: a copy
 * that was cut short by the process's death does not show.
 */
static int by_index(const void *a, const void *b)
{
    const struct found *x = a;
    const struct found *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    if (x->used_bytes != y->used_bytes)
        return x->used_bytes > y->used_bytes ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Ordered by index. The chunk being written may already have a copy behind it. */
static struct found *find_chunks(struct walk *w, size_t *count)
{
    const struct kt_stream *s = w->stream;
    struct found *found = NULL;
    uint64_t passed = 0;
    *count = 0;
    for (uint64_t at = 0; at < s->size; kt_stream_pass(s, &passed, at)) {
        if (s->size - at < sizeof(struct kt_chunk) || head_problem(chunk_at(s, at))) {
            at = skip_damage(w, at);
            continue;
        }
        uint64_t bytes = chunk_at(s, at)->chunk_bytes;
        if (chunk_at(s, at)->used_bytes) {
            found = kt_room_for_one(found, *count, sizeof *found);
            found[(*count)++] = (struct found){at, chunk_at(s, at)->used_bytes, chunk_at(s, at)->index};
        }
        at += bytes < s->size - at ? bytes : s->size - at;
    }
    if (*count)
        qsort(found, *count, sizeof *found, by_index);
    return found;
}

/* What is in progress at the end. */
static void keep_open(struct walk *w)
{
    struct kt_stream *s = w->stream;
    s->open = kt_resize(NULL, w->opens, sizeof *s->open);
    for (size_t i = 0; i < w->opens; i++)
        if (w->open[i].late != NO_END)
            s->open[s->opens++] = w->open[i].n;
}

static bool wants_last(const struct kt_process *process)
{
    const char *limit = kt_process_option(process, "MAX_BYTES");
    const char *colon = limit ? strrchr(limit, ':') : NULL;
    return colon && !strcmp(colon, ":last");
}

/* The process may have been killed after it had a chunk replaced, and before it had counted the calls in that. */
static void count_first(struct kt_stream *s, uint64_t before)
{
    if (s->lost[KT_LOSS_LIMIT] < before)
        s->lost[KT_LOSS_LIMIT] = before;
}

void kt_stream_check(struct kt_stream *stream, const struct kt_process *process, struct kt_trace *trace)
{
    struct walk w = {.stream = stream, .process = process, .trace = trace, .regions = process->regions};
    size_t count;
    struct found *found = find_chunks(&w, &count);
    w.contexts = kt_resize(NULL, 1, sizeof *w.contexts);
    kt_contexts_begin(w.contexts);
    know_entries(&w);
    stream->earliest = UINT64_MAX;
    w.keeps_last = count && wants_last(process);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || found[i].index != found[i - 1].index)
            walk_chunk(&w, &found[i]);
    kt_stream_pass(stream, &w.passed, stream->size);
    if (w.undefined)
        kt_trace_note(trace, "%s: %s of symbols that are not defined: lost", stream->path,
                      KT_COUNT(w.undefined, "call"));
    if (process->nested_mode == KT_NESTED_ALL)
        stream->inside = stream->outermost;
    keep_open(&w);
    leave_regions(&w);
    if (w.keeps_last)
        count_first(stream, chunk_at(stream, found[0].at)->calls);
    free(found);
    free(w.open);
    free(w.known);
    free(w.contexts);
}
