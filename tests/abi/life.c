/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens to processes, on demand. Each argument is done in turn:
 *   callsN  N calls              killed   SIGKILL inside the routine     exitN   exit(N)
 *   fork    a child makes 3 calls and leaves by _exit                   longjmp  leave a routine by longjmp
 *   threadsN  N threads in turn, 5 calls each     closefds  close all descriptors above 2
 *   chdir   change the working directory to /     abort    abort()      _exitN   _exit(N)
 *   cancel  a thread that is to be cancelled makes a call         stack  a thread with the least stack makes a call
 *   cover   fork from a function whose variables are where a routine was left, and see them in the child
 *   vanish  leave a routine by longjmp on a coroutine's stack, which then is unmapped
 *   signals calls, and calls by a signal handler                  reopen the file reopened becomes descriptor 2
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
void xerbla_(const char *name, const int *info, size_t length);

static jmp_buf back;

void xerbla_(const char *name, const int *info, size_t length)
{
    (void)name;
    (void)info;
    (void)length;
    longjmp(back, 1);
}

static void call(int n)
{
    static const double x[4];
    static const int one = 1;
    ddot_(&n, x, &one, x, &one);
}

static void call_times(int times)
{
    for (int i = 0; i < times; i++)
        call(2);
}

static void *thread(void *unused)
{
    (void)unused;
    call_times(5);
    return NULL;
}

static void run_threads(int count)
{
    for (int i = 0; i < count; i++) {
        pthread_t id;
        pthread_create(&id, NULL, thread, NULL);
        pthread_join(id, NULL);
    }
}

static void leave_by_longjmp(void)
{
    double a = 1;
    int one = 1;
    int info;
    if (!setjmp(back))
        dpotrf_("U", &one, &a, &one, &info, 1);
}

static void leave_on_vanishing_stack(void)
{
    enum { BYTES = 256 << 10 };
    static ucontext_t outside;
    static ucontext_t inside;
    void *stack = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED || getcontext(&inside) != 0)
        exit(96);
    inside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = BYTES};
    inside.uc_link = &outside;
    makecontext(&inside, leave_by_longjmp, 0);
    swapcontext(&outside, &inside);
    munmap(stack, BYTES);
}

static void fork_child(void)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        call_times(3);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

static void fork_from_covered_stack(void)
{
    enum { WORDS = 2048 };
    volatile size_t word[WORDS];
    size_t wrong = 0;
    int status = 0;
    for (size_t i = 0; i < WORDS; i++)
        word[i] = i;
    pid_t pid = fork();
    for (size_t i = 0; i < WORDS; i++)
        wrong += word[i] != i;
    if (pid == 0)
        _exit(wrong != 0);
    waitpid(pid, &status, 0);
    if (status != 0)
        exit(97);
}

static void close_descriptors(void)
{
    for (int i = 3; i < 256; i++)
        close(i);
}

static void *cancelled_thread(void *unused)
{
    (void)unused;
    pthread_cancel(pthread_self());
    call(2);
    return NULL;
}

static void run_thread(void *(*function)(void *), size_t stack)
{
    pthread_attr_t attributes;
    pthread_t id;
    pthread_attr_init(&attributes);
    if (stack)
        pthread_attr_setstacksize(&attributes, stack);
    pthread_create(&id, &attributes, function, NULL);
    pthread_join(id, NULL);
}

static void handle_signal(int number)
{
    (void)number;
    call_times(3);
}

static void call_amid_signals(void)
{
    const struct itimerval often = {{0, 50}, {0, 50}};
    const struct itimerval never = {{0, 0}, {0, 0}};
    signal(SIGALRM, handle_signal);
    setitimer(ITIMER_REAL, &often, NULL);
    call_times(500000);
    setitimer(ITIMER_REAL, &never, NULL);
}

static void reopen_standard_error(void)
{
    close(2);
    if (open("reopened", O_RDWR | O_CREAT, 0666) != 2)
        exit(98);
}

static void perform(const char *what)
{
    const char *digits = what + strcspn(what, "0123456789");
    int count = atoi(digits);
    if (!strncmp(what, "calls", 5))
        call_times(count);
    else if (!strncmp(what, "threads", 7))
        run_threads(count);
    else if (!strcmp(what, "killed"))
        call(-9);
    else if (!strcmp(what, "fork"))
        fork_child();
    else if (!strcmp(what, "cover"))
        fork_from_covered_stack();
    else if (!strcmp(what, "vanish"))
        leave_on_vanishing_stack();
    else if (!strcmp(what, "longjmp"))
        leave_by_longjmp();
    else if (!strcmp(what, "closefds"))
        close_descriptors();
    else if (!strcmp(what, "cancel"))
        run_thread(cancelled_thread, 0);
    else if (!strcmp(what, "stack"))
        run_thread(thread, PTHREAD_STACK_MIN);
    else if (!strcmp(what, "signals"))
        call_amid_signals();
    else if (!strcmp(what, "reopen"))
        reopen_standard_error();
    else if (!strcmp(what, "abort"))
        abort();
    else if (!strncmp(what, "exit", 4))
        exit(count);
    else if (!strncmp(what, "_exit", 5))
        _exit(count);
    else if (!strcmp(what, "chdir") && chdir("/") != 0)
        exit(99);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        perform(argv[i]);
    puts("done");
    return 0;
}
