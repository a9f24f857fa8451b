/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/sequence.h"

#include "replay/sequence/sequence_estimates.h"
#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>

enum { LEAST_PASSES = 3, MOST_CALLS = 1 << 20, MOST_CRASHES = 8, MOST_SAMPLES = 64 << 20 };
static const double planned_passes = 8;   /* that the budget is to suffice for */
static const double call_overhead = 1e-6; /* seconds that playing a call takes besides it */

/* --- what is played -------------------------------------------------------------------------------------------- */

static void give_up(struct kt_sequence *s, const char *why)
{
    if (!*s->unusable)
        snprintf(s->unusable, sizeof s->unusable, "%.250s", why);
}

/* Adds the memory of a call, unless it cannot be real. */
static enum kt_absence add_ranges(struct kt_sequence *s, const struct kt_recorded_call *call, uint64_t limit)
{
    struct kt_operand operand[KT_MAX_OPERANDS];
    struct kt_values values;
    bool possible = true;
    const struct kt_symbol *symbol = &call->entry->symbol;
    kt_values_decode(symbol, (const unsigned char *)call->args, &values);
    int count = kt_operands(symbol, &values, call->entry->int_bytes, operand);
    for (int i = 0; i < count; i++) {
        possible = possible && operand[i].hi >= operand[i].lo;
        if (possible && operand[i].hi - operand[i].lo > limit)
            return KT_TOO_LARGE;
    }
    for (int i = 0; i < count && possible; i++)
        possible = kt_ranges_add(&s->ranges, operand[i].lo, operand[i].hi);
    return possible ? KT_PRESENT : KT_IMPOSSIBLE;
}

/* The memory of all calls; a shape whose operands cannot be real, or are too large, is left out. */
static void find_ranges(struct kt_sequence *s, size_t calls, uint64_t limit)
{
    for (size_t c = 0; c < calls; c++) {
        const struct kt_recorded_call *call = &s->recording.call[c];
        enum kt_absence absence = add_ranges(s, call, limit);
        if (absence != KT_PRESENT)
            s->board->absent[call->shape] = (unsigned char)absence;
    }
    kt_ranges_join(&s->ranges);
    s->bytes = kt_ranges_bytes(&s->ranges);
}

/* As many windows as there is memory for, from the first on. */
static void keep_what_fits(struct kt_sequence *s, uint64_t limit)
{
    struct kt_recording *r = &s->recording;
    find_ranges(s, r->calls, limit);
    while (s->bytes > limit && r->calls) {
        size_t calls = r->calls / 2;
        kt_ranges_free(&s->ranges);
        for (size_t c = calls; c < r->calls; c++)
            s->recording.windows -= r->call[c].opens;
        r->calls = calls;
        find_ranges(s, calls, limit);
    }
    if (!r->calls)
        give_up(s, "the operands of a single call take more than half of the memory that is available");
}

static void read_calls(struct kt_sequence *s, const struct kt_replay_options *options)
{
    struct kt_recording_limit limit = {.calls = MOST_CALLS};
    double share = 1;
    if (s->setup->shapes.seconds > 0) {
        double calls = 0;
        for (size_t i = 0; i < s->setup->shapes.count; i++)
            calls += (double)s->setup->shapes.shape[i].calls;
        share = s->setup->shapes.seconds / (s->setup->shapes.seconds + calls * call_overhead);
    }
    limit.seconds = share * s->budget / planned_passes;
    const struct kt_recording_how how = {options->level, options->gaps != KT_GAPS_NONE, options->company};
    kt_recording_read(&s->setup->trace, &s->setup->shapes, &how, &limit, &s->recording);
    if (!s->recording.calls)
        give_up(s, "the trace has no single calls of that level");
}

static double find_patience(const struct kt_sequence *s)
{
    double seconds = 0;
    for (size_t i = 0; i < s->recording.calls; i++)
        seconds += s->recording.call[i].seconds;
    return 20 + 50 * seconds + 2 * kt_recording_gaps(&s->recording) +
           (double)s->bytes * 1e-7 * (double)s->recording.windows;
}

void kt_sequence_open(const struct kt_setup *setup, const struct kt_replay_options *options,
                      const struct kt_library *library, double budget, uint64_t limit, struct kt_sequence *out)
{
    *out = (struct kt_sequence){.open = true,
                                .setup = setup,
                                .library = *library,
                                .budget = budget,
                                .level = options->level,
                                .child = KT_NO_CHILD};
    struct kt_sequence *s = out;
    read_calls(s, options);
    if (!s->recording.calls)
        return;
    s->board_calls = s->recording.calls;
    s->board = kt_board_new(s->board_calls, setup->shapes.count);
    if (!s->board) {
        give_up(s, "there is no shared memory");
        return;
    }
    keep_what_fits(s, limit);
    s->patience = find_patience(s);
    s->play = (struct kt_play){
        &s->recording, &s->ranges, &s->library, setup->shapes.count, options->gaps, s->board, setup->shapes.processor};
}

/* --- the process ----------------------------------------------------------------------------------------------- */

/* The shape of the calls that were in progress, of which each seat has one; -1: there was none, or they are of several
 * shapes, so that nobody can tell which one it was. */
static int64_t take_shape_in_progress(struct kt_sequence *s, bool *any)
{
    int64_t shape = -1;
    bool is_one = true;
    *any = false;
    for (size_t i = 0; i < s->recording.calls; i++) {
        if (!s->board->inside[i])
            continue;
        is_one &= !*any || shape == (int64_t)s->recording.call[i].shape;
        shape = (int64_t)s->recording.call[i].shape;
        *any = true;
        s->board->inside[i] = 0;
    }
    return is_one ? shape : -1;
}

/* The library ended the process, or hangs, in a call that was in progress: calls of its shape are left out. */
static void note_crash(struct kt_sequence *s)
{
    bool any;
    kt_child_end(&s->child);
    int64_t shape = take_shape_in_progress(s, &any);
    if (shape >= 0)
        s->board->absent[shape] = KT_CRASHED;
    if (!any || ++s->crashes == MOST_CRASHES)
        give_up(s, any && shape < 0 ? "the library ended the process, or hung, with calls of several shapes in progress"
                                    : "the library ended the process, or hung, again and again");
}

static bool start(struct kt_sequence *s)
{
    enum { START_SECONDS = 300 };
    struct kt_error error = {0};
    s->warms = s->is_tried;
    if (kt_child_start(&s->child, kt_play_serve, &s->play, &error) != KT_OK) {
        give_up(s, error.text);
        return false;
    }
    bool answered = kt_child_receive(&s->child, &s->last, sizeof s->last, START_SECONDS);
    if (answered && s->last.usable)
        return true;
    kt_child_end(&s->child);
    if (!kt_interrupted())
        give_up(s, answered && *s->last.text ? s->last.text : "its process could not be started");
    return false;
}

/* --- passes ---------------------------------------------------------------------------------------------------- */

static void keep_samples(struct kt_sequence *s)
{
    const struct kt_recording *r = &s->recording;
    double total = 0;
    s->sample = kt_room_for_one(s->sample, s->passes, sizeof *s->sample);
    s->pass_total = kt_room_for_one(s->pass_total, s->passes, sizeof *s->pass_total);
    s->sample[s->passes] = kt_resize(NULL, r->calls, sizeof **s->sample);
    memcpy(s->sample[s->passes], s->board->seconds, r->calls * sizeof **s->sample);
    for (size_t i = 0; i < r->calls; i++)
        if (r->call[i].counted && s->board->seconds[i] >= 0)
            total += (double)s->board->seconds[i];
    s->pass_total[s->passes++] = total;
}

static void forget_first(struct kt_sequence *s)
{
    free(s->first);
    s->first = NULL;
}

static void keep_first(struct kt_sequence *s)
{
    s->first = kt_resize(s->first, s->recording.calls, sizeof *s->first);
    memcpy(s->first, s->board->seconds, s->recording.calls * sizeof *s->first);
}

/* The process plays that part of a pass. False: it did not come to its end. */
static bool play(struct kt_sequence *s, const struct kt_window *calls, bool alone)
{
    double begin = kt_now();
    const struct kt_request request = {*calls, .is_trial = !s->is_tried, .is_warming = s->warms, .is_alone = alone};
    if (s->rests)
        kt_child_rest(&s->child, false);
    bool answered = kt_child_ask(&s->child, &request, sizeof request, &s->last, sizeof s->last, s->patience);
    if (kt_interrupted())
        kt_child_end(&s->child);
    else if (!answered)
        note_crash(s);
    else if (s->rests)
        kt_child_rest(&s->child, true);
    s->seconds += kt_now() - begin;
    return answered && s->child.pid;
}

static bool may_go_on(struct kt_sequence *s)
{
    if (*s->unusable || s->passes == KT_MOST_PASSES || (s->passes + 1) * s->recording.calls > MOST_SAMPLES)
        return false;
    return s->child.pid || start(s);
}

static bool is_ready(const struct kt_sequence *s)
{
    return s->child.pid && s->is_tried && !s->warms;
}

static bool plays_alone(const struct kt_sequence *s)
{
    return s->splits && s->recording.seats > 1;
}

static void play_alone(struct kt_sequence *s)
{
    struct kt_alone *alone = &s->alone;
    if (!is_ready(s) || !play(s, &(struct kt_window){0, 0, s->recording.calls}, true))
        return;
    alone->sample = kt_room_for_one(alone->sample, alone->passes, sizeof *alone->sample);
    alone->sample[alone->passes] = kt_resize(NULL, s->recording.calls, sizeof **alone->sample);
    memcpy(alone->sample[alone->passes++], s->board->seconds, s->recording.calls * sizeof **alone->sample);
}

/* The next pass, whatever it is for. Alone comes first every other time. */
static void play_pass(struct kt_sequence *s)
{
    bool counts = is_ready(s);
    bool comes_first = s->passes % 2;
    if (counts && comes_first && plays_alone(s))
        play_alone(s);
    if (!s->child.pid)
        return; /* it crashed, or the user has had enough */
    bool ended = play(s, &(struct kt_window){0, 0, s->recording.calls}, false);
    if (ended && counts)
        keep_samples(s);
    if (ended && counts && !comes_first && plays_alone(s))
        play_alone(s);
    if (ended && s->warms)
        keep_first(s);
    s->is_tried |= ended;
    s->warms = s->warms && !ended;
}

bool kt_sequence_pass(struct kt_sequence *s)
{
    if (!may_go_on(s))
        return false;
    play_pass(s);
    return true;
}

bool kt_sequence_prepare(struct kt_sequence *s)
{
    while (!kt_interrupted() && may_go_on(s) && !is_ready(s))
        play_pass(s);
    return is_ready(s);
}

bool kt_sequence_turn(struct kt_sequence *s, const struct kt_window *calls)
{
    bool ended = is_ready(s) && play(s, calls, false);
    if (ended && calls->end == s->recording.calls)
        keep_samples(s);
    return ended;
}

size_t kt_sequence_shape(const struct kt_sequence *s, const struct kt_job *job)
{
    return (size_t)(job->shape - s->setup->shapes.shape);
}

void kt_sequence_leave_out(struct kt_sequence *s, const struct kt_job *job)
{
    if (!s->board)
        return;
    s->board->absent[kt_sequence_shape(s, job)] = KT_NOT_ASKED;
    s->is_tried = false;
}

void kt_sequence_renew(struct kt_sequence *s)
{
    forget_first(s);
    kt_child_end(&s->child);
}

void kt_sequence_finish(struct kt_sequence *s)
{
    while ((s->passes < LEAST_PASSES || s->seconds < s->budget) && !kt_interrupted()) {
        kt_progress("sequence", s->seconds < s->budget ? s->seconds : s->budget, s->budget);
        if (!kt_sequence_pass(s))
            break;
    }
    kt_progress_end();
    kt_child_end(&s->child);
    if (!*s->unusable && !s->passes)
        give_up(s, "no pass came to its end");
    if (*s->unusable)
        return;
    kt_sequence_estimate(s);
}

void kt_sequence_close(struct kt_sequence *s)
{
    kt_child_end(&s->child);
    for (unsigned p = 0; p < s->passes; p++)
        free(s->sample[p]);
    for (size_t i = 0; s->of_shape && i < s->setup->shapes.count; i++)
        free(s->of_shape[i]);
    free(s->sample);
    free(s->pass_total);
    kt_sequence_forget_alone(s);
    forget_first(s);
    free(s->of_shape);
    free(s->of_shape_count);
    free(s->least);
    free(s->estimate);
    if (s->open)
        kt_board_free(s->board, s->board_calls, s->setup->shapes.count);
    kt_ranges_free(&s->ranges);
    kt_recording_free(&s->recording);
    *s = (struct kt_sequence){0};
}

/* --- what came out --------------------------------------------------------------------------------------------- */

const char *kt_sequence_absence(const struct kt_sequence *s, const struct kt_job *job)
{
    static const char *const text[] = {[KT_PRESENT] = NULL,
                                       [KT_MISSING] = "is not in the library",
                                       [KT_WRONG_INFO] = "ended with another info than in the program",
                                       [KT_CRASHED] = "ended the process, or hung",
                                       [KT_NO_THUNK] = "cannot be called by ktrace",
                                       [KT_OTHER_INTEGERS] = "was recorded with integers of another width",
                                       [KT_IMPOSSIBLE] = "was called with arguments that describe impossible operands",
                                       [KT_TOO_LARGE] =
                                           "has an operand that needs more memory than there is for a sequence",
                                       [KT_NOT_ASKED] = "was left out"};
    return s->board ? text[s->board->absent[kt_sequence_shape(s, job)]] : NULL;
}
