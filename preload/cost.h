/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What recording costs, measured in the process by the way that its calls go: calls of routines that do nothing, less
 * what they take without us. Routines and arguments come irregularly: in a loop of one call the processor foresees all,
 * and recording seems to take two thirds of what it takes in programs.
 */
#ifndef KT_COST_H
#define KT_COST_H

#include "preload/shim.h"

/* At the start, when calls are recorded as they will be. */
KT_HIDDEN void kt_cost_measure(void);

#endif
