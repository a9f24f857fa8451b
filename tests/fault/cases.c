/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What has once harmed a program that was traced, in small. Arguments: the case, milliseconds, a module to load.
 *   signal    handlers make calls while a thread loads and unloads the module
 *   jump      ... jump out of calls while it does         cancel  threads are cancelled within calls while it does
 *   threads   500 threads at one time, with 3,000 calls each
 *   stack     the first call is made on an alternate stack of 8 KB
 *   secret    something secret is in memory behind an operand, for snapshots
 */
#include "tests/fault/work.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 500, CALLS = 3000, SMALL = 8192, THREAD_STACK = 64 << 10 };

static const char *module;
static double end;
static atomic_bool stop;
static atomic_int ready;
static __thread sigjmp_buf out;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void call(int signal)
{
    (void)signal;
    if (!work_dot(3))
        abort();
}

static void jump(int signal)
{
    siglongjmp(out, signal);
}

static pthread_t start(void *(*function)(void *))
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK);
    if (pthread_create(&thread, &attributes, function, NULL) != 0)
        exit(98);
    return thread;
}

static void *load_and_unload(void *unused)
{
    while (!stop)
        dlclose(dlopen(module, RTLD_NOW | RTLD_LOCAL));
    return unused;
}

static void *call_all_the_time(void *unused)
{
    sigsetjmp(out, 1);
    for (ready++; !stop;)
        call(0);
    return unused;
}

static void *be_cancelled(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        call(0);
    return unused;
}

static void interrupt_while_loading(void (*handler)(int))
{
    signal(SIGUSR1, handler);
    call(0);
    pthread_t worker = start(call_all_the_time);
    while (!ready)
        usleep(1000);
    pthread_t loader = start(load_and_unload);
    for (; now_ms() < end; usleep(100))
        pthread_kill(worker, SIGUSR1);
    stop = true;
    pthread_join(worker, NULL);
    pthread_join(loader, NULL);
}

static void cancel_while_loading(void)
{
    call(0);
    pthread_t loader = start(load_and_unload);
    while (now_ms() < end) {
        pthread_t victim = start(be_cancelled);
        usleep(100);
        pthread_cancel(victim);
        pthread_join(victim, NULL);
    }
    stop = true;
    pthread_join(loader, NULL);
}

static void *call_often(void *unused)
{
    work_times(CALLS);
    return unused;
}

static void have_threads(void)
{
    static pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        thread[i] = start(call_often);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

static void call_on_small_stack(void)
{
    static char memory[SMALL] __attribute__((aligned(64)));
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    const struct sigaction action = {.sa_handler = call, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
}

static void keep_secret(void)
{
    static double x[512] = {1, 2, 3, 4};
    const int n = 4;
    const int one = 1;
    strcpy((char *)(x + 8), "TOPSECRET");
    if (ddot_(&n, x, &one, x, &one) != 30)
        abort();
}

int main(int argc, char **argv)
{
    const char *what = argc == 4 ? argv[1] : "";
    end = now_ms() + (argc == 4 ? atof(argv[2]) : 0);
    module = argc == 4 ? argv[3] : NULL;
    if (!strcmp(what, "signal"))
        interrupt_while_loading(call);
    else if (!strcmp(what, "jump"))
        interrupt_while_loading(jump);
    else if (!strcmp(what, "cancel"))
        cancel_while_loading();
    else if (!strcmp(what, "threads"))
        have_threads();
    else if (!strcmp(what, "stack"))
        call_on_small_stack();
    else if (!strcmp(what, "secret"))
        keep_secret();
    else
        return 99;
    puts("done");
    return 0;
}
