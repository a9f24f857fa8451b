/* SPDX-License-Identifier: BSD-3-Clause */
/* How parts of a time are printed on pages of one screen. */
#ifndef KT_PART_WORDS_H
#define KT_PART_WORDS_H

#include "model/decomposition/decomposition.h"

/* Appends " #62%" to the text, which has so many bytes of room; " #62+-12%" if the interval is wider than what rounding
 * hides; " #?" if it is not TOLD. Returns how many bytes. */
size_t kt_part_words(char mark, const struct kt_time *part, bool told, char *out, size_t size);

#endif
