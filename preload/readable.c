/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/readable.h"

#include "preload/system.h"

_Atomic uintptr_t kt_readable_pages[KT_READABLE_PAGES];

static bool is_readable_page(uintptr_t page)
{
    if (KT_LIKELY(kt_readable_is_known(page)))
        return true;
    if (!kt_system_is_readable((const void *)(page << KT_READABLE_PAGE_BITS)))
        return false;
    atomic_store_explicit(&kt_readable_pages[page % KT_READABLE_PAGES], page, memory_order_relaxed);
    return true;
}

bool kt_readable_pages_of(uintptr_t first, uintptr_t last)
{
    if (first == 0 || last < first)
        return false;
    for (uintptr_t page = first; page <= last; page++)
        if (!is_readable_page(page))
            return false;
    return true;
}
