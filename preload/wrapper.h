/* SPDX-License-Identifier: BSD-3-Clause */
/* What the compiled wrappers need besides the shim itself: the name that was called, arguments passed by reference. */
#ifndef KT_WRAPPER_H
#define KT_WRAPPER_H

#include "preload/shim.h"

struct kt_complex_float {
    float re, im;
};

struct kt_complex_double {
    double re, im;
};

/* C programs pass NULL for arguments that a routine does not look at. */
#define KT_LOAD(name, type)                        \
    static inline type kt_##name(const void *at)   \
    {                                              \
        return at ? *(const type *)at : (type){0}; \
    }
KT_LOAD(char, unsigned char)
KT_LOAD(float, float)
KT_LOAD(double, double)
KT_LOAD(complex_float, struct kt_complex_float)
KT_LOAD(complex_double, struct kt_complex_double)
#undef KT_LOAD

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
