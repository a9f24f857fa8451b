/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The summary of a probe for people, in 80 columns; differences from what the system claims are marked.
 */
#ifndef KT_PROBE_TEXT_H
#define KT_PROBE_TEXT_H

#include <jansson.h>

/* DOCUMENT: of kt_probe_machine(), with "claimed_caches", "hwloc" and what differs from them. To standard output. */
void kt_probe_print(const json_t *document);

#endif
