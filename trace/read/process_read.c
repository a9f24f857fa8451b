/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the meta and end files of a process, has its definitions read (trace/read/definitions.c), its streams checked
 * (trace/read/stream.c, trace/read/profile_file.c) and its clock worked out (trace/read/origin.c).
 */
#include "trace/read/process_read.h"

#include "trace/base/count.h"
#include "trace/read/definitions.h"
#include "trace/base/lines.h"
#include "trace/base/memory.h"
#include "trace/files/numbered.h"
#include "trace/read/origin.h"
#include "trace/read/profile_file.h"
#include "trace/read/regions.h"
#include "trace/read/state.h"
#include "trace/read/stream.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const char *const price_key[] = {
#define KT_PRICE_KEY(name, text) text,
    KT_PRICES(KT_PRICE_KEY)
#undef KT_PRICE_KEY
};

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

/* What stands for more than it holds must be understood wholly. */
static enum kt_status read_workload(struct kt_process *p, struct kt_error *error)
{
    unsigned version;
    const char *line = kt_meta(p, "workload");
    if (!line)
        return KT_OK;
    if (sscanf(line, "%u\t%u", &version, &p->workload) != 2 || !version || !p->workload)
        return kt_fail(error, KT_BAD_INPUT, "%s/meta: the workload line does not hold two numbers", p->path);
    if (version > KT_WORKLOAD_VERSION)
        return kt_fail(error, KT_BAD_INPUT, "%s/meta: workload version %u; this ktrace reads version %d", p->path,
                       version, KT_WORKLOAD_VERSION);
    return KT_OK;
}

/* A word that a later version adds can only mean some of them: then the events tell. */
static enum kt_nested_mode nested_mode_of(const struct kt_process *p)
{
    const char *word = kt_process_option(p, "NESTED");
    if (!word || !strcmp(word, "all"))
        return KT_NESTED_ALL;
    return strcmp(word, "none") ? KT_NESTED_SAMPLE : KT_NESTED_NONE;
}

static enum kt_status read_meta(struct kt_process *p, struct kt_trace *trace, struct kt_error *error)
{
    struct kt_lines lines;
    char *path = kt_path_join(p->path, "meta");
    enum kt_status status = kt_files_lines(p->files, path, &lines, error);
    free(path);
    if (status != KT_OK)
        return status;
    trace->bytes += lines.bytes;
    for (char *line = kt_lines_next(&lines); line; line = kt_lines_next(&lines))
        add_meta(p, line);
    kt_lines_free(&lines);
    KT_TRY(check_meta(p, error));
    KT_TRY(read_workload(p, error));
    p->pid = (uint32_t)strtoull(kt_meta(p, "pid"), NULL, 10);
    p->clock_ticks = meta_number(p, "clock_ticks");
    p->self_ticks = meta_number(p, "self_ticks");
    for (int i = 0; i < KT_PRICE_COUNT; i++)
        p->price[i] = meta_number(p, price_key[i]);
    p->nested_mode = nested_mode_of(p);
    return KT_OK;
}

/* --- end --------------------------------------------------------------------------------------------------- */

struct totals {
    uint64_t calls;
    uint64_t skipped, passed, snapshots_missing;
    uint64_t room_ticks; /* that making room for events took */
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
    if (!strcmp(field[0], "skipped"))
        totals->skipped = strtoull(field[1], NULL, 10);
    if (!strcmp(field[0], "passed"))
        totals->passed = strtoull(field[1], NULL, 10);
    if (!strcmp(field[0], "room_ticks"))
        totals->room_ticks = strtoull(field[1], NULL, 10);
    if (!strcmp(field[0], "snapshots_missing"))
        totals->snapshots_missing = strtoull(field[1], NULL, 10);
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
    char *path = kt_path_join(p->path, "end");
    *totals = (struct totals){0};
    enum kt_status status = kt_files_lines(p->files, path, &lines, error);
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

/* LETTER: t for streams of events, s for profiles. */
static enum kt_status load_streams(struct kt_process *p, char letter, struct kt_trace *trace, struct kt_error *error)
{
    struct kt_numbered names;
    KT_TRY(kt_numbered_list(p->files, p->path, letter, &names, error));
    enum kt_status status = KT_OK;
    bool may_be_written = p->running || kt_process_may_run_elsewhere(p);
    p->stream = kt_resize(p->stream, p->streams + names.count, sizeof *p->stream);
    for (size_t i = 0; i < names.count && status == KT_OK; i++) {
        char *path = kt_path_join(p->path, names.name[i].text);
        struct kt_stream *stream = &p->stream[p->streams++];
        status = kt_stream_load(p->files, path, may_be_written, stream, error);
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
        if (i < p->events)
            kt_stream_check(&p->stream[i], p, trace);
        else
            kt_profile_check(&p->stream[i], p, trace);
}

static uint64_t span_bytes(const struct kt_stream *stream)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < stream->spans; i++)
        bytes += stream->span[i].end - stream->span[i].begin;
    return bytes;
}

/* Of threads without a stream. The end file has them, too. */
static void read_control(struct kt_process *p, struct kt_trace *trace)
{
    struct kt_control control;
    char *path = kt_path_join(p->path, "control");
    bool found = kt_files_head(p->files, path, &control, sizeof control);
    trace->bytes += found ? sizeof control : 0;
    if (found && !memcmp(control.magic, KT_CONTROL_MAGIC, sizeof control.magic)) {
        p->skipped += control.skipped;
        p->paused = p->running && control.paused;
        for (int cause = 0; cause < KT_LOSS_COUNT; cause++)
            p->lost[cause] += control.lost[cause];
    }
    free(path);
}

/* Cells do not tell what was passed on in calls that have not returned, nor in calls without a shape. */
static bool may_hide_passed(const struct kt_process *p)
{
    for (size_t i = 0; i < p->streams; i++) {
        const struct kt_profile *profile = p->stream[i].profile;
        for (size_t j = 0; profile && j < profile->cells; j++) {
            struct kt_profile_cell cell = kt_profile_cell(&p->stream[i], j);
            if (kt_profile_hides_passed(&cell))
                return true;
        }
    }
    return false;
}

/* The streams say as much as the end file, unless the last chunk of one is missing. */
static void set_passed(struct kt_process *p, const struct totals *totals, struct kt_trace *trace)
{
    if (totals->passed <= p->passed)
        return;
    if (may_hide_passed(p)) {
        p->passed = totals->passed;
        return;
    }
    kt_trace_note(trace, "%s: the streams tell of %" PRIu64 " of %s that %s passed on", p->path, p->passed,
                  KT_COUNT(totals->passed, "nested call"), kt_count_word((double)totals->passed, "was", "were"));
    p->passed = totals->passed;
}

/* Losses: a chunk's head counts those of its thread, the end file those of the process. */
static void set_totals(struct kt_process *p, const struct totals *totals, struct kt_trace *trace)
{
    uint64_t completed = 0;
    for (size_t i = 0; i < p->streams; i++) {
        completed += p->stream[i].completed;
        p->calls += p->stream[i].calls;
        p->event_bytes += span_bytes(&p->stream[i]);
        p->skipped += p->stream[i].skipped;
        p->passed += p->stream[i].passed;
        for (int cause = 0; cause < KT_LOSS_COUNT; cause++)
            p->lost[cause] += p->stream[i].lost[cause];
    }
    read_control(p, trace);
    p->snapshots_missing = totals->snapshots_missing;
    if (totals->skipped > p->skipped)
        p->skipped = totals->skipped;
    for (int cause = 0; cause < KT_LOSS_COUNT; cause++)
        if (totals->lost[cause] > p->lost[cause])
            p->lost[cause] = totals->lost[cause];
    if (totals->calls > completed)
        kt_trace_note(trace, "%s: %" PRIu64 " of %s cannot be read", p->path, totals->calls - completed,
                      KT_COUNT(totals->calls, "call"));
    set_passed(p, totals, trace);
}

/* What the calls that there are took, by their kinds, and what room for them took, as far as the end file tells. */
static void set_self_ticks(struct kt_process *p, const struct totals *totals)
{
    double ticks = (double)totals->room_ticks;
    uint64_t calls = 0;
    for (size_t i = 0; i < p->events; i++)
        for (int kind = 0; kind < KT_PRICE_COUNT; kind++) {
            ticks += (double)p->stream[i].costing[kind] * p->price[kind];
            calls += p->stream[i].costing[kind];
        }
    if (calls && p->price[KT_PRICE_COMPILED] > 0)
        p->self_ticks = ticks / (double)calls;
}

static enum kt_status read_definitions(struct kt_process *p, struct kt_trace *trace, struct kt_error *error)
{
    char *path = kt_path_join(p->path, "definitions");
    enum kt_status status = kt_definitions_read(path, p, trace, error);
    free(path);
    return status;
}

/* A running process defines symbols before it records calls of them: its streams are copied first. */
enum kt_status kt_process_read(struct kt_process *p, struct kt_trace *trace, struct kt_error *error)
{
    struct totals totals = {0};
    KT_TRY(read_meta(p, trace, error));
    p->complete = kt_is_in(p->files, p->path, "end");
    p->running = !p->complete && !kt_files_are_packed(p->files) && kt_process_is_running(p);
    if (p->complete)
        KT_TRY(read_end(p, trace, &totals, error));
    KT_TRY(load_streams(p, 't', trace, error));
    p->events = p->streams;
    KT_TRY(load_streams(p, 's', trace, error));
    KT_TRY(read_definitions(p, trace, error));
    p->regions = kt_regions_new();
    p->last_ticks = totals.has_anchor ? totals.anchor.ticks : 0;
    check_streams(p, trace);
    set_totals(p, &totals, trace);
    set_self_ticks(p, &totals);
    kt_process_set_clock(p, totals.has_anchor ? &totals.anchor : NULL, trace);
    return KT_OK;
}

void kt_process_free(struct kt_process *p)
{
    for (size_t i = 0; i < p->metas; i++) {
        free(p->meta[i].key);
        free(p->meta[i].value);
    }
    for (size_t i = 0; i < p->streams; i++)
        kt_stream_free(&p->stream[i]);
    kt_definitions_free(p);
    kt_regions_free(p->regions);
    free(p->path);
    free(p->meta);
    free(p->stream);
}
