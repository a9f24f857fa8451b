/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking the kernel, where a program may have forbidden that (preload/sandbox.c). */
#ifndef KT_SYSTEM_H
#define KT_SYSTEM_H

#include "preload/shim.h"

/* A system call would be the program's end. */
extern KT_HIDDEN atomic_bool kt_in_sandbox;

static inline bool kt_system_may_ask(void)
{
    return !atomic_load_explicit(&kt_in_sandbox, memory_order_relaxed);
}

/* preload/system_call.S: the C library's syscall(). */
KT_HIDDEN long kt_system_call(long number, ...);

#endif
