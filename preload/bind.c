/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which routine a call goes to: the one that this caller would have reached without us.
 *
 * A binding holds for one symbol and all code of one object; preload/objects.c finds its target, and
 * preload/substitute.c another one in its place if the user wants that.
 *
 * A return address inside this library means that a library we called jumped on (a tail call): the caller is then
 * the routine that the enclosing call went to.
 *
 * Objects may be unloaded and others loaded at their addresses. We see dlclose(): during it every call looks for its
 * binding, and when objects were unloaded no binding counts that was made before.
 */
#include "preload/bind.h"

#include "preload/ask.h"
#include "preload/control.h"
#include "preload/jump.h"
#include "preload/line.h"
#include "preload/linker.h"
#include "preload/objects.h"
#include "preload/process.h"
#include "preload/redirect.h"
#include "preload/settings.h"
#include "preload/soname.h"
#include "preload/substitute.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_ENTRIES = UINT16_MAX };

/* An object as the trace knows it; its id is its index. Objects that were unloaded keep theirs. */
struct defined {
    uintptr_t lo, hi;
    char build_id[48];
    bool is_library;
    bool is_asked[KT_FAMILIES];
    struct kt_convention convention[KT_FAMILIES];
};

struct entry {
    const struct kt_slot *slot;
    void *target;
    int library;
};

const struct kt_binding kt_unbound;
_Atomic uint64_t kt_some_pass;

static _Atomic unsigned unloads; /* how often objects were unloaded; bindings of an earlier count are void */
static _Atomic unsigned closing; /* calls of dlclose() in progress */

/* All of this is used within slow paths only. */
static struct {
    struct defined *defined;
    int defined_count;
    struct entry *entry; /* index = entry of the trace; 0 stays unused */
    unsigned entry_count;
    struct kt_slot **bound; /* slots that have a binding */
    _Atomic unsigned bound_count;
} table;

static bool allocate_table(void)
{
    size_t defined = KT_MAX_OBJECTS * sizeof *table.defined;
    size_t entries = MAX_ENTRIES * sizeof *table.entry;
    size_t bound = (kt_slot_count + KT_SPARE_SLOTS) * sizeof *table.bound;
    size_t bytes = defined + entries + bound;
    if (table.defined)
        return true;
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    table.defined = (void *)at;
    table.entry = (void *)(at + defined);
    table.bound = (void *)(at + defined + entries);
    table.entry_count = 1;
    return true;
}

/* --- names ------------------------------------------------------------------------------------------------- */

static const struct kt_slot_info *info_of(const struct kt_slot *slot)
{
    return &kt_slot_infos[kt_named_slot(slot) - kt_slots];
}

const char *kt_slot_name(const struct kt_slot *slot)
{
    return kt_texts + info_of(slot)->name;
}

const struct kt_interface *kt_interface_of(const struct kt_slot *slot)
{
    return &kt_interfaces[info_of(slot)->interface];
}

const struct kt_interface *kt_interface_of_entry(unsigned entry)
{
    return kt_interface_of(table.entry[entry].slot);
}

static int compare_name(const void *name, const void *info)
{
    return strcmp(name, kt_texts + ((const struct kt_slot_info *)info)->name);
}

struct kt_slot *kt_slot_find(const char *name)
{
    const struct kt_slot_info *info = bsearch(name, kt_slot_infos, kt_slot_count, sizeof *kt_slot_infos, compare_name);
    return info ? &kt_slots[info - kt_slot_infos] : NULL;
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

static void define_object(const struct kt_loaded *o, int id)
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
static int object_id(const struct kt_loaded *o)
{
    for (int i = table.defined_count - 1; i >= 0; i--) {
        const struct defined *d = &table.defined[i];
        if (d->lo == o->lo && d->hi == o->hi && !strcmp(d->build_id, o->build_id))
            return i;
    }
    if (table.defined_count == KT_MAX_OBJECTS)
        return -1;
    struct defined *d = &table.defined[table.defined_count];
    *d = (struct defined){.lo = o->lo, .hi = o->hi};
    memcpy(d->build_id, o->build_id, sizeof d->build_id);
    define_object(o, table.defined_count);
    return table.defined_count++;
}

/* Within a slow path that may pause. */
static struct kt_convention convention_of(const struct kt_loaded *o, int id, const char *symbol)
{
    int family = kt_family(symbol);
    if (!table.defined[id].is_asked[family]) {
        struct kt_convention answer = kt_ask_convention(o, symbol);
        table.defined[id].convention[family] = answer;
        table.defined[id].is_asked[family] = true;
    }
    return table.defined[id].convention[family];
}

static void define_library(const struct kt_loaded *o, int id, bool wide)
{
    static struct kt_line line;
    struct kt_library_answer answer = {0};
    if (!table.defined[id].is_library)
        answer = kt_ask_library(o);
    struct defined *d = &table.defined[id];
    if (d->is_library) /* before, or by another thread since */
        return;
    d->is_library = true;
    line.length = 0;
    kt_line_raw(&line, "library");
    add_number(&line, (uint64_t)id, 10);
    add_text(&line, kt_soname_of(o->soname));
    add_text(&line, answer.version);
    add_number(&line, wide ? 8 : 4, 10);
    add_number(&line, (uint64_t)answer.threads, 10);
    define(&line);
}

static void define_entry(unsigned id, const struct kt_slot *slot, const void *target, int library, bool wide)
{
    const struct kt_interface *interface = kt_interface_of(slot);
    static struct kt_line line;
    line.length = 0;
    kt_line_raw(&line, "entry");
    add_number(&line, id, 10);
    add_text(&line, kt_slot_name(slot));
    add_text(&line, interface->view);
    add_text(&line, kt_texts + interface->routine);
    add_number(&line, (uint64_t)library, 10);
    add_number(&line, (uintptr_t)target, 16);
    add_text(&line, kt_texts + interface->family);
    add_number(&line, wide ? 8 : 4, 10);
    add_text(&line, !kt_fixed_target(slot) && info_of(slot)->compiled ? "compiled" : "trampoline");
    define(&line);
}

/* 0 if there are too many entries. WIDE: as all names of the slot's kind in that library. */
static unsigned entry_of(const struct kt_slot *slot, void *target, int library, bool wide)
{
    for (unsigned i = 1; i < table.entry_count; i++)
        if (table.entry[i].slot == slot && table.entry[i].target == target && table.entry[i].library == library)
            return i;
    if (table.entry_count == MAX_ENTRIES || library < 0)
        return 0;
    unsigned id = table.entry_count++;
    table.entry[id] = (struct entry){slot, target, library};
    define_entry(id, slot, target, library, wide);
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
    struct kt_loaded caller;
    struct kt_loaded library;
    if (kt_object_at(where, &caller))
        object_id(&caller);
    int id = kt_object_at((uintptr_t)b->target, &library) ? object_id(&library) : -1;
    if (id < 0) {
        b->nameless = true;
        b->cause = KT_LOSS_ERROR;
        return;
    }
    struct kt_convention convention = convention_of(&library, id, kt_slot_name(slot));
    define_library(&library, id, convention.wide);
    b->wide = convention.wide;
    b->hidden_result = convention.hidden_result && kt_interface_of(slot)->returns_complex;
    b->entry = (uint16_t)entry_of(slot, b->target, id, b->wide);
    b->nameless = b->entry == 0;
    b->cause = KT_LOSS_ENTRIES;
}

/* What was unloaded is often loaded again: its binding counts once more. */
static struct kt_binding *find_void_binding(struct kt_slot *slot, const struct kt_binding *like)
{
    struct kt_binding *b = atomic_load_explicit(&slot->all, memory_order_acquire);
    while (b && (b->lo != like->lo || b->bytes != like->bytes || b->target != like->target || b->entry != like->entry ||
                 b->wide != like->wide || b->passes != like->passes || b->foreign != like->foreign))
        b = b->next;
    return b;
}

/* Within a slow path; others read the list at any time. */
static void note_bound(struct kt_slot *slot)
{
    unsigned count = atomic_load(&table.bound_count);
    table.bound[count] = slot;
    atomic_store(&table.bound_count, count + 1);
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
    if (!atomic_load_explicit(&slot->all, memory_order_relaxed))
        note_bound(slot);
    *b = *made;
    b->next = atomic_load_explicit(&slot->all, memory_order_relaxed);
    atomic_store_explicit(&slot->all, b, memory_order_release); /* pairs with find_binding */
    return b;
}

/* Anybody may have a function called drot, and an interposer that takes its arguments for pointers ends the program. */
static bool is_foreign(const struct kt_slot *slot, const void *target)
{
    struct kt_loaded library;
    return info_of(slot)->common && !(kt_object_at((uintptr_t)target, &library) && kt_is_blas(&library));
}

/* Without us the dynamic linker would have ended the program in just this way. */
_Noreturn void kt_fail_like_the_linker(const char *symbol)
{
    static const char text[] = "symbol lookup error: undefined symbol: ";
    kt_write_all(STDERR_FILENO, text, sizeof text - 1);
    kt_write_all(STDERR_FILENO, symbol, strlen(symbol));
    kt_write_all(STDERR_FILENO, "\n", 1);
    _exit(127);
}

static void *target_of(const struct kt_slot *slot, uintptr_t where)
{
    void *fixed = kt_fixed_target(slot);
    return fixed ? fixed : kt_resolve(kt_slot_name(slot), where);
}

/* Loading takes time, other threads pass meanwhile; the program's own calls have none to wait for (substitute.h). */
static void *substitute_for(const struct kt_slot *slot, void *target, uintptr_t where)
{
    if (kt_substitute_is_due()) {
        kt_slow_pause();
        kt_substitute_load();
        kt_slow_resume();
    }
    return kt_substitutes() ? kt_substitute(slot, target, where, kt_fixed_target(slot)) : target;
}

static bool is_selected(const struct kt_slot *slot)
{
    return kt_is_routine_selected(kt_texts + kt_interface_of(slot)->routine, kt_slot_name(slot));
}

static const struct kt_binding *make_binding(struct kt_slot *slot, uintptr_t where)
{
    struct kt_binding made = {.interface = kt_interface_of(slot),
                              .unloads = atomic_load(&unloads),
                              .lo = where & ~(uintptr_t)4095,
                              .bytes = 4096};
    kt_process_start();
    if (atomic_load(&kt_process.state) == KT_STATE_STARTING || !allocate_table())
        return NULL;
    made.target = substitute_for(slot, target_of(slot, where), where);
    if (!made.target)
        kt_fail_like_the_linker(kt_slot_name(slot));
    struct kt_loaded caller;
    if (kt_object_at(where, &caller)) {
        made.lo = caller.lo;
        made.bytes = caller.hi - caller.lo;
    }
    made.foreign = is_foreign(slot, made.target);
    made.passes = made.foreign || atomic_load(&kt_process.state) == KT_STATE_OFF || !is_selected(slot);
    if (made.passes)
        atomic_store(&kt_some_pass, 1);
    else
        describe_target(&made, slot, where);
    return publish(slot, &made);
}

/* For calls that a slow path of the same thread makes, while the process is being started, and for want of memory. */
static const struct kt_binding *makeshift_binding(struct kt_slot *slot, uintptr_t where)
{
    static __thread struct kt_binding makeshift __attribute__((tls_model("initial-exec")));
    const struct kt_binding *any = atomic_load_explicit(&slot->all, memory_order_acquire);
    while (any && !is_valid(any))
        any = any->next;
    makeshift = (struct kt_binding){.target = target_of(slot, where), .interface = kt_interface_of(slot)};
    makeshift.foreign = is_foreign(slot, makeshift.target);
    if (makeshift.target)
        return &makeshift;
    if (!any)
        kt_fail_like_the_linker(kt_slot_name(slot));
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
    if (!b) {
        __atomic_fetch_add(&kt_control()->lost[KT_LOSS_ERROR], !kt_self.silent && !kt_self.busy, __ATOMIC_RELAXED);
        b = makeshift_binding(slot, where);
    }
    return b;
}

/* --- unloading --------------------------------------------------------------------------------------------- */

/* An object can be loaded in the place of another only after the linker has counted that as unloaded. */
static void count_unloads(void)
{
    static _Atomic unsigned long long seen;
    unsigned long long subs = kt_unloaded();
    if (atomic_exchange(&seen, subs) != subs)
        atomic_fetch_add(&unloads, 1);
}

static void forget_slot(struct kt_slot *slot)
{
    kt_set_recent(slot, &kt_unbound);
    atomic_store(&slot->bytes, 0);
}

static void forget_recent(void)
{
    unsigned count = atomic_load(&table.bound_count);
    for (unsigned i = 0; i < count; i++)
        forget_slot(table.bound[i]);
}

KT_EXPORT int dlclose(void *handle);
KT_EXPORT int dlclose(void *handle)
{
    atomic_fetch_add(&closing, 1);
    forget_recent();
    kt_jumps_forget();
    int result = kt_close_handle(handle);
    int saved = errno;
    count_unloads();
    atomic_fetch_sub(&closing, 1);
    errno = saved;
    return result;
}

bool kt_is_closing(void)
{
    return atomic_load(&closing) > 0;
}

void kt_bind_after_fork(void)
{
    atomic_store(&closing, 0);
}

/* --- binding ----------------------------------------------------------------------------------------------- */

/*
 * For the stub. Within a slow path, or not at all: of what it reads one by one nothing but BYTES may change later, so
 * that what it takes for one binding never is of two.
 */
static void copy_to_slot(struct kt_slot *slot, const struct kt_binding *b)
{
    if (!slot->lo) {
        slot->target = b->target;
        slot->passes = b->passes;
        slot->lo = b->lo;
    }
    if (slot->lo == b->lo && slot->target == b->target && slot->passes == b->passes)
        atomic_store(&slot->bytes, b->bytes);
}

/* Not while objects may be unloaded: then others, loaded in their place, would take the binding for theirs. */
static void remember(struct kt_slot *slot, const struct kt_binding *b, bool is_nested)
{
    kt_set_recent(slot, b);
    if ((b->passes || is_nested) && !atomic_load(&slot->bytes) && kt_slow_begin()) {
        copy_to_slot(slot, b);
        kt_slow_end();
    }
    if (!is_valid(b) || atomic_load(&closing))
        forget_slot(slot);
}

const struct kt_binding *kt_bind(struct kt_slot *slot, const void *caller)
{
    int saved = errno;
    kt_process_adopt();
    uintptr_t where = (uintptr_t)caller;
    const struct kt_frame *enclosing = kt_live_frame(kt_self.top, __builtin_frame_address(0));
    bool tail_call = kt_is_inside_us(where);
    if (atomic_load(&closing))
        count_unloads();
    if (tail_call && enclosing)
        where = (uintptr_t)enclosing->binding->target;
    const struct kt_binding *b = find_or_make(slot, where);
    if (!tail_call && b->bytes)
        remember(slot, b, enclosing != NULL);
    errno = saved;
    return b;
}
