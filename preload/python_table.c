/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/python_table.h"

/* Pairs: so many bytes of code on, so many lines on. */
static int line_in_lnotab(const unsigned char *table, size_t bytes, int line, size_t at)
{
    size_t reached = 0;
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        reached += table[i];
        if (reached > at)
            break;
        line += (signed char)table[i + 1];
    }
    return line;
}

/* Pairs: the next so many bytes of code are so many lines on; -128: they have no line. */
static int line_in_ranges(const unsigned char *table, size_t bytes, int first, size_t at)
{
    enum { NO_LINE = -128 };
    size_t end = 0;
    int line = first;
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        int more = (signed char)table[i + 1];
        line += more == NO_LINE ? 0 : more;
        end += table[i];
        if (at < end)
            return more == NO_LINE ? first : line;
    }
    return first;
}

/* Six bits a byte, the lowest first; another byte follows if bit 6 is set. The sign is the lowest bit. */
static int signed_number(const unsigned char *table, size_t bytes, size_t i)
{
    unsigned value = 0;
    for (unsigned shift = 0; i < bytes && shift < 30; shift += 6) {
        value |= (table[i] & 63u) << shift;
        if (!(table[i++] & 64))
            break;
    }
    return value & 1 ? -(int)(value >> 1) : (int)(value >> 1);
}

/* An entry begins with a byte of which bit 7 is set, and has code and length in it. */
static int lines_on(const unsigned char *table, size_t bytes, size_t i)
{
    enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14 };
    unsigned code = table[i] >> 3 & 15;
    if (code >= ONE_LINE && code < NO_COLUMNS)
        return (int)code - ONE_LINE;
    return code == NO_COLUMNS || code == LONG ? signed_number(table, bytes, i + 1) : 0;
}

static int line_in_locations(const unsigned char *table, size_t bytes, int first, size_t at)
{
    enum { NONE = 15, UNIT = 2 };
    size_t end = 0;
    int line = first;
    for (size_t i = 0; i < bytes; i++) {
        if (!(table[i] & 128))
            continue; /* within an entry */
        line += lines_on(table, bytes, i);
        end += UNIT * ((table[i] & 7u) + 1);
        if (at < end)
            return (table[i] >> 3 & 15) == NONE ? first : line;
    }
    return first;
}

int kt_python_table_line(enum kt_python_table kind, const unsigned char *table, size_t bytes, int first, size_t at)
{
    switch (kind) {
    case KT_PYTHON_LNOTAB:
        return line_in_lnotab(table, bytes, first, at);
    case KT_PYTHON_RANGES:
        return line_in_ranges(table, bytes, first, at);
    default:
        return line_in_locations(table, bytes, first, at);
    }
}
