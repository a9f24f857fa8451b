/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls ddot from stacks that nothing is known of: those of coroutines with other memory right behind them, which is
 * unmapped while they live; of signal handlers; of threads that have hardly any; one that ends in the middle of a
 * frame; and from functions whose frame pointer points anywhere. Prints how many calls it made.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

enum { STACK = 64 << 10, TIMES = 50 };
static const int one = 1;
static const int few = 3;
static double data[8] = {1, 2, 3};
static volatile int calls;
volatile double sink;

__attribute__((noinline)) void call(void)
{
    sink = ddot_(&few, data, &one, data, &one) + 1;
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

static char *pages(size_t bytes)
{
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        abort();
    return at;
}

/* --- coroutines ---------------------------------------------------------------------------------------------- */

static ucontext_t outside, inside;

static void coroutine(void)
{
    for (;;) {
        call();
        swapcontext(&inside, &outside);
    }
}

/* Behind the stack lies memory that holds return addresses, and goes away. */
static void coroutines(void)
{
    char *stack = pages(2 * STACK);
    for (size_t i = 0; i < STACK / sizeof(void *); i++)
        ((void **)(void *)(stack + STACK))[i] = __builtin_return_address(0);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = STACK;
    inside.uc_link = NULL;
    makecontext(&inside, coroutine, 0);
    for (int i = 0; i < TIMES; i++) {
        if (i == TIMES / 2)
            munmap(stack + STACK, STACK);
        swapcontext(&outside, &inside);
    }
    munmap(stack, STACK);
}

/* --- signals ------------------------------------------------------------------------------------------------- */

static void handler(int signal)
{
    (void)signal;
    call();
}

static void signals(void)
{
    stack_t stack = {.ss_sp = pages(STACK), .ss_size = STACK};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags = 0;
    sigaction(SIGUSR2, &action, NULL);
    for (int i = 0; i < TIMES; i++)
        raise(i % 2 ? SIGUSR1 : SIGUSR2);
}

/* --- threads ------------------------------------------------------------------------------------------------- */

static void *thread(void *nothing)
{
    for (int i = 0; i < TIMES; i++)
        call();
    return nothing;
}

static void small_threads(void)
{
    pthread_t id[4];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN) + (16 << 10));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++)
            if (pthread_create(&id[i], &attributes, thread, NULL) != 0)
                abort();
        for (int i = 0; i < 4; i++)
            pthread_join(id[i], NULL);
    }
}

static void forks(void)
{
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            call();
            fflush(stdout);
            exit(0);
        }
        waitpid(child, NULL, 0);
        call();
    }
}

/* --- registers that point anywhere --------------------------------------------------------------------------- */

#ifdef __x86_64__
/* With this stack pointer and frame pointer. */
__attribute__((noinline)) static void with_registers(uintptr_t stack, uintptr_t frame)
{
    __asm__ volatile("pushq %%rbx\n\tpushq %%rbp\n\tmovq %%rsp, %%rbx\n\tmovq %%rdx, %%rbp\n\t"
                     "movq %%rax, %%rsp\n\tcall call\n\tmovq %%rbx, %%rsp\n\tpopq %%rbp\n\tpopq %%rbx"
                     : "+a"(stack), "+d"(frame)
                     :
                     : "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
                       "memory", "cc");
}

static void odd_registers(void)
{
    char *stack = pages(2 * STACK);
    mprotect(stack + STACK, STACK, PROT_NONE);
    const uintptr_t end = (uintptr_t)stack + STACK;
    const uintptr_t anywhere[] = {0, 1, end, end - 8, (uintptr_t)-8, 0x123456789abcdef0, (uintptr_t)data};
    for (int i = 0; i < TIMES; i++) {
        with_registers(end - 16, anywhere[i % 7]); /* 16 bytes above the stack pointer the memory ends */
        for (int at = 0; at < 200; at++)
            ((uintptr_t *)end)[-1000 - at] = (uintptr_t)rand() << 20;
    }
}
#else
static void odd_registers(void)
{
}
#endif

int main(void)
{
    call();
    coroutines();
    signals();
    small_threads();
    forks();
    odd_registers();
    printf("%d\n", calls);
    return 0;
}
