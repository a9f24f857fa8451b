/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/report/known_part.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

const double kt_known_part_worth_words = 0.1;
static const double at_least = 0.05;
static const double worth_a_number = 0.01;

struct kt_known_part kt_known_part_begin(void)
{
    return (struct kt_known_part){.most = SIZE_MAX};
}

void kt_known_part_add(struct kt_known_part *known, size_t place, double share, const struct kt_time *part, bool told)
{
    if (!told) {
        known->unknown += share;
        return;
    }
    known->share.value += share * part->value;
    known->share.lo += share * part->lo;
    known->share.hi += share * part->hi;
    if (share * part->value > known->of_most) {
        known->most = place;
        known->of_most = share * part->value;
    }
}

bool kt_known_part_is_worth_words(const struct kt_known_part *known)
{
    const struct kt_time *share = &known->share;
    return share->value > kt_known_part_worth_words && share->lo > at_least && share->value <= 1 &&
           kt_decomposition_is_told(share);
}

const char *kt_known_part_unknown(const struct kt_known_part *known, char text[KT_UNKNOWN_TEXT])
{
    *text = '\0';
    if (known->unknown >= worth_a_number)
        snprintf(text, KT_UNKNOWN_TEXT, "; %.0f %% unknown", 100 * known->unknown);
    return text;
}
