/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far this machine's time of day may be wrong, for traces of several machines (trace/shape/hosts.h). `ktrace run`
 * asks the kernel, as a program that is recorded might not be allowed to.
 */
#ifndef KT_RUN_CLOCK_H
#define KT_RUN_CLOCK_H

/* Sets KTRACE_CLOCK_ERROR; removes it, which may be another machine's, where the kernel does not know. */
void kt_run_clock_export(void);

#endif
