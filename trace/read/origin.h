/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When and where a process was recorded: is it still running, and how fast does its clock tick? The clock of this
 * machine helps where the trace alone is too short to tell.
 * A part of the reader; whoever else includes this asks what may be running.
 */
#ifndef KT_ORIGIN_H
#define KT_ORIGIN_H

#include "trace/read/reader.h"

/* The value of an anchor line; false if TEXT is NULL or not three numbers. */
bool kt_anchor_parse(const char *text, struct kt_anchor *out);

/* Needs the process's meta only. */
bool kt_process_is_running(const struct kt_process *process);

/* It has not ended, and is of another machine or of a container, where nobody can tell here whether it was killed. */
bool kt_process_may_run_elsewhere(const struct kt_process *process);

/*
 * Sets tick_hz and seconds. END is the anchor of a clean end, or NULL. Needs meta and checked streams. A process that
 * was too short for its clock's rate has that of another one in TRACE, or of this machine, if the clock is the same.
 */
void kt_process_set_clock(struct kt_process *process, const struct kt_anchor *end, struct kt_trace *trace);

/*
 * Puts processes on one time line: sets the start of each. Those of one boot of one kernel share CLOCK_MONOTONIC, which
 * nobody sets; between machines there is only CLOCK_REALTIME, as good as they agree on the time of day. A machine's
 * offset between the two is taken once, at its first process, so that setting its clock moves nothing.
 */
void kt_processes_align(struct kt_process *process, size_t count);

#endif
