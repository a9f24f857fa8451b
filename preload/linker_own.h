/* SPDX-License-Identifier: BSD-3-Clause */
/* The linker's own functions of the names that we stand in front of (preload/linker.c). */
#ifndef KT_LINKER_OWN_H
#define KT_LINKER_OWN_H

#include "preload/attributes.h"

/* Where they are: to be jumped to, so that they see who asks. */
KT_HIDDEN void *kt_linker_own_dlopen(void);
KT_HIDDEN void *kt_linker_own_dlsym(void);
KT_HIDDEN void *kt_linker_own_dlvsym(void);

KT_HIDDEN void *kt_linker_own_open(const char *file, int mode);
KT_HIDDEN void *kt_linker_own_find(void *handle, const char *name);
KT_HIDDEN int kt_linker_own_close(void *handle);

/* No routine of that name can be found: ends the program as the dynamic linker would have. */
_Noreturn KT_HIDDEN void kt_linker_own_fail(const char *symbol);

#endif
