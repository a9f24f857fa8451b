/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process that plays recorded calls: its memory at the recorded addresses, the library, the calls made ready, and
 * the threads that have company. play.c makes the calls.
 */
#ifndef KT_PLAYER_H
#define KT_PLAYER_H

#include "replay/call/call.h"
#include "replay/flush/branches.h"
#include "replay/machine/seats.h"
#include "replay/sequence/contents.h"
#include "replay/sequence/play.h"

/* A call made ready. */
struct kt_player_call {
    const struct kt_symbol *symbol;
    void *function;
    kt_thunk *thunk;
    const uint64_t *address; /* to pass, in the order of the operands */
    uint64_t gap;            /* ticks */
};

/* Memory that is read between calls (KT_GAPS_TRAFFIC). */
struct kt_player_traffic {
    unsigned char *memory;
    size_t at;
};

struct kt_player {
    const struct kt_play *play;
    struct kt_library library;
    struct kt_space space;
    struct kt_data_pool *pool;
    struct kt_player_call *ready;
    struct kt_contents *contents; /* by window */
    size_t window;                /* that comes next */
    struct kt_player_traffic traffic;
    struct kt_branches code;
    struct kt_team team;
    size_t row; /* of it that is executed next */
    uint64_t random;
    double tick; /* seconds */
    uint64_t clock_ticks;
    struct kt_pass pass;
    uint64_t last_end;        /* ticks: of the last call played, or when playing began */
    struct kt_seats *seats;   /* NULL: calls are played one after the other */
    bool in_team;             /* they are threads of the team */
    struct kt_player *seated; /* what each of them has of its own; owned */
};

/* P has its play, library and random numbers; the rest follows. Errors: KT_SYSTEM, and those of the library. What is
 * made lasts as long as the process. */
enum kt_status kt_player_open(struct kt_player *p, struct kt_error *error);

/* Until that tick, as the play's gaps say: idle, with traffic or with code. */
void kt_player_wait(struct kt_player *p, uint64_t until);

#endif
