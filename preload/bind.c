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
 *
 * Objects may be unloaded and others loaded at their addresses. We see dlclose(), and after it no binding counts that
 * was made before.
 */
#include "preload/process.h"

#include "preload/line.h"
#include "preload/settings.h"

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
    int library;
};

const struct kt_binding kt_unbound;

static _Atomic unsigned unloads; /* counts the times that objects were unloaded; bindings of an earlier count are void */

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
        if (d->d_tag == DT_STRTAB) { /* relocated in place, but not in every object */
            uintptr_t at = d->d_un.d_ptr;
            o->strings = (const char *)(at >= o->lo && at < o->hi ? at : at + o->bias);
        }
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

static void refresh_objects(void)
{
    dl_iterate_phdr(refresh_locked, NULL);
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

/* Calls of dlclose() come here first, ours too. */
static int close_handle(void *handle)
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
static void *find_in_path(const char *path, const char *symbol)
{
    void *handle = *path ? dlopen(path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
    if (!handle)
        return NULL;
    void *found = dlsym(handle, symbol);
    close_handle(handle);
    return is_inside_us((uintptr_t)found) ? NULL : found;
}

/* With the slow path paused: the table may be another afterwards. */
static void *find_in_scope(struct object o, const char *symbol)
{
    kt_slow_pause();
    void *found = find_in_path(o.path, symbol);
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

static void *resolve(const char *symbol, uintptr_t where)
{
    void *found = find_globally(symbol);
    const struct object *caller = object_at(where);
    if (!found && caller)
        found = find_in_scope(table.object[caller->root], symbol);
    for (int i = 0; i < table.count && !found; i++)
        found = find_in_scope(table.object[i], symbol);
    return found;
}

/* Without us the dynamic linker would have ended the program in just this way. */
_Noreturn static void fail_like_the_linker(const char *symbol)
{
    static const char text[] = "symbol lookup error: undefined symbol: ";
    kt_write_all(STDERR_FILENO, text, sizeof text - 1);
    kt_write_all(STDERR_FILENO, symbol, strlen(symbol));
    kt_write_all(STDERR_FILENO, "\n", 1);
    _exit(127);
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
    int (*idamax)(const int64_t *, const double *, const int64_t *) = find_in_path(path, "idamax_");
    return idamax && idamax(&n, x, &one) == 0;
}

static const char *library_version(const char *path)
{
    static const char *const function[] = {"openblas_get_config", "bli_info_get_version_str"};
    for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
        const char *(*version)(void) = find_in_path(path, function[i]);
        if (version)
            return version();
    }
    return "";
}

static int library_threads(const char *path)
{
    int (*openblas)(void) = find_in_path(path, "openblas_get_num_threads");
    long (*blis)(void) = openblas ? NULL : find_in_path(path, "bli_thread_get_num_threads");
    return openblas ? openblas() : blis ? (int)blis() : 0;
}

struct library {
    const char *version;
    int threads;
    bool wide;
};

/* Runs code of the library, which may wait for locks of its own. */
static struct library ask_library(const char *path)
{
    kt_slow_pause();
    struct library answer = {library_version(path), library_threads(path), has_wide_integers(path)};
    kt_slow_resume();
    return answer;
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
    static struct kt_line line; /* this and those below: programs have threads with small stacks */
    line.length = 0;
    kt_line_raw(&line, "object");
    add_number(&line, (uint64_t)id, 10);
    add_number(&line, o->lo, 16);
    add_number(&line, o->hi, 16);
    add_number(&line, o->bias, 16);
    add_text(&line, *o->path ? o->path : kt_program);
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

static void define_library(struct object o, int id)
{
    static struct kt_line line;
    struct library answer = {0};
    if (!table.defined[id].is_library)
        answer = ask_library(o.path);
    struct defined *d = &table.defined[id];
    if (d->is_library) /* before, or by another thread since */
        return;
    d->is_library = true;
    d->wide = answer.wide;
    line.length = 0;
    kt_line_raw(&line, "library");
    add_number(&line, (uint64_t)id, 10);
    add_text(&line, o.soname);
    add_text(&line, answer.version);
    add_number(&line, d->wide ? 8 : 4, 10);
    add_number(&line, (uint64_t)answer.threads, 10);
    define(&line);
}

static void define_entry(unsigned id, const struct kt_slot *slot, const void *target, int library)
{
    const struct kt_slot_info *info = &kt_slot_infos[slot - kt_slots];
    static struct kt_line line;
    line.length = 0;
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
        if (table.entry[i].slot == slot && table.entry[i].target == target &&
            table.entry[i].library == library)
            return i;
    if (table.entry_count == MAX_ENTRIES || library < 0)
        return 0;
    unsigned id = table.entry_count++;
    table.entry[id] = (struct entry){slot, target, library};
    define_entry(id, slot, target, library);
    return id;
}

/* --- bindings ---------------------------------------------------------------------------------------------- */

static bool is_valid(const struct kt_binding *b)
{
    return atomic_load_explicit(&b->unloads, memory_order_acquire) ==
           atomic_load_explicit(&unloads, memory_order_acquire);
}

static const struct kt_binding *find_binding(struct kt_slot *slot, uintptr_t where)
{
    const struct kt_binding *b = atomic_load_explicit(&slot->all, memory_order_acquire);
    while (b && (where - b->lo >= b->bytes || !is_valid(b)))
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

static void describe_target(struct kt_binding *b, const struct kt_slot *slot, uintptr_t where)
{
    const struct object *caller = object_at(where);
    const struct object *library = object_at((uintptr_t)b->target);
    if (caller)
        object_id(caller);
    int id = library ? object_id(library) : -1;
    if (id < 0)
        return;
    define_library(*library, id);
    b->wide = table.defined[id].wide;
    b->entry = (uint16_t)entry_of(slot, b->target, id);
}

/* What was unloaded is often loaded again: its binding counts once more. */
static struct kt_binding *find_void_binding(struct kt_slot *slot, const struct kt_binding *like)
{
    struct kt_binding *b = atomic_load_explicit(&slot->all, memory_order_acquire);
    while (b && (b->lo != like->lo || b->bytes != like->bytes || b->target != like->target ||
                 b->entry != like->entry || b->wide != like->wide))
        b = b->next;
    return b;
}

static const struct kt_binding *publish(struct kt_slot *slot, const struct kt_binding *made)
{
    struct kt_binding *b = find_void_binding(slot, made);
    if (b) {
        atomic_store_explicit(&b->unloads, made->unloads, memory_order_release);
        return b;
    }
    b = new_binding();
    if (!b)
        return NULL;
    *b = *made;
    b->next = atomic_load_explicit(&slot->all, memory_order_relaxed);
    atomic_store_explicit(&slot->all, b, memory_order_release); /* pairs with find_binding */
    return b;
}

static const struct kt_binding *make_binding(struct kt_slot *slot, uintptr_t where)
{
    const char *symbol = kt_slot_infos[slot - kt_slots].symbol;
    struct kt_binding made = {.unloads = atomic_load(&unloads), .lo = where & ~(uintptr_t)4095, .bytes = 4096};
    kt_process_start();
    if (!allocate_tables())
        return NULL;
    refresh_objects();
    made.target = resolve(symbol, where);
    if (!made.target)
        fail_like_the_linker(symbol);
    refresh_objects();
    const struct object *caller = object_at(where);
    if (caller) {
        made.lo = caller->lo;
        made.bytes = caller->hi - caller->lo;
    }
    if (atomic_load(&kt_process.state) != KT_STATE_OFF)
        describe_target(&made, slot, where);
    return publish(slot, &made);
}

/* The routine in the scopes that can be searched without the table: all of them but that of another dlopen(). */
static void *resolve_without_table(const char *symbol, uintptr_t where)
{
    Dl_info object;
    void *found = dlsym(RTLD_NEXT, symbol);
    if (!found && dladdr((void *)where, &object))
        found = find_in_path(object.dli_fname, symbol);
    return found;
}

/* For calls that a slow path of the same thread makes, and for want of memory. */
static const struct kt_binding *makeshift_binding(struct kt_slot *slot, uintptr_t where)
{
    static __thread struct kt_binding spare __attribute__((tls_model("initial-exec")));
    const char *symbol = kt_slot_infos[slot - kt_slots].symbol;
    const struct kt_binding *any = atomic_load_explicit(&slot->all, memory_order_acquire);
    while (any && !is_valid(any))
        any = any->next;
    spare = (struct kt_binding){.target = resolve_without_table(symbol, where)};
    if (spare.target)
        return &spare;
    if (!any)
        fail_like_the_linker(symbol);
    return any;
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
    if (!b)
        b = makeshift_binding(slot, where);
    dlerror(); /* what we did not find is no error of the program */
    return b;
}

/* Unless an object was unloaded in the meantime: then others would take the binding for a present one. */
static void remember(struct kt_slot *slot, const struct kt_binding *b)
{
    atomic_store_explicit(&slot->recent, b, memory_order_seq_cst);
    if (!is_valid(b))
        atomic_store_explicit(&slot->recent, &kt_unbound, memory_order_release);
}

const struct kt_binding *kt_bind(struct kt_slot *slot, const void *caller)
{
    int saved = errno;
    uintptr_t where = (uintptr_t)caller;
    const struct kt_frame *enclosing = kt_live_frame(kt_self.top, __builtin_frame_address(0));
    bool tail_call = is_inside_us(where);
    if (tail_call && enclosing)
        where = (uintptr_t)enclosing->binding->target;
    const struct kt_binding *b = find_or_make(slot, where);
    if (!tail_call && b->bytes)
        remember(slot, b);
    errno = saved;
    return b;
}

/* --- unloading --------------------------------------------------------------------------------------------- */

static int read_subs(struct dl_phdr_info *info, size_t size, void *subs)
{
    (void)size;
    *(unsigned long long *)subs = info->dlpi_subs;
    return 1;
}

static void forget_bindings(void)
{
    atomic_fetch_add(&unloads, 1);
    for (unsigned i = 0; i < kt_slot_count; i++)
        atomic_store_explicit(&kt_slots[i].recent, &kt_unbound, memory_order_release);
}

KT_EXPORT int dlclose(void *handle);
KT_EXPORT int dlclose(void *handle)
{
    static _Atomic unsigned long long seen; /* set last: whoever finds it changed forgets, even if another does too */
    int result = close_handle(handle);
    int saved = errno;
    unsigned long long subs = 0;
    dl_iterate_phdr(read_subs, &subs);
    if (subs != atomic_load(&seen))
        forget_bindings();
    atomic_store(&seen, subs);
    errno = saved;
    return result;
}
