/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One nano-benchmark: chains of one operation, 1 to KT_STREAMS_MAX of them side by side. A template without guard, to
 * be included after these are defined:
 *
 *   KT_CHAIN_NAME    the function's name
 *   KT_CHAIN_TYPE    what it computes with
 *   KT_CHAIN_TARGET  attribute that names the instruction set, may be empty
 *   KT_CHAIN_KEEP    constraint of the registers, a string such as "+r"
 *   KT_CHAIN_MOST    chains at most; KT_STREAMS_MAX if it is not defined
 *   KT_CHAIN_STEP    (v, b, stream): the operation that makes the next value of V
 *
 * The empty assembler statements tell the compiler that every value is looked at and changed, so it can leave out,
 * combine or vectorise nothing; tests/probe/probe_kernels.sh looks at what it made of it.
 */
#ifndef KT_CHAIN_MOST
#define KT_CHAIN_MOST KT_STREAMS_MAX
#endif
#if KT_STREAMS_MAX > 12
#define KT_CHAIN_MORE(x) x(12) x(13) x(14) x(15) x(16) x(17) x(18) x(19) x(20) x(21) x(22) x(23)
#else
#define KT_CHAIN_MORE(x)
#endif
#define KT_CHAIN_EACH(x)  x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) KT_CHAIN_MORE(x)
#define KT_CHAIN_SEE(v)   __asm__("" : KT_CHAIN_KEEP(v))
#define KT_CHAIN_BEGIN(s) KT_CHAIN_TYPE v##s = b;
#define KT_CHAIN_LINK(s)                  \
    if (s < streams) {                    \
        v##s = KT_CHAIN_STEP(v##s, b, s); \
        KT_CHAIN_SEE(v##s);               \
    }
#define KT_CHAIN_END(s) \
    if (s < streams)    \
        __asm__ volatile("" : KT_CHAIN_KEEP(v##s));

static inline __attribute__((always_inline)) KT_CHAIN_TARGET void KT_CHAIN_JOIN(KT_CHAIN_NAME, _loop)(uint64_t n,
                                                                                                      const int streams)
{
    KT_CHAIN_TYPE b = {0};
    KT_CHAIN_SEE(b);
    b += 1;
    KT_CHAIN_SEE(b);
    b += b + b; /* 3: neither 1 nor a power of two, which dividers might favour */
    KT_CHAIN_SEE(b);
    KT_CHAIN_EACH(KT_CHAIN_BEGIN)
    do {
        _Pragma("GCC unroll 60") for (int round = 0; round < KT_CHAIN_LENGTH / streams; round++)
        {
            KT_CHAIN_EACH(KT_CHAIN_LINK)
        }
    } while (--n);
    KT_CHAIN_EACH(KT_CHAIN_END)
}

#define KT_CHAIN_CASE(s)                                                               \
    case (s) + 1:                                                                      \
        if ((s) < KT_CHAIN_MOST)                                                       \
            KT_CHAIN_JOIN(KT_CHAIN_NAME, _loop)(n, (s) < KT_CHAIN_MOST ? (s) + 1 : 1); \
        break;

static __attribute__((noinline)) KT_CHAIN_TARGET void KT_CHAIN_NAME(uint64_t n, int streams)
{
    switch (streams) {
        KT_CHAIN_EACH(KT_CHAIN_CASE)
    default:
        break;
    }
}

#undef KT_CHAIN_MOST
#undef KT_CHAIN_MORE
#undef KT_CHAIN_EACH
#undef KT_CHAIN_SEE
#undef KT_CHAIN_BEGIN
#undef KT_CHAIN_LINK
#undef KT_CHAIN_END
#undef KT_CHAIN_CASE
#undef KT_CHAIN_NAME
#undef KT_CHAIN_STEP
