/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times as they are added up: copies of those that were measured, with the corrections of replay/compare/corrections.h
 * that change the time of a shape.
 */
#ifndef KT_CORRECTED_H
#define KT_CORRECTED_H

#include "replay/compare/comparison.h"

/* Sets c->corrected, anew if it is there. */
void kt_corrected_make(struct kt_comparison *comparison);
void kt_corrected_free(struct kt_comparison *comparison);

/*
 * Windows hold a part of a shape's calls, and these may have met another context than most: of 2,262 calls of a daxpy
 * the six that follow a long call took four times as long. By how much they stand out the program's times say; as these
 * scatter more than replays do, replays are moved towards what the mean call takes, and not beyond. COUNT, ALL and
 * REPLAYED: seconds of the calls that count and of all in the program, and of the former replayed, at the program's
 * pace; the result is a factor. Pure.
 */
double kt_corrected_windows(double count, double all, double replayed);

/*
 * A window begins with operands that were just filled, and what leads to its calls is short: a call whose matrix was in
 * a cache in the program may find it in memory. By so many seconds a call is then replayed too slow, which is what
 * reading its operands takes, on any library; 0 where the machine's pace may explain the difference. INSITU: of those
 * calls, at the pace of the replay. Pure.
 */
double kt_corrected_cold(double insitu, double replayed);

#endif
