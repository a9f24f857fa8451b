/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects that the dynamic linker has loaded and the scopes in which it looks symbols up. Each function takes one
 * look at the linker's list, under the lock of dl_iterate_phdr() and no other; to be called with signals blocked.
 */
#ifndef KT_OBJECTS_H
#define KT_OBJECTS_H

#include "preload/elf.h"
#include "preload/shim.h"

enum { KT_MAX_OBJECTS = 2048 };

/* The texts are the linker's: they live as long as the object. */
struct kt_loaded {
    const char *path;
    const char *soname;
    uintptr_t lo, hi, bias;
    char build_id[48];
    struct kt_image image;
};

/* The object that holds the address; false if none does, or without memory. */
KT_HIDDEN bool kt_object_at(uintptr_t address, struct kt_loaded *object);

/*
 * The routine that code at WHERE would reach by this name if we were not here, or NULL. May run code of a library. To
 * resolve is to take any there is if the linker would find none.
 */
KT_HIDDEN void *kt_find_behind_us(const char *symbol, uintptr_t where);
KT_HIDDEN void *kt_resolve(const char *symbol, uintptr_t where);

/* Is the symbol in the scopes of code at WHERE, apart from us? The global scope from its beginning, or behind us. */
KT_HIDDEN bool kt_is_defined(const char *symbol, uintptr_t where, bool behind_us);

/* The symbol in the object at that address, or also in what it needs; never ours. */
KT_HIDDEN void *kt_find_in_object(uintptr_t address, const char *symbol);
KT_HIDDEN void *kt_find_in_library(uintptr_t address, const char *symbol);

/*
 * Or in what it needs by a name of its own, such as libopenblas.so.0: the two are one product. What stands behind
 * libblas.so.3 may be anybody's: the reference LAPACK is no OpenBLAS because its BLAS is one.
 */
KT_HIDDEN void *kt_find_in_product(uintptr_t address, const char *symbol);

/* The symbol in the object with that file name or soname, if it was loaded when the program started: it stays. */
KT_HIDDEN void *kt_find_at_start(const char *object, const char *symbol);

/* The first definition among all objects that were loaded when the program started. */
KT_HIDDEN void *kt_find_first_at_start(const char *symbol);

/* How many objects the linker has unloaded so far; 0 in a child that cannot ask it, where it unloads none. */
KT_HIDDEN unsigned long long kt_objects_unloaded(void);

/* The first definition behind us, in the order in which objects were loaded: another tool's, or the C library's. */
KT_HIDDEN void *kt_objects_find_next(const char *symbol);

KT_HIDDEN bool kt_is_inside_us(uintptr_t address);

/* The program forks, and what that means for the linker's lock. TOLD: a handler was called before the fork. */
KT_HIDDEN void kt_objects_before_fork(void);
KT_HIDDEN void kt_objects_after_fork(bool told);

/* The program opens an object of that name, and all it needs, for the global scope. */
KT_HIDDEN void kt_note_global(const char *name);

#endif
