/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the recorder kept of stacks is unwound once and for all, while the files are there that were loaded: the
 * definitions then have return addresses instead.
 */
#ifndef KT_SETTLE_H
#define KT_SETTLE_H

#include "trace/read/reader.h"

/* Of all processes that have ended. The open trace stays as it was read; packed ones are left alone. */
enum kt_status kt_settle_stacks(const struct kt_trace *trace, struct kt_error *error);

#endif
