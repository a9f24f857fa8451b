/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory by the page: mappings that begin where a huge page does.
 */
#ifndef KT_PAGES_H
#define KT_PAGES_H

#include <stdbool.h>
#include <stdint.h>

/* Which pages a mapping is to have. */
enum kt_pages { KT_PAGES_ANY, KT_PAGES_SMALL, KT_PAGES_HUGE };

#define KT_HUGE_PAGE (UINT64_C(2) << 20)

/* Address space for BYTES, rounded up to small pages; it costs nothing before it is touched. NULL: errno says why. */
unsigned char *kt_pages_map(uint64_t bytes, enum kt_pages pages);
void kt_pages_unmap(unsigned char *base, uint64_t bytes);

/* False if this system has no huge pages for whoever asks for them. */
bool kt_pages_huge_exist(void);

/* Seconds that the first touch of a small page takes, the median of many: what the kernel does to find and clear one.
 * Takes some milliseconds. NAN: there is no memory. */
double kt_pages_fault_seconds(void);

/* Bytes that this process may still use for operands and areas to read: half of what is available, within the limits
 * of the process and of its control group. */
uint64_t kt_pages_limit(void);

#endif
