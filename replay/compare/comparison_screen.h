/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison on one screen: libraries, the heaviest shapes, what that means; and, below all else, what to do next. */
#ifndef KT_COMPARISON_SCREEN_H
#define KT_COMPARISON_SCREEN_H

#include "replay/compare/comparison.h"

void kt_comparison_screen(const struct kt_comparison *comparison);
void kt_comparison_screen_next(const struct kt_comparison *comparison);

#endif
