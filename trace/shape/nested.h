/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of some traces only a sample of the calls is there that nest in others (KTRACE_NESTED): whoever works on these says
 * so once.
 */
#ifndef KT_NESTED_H
#define KT_NESTED_H

#include "trace/shape/shape.h"

/* One line on standard error if the calls of that level are not all recorded; nothing of outermost ones. */
void kt_nested_notice(const struct kt_trace *trace, enum kt_level level);

#endif
