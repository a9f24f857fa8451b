/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/system.h"

#include <errno.h>
#include <sys/syscall.h>

atomic_bool kt_in_sandbox;

/*
 * The kernel reads the new mask before it looks at what to do with it, which is nothing it knows. That a page is mapped
 * would not do: behind a stack there often is the guard page of the next. Where that may not be asked, no is the answer
 * that does no harm.
 */
bool kt_system_is_readable(const void *at)
{
    enum { NOTHING = -1, SIGNAL_BYTES = 8 };
    int saved = errno;
    bool readable =
        kt_system_may_ask() &&
        (kt_system_call(SYS_rt_sigprocmask, NOTHING, at, (sigset_t *)NULL, SIGNAL_BYTES) == 0 || errno != EFAULT);
    errno = saved;
    return readable;
}
