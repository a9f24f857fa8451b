/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In place of preload/system_call.S: what counters ask of the kernel goes by syscall(), which tests/events/fake.c
 * stands in front of. The shim stands in front of it, too, so each call does so once.
 */
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

long kernel_system_call(long number, ...); /* preload/system_call.S under another name */
long kt_system_call(long number, long a, long b, long c, long d, long e, long f);

static __thread volatile bool is_inside; /* syscall() is declared as one that never comes back to here */

/* With as many arguments as a call may have: how many it has, its number says. */
long kt_system_call(long number, long a, long b, long c, long d, long e, long f)
{
    if (is_inside || (number != SYS_perf_event_open && number != SYS_read))
        return kernel_system_call(number, a, b, c, d, e, f);
    is_inside = true;
    long result = syscall(number, a, b, c, d, e, f);
    is_inside = false;
    return result;
}
