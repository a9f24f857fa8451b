/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a call finds its way by a map of libraries: a chain of steps, each a few instructions on one argument, of which
 * the last jumps to the routine (preload/map_ops.S). No argument register changes, nothing is stored.
 */
#ifndef KT_MAP_OPS_H
#define KT_MAP_OPS_H

#include "preload/sizes.h"

#ifndef __ASSEMBLER__
#include "preload/attributes.h"

#include <stddef.h>
#include <stdint.h>

/* What a step does with the value of an argument. */
enum kt_map_op { KT_MAP_TEST, KT_MAP_TAKE, KT_MAP_TIMES, KT_MAP_TIMES_TEST, KT_MAP_OPS };

/* What the word of an argument is: an address of a number or a letter, or these themselves. A code is told by its byte.
 */
enum kt_map_value {
    KT_MAP_REF32,
    KT_MAP_REF64,
    KT_MAP_INT32,
    KT_MAP_INT64,
    KT_MAP_REF_LETTER,
    KT_MAP_LETTER,
    KT_MAP_CODE,
    KT_MAP_VALUES
};

struct kt_map_step {
    const void *code;               /* kt_map_op_code, or kt_map_op_end */
    int64_t low;                    /* the test: the value, or the product so far, is LOW to LOW + SPAN; */
    uint64_t span;                  /* */
    const struct kt_map_step *fail; /* where to go on if not; otherwise the step behind this one is next */
    void *target;                   /* of the last step */
    int64_t place;                  /* of a word on the stack, in bytes from the return address */
};

_Static_assert(offsetof(struct kt_map_step, low) == KT_MAP_LOW && offsetof(struct kt_map_step, span) == KT_MAP_SPAN &&
                   offsetof(struct kt_map_step, fail) == KT_MAP_FAIL &&
                   offsetof(struct kt_map_step, target) == KT_MAP_TARGET &&
                   offsetof(struct kt_map_step, place) == KT_MAP_PLACE && sizeof(struct kt_map_step) == KT_MAP_STEP,
               "preload/map_ops.S");

/* Words in registers come first, then one row for all that are on the stack. */
enum { KT_MAP_REGISTERS = 6, KT_MAP_PLACES = KT_MAP_REGISTERS + 1 };

extern KT_HIDDEN const void *const kt_map_op_code[KT_MAP_OPS][KT_MAP_VALUES][KT_MAP_PLACES];
extern KT_HIDDEN const unsigned char kt_map_op_end[];

/* Entrance I goes to the first step kt_map_way[I]. */
extern KT_HIDDEN const struct kt_map_step *kt_map_way[KT_MAP_ENTRANCES];
extern KT_HIDDEN const unsigned char kt_map_entrance[][KT_MAP_ENTRANCE_BYTES];
#endif
#endif
