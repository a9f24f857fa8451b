/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which routine a call goes to: the one that this caller would have reached without us.
 *
 * The dynamic linker looks a symbol up in the global scope (the program, what it needs, what was loaded globally)
 * and then in the scope of the dlopen() that brought the caller in: the opened object and, breadth first, all it
 * needs. RTLD_NEXT answers for the global scope. For the rest we find the object that dlopen() was called for: the
 * linker's list is in the order of loading, so an object that no earlier opened object needs was opened itself.
 * A handle of that object searches just that scope, and we are not in it.
 *
 * A return address inside this library means that a library we called jumped on (a tail call): the caller is then
 * the routine that the enclosing call went to.
 */
#include "preload/process.h"

#include "preload/line.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_OBJECTS = 2048, MAX_ENTRIES = UINT16_MAX };

extern KT_HIDDEN const char __ehdr_start[];
extern KT_HIDDEN const char _end[];

struct object {
    const char *path; /* the linker's copy */
    const char *soname;
    uintptr_t lo, hi, bias;
    const ElfW(Dyn) *dynamic;
    const char *strings; /* of the dynamic section */
    char build_id[48];
    int root; /* index of the object whose dlopen() brought it in */
};

/* An object as the trace knows it; its id is its index. Objects that were unloaded keep theirs. */
struct defined {
    uintptr_t lo, hi;
    char build_id[48];
    bool is_library, wide;
};

struct entry {
    const struct kt_slot *slot;
    void *target;
};

const struct kt_binding kt_unbound;

/* All of this is used within slow paths only. */
static struct {
    struct object *object;
    int count;
    unsigned long long adds, subs; /* of the linker, when the list was made */
    struct defined *defined;
    int defined_count;
    struct entry *entry; /* index = entry of the trace; 0 stays unused */
    unsigned entry_count;
} table;

static bool allocate_tables(void)
{
    size_t objects = MAX_OBJECTS * sizeof *table.object;
    size_t defined = MAX_OBJECTS * sizeof *table.defined;
    size_t entries = MAX_ENTRIES * sizeof *table.entry;
    if (table.object)
        return true;
    char *at = mmap(NULL, objects + defined + entries, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    table.object = (void *)at;
    table.defined = (void *)(at + objects);
    table.entry = (void *)(at + objects + defined);
    table.entry_count = 1;
    return true;
}

/* --- loaded objects ---------------------------------------------------------------------------------------- */

static void read_dynamic(struct object *o)
{
    ElfW(Xword) soname = 0;
    for (const ElfW(Dyn) *d = o->dynamic; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_STRTAB) /* relocated in place, but not in every object */
            o->strings = (const char *)(d->d_un.d_ptr < o->bias ? d->d_un.d_ptr + o->bias : d->d_un.d_ptr);
        if (d->d_tag == DT_SONAME)
            soname = d->d_un.d_val;
    }
    o->soname = o->strings && soname ? o->strings + soname : "";
}

static void read_build_id(struct object *o, uintptr_t at, size_t bytes)
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

static void read_segment(struct object *o, const ElfW(Phdr) *p)
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
    if (table.count == MAX_OBJECTS)
        return 1;
    struct object *o = &table.object[table.count++];
    *o = (struct object){.path = info->dlpi_name, .soname = "", .lo = UINTPTR_MAX, .bias = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++)
        read_segment(o, &info->dlpi_phdr[i]);
    read_dynamic(o);
    return 0;
}

static int read_counters(struct dl_phdr_info *info, size_t size, void *changed)
{
    (void)size;
    *(bool *)changed = table.adds != info->dlpi_adds || table.subs != info->dlpi_subs;
    table.adds = info->dlpi_adds;
    table.subs = info->dlpi_subs;
    return 1;
}

static bool is_named(const struct object *o, const char *needed)
{
    const char *slash = strrchr(o->path, '/');
    return !strcmp(o->soname, needed) || !strcmp(slash ? slash + 1 : o->path, needed) || !strcmp(o->path, needed);
}

static void mark_needed(const struct object *o, bool *member, int *queue, int *queued)
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
    static int queue[MAX_OBJECTS];
    int queued = 1;
    memset(member, 0, MAX_OBJECTS * sizeof *member);
    member[root] = true;
    queue[0] = root;
    for (int i = 0; i < queued; i++)
        mark_needed(&table.object[queue[i]], member, queue, &queued);
}

static void find_roots(void)
{
    static bool member[MAX_OBJECTS];
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

static void refresh_objects(void)
{
    bool changed = false;
    dl_iterate_phdr(read_counters, &changed);
    if (!changed)
        return;
    table.count = 0;
    dl_iterate_phdr(add_object, NULL);
    find_roots();
}

static const struct object *object_at(uintptr_t address)
{
    for (int i = 0; i < table.count; i++)
        if (address >= table.object[i].lo && address < table.object[i].hi)
            return &table.object[i];
    return NULL;
}

/* --- resolution -------------------------------------------------------------------------------------------- */

static bool is_inside_us(uintptr_t address)
{
    return address >= (uintptr_t)__ehdr_start && address < (uintptr_t)_end;
}

/* The symbol in the scope of an object that was opened; never ours. */
static void *find_in_scope(const struct object *o, const char *symbol)
{
    void *handle = *o->path ? dlopen(o->path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
    if (!handle)
        return NULL;
    void *found = dlsym(handle, symbol);
    dlclose(handle);
    return is_inside_us((uintptr_t)found) ? NULL : found;
}

static void *resolve(const char *symbol, const struct object *caller)
{
    void *found = dlsym(RTLD_NEXT, symbol);
    if (!found && caller)
        found = find_in_scope(&table.object[caller->root], symbol);
    for (int i = 0; i < table.count && !found; i++)
        found = find_in_scope(&table.object[i], symbol);
    return found;
}

/* Without us the dynamic linker would have ended the program in just this way. */
_Noreturn static void fail_like_the_linker(const char *symbol)
{
    struct kt_line line = {0};
    kt_line_raw(&line, "symbol lookup error: undefined symbol: ");
    kt_line_raw(&line, symbol);
    kt_line_raw(&line, "\n");
    if (write(STDERR_FILENO, line.text, line.length) < 0)
        _exit(127);
    _exit(127);
}

/* --- what libraries say of themselves ---------------------------------------------------------------------- */

/*
 * The name does not tell the width of integers. The length 0xffffffff00000003 is 3 to a library that reads 32 bits,
 * so that it finds the largest element, the second; to one that reads 64 it is negative, and the answer 0.
 */
static bool has_wide_integers(const struct object *o)
{
    static const double x[] = {1, 2, 1};
    int64_t n = (int64_t)0xffffffff00000003;
    int64_t one = 1;
    int (*idamax)(const int64_t *, const double *, const int64_t *) = find_in_scope(o, "idamax_");
    return idamax && idamax(&n, x, &one) == 0;
}

static const char *library_version(const struct object *o)
{
    static const char *const function[] = {"openblas_get_config", "bli_info_get_version_str"};
    for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
        const char *(*version)(void) = find_in_scope(o, function[i]);
        if (version)
            return version();
    }
    return "";
}

static int library_threads(const struct object *o)
{
    int (*openblas)(void) = find_in_scope(o, "openblas_get_num_threads");
    long (*blis)(void) = openblas ? NULL : find_in_scope(o, "bli_thread_get_num_threads");
    return openblas ? openblas() : blis ? (int)blis() : 0;
}

/* --- definitions ------------------------------------------------------------------------------------------- */

static void add_number(struct kt_line *line, uint64_t value, unsigned base)
{
    kt_line_raw(line, "\t");
    kt_line_unsigned(line, value, base);
}

static void add_text(struct kt_line *line, const char *text)
{
    kt_line_raw(line, "\t");
    kt_line_escaped(line, text, strlen(text));
}

static void define(struct kt_line *line)
{
    kt_line_raw(line, "\n");
    kt_define(line->text, line->length);
}

static void define_object(const struct object *o, int id)
{
    struct kt_line line = {0};
    char program[PATH_MAX];
    ssize_t length = *o->path ? 0 : readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    kt_line_raw(&line, "object");
    add_number(&line, (uint64_t)id, 10);
    add_number(&line, o->lo, 16);
    add_number(&line, o->hi, 16);
    add_number(&line, o->bias, 16);
    add_text(&line, *o->path ? o->path : program);
    add_text(&line, o->build_id);
    define(&line);
}

/* The id of an object in the trace, defined on first use; -1 if there are too many. */
static int object_id(const struct object *o)
{
    for (int i = table.defined_count - 1; i >= 0; i--) {
        const struct defined *d = &table.defined[i];
        if (d->lo == o->lo && d->hi == o->hi && !strcmp(d->build_id, o->build_id))
            return i;
    }
    if (table.defined_count == MAX_OBJECTS)
        return -1;
    struct defined *d = &table.defined[table.defined_count];
    *d = (struct defined){.lo = o->lo, .hi = o->hi};
    memcpy(d->build_id, o->build_id, sizeof d->build_id);
    define_object(o, table.defined_count);
    return table.defined_count++;
}

static void define_library(const struct object *o, int id)
{
    struct defined *d = &table.defined[id];
    struct kt_line line = {0};
    if (d->is_library)
        return;
    d->is_library = true;
    d->wide = has_wide_integers(o);
    kt_line_raw(&line, "library");
    add_number(&line, (uint64_t)id, 10);
    add_text(&line, o->soname);
    add_text(&line, library_version(o));
    add_number(&line, d->wide ? 8 : 4, 10);
    add_number(&line, (uint64_t)library_threads(o), 10);
    define(&line);
}

static void define_entry(unsigned id, const struct kt_slot *slot, const void *target, int library)
{
    const struct kt_slot_info *info = &kt_slot_infos[slot - kt_slots];
    struct kt_line line = {0};
    kt_line_raw(&line, "entry");
    add_number(&line, id, 10);
    add_text(&line, info->symbol);
    add_text(&line, info->view);
    add_text(&line, info->routine);
    add_number(&line, (uint64_t)library, 10);
    add_number(&line, (uintptr_t)target, 16);
    add_text(&line, info->family);
    define(&line);
}

/* 0 if there are too many entries: such records are read as lost. */
static unsigned entry_of(const struct kt_slot *slot, void *target, int library)
{
    for (unsigned i = 1; i < table.entry_count; i++)
        if (table.entry[i].slot == slot && table.entry[i].target == target)
            return i;
    if (table.entry_count == MAX_ENTRIES || library < 0)
        return 0;
    unsigned id = table.entry_count++;
    table.entry[id] = (struct entry){slot, target};
    define_entry(id, slot, target, library);
    return id;
}

/* --- bindings ---------------------------------------------------------------------------------------------- */

static const struct kt_binding *find_binding(struct kt_slot *slot, uintptr_t where)
{
    const struct kt_binding *b = atomic_load_explicit(&slot->all, memory_order_acquire);
    while (b && where - b->lo >= b->bytes)
        b = b->next;
    return b;
}

/* Bindings live as long as the process; they come from pages of their own. */
static struct kt_binding *new_binding(void)
{
    static struct kt_binding *page;
    static size_t left;
    if (left == 0) {
        enum { BYTES = 64 << 10 };
        void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED)
            return NULL;
        page = at;
        left = BYTES / sizeof *page;
    }
    return &page[--left];
}

static void describe_target(struct kt_binding *b, const struct kt_slot *slot, const struct object *caller)
{
    const struct object *library = object_at((uintptr_t)b->target);
    int id = library ? object_id(library) : -1;
    if (caller)
        object_id(caller);
    if (id < 0)
        return;
    define_library(library, id);
    b->wide = table.defined[id].wide;
    b->entry = (uint16_t)entry_of(slot, b->target, id);
}

static void publish(struct kt_slot *slot, struct kt_binding *b)
{
    b->next = atomic_load_explicit(&slot->all, memory_order_relaxed);
    atomic_store_explicit(&slot->all, b, memory_order_release); /* pairs with find_binding */
}

static const struct kt_binding *make_binding(struct kt_slot *slot, uintptr_t where)
{
    const char *symbol = kt_slot_infos[slot - kt_slots].symbol;
    kt_process_start();
    if (!allocate_tables())
        return NULL;
    refresh_objects();
    const struct object *caller = object_at(where);
    void *target = resolve(symbol, caller);
    if (!target)
        fail_like_the_linker(symbol);
    struct kt_binding *b = new_binding();
    if (!b)
        return NULL;
    *b = (struct kt_binding){.target = target, .lo = where & ~(uintptr_t)4095, .bytes = 4096};
    if (caller) {
        b->lo = caller->lo;
        b->bytes = caller->hi - caller->lo;
    }
    if (atomic_load(&kt_process.state) != KT_STATE_OFF)
        describe_target(b, slot, caller);
    publish(slot, b);
    return b;
}

/* For a signal handler that interrupted a slow path of its own thread, and for want of memory. */
static const struct kt_binding *makeshift_binding(struct kt_slot *slot)
{
    static __thread struct kt_binding spare __attribute__((tls_model("initial-exec")));
    const struct kt_binding *any = atomic_load_explicit(&slot->all, memory_order_acquire);
    if (any)
        return any;
    spare = (struct kt_binding){.target = dlsym(RTLD_NEXT, kt_slot_infos[slot - kt_slots].symbol)};
    if (!spare.target)
        fail_like_the_linker(kt_slot_infos[slot - kt_slots].symbol);
    return &spare;
}

static const struct kt_binding *find_or_make(struct kt_slot *slot, uintptr_t where)
{
    const struct kt_binding *b = find_binding(slot, where);
    if (b)
        return b;
    if (kt_slow_begin()) {
        b = find_binding(slot, where);
        if (!b)
            b = make_binding(slot, where);
        kt_slow_end();
    }
    return b ? b : makeshift_binding(slot);
}

const struct kt_binding *kt_bind(struct kt_slot *slot, const void *caller)
{
    int saved = errno;
    uintptr_t where = (uintptr_t)caller;
    bool tail_call = is_inside_us(where);
    if (tail_call && kt_self.top)
        where = (uintptr_t)kt_self.top->binding->target;
    const struct kt_binding *b = find_or_make(slot, where);
    if (!tail_call && b->bytes)
        atomic_store_explicit(&slot->recent, b, memory_order_release);
    errno = saved;
    return b;
}
