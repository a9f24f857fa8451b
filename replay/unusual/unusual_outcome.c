/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/unusual/unusual_outcome.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLACE_TEXT = 64, NUMBER_TEXT = 24 };

/* --- numbers ----------------------------------------------------------------------------------------------- */

static bool is_integer(const struct kt_operand *o)
{
    return o->arg && o->arg->type == KT_I;
}

/* Of one real number: a complex element has two. */
static size_t part_bytes(const struct kt_operand *o)
{
    enum kt_type type = o->arg ? o->arg->type : o->elem == 2 * sizeof(double) ? KT_Z : KT_C;
    return kt_type_real(type) == KT_S ? sizeof(float) : sizeof(double);
}

static double load(const unsigned char *at, size_t bytes)
{
    float single;
    double wide;
    if (bytes == sizeof single) {
        memcpy(&single, at, sizeof single);
        return single;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* How far two results of one call may be apart, of the largest. */
static double tolerance(size_t bytes)
{
    return sqrt(bytes == sizeof(float) ? FLT_EPSILON : DBL_EPSILON);
}

/* NEAR: how far ordinary numbers may be apart; below 0: they are not compared. */
static bool numbers_differ(double a, double b, double near)
{
    if (isnan(a) || isnan(b))
        return !isnan(a) || !isnan(b);
    if (isinf(a) || isinf(b))
        return a != b;
    return near >= 0 && fabs(a - b) > near;
}

static bool elements_differ(const struct kt_operand *o, const unsigned char *a, const unsigned char *b, double near)
{
    if (is_integer(o))
        return memcmp(a, b, o->elem) != 0;
    size_t bytes = part_bytes(o);
    for (size_t part = 0; part < o->elem; part += bytes)
        if (numbers_differ(load(a + part, bytes), load(b + part, bytes), near))
            return true;
    return false;
}

static void number_text(double value, char out[NUMBER_TEXT])
{
    snprintf(out, NUMBER_TEXT, isnan(value) ? "NaN" : isinf(value) ? (value < 0 ? "-Inf" : "Inf") : "%.3g", value);
}

static void element_text(const struct kt_operand *o, const unsigned char *at, const char *where,
                         char out[KT_OUTCOME_TEXT])
{
    char real[NUMBER_TEXT], imaginary[NUMBER_TEXT];
    size_t bytes = is_integer(o) ? o->elem : part_bytes(o);
    if (is_integer(o)) {
        int32_t narrow;
        int64_t wide = 0;
        memcpy(&narrow, at, sizeof narrow);
        if (o->elem == sizeof wide)
            memcpy(&wide, at, sizeof wide);
        snprintf(out, KT_OUTCOME_TEXT, "%s = %" PRId64, where, o->elem == sizeof wide ? wide : narrow);
        return;
    }
    number_text(load(at, bytes), real);
    if (bytes == o->elem) {
        snprintf(out, KT_OUTCOME_TEXT, "%s = %s", where, real);
        return;
    }
    number_text(load(at + bytes, bytes), imaginary);
    snprintf(out, KT_OUTCOME_TEXT, "%s = (%s,%s)", where, real, imaginary);
}

/* --- operands ---------------------------------------------------------------------------------------------- */

struct comparison {
    const struct kt_image *reference, *other;
    double near; /* of the largest number; below 0: numbers are not compared */
    char *of_reference, *of_other;
};

static double largest_number(const struct kt_operand *o, const struct kt_image *image)
{
    double largest = 0;
    int64_t runs = kt_operand_runs(o);
    size_t bytes = part_bytes(o);
    for (int64_t run = 0; run < runs; run++) {
        uint64_t lo, hi;
        kt_operand_run(o, run, &lo, &hi);
        for (; lo < hi; lo += bytes) {
            double value = fabs(load(image->byte + (lo - image->start), bytes));
            if (isfinite(value))
                largest = fmax(largest, value);
        }
    }
    return largest;
}

/* "y(3)", "c(2,1)": element I of run RUN. */
static void place_text(const struct kt_operand *o, int64_t run, uint64_t at, char out[PLACE_TEXT])
{
    int64_t offset = (int64_t)((at - o->base) / o->elem);
    if (o->form == KT_FORM_VECTOR || o->form == KT_FORM_ARRAY || o->ld <= 0)
        snprintf(out, PLACE_TEXT, "%.10s(%" PRId64 ")", o->name,
                 o->form == KT_FORM_VECTOR && o->ld != 1 ? run + 1 : offset + 1);
    else
        snprintf(out, PLACE_TEXT, "%.10s(%" PRId64 ",%" PRId64 ")", o->name, offset % o->ld + 1, offset / o->ld + 1);
}

static bool operand_differs(const struct comparison *c, const struct kt_operand *o)
{
    char where[PLACE_TEXT];
    int64_t runs = kt_operand_runs(o);
    double near = is_integer(o) || c->near < 0 ? -1 : c->near * largest_number(o, c->reference);
    for (int64_t run = 0; run < runs; run++) {
        uint64_t lo, hi;
        kt_operand_run(o, run, &lo, &hi);
        for (; lo < hi; lo += o->elem) {
            const unsigned char *a = c->reference->byte + (lo - c->reference->start);
            const unsigned char *b = c->other->byte + (lo - c->other->start);
            if (!elements_differ(o, a, b, near))
                continue;
            place_text(o, run, lo, where);
            element_text(o, a, where, c->of_reference);
            element_text(o, b, where, c->of_other);
            return true;
        }
    }
    return false;
}

/* --- calls ------------------------------------------------------------------------------------------------- */

static void end_text(const struct kt_trial_result *r, char out[KT_OUTCOME_TEXT])
{
    if (r->end == KT_TRIAL_RETURNED)
        snprintf(out, KT_OUTCOME_TEXT, r->info ? "info = %lld" : "returned", (long long)r->info);
    else if (r->timeout)
        snprintf(out, KT_OUTCOME_TEXT, "never returned in %.0f s", r->limit);
    else
        snprintf(out, KT_OUTCOME_TEXT, "crashed: %.50s", r->why);
}

static bool returned_differs(const struct kt_examined *call, const struct kt_outcome *reference,
                             const struct kt_outcome *other, char *of_reference, char *of_other)
{
    struct kt_operand a, b;
    if (!kt_examined_result(call, &reference->result->returned, &a) ||
        !kt_examined_result(call, &other->result->returned, &b))
        return false;
    const unsigned char *x = (const unsigned char *)a.lo;
    const unsigned char *y = (const unsigned char *)b.lo;
    double near = is_integer(&a) ? 0 : tolerance(part_bytes(&a)) * fabs(load(x, part_bytes(&a)));
    if (!elements_differ(&a, x, y, near))
        return false;
    element_text(&a, x, "result", of_reference);
    element_text(&b, y, "result", of_other);
    return true;
}

bool kt_routine_is_blas(const struct kt_routine *routine)
{
    return !strncmp(routine->section, "blas", 4);
}

bool kt_outcomes_differ(const struct kt_examined *call, const struct kt_outcome *reference,
                        const struct kt_outcome *other, char of_reference[KT_OUTCOME_TEXT],
                        char of_other[KT_OUTCOME_TEXT])
{
    const struct kt_trial_result *a = reference->result;
    const struct kt_trial_result *b = other->result;
    double near = kt_routine_is_blas(call->scene.symbol->routine) ? tolerance(sizeof(double)) : -1;
    struct comparison comparison = {reference->after, other->after, near, of_reference, of_other};
    end_text(a, of_reference);
    end_text(b, of_other);
    if (a->end != b->end || a->timeout != b->timeout || a->info != b->info)
        return true;
    if (a->end != KT_TRIAL_RETURNED || a->info != 0)
        return false;
    if (returned_differs(call, reference, other, of_reference, of_other))
        return true;
    for (int i = 0; i < call->job->operands; i++) {
        const struct kt_operand *o = &call->operand[i];
        comparison.near = near < 0 || is_integer(o) ? -1 : tolerance(part_bytes(o));
        if (kt_is_result(o) && operand_differs(&comparison, o))
            return true;
    }
    return false;
}
