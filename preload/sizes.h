/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes that C and assembler must agree on. */
#ifndef KT_SIZES_H
#define KT_SIZES_H

#define KT_SLOT_BYTES 64  /* struct kt_slot */
#define KT_STUB_BYTES 128 /* from one spare stub to the next */

/* Spare slots take functions that no exported name leads to (preload/redirect.c); they follow those of the names. */
#define KT_SPARE_SLOTS 8192

/* Ways by a map of libraries (preload/map_ops.h): how many there may be, and struct kt_map_step */
#define KT_MAP_ENTRANCES      512
#define KT_MAP_ENTRANCE_BYTES 16
#define KT_MAP_LOW            8
#define KT_MAP_SPAN           16
#define KT_MAP_FAIL           24
#define KT_MAP_TARGET         32
#define KT_MAP_PLACE          40
#define KT_MAP_STEP           48

/* On the stack: what is further away than that may be on another one, which may be gone. */
#define KT_NEAR 65536

/* What stubs look at: struct kt_slot, struct kt_binding, struct kt_thread */
#define KT_SLOT_LO          16
#define KT_SLOT_BYTES_OF    24
#define KT_SLOT_TARGET      32
#define KT_SLOT_PASSES      40
#define KT_SLOT_MAPPED      41
#define KT_BINDING_LO       0
#define KT_BINDING_BYTES    8
#define KT_BINDING_TARGET   16
#define KT_BINDING_PASSES   24
#define KT_THREAD_PASSING   0
#define KT_THREAD_PASSED    8
#define KT_THREAD_TOP       16
#define KT_THREAD_SUSPENDED 24

#endif
