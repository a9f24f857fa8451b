/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/profile.h"

#include "trace/base/memory.h"
#include "trace/read/profile_file.h"
#include "trace/read/stream.h"

#include <math.h>

/* --- one cell ---------------------------------------------------------------------------------------------- */

/* Without the clock readings of CALLS calls. */
static double seconds_of(const struct kt_process *p, uint64_t ticks, uint64_t calls)
{
    return fmax((double)ticks - (double)calls * p->clock_ticks, 0) / p->tick_hz;
}

/* Before version 2.4 anything may be there. */
static uint32_t source_of(const struct kt_stream *s, const struct kt_profile_cell *cell)
{
    const struct kt_chunk *chunk = (const void *)s->bytes;
    bool is_told = cell->word && chunk->minor >= 4 && cell->cell->nesting == KT_NOT_NESTED;
    return is_told ? (uint32_t)(cell->word[0] >> KT_SOURCE_SHIFT) : 0;
}

/* Of the first call, with what it returned; NULL: there is no call. */
static const unsigned char *args_of(const struct kt_process *p, const struct kt_profile_cell *cell,
                                    uint64_t word[KT_CONTEXT_WORDS])
{
    const struct kt_cell *c = cell->cell;
    unsigned char *args = (unsigned char *)(word + KT_CALL_HEAD_WORDS);
    if (!cell->word)
        return NULL;
    const struct kt_param *info = kt_symbol_info(&p->entry[c->entry].symbol);
    memcpy(word, cell->word, 8 * (size_t)c->words);
    if (info)
        memcpy(args + info->offset, &c->info, sizeof c->info);
    return args;
}

static struct kt_call first_call(const struct kt_process *p, const struct kt_stream *s,
                                 const struct kt_profile_cell *cell)
{
    const struct kt_cell *c = cell->cell;
    return (struct kt_call){.process = p,
                            .tid = s->tid,
                            .depth = c->nesting != KT_NOT_NESTED,
                            .entry = &p->entry[c->entry],
                            .caller = cell->word ? cell->word[1] : 0,
                            .source = source_of(s, cell),
                            .parent = -1,
                            .inside_recorded = p->nested_mode == KT_NESTED_ALL,
                            .weight = p->nested_mode == KT_NESTED_ALL,
                            .complete = c->calls > 0,
                            .start = c->start,
                            .ticks = c->most};
}

static const struct kt_cell_inside *inside_of(const struct kt_profile_cell *cell)
{
    static const struct kt_cell_inside nothing;
    return cell->inside ? cell->inside : &nothing;
}

static uint64_t drawn_of(const struct kt_process *p, const struct kt_profile_cell *cell)
{
    const struct kt_cell *c = cell->cell;
    uint64_t drawn = p->nested_mode == KT_NESTED_ALL ? c->calls : inside_of(cell)->drawn;
    if (c->nesting != KT_NOT_NESTED)
        return 0;
    return drawn < c->calls ? drawn : c->calls;
}

/* Calls whose inside was recorded took longer by that: they count as the mean of the others. */
static double settled_seconds(const struct kt_process *p, const struct kt_profile_cell *cell)
{
    const struct kt_cell *c = cell->cell;
    const struct kt_cell_inside *in = inside_of(cell);
    uint64_t clean = c->calls - drawn_of(p, cell);
    if (c->nesting != KT_NOT_NESTED || !c->nests || !clean || in->drawn_ticks > c->ticks)
        return seconds_of(p, c->ticks, c->calls);
    return seconds_of(p, c->ticks - in->drawn_ticks, clean) / (double)clean * (double)c->calls;
}

static struct kt_counts_weighted weighted_of(const struct kt_process *p, const struct kt_profile_cell *cell)
{
    const struct kt_cell *c = cell->cell;
    const struct kt_cell_inside *in = cell->inside;
    if (p->nested_mode == KT_NESTED_ALL || !in)
        return (struct kt_counts_weighted){p->nested_mode == KT_NESTED_ALL, (double)c->calls,
                                           seconds_of(p, c->ticks, c->calls), (double)c->nested,
                                           seconds_of(p, c->nested_ticks, c->nested)};
    return (struct kt_counts_weighted){
        true, (double)in->calls / KT_INSIDE_ONE, seconds_of(p, in->ticks, in->calls) / KT_INSIDE_ONE,
        (double)in->nested / KT_INSIDE_ONE, seconds_of(p, in->nested_ticks, in->nested) / KT_INSIDE_ONE};
}

/* Calls of one shape do the same: where calls were passed on in some of them, none but those are leaves whose inside
 * was recorded and is empty. */
static void find_leaves(const struct kt_process *p, const struct kt_profile_cell *cell, struct kt_counts *out)
{
    const struct kt_cell *c = cell->cell;
    const struct kt_cell_inside *in = inside_of(cell);
    uint64_t calls = in->passed ? out->drawn : c->calls;
    uint64_t ticks = in->passed ? in->drawn_ticks : c->ticks;
    uint64_t nests = c->nests < calls ? c->nests : calls;
    out->leaves = calls - nests;
    out->nest = c->nests || in->passed;
    out->seconds_leaves = seconds_of(p, ticks > c->nests_ticks ? ticks - c->nests_ticks : 0, out->leaves);
}

/* Before version 2.9 it is not told. */
static const struct kt_entry *outermost_of(const struct kt_process *p, const struct kt_profile_cell *cell)
{
    const struct kt_cell *c = cell->cell;
    const struct kt_entry *entry = c->kind == KT_CELL_BARE && c->within ? &p->entry[c->within - 1] : NULL;
    return entry && entry->symbol.routine ? entry : NULL;
}

static struct kt_counts counts_of(const struct kt_process *p, const struct kt_stream *s,
                                  const struct kt_profile_cell *cell)
{
    const struct kt_cell *c = cell->cell;
    struct kt_counts counts = {.call = first_call(p, s, cell),
                               .nesting = c->nesting,
                               .outermost = outermost_of(p, cell),
                               .begun = c->begun > c->calls ? c->begun : c->calls,
                               .calls = c->calls,
                               .seconds = settled_seconds(p, cell),
                               .drawn = drawn_of(p, cell),
                               .passed = inside_of(cell)->passed,
                               .weighted = weighted_of(p, cell),
                               .cell = c};
    find_leaves(p, cell, &counts);
    counts.seconds_self = counts.seconds - seconds_of(p, c->nested_ticks, c->nested);
    return counts;
}

/* --- all of them ------------------------------------------------------------------------------------------- */

void kt_counts_begin(const struct kt_trace *trace, struct kt_counts_cursor *out)
{
    *out = (struct kt_counts_cursor){.trace = trace};
}

bool kt_counts_next(struct kt_counts_cursor *at, struct kt_counts *out)
{
    for (; at->process < at->trace->processes; at->process++, at->stream = 0) {
        const struct kt_process *p = &at->trace->process[at->process];
        for (; at->stream < p->streams; at->stream++, at->cell = 0) {
            const struct kt_stream *s = &p->stream[at->stream];
            if (!s->profile)
                continue;
            if (at->cell == s->profile->cells) {
                kt_stream_pass_all(s);
                continue;
            }
            struct kt_profile_cell cell = kt_profile_cell(s, at->cell++);
            *out = counts_of(p, s, &cell);
            out->call.args = args_of(p, &cell, at->word);
            out->call.n = at->n++;
            out->is_current = at->cell == s->profile->current;
            return true;
        }
    }
    return false;
}

bool kt_process_is_profile(const struct kt_process *process)
{
    for (size_t i = 0; i < process->streams; i++)
        if (process->stream[i].profile)
            return true;
    return false;
}

bool kt_is_profile(const struct kt_trace *trace)
{
    for (size_t i = 0; i < trace->processes; i++)
        if (kt_process_is_profile(&trace->process[i]))
            return true;
    return false;
}

size_t kt_process_threads(const struct kt_process *process)
{
    size_t threads = process->events;
    for (size_t i = 0; i < process->events; i++)
        threads -= process->stream[i].is_second;
    for (size_t i = 0; i < process->streams; i++) {
        const struct kt_profile *profile = process->stream[i].profile;
        if (profile && profile->all_threads > threads)
            threads = profile->all_threads;
    }
    return threads;
}

/* --- durations --------------------------------------------------------------------------------------------- */

static double time_of(const struct kt_process *p, uint64_t ticks)
{
    return seconds_of(p, ticks, 1);
}

/* The shortest and the longest are known, and taken out of their bins. */
static void visit_bins(const struct kt_counts *counts, kt_counts_visitor *visit, void *arg)
{
    const struct kt_cell *c = counts->cell;
    const struct kt_process *p = counts->call.process;
    const uint64_t *bin = (const uint64_t *)(const void *)(c + 1);
    uint64_t left = c->calls - 2;
    unsigned least = kt_bin_of(c->least) - c->first_bin;
    unsigned most = kt_bin_of(c->most) - c->first_bin;
    for (unsigned i = 0; i < KT_BINS; i++) {
        uint64_t from = kt_bin_ticks(c->first_bin + i);
        uint64_t to = i + 1 < KT_BINS ? kt_bin_ticks(c->first_bin + i + 1) : c->most;
        uint64_t out_of = (i == least) + (i == (most < KT_BINS ? most : KT_BINS - 1));
        uint64_t n = bin[i] > out_of ? bin[i] - out_of : 0;
        n = n < left ? n : left;
        left -= n;
        from = from > c->least ? from : c->least;
        to = to < c->most ? to : c->most;
        if (n)
            visit(arg, time_of(p, from), time_of(p, to > from ? to : from), n);
    }
}

/* Of a cell without a histogram: all but the shortest and the longest took their mean. */
static void visit_others(const struct kt_counts *counts, kt_counts_visitor *visit, void *arg)
{
    const struct kt_cell *c = counts->cell;
    uint64_t extremes = c->least + c->most;
    double mean = time_of(counts->call.process, (c->ticks > extremes ? c->ticks - extremes : 0) / (c->calls - 2));
    visit(arg, mean, mean, c->calls - 2);
}

void kt_counts_durations(const struct kt_counts *counts, kt_counts_visitor *visit, void *arg)
{
    const struct kt_cell *c = counts->cell;
    double least = time_of(counts->call.process, c->least);
    double most = time_of(counts->call.process, c->most);
    if (c->calls >= 1)
        visit(arg, least, least, 1);
    if (c->calls >= 2)
        visit(arg, most, most, 1);
    if (c->calls >= 3 && c->kind == KT_CELL_SHAPE)
        visit_bins(counts, visit, arg);
    else if (c->calls >= 3)
        visit_others(counts, visit, arg);
}

static void add_samples(void *samples, double from, double to, uint64_t n)
{
    kt_samples_spread(samples, from, to, n);
}

void kt_counts_samples(const struct kt_counts *counts, bool only_leaves, struct kt_samples *out)
{
    double mean = counts->seconds_leaves / (double)counts->leaves;
    if (only_leaves && counts->leaves < counts->calls)
        kt_samples_spread(out, mean, mean, counts->leaves); /* the histogram is of all */
    else
        kt_counts_durations(counts, add_samples, out);
}

/* --- threads ----------------------------------------------------------------------------------------------- */

/* Threads are not told apart in cells: each has its part of what recording insides took, in all that a file counts. */
static double settled_part(const struct kt_process *p, const struct kt_stream *s)
{
    double counted = 0;
    double settled = 0;
    for (size_t i = 0; i < s->profile->cells; i++) {
        struct kt_profile_cell cell = kt_profile_cell(s, i);
        const struct kt_cell *c = cell.cell;
        if (c->nesting != KT_NOT_NESTED)
            continue;
        counted += seconds_of(p, c->ticks, c->calls);
        settled += settled_seconds(p, &cell);
    }
    return counted > 0 ? settled / counted : 1;
}

struct thread_list {
    struct kt_thread_counts *thread;
    size_t count;
};

static void add_thread(struct thread_list *list, const struct kt_thread_counts *thread)
{
    list->thread = kt_room_for_one(list->thread, list->count, sizeof *list->thread);
    list->thread[list->count++] = *thread;
}

/* Cells of threads that have ended say what was theirs; all else is of the one that is there now. */
static void add_threads(struct thread_list *list, const struct kt_process *p, const struct kt_stream *s)
{
    struct kt_thread_counts rest = {.process = p, .tid = s->profile->tid};
    double part = settled_part(p, s);
    uint64_t ticks = 0;
    uint64_t calls = 0;
    for (size_t i = 0; i < s->profile->cells; i++) {
        const struct kt_cell *c = kt_profile_cell(s, i).cell;
        bool top = c->nesting == KT_NOT_NESTED;
        rest.calls += c->begun;
        rest.calls_top += top ? c->begun : 0;
        ticks += top ? c->ticks : 0;
        calls += top ? c->calls : 0;
    }
    for (size_t i = 0; i < s->profile->threads; i++) {
        const struct kt_thread_cell *cell = s->profile->thread[i];
        add_thread(list, &(struct kt_thread_counts){.process = p,
                                                    .tid = cell->tid,
                                                    .calls = cell->calls,
                                                    .calls_top = cell->outermost,
                                                    .seconds = part * seconds_of(p, cell->ticks, cell->outermost)});
        rest.calls -= cell->calls < rest.calls ? cell->calls : rest.calls;
        rest.calls_top -= cell->outermost < rest.calls_top ? cell->outermost : rest.calls_top;
        ticks -= cell->ticks < ticks ? cell->ticks : ticks;
        calls -= cell->outermost < calls ? cell->outermost : calls;
    }
    kt_stream_pass_all(s);
    rest.seconds = part * seconds_of(p, ticks, calls);
    if (rest.calls)
        add_thread(list, &rest);
}

size_t kt_thread_counts(const struct kt_trace *trace, struct kt_thread_counts **out)
{
    struct thread_list list = {0};
    for (size_t i = 0; i < trace->processes; i++)
        for (size_t j = 0; j < trace->process[i].streams; j++)
            if (trace->process[i].stream[j].profile)
                add_threads(&list, &trace->process[i], &trace->process[i].stream[j]);
    *out = list.thread;
    return list.count;
}
