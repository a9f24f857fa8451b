/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/linker.h"

#include "preload/bind.h"
#include "preload/jump.h"
#include "preload/linker_own.h"
#include "preload/map.h"
#include "preload/names.h"
#include "preload/objects.h"
#include "preload/recorder.h"
#include "preload/redirect.h"
#include "preload/scopes.h"
#include "preload/slow.h"
#include "preload/substitute.h"
#include "preload/thread.h"
#include "preload/unload.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* --- opening ----------------------------------------------------------------------------------------------- */

void *kt_linker_before_dlopen(const char *file, int mode, const void *caller)
{
    (void)caller;
    if (file && !(mode & RTLD_NOLOAD) && kt_substitute_is_due() && !kt_self.busy)
        kt_substitute_load();
    if (file && !(mode & RTLD_NOLOAD) && kt_map_is_due() && !kt_self.busy)
        kt_map_load();
    if (file && mode & RTLD_GLOBAL)
        kt_scopes_note_global(file);
    return kt_linker_own_dlopen();
}

/* --- looking up -------------------------------------------------------------------------------------------- */

/* Signals are blocked in a slow path, also in one that this thread is on already. */
static bool is_defined(const char *name, const void *where, bool behind_us)
{
    bool begun = kt_slow_begin();
    bool defined = kt_scopes_have(name, (uintptr_t)where, behind_us);
    if (begun)
        kt_slow_end();
    return defined;
}

/* For dlerror(): what is not behind us is nowhere. */
static void *find_nothing(void *handle, const char *name)
{
    (void)handle;
    return kt_linker_own_find(RTLD_NEXT, name);
}

static void *stub_for(const struct kt_slot *slot, void *found, void *otherwise)
{
    bool is_on = atomic_load(&kt_recorder.state) != KT_STATE_OFF || kt_substitute_is_on() || kt_map_is_on();
    return found && is_on ? kt_redirect_stub(slot, found, otherwise) : found;
}

/* Found in the scope of a handle. The program's scope has us in it. */
static void *hand_out(void *handle, const char *name, void *found)
{
    if (kt_objects_is_us((uintptr_t)found) && !is_defined(name, NULL, false))
        return find_nothing(handle, name);
    return stub_for(kt_names_find(name), found, found);
}

static void *find_in_handle(void *handle, const char *name)
{
    return hand_out(handle, name, kt_linker_own_find(handle, name));
}

static void *find_version_in_handle(void *handle, const char *name, const char *version)
{
    void *(*find)(void *, const char *, const char *) = kt_linker_own_dlvsym();
    return hand_out(handle, name, find(handle, name, version));
}

static bool is_pseudo_handle(const void *handle)
{
    return handle == RTLD_DEFAULT || handle == RTLD_NEXT;
}

/* The run-time library of MKL has all names, and looks up in MKL's other libraries what it passes a call on to: one
 * call is not two. */
static bool passes_calls_on(const void *caller)
{
    static const char name[] = "libmkl_";
    struct kt_loaded object;
    bool begun = kt_slow_begin();
    bool found = kt_objects_at((uintptr_t)caller, &object);
    if (begun)
        kt_slow_end();
    const char *base = found && object.path ? strrchr(object.path, '/') : NULL;
    return base && !strncmp(base + 1, name, sizeof name - 1);
}

void *kt_linker_before_dlsym(void *handle, const char *name, const void *caller)
{
    if (!kt_names_find(name) || passes_calls_on(caller))
        return kt_linker_own_dlsym();
    if (!is_pseudo_handle(handle))
        return (void *)find_in_handle;
    return is_defined(name, caller, handle == RTLD_NEXT) ? kt_linker_own_dlsym() : (void *)find_nothing;
}

void *kt_linker_before_dlvsym(void *handle, const char *name, const void *caller)
{
    if (!kt_names_find(name))
        return kt_linker_own_dlvsym();
    if (!is_pseudo_handle(handle))
        return (void *)find_version_in_handle;
    return is_defined(name, caller, handle == RTLD_NEXT) ? kt_linker_own_dlvsym() : (void *)find_nothing;
}

/* --- closing ----------------------------------------------------------------------------------------------- */

KT_EXPORT int dlclose(void *handle);
KT_EXPORT int dlclose(void *handle)
{
    kt_unload_begin();
    kt_bind_forget_recent();
    kt_jump_forget();
    int result = kt_linker_own_close(handle);
    int saved = errno;
    kt_unload_end();
    errno = saved;
    return result;
}

/* --- binding ----------------------------------------------------------------------------------------------- */

/* What a reference that is bound to us would get without us; NULL: we do not know. */
static void *find_behind_us(const char *name, const void *from)
{
    bool begun = kt_slow_begin();
    void *target = kt_scopes_find_behind_us(name, (uintptr_t)from);
    if (begun)
        kt_slow_end();
    return target;
}

/* Without a stub of its own the reference is bound to us by name, as it would have been without the auditor. Of what is
 * looked up by dlsym, FROM is in the object that it is looked up in. */
KT_EXPORT void *ktrace_redirect(const char *name, void *target, const void *from)
{
    const struct kt_slot *slot = kt_names_find(name);
    void *beyond = slot && kt_objects_is_us((uintptr_t)target) ? find_behind_us(name, from) : target;
    return slot && beyond && !passes_calls_on(from) ? stub_for(slot, beyond, target) : target;
}
