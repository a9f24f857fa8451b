/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the tools. A tool that runs out of memory can do nothing useful, so it stops; the shim, which must not,
 * never uses this.
 */
#ifndef KT_MEMORY_H
#define KT_MEMORY_H

#include <stdlib.h>
#include <string.h>

/* Like reallocarray, but never NULL. */
static inline void *kt_resize(void *old, size_t count, size_t bytes)
{
    void *memory = reallocarray(old, count ? count : 1, bytes);
    if (!memory)
        abort();
    return memory;
}

static inline void *kt_zeros(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes);
    if (!memory)
        abort();
    return memory;
}

static inline char *kt_copy(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        abort();
    return copy;
}

/* Room for one more element behind COUNT of them, by doubling; capacities are the powers of two. */
static inline void *kt_room_for_one(void *array, size_t count, size_t bytes)
{
    return count & (count - 1) ? array : kt_resize(array, count ? 2 * count : 1, bytes);
}

/* COUNT elements from somewhere else, as kt_room_for_one() would have them. To be freed. */
static inline void *kt_copy_of_array(const void *from, size_t count, size_t bytes)
{
    size_t capacity = 1;
    while (capacity < count)
        capacity *= 2;
    void *copy = kt_resize(NULL, capacity, bytes);
    return count ? memcpy(copy, from, count * bytes) : copy;
}

#endif
