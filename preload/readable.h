/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of an interpreter's, read without faults: no pointer is followed before its page was found readable once.
 * What is followed belongs to a call in progress, and stays.
 */
#ifndef KT_READABLE_H
#define KT_READABLE_H

#include "preload/shim.h"

#include <string.h>

KT_HIDDEN bool kt_readable(const char *at, size_t bytes);

static inline const char *kt_readable_pointer(const char *at)
{
    const char *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

/* What the pointer at AT points to, an object of at least so many BYTES; NULL if it cannot be one. */
static inline const char *kt_readable_object(const char *at, size_t bytes)
{
    const char *object = kt_readable_pointer(at);
    return (uintptr_t)object % 8 == 0 && kt_readable(object, bytes) ? object : NULL;
}

#endif
