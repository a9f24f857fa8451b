/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In place of preload/system_call.S: what counters ask of the kernel goes by syscall(), which tests/events/fake.c
 * stands in front of. The shim stands in front of it, too, so each call does so once.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

long kernel_system_call(long number, ...); /* preload/system_call.S under another name */
long kt_system_call(long number, ...);

static __thread volatile bool is_inside; /* syscall() is declared as one that never comes back to here */

static long by_syscall(long number, const long a[6])
{
    is_inside = true;
    long result = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    is_inside = false;
    return result;
}

long kt_system_call(long number, ...)
{
    va_list list;
    long a[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (!is_inside && (number == SYS_perf_event_open || number == SYS_read))
        return by_syscall(number, a);
    return kernel_system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
