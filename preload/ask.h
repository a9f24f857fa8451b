/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a library says of itself when it is asked, and how its routines want to be called. The answers come from code of
 * the library: within slow paths only, which pause meanwhile.
 */
#ifndef KT_ASK_H
#define KT_ASK_H

#include "preload/objects.h"

struct kt_library_answer {
    const char *version; /* "": it does not tell */
    int threads;         /* 0: it does not tell */
};

/*
 * One library may have dgemm_ with 32-bit integers and dgemm_64_ with 64-bit ones: a family of names (plain or with
 * 64, with the prefix scipy_ or not) has its conventions.
 */
enum { KT_FAMILIES = 4 };

struct kt_convention {
    bool wide;          /* integers have 64 bits */
    bool hidden_result; /* complex functions of Fortran store their result through a first argument that is hidden */
};

/* Does the object have routines under names that nobody else uses? Anybody may have a function called drot. */
KT_HIDDEN bool kt_ask_is_blas(const struct kt_loaded *object);

KT_HIDDEN struct kt_library_answer kt_ask_library(const struct kt_loaded *library);

/* Of any name of a routine. */
KT_HIDDEN int kt_ask_family(const char *symbol);
KT_HIDDEN struct kt_convention kt_ask_convention(const struct kt_loaded *library, const char *symbol);

#endif
