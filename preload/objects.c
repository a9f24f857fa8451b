/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dynamic linker looks a symbol up in the global scope (the program, what it needs, what was loaded globally)
 * and then in the scope of the dlopen() that brought the caller in: the opened object and, breadth first, all it
 * needs. RTLD_NEXT answers for the global scope. For the rest we find the object that dlopen() was called for: the
 * linker's list is in the order of loading, so an object that no earlier opened object needs was opened itself.
 * A handle of that object searches just that scope, and we are not in it.
 */
#include "preload/objects.h"

#include "preload/process.h"

#include <dlfcn.h>
#include <elf.h>
#include <string.h>
#include <sys/mman.h>

extern KT_HIDDEN const char __ehdr_start[];
extern KT_HIDDEN const char _end[];

static struct {
    struct kt_loaded *object;
    int count;
    unsigned long long adds, subs; /* of the linker, when the list was made */
} table;

/* --- loaded objects ---------------------------------------------------------------------------------------- */

static void read_dynamic(struct kt_loaded *o)
{
    ElfW(Xword) soname = 0;
    for (const ElfW(Dyn) *d = o->dynamic; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_STRTAB) { /* relocated in place, but not in every object */
            uintptr_t at = d->d_un.d_ptr;
            o->strings = (const char *)(at >= o->lo && at < o->hi ? at : at + o->bias);
        }
        if (d->d_tag == DT_SONAME)
            soname = d->d_un.d_val;
    }
    o->soname = o->strings && soname ? o->strings + soname : "";
}

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
        o->dynamic = (const void *)at;
    if (p->p_type == PT_NOTE)
        read_build_id(o, at, p->p_memsz);
}

static int add_object(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (table.count == KT_MAX_OBJECTS)
        return 1;
    struct kt_loaded *o = &table.object[table.count++];
    *o = (struct kt_loaded){.path = info->dlpi_name, .soname = "", .lo = UINTPTR_MAX, .bias = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++)
        read_segment(o, &info->dlpi_phdr[i]);
    read_dynamic(o);
    return 0;
}

static bool is_named(const struct kt_loaded *o, const char *needed)
{
    const char *slash = strrchr(o->path, '/');
    return !strcmp(o->soname, needed) || !strcmp(slash ? slash + 1 : o->path, needed) || !strcmp(o->path, needed);
}

static void mark_needed(const struct kt_loaded *o, bool *member, int *queue, int *queued)
{
    for (const ElfW(Dyn) *d = o->dynamic; o->strings && d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag != DT_NEEDED)
            continue;
        for (int i = 0; i < table.count; i++)
            if (!member[i] && is_named(&table.object[i], o->strings + d->d_un.d_val)) {
                member[i] = true;
                queue[(*queued)++] = i;
                break;
            }
    }
}

/* MEMBER[i]: object i is ROOT or something it needs, directly or not. */
static void find_members(int root, bool *member)
{
    static int queue[KT_MAX_OBJECTS];
    int queued = 1;
    memset(member, 0, KT_MAX_OBJECTS * sizeof *member);
    member[root] = true;
    queue[0] = root;
    for (int i = 0; i < queued; i++)
        mark_needed(&table.object[queue[i]], member, queue, &queued);
}

static void find_roots(void)
{
    static bool member[KT_MAX_OBJECTS];
    int root = 0;
    find_members(root, member);
    for (int i = 0; i < table.count; i++) {
        if (!member[i]) {
            root = i;
            find_members(root, member);
        }
        table.object[i].root = root;
    }
}

/* A callback, as the linker's lock keeps the objects that we read from being unmapped. */
static int refresh_locked(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    if (table.adds == info->dlpi_adds && table.subs == info->dlpi_subs)
        return 1;
    table.adds = info->dlpi_adds;
    table.subs = info->dlpi_subs;
    table.count = 0;
    dl_iterate_phdr(add_object, NULL);
    find_roots();
    return 1;
}

bool kt_objects_refresh(void)
{
    size_t bytes = KT_MAX_OBJECTS * sizeof *table.object;
    if (!table.object) {
        void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            return false;
        table.object = at;
    }
    dl_iterate_phdr(refresh_locked, NULL);
    return true;
}

const struct kt_loaded *kt_object_at(uintptr_t address)
{
    for (int i = 0; i < table.count; i++)
        if (address >= table.object[i].lo && address < table.object[i].hi)
            return &table.object[i];
    return NULL;
}

/* --- resolution -------------------------------------------------------------------------------------------- */

bool kt_is_inside_us(uintptr_t address)
{
    return address >= (uintptr_t)__ehdr_start && address < (uintptr_t)_end;
}

/* Calls of dlclose() come here first, ours too. */
int kt_close_handle(void *handle)
{
    static _Atomic(int (*)(void *)) next;
    int (*close)(void *) = atomic_load_explicit(&next, memory_order_acquire);
    if (!close) {
        close = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
        atomic_store_explicit(&next, close, memory_order_release);
    }
    return close(handle);
}

/* The symbol in the scope of an object that was opened; never ours. */
void *kt_find_in_path(const char *path, const char *symbol)
{
    void *handle = *path ? dlopen(path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
    if (!handle)
        return NULL;
    void *found = dlsym(handle, symbol);
    kt_close_handle(handle);
    return kt_is_inside_us((uintptr_t)found) ? NULL : found;
}

/* With the slow path paused: the table may be another afterwards. */
static void *find_in_scope(struct kt_loaded o, const char *symbol)
{
    kt_slow_pause();
    void *found = kt_find_in_path(o.path, symbol);
    kt_slow_resume();
    return found;
}

static void *find_globally(const char *symbol)
{
    kt_slow_pause();
    void *found = dlsym(RTLD_NEXT, symbol);
    kt_slow_resume();
    return found;
}

void *kt_resolve(const char *symbol, uintptr_t where)
{
    void *found = find_globally(symbol);
    const struct kt_loaded *caller = kt_object_at(where);
    if (!found && caller)
        found = find_in_scope(table.object[caller->root], symbol);
    for (int i = 0; i < table.count && !found; i++)
        found = find_in_scope(table.object[i], symbol);
    return found;
}

/* --- what libraries say of themselves ---------------------------------------------------------------------- */

/*
 * The name does not tell the width of integers. The length 0xffffffff00000003 is 3 to a library that reads 32 bits,
 * so that it finds the largest element, the second; to one that reads 64 it is negative, and the answer 0.
 */
static bool has_wide_integers(const char *path)
{
    static const double x[] = {1, 2, 1};
    int64_t n = (int64_t)0xffffffff00000003;
    int64_t one = 1;
    int (*idamax)(const int64_t *, const double *, const int64_t *) = kt_find_in_path(path, "idamax_");
    return idamax && idamax(&n, x, &one) == 0;
}

static const char *library_version(const char *path)
{
    static const char *const function[] = {"openblas_get_config", "bli_info_get_version_str"};
    for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
        const char *(*version)(void) = kt_find_in_path(path, function[i]);
        if (version)
            return version();
    }
    return "";
}

static int library_threads(const char *path)
{
    int (*openblas)(void) = kt_find_in_path(path, "openblas_get_num_threads");
    long (*blis)(void) = openblas ? NULL : kt_find_in_path(path, "bli_thread_get_num_threads");
    return openblas ? openblas() : blis ? (int)blis() : 0;
}

/* Runs code of the library, which may wait for locks of its own. */
struct kt_library_answer kt_ask_library(const char *path)
{
    kt_slow_pause();
    struct kt_library_answer answer = {library_version(path), library_threads(path), has_wide_integers(path)};
    kt_slow_resume();
    return answer;
}
