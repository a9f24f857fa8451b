/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace that is being written, looked at again and again: what was called since the look before, from two reports of
 * it. Reports are of what is committed by then, so that the program is not asked for anything.
 */
#ifndef KT_WATCHED_H
#define KT_WATCHED_H

#include "model/report/report.h"
#include "trace/command/document.h"

/* A routine or a line. */
struct kt_watched_row {
    char name[96];
    uint64_t calls;        /* since the look before */
    double seconds, flops; /* likewise; NAN: operations are not known */
    uint64_t all_calls;    /* since the program began */
    double all_seconds, all_flops;
};

struct kt_watched_rows {
    struct kt_watched_row *row; /* most time since the look before first, then in all; owned */
    size_t count;
};

struct kt_watched {
    double at;   /* of the clock of this machine; 0: there was no look before */
    double wall; /* seconds since the look before, or since the program began */
    double all_wall;
    struct kt_watched_row all;
    bool is_running;
    size_t running, paused;                 /* processes; PAUSED: of those that run */
    uint32_t paused_pid;                    /* of the first of them */
    struct kt_watched_rows routines, lines; /* outermost calls, threads added */
};

/* NOW: what the clock says. BEFORE: the look before, of zeros if there was none. */
void kt_watched_look(const struct kt_report *report, double now, const struct kt_watched *before,
                     struct kt_watched *out);
void kt_watched_free(struct kt_watched *watched);

/* PATH: as the user named it. Tables of at most TOP rows. */
void kt_watched_print(const struct kt_watched *watched, const char *path, size_t top);
json_t *kt_watched_json(const struct kt_watched *watched);

#endif
