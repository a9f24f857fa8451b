/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of one process in the order in which they began, whatever thread made them. A thread's calls are read from
 * its first to its last one only, so memory is that of the threads that live at the same time.
 */
#ifndef KT_TIMELINE_H
#define KT_TIMELINE_H

#include "trace/shape/shape.h"

struct kt_timeline;

/* Complete calls of that level. Among leaves there are outermost calls, too, whose inside was not recorded: PASSED
 * tells. Of what happens in these only the operands of the call itself are known. */
struct kt_timeline *kt_timeline_new(const struct kt_trace *trace, size_t process, enum kt_level level);
void kt_timeline_free(struct kt_timeline *timeline);

/* NULL at the end. Valid until the next one is asked for; its n counts the calls of its thread, versions are those of
 * all its process's calls. */
const struct kt_call *kt_timeline_next(struct kt_timeline *timeline);

#endif
