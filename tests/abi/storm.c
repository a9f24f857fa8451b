/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two threads solve systems while a timer's signal handler, on a stack of its own, factorises others. Both call
 * routines that call routines. For the reference LAPACK, which may be entered again at any instruction.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info);

enum { SECONDS = 4, STACK = 1 << 16, PERIOD_US = 50 };

static const double matrix[] = {4, 3, 6, 3};
static volatile long wrong, handled, solved;

static bool solve(void)
{
    double a[4];
    double b[] = {10, 6};
    const int n = 2;
    const int one = 1;
    int ipiv[2];
    int info;
    memcpy(a, matrix, sizeof a);
    dgesv_(&n, &one, a, &n, ipiv, b, &n, &info);
    return info == 0 && b[0] == 1 && b[1] == 1;
}

static void factorise(int signal)
{
    double a[4];
    const int n = 2;
    int ipiv[2];
    int info;
    (void)signal;
    memcpy(a, matrix, sizeof a);
    dgetrf_(&n, &n, a, &n, ipiv, &info);
    wrong += info != 0 || a[3] != -1.5;
    handled++;
}

static void *work(void *unused)
{
    stack_t stack = {.ss_size = STACK};
    stack.ss_sp = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaltstack(&stack, NULL);
    for (time_t end = time(NULL) + SECONDS; time(NULL) < end;) {
        for (int i = 0; i < 500; i++, solved++)
            wrong += !solve();
        pthread_kill(pthread_self(), SIGALRM);
    }
    return unused;
}

int main(void)
{
    const struct itimerval often = {{0, PERIOD_US}, {0, PERIOD_US}};
    const struct itimerval never = {0};
    struct sigaction action = {.sa_handler = factorise, .sa_flags = SA_ONSTACK | SA_RESTART};
    pthread_t thread[2];
    sigaction(SIGALRM, &action, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%ld wrong, %s\n", wrong, handled > 1000 && solved > 1000 ? "many" : "few");
    return 0;
}
