/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the generator knows of every exported name (build/gen/slots.c). A name has a slot of the same number; the names
 * of one symbol (dgemm_, dgemm, dgemm_64_, ...) share its interface.
 */
#ifndef KT_NAMES_H
#define KT_NAMES_H

#include "preload/binding.h"

_Static_assert(sizeof(struct kt_slot) == KT_SLOT_BYTES, "preload/stub.h");

enum kt_kind { KT_CHAR, KT_ENUM, KT_INT, KT_FLOAT, KT_DOUBLE, KT_CFLOAT, KT_CDOUBLE, KT_ADDRESS };

/* Where an argument is found: words are integer registers and then the stack, numbers floating-point registers. */
enum kt_passed { KT_IN_WORD, KT_IN_NUMBER, KT_BEHIND_WORD, KT_AFTERWARDS /* behind a word, when done */, KT_RETURNED };

/*
 * The steps of an interface stand in this order, so that those that most arguments need are loops that do one thing:
 * addresses, integers behind addresses, letters behind addresses, all else, and last what the routine tells when it is
 * done (KT_AFTERWARDS, KT_RETURNED).
 */

/* One argument of an interface: what it is, how it is passed, which word or number, its place in the record. */
struct kt_step {
    uint8_t kind, passed;
    uint8_t index;
    uint16_t offset;
};

struct kt_interface {
    uint32_t routine, family;                            /* texts */
    uint32_t step;                                       /* its first */
    uint8_t addresses, integers, letters, others, infos; /* how many steps of each kind; infos: 0 or 1 */
    uint16_t arg_bytes;
    uint16_t words; /* that the arguments take, hidden lengths included */
    char view[14];
    bool returns_complex;
    bool undescribed; /* nothing is known but the name */
};

struct kt_slot_info {
    uint32_t name; /* text */
    uint16_t interface;
    bool common;   /* a name that functions of other people may have too: dgemm, DGEMM */
    bool compiled; /* its stub leads to a compiled wrapper */
};

/* How many steps come before that of what the routine tells when it is done. */
static inline unsigned kt_steps_before(const struct kt_interface *interface)
{
    return (unsigned)interface->addresses + interface->integers + interface->letters + interface->others;
}

extern KT_HIDDEN const char kt_texts[]; /* texts are offsets into it */
extern KT_HIDDEN const struct kt_step kt_steps[];
extern KT_HIDDEN const char kt_step_names[][8]; /* by step: of sizes and options; others have none */
extern KT_HIDDEN const struct kt_interface kt_interfaces[];
extern KT_HIDDEN const struct kt_slot_info kt_slot_infos[]; /* sorted by name */
extern KT_HIDDEN const unsigned kt_slot_count;              /* without the spare ones */

/* What preload/redirect.c has handed out for functions that no name leads to: by spare slot. */
struct kt_spares {
    unsigned used;
    uint16_t named[KT_SPARE_SLOTS]; /* the slot whose name it has */
    void *target[KT_SPARE_SLOTS];
};
extern KT_HIDDEN struct kt_spares kt_spares;
extern KT_HIDDEN unsigned char kt_spare_stubs[][KT_STUB_BYTES]; /* theirs (preload/stub.h) */

/* The number of a spare slot for a function that was found by that name; -1: there is none left. Within a slow path. */
KT_HIDDEN int kt_names_take_spare(const struct kt_slot *named, void *target);

/* The slot whose name a slot has: its own, unless it is a spare one. */
KT_HIDDEN const struct kt_slot *kt_names_slot(const struct kt_slot *slot);

/* Where all calls through a spare slot go; NULL: it is none. */
KT_HIDDEN void *kt_names_target(const struct kt_slot *slot);

/* What the name of a slot is, and how it is called. */
KT_HIDDEN const struct kt_slot_info *kt_names_info(const struct kt_slot *slot);
KT_HIDDEN const char *kt_names_text(const struct kt_slot *slot);
KT_HIDDEN const struct kt_interface *kt_names_interface(const struct kt_slot *slot);

/* The slot of an exported name, NULL if there is none. */
KT_HIDDEN struct kt_slot *kt_names_find(const char *name);

#endif
