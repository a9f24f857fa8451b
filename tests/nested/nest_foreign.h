/* SPDX-License-Identifier: BSD-3-Clause */
/* Somebody's functions that have the names of routines, and take and return what no routine does. */
#ifndef KT_TEST_NEST_FOREIGN_H
#define KT_TEST_NEST_FOREIGN_H

#include <immintrin.h>

int drot(int count, ...);
long dscal(void); /* what the caller had in r10 */
__m256d daxpy(__m256d a, __m256d b, __m256d c, __m256d d, __m256d e, __m256d f, __m256d g, __m256d h);
__attribute__((target("avx512f"))) __m512d dswap(__m512d a, __m512d b, __m512d c, __m512d d, __m512d e, __m512d f,
                                                 __m512d g, __m512d h);
long dcopy(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l);

#endif
