/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/processor.h"

unsigned kt_processors_usable(void)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    int count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    return count > 1 ? (unsigned)count : 1;
}

int kt_processor_choose(int wanted)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return KT_NO_PROCESSOR;
    if (wanted >= 0 && wanted < CPU_SETSIZE && CPU_ISSET(wanted, &allowed))
        return wanted;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
        if (CPU_ISSET(cpu, &allowed))
            return cpu;
    return KT_NO_PROCESSOR;
}

int kt_processor_pin(int wanted)
{
    cpu_set_t one;
    int cpu = kt_processor_choose(wanted);
    if (cpu == KT_NO_PROCESSOR)
        return KT_NO_PROCESSOR;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? cpu : KT_NO_PROCESSOR;
}

int kt_processor_pin_for_now(int wanted, cpu_set_t *before)
{
    CPU_ZERO(before);
    return sched_getaffinity(0, sizeof *before, before) == 0 ? kt_processor_pin(wanted) : KT_NO_PROCESSOR;
}

void kt_processor_release(const cpu_set_t *before)
{
    if (CPU_COUNT(before))
        sched_setaffinity(0, sizeof *before, before);
}
