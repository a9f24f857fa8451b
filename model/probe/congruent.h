/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways and size of a cache that is indexed by physical addresses, which a program does not know, and which are
 * scattered in a virtual machine even within huge pages. The lowest bits of an address are the same in both: lines at
 * the same place of their pages differ by the colour of the page only, and those of one colour fall into one set.
 *
 * Of many pages lines are taken away as long as the cache cannot hold the rest: what remains are one more lines of one
 * set than there are ways (eviction sets; group testing as by Vila, Koepf and Morales, Theory and practice of finding
 * eviction sets, 2019; adopted for virtual machines in CacheX, 2025). How many other pages complete such a set tells
 * the number of colours, and both tell the size.
 */
#ifndef KT_CONGRUENT_H
#define KT_CONGRUENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kt_pages_walker {
    /* Whether loads of the line at one place of each of these pages, over and over, cost more than the cache in
     * question does: numbers from 0 to PAGES - 1. */
    bool (*overflows)(void *machine, const uint32_t *page, size_t n);
    void *machine;
    size_t pages; /* that there are */
    size_t page;  /* bytes */
    size_t most;  /* pages that more than fill the cache: where the search begins */
    uint64_t seed;
};

struct kt_congruent {
    int overflows;     /* searches that had more lines than fit, to begin with; 0: nothing can be found */
    int ways;          /* 0: not found */
    double colours;    /* a power of two; 0: not found */
    double bytes;      /* ways * colours * page; 0: not found */
    double confidence; /* 0 to 1 */
};

void kt_congruent_find(const struct kt_pages_walker *walker, struct kt_congruent *out);

/* The power of two that is the number of colours if FOUND of TRIED pages have a given one; 0: between two. */
double kt_colours_of(size_t found, size_t tried);

#endif
