/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What ends or doubles a thread or process within a call, and what it calls then. Arguments:
 *   exit     pthread_exit() in a call, then calls by the destructor of a thread-specific value
 *   cancel   the same by a cancellation
 *   fork     a child forked in a callback makes calls and ends; the parent goes on
 *   on       that child goes on as well, to the end of its parent's call and calls of its own
 *   handler  a child forked by a signal handler in a callback makes many calls, and ends there
 *   vfork    in a callback, then exec of this program with the argument calls
 *   end      exit() in a call, then calls by functions of atexit()
 */
#include "tests/nested/nest.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static const char *way;
static char *self;
static pthread_key_t key;
static bool forked;
static int wrong;

static bool is_way(const char *name)
{
    return !strcmp(way, name);
}

static void await(pid_t pid)
{
    int status = -1;
    waitpid(pid, &status, 0);
    wrong += status != 0;
}

/* Without a word: the parent says what there is to say. */
static void be_child(void)
{
    nest_tagged_from_afar();
    _exit(!work_solve());
}

void xerbla_(const char *name, const int *info, size_t length);
void xerbla_(const char *name, const int *info, size_t length)
{
    (void)name, (void)info, (void)length;
    if (is_way("exit"))
        pthread_exit(NULL);
    if (is_way("end"))
        exit(7);
    pthread_cancel(pthread_self());
    pthread_testcancel();
}

static void handle(int number)
{
    (void)number;
    pid_t pid = fork();
    if (pid == 0)
        be_child();
    await(pid);
}

static void start_program(void)
{
    pid_t pid = vfork();
    if (pid == 0) {
        execl(self, self, "calls", (char *)NULL);
        _exit(1);
    }
    await(pid);
}

static void fork_here(void)
{
    pid_t pid = fork();
    if (pid != 0)
        await(pid);
    else if (is_way("fork"))
        be_child();
    else
        forked = true;
}

static int select_and_fork(const double *re, const double *im)
{
    (void)im;
    if (*re > 3.5 && is_way("handler"))
        raise(SIGUSR1);
    else if (*re > 3.5 && is_way("vfork"))
        start_program();
    else if (*re > 3.5)
        fork_here();
    return nest_is_small(re);
}

static void call_at_the_end(void *unused)
{
    (void)unused;
    nest_tagged_from_afar();
}

static void call_at_exit(void)
{
    nest_tagged_from_afar();
    if (is_way("end"))
        printf("%d wrong, %d tags\n", wrong, nest_tags);
}

/* What C++ registers destructors of variables of the thread with; they come before those of thread-specific values. */
int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *dso);
extern void *__dso_handle;

static void *run(void *unused)
{
    __cxa_thread_atexit_impl(call_at_the_end, NULL, &__dso_handle);
    pthread_setspecific(key, &key);
    nest_fail();
    return unused;
}

static void run_threads(void)
{
    pthread_key_create(&key, call_at_the_end);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, NULL);
        pthread_join(thread, NULL);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 99;
    self = argv[0];
    way = argv[1];
    signal(SIGUSR1, handle);
    if (is_way("calls") || is_way("end")) {
        atexit(call_at_exit);
        nest_tagged();
        if (is_way("end"))
            nest_fail();
    } else if (is_way("exit") || is_way("cancel")) {
        run_threads();
    } else {
        wrong += !nest_schur(select_and_fork);
        nest_tagged_from_afar();
    }
    if (forked)
        _exit(wrong + !work_solve());
    if (!is_way("calls"))
        printf("%d wrong, %d tags\n", wrong, nest_tags);
    return 0;
}
