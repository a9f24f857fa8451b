/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/ratio_text.h"

#include "trace/print/text.h"

#include <stdio.h>

const char *kt_ratio_interval_text(const struct kt_ratio *r, char *out)
{
    char text[2][16];
    snprintf(out, KT_RATIO_TEXT, "%s to %s", kt_text_ratio(r->lo, text[0]), kt_text_ratio(r->hi, text[1]));
    return out;
}

const char *kt_ratio_text(const struct kt_ratio *r, char *out)
{
    char value[16];
    char interval[KT_RATIO_TEXT];
    snprintf(out, KT_RATIO_TEXT, "%s (%.40s)", kt_text_ratio(r->value, value), kt_ratio_interval_text(r, interval));
    return out;
}
