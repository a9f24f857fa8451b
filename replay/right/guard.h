/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory around operands: filled before a call, compared after it. All that does not belong to an operand that the
 * table says is written must be as it was: gaps between operands, between the last row and the leading dimension,
 * triangles that are not referenced, operands that are only read. Pure functions on images of memory.
 */
#ifndef KT_GUARD_H
#define KT_GUARD_H

#include "trace/table/operand.h"

/* Two fillings for all that is no input. As numbers the first are ordinary, the second are NAN and -1. */
enum { KT_FILLINGS = 2 };
unsigned char kt_filling(int which);

/* Byte ranges of an image that begins at address START of the operands' addresses. */
struct kt_image {
    unsigned char *byte;
    uint64_t start, bytes;
};

/* The operand where its bytes are in the image. */
struct kt_operand kt_operand_in(const struct kt_image *image, const struct kt_operand *operand);

/* What was written outside: false, nothing. TEXT: where the first byte is, in terms of the operands. WORK is an image
 * of the same size that is overwritten. */
bool kt_guard_broken(const struct kt_image *before, const struct kt_image *after, const struct kt_image *work,
                     const struct kt_operand *operand, int count, char *text, size_t size);

#endif
