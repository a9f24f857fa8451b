/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cuts the sizes of a model into boxes so that what nobody uses lies in boxes of its own, which get no samples. The
 * calls of blocked algorithms have a block's size here or there and the matrix's elsewhere: dgemm of n x n by n x b, of
 * n x b by b x n, of b x n by n x n. The box around all of these has corners of n x n x n, which take longer to time
 * than all the rest and tell nothing. Pure.
 */
#ifndef KT_TILES_H
#define KT_TILES_H

#include "model/kernels/kernel_needs.h"

enum { KT_TILES_MOST = 16 };

/* The boxes that BOX, a part of the domain, is cut into at multiples of MULTIPLE; neighbours share their ends
 * (kt_box_owns). Returns how many, 1: it is not cut. */
size_t kt_tiles_of(const struct kt_box *box, const struct kt_box *domain, int axes, const struct kt_use *use,
                   size_t uses, int multiple, struct kt_box out[KT_TILES_MOST]);

#endif
