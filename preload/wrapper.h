/* SPDX-License-Identifier: BSD-3-Clause */
/* What the generated wrappers need besides the shim itself: arguments that are passed by reference. */
#ifndef KT_WRAPPER_H
#define KT_WRAPPER_H

#include "preload/shim.h"

struct complex_float {
    float re, im;
};

struct complex_double {
    double re, im;
};

/* C programs pass NULL for arguments that a routine does not look at. */
#define KT_LOAD(name, type)                        \
    static inline type load_##name(const void *at) \
    {                                              \
        return at ? *(const type *)at : (type){0}; \
    }
KT_LOAD(char, unsigned char)
KT_LOAD(float, float)
KT_LOAD(double, double)
KT_LOAD(complex_float, struct complex_float)
KT_LOAD(complex_double, struct complex_double)
#undef KT_LOAD

#endif
