/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks at everything in an open trace, as the verbs do with a part of it each, and aborts where two of the ways to
 * count calls disagree.
 */
#ifndef KT_FUZZ_LOOK_H
#define KT_FUZZ_LOOK_H

#include "trace/read/reader.h"

void kt_look_at(const struct kt_trace *trace);

#endif
