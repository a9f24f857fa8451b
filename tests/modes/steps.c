/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Says what it is told to say to ktrace, between calls whose number is known. Each argument is done in turn:
 *   dot=N      N calls of ddot          solve=N    N calls of dgesv, which calls other routines
 *   mixed=N    N times ddot, dgesv, dgemm           begin=NAME, end       a region
 *   often=N    N times a pause with a call in it and a call behind it
 *   pause, resume, recording            names=N    N regions of different names, with a call each
 *   deep=N     N regions in each other with a call in each        long, odd  a region of such a name
 *   threads=N  two threads, N calls each in a region of their own, at once
 *   fork=N     a child makes N calls in a region of its own       clone=N    the same without the C library's fork
 *   wait=FILE  two threads call ddot until the file is there; says how many calls that were
 *   numbered=N N calls of ddot, numbered by their argument n
 *   crew=N     threads that make N, 2 N, 3 N and 4 N calls of ddot, numbered
 *   work=N     N operations, and half as many bytes, of the region; N can be nan
 *   sleep=N    N milliseconds           kill       SIGKILL
 */
#include "ktrace/ktrace.h"
#include "tests/fault/work.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(const char *flops)
{
    ktrace_work(atof(flops), atof(flops) / 2);
}

static void solve(int times)
{
    for (int i = 0; i < times; i++)
        if (!work_solve())
            printf("wrong\n");
}

static void mixed(int times)
{
    for (int i = 0; i < times; i++) {
        work_times(1);
        solve(1);
        if (!work_product())
            printf("wrong\n");
    }
}

/* The argument tells which call it is: a negative n does nothing. */
static void numbered(int times)
{
    const double x = 1;
    const int one = 1;
    for (int i = 1; i <= times; i++) {
        int n = -i;
        ddot_(&n, &x, &one, &x, &one);
    }
}

static void often(int times)
{
    for (int i = 0; i < times; i++) {
        ktrace_pause();
        work_times(1);
        ktrace_resume();
        work_times(1);
    }
}

static void names(int count)
{
    char name[16];
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "name%d", i);
        ktrace_begin(name);
        work_times(1);
        ktrace_end();
    }
}

static void deep(int levels)
{
    for (int i = 0; i < levels; i++) {
        ktrace_begin("level");
        work_times(1);
    }
    for (int i = 0; i < levels; i++)
        ktrace_end();
    work_times(1);
}

static void long_name(void)
{
    char name[1000];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    ktrace_begin(name);
    work_times(1);
    ktrace_end();
}

static void odd_name(void)
{
    ktrace_begin("tab\tnewline\nslash\\ \xc3\xa4 \033[31m > ");
    work_times(1);
    ktrace_end();
    ktrace_begin("");
    work_times(1);
    ktrace_end();
    ktrace_begin(NULL);
}

static void *in_region(void *argument)
{
    const int *times = argument;
    for (int i = 0; i < *times; i++) {
        ktrace_begin(*times % 2 ? "odd" : "even");
        work_times(1);
        ktrace_end();
    }
    return NULL;
}

static void threads(int times)
{
    int count[] = {times, times + 1};
    pthread_t id[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&id[i], NULL, in_region, &count[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(id[i], NULL);
}

static void *numbered_calls(void *argument)
{
    numbered(*(const int *)argument);
    return NULL;
}

static void crew(int times)
{
    int count[4];
    pthread_t id[4];
    for (int i = 0; i < 4; i++) {
        count[i] = (i + 1) * times;
        pthread_create(&id[i], NULL, numbered_calls, &count[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(id[i], NULL);
}

static void in_child(pid_t child, int times)
{
    if (child == 0) {
        ktrace_begin("child");
        work_times(times);
        ktrace_end();
        ktrace_end();
        work_times(1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

/* What a thread waits for, and its calls so far. */
struct waiter {
    const char *file;
    long calls;
};

static void *call_and_wait(void *argument)
{
    struct waiter *waiter = argument;
    for (; access(waiter->file, F_OK) != 0; waiter->calls++) {
        work_times(1);
        usleep(200);
    }
    return NULL;
}

static void wait_for(const char *file)
{
    struct waiter first = {file, 0};
    struct waiter second = {file, 0};
    pthread_t id;
    pthread_create(&id, NULL, call_and_wait, &second);
    call_and_wait(&first);
    pthread_join(id, NULL);
    printf("%ld\n", first.calls + second.calls);
}

static void say(void)
{
    printf("%d\n", ktrace_recording());
}

static void sleep_ms(int milliseconds)
{
    usleep((useconds_t)milliseconds * 1000);
}

static void leave(void)
{
    fflush(stdout);
    kill(getpid(), SIGKILL);
}

static void fork_child(int times)
{
    fflush(stdout);
    in_child(fork(), times);
}

static void clone_child(int times)
{
    fflush(stdout);
    in_child((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL), times);
}

static const struct {
    const char *word;
    void (*plain)(void);
    void (*counted)(int);
    void (*text)(const char *);
} steps[] = {
    {"dot", NULL, work_times, NULL},    {"solve", NULL, solve, NULL},        {"mixed", NULL, mixed, NULL},
    {"numbered", NULL, numbered, NULL}, {"begin", NULL, NULL, ktrace_begin}, {"work", NULL, NULL, work},
    {"end", ktrace_end, NULL, NULL},    {"pause", ktrace_pause, NULL, NULL}, {"resume", ktrace_resume, NULL, NULL},
    {"recording", say, NULL, NULL},     {"names", NULL, names, NULL},        {"deep", NULL, deep, NULL},
    {"long", long_name, NULL, NULL},    {"odd", odd_name, NULL, NULL},       {"threads", NULL, threads, NULL},
    {"fork", NULL, fork_child, NULL},   {"clone", NULL, clone_child, NULL},  {"often", NULL, often, NULL},
    {"wait", NULL, NULL, wait_for},     {"crew", NULL, crew, NULL},          {"kill", leave, NULL, NULL},
    {"sleep", NULL, sleep_ms, NULL}};

static void do_step(const char *argument)
{
    size_t length = strcspn(argument, "=");
    const char *value = argument[length] ? argument + length + 1 : "1";
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (strlen(steps[i].word) != length || strncmp(steps[i].word, argument, length) != 0)
            continue;
        if (steps[i].plain)
            steps[i].plain();
        if (steps[i].counted)
            steps[i].counted(atoi(value));
        if (steps[i].text)
            steps[i].text(value);
        return;
    }
    printf("%s: what is that?\n", argument);
    exit(2);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        do_step(argv[i]);
    return 0;
}
