/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects of R as they lie in memory (R Internals, section 1.1), the same since R 3.5: a head of 32 bytes, whose first
 * word tells the type and whose second one points to the attributes; then what the type says. No pointer is followed
 * before what it points to was found to be readable and of its type.
 */
#ifndef KT_R_OBJECT_H
#define KT_R_OBJECT_H

#include "preload/readable.h"

/* Types, in the low bits of the first word. */
enum {
    KT_R_SYMBOL = 1,
    KT_R_PAIRS = 2,
    KT_R_CLOSURE = 3,
    KT_R_ENVIRONMENT = 4,
    KT_R_CALL = 6,
    KT_R_TEXT = 9,
    KT_R_INTEGERS = 13,
    KT_R_TEXTS = 16,
    KT_R_LIST = 19,
    KT_R_BYTECODE = 21,
    KT_R_TYPE_BITS = 5
};

/* Where things lie in an object: its attributes; a symbol's text; a pair's first, rest and tag, and the same of
 * bytecode: instructions, constants; a closure's environment; what encloses an environment, and its table; of vectors
 * and texts, how many there are and where. */
enum {
    KT_R_ATTRIBUTES = 8,
    KT_R_NAME = 32,
    KT_R_FIRST = 32,
    KT_R_REST = 40,
    KT_R_TAG = 48,
    KT_R_SCOPE = 48,
    KT_R_ENCLOSING = 40,
    KT_R_TABLE = 48,
    KT_R_LENGTH = 32,
    KT_R_BYTES = 48,
    KT_R_OBJECT = 56
};

static inline uint32_t kt_r_head(const char *object)
{
    uint32_t head;
    memcpy(&head, object, sizeof head);
    return head;
}

static inline bool kt_r_is_of_type(const char *object, unsigned type)
{
    return (kt_r_head(object) & ((1u << KT_R_TYPE_BITS) - 1)) == type;
}

/* The object that the pointer at AT points to, if it is of that type. */
static inline const char *kt_r_object_at(const char *at, unsigned type)
{
    const char *object = kt_readable_object(at, KT_R_OBJECT);
    return object && kt_r_is_of_type(object, type) ? object : NULL;
}

static inline size_t kt_r_length(const char *vector)
{
    size_t length;
    memcpy(&length, vector + KT_R_LENGTH, sizeof length);
    return length;
}

/* A vector whose elements are behind its head, and not elsewhere (ALTREP). */
static inline const char *kt_r_vector_at(const char *at, unsigned type)
{
    enum { ELSEWHERE = 1 << 7 };
    const char *vector = kt_r_object_at(at, type);
    return vector && !(kt_r_head(vector) & ELSEWHERE) ? vector : NULL;
}

/* Where element I of so many BYTES is; NULL if there is none. */
static inline const char *kt_r_element(const char *vector, size_t i, size_t bytes)
{
    enum { MOST = 1 << 28 };
    if (i >= kt_r_length(vector) || i >= MOST)
        return NULL;
    const char *at = vector + KT_R_BYTES + i * bytes;
    return kt_readable(at, bytes) ? at : NULL;
}

/* Where the attribute of that name is; NULL if there is none. */
static inline const char *kt_r_attribute(const char *object, const char *symbol)
{
    enum { MOST = 8 };
    const char *pair = kt_r_object_at(object + KT_R_ATTRIBUTES, KT_R_PAIRS);
    for (int i = 0; pair && i < MOST; i++) {
        if (kt_readable_pointer(pair + KT_R_TAG) == symbol)
            return pair + KT_R_FIRST;
        pair = kt_r_object_at(pair + KT_R_REST, KT_R_PAIRS);
    }
    return NULL;
}

static inline bool kt_r_is_text(const char *text, const char *expected)
{
    const size_t bytes = strlen(expected);
    return kt_r_length(text) == bytes && kt_readable(text + KT_R_BYTES, bytes) &&
           !memcmp(text + KT_R_BYTES, expected, bytes);
}

#endif
