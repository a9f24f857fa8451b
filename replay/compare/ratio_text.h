/* SPDX-License-Identifier: BSD-3-Clause */
/* Ratios as people read them, in all tables and sentences: kt_text_ratio() with the interval. */
#ifndef KT_RATIO_TEXT_H
#define KT_RATIO_TEXT_H

#include "replay/compare/ratio.h"

enum { KT_RATIO_TEXT = 64 }; /* bytes that OUT holds */

/* "1.27 to 1.52" */
const char *kt_ratio_interval_text(const struct kt_ratio *ratio, char *out);
/* "1.34 (1.27 to 1.52)" */
const char *kt_ratio_text(const struct kt_ratio *ratio, char *out);

#endif
