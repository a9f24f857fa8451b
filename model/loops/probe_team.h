/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the probe that start together.
 */
#ifndef KT_PROBE_TEAM_H
#define KT_PROBE_TEAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { KT_CPUS_MAX = 256 };

struct kt_probe_team {
    void (*work)(void *context); /* what each does */
    void *context;
    size_t each; /* bytes by which the context of a member lies behind that of the one before; 0: one for all */
    int members;
    const int *cpu; /* of each member; NULL: where the system puts it */
    /* Its own: */
    atomic_int ready;
    atomic_bool pinned;
    atomic_bool called_off; /* some threads cannot be made */
    double begin[2 * KT_CPUS_MAX];
    double end[2 * KT_CPUS_MAX];
    double busy[2 * KT_CPUS_MAX]; /* out: seconds that each had a processor */
};

/* Seconds until the slowest member was done; NAN: threads cannot be made, or not be pinned. */
double kt_team_run(struct kt_probe_team *team);

/* The processors that this process may use, KT_CPUS_MAX at most; at least one. */
size_t kt_cpus_allowed(int cpu[KT_CPUS_MAX]);

#endif
