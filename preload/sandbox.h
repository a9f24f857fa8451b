/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that forbid themselves system calls (seccomp) or the processor's time stamps (PR_SET_TSC), where a call of
 * ours would be their end. They are noticed when they ask the kernel for it, by prctl() or syscall(). If what they set
 * could harm us (preload/filter.h) no slow path is entered from then on: calls are recorded into the memory that is
 * there, and then counted. A program without time stamps is not recorded any more. Filters that a program inherits do
 * not count: containers have them.
 */
#ifndef KT_SANDBOX_H
#define KT_SANDBOX_H

#include "preload/shim.h"

extern KT_HIDDEN atomic_bool kt_in_sandbox;

static inline bool kt_may_ask_kernel(void)
{
    return !atomic_load_explicit(&kt_in_sandbox, memory_order_relaxed);
}

#endif
