/* SPDX-License-Identifier: BSD-3-Clause */
/* What recording costs, as preload/cost.c has measured it. */
#ifndef KT_PRICE_H
#define KT_PRICE_H

#include "ktrace/format.h"
#include "preload/line.h"

enum { KT_PRICE_FRACTIONS = 10 /* of a tick */ };

extern KT_HIDDEN uint64_t kt_prices[KT_PRICE_COUNT]; /* in fractions of a tick */

/* Ticks that recording a call takes, whose arguments are not those of the call before: the mean of both ways. */
KT_HIDDEN uint64_t kt_price_of_call(void);

/* Lines of meta. */
KT_HIDDEN void kt_price_fields(struct kt_line *line);

#endif
