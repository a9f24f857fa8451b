/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The linker's list of loaded objects, as a table: read anew when the linker has loaded or unloaded something. It is in
 * the order of loading, and tells how objects came in:
 *   - what was loaded at the start comes first, and its order is that of the global scope. It ends not before the last
 *     object that the program needs; what comes before that and is not needed by anything was preloaded;
 *   - a later object that no earlier one needs was opened itself.
 */
#include "preload/apart.h"
#include "preload/look.h"
#include "preload/quiet.h"
#include "preload/recorder.h"
#include "preload/system.h"

#include <limits.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

extern KT_HIDDEN const char __ehdr_start[];
extern KT_HIDDEN const char _end[];

enum { MAX_NEEDED = UINT16_MAX };

struct kt_object_table kt_objects;
struct kt_group kt_group;

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
    if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
        o->code_lo = !o->code_hi || at < o->code_lo ? at : o->code_lo;
        o->code_hi = at + p->p_memsz > o->code_hi ? at + p->p_memsz : o->code_hi;
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
    kt_elf_read(&o->image, o->bias, o->image.dynamic);
    o->soname = o->image.soname;
}

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* --- under the linker's lock ------------------------------------------------------------------------------- */

/*
 * dl_iterate_phdr. A signal handler, a jump or a cancellation that left it would leave the linker's lock behind, so
 * none arrives meanwhile.
 */
static void iterate(int (*visit)(struct dl_phdr_info *info, size_t size, void *data), void *data)
{
    /* Before the start sanitizers may stand in front of what blocks signals, and not be ready for it. */
    bool is_started = atomic_load(&kt_recorder.state) > KT_STATE_STARTING;
    bool is_quiet = is_started && kt_quiet_begin();
    dl_iterate_phdr(visit, data);
    if (is_quiet)
        kt_quiet_end();
}

/* --- the list ---------------------------------------------------------------------------------------------- */

static int add_object(struct dl_phdr_info *info, size_t size, void *position)
{
    (void)size;
    if ((*(int *)position)++ < kt_objects.count) /* known already */
        return 0;
    if (kt_objects.count == KT_MAX_OBJECTS) {
        kt_objects.full = true;
        return 1;
    }
    struct kt_object *o = &kt_objects.object[kt_objects.count];
    *o = (struct kt_object){0};
    read_object(&o->loaded, info);
    o->soname_hash = kt_elf_hash(o->loaded.soname);
    o->file_hash = kt_elf_hash(file_of(o->loaded.path));
    if (o->loaded.lo == (uintptr_t)__ehdr_start)
        kt_objects.us = kt_objects.count;
    kt_objects.count++;
    return 0;
}

static bool has_name(const struct kt_object *o, const char *file, uint32_t hash)
{
    return (o->soname_hash == hash && !strcmp(o->loaded.soname, file)) ||
           (o->file_hash == hash && !strcmp(file_of(o->loaded.path), file));
}

/* The object of that path, or the first of that name; -1 if there is none. */
int kt_objects_named(const char *name)
{
    const char *file = file_of(name);
    uint32_t hash = kt_elf_hash(file);
    for (int i = 0; file != name && i < kt_objects.count; i++)
        if (!strcmp(kt_objects.object[i].loaded.path, name))
            return i;
    for (int i = 0; i < kt_objects.count; i++)
        if (has_name(&kt_objects.object[i], file, hash))
            return i;
    return -1;
}

static void find_needed(struct kt_object *o)
{
    const struct kt_image *image = &o->loaded.image;
    o->needed = kt_objects.needed_count;
    for (const ElfW(Dyn) *d = image->dynamic; image->strings && d && d->d_tag != DT_NULL; d++) {
        int i = d->d_tag == DT_NEEDED ? kt_objects_named(image->strings + d->d_un.d_val) : -1;
        if (i >= 0 && kt_objects.needed_count < MAX_NEEDED)
            kt_objects.needed[kt_objects.needed_count++] = (uint16_t)i;
    }
    o->needed_end = kt_objects.needed_count;
}

static void join_group(int i)
{
    if (kt_group.has[i])
        return;
    kt_group.has[i] = true;
    kt_group.member[kt_group.count++] = (uint16_t)i;
}

void kt_objects_form_group(int root)
{
    memset(kt_group.has, 0, (size_t)kt_objects.count);
    kt_group.count = 0;
    join_group(root);
    for (int m = 0; m < kt_group.count; m++) {
        const struct kt_object *o = &kt_objects.object[kt_group.member[m]];
        for (int n = o->needed; n < o->needed_end; n++)
            join_group(kt_objects.needed[n]);
    }
}

static void mark_initial(int root)
{
    kt_objects_form_group(root);
    for (int m = 0; m < kt_group.count; m++)
        kt_objects.object[kt_group.member[m]].initial = true;
}

static void find_initial(void)
{
    int last = 0;
    kt_objects_form_group(0);
    for (int m = 0; m < kt_group.count; m++)
        last = kt_group.member[m] > last ? kt_group.member[m] : last;
    for (int i = 0; i <= last; i++)
        if (!kt_objects.object[i].initial)
            mark_initial(i);
}

static void find_roots(void)
{
    int root = 0;
    kt_objects_form_group(0);
    for (int i = 0; i < kt_objects.count; i++) {
        if (!kt_objects.object[i].initial && !kt_group.has[i]) {
            root = i;
            kt_objects_form_group(root);
        }
        kt_objects.object[i].root = kt_objects.object[i].initial ? 0 : root;
    }
}

static bool allocate_table(void)
{
    size_t objects = KT_MAX_OBJECTS * sizeof *kt_objects.object;
    size_t needed = MAX_NEEDED * sizeof *kt_objects.needed;
    if (kt_objects.object)
        return true;
    if (!kt_system_may_ask())
        return false;
    char *at = mmap(NULL, objects + needed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    kt_objects.object = (void *)at;
    kt_objects.needed = (void *)(at + objects);
    kt_objects.us = -1;
    return true;
}

static void find_relations(void)
{
    kt_objects.needed_count = 0;
    for (int i = 0; i < kt_objects.count; i++)
        find_needed(&kt_objects.object[i]);
    find_initial();
    find_roots();
}

/* Objects are added at the end. Those that are new may be what others, seen while they were loaded, need. */
static void read_list(const struct dl_phdr_info *info)
{
    int position = 0;
    if (kt_objects.subs != info->dlpi_subs)
        kt_objects.count = 0;
    kt_objects.full = false;
    kt_objects.adds = info->dlpi_adds;
    kt_objects.subs = info->dlpi_subs;
    iterate(add_object, &position);
    find_relations();
}

static bool refresh(const struct dl_phdr_info *info)
{
    if (!allocate_table())
        return false;
    if (kt_objects.adds != info->dlpi_adds || kt_objects.subs != info->dlpi_subs)
        read_list(info);
    return true;
}

int kt_objects_index(uintptr_t address)
{
    for (int i = 0; i < kt_objects.count; i++)
        if (address >= kt_objects.object[i].loaded.lo && address < kt_objects.object[i].loaded.hi)
            return i;
    return -1;
}

/* --- one look ---------------------------------------------------------------------------------------------- */

/* The thread sanitizer does not see the linker's lock: that it orders our looks, and its own writes to what they read.
 */
#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *);
void __tsan_release(void *);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);

static void linker_has_locked(void)
{
    __tsan_acquire(&kt_objects);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
}

static void linker_will_unlock(void)
{
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    __tsan_release(&kt_objects);
}
#else
static void linker_has_locked(void)
{
}
static void linker_will_unlock(void)
{
}
#endif

static int look_locked(struct dl_phdr_info *info, size_t size, void *data)
{
    struct kt_look *look = data;
    (void)size;
    linker_has_locked();
    look->done = refresh(info);
    look->partial = kt_objects.full;
    if (look->done)
        look->answer(look);
    linker_will_unlock();
    return 1;
}

/* --- without the linker's lock ----------------------------------------------------------------------------- */

/*
 * In a child that was forked while another thread held the lock it is never released. The list itself is whole, but for
 * what was just being unloaded, which may be unmapped already; and the child does not have the thread that changed it.
 */
static bool lock_may_be_stuck;
static int listed; /* objects in the child's list when it was born */

static bool had_threads;

void kt_objects_before_fork(void)
{
    had_threads = kt_apart_has_threads();
}

static int count_listed(void)
{
    int count = 0;
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
        count++;
    return count;
}

void kt_objects_after_fork(bool told)
{
    lock_may_be_stuck |= had_threads || !told;
    listed = count_listed();
}

/* The headers are at the beginning of the object; the program itself is told where its are. */
static void read_headers(const struct link_map *map, bool is_program, struct dl_phdr_info *info)
{
    const ElfW(Ehdr) *head = (const void *)map->l_addr;
    *info = (struct dl_phdr_info){.dlpi_addr = map->l_addr, .dlpi_name = map->l_name};
    if (is_program) {
        info->dlpi_phdr = (const void *)getauxval(AT_PHDR);
        info->dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM);
    } else if (head && kt_system_is_readable(head) && kt_system_is_readable(map->l_ld) &&
               !memcmp(head->e_ident, ELFMAG, SELFMAG)) {
        info->dlpi_phdr = (const void *)(map->l_addr + head->e_phoff);
        info->dlpi_phnum = head->e_phnum;
    }
}

static void look_unlocked(struct kt_look *look)
{
    int position = 0;
    look->done = allocate_table();
    if (!look->done)
        return;
    kt_objects.count = 0;
    kt_objects.full = false;
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        struct dl_phdr_info info;
        read_headers(map, map == _r_debug.r_map, &info);
        add_object(&info, sizeof info, &position);
    }
    find_relations();
    look->answer(look);
}

/* Where this process itself has loaded or unloaded something it has had the lock. The table is then read anew. */
static bool is_lock_stuck(void)
{
    if (lock_may_be_stuck && count_listed() != listed) {
        lock_may_be_stuck = false;
        kt_objects.subs = ULLONG_MAX;
    }
    return lock_may_be_stuck;
}

void kt_objects_look(struct kt_look *look)
{
    if (is_lock_stuck())
        look_unlocked(look);
    else
        iterate(look_locked, look);
}

static int read_subs(struct dl_phdr_info *info, size_t size, void *subs)
{
    (void)size;
    *(unsigned long long *)subs = info->dlpi_subs;
    return 1;
}

unsigned long long kt_objects_unloaded(void)
{
    unsigned long long subs = 0;
    if (!is_lock_stuck())
        iterate(read_subs, &subs);
    return subs;
}

bool kt_objects_is_us(uintptr_t address)
{
    return address >= (uintptr_t)__ehdr_start && address < (uintptr_t)_end;
}

static void copy_object(struct kt_look *look)
{
    int i = kt_objects_index(look->address);
    look->done = i >= 0;
    if (i >= 0)
        *look->object = kt_objects.object[i].loaded;
}

bool kt_objects_at(uintptr_t address, struct kt_loaded *object)
{
    struct kt_look look = {.answer = copy_object, .address = address, .object = object};
    kt_objects_look(&look);
    return look.done;
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
        next->found = kt_elf_find(&o.image, &next->name);
    next->behind_us |= o.lo == (uintptr_t)__ehdr_start;
    return next->found != NULL;
}

void *kt_objects_find_next(const char *symbol)
{
    struct next next = {.name = kt_elf_name(symbol, KT_VERSION_DEFAULT)};
    iterate(look_behind_us, &next);
    return next.found ? kt_elf_address(next.bias, next.found) : NULL;
}
