/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two steps that the methods of paper 003 (analysis.h) do not find on recorded curves of real machines: pure functions
 * of at most 64 points. tests/unit/test_congruent.c has the curves.
 */
#ifndef KT_PROBE_STEPS_H
#define KT_PROBE_STEPS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Costs of pairs of loads, at a distance that doubles from point to point. From the distance of a page on, the second
 * load needs a translation of its own: the biggest relative step, and it stays. Other steps, of what is fetched along
 * with a line, are smaller; one almost as big makes it doubtful. (Paper 003 looks for the end of the rise with the
 * stride, which page tables that share a cache line blur.) The index of the first point after it; 0: there is none.
 */
size_t kt_page_step(const double *y, size_t n, double *confidence);

/*
 * MEASURED: what kt_page_step says, in bytes; SYSTEM: a page as the system has it. A TLB may have one entry for pages
 * that are neighbours, as those of AMD have: then what was measured is how far an entry reaches, *JOINED, and the page
 * is the system's. *JOINED is 0 if an entry has one page.
 */
size_t kt_page_of(size_t measured, size_t system, size_t *joined);

/* Is the end of a level of latency where that many entries of a TLB reach, of pages of so many bytes? */
bool kt_is_tlb_reach(double bytes, double entries, double page);

/*
 * Costs of an addition with ever more variables, which only ever lets more of them run at the same time, until some
 * variables are in memory. So the step is the first point after which all cost more than the least up to it, by more
 * than a tenth and more than the noise. (The biggest step, as in paper 003, is often one of those further up: what is
 * spilled how often depends on the number.) Its index; -1: there is none.
 */
int kt_live_step(const double *y, size_t n, double *confidence);

#endif
