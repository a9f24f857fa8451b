/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/sequence_result.h"

#include "trace/command/json.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>

enum { CELL = 32 };

static const char *const layout_text[] = {
    [KT_AS_RECORDED] = "as recorded", [KT_MOVED] = "moved as a whole", [KT_COMPACTED] = "compacted"};

double kt_sequence_total(const struct kt_sequence *s)
{
    double total = *s->unusable ? NAN : 0;
    for (size_t i = 0; i < s->setup->jobs.count; i++) {
        const struct kt_job *job = &s->setup->jobs.job[i];
        struct kt_stat stat = kt_sequence_stat(s, job);
        if (!job->refused)
            total += stat.n ? (double)job->shape->calls * stat.best : job->shape->total;
    }
    return total;
}

/* Seconds of a pass between calls. */
static double waited(const struct kt_sequence *s)
{
    return s->play.gaps == KT_GAPS_NONE ? 0 : kt_recording_gaps(&s->recording);
}

json_t *kt_sequence_json(const struct kt_sequence *s)
{
    const struct kt_recording *r = &s->recording;
    struct kt_sequence_sum sum;
    kt_sequence_sum(s, &sum);
    if (*s->unusable)
        return json_pack("{s:o}", "unusable", kt_json_text(s->unusable));
    json_t *json = json_pack("{s:i, s:i, s:i, s:I, s:I, s:i, s:i}", "pid", (int)r->process->pid, "tid", (int)r->tid,
                             "threads", (int)r->threads, "calls", (json_int_t)r->course.calls, "counted",
                             (json_int_t)sum.calls, "windows", (int)r->windows, "passes", (int)s->passes);
    json_t *times = json_pack("{s:f, s:f, s:f, s:f, s:[f, f], s:f, s:f}", "insitu", sum.insitu, "seconds", sum.played,
                              "ratio", sum.insitu > 0 ? sum.played / sum.insitu : 0, "typical",
                              sum.typical_insitu > 0 ? sum.typical_played / sum.typical_insitu : 0, "quartiles",
                              sum.quarter_lo, sum.quarter_hi, "share", sum.share, "seconds_spent", s->seconds);
    json_t *memory = json_pack("{s:s, s:I, s:s, s:f}", "layout", layout_text[s->last.space], "bytes",
                               (json_int_t)s->bytes, "gaps", kt_gaps_name(s->play.gaps), "gap_seconds", waited(s));
    json_t *data = json_pack("{s:I, s:I, s:I, s:I, s:I}", "refilled", (json_int_t)sum.refilled, "strange",
                             (json_int_t)sum.strange, "left_out", (json_int_t)sum.left_out, "denormal",
                             (json_int_t)s->last.denormal, "overflowed", (json_int_t)s->last.overflowed);
    json_object_set_new(json, "seats", json_integer(r->seats));
    json_object_set_new(json, "together", r->seats > 1 ? json_real(r->together) : json_null());
    json_object_set_new(json, "passes_alone", json_integer(s->alone.passes));
    json_object_update(json, times);
    json_object_update(json, memory);
    json_object_update(json, data);
    json_decref(times);
    json_decref(memory);
    json_decref(data);
    return json;
}

static void print_data(const struct kt_sequence *s, const struct kt_sequence_sum *sum)
{
    char gaps[CELL];
    kt_text_seconds(waited(s), gaps);
    printf("Operands in %.1f MB, addresses %s; gaps between calls: %s, %s a pass.\n", (double)s->bytes * 1e-6,
           layout_text[s->last.space], kt_gaps_name(s->play.gaps), gaps);
    if (sum->refilled || sum->strange)
        printf("Inputs of %s a pass were written again just before, as results of earlier calls were not\n"
               "legal or ordinary there; %zu left the range of ordinary numbers all the same.\n",
               KT_COUNT(sum->refilled, "call"), sum->strange);
    if (sum->left_out)
        printf("Left out: %s of shapes that could not be played.\n", KT_COUNT(sum->left_out, "call"));
}

/* What calls take more by those beside them. */
static void print_company(const struct kt_sequence *s)
{
    double together = 0;
    double alone = 0;
    char text[2][CELL];
    for (size_t i = 0; i < s->setup->jobs.count; i++) {
        const struct kt_job *job = &s->setup->jobs.job[i];
        struct kt_stat one = kt_sequence_stat_alone(s, job);
        if (!one.n)
            continue;
        together += (double)job->shape->calls * kt_sequence_stat(s, job).best;
        alone += (double)job->shape->calls * one.best;
    }
    printf("They were played at the same time, as the program made them: %.2g at a time.\n", s->recording.together);
    if (alone > 0)
        printf("All calls take %s so, and %s if each is alone: contention is a factor of %.2f.\n",
               kt_text_seconds(together, text[0]), kt_text_seconds(alone, text[1]), together / alone);
}

void kt_sequence_print(const struct kt_sequence *s)
{
    const struct kt_recording *r = &s->recording;
    struct kt_sequence_sum sum;
    char insitu[CELL], played[CELL], lo[CELL], hi[CELL], calls[CELL], share[CELL];
    if (*s->unusable) {
        printf("\nNo sequence: %s.\n", s->unusable);
        return;
    }
    kt_sequence_sum(s, &sum);
    kt_text_count((double)sum.calls, calls);
    kt_text_seconds(sum.insitu, insitu);
    kt_text_seconds(sum.played, played);
    kt_text_seconds(sum.quarter_lo, lo);
    kt_text_seconds(sum.quarter_hi, hi);
    kt_text_percent(sum.share, share);
    char whose[CELL];
    snprintf(whose, sizeof whose, r->seats > 1 ? "%u threads" : "thread %u", r->seats > 1 ? r->seats : r->tid);
    printf("\nSequence: %s of %s of %s in %s, %s of the time of all calls; %s.\n", calls,
           KT_COUNT(r->course.calls, "call"), whose, KT_COUNT(r->windows, "window"), share,
           KT_COUNT(s->passes, "pass"));
    if (r->seats > 1)
        print_company(s);
    else if (r->threads > 1)
        printf("Calls of %s were not played: they may have shared its caches.\n",
               KT_COUNT(r->threads - 1, "other thread"));
    printf("These calls took %s in the program, %s in the sequence (half of the passes: %s to %s): ratio %.3f.\n",
           insitu, played, lo, hi, sum.insitu > 0 ? sum.played / sum.insitu : 0);
    printf("Medians of their shapes times calls: ratio %.3f.\n",
           sum.typical_insitu > 0 ? sum.typical_played / sum.typical_insitu : 0);
    print_data(s, &sum);
}
