/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/right/guard.h"

#include <stdio.h>
#include <string.h>

unsigned char kt_filling(int which)
{
    return which ? 0xff : 0x3f;
}

struct kt_operand kt_operand_in(const struct kt_image *image, const struct kt_operand *operand)
{
    struct kt_operand o = *operand;
    uint64_t shift = (uint64_t)image->byte - image->start;
    o.base += shift;
    o.lo += shift;
    o.hi += shift;
    return o;
}

/* WORK becomes what memory should be after the call: as before, but for what may be written, which is as it is now. */
static void expect(const struct kt_image *before, const struct kt_image *after, const struct kt_image *work,
                   const struct kt_operand *operand, int count)
{
    memcpy(work->byte, before->byte, before->bytes);
    for (int i = 0; i < count; i++) {
        int64_t runs =
            operand[i].access == KT_READ || operand[i].lo == operand[i].hi ? 0 : kt_operand_runs(&operand[i]);
        for (int64_t run = 0; run < runs; run++) {
            uint64_t lo, hi;
            kt_operand_run(&operand[i], run, &lo, &hi);
            if (lo < hi)
                memcpy(work->byte + (lo - work->start), after->byte + (lo - after->start), hi - lo);
        }
    }
}

static uint64_t first_difference(const struct kt_image *a, const struct kt_image *b)
{
    enum { PAGE = 4096 };
    uint64_t i = 0;
    while (i + PAGE <= a->bytes && !memcmp(a->byte + i, b->byte + i, PAGE))
        i += PAGE;
    while (i < a->bytes && a->byte[i] == b->byte[i])
        i++;
    return i;
}

static uint64_t distance(const struct kt_operand *o, uint64_t address)
{
    return address < o->lo ? o->lo - address : address >= o->hi ? address - o->hi : 0;
}

/* Inside of an operand's range there is what belongs to it, and what is between its columns or elements. */
static bool belongs(const struct kt_operand *o, uint64_t address)
{
    int64_t runs = kt_operand_runs(o);
    for (int64_t run = 0; run < runs; run++) {
        uint64_t lo, hi;
        kt_operand_run(o, run, &lo, &hi);
        if (address >= lo && address < hi)
            return true;
    }
    return false;
}

/* The one of those that are referenced or not that is nearest to the address. */
static const struct kt_operand *find_nearest(const struct kt_operand *operand, int count, uint64_t address,
                                             bool referenced)
{
    const struct kt_operand *nearest = NULL;
    for (int i = 0; i < count; i++)
        if ((operand[i].lo != operand[i].hi) == referenced &&
            (!nearest || distance(&operand[i], address) < distance(nearest, address)))
            nearest = &operand[i];
    return nearest;
}

/* Operands that are not referenced have places on a page of their own (replay/call/arena.h). */
static void describe(const struct kt_operand *operand, int count, uint64_t address, char *text, size_t size)
{
    const struct kt_operand *nearest = find_nearest(operand, count, address, true);
    const struct kt_operand *unused = find_nearest(operand, count, address, false);
    if (unused && address >= unused->base && (!nearest || distance(unused, address) < distance(nearest, address))) {
        snprintf(text, size, "writes to %s, which is not referenced", unused->name);
    } else if (!nearest) {
        snprintf(text, size, "writes to memory though the call has no operands");
    } else if (address < nearest->lo) {
        snprintf(text, size, "writes %llu bytes before %s", (unsigned long long)(nearest->lo - address), nearest->name);
    } else if (address >= nearest->hi) {
        snprintf(text, size, "writes behind the end of %s, %llu bytes from there", nearest->name,
                 (unsigned long long)(address - nearest->hi));
    } else if (belongs(nearest, address)) {
        snprintf(text, size, "writes to %s, which is only read", nearest->name);
    } else {
        uint64_t element = (address - nearest->base) / nearest->elem;
        uint64_t ld = nearest->ld > 1 ? (uint64_t)nearest->ld : 1;
        snprintf(text, size,
                 "writes to what is between the columns of %s or not referenced: row %llu, column %llu of the array",
                 nearest->name, (unsigned long long)(element % ld), (unsigned long long)(element / ld));
    }
}

bool kt_guard_broken(const struct kt_image *before, const struct kt_image *after, const struct kt_image *work,
                     const struct kt_operand *operand, int count, char *text, size_t size)
{
    expect(before, after, work, operand, count);
    uint64_t at = first_difference(work, after);
    if (at == after->bytes)
        return false;
    describe(operand, count, after->start + at, text, size);
    return true;
}
