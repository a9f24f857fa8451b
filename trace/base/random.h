/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that are the same in every run: splitmix64 (Steele, Lea & Flood 2014). */
#ifndef KT_RANDOM_H
#define KT_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t kt_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The numbers below COUNT in random order (Fisher and Yates, inside out). */
static inline void kt_shuffle(size_t *order, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = kt_random(state) % (i + 1);
        order[i] = i; /* for j = i */
        order[i] = order[j];
        order[j] = i;
    }
}

#endif
