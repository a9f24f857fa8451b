/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the dynamic linker that we stand in front of; calls of these names come to us first.
 *
 *   dlopen  to know what is opened for the global scope, and to load the library of KTRACE_BLAS before another
 *   dlsym, dlvsym  to hand out stubs for routines that the program looks up in a particular library, and to find no
 *           routine that only we have: programs ask in this way what a library can do
 *   dlclose to see that objects are unloaded
 */
#ifndef KT_LINKER_H
#define KT_LINKER_H

#include "preload/attributes.h"

/* Where a call with these first arguments, that returns to CALLER, has to jump (preload/linker_hooks.S). */
KT_HIDDEN void *kt_linker_before_dlopen(const char *file, int mode, const void *caller);
KT_HIDDEN void *kt_linker_before_dlsym(void *handle, const char *name, const void *caller);
KT_HIDDEN void *kt_linker_before_dlvsym(void *handle, const char *name, const void *caller);

/*
 * For preload/audit.c, which finds it by its name: what to bind a reference to that would get TARGET and comes from the
 * object with the address FROM.
 */
KT_EXPORT void *ktrace_redirect(const char *name, void *target, const void *from);

#endif
