/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects that the dynamic linker has loaded, in whose scopes it looks symbols up, and what libraries say of
 * themselves. Within slow paths only, except kt_find_in_path.
 */
#ifndef KT_OBJECTS_H
#define KT_OBJECTS_H

#include "preload/shim.h"

#include <link.h>

enum { KT_MAX_OBJECTS = 2048 };

/* The texts are the linker's: they live as long as the object. */
struct kt_loaded {
    const char *path;
    const char *soname;
    uintptr_t lo, hi, bias;
    const ElfW(Dyn) * dynamic;
    const char *strings; /* of the dynamic section */
    char build_id[48];
    int root; /* index of the object whose dlopen() brought it in */
};

struct kt_library_answer {
    const char *version; /* "": it does not tell */
    int threads;         /* 0: it does not tell */
    bool wide;           /* its integers have 64 bits */
};

/* Brings the list of objects up to date; false without memory. */
KT_HIDDEN bool kt_objects_refresh(void);

/* NULL if the address is in none. Good until the next refresh. */
KT_HIDDEN const struct kt_loaded *kt_object_at(uintptr_t address);

/* The routine that code at WHERE would reach by this name if we were not here, or NULL. Pauses the slow path. */
KT_HIDDEN void *kt_resolve(const char *symbol, uintptr_t where);

/* The symbol in the scope of an object that was opened by that path; never ours. */
KT_HIDDEN void *kt_find_in_path(const char *path, const char *symbol);

/* Runs code of the library. Pauses the slow path. */
KT_HIDDEN struct kt_library_answer kt_ask_library(const char *path);

KT_HIDDEN bool kt_is_inside_us(uintptr_t address);

/* The dynamic linker's dlclose(): calls of that name come to us first. */
KT_HIDDEN int kt_close_handle(void *handle);

#endif
