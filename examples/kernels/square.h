/* SPDX-License-Identifier: BSD-3-Clause */
/* What the products C = C + A B of square matrices, row by row, have in common. */
#ifndef SQUARE_H
#define SQUARE_H

#include <ktrace/kernel.h>

static int64_t square_bytes(int64_t n)
{
    return n * n * (int64_t)sizeof(double);
}

static double square_flops(int64_t n)
{
    return 2 * (double)n * (double)n * (double)n;
}

#define SQUARE_BUFFERS                                                            \
    {                                                                             \
        {"A", KTRACE_READ, square_bytes, 0}, {"B", KTRACE_READ, square_bytes, 0}, \
            {"C", KTRACE_READ_WRITE, square_bytes, 0},                            \
    }

#endif
