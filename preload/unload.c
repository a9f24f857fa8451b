/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/unload.h"

#include "preload/objects.h"

_Atomic unsigned kt_unloads;

static _Atomic unsigned closing; /* calls of dlclose() in progress */

/* An object can be loaded in the place of another only after the linker has counted that as unloaded. */
void kt_unload_count(void)
{
    static _Atomic unsigned long long seen;
    unsigned long long subs = kt_objects_unloaded();
    if (atomic_exchange(&seen, subs) != subs)
        atomic_fetch_add(&kt_unloads, 1);
}

void kt_unload_begin(void)
{
    atomic_fetch_add(&closing, 1);
}

void kt_unload_end(void)
{
    kt_unload_count();
    atomic_fetch_sub(&closing, 1);
}

bool kt_unload_is_possible(void)
{
    return atomic_load(&closing) > 0;
}

void kt_unload_after_fork(void)
{
    atomic_store(&closing, 0);
}
