/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/slow.h"

#include "preload/quiet.h"
#include "preload/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t slow_lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * The thread that forks has our lock while it waits for those of other libraries, which may be held by threads that
 * wait for ours: they give up in the end.
 */
static _Atomic unsigned forks; /* in progress */
static _Atomic bool hopeless;  /* one thread has given up: until the fork is over others need not wait as long */

/* Threads that ask the linker or a library, and will want the lock back; within it. */
static unsigned paused;

static bool lock_within(long milliseconds)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += milliseconds * 1000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return pthread_mutex_timedlock(&slow_lock, &end) == 0;
}

static bool lock_unless_forking(void)
{
    enum { STEP_MS = 10, PATIENCE_MS = 2000 };
    for (int waited = 0; waited < PATIENCE_MS; waited += atomic_load(&forks) ? STEP_MS : 0) {
        if (pthread_mutex_trylock(&slow_lock) == 0)
            return true;
        if (atomic_load(&hopeless))
            return false;
        if (lock_within(STEP_MS))
            return true;
    }
    atomic_store(&hopeless, atomic_load(&forks) > 0);
    return false;
}

/* Who is about to fork lets those that ask come to an end first: they would wait for the lock as long as the fork
 * waits for them. */
static void lock_when_nobody_asks(void)
{
    enum { PATIENCE_MS = 200 };
    const struct timespec step = {0, 1000000};
    pthread_mutex_lock(&slow_lock);
    for (int waited = 0; paused && waited < PATIENCE_MS; waited++) {
        pthread_mutex_unlock(&slow_lock);
        nanosleep(&step, NULL);
        pthread_mutex_lock(&slow_lock);
    }
}

bool kt_slow_begin(void)
{
    if (!kt_quiet_begin())
        return false;
    if (lock_unless_forking())
        return true;
    kt_quiet_end();
    return false;
}

void kt_slow_end(void)
{
    pthread_mutex_unlock(&slow_lock);
    kt_quiet_end();
}

void kt_slow_pause(void)
{
    paused++;
    pthread_mutex_unlock(&slow_lock);
}

void kt_slow_resume(void)
{
    pthread_mutex_lock(&slow_lock);
    paused -= paused > 0; /* none in a child that was forked meanwhile */
}

/* --- forks ------------------------------------------------------------------------------------------------- */

bool kt_slow_before_fork(void)
{
    atomic_fetch_add(&forks, 1);
    bool begun = kt_quiet_begin();
    if (begun)
        lock_when_nobody_asks();
    return begun;
}

void kt_slow_after_fork(bool locked)
{
    if (atomic_fetch_sub(&forks, 1) == 1)
        atomic_store(&hopeless, false);
    if (locked)
        kt_slow_end();
}

/* Other threads of the parent may have held the lock. */
void kt_slow_in_child(bool told)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    if (!told) {
        slow_lock = fresh;
        kt_self.busy = false;
    }
    atomic_store(&forks, told);
    paused = 0;
    atomic_store(&hopeless, false);
}
