/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/sequence/trouble.h"

#include <fenv.h>

#if defined(__x86_64__)
/* The status bits of SSE and AVX; a denormal operand has one of its own. */
enum kt_trouble kt_trouble_take(void)
{
    enum { INVALID = 1, DENORMAL_OPERAND = 2, OVERFLOWED = 8, UNDERFLOWED = 16 };
    unsigned status = __builtin_ia32_stmxcsr();
    if (!(status & (INVALID | DENORMAL_OPERAND | OVERFLOWED | UNDERFLOWED)))
        return KT_NO_TROUBLE;
    __builtin_ia32_ldmxcsr(status & ~0x3fu);
    return status & (DENORMAL_OPERAND | UNDERFLOWED) ? KT_DENORMAL : KT_OVERFLOW;
}
#else
enum kt_trouble kt_trouble_take(void)
{
    int raised = fetestexcept(FE_UNDERFLOW | FE_OVERFLOW | FE_INVALID);
    if (!raised)
        return KT_NO_TROUBLE;
    feclearexcept(FE_ALL_EXCEPT);
    return raised & FE_UNDERFLOW ? KT_DENORMAL : KT_OVERFLOW;
}
#endif
