/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/jump.h"

#include "preload/linker_own.h"
#include "preload/objects.h"
#include "preload/scopes.h"
#include "preload/slow.h"
#include "preload/unload.h"

#include <errno.h>
#include <setjmp.h>
#include <string.h>

extern KT_HIDDEN _Atomic(void *) kt_own_longjmp, kt_own__longjmp, kt_own_siglongjmp, kt_own___longjmp_chk,
    kt_own_pthread_exit;

bool kt_knows_targets;

/* --- jumps ------------------------------------------------------------------------------------------------- */

#ifdef __x86_64__
/* The C library's own business: so it is tried. */
static bool is_place_as_expected(void)
{
    enum { STACK_POINTER = 6, ROTATED = 17, NEAR = 4096 };
    jmp_buf here;
    uintptr_t word, secret;
    if (setjmp(here) != 0)
        return false;
    memcpy(&word, (const char *)&here + STACK_POINTER * sizeof word, sizeof word);
    __asm__("movq %%fs:0x30, %0" : "=r"(secret));
    uintptr_t place = (word >> ROTATED | word << (64 - ROTATED)) ^ secret;
    return place - (uintptr_t)__builtin_frame_address(0) + NEAR < 2 * NEAR;
}
#else
static bool is_place_as_expected(void)
{
    return false;
}
#endif

void kt_jump_start(void)
{
    atomic_store(&kt_own_longjmp, kt_objects_find_next("longjmp"));
    atomic_store(&kt_own__longjmp, kt_objects_find_next("_longjmp"));
    atomic_store(&kt_own_siglongjmp, kt_objects_find_next("siglongjmp"));
    atomic_store(&kt_own___longjmp_chk, kt_objects_find_next("__longjmp_chk"));
    atomic_store(&kt_own_pthread_exit, kt_objects_find_next("pthread_exit"));
    kt_knows_targets = is_place_as_expected();
}

/* --- exceptions -------------------------------------------------------------------------------- */

/* What the code of an object reaches. Never changed once published, and never used again: others may be reading it. */
struct answer {
    uintptr_t lo, bytes;
    unsigned which;
    void *target;
};

enum { ANSWERS = 256 };
static struct answer answer[ANSWERS];
static _Atomic unsigned answers, forgotten; /* those from FORGOTTEN on count */

static void *known_answer(unsigned which, uintptr_t where)
{
    unsigned count = atomic_load_explicit(&answers, memory_order_acquire);
    for (unsigned i = atomic_load_explicit(&forgotten, memory_order_acquire); i < count; i++)
        if (answer[i].which == which && where - answer[i].lo < answer[i].bytes)
            return answer[i].target;
    return NULL;
}

/* Within a slow path. */
static void remember(unsigned which, uintptr_t where, void *target)
{
    struct kt_loaded caller;
    unsigned count = atomic_load(&answers);
    if (count == ANSWERS || kt_unload_is_possible() || !kt_objects_at(where, &caller))
        return;
    answer[count] = (struct answer){caller.lo, caller.hi - caller.lo, which, target};
    atomic_store_explicit(&answers, count + 1, memory_order_release);
}

void *kt_jump_find(unsigned which, const void *caller)
{
    static const char *const name[] = {"_Unwind_RaiseException", "__cxa_begin_catch"};
    uintptr_t where = (uintptr_t)caller;
    void *found = known_answer(which, where);
    if (found)
        return found;
    int saved = errno;
    bool begun = kt_slow_begin();
    found = kt_scopes_resolve(name[which], where);
    if (!found)
        kt_linker_own_fail(name[which]);
    if (begun) {
        remember(which, where, found);
        kt_slow_end();
    }
    errno = saved;
    return found;
}

void kt_jump_forget(void)
{
    atomic_store(&forgotten, atomic_load(&answers));
}
