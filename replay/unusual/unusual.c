/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/unusual/unusual.h"

#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>

/* Small calls take microseconds. One that takes that long does not return, and others of its group with such contents
 * are not waited for. */
static const double call_limit = 1;

/* Seconds that a call with recorded sizes may take the reference library. */
static const double affordable = 0.02;

struct session {
    struct kt_exam exam; /* its trials are plain, FIRST is what a call finds in memory */
    struct kt_unusual *out;
    uint32_t reference_hangs; /* in the group, with such contents: bits as hang_bit() has them */
    uint32_t *hangs;          /* of each library; owned */
    double end;               /* when the time is over */
};

/* Contents of that kind, with INFINITY or without. */
static uint32_t hang_bit(const struct kt_unusual_contents *contents)
{
    return (uint32_t)1 << (2 * contents->kind + (contents->operand >= 0 && isinf(contents->value)));
}

/* --- one call ---------------------------------------------------------------------------------------------- */

static bool is_affordable(const struct kt_job *job)
{
    double largest = 0;
    for (int i = 0; i < job->operands; i++)
        largest = fmax(largest, (double)(job->operand[i].cols > 1 ? job->operand[i].rows : 0));
    double operations = isnan(job->shape->flops) ? 20 * largest * largest * largest : job->shape->flops;
    return !job->refused && operations * 1e-9 < affordable;
}

/* What was put together for all is restored for each. */
static bool call(struct session *s, const struct kt_examined *c, struct kt_trial *trial, struct kt_trial_result *out,
                 struct kt_error *cause)
{
    memcpy(s->exam.ground.base, s->exam.first.byte, c->scene.after.bytes);
    if (kt_trial_call(trial, c->number, 0, call_limit, out, cause) != KT_OK)
        return false;
    return out->end != KT_TRIAL_MISSING && !kt_interrupted();
}

static void fill(struct session *s, const struct kt_examined *c, const struct kt_unusual_contents *contents)
{
    kt_examined_fill(&s->exam, c, 0);
    if (contents)
        kt_unusual_fill(contents, c->operand, c->job->operands);
    memcpy(s->exam.first.byte, s->exam.ground.base, c->scene.after.bytes);
}

/* Do these sizes make a call that works on ordinary numbers? */
static bool works(struct session *s, const struct kt_examined *c)
{
    struct kt_trial_result result;
    struct kt_error ignored = {0};
    if (!is_affordable(c->job))
        return false;
    fill(s, c, NULL);
    return call(s, c, &s->exam.reference, &result, &ignored) && result.end == KT_TRIAL_RETURNED && result.info >= 0;
}

static void note(struct session *s, const struct kt_examined *c, const struct kt_unusual_contents *contents,
                 const struct kt_unusual_finding *finding)
{
    struct kt_unusual *out = s->out;
    out->finding = kt_room_for_one(out->finding, out->findings, sizeof *out->finding);
    struct kt_unusual_finding *f = &out->finding[out->findings++];
    *f = *finding;
    f->kind = contents->kind;
    kt_unusual_text(contents, &out->calls.call[c->number], c->operand, c->job->operands, f->contents);
}

static void try_library(struct session *s, const struct kt_examined *c, size_t library,
                        const struct kt_unusual_contents *contents, const struct kt_outcome *reference)
{
    struct kt_unusual_counts *counts = &s->out->of[library];
    struct kt_unusual_finding finding = {.library = library, .job = c->number};
    struct kt_trial_result result;
    struct kt_error cause = {0};
    if (*counts->why || !kt_library_takes(s->exam.trial[library].library, c->job->int_bytes))
        return;
    if (s->hangs[library] & hang_bit(contents)) {
        counts->given_up++;
        return;
    }
    if (!call(s, c, &s->exam.trial[library], &result, &cause)) {
        snprintf(counts->why, sizeof counts->why, "%.150s", cause.text);
        return;
    }
    struct kt_outcome other = {&result, &c->scene.after};
    s->hangs[library] |= result.timeout ? hang_bit(contents) : 0;
    counts->tried++;
    if (kt_outcomes_differ(c, reference, &other, finding.reference, finding.gives)) {
        counts->other++;
        note(s, c, contents, &finding);
    }
}

static void try_contents(struct session *s, const struct kt_examined *c, const struct kt_unusual_contents *contents)
{
    struct kt_trial_result result;
    struct kt_error ignored = {0};
    bool is_hopeless = s->reference_hangs & hang_bit(contents);
    for (size_t l = 0; l < s->out->libraries; l++)
        s->out->of[l].given_up += is_hopeless;
    if (is_hopeless)
        return;
    fill(s, c, contents);
    if (!call(s, c, &s->exam.reference, &result, &ignored))
        return;
    s->reference_hangs |= result.timeout ? hang_bit(contents) : 0;
    memcpy(s->exam.reference_after.byte, s->exam.ground.base, c->scene.after.bytes);
    struct kt_outcome reference = {&result, &s->exam.reference_after};
    for (size_t l = 0; l < s->out->libraries && !kt_interrupted(); l++)
        try_library(s, c, l, contents, &reference);
}

static bool is_over(const struct session *s)
{
    return kt_now() > s->end || kt_interrupted();
}

static void try_call(struct session *s, const struct kt_examined *c)
{
    struct kt_unusual_contents contents[KT_UNUSUAL_MOST];
    size_t count = kt_unusual_list(c->operand, c->job->operands, &s->out->calls.call[c->number], contents);
    for (size_t i = 0; i < count && !is_over(s); i++)
        try_contents(s, c, &contents[i]);
}

/* --- all of them ------------------------------------------------------------------------------------------- */

/* The calls of a group, from FIRST on. The recorded sizes are for where no smaller ones work. */
static void try_group(struct session *s, size_t first)
{
    const struct kt_unusual_calls *calls = &s->out->calls;
    bool usable = false;
    bool any = false;
    s->reference_hangs = 0;
    memset(s->hangs, 0, s->out->libraries * sizeof *s->hangs);
    for (size_t i = first; i < calls->count && calls->call[i].group == calls->call[first].group && !is_over(s); i++) {
        struct kt_examined c;
        if (any && calls->call[i].size == KT_UNUSUAL_SIZES - 1)
            break;
        kt_examined_open(&s->exam, i, &c);
        if (i == first || calls->call[i].size != calls->call[i - 1].size)
            usable = works(s, &c);
        any = any || usable;
        if (usable)
            try_call(s, &c);
    }
}

/* Calls of BLAS always return, so it comes first. */
static void try_groups(struct session *s)
{
    const struct kt_unusual_calls *calls = &s->out->calls;
    for (int lapack = 0; lapack < 2; lapack++)
        for (size_t i = 0; i < calls->count; i++) {
            bool blas = kt_routine_is_blas(calls->shape[i].first.entry->symbol.routine);
            if (blas == lapack || (i > 0 && calls->call[i].group == calls->call[i - 1].group))
                continue;
            s->out->left += is_over(s);
            if (!is_over(s))
                try_group(s, i);
        }
}

static enum kt_status open_session(struct session *s, const struct kt_library *const *library, struct kt_error *error)
{
    struct kt_exam *e = &s->exam;
    struct kt_unusual *out = s->out;
    e->jobs = &out->calls.jobs;
    e->pool = kt_data_pool_new();
    KT_TRY(kt_ground_open(out->calls.jobs.bytes, &e->ground, error));
    struct kt_image *const image[] = {&e->before, &e->first, &e->reference_after};
    for (size_t i = 0; i < sizeof image / sizeof *image; i++) {
        *image[i] = (struct kt_image){malloc(e->ground.bytes), (uint64_t)e->ground.base, e->ground.bytes};
        if (!image[i]->byte)
            return kt_fail(error, KT_SYSTEM, "no memory for copies of the operands");
    }
    s->hangs = kt_resize(NULL, out->libraries, sizeof *s->hangs);
    e->trial = kt_resize(NULL, out->libraries, sizeof *e->trial);
    for (size_t l = 0; l < out->libraries; l++) {
        kt_trial_prepare(library[l], e->jobs, &e->ground, &e->trial[l]);
        e->trial[l].plain = true;
    }
    kt_trial_prepare(&e->reference_library, e->jobs, &e->ground, &e->reference);
    e->reference.plain = true;
    return KT_OK;
}

static void close_session(struct session *s)
{
    struct kt_exam *e = &s->exam;
    for (size_t l = 0; e->trial && l < s->out->libraries; l++)
        kt_trial_close(&e->trial[l]);
    free(e->trial);
    free(s->hangs);
    if (e->reference.jobs)
        kt_trial_close(&e->reference);
    kt_library_free(&e->reference_library);
    kt_data_pool_free(e->pool);
    free(e->before.byte);
    free(e->first.byte);
    free(e->reference_after.byte);
    kt_ground_close(&e->ground);
}

enum kt_status kt_unusual_try(const struct kt_library *const *library, size_t libraries, const struct kt_jobs *jobs,
                              double budget, struct kt_unusual *out, struct kt_error *error)
{
    struct session s = {.out = out, .end = kt_now() + budget};
    *out = (struct kt_unusual){.libraries = libraries};
    kt_unusual_calls_make(jobs, &out->calls);
    out->of = kt_zeros(libraries, sizeof *out->of);
    enum kt_status status = open_session(&s, library, error);
    if (status == KT_OK &&
        kt_reference_start(&s.exam.reference_library, &s.exam.reference, out->without, sizeof out->without))
        try_groups(&s);
    close_session(&s);
    return status;
}

void kt_unusual_free(struct kt_unusual *unusual)
{
    kt_unusual_calls_free(&unusual->calls);
    free(unusual->of);
    free(unusual->finding);
    *unusual = (struct kt_unusual){0};
}
