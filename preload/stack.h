/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the program came to a call (KTRACE_STACKS=paths), where it is not an interpreter's frames that tell.
 *
 * Nothing is unwound here. When a call comes from a return address, at a height of the stack, for the first time, what
 * a debugger would unwind is kept in the definitions (FORMAT.md, "stack"): three registers, and of the words on the
 * stack those that are addresses of code or of the stack itself. All else on it is the program's secret, and is not
 * needed. The tools unwind that (trace/shape/unwind.h).
 *
 * Another call from there, at that height, came the same way if the return addresses on the stack are the same: those
 * words are compared, and nothing else. A word is taken for a return address if a call instruction stands before where
 * it points to; some are left from functions that have returned, and only make the same path be kept more than once.
 *
 * Memory is read directly where it is the thread's own stack: between a call in progress and the stack's end all pages
 * stay. On other stacks (of coroutines, of signal handlers) the kernel reads it, as nobody knows where these end.
 */
#ifndef KT_STACK_H
#define KT_STACK_H

#include "preload/shim.h"

/* Asks for lines or paths as KTRACE_STACKS wants them. Within a slow path. */
KT_HIDDEN void kt_stack_start(void);

#endif
