/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/flush/crew.h"

#include "trace/base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

struct kt_crew {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t begin, done;
    void (*work)(void *argument); /* NULL: go home */
    void *argument;
    unsigned task; /* its number */
    int busy;
    pthread_t thread[CPU_SETSIZE];
    int threads;
};

static void *serve(void *argument)
{
    struct kt_crew *crew = argument;
    unsigned last = 0;
    bool stays = true;
    pthread_mutex_lock(&crew->lock);
    while (stays) {
        while (crew->task == last)
            pthread_cond_wait(&crew->begin, &crew->lock);
        last = crew->task;
        pthread_mutex_unlock(&crew->lock);
        stays = crew->work != NULL;
        if (stays)
            crew->work(crew->argument);
        pthread_mutex_lock(&crew->lock);
        if (--crew->busy == 0)
            pthread_cond_signal(&crew->done);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static bool start_on(struct kt_crew *crew, int cpu)
{
    pthread_attr_t attributes;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof one, &one);
    bool started = pthread_create(&crew->thread[crew->threads], &attributes, serve, crew) == 0;
    pthread_attr_destroy(&attributes);
    crew->threads += started;
    return started;
}

struct kt_crew *kt_crew_new(void)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return NULL;
    struct kt_crew *crew = kt_resize(NULL, 1, sizeof *crew);
    *crew = (struct kt_crew){
        .lock = PTHREAD_MUTEX_INITIALIZER, .begin = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && !start_on(crew, cpu))
            break;
    if (crew->threads)
        return crew;
    free(crew);
    return NULL;
}

void kt_crew_run(struct kt_crew *crew, void (*work)(void *argument), void *argument)
{
    if (!crew) {
        work(argument);
        return;
    }
    pthread_mutex_lock(&crew->lock);
    crew->work = work;
    crew->argument = argument;
    crew->busy = crew->threads;
    crew->task++;
    pthread_cond_broadcast(&crew->begin);
    while (crew->busy)
        pthread_cond_wait(&crew->done, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

void kt_crew_free(struct kt_crew *crew)
{
    if (!crew)
        return;
    kt_crew_run(crew, NULL, NULL);
    for (int i = 0; i < crew->threads; i++)
        pthread_join(crew->thread[i], NULL);
    free(crew);
}
