/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/call/job.h"

#include "replay/call/call.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <stdarg.h>
#include <stdio.h>

void kt_job_refuse(struct kt_job *job, const char *format, ...)
{
    char text[256];
    va_list list;
    if (job->refused)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    job->refused = kt_copy(text);
}

static bool overlap(const struct kt_operand *a, const struct kt_operand *b)
{
    return a->lo < b->hi && b->lo < a->hi;
}

/* Contents that are read have to be written again if the call, through this operand or another, overwrites them. */
static void mark_changed_inputs(struct kt_job *job)
{
    for (int i = 0; i < job->operands; i++) {
        const struct kt_operand *input = &job->operand[i];
        for (int j = 0; j < job->operands && input->access & KT_READ; j++)
            if (job->operand[j].access != KT_READ && overlap(input, &job->operand[j]))
                job->restore[i] = true;
    }
}

static void place_operands(const struct kt_layout *layout, struct kt_job *job)
{
    if (!kt_arena_layout(layout, job->operand, job->operands, job->address, &job->bytes)) {
        kt_job_refuse(job, "its arguments describe impossible operands");
        return;
    }
    for (int i = 0; i < job->operands; i++) {
        struct kt_operand *o = &job->operand[i];
        uint64_t shift = job->address[i] - o->base;
        o->base += shift;
        o->lo += shift;
        o->hi += shift;
    }
}

static void make_job(const struct kt_shape_group *shape, const struct kt_jobs_rules *rules,
                     const struct kt_snapshot *held, struct kt_job *job)
{
    const struct kt_entry *entry = shape->first.entry;
    struct kt_values values;
    *job = (struct kt_job){.shape = shape, .insitu = kt_samples_stat(&shape->seconds, KT_BEST_MEDIAN), .held = held};
    job->int_bytes = entry->int_bytes;
    kt_values_decode(&entry->symbol, shape->usual.args, &values);
    job->operands = kt_operands(&entry->symbol, &values, job->int_bytes, job->operand);
    job->info = 2 * shape->failed > shape->calls ? shape->info : 0;
    mark_changed_inputs(job);
    place_operands(&rules->layout, job);
    if (!kt_thunk_of(&entry->symbol))
        kt_job_refuse(job, "ktrace has no way to call %s", entry->symbol.name);
    if (job->info > 0 && !job->held && kt_failure_is_early(entry->symbol.routine))
        kt_job_refuse(job, "calls of it ended early with info = %lld, which made contents do not: see KTRACE_SNAPSHOT",
                      (long long)job->info);
    if (job->bytes > rules->limit)
        kt_job_refuse(job, "its operands take %.1f GB, more than half of the memory that is available",
                      (double)job->bytes / 1e9);
}

void kt_jobs_make(const struct kt_shapes *shapes, const struct kt_jobs_rules *rules, struct kt_jobs *out)
{
    *out = (struct kt_jobs){.job = kt_resize(NULL, shapes->count, sizeof *out->job),
                            .bytes = KT_ARENA_PAGE,
                            .layout = rules->layout,
                            .timer = rules->timer,
                            .processor = shapes->processor};
    for (size_t i = 0; i < shapes->count; i++) {
        const struct kt_shape_group *shape = &shapes->shape[i];
        if (shape->calls == 0 || !kt_routine_matches(shape->first.entry->symbol.routine->name, rules->filter))
            continue;
        struct kt_job *job = &out->job[out->count++];
        make_job(shape, rules, rules->held ? rules->held[i] : NULL, job);
        if (rules->placed && rules->placed[i].count)
            job->placed = &rules->placed[i];
        if (rules->batch)
            job->batch = rules->batch[i];
        if (!job->refused && job->bytes > out->bytes)
            out->bytes = job->bytes;
    }
}

void kt_jobs_free(struct kt_jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        free(jobs->job[i].refused);
    free(jobs->job);
    *jobs = (struct kt_jobs){0};
}
