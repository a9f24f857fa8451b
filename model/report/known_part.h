/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a sentence may say of a part of the time: what the places add up to whose own part is told. A place of which a
 * page prints "?" adds nothing but the time that is not known. Pure functions.
 */
#ifndef KT_KNOWN_PART_H
#define KT_KNOWN_PART_H

#include "model/decomposition/decomposition.h"

struct kt_known_part {
    struct kt_time share; /* of the time of all calls; the ends of the places' intervals are added, too */
    double unknown;       /* the part of that time in places that do not tell it */
    size_t most;          /* the place that has most of it; SIZE_MAX: none has any */
    double of_most;       /* its share */
};

/* Parts of less than that are not told of the whole program. */
extern const double kt_known_part_worth_words;

struct kt_known_part kt_known_part_begin(void);

/* PLACE takes so much of the time of all calls, and PART is a part of that as its bar has it. */
void kt_known_part_add(struct kt_known_part *known, size_t place, double share, const struct kt_time *part, bool told);

/* Is it known, large enough to matter for certain, and no more than the calls that it is a part of? */
bool kt_known_part_is_worth_words(const struct kt_known_part *known);

/* "; 25 % unknown", or "" where that is less than 1 %. Returns TEXT. */
enum { KT_UNKNOWN_TEXT = 24 };
const char *kt_known_part_unknown(const struct kt_known_part *known, char text[KT_UNKNOWN_TEXT]);

#endif
