/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In front of the memory handed out is room for what malloc() returned, at the highest address below that is aligned
 * for a pointer: found from the address handed out alone.
 */
#include "replay/call/amalloc.h"

#include <stdint.h>
#include <stdlib.h>

static void **slot_of(uintptr_t address)
{
    uintptr_t slot = address - sizeof(void *);
    return (void **)(slot - slot % sizeof(void *));
}

/* The first address with room in front of it that is a multiple of ALIGN, and not of MISALIGN. If the first multiple
 * of ALIGN is one of MISALIGN, the next is not, as MISALIGN is larger. */
static uintptr_t choose(uintptr_t memory, size_t align, size_t misalign)
{
    uintptr_t last = memory + 2 * sizeof(void *) + align;
    uintptr_t address = last - last % align;
    return misalign && address % misalign == 0 ? address + align : address;
}

void *kt_amalloc(size_t size, size_t align, size_t misalign)
{
    size_t extra;
    size_t bytes;
    if (align == 0 || (misalign && misalign <= align))
        return NULL;
    if (__builtin_mul_overflow(align, misalign ? 2u : 1u, &extra) ||
        __builtin_add_overflow(extra, 2 * sizeof(void *), &extra) || __builtin_add_overflow(size, extra, &bytes))
        return NULL;
    void *memory = malloc(bytes);
    if (!memory)
        return NULL;
    uintptr_t address = choose((uintptr_t)memory, align, misalign);
    *slot_of(address) = memory;
    return (void *)address;
}

void kt_afree(void *memory)
{
    if (memory)
        free(*slot_of((uintptr_t)memory));
}
