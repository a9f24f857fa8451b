/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three walks over the trace at most: which thread and how many calls; which shapes the windows miss; what is kept.
 */
#include "replay/sequence/recorded.h"

#include "replay/call/call.h"
#include "replay/sequence/company.h"
#include "replay/sequence/recorded_walk.h"
#include "trace/base/random.h"
#include "trace/base/memory.h"

#include <math.h>
#include <string.h>

/* --- which thread ---------------------------------------------------------------------------------------------- */

static bool is_of(const struct kt_recording *r, const struct kt_call *call)
{
    return call->process == r->process && (r->seats || call->tid == r->tid);
}

static const struct kt_process *process_of(const struct kt_recording *r)
{
    return r->seats ? r->process : NULL;
}

/* From the end of a call to the next one, in seconds. */
static double gap_between(const struct kt_process *process, uint64_t end, uint64_t start)
{
    double seconds = start > end ? (double)(start - end) * process->tick_seconds : 0;
    return seconds < KT_LONGEST_GAP ? seconds : KT_LONGEST_GAP;
}

/* ONE becomes that of OUT if it is the busier one, and is empty then. */
static void keep_busier(struct kt_recording *one, struct kt_recording *out)
{
    double seconds = kt_course_seconds(&one->course);
    out->threads++;
    out->trace_seconds += seconds;
    if (!out->process || seconds > kt_course_seconds(&out->course)) {
        struct kt_course less = out->course;
        out->process = one->process;
        out->tid = one->tid;
        out->course = one->course;
        one->course = less;
    }
    kt_course_free(&one->course);
}

/* Threads come one after the other; OUT becomes the busiest. */
static void choose_thread(const struct kt_trace *trace, enum kt_level level, bool gaps, struct kt_recording *out)
{
    struct kt_recorded_walk walk;
    struct kt_recorded_found found;
    struct kt_recording one = {0};
    uint64_t last_end = 0;
    kt_recorded_walk_begin(trace, level, NULL, &walk);
    for (bool more = true; more;) {
        more = kt_recorded_walk_next(&walk, &found);
        if (one.course.calls && (!more || !is_of(&one, &found.call)))
            keep_busier(&one, out);
        if (!more)
            break;
        one.process = found.call.process;
        one.tid = found.call.tid;
        double gap = gaps && one.course.calls ? gap_between(one.process, last_end, found.call.start) : 0;
        last_end = found.call.start + found.call.ticks;
        kt_course_add(&one.course, found.seconds, gap);
    }
}

static void forget(struct kt_collection *collection)
{
    struct kt_shapes shapes;
    kt_collection_finish(collection, &shapes);
    kt_shapes_free(&shapes);
}

/* --- which calls ----------------------------------------------------------------------------------------------- */

/* Calls of one shape: how many the windows hold, and some drawn at random from all of them. */
enum { ENOUGH = 3, MOST_RARE = 200 };
static const double negligible = 1e-4; /* of the time of all shapes */

struct occurrences {
    size_t in_windows, seen;
    size_t place[ENOUGH];
};

static void note_occurrence(struct occurrences *o, size_t place, bool in_window, uint64_t *state)
{
    size_t at = o->seen < ENOUGH ? o->seen : kt_random(state) % (o->seen + 1);
    o->in_windows += in_window;
    o->seen++;
    if (at < ENOUGH)
        o->place[at] = place;
}

static struct occurrences *find_occurrences(const struct kt_trace *trace, const struct kt_shapes *shapes,
                                            enum kt_level level, const struct kt_recording *r)
{
    struct kt_recorded_walk walk;
    struct kt_recorded_found found;
    uint64_t state = 1;
    size_t place = 0;
    const struct kt_window *w = r->window;
    const struct kt_window *end = w + r->windows;
    struct kt_collection *collection = kt_collection_of(trace, shapes);
    struct occurrences *of = kt_zeros(shapes->count, sizeof *of);
    kt_recorded_walk_begin(trace, level, process_of(r), &walk);
    while (kt_recorded_walk_next(&walk, &found)) {
        if (!is_of(r, &found.call))
            continue;
        size_t shape = kt_collection_number(collection, &found.call);
        note_occurrence(&of[shape], place, w < end && place >= w->counted && place < w->end, &state);
        w += ++place == (w < end ? w->end : 0);
    }
    forget(collection);
    return of;
}

/* Places of calls whose shapes the windows meet too seldom; of the heaviest of these shapes, which come first. */
static size_t find_rare(const struct kt_trace *trace, const struct kt_shapes *shapes, enum kt_level level,
                        const struct kt_recording *r, size_t out[MOST_RARE * ENOUGH])
{
    size_t count = 0;
    struct occurrences *of = find_occurrences(trace, shapes, level, r);
    for (size_t i = 0; i < shapes->count && count <= (MOST_RARE - 1) * ENOUGH; i++) {
        if (of[i].in_windows >= ENOUGH || shapes->shape[i].total < negligible * shapes->seconds)
            continue;
        for (size_t k = 0; k < ENOUGH && k < of[i].seen; k++)
            out[count++] = of[i].place[k];
    }
    free(of);
    return count;
}

static void choose_windows(const struct kt_trace *trace, const struct kt_shapes *shapes, enum kt_level level,
                           const struct kt_recording_limit *limit, struct kt_recording *r)
{
    size_t rare[MOST_RARE * ENOUGH];
    r->windows = kt_windows_choose(&r->course, limit, NULL, 0, &r->window);
    if (r->window->end - r->window->counted == r->course.calls)
        return;
    size_t rares = find_rare(trace, shapes, level, r, rare);
    free(r->window);
    r->windows = kt_windows_choose(&r->course, limit, rare, rares, &r->window);
}

/* --- keeping them ---------------------------------------------------------------------------------------------- */

static uint64_t *keep_args(struct kt_recording *r, const struct kt_recorded_found *found)
{
    enum { BLOCK_WORDS = 1 << 16 };
    size_t words = (found->call.entry->symbol.arg_bytes + 7) / 8;
    if (words > r->words_left) {
        r->memory = kt_room_for_one(r->memory, r->blocks, sizeof *r->memory);
        r->memory[r->blocks++] = kt_resize(NULL, BLOCK_WORDS, sizeof **r->memory);
        r->words_left = BLOCK_WORDS;
    }
    uint64_t *to = r->memory[r->blocks - 1] + (BLOCK_WORDS - r->words_left);
    r->words_left -= words;
    return memcpy(to, found->args, found->call.entry->symbol.arg_bytes);
}

/* The trace does not say how many threads a region has. OMP_NUM_THREADS is for libraries, too. */
static unsigned team_of(const struct kt_object *library)
{
    return library->threads > 2 ? (unsigned)library->threads : 2;
}

/* SECONDS: what the call counts for in the program. */
static void keep_call(struct kt_recording *r, const struct kt_recorded_found *found, size_t shape, double seconds,
                      const struct kt_seated *at)
{
    int64_t info = 0;
    kt_call_info(&found->call, &info);
    bool is_early = info < 0 || (info > 0 && kt_failure_is_early(found->call.entry->symbol.routine));
    r->call = kt_room_for_one(r->call, r->calls, sizeof *r->call);
    if (found->call.in_parallel)
        r->team = team_of(found->call.entry->library);
    r->call[r->calls++] = (struct kt_recorded_call){.entry = found->call.entry,
                                                    .args = keep_args(r, found),
                                                    .shape = (uint32_t)shape,
                                                    .ok = !is_early,
                                                    .in_parallel = found->call.in_parallel,
                                                    .seat = at->seat,
                                                    .start = found->call.start,
                                                    .end = found->call.start + found->call.ticks,
                                                    .gap = at->gap,
                                                    .seconds = seconds};
}

/* Alone there is one seat, and gaps are short. */
static struct kt_seated seat_of(struct kt_recording *r, struct kt_company *company, const struct kt_call *call,
                                bool opens)
{
    struct kt_seated at = kt_company_seat(company, call, opens, KT_LONGEST_GAP);
    if (!r->seats)
        return (struct kt_seated){.gap = opens ? 0 : at.idle};
    r->seats = at.seat + 1 > r->seats ? at.seat + 1 : r->seats;
    return at;
}

/* Calls of a window from FIRST on: those that ran beside others before it or behind it had company that is not played,
 * and do not count. */
struct edges {
    size_t first;
    uint64_t before; /* ticks: when the last call before the window ended */
    bool is_open;    /* its end was not met yet */
};

/* NEXT: when the first call behind the window begins. A thread that was silent for no longer than its last call took
 * is taken to have gone on. */
static void close_window(struct kt_recording *r, struct edges *edges, uint64_t next)
{
    bool is_last[KT_COMPANY_MOST];
    memset(is_last, true, sizeof is_last);
    for (size_t i = r->calls; edges->is_open && r->seats && i-- > edges->first;) {
        struct kt_recorded_call *call = &r->call[i];
        call->counted = call->counted && call->end <= next;
        call->goes_on = is_last[call->seat] && (call->end >= next || next - call->end <= call->end - call->start);
        is_last[call->seat] = false;
    }
    edges->is_open = false;
}

static void keep_windows(const struct kt_trace *trace, const struct kt_shapes *shapes, enum kt_level level,
                         struct kt_recording *r)
{
    struct kt_recorded_walk walk;
    struct kt_recorded_found found;
    struct kt_company company = {0};
    struct edges edges = {0};
    size_t place = 0;
    bool opens = false;
    const struct kt_window *w = r->window;
    const struct kt_window *end = w + r->windows;
    struct kt_collection *collection = kt_collection_of(trace, shapes);
    kt_recorded_walk_begin(trace, level, process_of(r), &walk);
    while ((w < end || edges.is_open) && kt_recorded_walk_next(&walk, &found)) {
        if (!is_of(r, &found.call))
            continue;
        if (w > r->window && place == w[-1].end)
            close_window(r, &edges, found.call.start);
        if (w == end)
            break;
        if (place == w->first) {
            edges = (struct edges){r->calls, company.until, true};
            opens = true;
        }
        size_t shape = place >= w->first ? kt_collection_number(collection, &found.call) : SIZE_MAX;
        const struct kt_seated at = seat_of(r, &company, &found.call, opens);
        if (shape < shapes->count) {
            keep_call(r, &found, shape, kt_shape_call_seconds(&shapes->shape[shape], &found.call), &at);
            r->call[r->calls - 1].opens = opens;
            r->call[r->calls - 1].counted = place >= w->counted && (!r->seats || found.call.start >= edges.before);
            opens = false;
        }
        w += ++place == w->end;
    }
    kt_recorded_walk_end(&walk);
    forget(collection);
}

/* --- in company ------------------------------------------------------------------------------------------------ */

/* Calls of all threads of the process take the place of those of its busiest one, if there is company worth the name.
 */
static void take_company(const struct kt_trace *trace, enum kt_level level, struct kt_recording *r)
{
    struct kt_recorded_walk walk;
    struct kt_recorded_found found;
    struct kt_company company = {0};
    struct kt_course course = {0};
    double busy = 0;
    kt_recorded_walk_begin(trace, level, r->process, &walk);
    while (kt_recorded_walk_next(&walk, &found)) {
        uint64_t until = company.until;
        struct kt_seated at = kt_company_seat(&company, &found.call, !company.any, KT_LONGEST_GAP);
        uint64_t from = found.call.start > until ? found.call.start : until;
        busy += company.until > from ? (double)(company.until - from) * r->process->tick_seconds : 0;
        kt_course_add(&course, found.seconds, at.idle);
    }
    double together = busy > 0 ? kt_course_seconds(&course) / busy : 0;
    struct kt_course less = together >= KT_COMPANY_LEAST ? r->course : course;
    if (together >= KT_COMPANY_LEAST) {
        r->course = course;
        r->together = together;
        r->seats = 1;
    }
    kt_course_free(&less);
}

void kt_recording_read(const struct kt_trace *trace, const struct kt_shapes *shapes, const struct kt_recording_how *how,
                       const struct kt_recording_limit *limit, struct kt_recording *out)
{
    struct kt_recording_limit played = *limit;
    *out = (struct kt_recording){0};
    choose_thread(trace, how->level, how->gaps, out);
    if (!out->course.calls)
        return;
    if (how->company && out->threads > 1)
        take_company(trace, how->level, out);
    if (out->seats)
        played.seconds *= out->together;
    choose_windows(trace, shapes, how->level, &played, out);
    keep_windows(trace, shapes, how->level, out);
}

/* Is the call at PLACE of the thread one of those that count? *W moves on to the window that it may be in. */
static bool is_counted(const struct kt_recording *r, const struct kt_window **w, size_t place)
{
    while (*w < r->window + r->windows && place >= (*w)->end)
        (*w)++;
    return *w < r->window + r->windows && place >= (*w)->counted;
}

/* By shape, the times of its calls that count. */
static struct kt_samples *times_in(const struct kt_recording *r, const struct kt_trace *trace,
                                   const struct kt_shapes *shapes, enum kt_level level)
{
    struct kt_recorded_walk walk;
    struct kt_recorded_found found;
    struct kt_recording other = {0};
    const struct kt_window *w = r->window;
    size_t place = 0;
    struct kt_collection *collection = kt_collection_of(trace, shapes);
    struct kt_samples *times = kt_zeros(shapes->count, sizeof *times);
    choose_thread(trace, level, false, &other);
    other.seats = r->seats;
    kt_recorded_walk_begin(trace, level, process_of(&other), &walk);
    while (kt_recorded_walk_next(&walk, &found)) {
        if (!is_of(&other, &found.call) || !is_counted(r, &w, place++))
            continue;
        size_t shape = kt_collection_number(collection, &found.call);
        kt_samples_add(&times[shape], kt_shape_call_seconds(&shapes->shape[shape], &found.call));
    }
    forget(collection);
    kt_recording_free(&other);
    return times;
}

static double mean_of(const struct kt_samples *samples)
{
    double sum = 0;
    for (uint64_t i = 0; samples->kept && i < samples->n; i++)
        sum += samples->kept[i];
    return samples->kept ? sum / (double)samples->n : NAN;
}

void kt_recording_times_in(const struct kt_recording *r, const struct kt_trace *trace, const struct kt_shapes *shapes,
                           enum kt_level level, double *mean, double *median)
{
    struct kt_samples *times = times_in(r, trace, shapes, level);
    for (size_t i = 0; i < shapes->count; i++) {
        mean[i] = mean_of(&times[i]);
        median[i] = kt_samples_stat(&times[i], KT_BEST_MEDIAN).median;
        kt_samples_free(&times[i]);
    }
    free(times);
}

double kt_recording_gaps(const struct kt_recording *r)
{
    double gaps = 0;
    for (size_t i = 0; i < r->calls; i++)
        gaps += r->call[i].gap;
    return gaps;
}

void kt_recording_free(struct kt_recording *r)
{
    for (size_t i = 0; i < r->blocks; i++)
        free(r->memory[i]);
    free(r->memory);
    free(r->call);
    free(r->window);
    kt_course_free(&r->course);
    *r = (struct kt_recording){0};
}
