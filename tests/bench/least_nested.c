/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least possible shim (least.c) in front of everything that nests in the reference LAPACK's dgeqrf, dgesdd, dsyev
 * and dgels at small orders: the yardstick for recording nested calls. Each function forwards through a cached pointer,
 * reads the clock twice and stores 64 bytes. bench-nested says if calls nest there that have no function here.
 *
 * All arguments are addresses, and lengths of texts after the last of them: so many of each, beside the name.
 */
#include "ring.h"

#include <dlfcn.h>
#include <stddef.h>
#include <x86intrin.h>

/* clang-format off */
#define SUBROUTINES(X) \
    X(daxpy_, 6, 0) X(dbdsdc_, 14, 2) X(dbdsqr_, 15, 1) X(dcopy_, 5, 0) X(dgebd2_, 10, 0) X(dgebrd_, 11, 0) \
    X(dgels_, 11, 1) X(dgemm_, 13, 2) X(dgemv_, 11, 1) X(dgeqr2_, 7, 0) X(dgeqrf_, 8, 0) X(dger_, 9, 0) \
    X(dgesdd_, 14, 1) X(dlaed6_, 8, 0) X(dlamrg_, 6, 0) X(dlarf_, 9, 1) X(dlarfg_, 5, 0) X(dlascl_, 10, 1) \
    X(dlasd0_, 12, 0) X(dlasd1_, 14, 0) X(dlasd2_, 23, 0) X(dlasd3_, 20, 0) X(dlasd4_, 9, 0) X(dlasdq_, 16, 1) \
    X(dlasdt_, 7, 0) X(dlaset_, 7, 1) X(dlasr_, 9, 3) X(dorg2r_, 8, 0) X(dorgbr_, 10, 1) X(dorgqr_, 9, 0) \
    X(dorgtr_, 8, 1) X(dorm2r_, 12, 2) X(dormbr_, 14, 3) X(dorml2_, 12, 2) X(dormlq_, 13, 2) X(dormqr_, 13, 2) \
    X(drot_, 7, 0) X(dscal_, 4, 0) X(dsteqr_, 8, 1) X(dswap_, 5, 0) X(dsyev_, 9, 2) X(dsymv_, 10, 1) \
    X(dsyr2_, 9, 1) X(dsytd2_, 8, 1) X(dsytrd_, 10, 1) X(dtrsm_, 11, 4) X(dtrtrs_, 10, 3)

#define FUNCTIONS(X) \
    X(double, ddot_, 5, 0) X(double, dlange_, 6, 1) X(double, dlanst_, 4, 1) X(double, dlansy_, 6, 2) \
    X(double, dnrm2_, 3, 0) X(int, iladlc_, 4, 0) X(int, iladlr_, 4, 0)
/* clang-format on */

/* A3(T) is "T a1, T a2, T a3": parameters if T is a type, arguments if it is nothing; so are lengths, behind them. */
#define A1(T)  T a1
#define A2(T)  A1(T), T a2
#define A3(T)  A2(T), T a3
#define A4(T)  A3(T), T a4
#define A5(T)  A4(T), T a5
#define A6(T)  A5(T), T a6
#define A7(T)  A6(T), T a7
#define A8(T)  A7(T), T a8
#define A9(T)  A8(T), T a9
#define A10(T) A9(T), T a10
#define A11(T) A10(T), T a11
#define A12(T) A11(T), T a12
#define A13(T) A12(T), T a13
#define A14(T) A13(T), T a14
#define A15(T) A14(T), T a15
#define A16(T) A15(T), T a16
#define A17(T) A16(T), T a17
#define A18(T) A17(T), T a18
#define A19(T) A18(T), T a19
#define A20(T) A19(T), T a20
#define A21(T) A20(T), T a21
#define A22(T) A21(T), T a22
#define A23(T) A22(T), T a23
#define L0(T)
#define L1(T)            , T l1
#define L2(T)            L1(T), T l2
#define L3(T)            L2(T), T l3
#define L4(T)            L3(T), T l4
#define PARAMETERS(a, l) A##a(const void *) L##l(size_t)
#define ARGUMENTS(a, l)  A##a() L##l()

static inline __attribute__((always_inline)) void stop(uint64_t start, const void *a)
{
    unsigned cpu;
    uint64_t stop = __rdtscp(&cpu);
    store(start, stop, cpu, a, a);
}

#define SUBROUTINE(name, a, l)                    \
    static void (*next_##name)(PARAMETERS(a, l)); \
    void name(PARAMETERS(a, l));                  \
    void name(PARAMETERS(a, l))                   \
    {                                             \
        unsigned cpu;                             \
        uint64_t start = __rdtscp(&cpu);          \
        next_##name(ARGUMENTS(a, l));             \
        stop(start, a1);                          \
    }

#define FUNCTION(type, name, a, l)                  \
    static type (*next_##name)(PARAMETERS(a, l));   \
    type name(PARAMETERS(a, l));                    \
    type name(PARAMETERS(a, l))                     \
    {                                               \
        unsigned cpu;                               \
        uint64_t start = __rdtscp(&cpu);            \
        type result = next_##name(ARGUMENTS(a, l)); \
        stop(start, a1);                            \
        return result;                              \
    }

SUBROUTINES(SUBROUTINE)
FUNCTIONS(FUNCTION)

#define FIND(name)                      *(void **)&next_##name = dlsym(RTLD_NEXT, #name);
#define FIND_SUBROUTINE(name, a, l)     FIND(name)
#define FIND_FUNCTION(type, name, a, l) FIND(name)

__attribute__((constructor)) static void resolve(void)
{
    SUBROUTINES(FIND_SUBROUTINE)
    FUNCTIONS(FIND_FUNCTION)
}
