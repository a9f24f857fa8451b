/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory whose alignment is what was asked for, and no better: Whaley & Castaldo, section 5.1.
 *
 * What malloc() returns is aligned to 16 bytes by luck or by rule, to 32 or 64 now and then, and kernels with vector
 * instructions take up to twice as long where it is not. A timer therefore needs addresses of a known alignment, and
 * also such that are aligned to 8 bytes and certainly not to 16.
 */
#ifndef KT_AMALLOC_H
#define KT_AMALLOC_H

#include <stddef.h>

/*
 * SIZE bytes at a multiple of ALIGN, which is no multiple of MISALIGN if MISALIGN is larger than ALIGN; 0 sets no upper
 * limit. Takes 2 * sizeof(void *) + ALIGN bytes more, twice ALIGN to misalign. NULL if there is no memory, or no such
 * address: ALIGN = 0, or MISALIGN that is not 0 and not larger than ALIGN.
 */
void *kt_amalloc(size_t size, size_t align, size_t misalign);

/* NULL is allowed. */
void kt_afree(void *memory);

#endif
