/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/roofline/own_kernels.h"

#include "replay/setup/kernel_exam.h"
#include "trace/base/memory.h"
#include "trace/library/installed.h"

#include <math.h>
#include <stdio.h>

struct own {
    const char *file;
    double limit;
    struct kt_roofline *roofline;
    struct kt_kernel_sizes sizes;
    struct kt_table routine[KT_MOST_SIZES]; /* of one routine each; owned */
};

static void note_failure(struct own *o, int64_t n, const char *why)
{
    struct kt_roofline *r = o->roofline;
    r->failure = kt_room_for_one(r->failure, r->failures, sizeof *r->failure);
    struct kt_kernel_failure *failure = &r->failure[r->failures++];
    *failure = (struct kt_kernel_failure){.n = n};
    snprintf(failure->kernel, sizeof failure->kernel, "%s", o->file);
    snprintf(failure->why, sizeof failure->why, "%s", why);
}

/* --- its sizes --------------------------------------------------------------------------------------------- */

static struct kt_quantities work_of(const struct kt_routine *routine, const struct kt_values *values,
                                    const struct kt_kernel_facts *facts, unsigned line_shift)
{
    struct kt_symbol symbol;
    struct kt_quantities work;
    kt_symbol_make(routine, KT_FORTRAN, &symbol);
    kt_quantities_of_values(&symbol, values, sizeof(int64_t), facts->flops, line_shift, &work);
    return work;
}

/* SIZE is its index in the plan. */
static enum kt_status add_size(struct own *o, size_t size, const struct kt_kernel_facts *facts, struct kt_error *error)
{
    struct kt_kernel_sizes *k = &o->sizes;
    const struct kt_roofs *roofs = &o->roofline->roofs[0];
    size_t i = k->count;
    struct kt_timing_call *call = &k->call[i];
    *call = (struct kt_timing_call){.guess = facts->seconds};
    KT_TRY(kt_kernel_exam_routine(facts, k->plan->size[size], &o->routine[i], &call->values, error));
    call->routine = o->routine[i].routine;
    k->number[i] = size + 1;
    k->work[i] = work_of(call->routine, &call->values, facts, roofs->line_shift);
    k->traffic[i] = isnan(facts->bytes) ? kt_quantities_traffic(&k->work[i], roofs->cache) : facts->bytes;
    snprintf(k->name, sizeof k->name, "%s", facts->name);
    k->count++;
    return KT_OK;
}

static bool ends(enum kt_kernel_verdict verdict)
{
    return verdict == KT_KERNEL_HANGS || verdict == KT_KERNEL_IS_NONE;
}

/* Larger n are not tried where one did not return. */
static enum kt_status try_sizes(struct own *o, struct kt_error *error)
{
    const struct kt_kernel_plan *plan = o->sizes.plan;
    struct kt_kernel_exam exam = {0};
    size_t refused = 0;
    for (size_t i = 0; i < plan->sizes && !ends(exam.verdict) && !kt_timing_interrupted(); i++) {
        KT_TRY(kt_kernel_exam(o->file, plan->size[i], o->limit, &exam, error));
        if (kt_timing_interrupted()) /* which ends its call, too */
            return KT_OK;
        refused += exam.verdict == KT_KERNEL_TAKES_NOT;
        if (exam.verdict == KT_KERNEL_SOUND)
            KT_TRY(add_size(o, i, &exam.facts, error));
        else if (exam.verdict != KT_KERNEL_TAKES_NOT)
            note_failure(o, exam.verdict == KT_KERNEL_IS_NONE ? 0 : plan->size[i], exam.why);
    }
    if (refused == plan->sizes)
        note_failure(o, 0, "it takes none of these n");
    return KT_OK;
}

/* --- its times --------------------------------------------------------------------------------------------- */

/* What it is called in pictures: its name, unless another one has it. */
static const char *label_of(const struct own *o)
{
    for (size_t s = 0; s < o->roofline->count; s++)
        if (!strcmp(o->roofline->series[s].file, o->sizes.name))
            return o->file;
    return o->sizes.name;
}

static enum kt_status time_sizes(struct own *o, double seconds, struct kt_error *error)
{
    struct kt_kernel_sizes *k = &o->sizes;
    const struct kt_timing_of of = {.kernel = o->file, .threads = 1};
    KT_TRY(kt_kernel_run(k, &of, seconds, error));
    for (size_t i = 0; i < k->count; i++)
        if (k->call[i].failure[0])
            note_failure(o, k->plan->size[k->number[i] - 1], k->call[i].failure);
    kt_kernel_add(k, kt_base_name(o->file), label_of(o), o->roofline);
    return KT_OK;
}

static enum kt_status time_own(struct own *o, double seconds, struct kt_error *error)
{
    enum kt_status status = try_sizes(o, error);
    if (status == KT_OK && o->sizes.count)
        status = time_sizes(o, seconds, error);
    for (size_t i = 0; i < KT_MOST_SIZES; i++)
        kt_table_free(&o->routine[i]);
    return status;
}

enum kt_status kt_own_kernels_time(const struct kt_kernel_plan *plan, const char *const *file, size_t count,
                                   double limit, struct kt_roofline *roofline, struct kt_error *error)
{
    enum kt_status status = KT_OK;
    struct own *o = kt_resize(NULL, 1, sizeof *o);
    kt_timing_catch();
    for (size_t i = 0; status == KT_OK && i < count; i++) {
        *o = (struct own){.file = file[i], .limit = limit, .roofline = roofline, .sizes.plan = plan};
        status = time_own(o, plan->seconds / (double)count, error);
    }
    free(o);
    return status;
}
