/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which 32-bit halves of a call's words differ from those of the last call of its context? Sizes and flags seldom use
 * their upper half, and addresses seldom change it. Halves are compared several at once and stored as they are:
 * differences of fewer bytes were half as long, and took three times as many instructions (FORMAT.md, HALVES).
 */
#ifndef KT_HALVES_H
#define KT_HALVES_H

#include "ktrace/format.h"

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Of so many words the first's halves have the bits 0 and 1, and so on. */
enum { KT_MASK_WORDS = 32 };

/* A part of a mask is that of a group; an array of words has room up to the end of its last pair. */
enum { KT_GROUP_WORDS = 8, KT_GROUP_HALVES = 2 * KT_GROUP_WORDS };

#ifdef __SSE2__
/* All ones where a pair of words is as before. Words behind the last are. */
static inline __m128i kt_same_halves(const uint64_t *word, uint64_t *last, unsigned pair, unsigned words)
{
    if (2 * pair >= words)
        return _mm_set1_epi32(-1);
    __m128i now = _mm_load_si128((const __m128i *)(const void *)word + pair);
    __m128i then = _mm_load_si128((const __m128i *)(const void *)last + pair);
    _mm_store_si128((__m128i *)(void *)last + pair, now);
    return _mm_cmpeq_epi32(now, then);
}

static inline uint64_t kt_changed_in_group(const uint64_t *word, uint64_t *last, unsigned words)
{
    __m128i first = _mm_packs_epi32(kt_same_halves(word, last, 0, words), kt_same_halves(word, last, 1, words));
    __m128i second = _mm_packs_epi32(kt_same_halves(word, last, 2, words), kt_same_halves(word, last, 3, words));
    return (uint64_t)(uint16_t)~_mm_movemask_epi8(_mm_packs_epi16(first, second));
}
#else
static inline uint64_t kt_changed_in_group(const uint64_t *word, uint64_t *last, unsigned words)
{
    uint64_t changed = 0;
    for (unsigned i = 0; i < words && i < KT_GROUP_WORDS; i++) {
        uint64_t difference = word[i] ^ last[i];
        changed |= (uint64_t)((uint32_t)difference != 0) << 2 * i | (uint64_t)(difference >> 32 != 0) << (2 * i + 1);
        last[i] = word[i];
    }
    return changed;
}
#endif

/* Which halves of WORD, at most KT_MASK_WORDS of them, differ from LAST, which is made the same. Both are aligned to 16
 * bytes. */
static inline uint64_t kt_changed_halves(const uint64_t *word, uint64_t *last, unsigned words)
{
    uint64_t changed = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < words; i += KT_GROUP_WORDS)
        changed |= kt_changed_in_group(word + i, last + i, words - i) << 2 * i;
    return changed;
}

static inline uint32_t *kt_put_halves(uint32_t *at, const uint64_t *word, uint64_t changed)
{
    for (; changed; changed &= changed - 1)
        memcpy(at++, (const char *)word + 4 * (unsigned)__builtin_ctzll(changed), sizeof *at);
    return at;
}

#endif
