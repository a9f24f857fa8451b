/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/right/right.h"

#include "replay/right/exam.h"
#include "trace/base/interrupt.h"
#include "replay/right/right_store.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdio.h>

/* Of operands: those that libraries work on, and four that results are compared with. */
enum { COPIES = 5 };

static void find_reference(struct kt_exam *s, struct kt_right *out)
{
    kt_trial_prepare(&s->reference_library, s->jobs, &s->ground, &s->reference);
    if (!kt_reference_start(&s->reference_library, &s->reference, out->without, sizeof out->without))
        s->reference.library = NULL;
}

static bool open_image(const struct kt_exam *s, struct kt_image *out)
{
    *out = (struct kt_image){malloc(s->ground.bytes), (uint64_t)s->ground.base, s->ground.bytes};
    return out->byte;
}

/* Of the largest job that is checked. */
static uint64_t most_bytes(const struct kt_exam *s)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->jobs->count; i++) {
        uint64_t own = s->jobs->job[i].refused ? 0 : s->jobs->job[i].bytes;
        bytes = own > bytes && own <= s->most ? own : bytes;
    }
    return bytes;
}

static enum kt_status open_session(struct kt_exam *s, struct kt_error *error)
{
    KT_TRY(kt_ground_open(most_bytes(s), &s->ground, error));
    if (!open_image(s, &s->before) || !open_image(s, &s->reference_after) || !open_image(s, &s->first) ||
        !open_image(s, &s->work))
        return kt_fail(error, KT_SYSTEM, "no memory for copies of the operands");
    s->pool = kt_data_pool_new();
    return KT_OK;
}

static void close_session(struct kt_exam *s, size_t libraries)
{
    for (size_t l = 0; s->trial && l < libraries; l++)
        kt_trial_close(&s->trial[l]);
    free(s->trial);
    kt_trial_close(&s->reference);
    kt_library_free(&s->reference_library);
    kt_data_pool_free(s->pool);
    free(s->before.byte);
    free(s->reference_after.byte);
    free(s->first.byte);
    free(s->work.byte);
    kt_ground_close(&s->ground);
}

static bool is_of_others(const struct kt_right_options *options, size_t job)
{
    return options->owner && options->owner[job] != options->number;
}

static const char *why_not(const struct kt_exam *s, size_t number, double start)
{
    const struct kt_job *job = &s->jobs->job[number];
    if (is_of_others(s->options, number))
        return "another share checks it, and has not found out yet";
    if (job->refused)
        return job->refused;
    if (job->info < 0)
        return "the recorded call had an illegal argument";
    if (job->bytes > s->most)
        return "there is no memory for copies of its operands";
    return kt_now() - start > s->options->budget ? "the time for checking was over" : NULL;
}

static void check_job(struct kt_exam *s, struct kt_right_store *store, size_t job, double start, struct kt_right *out)
{
    struct kt_examined scene;
    struct kt_reference reference;
    bool is_open = false;
    for (size_t l = 0; l < out->libraries && s->error->status == KT_OK; l++) {
        struct kt_rightness *r = &out->of[l * s->jobs->count + job];
        const char *why = why_not(s, job, start);
        if (kt_right_store_read(store, l, job, out))
            continue;
        if (why) {
            kt_conclude(r, KT_RESULT_UNCHECKED, "%s", why);
            continue;
        }
        if (!is_open) {
            kt_examined_open(s, job, &scene);
            kt_reference_ask(s, &scene, &reference);
        }
        is_open = true;
        r->lasts = kt_judge(s, &scene, &reference, &s->trial[l], r) && !kt_interrupted();
    }
}

static void check_jobs(struct kt_exam *s, const struct kt_library *const *library, double start, struct kt_right *out)
{
    struct kt_right_store store;
    find_reference(s, out);
    s->trial = kt_resize(NULL, out->libraries, sizeof *s->trial);
    for (size_t l = 0; l < out->libraries; l++)
        kt_trial_prepare(library[l], s->jobs, &s->ground, &s->trial[l]);
    kt_right_store_open(s->options, library, s->reference.library, out, &store);
    for (size_t i = 0; i < s->jobs->count && s->error->status == KT_OK && !kt_interrupted(); i++) {
        kt_progress("check", (double)i, (double)s->jobs->count);
        check_job(s, &store, i, start, out);
    }
    kt_progress("check", 1, 1);
    kt_right_store_close(&store, out);
}

enum kt_status kt_right_check(const struct kt_library *const *library, size_t libraries, const struct kt_jobs *jobs,
                              const struct kt_right_options *options, struct kt_right *out, struct kt_error *error)
{
    struct kt_exam s = {.jobs = jobs, .options = options, .most = kt_pages_limit() / COPIES, .error = error};
    double start = kt_now();
    *out = (struct kt_right){.jobs = jobs, .libraries = libraries};
    out->of = kt_resize(NULL, libraries * jobs->count, sizeof *out->of);
    for (size_t i = 0; i < libraries * jobs->count; i++)
        out->of[i] = (struct kt_rightness){.residual = NAN};
    if (open_session(&s, error) == KT_OK)
        check_jobs(&s, library, start, out);
    close_session(&s, libraries);
    out->seconds = kt_now() - start;
    return error->status;
}

/* What is wrong or was not finished, too: another process has just looked. */
void kt_right_read_others(const struct kt_library *const *library, const struct kt_right_options *options,
                          struct kt_right *right)
{
    struct kt_right_store store;
    kt_right_store_open(options, library, !*right->without, right, &store);
    store.takes_all = true;
    for (size_t l = 0; l < right->libraries; l++)
        for (size_t i = 0; i < right->jobs->count; i++) {
            char *before = right->of[l * right->jobs->count + i].what;
            if (is_of_others(options, i) && kt_right_store_read(&store, l, i, right))
                free(before);
        }
    kt_right_store_close(&store, right);
}

void kt_right_free(struct kt_right *right)
{
    for (size_t i = 0; right->of && i < right->libraries * right->jobs->count; i++)
        free(right->of[i].what);
    free(right->of);
    *right = (struct kt_right){0};
}

const struct kt_rightness *kt_right_of(const struct kt_right *right, size_t library, size_t job)
{
    return &right->of[library * right->jobs->count + job];
}

double kt_right_worst(const struct kt_right *right, size_t library)
{
    double worst = NAN;
    for (size_t i = 0; i < right->jobs->count; i++) {
        double residual = kt_right_of(right, library, i)->residual;
        if (!isnan(residual) && !(worst >= residual))
            worst = residual;
    }
    return worst;
}

size_t kt_right_count(const struct kt_right *right, size_t library, enum kt_verdict_of_result verdict)
{
    size_t found = 0;
    for (size_t i = 0; right->of && i < right->jobs->count; i++)
        found += kt_right_of(right, library, i)->verdict == verdict;
    return found;
}

bool kt_right_found(const struct kt_right *right)
{
    for (size_t i = 0; right->of && i < right->libraries * right->jobs->count; i++)
        if (right->of[i].verdict == KT_RESULT_WRONG)
            return true;
    return false;
}
