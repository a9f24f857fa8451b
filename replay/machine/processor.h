/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which processor calls with one thread are timed on. Processors of one machine differ: by their kind, and by what runs
 * on the other thread of their core, which in a virtual machine nobody can see. A reference dgemm took 1.8 times as
 * long on one of two as on the other, that of OpenBLAS 1.05 times. So whatever is set against a time that was recorded
 * is timed where most of the recorded time passed.
 */
#ifndef KT_PROCESSOR_H
#define KT_PROCESSOR_H

#include <sched.h>

enum { KT_NO_PROCESSOR = -1 };

/* How many this thread may use; at least 1. */
unsigned kt_processors_usable(void);

/* WANTED if this process may use it, or else the last one that it may use: interrupts mostly go to the first. All that
 * are only compared with each other choose the same one. KT_NO_PROCESSOR: the system does not tell. */
int kt_processor_choose(int wanted);

/* This thread stays on the one chosen, which is returned; KT_NO_PROCESSOR: it cannot be pinned. */
int kt_processor_pin(int wanted);

/* For a while: BEFORE is where the thread may be, to be given back. */
int kt_processor_pin_for_now(int wanted, cpu_set_t *before);
void kt_processor_release(const cpu_set_t *before);

#endif
