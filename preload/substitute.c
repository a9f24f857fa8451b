/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/substitute.h"

#include "preload/beside.h"
#include "preload/names.h"
#include "preload/notice.h"
#include "preload/objects.h"
#include "preload/settings.h"
#include "preload/thread.h"

#include <stdio.h>

enum state { NOTHING, DUE, LOADED };

static _Atomic(enum state) state;
static struct kt_beside other; /* written before the state says so */

static _Atomic bool told_load, told_missing, told_convention;

bool kt_substitute_is_on(void)
{
    return atomic_load_explicit(&state, memory_order_acquire) == LOADED;
}

bool kt_substitute_is_due(void)
{
    return atomic_load_explicit(&state, memory_order_acquire) == DUE;
}

static bool tell_once(_Atomic bool *told)
{
    return !atomic_exchange(told, true);
}

static void open_files(void)
{
    char text[1024];
    const char *why = kt_beside_open(&other, kt_option.BLAS, true);
    atomic_store_explicit(&state, why ? NOTHING : LOADED, memory_order_release);
    if (!why || !tell_once(&told_load))
        return;
    snprintf(text, sizeof text, "%s", why);
    kt_notice("KTRACE_BLAS cannot be loaded, calls go where they would without it: ", text, "");
}

void kt_substitute_load(void)
{
    if (!kt_beside_begin())
        return;
    open_files();
    kt_beside_end();
}

void kt_substitute_start(void)
{
    if (!*kt_option.BLAS)
        return;
    atomic_store(&state, DUE);
    if (!kt_self.busy && kt_beside_is_needed())
        kt_substitute_load();
}

/* --- looking up -------------------------------------------------------------------------------------------- */

static void tell_what_stays(const struct kt_slot *slot, const struct kt_loaded *library, bool mismatch)
{
    const char *path = *library->path ? library->path : kt_program;
    const char *name = kt_names_text(slot);
    if (mismatch && tell_once(&told_convention))
        kt_notice("KTRACE_BLAS has other integers or complex results than the program uses: calls such as ", name,
                  " go where they would without it");
    else if (!mismatch && tell_once(&told_missing)) {
        static char text[PATH_MAX + 64];
        snprintf(text, sizeof text, " (and what else it may lack): such calls stay with %s", path);
        kt_notice("KTRACE_BLAS has no ", name, text);
    }
}

/* What the library looked up itself: perhaps it is a wrapper of the one that it found. */
static bool is_its_own(uintptr_t where, bool fixed)
{
    struct kt_loaded caller;
    uintptr_t first = atomic_load(&other.file[0]);
    return fixed && kt_objects_at(where, &caller) && first >= caller.lo && first < caller.hi;
}

void *kt_substitute(const struct kt_slot *slot, void *target, uintptr_t where, bool fixed)
{
    struct kt_loaded library;
    bool mismatch;
    if (!kt_substitute_is_on() || !target || !kt_objects_at((uintptr_t)target, &library) || !kt_ask_is_blas(&library) ||
        is_its_own(where, fixed))
        return target;
    void *found = kt_beside_find(&other, slot, kt_beside_convention(&library, kt_names_text(slot)), &mismatch);
    if (!found)
        tell_what_stays(slot, &library, mismatch);
    return found ? found : target;
}
