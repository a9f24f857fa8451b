/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/seats.h"

#include "trace/base/memory.h"

#include <pthread.h>
#include <stdatomic.h>

struct kt_seats {
    unsigned count;
    const struct kt_team *team;
    pthread_barrier_t begin, end;
    atomic_uint next; /* seat of the team's that nobody took yet */
    void (*work)(void *context, unsigned seat);
    void *context;
};

struct seat {
    struct kt_seats *seats;
    unsigned number;
};

static void *sit(void *data)
{
    struct seat *seat = data;
    for (;;) {
        pthread_barrier_wait(&seat->seats->begin);
        seat->seats->work(seat->seats->context, seat->number);
        pthread_barrier_wait(&seat->seats->end);
    }
    return NULL;
}

/* A runtime may give fewer threads than were asked for. */
static void sit_in_team(void *data)
{
    struct kt_seats *seats = data;
    for (unsigned number; (number = seats->next++) < seats->count;)
        seats->work(seats->context, number);
}

enum kt_status kt_seats_open(unsigned count, const struct kt_team *team, struct kt_seats **out, struct kt_error *error)
{
    struct kt_seats *seats = *out = kt_resize(NULL, 1, sizeof *seats);
    *seats = (struct kt_seats){.count = count, .team = team};
    pthread_barrier_init(&seats->begin, NULL, count + 1);
    pthread_barrier_init(&seats->end, NULL, count + 1);
    for (unsigned i = 0; i < count && !team; i++) {
        pthread_t thread;
        struct seat *seat = kt_resize(NULL, 1, sizeof *seat);
        *seat = (struct seat){seats, i};
        if (pthread_create(&thread, NULL, sit, seat) != 0)
            return kt_fail(error, KT_SYSTEM, "%u threads cannot be started", count);
    }
    return KT_OK;
}

void kt_seats_run(struct kt_seats *seats, void (*work)(void *context, unsigned seat), void *context)
{
    seats->work = work;
    seats->context = context;
    if (seats->team) {
        seats->next = 0;
        seats->team->parallel(sit_in_team, seats, seats->count, 0);
        return;
    }
    pthread_barrier_wait(&seats->begin);
    pthread_barrier_wait(&seats->end);
}
