/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/substitute.h"

#include "preload/ask.h"
#include "preload/evidence.h"
#include "preload/linker_own.h"
#include "preload/names.h"
#include "preload/notice.h"
#include "preload/objects.h"
#include "preload/scopes.h"
#include "preload/settings.h"
#include "preload/slow.h"
#include "preload/soname.h"
#include "preload/thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FILES = 16, MAX_ASKED = 64 };

enum state { NOTHING, DUE, LOADED };

static _Atomic(enum state) state;

/* Addresses in the files of the library; written before the state says so. */
static _Atomic uintptr_t file[MAX_FILES];
static _Atomic int files;

static _Atomic bool told_load, told_missing, told_convention;

/* Answers of libraries; within slow paths. */
static struct {
    uintptr_t lo;
    int family;
    struct kt_convention convention;
} asked[MAX_ASKED];
static int asked_count;

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

/* --- loading ----------------------------------------------------------------------------------------------- */

static void fail_to_load(const char *why)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", why ? why : "no file is named");
    atomic_store(&state, NOTHING);
    if (tell_once(&told_load))
        kt_notice("KTRACE_BLAS cannot be loaded, calls go where they would without it: ", text, "");
}

/* Among themselves they know each other by their sonames, as long as these are not hidden. Two threads must not change
 * the protection of one page. */
static void hide_sonames(struct link_map *const *map, int count)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&taken))
        return;
    for (int i = 0; i < count; i++)
        kt_soname_hide(map[i]);
    atomic_flag_clear(&taken);
}

/* A LAPACK may need a BLAS of the system that the files before it are taken for, and that they are not. */
static struct link_map *open_file(struct link_map *const *before, int count, const char *path)
{
    int mode = RTLD_NOW | RTLD_LOCAL | (count == 0 ? RTLD_DEEPBIND : 0);
    struct link_map *map = kt_linker_own_open(path, mode);
    if (!map && count) {
        hide_sonames(before, count);
        map = kt_linker_own_open(path, mode);
    }
    return map;
}

/* Whoever comes here at the same time opens the same files, and finds the same: nobody waits. */
static void open_files(void)
{
    struct link_map *map[MAX_FILES];
    int count = 0;
    for (const char *at = kt_option.BLAS; *at && count < MAX_FILES;) {
        char path[PATH_MAX];
        size_t length = strcspn(at, ",");
        snprintf(path, sizeof path, "%.*s", (int)length, at);
        at += length + (at[length] == ',');
        if (!*path)
            continue;
        map[count] = open_file(map, count, path);
        if (!map[count]) {
            fail_to_load(dlerror());
            return;
        }
        atomic_store(&file[count], (uintptr_t)map[count]->l_ld);
        count++;
    }
    if (count == 0) {
        fail_to_load(NULL);
        return;
    }
    hide_sonames(map, count);
    atomic_store(&files, count);
    atomic_store_explicit(&state, LOADED, memory_order_release);
}

/* Loading makes objects, and may open others or make calls: these are not the program's. */
void kt_substitute_load(void)
{
    static __thread bool loading __attribute__((tls_model("initial-exec")));
    int saved = errno;
    if (loading)
        return;
    loading = true;
    bool was_silent = kt_self.silent;
    if (!was_silent)
        kt_thread_silence();
    open_files();
    if (!was_silent)
        kt_thread_unsilence();
    loading = false;
    errno = saved;
}

/* What comes behind us in the global scope. */
static bool is_in_global_scope(void)
{
    bool found = false;
    bool begun = kt_slow_begin();
    for (size_t i = 0; i < sizeof kt_evidence / sizeof *kt_evidence && !found; i++)
        found = kt_scopes_have(kt_evidence[i][0], (uintptr_t)kt_substitute_start, true);
    if (begun)
        kt_slow_end();
    return found;
}

void kt_substitute_start(void)
{
    if (!*kt_option.BLAS)
        return;
    atomic_store(&state, DUE);
    if (!kt_self.busy && is_in_global_scope())
        kt_substitute_load();
}

/* --- looking up -------------------------------------------------------------------------------------------- */

static struct kt_convention convention_of(const struct kt_loaded *library, const char *symbol)
{
    int family = kt_ask_family(symbol);
    for (int i = 0; i < asked_count; i++)
        if (asked[i].lo == library->lo && asked[i].family == family)
            return asked[i].convention;
    struct kt_convention answer = kt_ask_convention(library, symbol);
    if (asked_count < MAX_ASKED) {
        asked[asked_count].lo = library->lo;
        asked[asked_count].family = family;
        asked[asked_count++].convention = answer;
    }
    return answer;
}

/* A routine of the other library, and whether it can be called like the one that it stands for. */
struct candidate {
    const struct kt_slot *slot;
    struct kt_convention convention; /* that is needed */
    void *found;
    bool mismatch; /* there was one with another convention */
};

static bool fits(const struct candidate *c, const struct kt_convention *convention)
{
    bool complex = kt_names_interface(c->slot)->returns_complex;
    return convention->wide == c->convention.wide &&
           (!complex || convention->hidden_result == c->convention.hidden_result);
}

static void consider(struct candidate *c, const char *name, void *found)
{
    struct kt_loaded library;
    if (!found || kt_objects_is_us((uintptr_t)found) || !kt_objects_at((uintptr_t)found, &library))
        return;
    struct kt_convention convention = convention_of(&library, name);
    if (fits(c, &convention))
        c->found = found;
    else
        c->mismatch = true;
}

/* In the files themselves, then in what they need. */
static void look_for(struct candidate *c, const char *name)
{
    int count = atomic_load(&files);
    for (int i = 0; i < count && !c->found; i++)
        consider(c, name, kt_scopes_find_in_object(atomic_load(&file[i]), name));
    for (int i = 0; i < count && !c->found; i++)
        consider(c, name, kt_scopes_find_in_library(atomic_load(&file[i]), name));
}

/* The routine may have other names there: dgemm for dgemm_, dgemm_64_ for scipy_dgemm_64_. */
static void look_for_other_names(struct candidate *c)
{
    const struct kt_interface *interface = kt_names_interface(c->slot);
    for (unsigned i = 0; i < kt_slot_count && !c->found; i++)
        if (&kt_interfaces[kt_slot_infos[i].interface] == interface)
            look_for(c, kt_texts + kt_slot_infos[i].name);
}

static void tell_what_stays(const struct candidate *c, const struct kt_loaded *library)
{
    const char *path = *library->path ? library->path : kt_program;
    const char *name = kt_names_text(c->slot);
    if (c->mismatch && tell_once(&told_convention))
        kt_notice("KTRACE_BLAS has other integers or complex results than the program uses: calls such as ", name,
                  " go where they would without it");
    else if (!c->mismatch && tell_once(&told_missing)) {
        static char text[PATH_MAX + 64];
        snprintf(text, sizeof text, " (and what else it may lack): such calls stay with %s", path);
        kt_notice("KTRACE_BLAS has no ", name, text);
    }
}

/* What the library looked up itself: perhaps it is a wrapper of the one that it found. */
static bool is_its_own(uintptr_t where, bool fixed)
{
    struct kt_loaded caller;
    uintptr_t first = atomic_load(&file[0]);
    return fixed && kt_objects_at(where, &caller) && first >= caller.lo && first < caller.hi;
}

void *kt_substitute(const struct kt_slot *slot, void *target, uintptr_t where, bool fixed)
{
    struct kt_loaded library;
    if (!kt_substitute_is_on() || !target || !kt_objects_at((uintptr_t)target, &library) || !kt_ask_is_blas(&library) ||
        is_its_own(where, fixed))
        return target;
    struct candidate c = {.slot = slot, .convention = convention_of(&library, kt_names_text(slot))};
    look_for(&c, kt_names_text(slot));
    if (!c.found)
        look_for_other_names(&c);
    if (!c.found)
        tell_what_stays(&c, &library);
    return c.found ? c.found : target;
}
