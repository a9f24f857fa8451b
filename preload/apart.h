/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of ours are opened where the program's descriptors are not: in a task of the kernel's that shares the program's
 * memory and has an empty table of descriptors. So no descriptor of ours takes a number that the program expects to
 * get, receives what it writes to a number that it closed, or is closed by a program that closes all it finds.
 */
#ifndef KT_APART_H
#define KT_APART_H

#include "preload/shim.h"

/* The environment is read once, while there is one thread. */
KT_HIDDEN void kt_apart_start(void);

/*
 * Calls WORK(ARGUMENT) and returns when it is done; with all signals and cancellation blocked. WORK sees this thread's
 * variables, errno among them, but a thread id of its own. Where the kernel is older than 5.9 or refuses, and while the
 * program has one thread, which cannot use descriptors meanwhile, it is a plain call.
 */
KT_HIDDEN void kt_apart(void (*work)(void *argument), void *argument);

/* Has the program more than one thread, or may it? */
KT_HIDDEN bool kt_apart_has_threads(void);

#endif
