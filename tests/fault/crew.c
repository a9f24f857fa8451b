/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads. Arguments: what, how often.
 *   short     N threads, each with one call       alive     4 threads still calling when main returns, N us later
 *   leave     main ends before a thread with N calls does
 *   deferred  N threads cancelled between calls   any       ... anywhere (asynchronously), also within calls
 *   forks     4 threads call while main forks N children, whose calls nest
 *   wait      N signals for the process, which only main waits for
 *   setuid    changes the user id of all threads to what it is, N times
 *   locks     main forks, with handlers that take a lock, while a thread that has the lock makes its first N calls
 *   alone     after N calls asks the kernel for what only processes of one thread may do
 */
#include "tests/fault/work.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CREW = 4, SHORT_CREW = 16, SMALL_STACK = 64 << 10 };

static atomic_int ready;

static void start(pthread_t *thread, void *(*function)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, SMALL_STACK);
    if (pthread_create(thread, &attributes, function, argument) != 0)
        exit(98);
}

static void *call_once(void *unused)
{
    work_times(1);
    return unused;
}

static void short_threads(int count)
{
    pthread_t thread[SHORT_CREW];
    for (int i = 0; i < count; i += SHORT_CREW) {
        for (int t = 0; t < SHORT_CREW; t++)
            start(&thread[t], call_once, NULL);
        for (int t = 0; t < SHORT_CREW; t++)
            pthread_join(thread[t], NULL);
    }
}

static void *call_for_ever(void *unused)
{
    for (atomic_fetch_add(&ready, 1);;)
        work_times(4);
    return unused;
}

static void start_crew(void)
{
    pthread_t thread;
    for (int i = 0; i < CREW; i++)
        start(&thread, call_for_ever, NULL);
    while (atomic_load(&ready) < CREW)
        sched_yield();
}

static void *call_and_end(void *calls)
{
    while (atomic_load(&ready) == 0)
        sched_yield();
    usleep(20000);
    work_times((int)(intptr_t)calls);
    printf("the thread is done\n");
    return NULL;
}

static void leave_before(int calls)
{
    pthread_t thread;
    start(&thread, call_and_end, (void *)(intptr_t)calls);
    work_times(calls);
    atomic_store(&ready, 1);
    pthread_exit(NULL);
}

/* --- cancellation ------------------------------------------------------------------------------------------ */

static void *call_deferred(void *unused)
{
    for (;; pthread_testcancel())
        if (!work_dot(4) || !work_solve())
            puts("wrong");
    return unused;
}

static void *call_asynchronous(void *unused)
{
    int old;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    for (;;)
        if (!work_dot(4) || !work_solve())
            abort();
    return unused;
}

static void cancel_threads(void *(*function)(void *), int count)
{
    int cancelled = 0;
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        void *result;
        start(&thread, function, NULL);
        usleep((unsigned)(i * 37 % 900));
        pthread_cancel(thread);
        pthread_join(thread, &result);
        cancelled += result == PTHREAD_CANCELED;
        work_times(4);
    }
    printf("%d cancelled\n", cancelled);
}

/* --- the process ------------------------------------------------------------------------------------------- */

static void fork_children(int count)
{
    int good = 0;
    start_crew();
    for (int i = 0; i < count; i++) {
        int status = -1;
        pid_t pid = fork();
        if (pid == 0)
            _exit(work_solve() && work_dot(3) ? 0 : 1);
        waitpid(pid, &status, 0);
        good += status == 0;
    }
    printf("%d good children\n", good);
    fflush(stdout);
    _exit(0);
}

static void wait_for_signals(int count)
{
    sigset_t set;
    int number;
    int got = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < count; i++) {
        work_times(3000);
        kill(getpid(), SIGUSR1);
        got += sigwait(&set, &number) == 0 && number == SIGUSR1;
    }
    printf("%d signals\n", got);
}

static void set_user(int times)
{
    int done = 0;
    for (int i = 0; i < times; i++) {
        work_times(3000);
        done += setuid(getuid()) == 0;
    }
    printf("%d times\n", done);
}

static void be_alone(int calls)
{
    work_times(calls);
    int result = unshare(CLONE_NEWUSER);
    printf("%s\n", result == 0 ? "may" : "may not");
}

/* --- a library's handlers of forks ------------------------------------------------------------------------- */

static pthread_mutex_t librarys = PTHREAD_MUTEX_INITIALIZER;

static _Atomic int forking;

static void before_fork(void)
{
    forking = 1; /* those registered later have run */
    pthread_mutex_lock(&librarys);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&librarys);
}

/* Before all others, so that BEFORE_FORK comes after theirs. */
static void register_handlers(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}
__attribute__((section(".preinit_array"), used)) static void (*const at_start)(void) = register_handlers;

static void *call_with_lock(void *count)
{
    pthread_mutex_lock(&librarys);
    ready++;
    while (!forking)
        sched_yield();
    for (int i = 0; i < *(const int *)count; i++)
        printf(work_product() ? "" : "wrong\n");
    pthread_mutex_unlock(&librarys);
    return NULL;
}

static void fork_amid_lock(int count)
{
    pthread_t thread;
    int status = -1;
    work_times(1);
    start(&thread, call_with_lock, &count);
    while (!ready)
        sched_yield();
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, &status, 0);
    pthread_join(thread, NULL);
    printf("child: %d\n", status);
}

int main(int argc, char **argv)
{
    const char *what = argc == 3 ? argv[1] : "";
    int count = argc == 3 ? atoi(argv[2]) : 0;
    if (!strcmp(what, "short"))
        short_threads(count);
    else if (!strcmp(what, "alive"))
        start_crew(), usleep((unsigned)count);
    else if (!strcmp(what, "leave"))
        leave_before(count);
    else if (!strcmp(what, "deferred"))
        cancel_threads(call_deferred, count);
    else if (!strcmp(what, "any"))
        cancel_threads(call_asynchronous, count);
    else if (!strcmp(what, "forks"))
        fork_children(count);
    else if (!strcmp(what, "wait"))
        wait_for_signals(count);
    else if (!strcmp(what, "setuid"))
        set_user(count);
    else if (!strcmp(what, "locks"))
        fork_amid_lock(count);
    else if (!strcmp(what, "alone"))
        be_alone(count);
    else
        return 99;
    puts("done");
    return 0;
}
