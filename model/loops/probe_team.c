/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/loops/probe_team.h"

#include "model/loops/stopwatch.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

struct member {
    struct kt_probe_team *team;
    int number;
};

static bool pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *run_member(void *context)
{
    const struct member *m = context;
    struct kt_probe_team *team = m->team;
    if (team->cpu && !pin(team->cpu[m->number]))
        team->pinned = false;
    team->ready++;
    while (team->ready < team->members)
        if (team->members > 1)
            sched_yield();
    if (team->called_off)
        return NULL;
    double busy = thread_seconds();
    team->begin[m->number] = kt_seconds_now();
    team->work((char *)team->context + (size_t)m->number * team->each);
    team->end[m->number] = kt_seconds_now();
    team->busy[m->number] = thread_seconds() - busy;
    return NULL;
}

double kt_team_run(struct kt_probe_team *team)
{
    pthread_t thread[2 * KT_CPUS_MAX];
    struct member member[2 * KT_CPUS_MAX];
    /* All count from when the first one began: one that the system lets wait has begun, too. */
    double first = INFINITY;
    double last = 0;
    int made = 0;
    team->ready = 0;
    team->pinned = true;
    team->called_off = false;
    for (; made < team->members; made++) {
        member[made] = (struct member){team, made};
        if (pthread_create(&thread[made], NULL, run_member, &member[made]) != 0)
            break;
    }
    /* Members may wait for each other in their work: then it is not begun. */
    team->called_off = made < team->members;
    team->ready += team->members - made;
    for (int i = 0; i < made; i++) {
        pthread_join(thread[i], NULL);
        first = fmin(first, team->begin[i]);
        last = fmax(last, team->end[i]);
    }
    return made == team->members && team->pinned ? last - first : NAN;
}

size_t kt_cpus_allowed(int cpu[KT_CPUS_MAX])
{
    cpu_set_t set;
    size_t n = 0;
    cpu[0] = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    for (int i = 0; i < CPU_SETSIZE && n < KT_CPUS_MAX; i++)
        if (CPU_ISSET(i, &set))
            cpu[n++] = i;
    return n ? n : 1;
}
