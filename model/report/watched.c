/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/watched.h"

#include "trace/base/memory.h"
#include "trace/command/field_text.h"
#include "trace/print/screen.h"
#include "trace/print/text.h"
#include "trace/read/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a look -------------------------------------------------------------------------------------------------- */

static const struct kt_watched_row *find(const struct kt_watched_rows *rows, const char *name)
{
    for (size_t i = 0; rows && i < rows->count; i++)
        if (!strcmp(rows->row[i].name, name))
            return &rows->row[i];
    return NULL;
}

/* Of one name there may be several: they are added. So are those that are the same as far as they are shown. */
static void add(struct kt_watched_rows *rows, const char *name, uint64_t calls, double seconds, double flops)
{
    struct kt_watched_row added = {.calls = 0};
    snprintf(added.name, sizeof added.name, "%s", name);
    kt_text_clean(added.name);
    struct kt_watched_row *row = (struct kt_watched_row *)find(rows, added.name);
    if (!row) {
        rows->row = kt_room_for_one(rows->row, rows->count, sizeof *rows->row);
        row = &rows->row[rows->count++];
        *row = added;
    }
    row->all_calls += calls;
    row->all_seconds += seconds;
    row->all_flops += flops;
}

/* Estimates may become smaller from one look to the next. */
static void subtract(struct kt_watched_row *row, const struct kt_watched_row *before)
{
    static const struct kt_watched_row none;
    const struct kt_watched_row *old = before ? before : &none;
    row->calls = row->all_calls > old->all_calls ? row->all_calls - old->all_calls : 0;
    row->seconds = fmax(row->all_seconds - old->all_seconds, 0);
    row->flops = row->all_flops - old->all_flops;
}

static int compare(const void *x, const void *y)
{
    const struct kt_watched_row *a = x;
    const struct kt_watched_row *b = y;
    if (a->seconds != b->seconds)
        return a->seconds < b->seconds ? 1 : -1;
    return a->all_seconds < b->all_seconds ? 1 : a->all_seconds > b->all_seconds ? -1 : strcmp(a->name, b->name);
}

static void finish(struct kt_watched_rows *rows, const struct kt_watched_rows *before)
{
    for (size_t i = 0; i < rows->count; i++)
        subtract(&rows->row[i], find(before, rows->row[i].name));
    if (rows->count)
        qsort(rows->row, rows->count, sizeof *rows->row, compare);
}

static void count_processes(const struct kt_trace *trace, struct kt_watched *out)
{
    for (size_t i = 0; i < trace->processes; i++) {
        const struct kt_process *process = &trace->process[i];
        out->running += process->running;
        out->paused += process->paused;
        if (process->paused && out->paused == 1)
            out->paused_pid = process->pid;
    }
}

void kt_watched_look(const struct kt_report *report, double now, const struct kt_watched *before,
                     struct kt_watched *out)
{
    const struct kt_shapes *shapes = &report->groups;
    *out = (struct kt_watched){.at = now, .all_wall = report->summary.seconds};
    count_processes(&report->trace, out);
    out->is_running = out->running > 0;
    out->wall = before->at > 0 && out->is_running ? now - before->at : fmax(out->all_wall - before->all_wall, 0);
    for (size_t i = 0; i < shapes->count; i++) {
        const struct kt_shape_group *shape = &shapes->shape[i];
        double flops = shape->query ? 0 : shape->flops * (double)shape->calls;
        add(&out->routines, shape->first.entry->symbol.routine->name, shape->calls, shape->total, flops);
        out->all.all_calls += shape->calls;
        out->all.all_seconds += shape->total;
        out->all.all_flops += isnan(flops) ? 0 : flops;
    }
    for (size_t i = 0; i < report->lines; i++) {
        char name[512];
        kt_place_text(report->line[i].place, name, sizeof name);
        add(&out->lines, name, report->line[i].calls, report->line[i].seconds, NAN);
    }
    subtract(&out->all, &before->all);
    finish(&out->routines, &before->routines);
    finish(&out->lines, &before->lines);
}

void kt_watched_free(struct kt_watched *watched)
{
    free(watched->routines.row);
    free(watched->lines.row);
    *watched = (struct kt_watched){0};
}

/* --- as rows ------------------------------------------------------------------------------------------------- */

static const struct kt_watched *watched_of(const struct kt_at *at)
{
    return at->from;
}

static const struct kt_watched_row *row_of(const struct kt_at *at)
{
    return at->object;
}

static json_t *share(const struct kt_at *at)
{
    double wall = watched_of(at)->wall;
    return kt_json_number(wall > 0 ? row_of(at)->seconds / wall : NAN);
}

static json_t *gflops(const struct kt_at *at)
{
    return kt_json_number(kt_gflops(row_of(at)->flops, row_of(at)->seconds));
}

static json_t *name(const struct kt_at *at)
{
    return kt_json_text(row_of(at)->name);
}

#define ROW(member) KT_AT(struct kt_watched_row, member)
static const struct kt_field sum_fields[] = {
    {"calls", KT_AS_COUNT, .meaning = "outermost calls since the look before", ROW(calls), .head = "calls"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "their time, threads added", ROW(seconds), .head = "time"},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = "that over the wall time since then; of threads it may be above 1",
     .get = share, .head = "of wall"},
    {"gflops", KT_AS_NUMBER, KT_NULL | KT_IF_ANY, .unit = "Gflop/s",
     .meaning = "operations a second of that time; null: not known", .get = gflops, .head = "Gflop/s"},
    {"all_calls", KT_AS_COUNT, .meaning = "calls since the program began", ROW(all_calls)},
    {"all_seconds", KT_AS_SECONDS, KT_NULL, .meaning = "their time", ROW(all_seconds), .head = "time in all"},
    {0}};

static const struct kt_field routine_fields[] = {
    {"routine", KT_AS_TEXT, .meaning = "routine", .get = name, .head = "routine"}, KT_FIELDS(sum_fields), {0}};
static const struct kt_field line_fields[] = {
    {"line", KT_AS_TEXT, KT_SHRINK, .meaning = "line of the program, or function", .get = name, .head = "line"},
    KT_FIELDS(sum_fields),
    {0}};

static size_t routines(const struct kt_at *at)
{
    return watched_of(at)->routines.count;
}

static const void *routine(const struct kt_at *at, size_t row)
{
    return &watched_of(at)->routines.row[row];
}

static size_t lines(const struct kt_at *at)
{
    return watched_of(at)->lines.count;
}

static const void *line(const struct kt_at *at, size_t row)
{
    return &watched_of(at)->lines.row[row];
}

static const struct kt_field routine_list[] = {{"routines", KT_AS_RECORD, KT_MANY, .meaning = "most time first",
                                                .of = routine_fields, .count = routines, .row = routine},
                                               {0}};
static const struct kt_field line_list[] = {
    {"lines", KT_AS_RECORD, KT_MANY, .meaning = "most time first", .of = line_fields, .count = lines, .row = line},
    {0}};

static json_t *all(const struct kt_at *at)
{
    const struct kt_at sum = {at->from, &watched_of(at)->all, 0};
    return kt_field_object(sum_fields, &sum);
}

static const struct kt_field watch_fields[] = {
    {"running", KT_AS_FLAG, .meaning = "the program had not ended", KT_AT(struct kt_watched, is_running)},
    {"paused", KT_AS_COUNT, .meaning = "processes that run, but whose recording is paused: their calls are not here",
     KT_AT(struct kt_watched, paused)},
    {"seconds_wall", KT_AS_SECONDS, KT_NULL, .meaning = "since the look before, or since the program began",
     KT_AT(struct kt_watched, wall)},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "since the program began", KT_AT(struct kt_watched, all_wall)},
    {"all", KT_AS_RECORD, .meaning = "all routines", .get = all, .of = sum_fields},
    KT_FIELDS(routine_list),
    KT_FIELDS(line_list),
    {0}};

const struct kt_document kt_document_watch = {
    .verb = "watch", .what = "a line of ktrace watch --json", .version = 1, .is_line = true, .field = watch_fields};

json_t *kt_watched_json(const struct kt_watched *watched)
{
    return kt_field_object(watch_fields, &(struct kt_at){watched, watched, 0});
}

/* Otherwise it seems to make no calls. */
static void print_paused(const struct kt_watched *watched)
{
    char whose[64] = "";
    if (watched->paused < watched->running)
        snprintf(whose, sizeof whose, " of %zu of %s", watched->paused, KT_COUNT(watched->running, "process"));
    if (watched->paused)
        kt_screen_line("recording%s is paused; 'ktrace control %u resume' goes on", whose, watched->paused_pid);
}

void kt_watched_print(const struct kt_watched *watched, const char *path, size_t top)
{
    char text[4][24];
    const struct kt_watched_row *all = &watched->all;
    double rate = kt_gflops(all->flops, all->seconds);
    kt_screen_line("%s: %s, %s", path, watched->is_running ? "running" : "ended",
                   kt_text_seconds(watched->all_wall, text[0]));
    print_paused(watched);
    kt_field_number(rate, "n/a", text[3], sizeof text[3]);
    kt_screen_line("in the last %s: %s, %s of wall time, %s Gflop/s", kt_text_seconds(watched->wall, text[0]),
                   KT_COUNT(all->calls, "call"),
                   kt_screen_percent(watched->wall > 0 ? all->seconds / watched->wall : NAN, text[2]), text[3]);
    printf("\n");
    kt_field_print(routine_list, watched, top, 0);
    printf("\n");
    kt_field_print(line_list, watched, top, 0);
    fflush(stdout);
}
