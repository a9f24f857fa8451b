/* SPDX-License-Identifier: BSD-3-Clause */
/* The scopes in which the dynamic linker looks symbols up. One look each, as in preload/objects.h. */
#ifndef KT_SCOPES_H
#define KT_SCOPES_H

#include "preload/attributes.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The routine that code at WHERE would reach by this name if we were not here, or NULL. May run code of a library. To
 * resolve is to take any there is if the linker would find none.
 */
KT_HIDDEN void *kt_scopes_find_behind_us(const char *symbol, uintptr_t where);
KT_HIDDEN void *kt_scopes_resolve(const char *symbol, uintptr_t where);

/* Is the symbol in the scopes of code at WHERE, apart from us? The global scope from its beginning, or behind us. */
KT_HIDDEN bool kt_scopes_have(const char *symbol, uintptr_t where, bool behind_us);

/* The symbol in the object at that address, or also in what it needs; never ours. */
KT_HIDDEN void *kt_scopes_find_in_object(uintptr_t address, const char *symbol);
KT_HIDDEN void *kt_scopes_find_in_library(uintptr_t address, const char *symbol);

/*
 * Or in what it needs by a name of its own, such as libopenblas.so.0: the two are one product. What stands behind
 * libblas.so.3 may be anybody's: the reference LAPACK is no OpenBLAS because its BLAS is one.
 */
KT_HIDDEN void *kt_scopes_find_in_product(uintptr_t address, const char *symbol);

/* The symbol in the object with that file name or soname, if it was loaded when the program started: it stays. */
KT_HIDDEN void *kt_scopes_find_at_start(const char *object, const char *symbol);

/* The first definition among all objects that were loaded when the program started. */
KT_HIDDEN void *kt_scopes_find_first(const char *symbol);

/* The program opens an object of that name, and all it needs, for the global scope. */
KT_HIDDEN void kt_scopes_note_global(const char *name);

#endif
