/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/measure/disturbance.h"

#include "ktrace/yardstick.h"
#include "replay/machine/clockrate.h"
#include "replay/call/timer.h"

#include <math.h>
#include <sched.h>
#include <sys/resource.h>

#define KEY(name, key) [KT_DISTURBED_##name] = key,
const char *const kt_disturbance_key[KT_DISTURBANCE_KINDS] = {KT_DISTURBANCES(KEY)};

void kt_witness_take(struct kt_witness *out)
{
    struct rusage usage = {0};
    unsigned cpu = 0;
    getrusage(RUSAGE_THREAD, &usage);
    getcpu(&cpu, NULL);
    *out = (struct kt_witness){
        .switches = usage.ru_nivcsw, .faults = usage.ru_minflt + usage.ru_majflt, .cpu = cpu, .rate = kt_clockrate()};
}

unsigned kt_witness_compare(const struct kt_witness *before, const struct kt_witness *after)
{
    unsigned bits = 0;
    bits |= (unsigned)(after->switches != before->switches) << KT_DISTURBED_SWITCH;
    bits |= (unsigned)(after->faults != before->faults) << KT_DISTURBED_FAULT;
    bits |= (unsigned)(after->cpu != before->cpu) << KT_DISTURBED_MOVED;
    bits |= (unsigned)kt_clockrate_jumped(before->rate, after->rate) << KT_DISTURBED_CLOCK;
    return bits;
}

unsigned kt_disturbances_add(struct kt_disturbances *d, const struct kt_witness *before, const struct kt_witness *after)
{
    unsigned bits = kt_witness_compare(before, after);
    d->samples++;
    d->hertz += kt_clockrate_cycles(1, before->rate, after->rate) / kt_timer_tick();
    d->disturbed += bits != 0;
    for (int i = 0; i < KT_DISTURBANCE_KINDS; i++)
        d->by[i] += bits >> i & 1;
    return bits;
}

void kt_disturbances_read_speed(struct kt_disturbances *d)
{
    static _Alignas(64) unsigned char lines[KT_YARD_LINES];
    if (!KT_HAS_YARDSTICK)
        return;
    struct kt_yardstick y = kt_yard_read(lines);
    struct kt_yard_ticks ticks = {.chain = (double)y.chain,
                                  .wide = (double)y.wide,
                                  .memory = (double)y.memory,
                                  .additions = KT_YARD_ADDITIONS,
                                  .loads = KT_YARD_LOADS,
                                  .clock = (double)kt_clock_cost()};
    struct kt_speed speed = kt_speed_of(&ticks, kt_timer_tick());
    kt_speed_add(&d->speed, &speed, 1);
}

size_t kt_disturbances_foreign(const struct kt_disturbances *d)
{
    return d->by[KT_DISTURBED_SWITCH] + d->by[KT_DISTURBED_MOVED];
}

void kt_disturbances_merge(struct kt_disturbances *into, const struct kt_disturbances *from)
{
    into->samples += from->samples;
    into->disturbed += from->disturbed;
    into->left_out += from->left_out;
    into->hertz += from->hertz;
    kt_speed_merge(&into->speed, &from->speed);
    for (int i = 0; i < KT_DISTURBANCE_KINDS; i++)
        into->by[i] += from->by[i];
}

double kt_disturbances_clock(const struct kt_disturbances *d)
{
    return d->samples ? d->hertz / (double)d->samples : NAN;
}
