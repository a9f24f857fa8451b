/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/beside.h"

#include "preload/evidence.h"
#include "preload/linker_own.h"
#include "preload/objects.h"
#include "preload/scopes.h"
#include "preload/slow.h"
#include "preload/soname.h"
#include "preload/thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ASKED = 64 };

/* --- loading ----------------------------------------------------------------------------------------------- */

static __thread struct {
    bool now, was_silent;
    int error;
} loading __attribute__((tls_model("initial-exec")));

bool kt_beside_begin(void)
{
    if (loading.now)
        return false;
    loading.error = errno;
    loading.now = true;
    loading.was_silent = kt_self.silent;
    if (!loading.was_silent)
        kt_thread_silence();
    return true;
}

void kt_beside_end(void)
{
    if (!loading.was_silent)
        kt_thread_unsilence();
    loading.now = false;
    errno = loading.error;
}

bool kt_beside_is_begun(void)
{
    return loading.now;
}

static atomic_flag hiding = ATOMIC_FLAG_INIT;

void kt_beside_after_fork(void)
{
    if (!loading.now)
        atomic_flag_clear(&hiding);
}

/* Among themselves they know each other by their sonames, as long as these are not hidden. Two threads must not change
 * the protection of one page. */
static void hide_sonames(struct link_map *const *map, int count)
{
    if (atomic_flag_test_and_set(&hiding))
        return;
    for (int i = 0; i < count; i++)
        kt_soname_hide(map[i]);
    atomic_flag_clear(&hiding);
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

static bool is_loaded(const char *path)
{
    void *handle = kt_linker_own_open(path, RTLD_NOW | RTLD_NOLOAD);
    if (handle)
        kt_linker_own_close(handle);
    return handle != NULL;
}

/* The next of the files from *AT on, which is moved behind it; false at the end. */
static bool next_file(const char **at, char path[PATH_MAX])
{
    size_t length = 0;
    while (**at && length == 0) {
        length = strcspn(*at, ",");
        snprintf(path, PATH_MAX, "%.*s", (int)length, *at);
        *at += length + ((*at)[length] == ',');
    }
    return length != 0;
}

static const char *tell(const char *path, const char *what)
{
    static char text[PATH_MAX + 128];
    snprintf(text, sizeof text, "%s%s", path, what);
    return text;
}

const char *kt_beside_open(struct kt_beside *library, const char *files, bool shared)
{
    struct link_map *map[KT_BESIDE_FILES];
    char path[PATH_MAX];
    int count = 0;
    for (const char *at = files; count < KT_BESIDE_FILES && next_file(&at, path); count++) {
        bool is_there = !shared && is_loaded(path);
        if (is_there && count)
            return tell(path, " is loaded already, and cannot be used by two libraries at once");
        map[count] = open_file(map, count, path);
        if (!map[count])
            return tell(dlerror(), "");
        if (count == 0) {
            library->first = map[0];
            library->was_there = is_there;
        }
        atomic_store(&library->file[count], (uintptr_t)map[count]->l_ld);
    }
    if (count == 0)
        return "no file is named";
    hide_sonames(map, count);
    atomic_store(&library->files, count);
    return NULL;
}

/* What comes behind us in the global scope. */
bool kt_beside_is_needed(void)
{
    bool found = false;
    bool begun = kt_slow_begin();
    for (size_t i = 0; i < sizeof kt_evidence / sizeof *kt_evidence && !found; i++)
        found = kt_scopes_have(kt_evidence[i][0], (uintptr_t)kt_beside_is_needed, true);
    if (begun)
        kt_slow_end();
    return found;
}

void kt_beside_set_threads(const struct kt_beside *library, int threads)
{
    static const char *const with_int[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads"};
    for (size_t i = 0; i < sizeof with_int / sizeof *with_int; i++) {
        void (*set)(int) = (void (*)(int))kt_linker_own_find(library->first, with_int[i]);
        if (set)
            set(threads);
    }
    void (*set_blis)(int64_t) = (void (*)(int64_t))kt_linker_own_find(library->first, "bli_thread_set_num_threads");
    if (set_blis)
        set_blis(threads);
}

/* --- looking up -------------------------------------------------------------------------------------------- */

bool kt_beside_holds(const struct kt_beside *library, uintptr_t address)
{
    struct kt_loaded object;
    int count = atomic_load(&library->files);
    if (!kt_objects_at(address, &object))
        return false;
    for (int i = 0; i < count; i++)
        if (atomic_load(&library->file[i]) - object.lo < object.hi - object.lo)
            return true;
    return false;
}

struct kt_convention kt_beside_convention(const struct kt_loaded *library, const char *symbol)
{
    static struct { /* within slow paths */
        uintptr_t lo;
        int family;
        struct kt_convention convention;
    } asked[MAX_ASKED];
    static int count;
    int family = kt_ask_family(symbol);
    for (int i = 0; i < count; i++)
        if (asked[i].lo == library->lo && asked[i].family == family)
            return asked[i].convention;
    struct kt_convention answer = kt_ask_convention(library, symbol);
    if (count < MAX_ASKED) {
        asked[count].lo = library->lo;
        asked[count].family = family;
        asked[count++].convention = answer;
    }
    return answer;
}

/* A routine of the library, and whether it can be called like the one that it stands for. */
struct candidate {
    const struct kt_beside *library;
    const struct kt_slot *slot;
    struct kt_convention needed;
    void *found;
    bool mismatch; /* there was one with another convention */
};

static bool fits(const struct candidate *c, const struct kt_convention *convention)
{
    bool complex = kt_names_interface(c->slot)->returns_complex;
    return convention->wide == c->needed.wide && (!complex || convention->hidden_result == c->needed.hidden_result);
}

static void consider(struct candidate *c, const char *name, void *found)
{
    struct kt_loaded library;
    if (!found || kt_objects_is_us((uintptr_t)found) || !kt_objects_at((uintptr_t)found, &library))
        return;
    struct kt_convention convention = kt_beside_convention(&library, name);
    if (fits(c, &convention))
        c->found = found;
    else
        c->mismatch = true;
}

/* In the files themselves, then in what they need. */
static void look_for(struct candidate *c, const char *name)
{
    int count = atomic_load(&c->library->files);
    for (int i = 0; i < count && !c->found; i++)
        consider(c, name, kt_scopes_find_in_object(atomic_load(&c->library->file[i]), name));
    for (int i = 0; i < count && !c->found; i++)
        consider(c, name, kt_scopes_find_in_library(atomic_load(&c->library->file[i]), name));
}

/* The routine may have other names there: dgemm for dgemm_, dgemm_64_ for scipy_dgemm_64_. */
static void look_for_other_names(struct candidate *c)
{
    const struct kt_interface *interface = kt_names_interface(c->slot);
    for (unsigned i = 0; i < kt_slot_count && !c->found; i++)
        if (&kt_interfaces[kt_slot_infos[i].interface] == interface)
            look_for(c, kt_texts + kt_slot_infos[i].name);
}

void *kt_beside_find(const struct kt_beside *library, const struct kt_slot *slot, struct kt_convention needed,
                     bool *mismatch)
{
    struct candidate c = {.library = library, .slot = slot, .needed = needed};
    look_for(&c, kt_names_text(slot));
    if (!c.found)
        look_for_other_names(&c);
    *mismatch = c.mismatch;
    return c.found;
}

/* The linker is asked by name, which runs no code of the library. */
bool kt_beside_has(const struct kt_beside *library, const char *routine)
{
    int count = atomic_load(&library->files);
    for (unsigned i = 0; i < kt_slot_count; i++) {
        const char *name = kt_texts + kt_slot_infos[i].name;
        if (strcmp(kt_texts + kt_interfaces[kt_slot_infos[i].interface].routine, routine) != 0)
            continue;
        for (int f = 0; f < count; f++)
            if (kt_scopes_find_in_object(atomic_load(&library->file[f]), name) ||
                kt_scopes_find_in_library(atomic_load(&library->file[f]), name))
                return true;
    }
    return false;
}
