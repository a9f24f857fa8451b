/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/loops/probe_kernels.h"

#include <string.h>

#if defined(__x86_64__)
#define FLOAT_REGISTER "+x"
#define WIDE_REGISTER  "+v"
#define USING(set)     __attribute__((target(set)))
#else
#define FLOAT_REGISTER "+w"
#define WIDE_REGISTER  "+w"
#define USING(set)
#endif

#define VECTOR(type, name, bytes) typedef type name __attribute__((vector_size(bytes)))
VECTOR(float, f32x4, 16);
VECTOR(double, f64x2, 16);
VECTOR(int32_t, i32x4, 16);
VECTOR(int64_t, i64x2, 16);

#define KT_TYPE_SUFFIX i32
#define KT_TYPE_INTEGER
#define KT_CHAIN_TYPE uint32_t
#define KT_CHAIN_TARGET
#define KT_CHAIN_KEEP "+r"
#include "model/loops/probe_operations.h"

#define KT_TYPE_SUFFIX i64
#define KT_TYPE_INTEGER
#define KT_CHAIN_TYPE uint64_t
#define KT_CHAIN_TARGET
#define KT_CHAIN_KEEP "+r"
#include "model/loops/probe_operations.h"

#define KT_TYPE_SUFFIX f32
#define KT_CHAIN_TYPE  float
#define KT_CHAIN_TARGET
#define KT_CHAIN_KEEP FLOAT_REGISTER
#include "model/loops/probe_operations.h"

#define KT_TYPE_SUFFIX f64
#define KT_CHAIN_TYPE  double
#define KT_CHAIN_TARGET
#define KT_CHAIN_KEEP FLOAT_REGISTER
#include "model/loops/probe_operations.h"

#define KT_TYPE_SUFFIX f32x4
#define KT_CHAIN_TYPE  f32x4
#define KT_CHAIN_TARGET
#define KT_CHAIN_KEEP FLOAT_REGISTER
#include "model/loops/probe_operations.h"

#define KT_TYPE_SUFFIX f64x2
#define KT_CHAIN_TYPE  f64x2
#define KT_CHAIN_TARGET
#define KT_CHAIN_KEEP FLOAT_REGISTER
#include "model/loops/probe_operations.h"

#define KT_TYPE_SUFFIX i32x4
#define KT_TYPE_INTEGER
#define KT_TYPE_NO_DIV
#define KT_CHAIN_TYPE   i32x4
#define KT_CHAIN_TARGET USING("sse4.1")
#define KT_CHAIN_KEEP   FLOAT_REGISTER
#include "model/loops/probe_operations.h"

#define KT_TYPE_SUFFIX i64x2
#define KT_TYPE_INTEGER
#define KT_TYPE_NO_DIV
#define KT_TYPE_NO_MUL
#define KT_CHAIN_TYPE i64x2
#define KT_CHAIN_TARGET
#define KT_CHAIN_KEEP FLOAT_REGISTER
#include "model/loops/probe_operations.h"

#if defined(__x86_64__)
VECTOR(float, f32x8, 32);
VECTOR(double, f64x4, 32);
VECTOR(int32_t, i32x8, 32);
VECTOR(float, f32x16, 64);
VECTOR(double, f64x8, 64);
VECTOR(int32_t, i32x16, 64);

#define KT_TYPE_SUFFIX  f32x8
#define KT_CHAIN_TYPE   f32x8
#define KT_CHAIN_TARGET USING("avx")
#define KT_CHAIN_KEEP   FLOAT_REGISTER
#include "model/loops/probe_operations.h"

#define KT_TYPE_SUFFIX  f64x4
#define KT_CHAIN_TYPE   f64x4
#define KT_CHAIN_TARGET USING("avx")
#define KT_CHAIN_KEEP   FLOAT_REGISTER
#include "model/loops/probe_operations.h"

#define KT_TYPE_SUFFIX i32x8
#define KT_TYPE_INTEGER
#define KT_TYPE_NO_DIV
#define KT_CHAIN_TYPE   i32x8
#define KT_CHAIN_TARGET USING("avx2")
#define KT_CHAIN_KEEP   FLOAT_REGISTER
#include "model/loops/probe_operations.h"

#define KT_TYPE_SUFFIX  f32x16
#define KT_CHAIN_TYPE   f32x16
#define KT_CHAIN_TARGET USING("avx512f")
#define KT_CHAIN_KEEP   WIDE_REGISTER
#include "model/loops/probe_operations.h"

#define KT_TYPE_SUFFIX  f64x8
#define KT_CHAIN_TYPE   f64x8
#define KT_CHAIN_TARGET USING("avx512f")
#define KT_CHAIN_KEEP   WIDE_REGISTER
#include "model/loops/probe_operations.h"

#define KT_TYPE_SUFFIX i32x16
#define KT_TYPE_INTEGER
#define KT_TYPE_NO_DIV
#define KT_CHAIN_TYPE   i32x16
#define KT_CHAIN_TARGET USING("avx512f")
#define KT_CHAIN_KEEP   WIDE_REGISTER
#include "model/loops/probe_operations.h"
#endif

/* Fused: the compiler makes one instruction of a multiplication and an addition where the target has it. That of
 * aarch64 adds to its destination: any other form takes a move for each. The product must not be known to be the same
 * each time, or additions would be left. */
#if defined(__aarch64__)
#define FUSED(v, b, s)                  \
    ({                                  \
        __asm__("" : WIDE_REGISTER(b)); \
        v + b *b;                       \
    })
#else
#define FUSED(v, b, s) (v * b + b)
#endif

#define KT_CHAIN_STEP   FUSED
#define KT_CHAIN_NAME   fma_f32
#define KT_CHAIN_TYPE   float
#define KT_CHAIN_TARGET USING("fma")
#define KT_CHAIN_KEEP   FLOAT_REGISTER
#include "model/loops/probe_chain.h"
#undef KT_CHAIN_TYPE

#define KT_CHAIN_STEP FUSED
#define KT_CHAIN_NAME fma_f64
#define KT_CHAIN_TYPE double
#include "model/loops/probe_chain.h"
#undef KT_CHAIN_TYPE

#define KT_CHAIN_STEP FUSED
#define KT_CHAIN_NAME fma_f32x4
#define KT_CHAIN_TYPE f32x4
#include "model/loops/probe_chain.h"
#undef KT_CHAIN_TYPE

#define KT_CHAIN_STEP FUSED
#define KT_CHAIN_NAME fma_f64x2
#define KT_CHAIN_TYPE f64x2
#include "model/loops/probe_chain.h"
#undef KT_CHAIN_TYPE

#if defined(__x86_64__)
#define KT_CHAIN_STEP FUSED
#define KT_CHAIN_NAME fma_f32x8
#define KT_CHAIN_TYPE f32x8
#include "model/loops/probe_chain.h"
#undef KT_CHAIN_TYPE

#define KT_CHAIN_STEP FUSED
#define KT_CHAIN_NAME fma_f64x4
#define KT_CHAIN_TYPE f64x4
#include "model/loops/probe_chain.h"
#undef KT_CHAIN_TYPE
#undef KT_CHAIN_TARGET
#undef KT_CHAIN_KEEP

#define KT_CHAIN_STEP   FUSED
#define KT_CHAIN_NAME   fma_f32x16
#define KT_CHAIN_TYPE   f32x16
#define KT_CHAIN_TARGET USING("avx512f")
#define KT_CHAIN_KEEP   WIDE_REGISTER
#include "model/loops/probe_chain.h"
#undef KT_CHAIN_TYPE

#define KT_CHAIN_STEP FUSED
#define KT_CHAIN_NAME fma_f64x8
#define KT_CHAIN_TYPE f64x8
#include "model/loops/probe_chain.h"
#endif

#if defined(__x86_64__)
#define FMA_SET   "fma"
#define SSE41_SET "sse4.1"
#else
#define FMA_SET   ""
#define SSE41_SET ""
#endif

#define FLOATS(suffix, type, lanes, set, fused)                                                                 \
    {"add", type, lanes, lanes, set, add_##suffix}, {"mul", type, lanes, lanes, set, mul_##suffix},             \
        {"div", type, lanes, lanes, set, div_##suffix}, {"balance", type, lanes, lanes, set, balance_##suffix}, \
    {                                                                                                           \
        "fma", type, lanes, 2 * lanes, fused, fma_##suffix                                                      \
    }

const struct kt_probe_kernel kt_kernels[] = {
    {"add", "int32", 1, 0, "", add_i32},
    {"mul", "int32", 1, 0, "", mul_i32},
    {"div", "int32", 1, 0, "", div_i32},
    {"add", "int64", 1, 0, "", add_i64},
    {"mul", "int64", 1, 0, "", mul_i64},
    {"div", "int64", 1, 0, "", div_i64},
    FLOATS(f32, "float", 1, "", FMA_SET),
    FLOATS(f64, "double", 1, "", FMA_SET),
    {"add", "int32", 4, 0, SSE41_SET, add_i32x4},
    {"mul", "int32", 4, 0, SSE41_SET, mul_i32x4},
    {"add", "int64", 2, 0, "", add_i64x2},
    FLOATS(f32x4, "float", 4, "", FMA_SET),
    FLOATS(f64x2, "double", 2, "", FMA_SET),
#if defined(__x86_64__)
    {"add", "int32", 8, 0, "avx2", add_i32x8},
    {"mul", "int32", 8, 0, "avx2", mul_i32x8},
    FLOATS(f32x8, "float", 8, "avx", FMA_SET),
    FLOATS(f64x4, "double", 4, "avx", FMA_SET),
    {"add", "int32", 16, 0, "avx512f", add_i32x16},
    {"mul", "int32", 16, 0, "avx512f", mul_i32x16},
    FLOATS(f32x16, "float", 16, "avx512f", "avx512f"),
    FLOATS(f64x8, "double", 8, "avx512f", "avx512f"),
#endif
};

const size_t kt_kernel_count = sizeof kt_kernels / sizeof *kt_kernels;

int kt_kernel_streams(const struct kt_probe_kernel *kernel)
{
    return strcmp(kernel->operation, "div") ? KT_STREAMS_MAX : KT_STREAMS_DIV;
}

int kt_kernel_operations(int streams)
{
    return KT_CHAIN_LENGTH / streams * streams;
}

bool kt_kernel_present(const struct kt_probe_kernel *kernel)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    const char *needs = kernel->needs;
    return !*needs || (!strcmp(needs, "sse4.1") && __builtin_cpu_supports("sse4.1")) ||
           (!strcmp(needs, "avx") && __builtin_cpu_supports("avx")) ||
           (!strcmp(needs, "avx2") && __builtin_cpu_supports("avx2")) ||
           (!strcmp(needs, "fma") && __builtin_cpu_supports("fma")) ||
           (!strcmp(needs, "avx512f") && __builtin_cpu_supports("avx512f"));
#else
    return !*kernel->needs;
#endif
}

const struct kt_probe_kernel *kt_kernel_find(const char *operation, const char *type, int lanes)
{
    for (const struct kt_probe_kernel *k = kt_kernels; k < kt_kernels + kt_kernel_count; k++)
        if (!strcmp(k->operation, operation) && !strcmp(k->type, type) && k->lanes == lanes)
            return kt_kernel_present(k) ? k : NULL;
    return NULL;
}

void kt_kernel_clock(uint64_t passes)
{
    add_i64(passes, 1);
}
