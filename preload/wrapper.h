/* SPDX-License-Identifier: BSD-3-Clause */
/* What the compiled wrappers need besides the shim itself: the name that was called, arguments passed by reference. */
#ifndef KT_WRAPPER_H
#define KT_WRAPPER_H

#include "preload/shim.h"

#include <string.h>

/*
 * Parts of the words of a record. C programs pass NULL for arguments that a routine does not look at. Complex numbers
 * are one or two words.
 */
static inline uint64_t kt_word(const void *at, unsigned index)
{
    uint64_t word = 0;
    if (at)
        memcpy(&word, (const char *)at + 8 * (size_t)index, sizeof word);
    return word;
}

static inline uint64_t kt_half_word(const void *at)
{
    uint32_t half = 0;
    if (at)
        memcpy(&half, at, sizeof half);
    return half;
}

static inline uint64_t kt_letter(const void *at)
{
    return at ? *(const unsigned char *)at : 0;
}

static inline uint64_t kt_double_word(double value)
{
    return kt_word(&value, 0);
}

static inline uint64_t kt_float_half(float value)
{
    return kt_half_word(&value);
}

static inline uint64_t kt_code(int value)
{
    return (uint32_t)value;
}

/* The slot that the stub has put into a register; wrappers are compiled such that nothing else uses it (Makefile). */
static inline struct kt_slot *kt_called_slot(void)
{
    struct kt_slot *slot;
#if defined(__x86_64__)
    __asm__ volatile("movq %%r11, %0" : "=r"(slot));
#elif defined(__aarch64__)
    __asm__ volatile("mov %0, x17" : "=r"(slot));
#endif
    return slot;
}

#endif
