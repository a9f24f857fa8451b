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

#include "preload/entries.h"
#include "preload/life.h"
#include "preload/linker_own.h"
#include "preload/map.h"
#include "preload/objects.h"
#include "preload/scopes.h"
#include "preload/settings.h"
#include "preload/shim.h"
#include "preload/slow.h"
#include "preload/substitute.h"
#include "preload/unload.h"

#include <errno.h>
#include <sys/mman.h>

const struct kt_binding kt_unbound;

/* Slots that have a binding; changed within slow paths. */
static struct {
    struct kt_slot **slot;
    _Atomic unsigned count;
} bound;

static bool allocate_bound(void)
{
    size_t bytes = (kt_slot_count + KT_SPARE_SLOTS) * sizeof *bound.slot;
    if (bound.slot)
        return true;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED)
        bound.slot = at;
    return at != MAP_FAILED;
}

/* --- bindings ---------------------------------------------------------------------------------------------- */

static bool is_valid(const struct kt_binding *b)
{
    return atomic_load_explicit(&b->unloads, memory_order_acquire) ==
           atomic_load_explicit(&kt_unloads, memory_order_acquire);
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
    if (kt_objects_at(where, &caller))
        kt_entries_object(&caller);
    int id = kt_objects_at((uintptr_t)b->target, &library) ? kt_entries_object(&library) : -1;
    if (id < 0) {
        b->nameless = true;
        b->cause = KT_LOSS_ERROR;
        return;
    }
    struct kt_convention convention;
    b->entry = (uint16_t)kt_entries_number(slot, b->target, &library, id, &convention);
    b->wide = convention.wide;
    b->hidden_result = convention.hidden_result && kt_names_interface(slot)->returns_complex;
    b->nameless = b->entry == 0;
    b->cause = KT_LOSS_ENTRIES;
}

/* What was unloaded is often loaded again: its binding counts once more. */
static struct kt_binding *find_void_binding(struct kt_slot *slot, const struct kt_binding *like)
{
    struct kt_binding *b = atomic_load_explicit(&slot->all, memory_order_acquire);
    while (b && (b->lo != like->lo || b->bytes != like->bytes || b->target != like->target || b->entry != like->entry ||
                 b->wide != like->wide || b->passes != like->passes || b->by_jump != like->by_jump))
        b = b->next;
    return b;
}

/* Within a slow path; others read the list at any time. */
static void note_bound(struct kt_slot *slot)
{
    unsigned count = atomic_load(&bound.count);
    bound.slot[count] = slot;
    atomic_store(&bound.count, count + 1);
}

/* Apart for the thread sanitizer: wrappers are not instrumented, so it does not see that they acquire what follows. */
KT_WRITES_UNSEEN static void fill(struct kt_binding *b, const struct kt_binding *made, struct kt_binding *next)
{
    *b = *made;
    b->next = next;
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
    fill(b, made, atomic_load_explicit(&slot->all, memory_order_relaxed));
    atomic_store_explicit(&slot->all, b, memory_order_release); /* pairs with find_binding */
    return b;
}

/* Anybody may have a function called drot, and an interposer that takes its arguments for pointers ends the program. */
static bool is_foreign(const struct kt_slot *slot, const void *target)
{
    struct kt_loaded library;
    return kt_names_info(slot)->common && !(kt_objects_at((uintptr_t)target, &library) && kt_ask_is_blas(&library));
}

static void *target_of(const struct kt_slot *slot, uintptr_t where)
{
    void *fixed = kt_names_target(slot);
    return fixed ? fixed : kt_scopes_resolve(kt_names_text(slot), where);
}

/* Loading takes time, other threads pass meanwhile; the program's own calls have none to wait for (substitute.h). */
static void *substitute_for(const struct kt_slot *slot, void *target, uintptr_t where)
{
    if (kt_substitute_is_due()) {
        kt_slow_pause();
        kt_substitute_load();
        kt_slow_resume();
    }
    if (kt_map_is_due()) {
        kt_slow_pause();
        kt_map_load();
        kt_slow_resume();
    }
    if (kt_map_is_on())
        return kt_map_keep(slot, target, where);
    return kt_substitute_is_on() ? kt_substitute(slot, target, where, kt_names_target(slot)) : target;
}

static bool is_selected(const struct kt_slot *slot)
{
    return kt_settings_select_routine(kt_texts + kt_names_interface(slot)->routine, kt_names_text(slot));
}

/* Where its calls go, and whether they leave us at once. */
static void choose_target(struct kt_binding *made, const struct kt_slot *slot, uintptr_t where)
{
    bool is_recorded = atomic_load(&kt_recorder.state) != KT_STATE_OFF && is_selected(slot);
    made->by_jump = is_foreign(slot, made->target);
    void *sent = kt_map_is_on() && !made->by_jump ? kt_map_send(slot, made->target, where, is_recorded) : NULL;
    if (sent)
        made->target = sent;
    made->by_jump |= sent != NULL;
    made->passes = made->by_jump || !is_recorded;
}

static const struct kt_binding *make_binding(struct kt_slot *slot, uintptr_t where)
{
    struct kt_binding made = {.interface = kt_names_interface(slot),
                              .unloads = atomic_load(&kt_unloads),
                              .lo = where & ~(uintptr_t)4095,
                              .bytes = 4096};
    kt_life.start();
    if (atomic_load(&kt_recorder.state) == KT_STATE_STARTING || !allocate_bound() || !kt_entries_start())
        return NULL;
    made.target = substitute_for(slot, target_of(slot, where), where);
    if (kt_map_is_loading())
        return NULL;
    if (!made.target)
        kt_linker_own_fail(kt_names_text(slot));
    struct kt_loaded caller;
    if (kt_objects_at(where, &caller)) {
        made.lo = caller.lo;
        made.bytes = caller.hi - caller.lo;
    }
    choose_target(&made, slot, where);
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
    makeshift = (struct kt_binding){.target = target_of(slot, where), .interface = kt_names_interface(slot)};
    makeshift.by_jump = is_foreign(slot, makeshift.target);
    if (makeshift.target)
        return &makeshift;
    if (!any)
        kt_linker_own_fail(kt_names_text(slot));
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

static void forget_slot(struct kt_slot *slot)
{
    kt_set_recent(slot, &kt_unbound);
    atomic_store(&slot->bytes, 0);
}

void kt_bind_forget_recent(void)
{
    unsigned count = atomic_load(&bound.count);
    for (unsigned i = 0; i < count; i++)
        forget_slot(bound.slot[i]);
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
    if (!is_valid(b) || kt_unload_is_possible())
        forget_slot(slot);
}

const struct kt_binding *kt_bind_find(struct kt_slot *slot, const void *caller)
{
    int saved = errno;
    kt_life_adopt();
    uintptr_t where = (uintptr_t)caller;
    const struct kt_frame *enclosing = kt_live_frame(kt_self.top, __builtin_frame_address(0));
    bool tail_call = kt_objects_is_us(where);
    if (kt_unload_is_possible())
        kt_unload_count();
    if (tail_call && enclosing)
        where = (uintptr_t)enclosing->binding->target;
    const struct kt_binding *b = find_or_make(slot, where);
    if (!tail_call && b->bytes)
        remember(slot, b, enclosing != NULL);
    errno = saved;
    return b;
}
