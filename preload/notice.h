/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said on standard error. */
#ifndef KT_NOTICE_H
#define KT_NOTICE_H

#include "preload/attributes.h"

/* At the start. QUIET: where the value of KTRACE_QUIET is. */
KT_HIDDEN void kt_notice_start(const char *const *quiet);

/* A line of three parts, unless the user or the program does not want it. At the start or within a slow path. */
KT_HIDDEN void kt_notice(const char *a, const char *b, const char *c);

#endif
