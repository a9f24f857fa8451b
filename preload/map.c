/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/map.h"

#include "preload/beside.h"
#include "preload/file.h"
#include "preload/map_way.h"
#include "preload/notice.h"
#include "preload/objects.h"
#include "preload/settings.h"
#include "preload/slow.h"
#include "preload/thread.h"

#include <stdio.h>
#include <sys/mman.h>

const struct kt_map_step *kt_map_way[KT_MAP_ENTRANCES];

enum state { NOTHING, DUE, LOADING, LOADED };

static _Atomic(enum state) state;

/* Written before the state says so. */
static struct kt_map map;
static struct kt_beside library[KT_MAP_LIBRARIES];
static char wrong[1200]; /* why the map cannot be followed; "": nothing is known against it */

/* What entrances are for; within slow paths. */
static struct {
    const struct kt_slot *named;
    void *own;
    bool recorded;
} entrance[KT_MAP_ENTRANCES];
static int entrances;

static unsigned char (*spare_stub)[KT_STUB_BYTES];

bool kt_map_is_due(void)
{
    return atomic_load_explicit(&state, memory_order_acquire) == DUE;
}

bool kt_map_is_loading(void)
{
    return atomic_load_explicit(&state, memory_order_acquire) == LOADING;
}

bool kt_map_is_on(void)
{
    return atomic_load_explicit(&state, memory_order_acquire) == LOADED;
}

/* --- the start --------------------------------------------------------------------------------------------- */

static const char *routine_of(unsigned slot)
{
    return kt_texts + kt_interfaces[kt_slot_infos[slot].interface].routine;
}

static bool has_rule(const char *routine)
{
    for (int i = 0; i < map.rules; i++)
        if (!strcmp(map.rule[i].routine, routine))
            return true;
    return false;
}

static void mark_names(enum kt_mapped mapped)
{
    for (unsigned i = 0; i < kt_slot_count; i++)
        if (has_rule(routine_of(i)))
            kt_slots[i].mapped = (uint8_t)mapped;
}

static void refuse(const char *what, const char *why)
{
    snprintf(wrong, sizeof wrong, "%s%s", what, why);
}

/* Under one of its names a routine has what the rule speaks of. */
static const char *missing_in(const struct kt_map_rule *rule, unsigned slot)
{
    const char *missing = NULL;
    for (int i = 0; i < rule->conditions && !missing; i++)
        missing = kt_map_way_lacks(&kt_interfaces[kt_slot_infos[slot].interface], &rule->condition[i]);
    return missing;
}

/* Says what is wrong with a rule; NULL: it can be followed. */
static const char *check_rule(const struct kt_map_rule *rule)
{
    static char text[128];
    const char *missing = NULL;
    for (unsigned i = 0; i < kt_slot_count; i++) {
        if (strcmp(routine_of(i), rule->routine) != 0)
            continue;
        missing = missing_in(rule, i);
        if (!missing)
            return NULL;
    }
    if (missing)
        snprintf(text, sizeof text, "line %d: no size or option of the routine: %s of %s", rule->line, missing,
                 rule->routine);
    else
        snprintf(text, sizeof text, "line %d: no such routine is known: %s", rule->line, rule->routine);
    return text;
}

static bool check_rules(void)
{
    for (int i = 0; i < map.rules; i++) {
        const char *why = check_rule(&map.rule[i]);
        if (why) {
            refuse("", why);
            return false;
        }
    }
    return true;
}

static bool read_map(void)
{
    char *text = mmap(NULL, KT_MAP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (text == MAP_FAILED)
        return false;
    size_t length = kt_file_read(kt_option.MAP, text, KT_MAP_BYTES);
    bool fine = length && kt_map_parse(&map, text);
    if (!length)
        refuse(kt_option.MAP, " cannot be read, or is empty");
    else if (!fine)
        refuse("", map.why);
    munmap(text, KT_MAP_BYTES);
    return fine;
}

static bool can_follow(void)
{
#if !defined(__x86_64__)
    refuse("", "not on this processor");
#endif
    if (*kt_option.BLAS)
        refuse("", "KTRACE_BLAS is set, and all calls go there");
    return !*wrong && read_map() && check_rules();
}

/* Programs that make no call are not told what is wrong. */
void kt_map_start(unsigned char (*stub)[KT_STUB_BYTES])
{
    spare_stub = stub;
    if (!*kt_option.MAP)
        return;
    if (can_follow()) {
        mark_names(KT_MAPPED);
        atomic_store(&kt_some_pass, 1);
    }
    atomic_store(&state, DUE);
    if (!kt_self.busy && kt_beside_is_needed())
        kt_map_load();
}

/* --- loading ----------------------------------------------------------------------------------------------- */

static const char *open_library(int i)
{
    static char text[1100];
    const char *why = kt_beside_open(&library[i], map.library[i].files, false);
    if (why)
        snprintf(text, sizeof text, "%s: %.1000s", map.library[i].name, why);
    else if (map.threads && !library[i].was_there)
        kt_beside_set_threads(&library[i], map.threads);
    return why ? text : NULL;
}

static const char *check_routines(void)
{
    static char text[128];
    *text = '\0';
    bool begun = kt_slow_begin();
    for (int i = 0; i < map.rules && !*text; i++) {
        const struct kt_map_rule *rule = &map.rule[i];
        if (rule->library != KT_MAP_OWN && !kt_beside_has(&library[rule->library], rule->routine))
            snprintf(text, sizeof text, "line %d: %s has no %s", rule->line, map.library[rule->library].name,
                     rule->routine);
    }
    if (begun)
        kt_slow_end();
    return *text ? text : NULL;
}

static void load(void)
{
    const char *why = *wrong ? wrong : NULL;
    for (int i = 0; i < map.libraries && !why; i++)
        why = open_library(i);
    if (!why)
        why = check_routines();
    if (why) {
        mark_names(KT_MAPPED_NOT);
        kt_notice("KTRACE_MAP: ", why, "; calls go where they would without it");
    }
    atomic_store_explicit(&state, why ? NOTHING : LOADED, memory_order_release);
}

void kt_map_load(void)
{
    enum state due = DUE;
    if (!kt_beside_begin())
        return;
    if (atomic_compare_exchange_strong(&state, &due, LOADING))
        load();
    kt_beside_end();
}

void kt_map_after_fork(void)
{
    enum state loading = LOADING;
    kt_beside_after_fork();
    if (!kt_beside_is_begun())
        atomic_compare_exchange_strong(&state, &loading, DUE);
}

/* --- binding ----------------------------------------------------------------------------------------------- */

static int holder_of(uintptr_t where)
{
    for (int i = 0; i < map.libraries; i++)
        if (kt_beside_holds(&library[i], where))
            return i;
    return -1;
}

static bool is_blas_at(uintptr_t where, struct kt_loaded *object)
{
    return kt_objects_at(where, object) && kt_ask_is_blas(object);
}

static void tell_once(const struct kt_slot *slot, const char *name, bool mismatch)
{
    static bool told;
    char text[256];
    snprintf(text, sizeof text, "%s has no %s%s", name, kt_names_text(slot),
             mismatch ? " with the program's integers and complex results" : "");
    if (!told)
        kt_notice("KTRACE_MAP: ", text, "; such calls go where they would without it");
    told = true;
}

/* All routines that the rules name for it; false if one is not there. */
static bool find_targets(const struct kt_slot *slot, struct kt_map_way *way)
{
    for (int i = 0; i < map.rules; i++) {
        const struct kt_map_rule *rule = &map.rule[i];
        bool mismatch;
        if (strcmp(rule->routine, kt_texts + way->interface->routine) != 0 || rule->library == KT_MAP_OWN)
            continue;
        void **target = &way->target[rule->library];
        if (!*target)
            *target = kt_beside_find(&library[rule->library], slot, way->convention, &mismatch);
        if (!*target) {
            tell_once(slot, map.library[rule->library].name, mismatch);
            return false;
        }
    }
    return true;
}

/* A stub that nobody else has, for calls that were sent; NULL: there is none left. */
static void *stub_of(const struct kt_slot *named, void *target)
{
    int spare = kt_names_take_spare(named, target);
    if (spare < 0)
        return NULL;
    kt_slots[kt_slot_count + (unsigned)spare].mapped = KT_MAPPED_ALREADY;
    return spare_stub[spare];
}

static bool put_stubs(const struct kt_slot *named, struct kt_map_way *way)
{
    bool fine = true;
    for (int i = 0; i < map.libraries && fine; i++)
        if (way->target[i])
            fine = (way->target[i] = stub_of(named, way->target[i])) != NULL;
    return fine && (way->own = stub_of(named, way->own)) != NULL;
}

static void *make_entrance(const struct kt_slot *named, void *own, const struct kt_loaded *of, bool recorded)
{
    struct kt_map_way way = {.interface = kt_names_interface(named),
                             .convention = kt_beside_convention(of, kt_names_text(named)),
                             .own = own};
    if (entrances == KT_MAP_ENTRANCES || !find_targets(named, &way) || (recorded && !put_stubs(named, &way)))
        return NULL;
    const struct kt_map_step *first = kt_map_way_make(&map, &way);
    if (!first)
        return NULL;
    entrance[entrances].named = named;
    entrance[entrances].own = own;
    entrance[entrances].recorded = recorded;
    kt_map_way[entrances] = first;
#if defined(__x86_64__)
    return (void *)kt_map_entrance[entrances++];
#else
    return NULL;
#endif
}

static void *find_entrance(const struct kt_slot *named, const void *own, bool recorded)
{
#if defined(__x86_64__)
    for (int i = 0; i < entrances; i++)
        if (entrance[i].named == named && entrance[i].own == own && entrance[i].recorded == recorded)
            return (void *)kt_map_entrance[i];
#endif
    return NULL;
}

void *kt_map_send(const struct kt_slot *slot, void *target, uintptr_t where, bool recorded)
{
    struct kt_loaded object;
    const struct kt_slot *named = kt_names_slot(slot);
    if (!named->mapped || slot->mapped == KT_MAPPED_ALREADY || is_blas_at(where, &object) ||
        !is_blas_at((uintptr_t)target, &object))
        return NULL;
    void *found = find_entrance(named, target, recorded);
    return found ? found : make_entrance(named, target, &object, recorded);
}

void *kt_map_keep(const struct kt_slot *slot, void *target, uintptr_t where)
{
    struct kt_loaded object;
    bool mismatch;
    int holder = slot->mapped == KT_MAPPED_ALREADY ? -1 : holder_of(where);
    if (holder < 0 || holder_of((uintptr_t)target) == holder || !is_blas_at((uintptr_t)target, &object))
        return target;
    void *found = kt_beside_find(&library[holder], slot, kt_beside_convention(&object, kt_names_text(slot)), &mismatch);
    return found ? found : target;
}
