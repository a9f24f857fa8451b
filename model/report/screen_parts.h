/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of a time as the page of one screen, its JSON and the page for a browser tell them: parts of all seconds of
 * the calls, those that were not replayed among them. Pure functions.
 */
#ifndef KT_SCREEN_PARTS_H
#define KT_SCREEN_PARTS_H

#include "model/decomposition/decomposition.h"

/* MACHINE is a part of what the decomposition calls the residual. */
enum kt_screen_part {
    KT_SCREEN_BOUND,
    KT_SCREEN_LIBRARY,
    KT_SCREEN_CACHE,
    KT_SCREEN_CONTENTION,
    KT_SCREEN_MACHINE,
    KT_SCREEN_REST,
    KT_SCREEN_UNSPLIT,
    KT_SCREEN_PARTS
};
extern const char kt_screen_parts_mark[];
extern const char *const kt_screen_parts_name[];
extern const char *const kt_screen_parts_key[]; /* in JSON */

/* Parts of less than that are not told of the whole program. */
extern const double kt_screen_parts_worth_words;

/* As parts of SECONDS; of one of them with its interval. */
void kt_screen_parts_find(const struct kt_decomposition *d, double seconds, double part[KT_SCREEN_PARTS]);
struct kt_time kt_screen_parts_time(const struct kt_decomposition *d, int part, double seconds);

/* Where the replays were slower than the program by more than what is worth words, they met the machine in another
 * state, and nothing is known of any part. */
bool kt_screen_parts_is_told(const struct kt_decomposition *d, int part, double seconds);

#endif
