/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of tests/bench/lttng.c; LTTng's headers read this file several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER blas
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_events.h"

#if !defined(KT_BENCH_LTTNG_EVENTS) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define KT_BENCH_LTTNG_EVENTS
#include <lttng/tracepoint.h>
#include <stdint.h>
#include "blas.h"

#define INTEGER(name, value) lttng_ust_field_integer(int, name, value)
#define REAL(name, value)    lttng_ust_field_float(double, name, value)
#define POINTER(name, value) lttng_ust_field_integer_hex(uintptr_t, name, (uintptr_t)(value))
#define LETTER(name, value)  lttng_ust_field_integer(char, name, value)
#define TICKS                lttng_ust_field_integer(uint64_t, ticks, ticks)

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(blas, ddot,
    LTTNG_UST_TP_ARGS(const int *, n, const double *, x, const int *, incx, const double *, y, const int *, incy,
                      uint64_t, ticks),
    LTTNG_UST_TP_FIELDS(INTEGER(n, *n) POINTER(x, x) INTEGER(incx, *incx) POINTER(y, y) INTEGER(incy, *incy) TICKS))

/* A tracepoint takes at most ten arguments. */
LTTNG_UST_TRACEPOINT_EVENT(blas, dgemm,
    LTTNG_UST_TP_ARGS(const struct gemm *, g, uint64_t, ticks),
    LTTNG_UST_TP_FIELDS(LETTER(transa, *g->transa) LETTER(transb, *g->transb)
                        INTEGER(m, *g->m) INTEGER(n, *g->n) INTEGER(k, *g->k) REAL(alpha, *g->alpha)
                        POINTER(a, g->a) INTEGER(lda, *g->lda) POINTER(b, g->b) INTEGER(ldb, *g->ldb)
                        REAL(beta, *g->beta) POINTER(c, g->c) INTEGER(ldc, *g->ldc) TICKS))
/* clang-format on */

#endif
#include <lttng/tracepoint-event.h>
