/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes that C and assembler must agree on. */
#ifndef KT_SIZES_H
#define KT_SIZES_H

#define KT_SLOT_BYTES 16 /* struct kt_slot */
#define KT_STUB_BYTES 16 /* from one spare stub to the next */

/* Spare slots take functions that no exported name leads to (preload/redirect.c); they follow those of the names. */
#define KT_SPARE_SLOTS 8192

#endif
