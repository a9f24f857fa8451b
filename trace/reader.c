/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens a trace: finds its processes, reads their meta and end files, has their definitions read (trace/definitions.c)
 * and their streams checked (trace/stream.c) and their clocks worked out (trace/origin.c). A process that cannot be
 * read is an error only if it is the only one.
 */
#include "trace/reader.h"

#include "trace/definitions.h"
#include "trace/lines.h"
#include "trace/memory.h"
#include "trace/origin.h"
#include "trace/state.h"
#include "trace/stream.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_NOTES = 100 };

void kt_trace_note(struct kt_trace *trace, const char *format, ...)
{
    char text[2048];
    va_list list;
    if (trace->notes == MAX_NOTES)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    trace->note = kt_room_for_one(trace->note, trace->notes, sizeof *trace->note);
    bool last = trace->notes == MAX_NOTES - 1;
    trace->note[trace->notes++] = kt_copy(last ? "there is more damage than is listed here" : text);
}

/* --- names in directories ---------------------------------------------------------------------------------- */

/* A file or directory called LETTER NUMBER or LETTER NUMBER . SUFFIX. */
struct name {
    uint64_t number, suffix;
    char text[48];
};

struct names {
    struct name *name;
    size_t count;
    size_t others;
};

static bool parse_name(const char *text, char letter, struct name *out)
{
    char *end;
    if (*text != letter || !isdigit((unsigned char)text[1]) || strlen(text) >= sizeof out->text)
        return false;
    *out = (struct name){.number = strtoull(text + 1, &end, 10)};
    if (*end == '.' && isdigit((unsigned char)end[1]))
        out->suffix = strtoull(end + 1, &end, 10);
    strcpy(out->text, text);
    return *end == '\0' && out->number <= UINT32_MAX;
}

static int compare_names(const void *a, const void *b)
{
    const struct name *x = a;
    const struct name *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->suffix > y->suffix) - (x->suffix < y->suffix);
}

/* The names of that kind in a directory, in the order of their numbers. */
static enum kt_status list_names(const char *path, char letter, struct names *out, struct kt_error *error)
{
    *out = (struct names){0};
    DIR *directory = opendir(path);
    if (!directory)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be read: %s", path, strerror(errno));
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        struct name name;
        if (!parse_name(entry->d_name, letter, &name)) {
            out->others += entry->d_name[0] != '.';
            continue;
        }
        out->name = kt_room_for_one(out->name, out->count, sizeof *out->name);
        out->name[out->count++] = name;
    }
    closedir(directory);
    if (out->count)
        qsort(out->name, out->count, sizeof *out->name, compare_names);
    return KT_OK;
}

static char *join(const char *directory, const char *name)
{
    char *path = kt_resize(NULL, strlen(directory) + strlen(name) + 2, 1);
    sprintf(path, "%s/%s", directory, name);
    return path;
}

static bool exists(const char *directory, const char *name)
{
    char *path = join(directory, name);
    bool found = access(path, F_OK) == 0;
    free(path);
    return found;
}

/* --- meta -------------------------------------------------------------------------------------------------- */

static void add_meta(struct kt_process *p, char *line)
{
    char *field[2];
    if (kt_lines_split(line, field, 2) != 2)
        return;
    p->meta = kt_room_for_one(p->meta, p->metas, sizeof *p->meta);
    p->meta[p->metas++] = (struct kt_pair){kt_copy(field[0]), kt_copy(kt_unescape(field[1]))};
}

const char *kt_meta(const struct kt_process *process, const char *key)
{
    for (size_t i = 0; i < process->metas; i++)
        if (!strcmp(process->meta[i].key, key))
            return process->meta[i].value;
    return NULL;
}

static double meta_number(const struct kt_process *p, const char *key)
{
    const char *value = kt_meta(p, key);
    double number = value ? strtod(value, NULL) : 0;
    return isfinite(number) && number > 0 ? number : 0;
}

/* What everything else hangs on. The format comes first: of another version nothing more may be assumed. */
static enum kt_status check_meta(const struct kt_process *p, struct kt_error *error)
{
    static const char *const needed[] = {"pid", "byte_order", "clock", "anchor"};
    int major;
    const char *format = kt_meta(p, "format");
    if (!format || sscanf(format, "ktrace\t%d", &major) != 1)
        return kt_fail(error, KT_BAD_INPUT, "%s/meta: is empty, cut short or not from ktrace: it has no format line",
                       p->path);
    if (major != KT_FORMAT_MAJOR)
        return kt_fail(error, KT_BAD_INPUT, "%s/meta: format version %d; this ktrace reads version %d", p->path, major,
                       KT_FORMAT_MAJOR);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!kt_meta(p, needed[i]))
            return kt_fail(error, KT_BAD_INPUT, "%s/meta: is cut short or damaged: the %s line is missing", p->path,
                           needed[i]);
    if (strcmp(kt_meta(p, "byte_order"), "little") != 0)
        return kt_fail(error, KT_BAD_INPUT, "%s/meta: byte order %.32s; this ktrace reads little-endian traces",
                       p->path, kt_meta(p, "byte_order"));
    struct kt_anchor anchor;
    if (!kt_anchor_parse(kt_meta(p, "anchor"), &anchor))
        return kt_fail(error, KT_BAD_INPUT, "%s/meta: the anchor line does not hold three numbers", p->path);
    return KT_OK;
}

static enum kt_status read_meta(struct kt_process *p, struct kt_trace *trace, struct kt_error *error)
{
    struct kt_lines lines;
    char *path = join(p->path, "meta");
    enum kt_status status = kt_lines_load(path, &lines, error);
    free(path);
    if (status != KT_OK)
        return status;
    trace->bytes += lines.bytes;
    for (char *line = kt_lines_next(&lines); line; line = kt_lines_next(&lines))
        add_meta(p, line);
    kt_lines_free(&lines);
    KT_TRY(check_meta(p, error));
    p->pid = (uint32_t)meta_number(p, "pid");
    p->clock_ticks = meta_number(p, "clock_ticks");
    return KT_OK;
}

/* --- end --------------------------------------------------------------------------------------------------- */

struct totals {
    uint64_t calls;
    uint64_t lost[KT_LOSS_COUNT];
    struct kt_anchor anchor;
    bool has_anchor;
};

static void take_loss(struct totals *totals, const char *text)
{
    for (int cause = 0; cause < KT_LOSS_COUNT; cause++) {
        size_t length = strlen(kt_loss_name(cause));
        if (!strncmp(text, kt_loss_name(cause), length) && text[length] == '\t')
            totals->lost[cause] = strtoull(text + length + 1, NULL, 10);
    }
}

static void take_end_line(struct totals *totals, char *line)
{
    char *field[2];
    if (kt_lines_split(line, field, 2) != 2)
        return;
    if (!strcmp(field[0], "calls"))
        totals->calls = strtoull(field[1], NULL, 10);
    if (!strcmp(field[0], "lost"))
        take_loss(totals, field[1]);
    if (!strcmp(field[0], "anchor"))
        totals->has_anchor = kt_anchor_parse(field[1], &totals->anchor);
}

/* Only a process that ended cleanly has this file. */
static enum kt_status read_end(struct kt_process *p, struct kt_trace *trace, struct totals *totals,
                               struct kt_error *error)
{
    struct kt_lines lines;
    char *path = join(p->path, "end");
    *totals = (struct totals){0};
    enum kt_status status = kt_lines_load(path, &lines, error);
    if (status == KT_OK) {
        trace->bytes += lines.bytes;
        for (char *line = kt_lines_next(&lines); line; line = kt_lines_next(&lines))
            take_end_line(totals, line);
        if (!totals->has_anchor)
            kt_trace_note(trace, "%s: is empty or cut short", path);
        kt_lines_free(&lines);
    }
    free(path);
    return status;
}

/* --- processes --------------------------------------------------------------------------------------------- */

static enum kt_status load_streams(struct kt_process *p, struct kt_trace *trace, struct kt_error *error)
{
    struct names names;
    KT_TRY(list_names(p->path, 't', &names, error));
    enum kt_status status = KT_OK;
    p->stream = kt_resize(NULL, names.count, sizeof *p->stream);
    for (size_t i = 0; i < names.count && status == KT_OK; i++) {
        char *path = join(p->path, names.name[i].text);
        struct kt_stream *stream = &p->stream[p->streams++];
        status = kt_stream_load(path, p->running, stream, error);
        stream->tid = (uint32_t)names.name[i].number;
        trace->bytes += stream->size;
        free(path);
    }
    free(names.name);
    return status;
}

static void check_streams(struct kt_process *p, struct kt_trace *trace)
{
    for (size_t i = 0; i < p->streams; i++)
        kt_stream_check(&p->stream[i], p, trace);
}

/* Losses: a chunk's head counts those of its thread, the end file those of the process. */
static void set_totals(struct kt_process *p, const struct totals *totals, struct kt_trace *trace)
{
    uint64_t completed = 0;
    for (size_t i = 0; i < p->streams; i++) {
        completed += p->stream[i].completed;
        for (int cause = 0; cause < KT_LOSS_COUNT; cause++)
            p->lost[cause] += p->stream[i].lost[cause];
    }
    for (int cause = 0; cause < KT_LOSS_COUNT; cause++)
        if (totals->lost[cause] > p->lost[cause])
            p->lost[cause] = totals->lost[cause];
    if (totals->calls > completed)
        kt_trace_note(trace, "%s: %" PRIu64 " of %" PRIu64 " calls cannot be read", p->path, totals->calls - completed,
                      totals->calls);
}

static enum kt_status read_definitions(struct kt_process *p, struct kt_trace *trace, struct kt_error *error)
{
    char *path = join(p->path, "definitions");
    enum kt_status status = kt_definitions_read(path, p, trace, error);
    free(path);
    return status;
}

/* A running process defines symbols before it records calls of them: its streams are copied first. */
static enum kt_status open_process(struct kt_process *p, struct kt_trace *trace, struct kt_error *error)
{
    struct totals totals = {0};
    KT_TRY(read_meta(p, trace, error));
    p->complete = exists(p->path, "end");
    p->running = !p->complete && kt_process_is_running(p);
    if (p->complete)
        KT_TRY(read_end(p, trace, &totals, error));
    KT_TRY(load_streams(p, trace, error));
    KT_TRY(read_definitions(p, trace, error));
    check_streams(p, trace);
    set_totals(p, &totals, trace);
    kt_process_set_clock(p, totals.has_anchor ? &totals.anchor : NULL, trace);
    return KT_OK;
}

static void close_process(struct kt_process *p)
{
    for (size_t i = 0; i < p->metas; i++) {
        free(p->meta[i].key);
        free(p->meta[i].value);
    }
    for (size_t i = 0; i < p->streams; i++)
        kt_stream_free(&p->stream[i]);
    kt_definitions_free(p);
    free(p->path);
    free(p->meta);
    free(p->stream);
}

/* Takes ownership of PATH. An unusable process is noted; what the system refuses is an error at once. */
static enum kt_status add_process(struct kt_trace *trace, char *path, struct kt_error *error)
{
    struct kt_error cause = {0};
    struct kt_process p = {.path = path};
    trace->process = kt_room_for_one(trace->process, trace->processes, sizeof *trace->process);
    enum kt_status status = open_process(&p, trace, &cause);
    if (status == KT_OK) {
        trace->process[trace->processes++] = p;
        return KT_OK;
    }
    close_process(&p);
    kt_fail(error, status, "%s", cause.text);
    kt_trace_note(trace, "%s; the process is ignored", cause.text);
    return status == KT_SYSTEM ? KT_SYSTEM : KT_OK;
}

/* --- traces ------------------------------------------------------------------------------------------------ */

static enum kt_status check_path(const char *path, struct kt_error *error)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        enum kt_status status = errno == ENOENT || errno == ENOTDIR ? KT_BAD_INPUT : KT_SYSTEM;
        return kt_fail(error, status, "%s: %s", path, strerror(errno));
    }
    if (!S_ISDIR(st.st_mode))
        return kt_fail(error, KT_BAD_INPUT, "%s: not a trace: a trace is a directory", path);
    return KT_OK;
}

static enum kt_status no_process(const char *path, const struct names *names, struct kt_error *error)
{
    if (names->others == 0)
        return kt_fail(error, KT_BAD_INPUT, "%s: empty: no process has recorded a call here", path);
    return kt_fail(error, KT_BAD_INPUT, "%s: not a trace: there is no process directory p<PID> in it", path);
}

static enum kt_status open_processes(struct kt_trace *trace, struct kt_error *error)
{
    struct names names;
    struct kt_error first = {0};
    KT_TRY(list_names(trace->path, 'p', &names, error));
    enum kt_status status = names.count ? KT_OK : no_process(trace->path, &names, error);
    for (size_t i = 0; i < names.count && status == KT_OK; i++)
        status = add_process(trace, join(trace->path, names.name[i].text), &first);
    free(names.name);
    if (status == KT_SYSTEM || (status == KT_OK && trace->processes == 0))
        return kt_fail(error, first.status, "%s", first.text);
    return status;
}

enum kt_status kt_trace_open(const char *path, struct kt_trace *out, struct kt_error *error)
{
    *out = (struct kt_trace){.path = kt_copy(path)};
    size_t length = strlen(out->path);
    while (length > 1 && out->path[length - 1] == '/')
        out->path[--length] = '\0';
    KT_TRY(check_path(out->path, error));
    if (!exists(out->path, "meta"))
        return open_processes(out, error);
    struct kt_error cause = {0};
    add_process(out, kt_copy(out->path), &cause);
    return out->processes ? KT_OK : kt_fail(error, cause.status, "%s", cause.text);
}

void kt_trace_close(struct kt_trace *trace)
{
    for (size_t i = 0; i < trace->processes; i++)
        close_process(&trace->process[i]);
    for (size_t i = 0; i < trace->notes; i++)
        free(trace->note[i]);
    free(trace->process);
    free(trace->note);
    free(trace->path);
    *trace = (struct kt_trace){0};
}

/* Where files were loaded one after the other at the same place, the last one counts. */
const struct kt_object *kt_object_at(const struct kt_process *process, uint64_t address)
{
    for (size_t i = process->objects; i-- > 0;)
        if (address >= process->object[i].lo && address < process->object[i].hi)
            return &process->object[i];
    return NULL;
}
