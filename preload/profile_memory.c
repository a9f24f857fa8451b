/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/profile_memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

enum { ALL = KT_PROFILE_MEMORY - KT_PROFILE_OVERFLOW };

static _Atomic int64_t left = ALL;

bool kt_profile_memory_take(size_t bytes)
{
    int64_t now = atomic_load(&left);
    while (now >= (int64_t)bytes)
        if (atomic_compare_exchange_weak(&left, &now, now - (int64_t)bytes))
            return true;
    return false;
}

void kt_profile_memory_give_back(size_t bytes)
{
    atomic_fetch_add(&left, (int64_t)bytes);
}

void *kt_profile_memory_pages(size_t bytes)
{
    if (!kt_profile_memory_take(bytes))
        return NULL;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (at != MAP_FAILED)
        return at;
    kt_profile_memory_give_back(bytes);
    return NULL;
}

bool kt_profile_memory_has(size_t keep)
{
    return atomic_load(&left) > (int64_t)keep;
}

void kt_profile_memory_forget(void)
{
    atomic_store(&left, ALL);
}
