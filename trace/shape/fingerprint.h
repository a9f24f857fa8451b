/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a trace holds, as a short text: the same wherever the trace is and whether it is packed. Nothing guards it
 * against somebody who wants two traces to have the same one.
 */
#ifndef KT_FINGERPRINT_H
#define KT_FINGERPRINT_H

#include "trace/read/reader.h"

enum { KT_FINGERPRINT = 33 };

/* Of the events of all threads and the symbols that they name: 32 hexadecimal digits. */
void kt_trace_fingerprint(const struct kt_trace *trace, char out[KT_FINGERPRINT]);

/* The same of bytes, as a number. */
uint64_t kt_bytes_number(const void *bytes, size_t size);

#endif
