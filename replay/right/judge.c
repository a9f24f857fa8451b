/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/right/exam.h"

#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { WHAT = 256 };

void kt_conclude(struct kt_rightness *r, enum kt_verdict_of_result verdict, const char *format, ...)
{
    char text[WHAT];
    va_list list;
    if (r->verdict == KT_RESULT_WRONG)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    free(r->what);
    r->what = kt_copy(text);
    r->verdict = verdict;
}

/* --- one library ------------------------------------------------------------------------------------------- */

/* What is no number is as wrong as can be said. */
static void note_residual(struct kt_rightness *out, double residual)
{
    residual = fmin(residual, DBL_MAX);
    out->residual = isnan(out->residual) ? residual : fmax(out->residual, residual);
    if (out->verdict == KT_RESULT_UNCHECKED)
        out->verdict = KT_RESULT_RIGHT;
}

static const char *residual_text(double residual, char out[32])
{
    snprintf(out, 32, residual >= DBL_MAX ? "no numbers" : "residual %.2g", residual);
    return out;
}

static void check_relations(const struct kt_examined *c, struct kt_rightness *out)
{
    const struct kt_relations *check = c->scene.symbol->routine->check;
    for (int i = 0; check && i < check->count; i++) {
        double residual;
        char text[32];
        if (!check->relation[i].right.products || !kt_relation_holds(&c->scene, &check->relation[i]) ||
            !kt_residual(&c->scene, &check->relation[i], &residual))
            continue;
        note_residual(out, residual);
        if (residual > KT_RESIDUAL_LIMIT)
            kt_conclude(out, KT_RESULT_WRONG, "%s: %s does not hold", residual_text(residual, text),
                        check->relation[i].text);
    }
}

/* Without relations all results are compared, otherwise those that stand alone in one. */
static bool is_comparable(const struct kt_examined *c, const struct kt_operand *o, bool is_returned)
{
    const struct kt_relations *check = c->scene.symbol->routine->check;
    for (int i = 0; check && i < check->count; i++) {
        const struct kt_relation *r = &check->relation[i];
        int arg = r->left.product[0].factor[0].arg;
        bool found = is_returned ? arg == KT_RESULT_OPERAND : kt_scene_operand(&c->scene, arg) == o;
        if (found && !r->right.products && kt_relation_holds(&c->scene, r))
            return true;
    }
    return !check;
}

static double largest_dimension(const struct kt_job *job)
{
    double largest = 1;
    for (int i = 0; i < job->operands; i++)
        if (job->operand[i].access != KT_WORK)
            largest = fmax(largest, (double)(job->operand[i].rows > job->operand[i].cols ? job->operand[i].rows
                                                                                         : job->operand[i].cols));
    return largest;
}

static void judge(const struct kt_examined *c, const struct kt_operand *o, const struct kt_difference *d, double change,
                  bool unstable, struct kt_rightness *out)
{
    char text[32];
    double eps = kt_routine_eps(c->scene.symbol->routine);
    double unit = largest_dimension(c->job) * (eps * d->largest + change);
    if (o->arg && o->arg->type == KT_I) {
        if (!unstable)
            note_residual(out, 0);
        if (d->integers && !unstable)
            kt_conclude(out, KT_RESULT_WRONG, "%s differs from the reference library's at element %lld", o->name,
                        (long long)(d->run * (o->cols > 1 ? o->rows : 1) + d->element + 1));
        return;
    }
    if (!isfinite(unit))
        return;
    double residual = d->difference == 0 ? 0 : fmin(d->difference / unit, DBL_MAX);
    note_residual(out, residual);
    if (residual > KT_RESIDUAL_LIMIT)
        kt_conclude(out, KT_RESULT_WRONG, "%s: %s differs from the reference library's by %.2g at (%lld, %lld)",
                    residual_text(residual, text), o->name, d->difference, (long long)d->element + 1,
                    (long long)d->run + 1);
}

static void compare_results(const struct kt_exam *s, const struct kt_examined *c, const struct kt_reference *r,
                            const struct kt_trial_result *result, struct kt_rightness *out)
{
    struct kt_difference d;
    for (int i = 0; i < c->job->operands; i++) {
        const struct kt_operand *o = &c->operand[i];
        if (!kt_is_result(o) || !is_comparable(c, o, !o->arg))
            continue;
        kt_difference_find(o, &s->reference_after, &c->scene.after, kt_unwritten(o), &d);
        judge(c, o, &d, r->change[i], r->unstable[i], out);
    }
    struct kt_operand returned;
    const struct kt_operand *o = kt_examined_result(c, &result->returned, &returned);
    if (!o || !is_comparable(c, o, true))
        return;
    d = kt_examined_compare_results(c, &r->result.returned, &result->returned);
    judge(c, o, &d, r->change[KT_MAX_OPERANDS], r->unstable[KT_MAX_OPERANDS], out);
}

/* True: results can be looked at. */
static bool check_info(const struct kt_examined *c, const struct kt_reference *r, const struct kt_trial_result *result,
                       struct kt_rightness *out)
{
    int64_t expected = r->known ? r->result.info : c->job->info == 0 ? 0 : result->info;
    if (result->info != expected)
        kt_conclude(out, KT_RESULT_WRONG, "info = %lld, %s %lld", (long long)result->info,
                    r->known ? "that of the reference library is" : "that of the recorded call was",
                    (long long)expected);
    return result->info == 0 && expected == 0;
}

/* With the other filling results are mostly the same to the last bit, and need not be looked at again. */
static bool is_as_before(const struct kt_exam *s, const struct kt_examined *c, int filling)
{
    bool same = filling > 0;
    for (int i = 0; i < c->job->operands && same; i++) {
        int64_t runs = kt_is_result(&c->operand[i]) ? kt_operand_runs(&c->operand[i]) : 0;
        for (int64_t run = 0; run < runs && same; run++) {
            uint64_t lo, hi;
            kt_operand_run(&c->operand[i], run, &lo, &hi);
            uint64_t at = lo - s->first.start;
            same = lo >= hi || !memcmp(s->first.byte + at, c->scene.after.byte + at, hi - lo);
        }
    }
    if (!filling)
        memcpy(s->first.byte, c->scene.after.byte, c->scene.after.bytes);
    return same && !c->scene.symbol->routine->has_result;
}

/* How the library left the call that did not return. */
static void conclude_end(const struct kt_trial_result *result, struct kt_rightness *out)
{
    char limit[16];
    if (result->timeout)
        kt_conclude(out, KT_RESULT_UNFINISHED, "not finished within %s", kt_text_seconds(result->limit, limit));
    else
        kt_conclude(out, KT_RESULT_WRONG, "the call %s", result->why);
}

/* False if no process of the library could be had: another time it may be. */
static bool check_call(struct kt_exam *s, struct kt_examined *c, const struct kt_reference *r, struct kt_trial *trial,
                       int filling, struct kt_rightness *out)
{
    char text[WHAT];
    struct kt_trial_result result;
    struct kt_error cause = {0};
    double limit = 5 + 50 * c->job->insitu.median + (r->known ? 20 * r->result.seconds : 0);
    kt_examined_fill(s, c, filling);
    enum kt_status status = kt_trial_call(trial, c->number, kt_filling(filling), limit, &result, &cause);
    if (status == KT_SYSTEM)
        kt_fail(s->error, status, "%s", cause.text);
    if (kt_interrupted())
        return false;
    if (status != KT_OK) {
        kt_conclude(out, KT_RESULT_UNCHECKED, "%s", cause.text);
        return false;
    }
    if (result.end == KT_TRIAL_MISSING)
        kt_conclude(out, KT_RESULT_UNCHECKED, "%s has no %s", trial->library->name, c->scene.symbol->name);
    else if (result.end == KT_TRIAL_ENDED)
        conclude_end(&result, out);
    if (result.end != KT_TRIAL_RETURNED)
        return true;
    struct kt_image work = s->work;
    work.bytes = c->scene.after.bytes;
    if (kt_guard_broken(&c->scene.before, &c->scene.after, &work, c->operand, c->job->operands, text, sizeof text))
        kt_conclude(out, KT_RESULT_WRONG, "%s", text);
    if (!check_info(c, r, &result, out) || !c->compared || is_as_before(s, c, filling))
        return true;
    c->scene.result = kt_examined_result(c, &result.returned, &c->returned);
    check_relations(c, out);
    if (r->known)
        compare_results(s, c, r, &result, out);
    return true;
}

/* Nothing that another filling shows would change it. */
static bool is_over(const struct kt_rightness *r)
{
    return r->verdict == KT_RESULT_WRONG || r->verdict == KT_RESULT_UNFINISHED;
}

bool kt_judge(struct kt_exam *s, struct kt_examined *c, const struct kt_reference *r, struct kt_trial *trial,
              struct kt_rightness *out)
{
    bool lasts = true;
    *out = (struct kt_rightness){.residual = NAN};
    if (!kt_library_takes(trial->library, c->job->int_bytes)) {
        kt_conclude(out, KT_RESULT_UNCHECKED, "recorded with integers of another width than the library's");
        return true;
    }
    if (r->known && r->result.info < 0) {
        kt_conclude(out, KT_RESULT_UNCHECKED, "with other contents than recorded it has an illegal argument");
        return true;
    }
    for (int filling = 0; filling < KT_FILLINGS && !is_over(out); filling++) {
        lasts = check_call(s, c, r, trial, filling, out) && lasts;
        if (filling && out->verdict == KT_RESULT_WRONG) {
            char *what = out->what;
            out->what = NULL;
            out->verdict = KT_RESULT_UNCHECKED;
            kt_conclude(out, KT_RESULT_WRONG, "depends on memory that is no input: where that holds NAN, %s", what);
            free(what);
        }
    }
    if (kt_interrupted())
        kt_conclude(out, KT_RESULT_UNCHECKED, "interrupted");
    if (out->verdict == KT_RESULT_UNCHECKED && !out->what)
        kt_conclude(out, KT_RESULT_UNCHECKED, "%s",
                    c->job->shape->query ? "asks for a workspace only"
                    : !c->compared       ? "operands that it writes overlap others"
                    : r->too_slow        ? "too large to ask the reference library"
                                         : "there is nothing to compare with");
    return lasts;
}
