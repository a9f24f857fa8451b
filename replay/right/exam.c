/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/right/exam.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES = 2 };

/* --- operands ---------------------------------------------------------------------------------------------- */

static struct kt_image ground_image(const struct kt_exam *s, const struct kt_examined *c)
{
    return (struct kt_image){s->ground.base, (uint64_t)s->ground.base, c->job->bytes + 2 * (uint64_t)KT_GROUND_MARGIN};
}

static bool overlap(const struct kt_operand *a, const struct kt_operand *b)
{
    return a->lo < b->hi && b->lo < a->hi;
}

/* What a call leaves where operands overlap depends on the order in which it works. */
static bool is_determined(const struct kt_job *job)
{
    for (int i = 0; i < job->operands; i++)
        for (int j = 0; j < job->operands; j++)
            if (i != j && job->operand[i].access != KT_READ && overlap(&job->operand[i], &job->operand[j]))
                return false;
    return !job->shape->query;
}

void kt_examined_open(const struct kt_exam *s, size_t number, struct kt_examined *c)
{
    const struct kt_job *job = &s->jobs->job[number];
    uint64_t base = (uint64_t)s->ground.base + KT_GROUND_MARGIN;
    *c = (struct kt_examined){.number = number, .job = job, .compared = is_determined(job)};
    for (int i = 0; i < job->operands; i++) {
        c->operand[i] = job->operand[i];
        c->operand[i].base += base;
        c->operand[i].lo += base;
        c->operand[i].hi += base;
    }
    c->scene = (struct kt_scene){.symbol = &job->shape->first.entry->symbol,
                                 .operand = c->operand,
                                 .operands = job->operands,
                                 .before = s->before,
                                 .after = ground_image(s, c)};
    kt_values_decode(c->scene.symbol, job->shape->first.args, &c->scene.values);
    c->scene.before.bytes = c->scene.after.bytes;
}

static bool is_input(const struct kt_operand *o)
{
    return o->arg && (o->access & KT_READ || o->arg->data != KT_ANY);
}

void kt_examined_fill(const struct kt_exam *s, const struct kt_examined *c, int filling)
{
    memset(s->ground.base, kt_filling(filling), c->scene.after.bytes);
    for (int i = 0; i < c->job->operands; i++)
        if (is_input(&c->operand[i]))
            kt_data_fill(s->pool, c->operand, c->job->operands, i);
    memcpy(s->before.byte, s->ground.base, c->scene.after.bytes);
}

bool kt_is_result(const struct kt_operand *o)
{
    return o->lo != o->hi && o->access & KT_WRITE;
}

const struct kt_operand *kt_examined_result(const struct kt_examined *c, const struct kt_returned *returned,
                                            struct kt_operand *out)
{
    static const struct kt_arg of_type[] = {
        {.type = KT_S}, {.type = KT_D}, {.type = KT_C}, {.type = KT_Z}, {.type = KT_I}};
    const struct kt_symbol *symbol = c->scene.symbol;
    const struct kt_routine *r = symbol->routine;
    bool stored = symbol->params && symbol->param[symbol->params - 1].arg == KT_ARG_RESULT;
    if (!r->has_result || stored)
        return NULL;
    uint64_t at = r->result == KT_I ? (uint64_t)&returned->integer : (uint64_t)returned->number;
    *out = (struct kt_operand){
        .name = "the result", .arg = &of_type[r->result], .form = KT_FORM_ARRAY, .access = KT_WRITE};
    out->elem = r->result == KT_I ? c->job->int_bytes : kt_type_bytes(r->result);
    out->rows = out->cols = out->ld = 1;
    out->base = out->lo = at;
    out->hi = at + out->elem;
    return out;
}

/* --- the reference ----------------------------------------------------------------------------------------- */

bool kt_reference_start(struct kt_library *library, struct kt_trial *trial, char *why, size_t size)
{
    struct kt_error cause = {0};
    struct kt_error ignored = {0};
    if (kt_library_find("reference,liblapacke.so.3", library, &cause) == KT_OK) {
        if (kt_trial_start(trial, &ignored) == KT_OK)
            return true;
        free(library->file[--library->files]);
        if (kt_trial_start(trial, &cause) == KT_OK)
            return true;
    }
    snprintf(why, size, "%s", cause.text);
    return false;
}

/* Reference BLAS does about one operation per nanosecond. */
static bool is_affordable(const struct kt_exam *s, const struct kt_job *job)
{
    double flops = job->shape->flops;
    double largest = 0;
    for (int i = 0; i < job->operands; i++)
        largest = fmax(largest, (double)(job->operand[i].cols > 1 ? job->operand[i].rows : 0));
    double operations = isnan(flops) ? 20 * largest * largest * largest : flops;
    return operations * 1e-9 < s->options->limit;
}

static bool call_reference(struct kt_exam *s, const struct kt_examined *c, struct kt_trial_result *out)
{
    struct kt_error ignored = {0};
    return kt_trial_call(&s->reference, c->number, kt_filling(0), 2 * s->options->limit + 5, out, &ignored) == KT_OK &&
           out->end == KT_TRIAL_RETURNED;
}

static void note_change(struct kt_reference *r, int i, const struct kt_difference *d)
{
    r->change[i] = fmax(r->change[i], d->difference);
    r->unstable[i] = r->unstable[i] || d->integers;
}

static struct kt_image image_of(const struct kt_operand *o)
{
    return (struct kt_image){(unsigned char *)o->lo, o->lo, o->hi - o->lo};
}

struct kt_difference kt_examined_compare_results(const struct kt_examined *c, const struct kt_returned *a,
                                                 const struct kt_returned *b)
{
    struct kt_operand x, y;
    struct kt_difference d = {0};
    if (!kt_examined_result(c, a, &x) || !kt_examined_result(c, b, &y))
        return d;
    struct kt_image reference = image_of(&x);
    struct kt_image other = image_of(&y);
    other.start = reference.start;
    kt_difference_find(&x, &reference, &other, -1, &d);
    return d;
}

int kt_unwritten(const struct kt_operand *o)
{
    return o->access & KT_READ ? -1 : kt_filling(0);
}

/* How much the results change with the last bits of the inputs. */
static bool measure_changes(struct kt_exam *s, const struct kt_examined *c, struct kt_reference *r)
{
    uint64_t state = 1;
    int changes = r->result.seconds < 0.1 ? CHANGES : 1;
    for (int n = 0; n < changes; n++) {
        struct kt_trial_result result;
        struct kt_image after = c->scene.after;
        memcpy(s->ground.base, s->before.byte, after.bytes);
        for (int i = 0; i < c->job->operands; i++)
            if (c->operand[i].access & KT_READ)
                kt_inputs_change(&c->operand[i], &after, &state);
        if (!call_reference(s, c, &result))
            return false;
        for (int i = 0; i < c->job->operands; i++) {
            struct kt_difference d;
            if (!kt_is_result(&c->operand[i]))
                continue;
            kt_difference_find(&c->operand[i], &s->reference_after, &after, kt_unwritten(&c->operand[i]), &d);
            note_change(r, i, &d);
        }
        struct kt_difference d = kt_examined_compare_results(c, &r->result.returned, &result.returned);
        note_change(r, KT_MAX_OPERANDS, &d);
    }
    return true;
}

void kt_reference_ask(struct kt_exam *s, const struct kt_examined *c, struct kt_reference *r)
{
    *r = (struct kt_reference){0};
    if (!s->reference.library || !c->compared || !kt_library_takes(s->reference.library, c->job->int_bytes))
        return;
    r->too_slow = !is_affordable(s, c->job);
    if (r->too_slow)
        return;
    kt_examined_fill(s, c, 0);
    if (!call_reference(s, c, &r->result))
        return;
    memcpy(s->reference_after.byte, s->ground.base, c->scene.after.bytes);
    r->known = r->result.info != 0 || measure_changes(s, c, r);
}
