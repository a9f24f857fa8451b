/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the operands of a call end: how many bytes from its address on an array that the routine reads can have, by the
 * routine table. ktgen compiles its expressions to programs (ktrace/operation.h) for that. It computes in integers, as
 * floating-point operations would show in the program's state, and stops at the limits of 64 bits in place of wrapping.
 */
#ifndef KT_EXTENT_H
#define KT_EXTENT_H

#include <stdint.h>

/* By interface and address, in the order of the steps: where in the code the program begins; 0: the routine does not
 * read from that address. */
__attribute__((visibility("hidden"))) extern const uint16_t kt_extents[];
__attribute__((visibility("hidden"))) extern const uint16_t kt_extent_code[];

/* ARGS: those of a call as its event has them. INT_BYTES: of the library's integers. */
__attribute__((visibility("hidden"))) uint64_t kt_extent(const uint16_t *program, const void *args, unsigned int_bytes);

#endif
