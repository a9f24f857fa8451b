/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that do something at the same time, again and again, and wait for each other in between without taking
 * processors: threads of their own, or those of a team (team.h), as libraries tell these apart.
 */
#ifndef KT_SEATS_H
#define KT_SEATS_H

#include "replay/machine/team.h"
#include "trace/base/error.h"

struct kt_seats;

/* TEAM: whose threads they are, NULL: their own. They live as long as the process. */
enum kt_status kt_seats_open(unsigned count, const struct kt_team *team, struct kt_seats **out, struct kt_error *error);

/* WORK(CONTEXT, 0) to WORK(CONTEXT, COUNT - 1), which begin together; returns when all are done. */
void kt_seats_run(struct kt_seats *seats, void (*work)(void *context, unsigned seat), void *context);

#endif
