/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dynamic linker looks a symbol up in the global scope (the program, what was preloaded, what these need, what was
 * opened with RTLD_GLOBAL) and then in the scopes of those dlopen() that brought the caller in: the opened object and,
 * breadth first, all it needs. We read these scopes off the linker's list, which is in the order of loading:
 *   - what was loaded at the start comes first, and its order is that of the global scope. It ends not before the last
 *     object that the program needs; what comes before that and is not needed by anything was preloaded;
 *   - a later object that no earlier one needs was opened itself;
 *   - the names opened with RTLD_GLOBAL are noted by preload/linker.c.
 * What precedes us in the global scope is never where a call goes on: it would have been reached instead of us.
 */
#include "preload/objects.h"

#include <string.h>
#include <sys/mman.h>

extern KT_HIDDEN const char __ehdr_start[];
extern KT_HIDDEN const char _end[];

enum { MAX_NEEDED = UINT16_MAX, MAX_GLOBAL = 64 };

struct object {
    struct kt_loaded loaded;
    uint32_t soname_hash, file_hash;
    int needed, needed_end; /* in table.needed */
    int root;               /* the object whose dlopen() brought it in */
    bool initial;           /* loaded at the start */
};

static struct {
    struct object *object;
    int count;
    int us;           /* our own index; -1: not found */
    uint16_t *needed; /* indices of objects */
    int needed_count;
    unsigned long long adds, subs; /* of the linker, when the list was made */
} table;

/* An object and all it needs, breadth first. */
static struct {
    uint16_t member[KT_MAX_OBJECTS];
    int count;
    bool has[KT_MAX_OBJECTS];
} group;

/* Written once; read when READY. */
static struct {
    char name[256];
    _Atomic bool ready;
} global[MAX_GLOBAL];
static _Atomic unsigned global_count;

/* --- one object -------------------------------------------------------------------------------------------- */

static void read_build_id(struct kt_loaded *o, uintptr_t at, size_t bytes)
{
    static const char hex[] = "0123456789abcdef";
    for (const unsigned char *p = (const unsigned char *)at; bytes >= sizeof(ElfW(Nhdr));) {
        const ElfW(Nhdr) *note = (const void *)p;
        size_t name = (note->n_namesz + 3u) & ~3u;
        size_t size = sizeof *note + name + ((note->n_descsz + 3u) & ~3u);
        if (size > bytes)
            return;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && note->n_descsz < sizeof o->build_id / 2) {
            const unsigned char *id = p + sizeof *note + name;
            for (unsigned i = 0; i < note->n_descsz; i++) {
                o->build_id[2 * i] = hex[id[i] >> 4];
                o->build_id[2 * i + 1] = hex[id[i] & 15];
            }
        }
        p += size;
        bytes -= size;
    }
}

static void read_segment(struct kt_loaded *o, const ElfW(Phdr) * p)
{
    uintptr_t at = o->bias + p->p_vaddr;
    if (p->p_type == PT_LOAD) {
        o->lo = at < o->lo ? at : o->lo;
        o->hi = at + p->p_memsz > o->hi ? at + p->p_memsz : o->hi;
    }
    if (p->p_type == PT_DYNAMIC)
        o->image.dynamic = (const void *)at;
    if (p->p_type == PT_NOTE)
        read_build_id(o, at, p->p_memsz);
}

static void read_object(struct kt_loaded *o, const struct dl_phdr_info *info)
{
    *o = (struct kt_loaded){.path = info->dlpi_name, .lo = UINTPTR_MAX, .bias = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++)
        read_segment(o, &info->dlpi_phdr[i]);
    kt_image_read(&o->image, o->bias, o->image.dynamic);
    o->soname = o->image.soname;
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* --- the list ---------------------------------------------------------------------------------------------- */

static int add_object(struct dl_phdr_info *info, size_t size, void *position)
{
    (void)size;
    if ((*(int *)position)++ < table.count) /* known already */
        return 0;
    if (table.count == KT_MAX_OBJECTS)
        return 1;
    struct object *o = &table.object[table.count];
    *o = (struct object){0};
    read_object(&o->loaded, info);
    o->soname_hash = kt_elf_hash(o->loaded.soname);
    o->file_hash = kt_elf_hash(file_of(o->loaded.path));
    if (o->loaded.lo == (uintptr_t)__ehdr_start)
        table.us = table.count;
    table.count++;
    return 0;
}

static bool has_name(const struct object *o, const char *file, uint32_t hash)
{
    return (o->soname_hash == hash && !strcmp(o->loaded.soname, file)) ||
           (o->file_hash == hash && !strcmp(file_of(o->loaded.path), file));
}

/* The object of that path, or the first of that name; -1 if there is none. */
static int find_named(const char *name)
{
    const char *file = file_of(name);
    uint32_t hash = kt_elf_hash(file);
    for (int i = 0; file != name && i < table.count; i++)
        if (!strcmp(table.object[i].loaded.path, name))
            return i;
    for (int i = 0; i < table.count; i++)
        if (has_name(&table.object[i], file, hash))
            return i;
    return -1;
}

static void find_needed(struct object *o)
{
    const struct kt_image *image = &o->loaded.image;
    o->needed = table.needed_count;
    for (const ElfW(Dyn) *d = image->dynamic; image->strings && d && d->d_tag != DT_NULL; d++) {
        int i = d->d_tag == DT_NEEDED ? find_named(image->strings + d->d_un.d_val) : -1;
        if (i >= 0 && table.needed_count < MAX_NEEDED)
            table.needed[table.needed_count++] = (uint16_t)i;
    }
    o->needed_end = table.needed_count;
}

static void join_group(int i)
{
    if (group.has[i])
        return;
    group.has[i] = true;
    group.member[group.count++] = (uint16_t)i;
}

static void form_group(int root)
{
    memset(group.has, 0, (size_t)table.count);
    group.count = 0;
    join_group(root);
    for (int m = 0; m < group.count; m++) {
        const struct object *o = &table.object[group.member[m]];
        for (int n = o->needed; n < o->needed_end; n++)
            join_group(table.needed[n]);
    }
}

static void mark_initial(int root)
{
    form_group(root);
    for (int m = 0; m < group.count; m++)
        table.object[group.member[m]].initial = true;
}

static void find_initial(void)
{
    int last = 0;
    form_group(0);
    for (int m = 0; m < group.count; m++)
        last = group.member[m] > last ? group.member[m] : last;
    for (int i = 0; i <= last; i++)
        if (!table.object[i].initial)
            mark_initial(i);
}

static void find_roots(void)
{
    int root = 0;
    form_group(0);
    for (int i = 0; i < table.count; i++) {
        if (!table.object[i].initial && !group.has[i]) {
            root = i;
            form_group(root);
        }
        table.object[i].root = table.object[i].initial ? 0 : root;
    }
}

static bool allocate_table(void)
{
    size_t objects = KT_MAX_OBJECTS * sizeof *table.object;
    size_t needed = MAX_NEEDED * sizeof *table.needed;
    if (table.object)
        return true;
    char *at = mmap(NULL, objects + needed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    table.object = (void *)at;
    table.needed = (void *)(at + objects);
    table.us = -1;
    return true;
}

/* Objects are added at the end. Those that are new may be what others, seen while they were loaded, need. */
static void read_list(const struct dl_phdr_info *info)
{
    int position = 0;
    if (table.subs != info->dlpi_subs)
        table.count = 0;
    table.adds = info->dlpi_adds;
    table.subs = info->dlpi_subs;
    dl_iterate_phdr(add_object, &position);
    table.needed_count = 0;
    for (int i = 0; i < table.count; i++)
        find_needed(&table.object[i]);
    find_initial();
    find_roots();
}

static bool refresh(const struct dl_phdr_info *info)
{
    if (!allocate_table())
        return false;
    if (table.adds != info->dlpi_adds || table.subs != info->dlpi_subs)
        read_list(info);
    return true;
}

static int index_at(uintptr_t address)
{
    for (int i = 0; i < table.count; i++)
        if (address >= table.object[i].loaded.lo && address < table.object[i].loaded.hi)
            return i;
    return -1;
}

/* --- one look ---------------------------------------------------------------------------------------------- */

/* What is asked; ANSWER works while the linker's lock keeps the objects that it reads from being unmapped. */
struct look {
    void (*answer)(struct look *look);
    uintptr_t address;
    const char *symbol;
    int first; /* objects before that do not count */
    struct kt_loaded *object;
    const ElfW(Sym) * found;
    bool has_version;
    uintptr_t bias; /* of the object that it was found in */
    bool done;
};

static int look_locked(struct dl_phdr_info *info, size_t size, void *data)
{
    struct look *look = data;
    (void)size;
    look->done = refresh(info);
    if (look->done)
        look->answer(look);
    return 1;
}

static void *address_of(const struct look *look)
{
    return look->found ? kt_elf_address(look->bias, look->found) : NULL;
}

bool kt_is_inside_us(uintptr_t address)
{
    return address >= (uintptr_t)__ehdr_start && address < (uintptr_t)_end;
}

static void copy_object(struct look *look)
{
    int i = index_at(look->address);
    look->done = i >= 0;
    if (i >= 0)
        *look->object = table.object[i].loaded;
}

bool kt_object_at(uintptr_t address, struct kt_loaded *object)
{
    struct look look = {.answer = copy_object, .address = address, .object = object};
    dl_iterate_phdr(look_locked, &look);
    return look.done;
}

/* --- scopes ------------------------------------------------------------------------------------------------ */

static bool search_object(struct look *look, const struct kt_name *name, int i)
{
    const struct kt_image *image = &table.object[i].loaded.image;
    look->bias = image->bias;
    look->found = i < look->first || i == table.us ? NULL : kt_image_find(image, name);
    look->has_version = look->found && kt_image_has_version(image, look->found);
    return look->found;
}

static bool search_group(struct look *look, const struct kt_name *name)
{
    for (int m = 0; m < group.count; m++)
        if (search_object(look, name, group.member[m]))
            return true;
    return false;
}

static bool search_initial(struct look *look, const struct kt_name *name)
{
    for (int i = 0; i < table.count; i++)
        if (table.object[i].initial && search_object(look, name, i))
            return true;
    return false;
}

static bool search_opened_globally(struct look *look, const struct kt_name *name)
{
    unsigned count = atomic_load(&global_count);
    for (unsigned g = 0; g < count && g < MAX_GLOBAL; g++) {
        int i = atomic_load_explicit(&global[g].ready, memory_order_acquire) ? find_named(global[g].name) : -1;
        if (i < 0)
            continue;
        form_group(i);
        if (search_group(look, name))
            return true;
    }
    return false;
}

/* The object was loaded for its root, and can be part of what was opened later. */
static bool search_scopes_of(struct look *look, const struct kt_name *name, int caller)
{
    if (caller < 0 || table.object[caller].initial)
        return false;
    for (int root = table.object[caller].root; root < table.count; root++) {
        if (table.object[root].root != root)
            continue;
        form_group(root);
        if (group.has[caller] && search_group(look, name))
            return true;
    }
    return false;
}

static void search_all_scopes(struct look *look, const struct kt_name *name, int caller)
{
    if (!search_initial(look, name) && !search_opened_globally(look, name))
        search_scopes_of(look, name, caller);
}

/* The version that the caller asks for takes long to find, and hardly any library has versions of its routines. */
static void search_as_linker(struct look *look)
{
    int caller = index_at(look->address);
    struct kt_name name = kt_elf_name(look->symbol, KT_VERSION_OLDEST);
    search_all_scopes(look, &name, caller);
    if (caller < 0 || (look->found && !look->has_version))
        return;
    name = kt_image_reference(&table.object[caller].loaded.image, look->symbol);
    if (name.which == KT_VERSION_NAMED)
        search_all_scopes(look, &name, caller);
}

static void search_behind_us(struct look *look)
{
    look->first = table.us + 1;
    search_as_linker(look);
}

bool kt_is_defined(const char *symbol, uintptr_t where, bool behind_us)
{
    struct look look = {.answer = behind_us ? search_behind_us : search_as_linker, .symbol = symbol, .address = where};
    dl_iterate_phdr(look_locked, &look);
    return look.found || !look.done;
}

/*
 * Code that the linker would find nothing for got the routine's address from somebody else: an object that refers to
 * the routine, or whose call is a jump, so that we see the return address of its caller.
 */
static void search_for_others(struct look *look)
{
    for (int i = 0; i < table.count && !look->found; i++) {
        const struct object *o = &table.object[i];
        if (o->initial || !kt_image_refers(&o->loaded.image, look->symbol))
            continue;
        struct kt_name name = kt_image_reference(&o->loaded.image, look->symbol);
        search_scopes_of(look, &name, i);
    }
}

static void search_everywhere(struct look *look)
{
    struct kt_name name = kt_elf_name(look->symbol, KT_VERSION_OLDEST);
    search_behind_us(look);
    if (!look->found)
        search_for_others(look);
    for (int i = 0; i < table.count && !look->found; i++)
        search_object(look, &name, i);
}

void *kt_find_behind_us(const char *symbol, uintptr_t where)
{
    struct look look = {.answer = search_behind_us, .symbol = symbol, .address = where};
    dl_iterate_phdr(look_locked, &look);
    return address_of(&look);
}

void *kt_resolve(const char *symbol, uintptr_t where)
{
    struct look look = {.answer = search_everywhere, .symbol = symbol, .address = where};
    dl_iterate_phdr(look_locked, &look);
    return look.done ? address_of(&look) : kt_find_next(symbol);
}

static void search_library(struct look *look)
{
    struct kt_name name = kt_elf_name(look->symbol, KT_VERSION_DEFAULT);
    int i = index_at(look->address);
    if (i < 0)
        return;
    form_group(i);
    search_group(look, &name);
}

void *kt_find_in_library(uintptr_t address, const char *symbol)
{
    struct look look = {.answer = search_library, .symbol = symbol, .address = address};
    dl_iterate_phdr(look_locked, &look);
    return address_of(&look);
}

static void search_one(struct look *look)
{
    struct kt_name name = kt_elf_name(look->symbol, KT_VERSION_DEFAULT);
    int i = index_at(look->address);
    if (i >= 0)
        search_object(look, &name, i);
}

void *kt_find_in_object(uintptr_t address, const char *symbol)
{
    struct look look = {.answer = search_one, .symbol = symbol, .address = address};
    dl_iterate_phdr(look_locked, &look);
    return address_of(&look);
}

void kt_note_global(const char *name)
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

/* --- without the table ------------------------------------------------------------------------------------- */

struct next {
    struct kt_name name;
    bool behind_us;
    const ElfW(Sym) * found;
    uintptr_t bias;
};

static int look_behind_us(struct dl_phdr_info *info, size_t size, void *data)
{
    struct next *next = data;
    struct kt_loaded o;
    (void)size;
    read_object(&o, info);
    next->bias = o.bias;
    if (next->behind_us)
        next->found = kt_image_find(&o.image, &next->name);
    next->behind_us |= o.lo == (uintptr_t)__ehdr_start;
    return next->found != NULL;
}

void *kt_find_next(const char *symbol)
{
    struct next next = {.name = kt_elf_name(symbol, KT_VERSION_DEFAULT)};
    dl_iterate_phdr(look_behind_us, &next);
    return next.found ? kt_elf_address(next.bias, next.found) : NULL;
}
