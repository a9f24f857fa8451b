/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The nano-benchmarks of one type: add, mul, div and, unless KT_TYPE_INTEGER is defined, balance (adds and multiplies
 * by turns). A template without guard; KT_TYPE_SUFFIX names the type, the rest is as in probe_chain.h.
 */
#define KT_CHAIN_JOIN_(a, b) a##b
#define KT_CHAIN_JOIN(a, b)  KT_CHAIN_JOIN_(a, b)

#define KT_CHAIN_NAME          KT_CHAIN_JOIN(add_, KT_TYPE_SUFFIX)
#define KT_CHAIN_STEP(v, b, s) (v + b)
#include "model/loops/probe_chain.h"

#ifndef KT_TYPE_NO_MUL
#define KT_CHAIN_NAME          KT_CHAIN_JOIN(mul_, KT_TYPE_SUFFIX)
#define KT_CHAIN_STEP(v, b, s) (v * b)
#include "model/loops/probe_chain.h"
#endif

/* The quotient of a constant and the last quotient stays what it is, or goes to and fro: never 0, never infinite. */
#ifndef KT_TYPE_NO_DIV
#define KT_CHAIN_NAME          KT_CHAIN_JOIN(div_, KT_TYPE_SUFFIX)
#define KT_CHAIN_STEP(v, b, s) (b / v)
#define KT_CHAIN_MOST          KT_STREAMS_DIV
#include "model/loops/probe_chain.h"
#endif

#ifndef KT_TYPE_INTEGER
#define KT_CHAIN_NAME          KT_CHAIN_JOIN(balance_, KT_TYPE_SUFFIX)
#define KT_CHAIN_STEP(v, b, s) ((s)&1 ? v * b : v + b)
#include "model/loops/probe_chain.h"
#endif

#undef KT_TYPE_SUFFIX
#undef KT_TYPE_INTEGER
#undef KT_TYPE_NO_MUL
#undef KT_TYPE_NO_DIV
#undef KT_CHAIN_TYPE
#undef KT_CHAIN_TARGET
#undef KT_CHAIN_KEEP
