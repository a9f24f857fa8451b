/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many single calls and how many shapes fit is found by writing the file: it is compressed.
 */
#include "replay/distill/distill.h"

#include "replay/distill/canonical.h"
#include "replay/distill/fit.h"
#include "replay/distill/remainder.h"
#include "replay/distill/window_events.h"
#include "replay/sequence/recorded.h"
#include "replay/sequence/recorded_walk.h"
#include "trace/base/memory.h"
#include "trace/files/archive.h"
#include "trace/read/profile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* As in a trace of a program that began long after its machine did. */
#define FIRST_TICKS (UINT64_C(1) << 40)
#define FIRST_NS    UINT64_C(1000000000000)

enum { MOST_WINDOWED = 1 << 16 };

/* All calls of one of the trace's threads. */
struct thread {
    const struct kt_process *process;
    uint32_t tid;
    uint64_t calls, ticks;
};

struct distilling {
    const struct kt_trace *trace;
    const struct kt_process *process; /* that windows are of */
    struct kt_shapes shapes;
    struct kt_state state;
    struct kt_workload_names names;
    struct kt_workload_clock clock;
    struct kt_tally *all;       /* by shape; owned */
    struct kt_tally *shapeless; /* by entry of the workload: counted by routine in the trace itself; owned */
    struct thread *thread;      /* owned */
    size_t threads;
    struct kt_distill_options options;
    /* of one try */
    size_t windowed, kept; /* at most */
    struct kt_recording recording;
    struct kt_canonical canonical;
    struct kt_window_streams windows;
    struct kt_tally *single; /* by shape: calls of the windows; owned */
    struct kt_remainder remainder;
    uint64_t nameless; /* calls of symbols that the trace does not define: no part of it */
    struct kt_distilled result;
};

/* --- the whole trace ------------------------------------------------------------------------------------------- */

static uint64_t ticks_of(const struct distilling *d, double seconds)
{
    return (uint64_t)llround(seconds * d->process->tick_hz);
}

static uint16_t entry_of(const struct distilling *d, const struct kt_call *call)
{
    return d->names.id[call->process->number][call->entry - call->process->entry];
}

static uint64_t inner_calls(const struct kt_call *call)
{
    return call->passed + call->nested;
}

/* Threads come one after the other. */
static struct thread *thread_of(struct distilling *d, const struct kt_call *call)
{
    for (size_t i = d->threads; i-- > 0;)
        if (d->thread[i].tid == call->tid && d->thread[i].process == call->process)
            return &d->thread[i];
    d->thread = kt_room_for_one(d->thread, d->threads, sizeof *d->thread);
    d->thread[d->threads] = (struct thread){.process = call->process, .tid = call->tid};
    return &d->thread[d->threads++];
}

static void tally_calls(struct distilling *d)
{
    struct kt_cursor cursor;
    struct kt_call call;
    struct kt_collection *collection = kt_collection_of(d->trace, &d->shapes);
    kt_cursor_begin(d->trace, &cursor);
    while (kt_cursor_next(&cursor, &call)) {
        if (call.depth > 0 || !call.complete)
            continue;
        size_t shape = kt_collection_number(collection, &call);
        if (shape >= d->shapes.count)
            continue;
        uint64_t ticks = ticks_of(d, kt_shape_call_seconds(&d->shapes.shape[shape], &call));
        struct thread *thread = thread_of(d, &call);
        kt_tally_add(&d->all[shape], ticks, 1);
        d->all[shape].passed += inner_calls(&call);
        thread->calls += entry_of(d, &call) > 0;
        thread->ticks += entry_of(d, &call) ? ticks : 0;
    }
    struct kt_shapes ignored;
    kt_collection_finish(collection, &ignored);
    kt_shapes_free(&ignored);
}

struct counted {
    const struct distilling *d;
    struct kt_tally *tally;
};

static void tally_range(void *counted, double from, double to, uint64_t n)
{
    const struct counted *c = counted;
    kt_tally_add(c->tally, ticks_of(c->d, (from + to) / 2), n);
}

/* Their durations are known as the histogram tells them, their sum is known. */
static void tally_cell(const struct distilling *d, const struct kt_counts *counts, struct kt_tally *tally)
{
    struct counted counted = {d, tally};
    uint64_t calls = tally->calls + counts->calls;
    uint64_t ticks = tally->ticks + ticks_of(d, counts->seconds);
    kt_counts_durations(counts, tally_range, &counted);
    if (tally->calls < calls)
        kt_tally_add(tally, ticks_of(d, counts->seconds / (double)counts->calls), calls - tally->calls);
    tally->ticks = ticks;
    tally->passed += counts->nest ? 1 : 0;
}

/* Calls that a trace has counted already. */
static void tally_counts(struct distilling *d)
{
    struct kt_counts_cursor cursor;
    struct kt_counts counts;
    struct kt_collection *collection = kt_collection_of(d->trace, &d->shapes);
    kt_counts_begin(d->trace, &cursor);
    while (kt_counts_next(&cursor, &counts)) {
        size_t shape = counts.call.args ? kt_collection_number(collection, &counts.call) : SIZE_MAX;
        struct kt_tally *tally = shape < d->shapes.count ? &d->all[shape] : &d->shapeless[entry_of(d, &counts.call)];
        if (counts.nesting != KT_NOT_NESTED || !counts.calls)
            continue;
        tally_cell(d, &counts, tally);
    }
    struct kt_shapes ignored;
    kt_collection_finish(collection, &ignored);
    kt_shapes_free(&ignored);
}

static void set_clock(struct distilling *d)
{
    const struct kt_process *p = d->process;
    uint64_t span = p->last_ticks > p->first_ticks ? p->last_ticks - p->first_ticks : 0;
    uint64_t ns = (uint64_t)llround((double)span * p->tick_seconds * 1e9);
    d->clock.first = (struct kt_anchor){FIRST_TICKS, FIRST_NS, FIRST_NS};
    d->clock.last = (struct kt_anchor){FIRST_TICKS + span, FIRST_NS + ns, FIRST_NS + ns};
    d->clock.before = p->before;
}

static void choose_windows(struct distilling *d)
{
    const struct kt_recording_how how = {.level = KT_OUTERMOST, .gaps = true, .company = true};
    const struct kt_recording_limit limit = {d->windowed, d->options.seconds};
    kt_recording_read(d->trace, &d->shapes, &how, &limit, &d->recording);
}

static void begin(const struct kt_trace *trace, const struct kt_distill_options *options, struct distilling *d)
{
    *d = (struct distilling){.trace = trace, .process = trace->process, .options = *options, .windowed = MOST_WINDOWED};
    kt_shapes_collect(trace, KT_OUTERMOST, &d->shapes);
    choose_windows(d);
    if (d->recording.process)
        d->process = d->recording.process;
    kt_state_find(trace, &d->state);
    kt_workload_names_find(trace, &d->shapes, &d->names);
    set_clock(d);
    d->all = kt_zeros(d->shapes.count, sizeof *d->all);
    for (size_t i = KT_DISTILL_SHAPES; i < d->shapes.count; i++)
        d->all[i].only_sums = true;
    d->shapeless = kt_zeros(d->names.entries + 1, sizeof *d->shapeless);
    tally_calls(d);
    tally_counts(d);
}

/* --- one try --------------------------------------------------------------------------------------------------- */

/* Calls of the windows, one after the other. Zeros: from the first one on. */
struct window_walk {
    struct kt_recorded_walk walk;
    const struct kt_window *window;
    size_t place;
    bool is_open;
};

static bool is_of_windows(const struct kt_recording *r, const struct kt_call *call)
{
    return call->process == r->process && (r->seats || call->tid == r->tid);
}

static bool next_of_windows(const struct distilling *d, struct window_walk *w, struct kt_recorded_found *out)
{
    const struct kt_recording *r = &d->recording;
    const struct kt_window *end = r->window + r->windows;
    if (!w->window) {
        w->window = r->window;
        kt_recorded_walk_begin(d->trace, KT_OUTERMOST, r->seats ? r->process : NULL, &w->walk);
    }
    while (w->window < end && kt_recorded_walk_next(&w->walk, out)) {
        if (!is_of_windows(r, &out->call))
            continue;
        bool is_in = w->place >= w->window->first;
        w->place++;
        w->window += w->place == w->window->end;
        if (is_in && entry_of(d, &out->call))
            return true;
    }
    kt_recorded_walk_end(&w->walk);
    return false;
}

/* All calls that keep their arguments. */
static void place_operands(struct distilling *d)
{
    struct window_walk walk = {0};
    struct kt_recorded_found found;
    while (d->recording.windows && next_of_windows(d, &walk, &found))
        kt_canonical_add(&d->canonical, &found.call);
    for (size_t i = 0; i < d->kept && i < d->shapes.count; i++)
        kt_canonical_add(&d->canonical, &d->shapes.shape[i].usual);
    kt_canonical_settle(&d->canonical);
}

static void add_window_call(struct distilling *d, const struct kt_recorded_found *found, size_t shape)
{
    uint64_t word[KT_CONTEXT_WORDS + 1];
    const struct kt_call *call = &found->call;
    uint64_t ticks = ticks_of(d, kt_shape_call_seconds(&d->shapes.shape[shape], call));
    int64_t info = 0;
    kt_call_info(call, &info);
    const struct kt_window_call event = {.entry = entry_of(d, call),
                                         .word = word,
                                         .words = kt_canonical_words(&d->canonical, call, word),
                                         .start = FIRST_TICKS + (call->start - d->process->first_ticks),
                                         .ticks = ticks,
                                         .info = info,
                                         .faults = call->faults,
                                         .passed = inner_calls(call)};
    kt_window_events_add(&d->windows, call->tid, &d->clock.first, &event);
    kt_tally_add(&d->single[shape], ticks, 1);
    d->single[shape].passed += event.passed;
    d->result.windowed++;
    d->result.windowed_seconds += (double)ticks * d->process->tick_seconds;
}

static void write_windows(struct distilling *d)
{
    struct window_walk walk = {0};
    struct kt_recorded_found found;
    struct kt_collection *collection = kt_collection_of(d->trace, &d->shapes);
    d->single = kt_zeros(d->shapes.count, sizeof *d->single);
    while (d->recording.windows && next_of_windows(d, &walk, &found)) {
        size_t shape = kt_collection_number(collection, &found.call);
        if (shape < d->shapes.count)
            add_window_call(d, &found, shape);
    }
    struct kt_shapes ignored;
    kt_collection_finish(collection, &ignored);
    kt_shapes_free(&ignored);
}

static void join_tally(struct kt_tally *to, const struct kt_tally *from)
{
    if (!from->calls)
        return;
    to->least = to->calls && to->least < from->least ? to->least : from->least;
    to->most = to->most > from->most ? to->most : from->most;
    to->calls += from->calls;
    to->ticks += from->ticks;
}

/* Of most calls of the shape. */
static int64_t info_of(const struct kt_shape_group *shape)
{
    return 2 * shape->failed > shape->calls ? shape->info : 0;
}

/* A call of a shape, if that is worth a cell. */
static size_t words_of(const struct distilling *d, size_t shape, uint64_t *word)
{
    return shape < d->kept ? kt_canonical_words(&d->canonical, &d->shapes.shape[shape].usual, word) : 0;
}

static void write_remainder(struct distilling *d)
{
    uint64_t word[KT_CONTEXT_WORDS + 1];
    struct kt_tally *by_entry = kt_zeros(d->names.entries + 1, sizeof *by_entry);
    kt_remainder_begin(&d->remainder, &d->clock.first, d->state.threads);
    for (size_t i = 0; i < d->shapes.count; i++) {
        uint16_t entry = entry_of(d, &d->shapes.shape[i].first);
        struct kt_tally left = kt_tally_without(&d->all[i], &d->single[i]);
        size_t words = entry ? words_of(d, i, word) : 0;
        if (words)
            kt_remainder_add(&d->remainder, entry, &left, word, words, info_of(&d->shapes.shape[i]));
        else
            join_tally(&by_entry[entry], &left);
        kt_tally_free(&left);
    }
    for (size_t e = 0; e <= d->names.entries; e++) {
        join_tally(&by_entry[e], &d->shapeless[e]);
        d->result.uncounted += by_entry[e].calls;
        d->result.uncounted_seconds += (double)by_entry[e].ticks * d->process->tick_seconds;
        if (e)
            kt_remainder_add(&d->remainder, (uint16_t)e, &by_entry[e], NULL, 0, 0);
    }
    d->nameless = by_entry[0].calls;
    free(by_entry);
}

/* Those that made single calls have the first numbers. */
static void write_threads(struct distilling *d)
{
    uint64_t next = d->windows.count;
    for (size_t i = 0; i < d->threads; i++) {
        const struct thread *thread = &d->thread[i];
        const struct kt_window_stream *stream = NULL;
        uint64_t tid = 0;
        for (size_t k = 0; k < d->windows.count && thread->process == d->recording.process && !stream; k++)
            if (d->windows.stream[k]->tid == thread->tid) {
                stream = d->windows.stream[k];
                tid = k + 1;
            }
        kt_remainder_add_thread(&d->remainder, stream ? tid : ++next, thread->calls - (stream ? stream->calls : 0),
                                thread->ticks - (stream ? stream->ticks : 0));
    }
}

static uint64_t all_passed(const struct distilling *d)
{
    uint64_t passed = 0;
    for (size_t i = 0; i < d->shapes.count; i++)
        passed += i < d->kept ? d->all[i].passed : d->single[i].passed;
    return passed;
}

/* --- the file -------------------------------------------------------------------------------------------------- */

static void add_text(struct kt_archive_writer *writer, const char *name, char *text, struct kt_error *error)
{
    if (error->status == KT_OK)
        kt_archive_add_bytes(writer, name, text, strlen(text), error);
    free(text);
}

static void add_files(const struct distilling *d, struct kt_archive_writer *writer, struct kt_error *error)
{
    char name[64];
    add_text(writer, "workload/p1/meta", kt_workload_meta(d->trace, d->process, &d->clock), error);
    add_text(writer, "workload/p1/definitions", kt_workload_definitions(&d->names), error);
    add_text(writer, "workload/p1/end",
             kt_workload_end(&d->state, &d->clock, d->result.calls - d->nameless, all_passed(d)), error);
    add_text(writer, "workload/README", kt_workload_readme(), error);
    if (error->status == KT_OK)
        kt_archive_add_bytes(writer, "workload/p1/s0", d->remainder.bytes, d->remainder.size, error);
    for (size_t i = 0; i < d->windows.count && error->status == KT_OK; i++) {
        snprintf(name, sizeof name, "workload/p1/t%zu", i + 1);
        kt_archive_add_bytes(writer, name, d->windows.stream[i]->bytes, d->windows.stream[i]->size, error);
    }
}

static enum kt_status write_file(struct distilling *d, int file, const char *path, struct kt_error *error)
{
    struct kt_archive_writer *writer;
    if (ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0)
        return kt_fail(error, KT_SYSTEM, "%s: cannot be written: %s", path, strerror(errno));
    if (kt_archive_begin(file, path, &writer, error) == KT_OK)
        add_files(d, writer, error);
    KT_TRY(kt_archive_end(writer, error));
    d->result.bytes = (uint64_t)lseek(file, 0, SEEK_CUR);
    return KT_OK;
}

static void forget_try(struct distilling *d)
{
    for (size_t i = 0; d->single && i < d->shapes.count; i++)
        kt_tally_free(&d->single[i]);
    free(d->single);
    d->single = NULL;
    kt_recording_free(&d->recording);
    kt_canonical_free(&d->canonical);
    kt_window_events_free(&d->windows);
    kt_remainder_free(&d->remainder);
}

static void sum_up(struct distilling *d)
{
    const double tick = d->process->tick_seconds;
    d->result = (struct kt_distilled){.shapes = d->shapes.count, .kept = d->kept};
    for (size_t i = 0; i < d->shapes.count; i++) {
        d->result.calls += d->all[i].calls;
        d->result.seconds += (double)d->all[i].ticks * tick;
    }
    for (size_t i = 0; i <= d->names.entries; i++) {
        d->result.shapeless += d->shapeless[i].calls;
        d->result.shapeless_seconds += (double)d->shapeless[i].ticks * tick;
    }
    d->result.calls += d->result.shapeless;
    d->result.seconds += d->result.shapeless_seconds;
}

static enum kt_status try_file(struct distilling *d, int file, const char *path, struct kt_error *error)
{
    forget_try(d);
    sum_up(d);
    choose_windows(d);
    place_operands(d);
    write_windows(d);
    write_remainder(d);
    write_threads(d);
    return write_file(d, file, path, error);
}

/* A file that is being written again and again. */
struct attempt {
    struct distilling *d;
    size_t *count; /* of D: what is searched for */
    int file;
    const char *path;
};

static enum kt_status write_attempt(void *attempt, size_t count, uint64_t *bytes, struct kt_error *error)
{
    const struct attempt *a = attempt;
    *a->count = count;
    KT_TRY(try_file(a->d, a->file, a->path, error));
    *bytes = a->d->result.bytes;
    return KT_OK;
}

/* Shapes first, as no replay has a call whose shape is not there: they take half of the file at most. */
static enum kt_status fit(struct distilling *d, int file, const char *path, struct kt_error *error)
{
    struct attempt attempt = {.d = d, .count = &d->kept, .file = file, .path = path};
    const uint64_t bytes = d->options.bytes;
    const size_t shapes = d->shapes.count < KT_DISTILL_SHAPES ? d->shapes.count : KT_DISTILL_SHAPES;
    d->windowed = 1;
    KT_TRY(kt_fit(write_attempt, &attempt, shapes, bytes / 2, error));
    attempt.count = &d->windowed;
    KT_TRY(kt_fit(write_attempt, &attempt, MOST_WINDOWED, bytes, error));
    if (d->result.bytes > bytes)
        return kt_fail(error, KT_USAGE, "%s: --bytes %llu is too little: the least that says anything has %llu", path,
                       (unsigned long long)bytes, (unsigned long long)d->result.bytes);
    return KT_OK;
}

enum kt_status kt_distill(const struct kt_trace *trace, const struct kt_distill_options *options, int file,
                          const char *path, struct kt_distilled *out, struct kt_error *error)
{
    struct distilling d;
    begin(trace, options, &d);
    enum kt_status status = d.shapes.count ? fit(&d, file, path, error)
                                           : kt_fail(error, KT_BAD_INPUT, "%s: no call has returned", trace->path);
    *out = d.result;
    forget_try(&d);
    for (size_t i = 0; i < d.shapes.count; i++)
        kt_tally_free(&d.all[i]);
    for (size_t i = 0; i <= d.names.entries; i++)
        kt_tally_free(&d.shapeless[i]);
    free(d.all);
    free(d.shapeless);
    free(d.thread);
    kt_workload_names_free(&d.names);
    kt_state_free(&d.state);
    kt_shapes_free(&d.shapes);
    return status;
}
