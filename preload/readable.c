/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/readable.h"

#include "preload/system.h"

enum { PAGE_BITS = 12, PAGES = 1024 };

/* Pages that were found readable. */
static _Atomic uintptr_t readable[PAGES];

static bool is_readable_page(uintptr_t page)
{
    _Atomic uintptr_t *known = &readable[page % PAGES];
    if (KT_LIKELY(atomic_load_explicit(known, memory_order_relaxed) == page))
        return true;
    if (!kt_system_is_readable((const void *)(page << PAGE_BITS)))
        return false;
    atomic_store_explicit(known, page, memory_order_relaxed);
    return true;
}

bool kt_readable(const char *at, size_t bytes)
{
    uintptr_t first = (uintptr_t)at >> PAGE_BITS;
    uintptr_t last = ((uintptr_t)at + bytes - 1) >> PAGE_BITS;
    if (first == 0 || last < first)
        return false;
    for (uintptr_t page = first; page <= last; page++)
        if (!is_readable_page(page))
            return false;
    return true;
}
