/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Additions among so many live variables (paper 003, 3.5): P[i] += P[(i + N - N/2) mod N]. A template without guard;
 * KT_LIVE_NAME, KT_LIVE_TYPE, KT_LIVE_TARGET and KT_LIVE_KEEP as in probe_chain.h.
 */
#define KT_LIVE_JOIN_(a, b) a##b
#define KT_LIVE_JOIN(a, b)  KT_LIVE_JOIN_(a, b)

static inline __attribute__((always_inline)) KT_LIVE_TARGET void KT_LIVE_JOIN(KT_LIVE_NAME, _loop)(uint64_t n,
                                                                                                   const int k)
{
    KT_LIVE_TYPE p[KT_LIVE_MAX];
    _Pragma("GCC unroll 48") for (int i = 0; i < k; i++)
    {
        p[i] = (KT_LIVE_TYPE){0};
        __asm__("" : KT_LIVE_KEEP(p[i]));
    }
    do {
        _Pragma("GCC unroll 48") for (int i = 0; i < k; i++)
        {
            p[i] += p[(i + k - k / 2) % k];
            __asm__("" : KT_LIVE_KEEP(p[i]));
        }
        _Pragma("GCC unroll 48") for (int i = 0; i < k; i++)
        {
            p[i] += p[(i + k - k / 2) % k];
            __asm__("" : KT_LIVE_KEEP(p[i]));
        }
    } while (--n);
    _Pragma("GCC unroll 48") for (int i = 0; i < k; i++) __asm__ volatile("" : KT_LIVE_KEEP(p[i]));
}

#define KT_LIVE_CASE(k)                          \
    case k:                                      \
        KT_LIVE_JOIN(KT_LIVE_NAME, _loop)(n, k); \
        break;
#define KT_LIVE_FOUR(k) KT_LIVE_CASE(k) KT_LIVE_CASE((k) + 1) KT_LIVE_CASE((k) + 2) KT_LIVE_CASE((k) + 3)

static __attribute__((noinline)) KT_LIVE_TARGET void KT_LIVE_NAME(uint64_t n, int variables)
{
    switch (variables) {
        KT_LIVE_FOUR(4)
        KT_LIVE_FOUR(8)
        KT_LIVE_FOUR(12)
        KT_LIVE_FOUR(16)
        KT_LIVE_FOUR(20)
        KT_LIVE_FOUR(24)
        KT_LIVE_FOUR(28)
        KT_LIVE_FOUR(32)
        KT_LIVE_FOUR(36)
    default:
        break;
    }
}

#undef KT_LIVE_JOIN_
#undef KT_LIVE_JOIN
#undef KT_LIVE_CASE
#undef KT_LIVE_FOUR
#undef KT_LIVE_NAME
#undef KT_LIVE_TYPE
#undef KT_LIVE_TARGET
#undef KT_LIVE_KEEP
