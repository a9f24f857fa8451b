/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which line of a Python program makes a call (KTRACE_STACKS).
 *
 * A thread that is in a call of ours stands still in the interpreter: its frames are read where they lie, without the
 * interpreter's lock and without running any of its code but PyGILState_GetThisThreadState(), which reads a variable of
 * the thread. Where things lie in a frame depends on the interpreter's version (CPython 3.8 to 3.13). No pointer is
 * followed before its page was found readable once, and nothing counts as code that is not an object of that type. A
 * version that is not known has no lines.
 *
 * Lines are numbered as they are met; each is told in the definitions once (FORMAT.md, "line").
 */
#ifndef KT_PYTHON_H
#define KT_PYTHON_H

#include "preload/shim.h"

/* The number of the line of the program's own code that makes this call; 0: not known. */
extern KT_HIDDEN bool kt_reads_python;
KT_HIDDEN uint32_t kt_python_line(void);

/* Looks for an interpreter among what was loaded when the program started. PATHS: who called is told, too. Within a
 * slow path. */
KT_HIDDEN void kt_python_find(bool paths);

#endif
