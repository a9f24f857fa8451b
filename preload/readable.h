/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of an interpreter's, read without faults: no pointer is followed before its page was found readable once.
 * What is followed belongs to a call in progress, and stays.
 */
#ifndef KT_READABLE_H
#define KT_READABLE_H

#include "preload/shim.h"

#include <string.h>

enum { KT_READABLE_PAGE_BITS = 12, KT_READABLE_PAGES = 1024 };

/* Pages that were found readable, by the low bits of their numbers. */
extern KT_HIDDEN _Atomic uintptr_t kt_readable_pages[KT_READABLE_PAGES];

/* Pages that are not known are asked for. */
KT_HIDDEN bool kt_readable_pages_of(uintptr_t first, uintptr_t last);

static inline bool kt_readable_is_known(uintptr_t page)
{
    return atomic_load_explicit(&kt_readable_pages[page % KT_READABLE_PAGES], memory_order_relaxed) == page;
}

static inline bool kt_readable(const char *at, size_t bytes)
{
    const uintptr_t first = (uintptr_t)at >> KT_READABLE_PAGE_BITS;
    const uintptr_t last = ((uintptr_t)at + bytes - 1) >> KT_READABLE_PAGE_BITS;
    if (KT_LIKELY(first == last && first && kt_readable_is_known(first)))
        return true;
    return kt_readable_pages_of(first, last);
}

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
