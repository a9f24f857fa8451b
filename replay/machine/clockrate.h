/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the core runs at this moment. Ticks of the time stamp counter are not cycles of the core: the one has a
 * constant rate, the other changes with load, temperature and kind of instructions. Without hardware counters, a chain
 * of additions tells: each needs the result of the one before and takes one cycle.
 *
 * Both operands are registers. Cores from Golden Cove on add small constants while they rename registers, several of
 * them in a cycle.
 */
#ifndef KT_CLOCKRATE_H
#define KT_CLOCKRATE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Cycles of the core per tick of the clock, from a chain that takes some microseconds, or some ten where the clock
 * ticks slowly; NAN where there is none for the processor.
 */
double kt_clockrate(void);

/*
 * Turns of the chain that take long enough to be timed, where one takes TICKS and a reading of the clock COST ticks; 0:
 * it would take too long. Time stamp counters may go in steps (24.5 ticks of a virtual EPYC), which COST is the bound
 * of.
 */
int kt_clockrate_turns(double ticks, double cost);

/* Cycles that so many ticks were, with the rate measured before and after them. */
double kt_clockrate_cycles(double ticks, double before, double after);

/* Have the two rates so little in common that the time between them belongs to neither? */
bool kt_clockrate_jumped(double before, double after);

#endif
