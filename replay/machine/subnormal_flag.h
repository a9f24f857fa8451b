/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flag by which the processor tells that an instruction met a subnormal operand: also one that is in no array, as a
 * partial sum is. Of the calling thread; elsewhere than on x86 it is never set.
 */
#ifndef KT_SUBNORMAL_FLAG_H
#define KT_SUBNORMAL_FLAG_H

#include <stdbool.h>

#ifdef __SSE__
#include <xmmintrin.h>

enum { KT_MXCSR_DENORMAL = 2 };

static inline void kt_subnormal_flag_clear(void)
{
    _mm_setcsr(_mm_getcsr() & ~(unsigned)KT_MXCSR_DENORMAL);
}

static inline bool kt_subnormal_flag(void)
{
    return _mm_getcsr() & KT_MXCSR_DENORMAL;
}
#else
static inline void kt_subnormal_flag_clear(void)
{
}

static inline bool kt_subnormal_flag(void)
{
    return false;
}
#endif

#endif
