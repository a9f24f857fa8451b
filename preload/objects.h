/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects that the dynamic linker has loaded. Each function takes one look at the linker's list, under the lock of
 * dl_iterate_phdr() and no other; to be called with signals blocked.
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
    uintptr_t code_lo, code_hi; /* what of it can be executed */
    char build_id[48];
    struct kt_image image;
};

/* The object that holds the address; false if none does, or without memory. */
KT_HIDDEN bool kt_objects_at(uintptr_t address, struct kt_loaded *object);

/* How many objects the linker has unloaded so far; 0 in a child that cannot ask it, where it unloads none. */
KT_HIDDEN unsigned long long kt_objects_unloaded(void);

/* The first definition behind us, in the order in which objects were loaded: another tool's, or the C library's. */
KT_HIDDEN void *kt_objects_find_next(const char *symbol);

KT_HIDDEN bool kt_objects_is_us(uintptr_t address);

/* The program forks, and what that means for the linker's lock. TOLD: a handler was called before the fork. */
KT_HIDDEN void kt_objects_before_fork(void);
KT_HIDDEN void kt_objects_after_fork(bool told);

#endif
