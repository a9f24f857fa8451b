/* SPDX-License-Identifier: BSD-3-Clause */
/* Exported names and where their calls go, as the stubs and the way of a call see them (preload/bind.c makes them). */
#ifndef KT_BINDING_H
#define KT_BINDING_H

#include "preload/attributes.h"
#include "preload/sizes.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where calls of one symbol go that come from one range of code. Never freed; only UNLOADS changes once published. */
struct kt_binding {
    uintptr_t lo, bytes; /* the calling object's code */
    void *target;        /* the routine that this caller would have reached without us */
    bool passes;    /* its calls are none of ours: the stub jumps to TARGET (preload/stub.h knows what is up to here) */
    bool wide;      /* the library's integers have 64 bits */
    uint16_t entry; /* of the trace; 0 is none */
    const struct kt_interface *interface; /* of the name; preload/names.h */
    bool hidden_result;       /* a complex result is stored through a first argument that the source does not show */
    bool nameless;            /* the trace cannot name it: its calls are lost, CAUSE says why */
    uint8_t cause;            /* enum kt_loss */
    bool by_jump;             /* its calls leave us as if we were not here: of somebody else's function, or by a map */
    _Atomic unsigned unloads; /* void unless this is how often objects were unloaded */
    struct kt_binding *next;
};

/* Does a map of libraries (preload/map.h) say where calls of the name go? Not once more where it has said so. */
enum kt_mapped { KT_MAPPED_NOT, KT_MAPPED, KT_MAPPED_ALREADY };

/*
 * One per interposed name, in a cache line. All are zeros at first, so loading the library neither relocates nor
 * touches them. LO to PASSES are a copy of one binding for the stub: of the first caller whose calls are passed on, or
 * nest in others. Only BYTES changes once they are stored; 0: they do not count.
 */
struct kt_slot {
    _Alignas(64) _Atomic uintptr_t recent; /* the binding used last, as its distance from kt_unbound */
    _Atomic(struct kt_binding *) all;
    uintptr_t lo;
    _Atomic uintptr_t bytes;
    void *target;
    bool passes;
    uint8_t mapped; /* enum kt_mapped */
};

extern KT_HIDDEN struct kt_slot kt_slots[];
extern KT_HIDDEN const struct kt_binding kt_unbound; /* matches no caller */
extern KT_HIDDEN _Atomic uint64_t kt_some_pass;      /* not 0: there is a binding that passes calls on */

static inline void kt_set_recent(struct kt_slot *slot, const struct kt_binding *binding)
{
    atomic_store(&slot->recent, (uintptr_t)binding - (uintptr_t)&kt_unbound);
}

/* The binding that was used last, if it is for this caller; otherwise NULL. */
static inline const struct kt_binding *kt_recent_binding(const struct kt_slot *slot, const void *caller)
{
    uintptr_t recent = atomic_load_explicit(&slot->recent, memory_order_acquire);
    const struct kt_binding *binding = (const struct kt_binding *)((uintptr_t)&kt_unbound + recent);
    return KT_LIKELY((uintptr_t)caller - binding->lo < binding->bytes) ? binding : NULL;
}

#endif
