/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/result/bound.h"

#include <math.h>
#include <string.h>

/* --- what a call has to do --------------------------------------------------------------------------------- */

static double bytes_of(const struct kt_operand *o)
{
    return (double)o->elements * (double)o->elem;
}

static bool overlap(const struct kt_operand *a, const struct kt_operand *b)
{
    return a->lo < b->hi && b->lo < a->hi;
}

/* Bytes of the operands with that access. Of those that overlap the largest counts: the others may be the same
 * elements, and a bound must not be too high. */
static double bytes_with(const struct kt_operand *operand, int count, unsigned access)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        bool counts = (operand[i].access & access) != 0 && operand[i].lo != operand[i].hi;
        for (int j = 0; j < count && counts; j++)
            if (j != i && (operand[j].access & access) != 0 && overlap(&operand[i], &operand[j])) {
                double other = bytes_of(&operand[j]);
                counts = other < bytes_of(&operand[i]) || (i < j && other == bytes_of(&operand[i]));
            }
        sum += counts ? bytes_of(&operand[i]) : 0;
    }
    return sum;
}

/* Of those that are written only. */
static double bytes_of_outputs(const struct kt_job *job)
{
    struct kt_operand output[KT_MAX_OPERANDS];
    int count = 0;
    for (int i = 0; i < job->operands; i++)
        if (job->operand[i].access == KT_WRITE)
            output[count++] = job->operand[i];
    return bytes_with(output, count, KT_WRITE);
}

/* Single precision if any of it is: mixed routines do most of their work there. */
static enum kt_peak_precision precision_of(const struct kt_routine *routine)
{
    bool is_single = routine->type == KT_S || routine->type == KT_C;
    for (int i = 0; i < routine->args; i++) {
        const struct kt_arg *arg = &routine->arg[i];
        is_single = is_single || (arg->role == KT_ARRAY && (arg->type == KT_S || arg->type == KT_C));
    }
    return is_single ? KT_PEAK_SINGLE : KT_PEAK_DOUBLE;
}

/* With an alpha of 0 the products are left out: what remains is to write what nothing is read of, if at all. */
static bool is_trivial(const struct kt_call *call)
{
    const struct kt_symbol *symbol = &call->entry->symbol;
    for (int i = 0; i < symbol->params; i++) {
        const struct kt_param *p = &symbol->param[i];
        double imaginary = 0;
        if (p->arg >= 0 && symbol->routine->arg[p->arg].role == KT_SCALAR &&
            !strcmp(symbol->routine->arg[p->arg].name, "alpha"))
            return kt_stored_value(call->args, p, &imaginary) == 0 && imaginary == 0;
    }
    return false;
}

void kt_work_of(const struct kt_job *job, struct kt_work *out)
{
    const struct kt_symbol *symbol = &job->shape->first.entry->symbol;
    bool trivial = is_trivial(&job->shape->first);
    *out = (struct kt_work){.precision = precision_of(symbol->routine)};
    if (job->shape->query)
        return;
    if (trivial) {
        out->written = out->footprint = bytes_of_outputs(job);
        return;
    }
    out->flops = job->shape->flops;
    out->read = bytes_with(job->operand, job->operands, KT_READ);
    out->written = bytes_with(job->operand, job->operands, KT_WRITE);
    out->footprint = bytes_with(job->operand, job->operands, KT_READ_WRITE);
}

/* --- how long that takes at least -------------------------------------------------------------------------- */

static double part(double bytes, double rate)
{
    return bytes > 0 ? bytes / rate : 0;
}

static double transfer(const struct kt_bandwidth *level, double read, double written)
{
    double most = fmax(level->both, fmax(level->read, level->write));
    return fmax(part(read + written, most), fmax(part(read, level->read), part(written, level->write)));
}

static struct kt_bound higher_of(const struct kt_peaks *peaks, const struct kt_work *work, double bytes_seconds,
                                 enum kt_peak_level level)
{
    double flops_seconds = work->flops > 0 ? work->flops / peaks->flops[work->precision] : 0;
    struct kt_bound bound = {.seconds = fmax(flops_seconds, bytes_seconds), .level = level};
    if (bound.seconds > 0)
        bound.limit = flops_seconds >= bytes_seconds ? KT_LIMIT_FLOPS : KT_LIMIT_BYTES;
    return bound;
}

static bool is_known(const struct kt_peaks *peaks)
{
    return peaks->flops[KT_PEAK_SINGLE] > 0 && peaks->flops[KT_PEAK_DOUBLE] > 0 &&
           peaks->level[KT_PEAK_MEMORY].read > 0 && peaks->level[KT_PEAK_MEMORY].write > 0;
}

struct kt_bound kt_bound_warm(const struct kt_peaks *peaks, const struct kt_work *work)
{
    double seconds = 0;
    double rest = 1; /* of the operands, which have no place yet */
    enum kt_peak_level last = KT_PEAK_L1;
    if (!is_known(peaks))
        return (struct kt_bound){.seconds = NAN};
    for (int i = KT_PEAK_L1; i < KT_PEAK_LEVELS && rest > 0; i++) {
        const struct kt_bandwidth *level = &peaks->level[i];
        double fits = work->footprint > 0 ? fmin(rest, level->capacity / work->footprint) : rest;
        if (!(level->read > 0 && level->write > 0))
            continue;
        seconds += transfer(level, fits * work->read, fits * work->written);
        rest -= fits;
        last = (enum kt_peak_level)i;
    }
    return higher_of(peaks, work, seconds, last);
}

struct kt_bound kt_bound_cold(const struct kt_peaks *peaks, const struct kt_work *work)
{
    if (!is_known(peaks))
        return (struct kt_bound){.seconds = NAN};
    return higher_of(peaks, work, transfer(&peaks->level[KT_PEAK_MEMORY], work->read, work->written), KT_PEAK_MEMORY);
}

const char *kt_bound_by(const struct kt_bound *bound)
{
    if (bound->limit == KT_LIMIT_NONE)
        return "nothing";
    return bound->limit == KT_LIMIT_FLOPS ? "flops" : kt_peak_level_name[bound->level];
}
