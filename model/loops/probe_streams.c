/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/loops/probe_streams.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef double two __attribute__((vector_size(16), may_alias));

#define KT_STREAM_NAME 128
#define KT_STREAM_TYPE two
#define KT_STREAM_TARGET
#if defined(__x86_64__)
#define KT_STREAM_KEEP                 "+x"
#define KT_STREAM_PAST(address, value) _mm_stream_pd(address, value)
#else
#define KT_STREAM_KEEP "+w"
#endif
#include "model/loops/probe_stream.h"

#if defined(__x86_64__)
typedef double four __attribute__((vector_size(32), may_alias));
typedef double eight __attribute__((vector_size(64), may_alias));

#define KT_STREAM_NAME                 256
#define KT_STREAM_TYPE                 four
#define KT_STREAM_TARGET               __attribute__((target("avx,fma")))
#define KT_STREAM_KEEP                 "+x"
#define KT_STREAM_PAST(address, value) _mm256_stream_pd(address, value)
#include "model/loops/probe_stream.h"

#define KT_STREAM_NAME                 512
#define KT_STREAM_TYPE                 eight
#define KT_STREAM_TARGET               __attribute__((target("avx512f")))
#define KT_STREAM_KEEP                 "+v"
#define KT_STREAM_PAST(address, value) _mm512_stream_pd(address, value)
#include "model/loops/probe_stream.h"
#endif

#define LOOPS(bits, needs)                                                          \
    {"load", 1, bits, needs, load_##bits}, {"store", 1, bits, needs, store_##bits}, \
        {"copy", 2, bits, needs, copy_##bits}, {"triad", 3, bits, needs, triad_##bits},

const struct kt_stream_loop kt_stream_loops[] = {
    LOOPS(128, "")
#if defined(__x86_64__)
        {"nt_store", 1, 128, "", past_128},
    LOOPS(256, "fma"){"nt_store", 1, 256, "fma", past_256},
    LOOPS(512, "avx512f"){"nt_store", 1, 512, "avx512f", past_512},
#endif
};

const size_t kt_stream_loop_count = sizeof kt_stream_loops / sizeof *kt_stream_loops;

size_t kt_stream_doubles(double doubles)
{
    size_t blocks = (size_t)(doubles / KT_STREAM_BLOCK);
    return blocks > 0 ? ((blocks - 1) | 1) * KT_STREAM_BLOCK : 0;
}

bool kt_stream_loop_present(const struct kt_stream_loop *loop)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return !*loop->needs ||
           (!strcmp(loop->needs, "fma") && __builtin_cpu_supports("avx") && __builtin_cpu_supports("fma")) ||
           (!strcmp(loop->needs, "avx512f") && __builtin_cpu_supports("avx512f"));
#else
    return !*loop->needs;
#endif
}
