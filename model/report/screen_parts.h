/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of a time as the page of one screen, its JSON and the page for a browser tell them: parts of all seconds of
 * the calls, those that were not replayed among them. Pure functions.
 */
#ifndef KT_SCREEN_PARTS_H
#define KT_SCREEN_PARTS_H

#include "model/decomposition/paired.h"

/*
 * All parts that pages draw. Columns: name; its mark in bars; its name in JSON; its name in legends. MACHINE is a part
 * of what the decomposition calls the residual. UNEVEN, the last, is one of pairs only (ktrace explain).
 */
#define KT_SCREEN_PARTS_LIST(X)                 \
    X(BOUND, '#', "bound", "hardware")          \
    X(LIBRARY, '=', "library", "library")       \
    X(CACHE, '~', "cache", "cache")             \
    X(CONTENTION, '&', "contention", "threads") \
    X(MACHINE, '+', "machine", "machine")       \
    X(REST, '.', "residual", "rest")            \
    X(UNSPLIT, '*', "unsplit", "cache-or-rest") \
    X(UNEVEN, ':', "uneven", "slower-calls")

enum kt_screen_part {
#define KT_SCREEN_ENUM(name, mark, key, text) KT_SCREEN_##name,
    KT_SCREEN_PARTS_LIST(KT_SCREEN_ENUM)
#undef KT_SCREEN_ENUM
        KT_SCREEN_MARKS,
    KT_SCREEN_PARTS = KT_SCREEN_UNEVEN /* of a report */
};
extern const char kt_screen_parts_mark[];
extern const char *const kt_screen_parts_key[];  /* in JSON */
extern const char *const kt_screen_parts_name[]; /* in text */

/* A bar with its parts in words, as shares of its place's time. Which marks it used, "?" among them, is added to MARKS.
 */
struct kt_screen_part_told {
    struct kt_time share;
    enum kt_paired_sign sign;
};
struct kt_screen_marks {
    bool used[KT_SCREEN_MARKS], unknown;
};
void kt_screen_parts_bar(const struct kt_screen_part_told part[KT_SCREEN_MARKS], struct kt_screen_marks *marks);

/* The line below the bars: what the marks stand for that they used. */
void kt_screen_parts_legend(const struct kt_screen_marks *marks);

/* As parts of SECONDS; of one of them with its interval. */
void kt_screen_parts_find(const struct kt_decomposition *d, double seconds, double part[KT_SCREEN_PARTS]);
struct kt_time kt_screen_parts_time(const struct kt_decomposition *d, int part, double seconds);

/* Where the replays were slower than the program by more than what is worth words, they met the machine in another
 * state, and nothing is known of any part. */
bool kt_screen_parts_is_told(const struct kt_decomposition *d, int part, double seconds);

/* What its bar says: the part; nothing, as it is nearly 0 or there is none; "?". */
enum kt_paired_sign kt_screen_parts_sign(const struct kt_decomposition *d, int part, double seconds);

#endif
