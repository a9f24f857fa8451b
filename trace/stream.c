/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All records are walked once when the trace is opened. What is wrong is found and noted then, and whoever walks the
 * spans afterwards needs no further checks. Where a chunk's head is damaged the reader looks for the next good head,
 * as chunks begin at multiples of 4096.
 */
#include "trace/stream.h"

#include "trace/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_ALIGN = 4096 };

struct walk {
    struct kt_stream *stream;
    const struct kt_process *process;
    struct kt_trace *trace;
    uint32_t chunks; /* index that the next chunk should have */
};

/* --- loading ----------------------------------------------------------------------------------------------- */

static enum kt_status copy_file(int file, const char *path, struct kt_stream *out, struct kt_error *error)
{
    unsigned char *bytes = kt_resize(NULL, out->size, 1);
    size_t done = 0;
    out->bytes = bytes;
    while (done < out->size) {
        ssize_t got = pread(file, bytes + done, out->size - done, (off_t)done);
        if (got < 0)
            return kt_fail(error, KT_SYSTEM, "%s: %s", path, strerror(errno));
        if (got == 0)
            break;
        done += (size_t)got;
    }
    out->size = done;
    return KT_OK;
}

static enum kt_status map_file(int file, const char *path, struct kt_stream *out, struct kt_error *error)
{
    void *at = mmap(NULL, out->size, PROT_READ, MAP_SHARED, file, 0);
    if (at == MAP_FAILED)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be mapped into memory: %s", path, strerror(errno));
    out->bytes = at;
    out->mapped = true;
    return KT_OK;
}

static enum kt_status load_file(int file, bool copy, struct kt_stream *out, struct kt_error *error)
{
    struct stat st;
    if (fstat(file, &st) != 0)
        return kt_fail(error, KT_SYSTEM, "%s: %s", out->path, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_size == 0)
        return KT_OK; /* no call in it */
    out->size = (size_t)st.st_size;
    return copy ? copy_file(file, out->path, out, error) : map_file(file, out->path, out, error);
}

enum kt_status kt_stream_load(const char *path, bool copy, struct kt_stream *out, struct kt_error *error)
{
    *out = (struct kt_stream){.path = kt_copy(path)};
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
    enum kt_status status = load_file(file, copy, out, error);
    close(file);
    return status;
}

void kt_stream_free(struct kt_stream *stream)
{
    if (stream->mapped)
        munmap((void *)stream->bytes, stream->size);
    else
        free((void *)stream->bytes);
    free(stream->path);
    free(stream->span);
}

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

/* Skips what is no chunk. An unused end of zeros is what a killed process leaves and no damage. */
static uint64_t skip_damage(struct walk *w, uint64_t at)
{
    const struct kt_stream *s = w->stream;
    bool whole_head = s->size - at >= sizeof(struct kt_chunk);
    uint64_t next = next_head(s, at + 1);
    if (next == s->size && all_zero(s->bytes + at, (size_t)(next - at)))
        return next;
    kt_trace_note(w->trace, "%s: the chunk at byte %" PRIu64 " %s; %" PRIu64 " bytes are skipped", s->path, at,
                  whole_head ? head_problem(chunk_at(s, at)) : "is cut off", next - at);
    return next;
}

static void add_span(struct kt_stream *s, uint64_t begin, uint64_t end)
{
    if (begin == end)
        return;
    s->span = kt_room_for_one(s->span, s->spans, sizeof *s->span);
    s->span[s->spans++] = (struct kt_span){begin, end};
}

/* --- records ----------------------------------------------------------------------------------------------- */

static const struct kt_record *record_at(const struct kt_stream *s, uint64_t at)
{
    return (const struct kt_record *)(const void *)(s->bytes + at);
}

/* Is there the head of a record, and does what it claims to be long end before END? */
static bool record_fits(const struct kt_stream *s, uint64_t at, uint64_t end)
{
    if (end - at < sizeof(struct kt_record))
        return false;
    uint64_t bytes = 8 * (uint64_t)record_at(s, at)->words;
    return bytes >= sizeof(struct kt_record) && bytes <= end - at;
}

static bool at_last_record(const struct kt_stream *s, uint64_t at, uint64_t end)
{
    return end - at < sizeof(struct kt_record) || record_at(s, at)->words == 0;
}

static bool is_defined(const struct walk *w, const struct kt_record *r)
{
    return r->entry < w->process->entries && w->process->entry[r->entry].symbol.routine;
}

static const char *record_problem(const struct walk *w, uint64_t at, uint64_t end)
{
    const struct kt_record *r = record_at(w->stream, at);
    if (!record_fits(w->stream, at, end))
        return "has an impossible length";
    if (is_defined(w, r) && 8u * r->words != sizeof *r + w->process->entry[r->entry].symbol.arg_bytes)
        return "does not have the length of its symbol's arguments";
    return NULL;
}

static void count_record(struct kt_stream *s, const struct kt_record *r)
{
    s->calls++;
    if (!kt_record_is_complete(r))
        return;
    s->completed++;
    if (r->start + r->ticks > s->last_ticks)
        s->last_ticks = r->start + r->ticks;
}

/* Lengths alone lead through the rest of a chunk: how many records would have followed? */
static void note_bad_record(struct walk *w, uint64_t at, uint64_t end, const char *problem)
{
    uint64_t first = at;
    uint64_t records = 0;
    for (; !at_last_record(w->stream, at, end) && record_fits(w->stream, at, end); records++)
        at += 8 * (uint64_t)record_at(w->stream, at)->words;
    bool counted = records && at_last_record(w->stream, at, end);
    kt_trace_note(w->trace,
                  "%s: the record at byte %" PRIu64 " %s; it and the rest of its chunk, %" PRIu64 " %s, is lost",
                  w->stream->path, first, problem, counted ? records : end - first, counted ? "records" : "bytes");
}

/* A record of a symbol that is not defined says nothing, but its length leads to the next one. */
static void walk_records(struct walk *w, uint64_t begin, uint64_t end)
{
    struct kt_stream *s = w->stream;
    uint64_t undefined = 0;
    uint64_t at = begin;
    while (!at_last_record(s, at, end)) {
        const char *problem = record_problem(w, at, end);
        if (problem) {
            note_bad_record(w, at, end, problem);
            break;
        }
        uint64_t next = at + 8 * (uint64_t)record_at(s, at)->words;
        if (is_defined(w, record_at(s, at))) {
            count_record(s, record_at(s, at));
        } else {
            add_span(s, begin, at);
            begin = next;
            undefined++;
        }
        at = next;
    }
    add_span(s, begin, at);
    if (undefined)
        kt_trace_note(w->trace, "%s: %" PRIu64 " records name symbols that are not defined; they are lost", s->path,
                      undefined);
}

/* --- the whole --------------------------------------------------------------------------------------------- */

static void take_head(struct walk *w, const struct kt_chunk *head)
{
    struct kt_stream *s = w->stream;
    if (head->index != w->chunks)
        kt_trace_note(w->trace, "%s: chunk %" PRIu32 " follows where chunk %" PRIu32 " should", s->path, head->index,
                      w->chunks);
    w->chunks = head->index + 1;
    s->anchor = head->anchor;
    if (head->anchor.ticks > s->last_ticks)
        s->last_ticks = head->anchor.ticks;
    memcpy(s->lost, head->lost, sizeof s->lost);
}

static uint64_t walk_chunk(struct walk *w, uint64_t at)
{
    struct kt_stream *s = w->stream;
    const struct kt_chunk *head = chunk_at(s, at);
    uint64_t bytes = head->chunk_bytes;
    if (bytes > s->size - at) {
        kt_trace_note(w->trace, "%s: ends %" PRIu64 " bytes before its last chunk does", s->path,
                      bytes - (s->size - at));
        bytes = s->size - at;
    }
    take_head(w, head);
    if (head->header_bytes < bytes)
        walk_records(w, at + head->header_bytes, at + bytes);
    return at + bytes;
}

void kt_stream_check(struct kt_stream *stream, const struct kt_process *process, struct kt_trace *trace)
{
    struct walk w = {.stream = stream, .process = process, .trace = trace};
    for (uint64_t at = 0; at < stream->size;) {
        bool good = stream->size - at >= sizeof(struct kt_chunk) && !head_problem(chunk_at(stream, at));
        at = good ? walk_chunk(&w, at) : skip_damage(&w, at);
    }
}
