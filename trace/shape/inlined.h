/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of the source that an instruction belongs to: the innermost one that was inlined there, what that was
 * inlined into, and so on to the function that a debugger finds on the stack.
 */
#ifndef KT_INLINED_H
#define KT_INLINED_H

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

/* NULL and 0: not known. Texts are the session's. */
struct kt_inlined {
    const char *function; /* without what it is in */
    const char *file;
    int line;
};

enum { KT_INLINED_MOST = 64 };

/* The innermost first; at least one, of which nothing may be known. ADDRESS is in the file; sessions have one file. */
size_t kt_inlined_find(Dwfl_Module *module, uint64_t address, struct kt_inlined out[KT_INLINED_MOST]);

#endif
