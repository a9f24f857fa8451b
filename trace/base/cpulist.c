/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/base/cpulist.h"

#include <stdlib.h>

static int number_at(const char **at)
{
    char *end;
    long value = **at >= '0' && **at <= '9' ? strtol(*at, &end, 10) : -1;
    if (value >= 0)
        *at = end;
    return value >= 0 && value < KT_CPULIST_MOST ? (int)value : -1;
}

static void add_to(cpu_set_t *set, int first, int last)
{
    for (int cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
        CPU_SET(cpu, set);
}

int kt_cpulist_parse(const char *list, cpu_set_t *set)
{
    int count = 0;
    if (set)
        CPU_ZERO(set);
    for (const char *at = list;; at++) {
        int first = number_at(&at);
        int last = first;
        if (first >= 0 && *at == '-') {
            at++;
            last = number_at(&at);
        }
        if (first < 0 || last < first || count > KT_CPULIST_MOST)
            return 0;
        count += last - first + 1;
        if (set)
            add_to(set, first, last);
        if (*at != ',')
            return *at ? 0 : count;
    }
}
