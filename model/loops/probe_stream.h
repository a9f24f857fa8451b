/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops of the bandwidth probe for one width of registers: a template without guard. KT_STREAM_NAME is the suffix
 * of the functions, KT_STREAM_TYPE a vector of doubles, KT_STREAM_TARGET the attribute of the instruction set,
 * KT_STREAM_KEEP the constraint of a register, KT_STREAM_PAST(address, value) a store that bypasses the caches, if
 * there is one.
 *
 * No zeros are stored: some processors do that twice as fast (a Zen 3 past the caches).
 * Arrays are cut into PARTS that are walked side by side, each UNROLL vectors at a time. DOUBLES is a multiple of
 * KT_STREAM_BLOCK.
 */
#define KT_STREAM_JOIN_(a, b) a##b
#define KT_STREAM_JOIN(a, b)  KT_STREAM_JOIN_(a, b)

#define KT_STREAM_LOOP(name, body)                                                                                    \
    static inline __attribute__((always_inline)) KT_STREAM_TARGET void KT_STREAM_JOIN(name##_loop_, KT_STREAM_NAME)(  \
        double *a, const double *b, const double *c, size_t doubles, const int parts)                                 \
    {                                                                                                                 \
        enum { WIDE = sizeof(KT_STREAM_TYPE) / sizeof(double), UNROLL = 4 };                                          \
        KT_STREAM_TYPE k = (KT_STREAM_TYPE){0} + 0.5;                                                                 \
        __asm__("" : KT_STREAM_KEEP(k));                                                                              \
        size_t part = doubles / (size_t)parts;                                                                        \
        (void)b;                                                                                                      \
        (void)c;                                                                                                      \
        for (size_t i = 0; i < part; i += WIDE * UNROLL) {                                                            \
            _Pragma("GCC unroll 4") for (int p = 0; p < parts; p++)                                                   \
            {                                                                                                         \
                _Pragma("GCC unroll 4") for (int u = 0; u < UNROLL; u++)                                              \
                {                                                                                                     \
                    size_t at = (size_t)p * part + i + (size_t)u * WIDE;                                              \
                    KT_STREAM_TYPE *pa = (KT_STREAM_TYPE *)(a + at);                                                  \
                    const KT_STREAM_TYPE *pb = (const KT_STREAM_TYPE *)(b + at);                                      \
                    const KT_STREAM_TYPE *pc = (const KT_STREAM_TYPE *)(c + at);                                      \
                    (void)pa;                                                                                         \
                    (void)pb;                                                                                         \
                    (void)pc;                                                                                         \
                    body                                                                                              \
                }                                                                                                     \
            }                                                                                                         \
        }                                                                                                             \
        __asm__ volatile("" : KT_STREAM_KEEP(k)::"memory");                                                           \
    }                                                                                                                 \
    static KT_STREAM_TARGET void KT_STREAM_JOIN(name##_, KT_STREAM_NAME)(double *a, const double *b, const double *c, \
                                                                         size_t doubles, int parts)                   \
    {                                                                                                                 \
        if (parts == 4)                                                                                               \
            KT_STREAM_JOIN(name##_loop_, KT_STREAM_NAME)(a, b, c, doubles, 4);                                        \
        else if (parts == 2)                                                                                          \
            KT_STREAM_JOIN(name##_loop_, KT_STREAM_NAME)(a, b, c, doubles, 2);                                        \
        else                                                                                                          \
            KT_STREAM_JOIN(name##_loop_, KT_STREAM_NAME)(a, b, c, doubles, 1);                                        \
    }

KT_STREAM_LOOP(load, KT_STREAM_TYPE v = *(volatile KT_STREAM_TYPE *)pa; __asm__("" : KT_STREAM_KEEP(v));)
KT_STREAM_LOOP(store, *(volatile KT_STREAM_TYPE *)pa = k;)
KT_STREAM_LOOP(copy, *(volatile KT_STREAM_TYPE *)pa = *pb;)
KT_STREAM_LOOP(triad, *(volatile KT_STREAM_TYPE *)pa = *pb + k * *pc;)
#ifdef KT_STREAM_PAST
KT_STREAM_LOOP(past, KT_STREAM_PAST((double *)pa, k);)
#endif

#undef KT_STREAM_LOOP
#undef KT_STREAM_JOIN_
#undef KT_STREAM_JOIN
#undef KT_STREAM_NAME
#undef KT_STREAM_TYPE
#undef KT_STREAM_TARGET
#undef KT_STREAM_KEEP
#undef KT_STREAM_PAST
