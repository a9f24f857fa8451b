/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/result/result.h"
#include "replay/right/right.h"
#include "trace/command/json.h"
#include "trace/read/profile.h"
#include "trace/print/text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHAPE_WIDTH = 60, ROWS = 10 };

/* The command that writes a program which makes the call; a profile has no single ones. */
static void command(const struct kt_job *job, const struct kt_trace *trace, char *out, size_t size)
{
    if (kt_is_profile(trace))
        snprintf(out, size, "ktrace repro %s --routine %s", trace->path, job->shape->first.entry->symbol.routine->name);
    else
        snprintf(out, size, "ktrace repro %s --call %" PRIu64, trace->path, job->shape->usual.n);
}

static json_t *wrong_json(const struct kt_right *right, size_t library, size_t i, const struct kt_trace *trace)
{
    char text[4400];
    const struct kt_job *job = &right->jobs->job[i];
    const struct kt_rightness *r = kt_right_of(right, library, i);
    json_t *json = kt_job_json(job);
    command(job, trace, text, sizeof text);
    json_object_set_new(json, "what", kt_json_text(r->what));
    json_object_set_new(json, "residual", kt_json_number(r->residual));
    json_object_set_new(json, "reproduce", kt_json_text(text));
    return json;
}

static json_t *without_verdict_json(const struct kt_right *right, size_t library, size_t i)
{
    json_t *json = kt_job_json(&right->jobs->job[i]);
    json_object_set_new(json, "why", kt_json_text_or_null(kt_right_of(right, library, i)->what));
    return json;
}

/* Those of that verdict, which is none on the result. */
static json_t *list_json(const struct kt_right *right, size_t library, enum kt_verdict_of_result verdict)
{
    json_t *list = json_array();
    for (size_t i = 0; i < right->jobs->count; i++)
        if (kt_right_of(right, library, i)->verdict == verdict)
            json_array_append_new(list, without_verdict_json(right, library, i));
    return list;
}

/* Shapes with a verdict on their result. */
static size_t count_checked(const struct kt_right *right, size_t library)
{
    return kt_right_count(right, library, KT_RESULT_RIGHT) + kt_right_count(right, library, KT_RESULT_WRONG);
}

json_t *kt_right_json(const struct kt_right *right, size_t library, const struct kt_trace *trace)
{
    if (!right->of)
        return json_pack("{s:n}", "worst_residual");
    json_t *wrong = json_array();
    for (size_t i = 0; i < right->jobs->count; i++)
        if (kt_right_of(right, library, i)->verdict == KT_RESULT_WRONG)
            json_array_append_new(wrong, wrong_json(right, library, i, trace));
    return json_pack("{s:o, s:o, s:o, s:o, s:f, s:I, s:I, s:I, s:o}", "not_compared",
                     *right->without ? kt_json_text(right->without) : json_null(), "unchecked",
                     list_json(right, library, KT_RESULT_UNCHECKED), "unfinished",
                     list_json(right, library, KT_RESULT_UNFINISHED), "worst_residual",
                     kt_json_number(kt_right_worst(right, library)), "residual_limit", KT_RESIDUAL_LIMIT,
                     "shapes_checked", (json_int_t)count_checked(right, library), "shapes_unchecked",
                     (json_int_t)kt_right_count(right, library, KT_RESULT_UNCHECKED), "shapes_unfinished",
                     (json_int_t)kt_right_count(right, library, KT_RESULT_UNFINISHED), "wrong", wrong);
}

static void print_wrapped(const char *text)
{
    enum { INDENT = 2 };
    printf("%*s", INDENT, "");
    kt_text_wrap(INDENT, INDENT, text);
}

static void print_wrong(const struct kt_right *right, const char *name, size_t library, const struct kt_trace *trace)
{
    char text[4400];
    size_t listed = 0;
    for (size_t i = 0; i < right->jobs->count; i++) {
        const struct kt_job *job = &right->jobs->job[i];
        const struct kt_rightness *r = kt_right_of(right, library, i);
        if (r->verdict != KT_RESULT_WRONG || listed++ >= ROWS)
            continue;
        kt_job_text(job, text, SHAPE_WIDTH);
        printf("%s is wrong: %s\n", kt_base_name(name), text);
        print_wrapped(r->what);
        command(job, trace, text, sizeof text);
        printf("  %s\n", text);
    }
    if (listed > ROWS)
        printf("%s is wrong for %zu shapes; all of them with --json.\n", kt_base_name(name), listed);
}

/* Shapes that were not checked for the same reason as the I-th; 0: an earlier one stands for them. */
static size_t count_alike(const struct kt_right *right, size_t library, size_t i)
{
    const char *why = kt_right_of(right, library, i)->what;
    size_t found = 0;
    for (size_t j = 0; j < right->jobs->count; j++) {
        const struct kt_rightness *other = kt_right_of(right, library, j);
        bool alike = other->verdict == KT_RESULT_UNCHECKED && other->what && !strcmp(other->what, why);
        if (alike && j < i)
            return 0;
        found += alike;
    }
    return found;
}

static void print_unchecked(const struct kt_right *right, size_t library)
{
    enum { REASONS = 3 };
    char text[1024] = "not checked: ";
    size_t used = strlen(text);
    int reasons = 0;
    for (size_t i = 0; i < right->jobs->count && reasons < REASONS; i++) {
        const struct kt_rightness *r = kt_right_of(right, library, i);
        size_t alike = r->verdict == KT_RESULT_UNCHECKED && r->what ? count_alike(right, library, i) : 0;
        if (alike && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu %.200s", reasons++ ? "; " : "", alike,
                                     r->what);
    }
    if (reasons)
        print_wrapped(text);
}

static void print_unfinished(const struct kt_right *right, size_t library)
{
    enum { WIDTH = 48 };
    char text[4 * WIDTH];
    size_t listed = 0;
    for (size_t i = 0; i < right->jobs->count; i++) {
        const struct kt_rightness *r = kt_right_of(right, library, i);
        if (r->verdict != KT_RESULT_UNFINISHED || listed++ >= ROWS)
            continue;
        kt_job_text(&right->jobs->job[i], text, WIDTH);
        printf("  %s: %s\n", r->what, text);
    }
    if (listed > ROWS)
        printf("  ... and %zu more; all of them with --json\n", listed - ROWS);
}

/* "blis: 20 of 22 shapes checked, 1 not finished, worst residual 0.04 (limit 30)" */
static void print_library(const struct kt_right *right, const char *name, size_t library)
{
    double worst = kt_right_worst(right, library);
    size_t unfinished = kt_right_count(right, library, KT_RESULT_UNFINISHED);
    printf("%s: %zu of %s checked", kt_base_name(name), count_checked(right, library),
           KT_COUNT(right->jobs->count, "shape"));
    if (unfinished)
        printf(", %zu not finished", unfinished);
    if (isnan(worst))
        printf("\n");
    else if (worst >= DBL_MAX)
        printf(", worst residual infinite (limit %g)\n", KT_RESIDUAL_LIMIT);
    else
        printf(", worst residual %.2g (limit %g)\n", worst, KT_RESIDUAL_LIMIT);
    print_unfinished(right, library);
    print_unchecked(right, library);
}

void kt_right_print(const struct kt_right *right, const char *const *name, const struct kt_trace *trace)
{
    char seconds[40];
    printf("\n");
    for (size_t l = 0; l < right->libraries; l++)
        print_wrong(right, name[l], l, trace);
    for (size_t l = 0; l < right->libraries; l++)
        print_library(right, name[l], l);
    if (*right->without)
        printf("Not compared with reference BLAS: %s.\n", right->without);
    printf("Checked in %s.\n", kt_text_seconds(right->seconds, seconds));
}
