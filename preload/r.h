/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which function of an R program makes a call, and where R keeps sources, which line (KTRACE_STACKS).
 *
 * R keeps a chain of contexts, one for each function that runs (R_GlobalContext; R Internals, section 1.4). It is read
 * as it lies in memory, on the thread that R runs on, without running any of R's code. Where things lie has been the
 * same since R 3.5: objects begin with a head of 32 bytes, which tells their type (R Internals, section 1.1), and
 * contexts with the members below. Whatever is not of the type that it must have ends the chain.
 *
 * Functions of packages are passed over: the innermost function of the program itself is told, and if there is none,
 * the script where its line is known, or the outermost function of a package, which the program called.
 *
 * R_Srcref is the source reference (r_source.h) of the statement that runs; a context keeps the one that ran when it
 * began, which is that of the function outside of it. A statement is told as a line of a function only if the
 * function's own reference contains it. Otherwise it is an argument, which is evaluated where it is used: it is a line
 * of the function outside that contains it.
 */
#ifndef KT_R_H
#define KT_R_H

#include "preload/shim.h"

/* An R was there when the program started, and this can be told. */
extern KT_HIDDEN bool kt_reads_r;

/* The number of that function, as that of a line; 0: not known. */
KT_HIDDEN uint32_t kt_r_line(void);

/* Looks for R among what was loaded when the program started, if the process's first thread asks, on which it runs.
 * PATHS: who called is told, too. Within a slow path. */
KT_HIDDEN void kt_r_find(bool paths);

#endif
