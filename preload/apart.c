/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/apart.h"

#include "preload/system.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
enum { CLOSE_RANGE_UNSHARE_TABLE = 1 << 1 }; /* CLOSE_RANGE_UNSHARE */

extern char __libc_single_threaded __attribute__((weak)); /* of the C library, from 2.32 on */

/* preload/apart_task.S: WORK(ARGUMENT) in a new task on this thread's stack; 0 when it has ended, or -errno. */
KT_HIDDEN long kt_apart_task(void (*work)(void *argument), void *argument);

static atomic_bool is_refused;

/* Valgrind's tools know no task that shares a thread's stack. */
void kt_apart_start(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    atomic_store(&is_refused, preloaded && strstr(preloaded, "/vgpreload_"));
}

struct order {
    void (*work)(void *argument);
    void *argument;
    bool done;
};

/* Nothing of the program's table is copied: closing a copy would make some file systems write out what is open there.
 */
static void work_without_descriptors(void *at)
{
    struct order *order = at;
    if (kt_system_call(SYS_close_range, 0, UINT_MAX, CLOSE_RANGE_UNSHARE_TABLE) != 0)
        return;
    order->work(order->argument);
    order->done = true;
}

/* Those of the C library too, which pthread_sigmask() leaves out: a handler would use the stack that the task is on. */
static long run_task(struct order *order)
{
    uint64_t all = UINT64_MAX;
    uint64_t before;
    kt_system_call(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
    long result = kt_apart_task(work_without_descriptors, order);
    int saved = errno;
    kt_system_call(SYS_rt_sigprocmask, SIG_SETMASK, &before, (sigset_t *)NULL, sizeof before);
    errno = saved;
    return result;
}

bool kt_apart_has_threads(void)
{
    return !&__libc_single_threaded || !__libc_single_threaded;
}

void kt_apart(void (*work)(void *argument), void *argument)
{
    struct order order = {work, argument, false};
    if (kt_apart_has_threads() && !atomic_load(&is_refused)) {
        long result = run_task(&order);
        atomic_store(&is_refused, !order.done && result != -EAGAIN);
    }
    if (!order.done)
        work(argument);
}
