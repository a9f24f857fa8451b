/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel of the user's (include/ktrace/kernel.h) in the place of a library's routine, within a process that times
 * calls. Its calls are those of a routine with the arguments n and KTRACE_MOST_BUFFERS addresses; the routine's text
 * has integers where the kernel has no buffers.
 */
#ifndef KT_OWN_KERNEL_H
#define KT_OWN_KERNEL_H

#include "ktrace/kernel.h"
#include "replay/call/job.h"
#include "replay/call/library.h"

/* A library that has a kernel; its file need not be there. */
void kt_own_kernel_library(const char *path, struct kt_library *out);

/* Of those that are there. */
int kt_own_kernel_buffers(const struct ktrace_kernel *kernel);

/* Makes the loaded library's kernel the one that is called, prepared for the n of the job. The function to call as that
 * routine; NULL: there is none. */
void *kt_own_kernel_ready(const struct kt_library *library, const struct kt_job *job);

/* What operand number I of the job holds; false: the kernel leaves that to others. After kt_own_kernel_ready(). */
bool kt_own_kernel_fill(const struct kt_job *job, int i, uint64_t at);

#endif
