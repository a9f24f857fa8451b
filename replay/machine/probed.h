/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `ktrace probe` found about this machine, in the terms of replay: measured at leisure, and once for all verbs.
 * Where there is no machine file, or it does not know, replay asks the system and measures itself.
 */
#ifndef KT_PROBED_H
#define KT_PROBED_H

#include "replay/machine/peak.h"
#include "model/tracker/placement.h"
#include "trace/command/machine.h"

/* Sizes of CACHES become those that programs can use without a penalty, as far as MACHINE knows them, and the line.
 * Levels are those that the system names: who shares them is not measured. Not the last one: what others leave of it
 * changes by the minute (kt_hierarchy_usable). Returns how many sizes are known. */
unsigned kt_probed_caches(const struct kt_machine *machine, struct kt_caches *caches);

/* Peaks of so many threads, if MACHINE has all that is needed: of one thread. False, and OUT is left alone, if not. */
bool kt_probed_peaks(const struct kt_machine *machine, int threads, struct kt_peaks *out);

#endif
