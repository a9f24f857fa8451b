/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that tell who they are by their size: 1, 2, 3, ... in the order in which they are made. None may be missing in
 * the trace. They come from functions with much room on the stack that is never written: what a call that was left
 * without returning had there stays as it was.
 */
#ifndef KT_TEST_NEST_H
#define KT_TEST_NEST_H

#include "tests/fault/work.h"

#include <alloca.h>

enum { NEST_DEPTH = 8192 };

static int nest_tags;

static inline void nest_tagged(void)
{
    static const double x[1] = {0};
    static const int none = 0;
    const int n = ++nest_tags;
    ddot_(&n, x, &none, x, &none);
}

__attribute__((noinline, unused)) static void nest_tagged_from(size_t bytes)
{
    volatile char *room = (volatile char *)alloca(bytes);
    nest_tagged();
    __asm__ volatile("" : : "r"(room) : "memory");
}

/* Wherever the frame of a call was that is gone, it is above some of these and in reach. The deepest comes first: what
 * is above it stays as it was up to then. */
static inline void nest_tagged_from_afar(void)
{
    for (size_t bytes = 60000; bytes > 16; bytes = bytes * 4 / 5)
        nest_tagged_from(bytes);
}

/* The same, where the upper part of what was there has been overwritten. */
__attribute__((noinline, unused)) static void nest_tagged_behind(size_t bytes)
{
    volatile char *room = (volatile char *)alloca(bytes);
    volatile char *more = (volatile char *)alloca(2048);
    for (size_t i = 0; i < bytes; i++)
        room[i] = 1;
    nest_tagged();
    __asm__ volatile("" : : "r"(more) : "memory");
}

#ifdef __cplusplus
extern "C" {
#endif
typedef int (*nest_select)(const double *, const double *);
void dgees_(const char *jobvs, const char *sort, nest_select select, const int *n, double *a, const int *lda, int *sdim,
            double *wr, double *wi, double *vs, const int *ldvs, double *work, const int *lwork, int *bwork, int *info,
            size_t jobvs_length, size_t sort_length);
#ifdef __cplusplus
}
#endif

/* Calls SELECT once for each of four eigenvalues, which are 1 to 4, between nested calls of its own. */
static inline bool nest_schur(nest_select select)
{
    double a[16] = {4, 0, 0, 0, 1, 3, 0, 0, 1, 1, 2, 0, 1, 1, 1, 1};
    double wr[4], wi[4], vs[16], work[64];
    const int n = 4;
    const int lwork = 64;
    int bwork[4];
    int sdim = -1;
    int info = -1;
    dgees_("V", "S", select, &n, a, &n, &sdim, wr, wi, vs, &n, work, &lwork, bwork, &info, 1, 1);
    return info == 0 && sdim == 2 && wr[0] + wr[1] < 3.5 && wr[0] + wr[1] > 2.5;
}

/* What SELECT says of an eigenvalue. */
static inline int nest_is_small(const double *re)
{
    return *re < 2.5;
}

/* A call that calls the program's xerbla_. What runs when it was left does not reach down to its frame. */
__attribute__((noinline, unused)) static void nest_fail(void)
{
    volatile char *room = (volatile char *)alloca(NEST_DEPTH);
    const int minus = -1;
    double a[4];
    int info = 0;
    dpotrf_("L", &minus, a, &minus, &info, 1);
    __asm__ volatile("" : : "r"(room) : "memory");
}

#endif
