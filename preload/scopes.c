/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dynamic linker looks a symbol up in the global scope (the program, what was preloaded, what these need, what was
 * opened with RTLD_GLOBAL) and then in the scopes of those dlopen() that brought the caller in: the opened object and,
 * breadth first, all it needs. The table of objects (look.h) tells which these are, but for the names opened with
 * RTLD_GLOBAL, which preload/linker.c notes here.
 * What precedes us in the global scope is never where a call goes on: it would have been reached instead of us.
 */
#include "preload/scopes.h"

#include "preload/look.h"

#include <string.h>

enum { MAX_GLOBAL = 64 };

/* Written once; read when READY. */
static struct {
    char name[256];
    _Atomic bool ready;
} global[MAX_GLOBAL];
static _Atomic unsigned global_count;

static void *address_of(const struct kt_look *look)
{
    return look->found ? kt_elf_address(look->bias, look->found) : NULL;
}

static bool search_object(struct kt_look *look, const struct kt_name *name, int i)
{
    const struct kt_image *image = &kt_objects.object[i].loaded.image;
    look->bias = image->bias;
    look->found = i < look->first || i == kt_objects.us ? NULL : kt_elf_find(image, name);
    look->has_version = look->found && kt_elf_has_version(image, look->found);
    return look->found;
}

static bool search_group(struct kt_look *look, const struct kt_name *name)
{
    for (int m = 0; m < kt_group.count; m++)
        if (search_object(look, name, kt_group.member[m]))
            return true;
    return false;
}

static bool search_initial(struct kt_look *look, const struct kt_name *name)
{
    for (int i = 0; i < kt_objects.count; i++)
        if (kt_objects.object[i].initial && search_object(look, name, i))
            return true;
    return false;
}

static bool search_opened_globally(struct kt_look *look, const struct kt_name *name)
{
    unsigned count = atomic_load(&global_count);
    for (unsigned g = 0; g < count && g < MAX_GLOBAL; g++) {
        int i = atomic_load_explicit(&global[g].ready, memory_order_acquire) ? kt_objects_named(global[g].name) : -1;
        if (i < 0)
            continue;
        kt_objects_form_group(i);
        if (search_group(look, name))
            return true;
    }
    return false;
}

/* The object was loaded for its root, and can be part of what was opened later. */
static bool search_scopes_of(struct kt_look *look, const struct kt_name *name, int caller)
{
    if (caller < 0 || kt_objects.object[caller].initial)
        return false;
    for (int root = kt_objects.object[caller].root; root < kt_objects.count; root++) {
        if (kt_objects.object[root].root != root)
            continue;
        kt_objects_form_group(root);
        if (kt_group.has[caller] && search_group(look, name))
            return true;
    }
    return false;
}

static void search_all_scopes(struct kt_look *look, const struct kt_name *name, int caller)
{
    if (!search_initial(look, name) && !search_opened_globally(look, name))
        search_scopes_of(look, name, caller);
}

/* The version that the caller asks for takes long to find, and hardly any library has versions of its routines. */
static void search_as_linker(struct kt_look *look)
{
    int caller = kt_objects_index(look->address);
    struct kt_name name = kt_elf_name(look->symbol, KT_VERSION_OLDEST);
    search_all_scopes(look, &name, caller);
    if (caller < 0 || (look->found && !look->has_version))
        return;
    name = kt_elf_reference(&kt_objects.object[caller].loaded.image, look->symbol);
    if (name.which == KT_VERSION_NAMED)
        search_all_scopes(look, &name, caller);
}

static void search_behind_us(struct kt_look *look)
{
    look->first = kt_objects.us + 1;
    search_as_linker(look);
}

bool kt_scopes_have(const char *symbol, uintptr_t where, bool behind_us)
{
    struct kt_look look = {
        .answer = behind_us ? search_behind_us : search_as_linker, .symbol = symbol, .address = where};
    kt_objects_look(&look);
    return look.found || !look.done || (look.partial && kt_objects_find_next(symbol));
}

/*
 * Code that the linker would find nothing for got the routine's address from somebody else: an object that refers to
 * the routine, or whose call is a jump, so that we see the return address of its caller.
 */
static void search_for_others(struct kt_look *look)
{
    for (int i = 0; i < kt_objects.count && !look->found; i++) {
        const struct kt_object *o = &kt_objects.object[i];
        if (o->initial || !kt_elf_refers(&o->loaded.image, look->symbol))
            continue;
        struct kt_name name = kt_elf_reference(&o->loaded.image, look->symbol);
        search_scopes_of(look, &name, i);
    }
}

static void search_everywhere(struct kt_look *look)
{
    struct kt_name name = kt_elf_name(look->symbol, KT_VERSION_OLDEST);
    search_behind_us(look);
    if (!look->found)
        search_for_others(look);
    for (int i = 0; i < kt_objects.count && !look->found; i++)
        search_object(look, &name, i);
}

void *kt_scopes_find_behind_us(const char *symbol, uintptr_t where)
{
    struct kt_look look = {.answer = search_behind_us, .symbol = symbol, .address = where};
    kt_objects_look(&look);
    return address_of(&look);
}

void *kt_scopes_resolve(const char *symbol, uintptr_t where)
{
    struct kt_look look = {.answer = search_everywhere, .symbol = symbol, .address = where};
    kt_objects_look(&look);
    bool is_answer = look.found || (look.done && !look.partial);
    return is_answer ? address_of(&look) : kt_objects_find_next(symbol);
}

static void search_library(struct kt_look *look)
{
    struct kt_name name = kt_elf_name(look->symbol, KT_VERSION_DEFAULT);
    int i = kt_objects_index(look->address);
    if (i < 0)
        return;
    kt_objects_form_group(i);
    search_group(look, &name);
}

void *kt_scopes_find_in_library(uintptr_t address, const char *symbol)
{
    struct kt_look look = {.answer = search_library, .symbol = symbol, .address = address};
    kt_objects_look(&look);
    return address_of(&look);
}

static void search_one(struct kt_look *look)
{
    struct kt_name name = kt_elf_name(look->symbol, KT_VERSION_DEFAULT);
    int i = kt_objects_index(look->address);
    if (i >= 0)
        search_object(look, &name, i);
}

void *kt_scopes_find_in_object(uintptr_t address, const char *symbol)
{
    struct kt_look look = {.answer = search_one, .symbol = symbol, .address = address};
    kt_objects_look(&look);
    return address_of(&look);
}

/* Names under which any library may stand. */
static bool is_interface(const char *soname)
{
    static const char *const name[] = {"libblas.so", "libcblas.so", "liblapack.so", "liblapacke.so"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (!strncmp(soname, name[i], strlen(name[i])))
            return true;
    return false;
}

static void search_product(struct kt_look *look)
{
    struct kt_name name = kt_elf_name(look->symbol, KT_VERSION_DEFAULT);
    int i = kt_objects_index(look->address);
    if (i < 0)
        return;
    const struct kt_object *o = &kt_objects.object[i];
    search_object(look, &name, i);
    for (int n = o->needed; n < o->needed_end && !look->found; n++)
        if (!is_interface(kt_objects.object[kt_objects.needed[n]].loaded.soname))
            search_object(look, &name, kt_objects.needed[n]);
}

void *kt_scopes_find_in_product(uintptr_t address, const char *symbol)
{
    struct kt_look look = {.answer = search_product, .symbol = symbol, .address = address};
    kt_objects_look(&look);
    return address_of(&look);
}

static void search_at_start(struct kt_look *look)
{
    struct kt_name name = kt_elf_name(look->symbol, KT_VERSION_DEFAULT);
    int i = kt_objects_named(look->named);
    if (i >= 0 && kt_objects.object[i].initial)
        search_object(look, &name, i);
}

void *kt_scopes_find_at_start(const char *object, const char *symbol)
{
    struct kt_look look = {.answer = search_at_start, .symbol = symbol, .named = object};
    kt_objects_look(&look);
    return address_of(&look);
}

static void search_all_at_start(struct kt_look *look)
{
    struct kt_name name = kt_elf_name(look->symbol, KT_VERSION_DEFAULT);
    for (int i = 0; i < kt_objects.count && !look->found; i++)
        if (kt_objects.object[i].initial && i != kt_objects.us)
            search_object(look, &name, i);
}

void *kt_scopes_find_first(const char *symbol)
{
    struct kt_look look = {.answer = search_all_at_start, .symbol = symbol};
    kt_objects_look(&look);
    return address_of(&look);
}

void kt_scopes_note_global(const char *name)
{
    unsigned count = atomic_load(&global_count);
    for (unsigned g = 0; g < count && g < MAX_GLOBAL; g++)
        if (atomic_load(&global[g].ready) && !strcmp(global[g].name, name))
            return;
    unsigned mine = strlen(name) < sizeof global->name ? atomic_fetch_add(&global_count, 1) : MAX_GLOBAL;
    if (mine >= MAX_GLOBAL)
        return;
    strcpy(global[mine].name, name);
    atomic_store_explicit(&global[mine].ready, true, memory_order_release);
}
