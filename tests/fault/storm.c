/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For some seconds threads make calls, are interrupted by handlers that make calls or jump out of them, and are
 * cancelled at any moment, while one loads and unloads a module and main forks: nobody may be left with a lock that
 * others want. Arguments: seconds, the module. Prints how many answers were wrong; does not end if a thread hangs.
 */
#include "tests/fault/work.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *module;
static atomic_bool stop, jumps;
static atomic_int wrong;
static __thread sigjmp_buf out;

static void call(int signal)
{
    (void)signal;
    wrong += !work_dot(3);
}

static void jump(int signal)
{
    siglongjmp(out, signal);
}

static void *load_and_unload(void *unused)
{
    while (!stop) {
        void *library = dlopen(module, RTLD_NOW | RTLD_LOCAL);
        if (library)
            dlclose(library);
    }
    return unused;
}

static void *work(void *unused)
{
    while (!stop)
        wrong += !work_dot(2) || !work_solve();
    return unused;
}

/* Its handler jumps, never while the C library is at work for it: it makes nothing but calls. */
static void *be_jumped_out(void *unused)
{
    sigsetjmp(out, 1);
    jumps = true;
    while (!stop)
        work_dot(2);
    return unused;
}

/* What it calls holds nothing. */
static void *be_cancelled(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        work_dot(4);
    return unused;
}

static void cancel_one(void)
{
    pthread_t victim;
    if (pthread_create(&victim, NULL, be_cancelled, NULL) != 0)
        return;
    usleep(200);
    pthread_cancel(victim);
    pthread_join(victim, NULL);
}

static void fork_child(void)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(work_dot(3) ? 0 : 1);
    waitpid(pid, &status, 0);
    wrong += status != 0;
}

int main(int argc, char **argv)
{
    pthread_t worker, jumper, loader;
    time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
    module = argc > 2 ? argv[2] : "";
    signal(SIGUSR1, call);
    signal(SIGUSR2, jump);
    work_dot(1);
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&jumper, NULL, be_jumped_out, NULL);
    pthread_create(&loader, NULL, load_and_unload, NULL);
    while (!jumps)
        usleep(1000);
    for (int i = 0; time(NULL) < end; i++) {
        pthread_kill(worker, SIGUSR1);
        pthread_kill(jumper, SIGUSR2);
        cancel_one();
        if (i % 64 == 0)
            fork_child();
    }
    stop = true;
    pthread_join(worker, NULL);
    pthread_join(jumper, NULL);
    pthread_join(loader, NULL);
    printf("%d wrong answers\n", (int)wrong);
    return 0;
}
