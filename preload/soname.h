/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dynamic linker takes an object that is loaded for any other that has its soname. A second build of a library that
 * the program has, or will open, must not be taken for the program's own: Debian's libblas.so.3 of one build of
 * OpenBLAS needs functions that the libopenblas.so.0 of another build lacks. So the library of KTRACE_BLAS loses its
 * soname, also where the program opens that very file by its path: what needs it by name has to find it by itself.
 */
#ifndef KT_SONAME_H
#define KT_SONAME_H

#include "preload/shim.h"

#include <link.h>

/* Nothing that is opened from now on is taken to need this object, which is never to be unloaded. Not where an earlier
 * one already did. */
KT_HIDDEN void kt_soname_hide(const struct link_map *object);

/* The soname that it had, of one that an image now shows. */
KT_HIDDEN const char *kt_soname_of(const char *shown);

#endif
