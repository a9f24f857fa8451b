/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/jump.h"

#include "preload/bind.h"
#include "preload/objects.h"
#include "preload/process.h"

#include <errno.h>

extern KT_HIDDEN _Atomic(void *) kt_own_longjmp, kt_own__longjmp, kt_own_siglongjmp, kt_own___longjmp_chk,
    kt_own__Unwind_RaiseException, kt_own__Unwind_Resume;

void kt_jumps_start(void)
{
    atomic_store(&kt_own_longjmp, kt_find_next("longjmp"));
    atomic_store(&kt_own__longjmp, kt_find_next("_longjmp"));
    atomic_store(&kt_own_siglongjmp, kt_find_next("siglongjmp"));
    atomic_store(&kt_own___longjmp_chk, kt_find_next("__longjmp_chk"));
}

void *kt_find_own(const char *name, const void *caller, _Atomic(void *) *own)
{
    int saved = errno;
    bool begun = kt_slow_begin();
    void *found = kt_resolve(name, (uintptr_t)caller);
    if (begun)
        kt_slow_end();
    if (!found)
        kt_fail_like_the_linker(name);
    if (!kt_is_closing())
        atomic_store(own, found);
    errno = saved;
    return found;
}

void kt_jumps_forget(void)
{
    atomic_store(&kt_own__Unwind_RaiseException, NULL);
    atomic_store(&kt_own__Unwind_Resume, NULL);
}
