/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Return addresses on the stacks that a process's definitions keep. They are unwound by libdwfl, with the files that
 * were loaded: it reads registers and the stack from what was kept. Files that are not those of the recorded build are
 * not used, and what called code in them is not known.
 */
#ifndef KT_UNWIND_H
#define KT_UNWIND_H

#include "trace/read/stacks.h"

enum { KT_UNWIND_MOST = 256 };

/* For the stacks of one process, which is to stay as long. */
struct kt_unwinder;
struct kt_unwinder *kt_unwinder_new(const struct kt_process *process);
void kt_unwinder_free(struct kt_unwinder *unwinder);

/*
 * The return address of the call first; at least that, if the stack is defined. A signal handler was not called: of the
 * instruction that it interrupted the address behind its first byte stands for the return address.
 */
size_t kt_unwind(struct kt_unwinder *unwinder, const struct kt_stack *stack, uint64_t out[KT_UNWIND_MOST]);

/* Is that the build id that the trace has in hexadecimal? So it is if either is not known. */
bool kt_is_build_id(const unsigned char *id, long bytes, const char *expected);

#endif
