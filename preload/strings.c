/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the C library for texts, once more and for ourselves. A sanitizer stands in front of the library's, and
 * looks up what it stands in front of before its own work: the look-ups of a program that begins come to us.
 */
#include "preload/shim.h"

#include <string.h>

KT_HIDDEN int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

KT_HIDDEN int strncmp(const char *a, const char *b, size_t count)
{
    for (; count && *a && *a == *b; a++, b++, count--)
        ;
    return count ? *(const unsigned char *)a - *(const unsigned char *)b : 0;
}

KT_HIDDEN size_t strlen(const char *text)
{
    const char *end = text;
    while (*end)
        end++;
    return (size_t)(end - text);
}
