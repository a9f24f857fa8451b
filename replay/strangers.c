/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/strangers.h"

#include "replay/random.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ORDER = 8 };

/* Integers of 64 bits, of which libraries with narrow ones read the lower half. */
static const int64_t order = ORDER;
static const int64_t one = 1;
static const double small = 1e-3;
static double matrix[ORDER * ORDER], x[ORDER], y[ORDER];

/* A routine as a function that takes addresses and, behind them, lengths of letters. */
static void call_dgemv(void *function)
{
    void (*f)(const char *, const void *, const void *, const double *, const double *, const void *, const double *,
              const void *, const double *, double *, const void *, size_t);
    memcpy(&f, &function, sizeof f);
    f("T", &order, &order, &small, matrix, &order, x, &one, &small, y, &one, 1);
}

static void call_dger(void *function)
{
    void (*f)(const void *, const void *, const double *, const double *, const void *, const double *, const void *,
              double *, const void *);
    memcpy(&f, &function, sizeof f);
    f(&order, &order, &small, x, &one, y, &one, matrix, &order);
}

static void call_dnrm2(void *function)
{
    double (*f)(const void *, const double *, const void *);
    memcpy(&f, &function, sizeof f);
    x[0] = f(&order, x, &one) > 0 ? 0 : x[0];
}

static void call_dscal(void *function)
{
    void (*f)(const void *, const double *, double *, const void *);
    memcpy(&f, &function, sizeof f);
    f(&order, &small, y, &one);
}

static void call_dgemm(void *function)
{
    void (*f)(const char *, const char *, const void *, const void *, const void *, const double *, const double *,
              const void *, const double *, const void *, const double *, double *, const void *, size_t, size_t);
    static double product[ORDER * ORDER];
    memcpy(&f, &function, sizeof f);
    f("N", "N", &order, &order, &order, &small, matrix, &order, matrix, &order, &small, product, &order, 1, 1);
}

static const struct stranger {
    const char *symbol;
    void (*call)(void *function);
} stranger[KT_STRANGERS] = {
    {"dgemv_", call_dgemv}, {"dger_", call_dger},   {"dnrm2_", call_dnrm2},
    {"dscal_", call_dscal}, {"dgemm_", call_dgemm},
};

static _Noreturn void call_all(const struct kt_strangers *s)
{
    enum { PATIENCE = 2 }; /* seconds */
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
    signal(SIGALRM, SIG_DFL);
    alarm(PATIENCE);
    for (int i = 0; i < KT_STRANGERS; i++)
        if (s->function[i])
            stranger[i].call(s->function[i]);
    _exit(0);
}

/* In a process of their own: who asked for a ddot is not to hear of a dgemm that crashes or hangs. */
static bool are_harmless(const struct kt_strangers *s)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        call_all(s);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && status == 0;
}

void kt_strangers_find(const struct kt_library *library, struct kt_strangers *out)
{
    *out = (struct kt_strangers){.state = 1};
    for (int i = 0; i < KT_STRANGERS; i++)
        out->function[i] = kt_library_symbol(library, stranger[i].symbol, NULL);
    if (!are_harmless(out))
        memset(out->function, 0, sizeof out->function);
}

void kt_strangers_call(struct kt_strangers *s, const void *function)
{
    size_t first = kt_random(&s->state) % KT_STRANGERS;
    for (size_t k = 0; k < KT_STRANGERS; k++) {
        size_t i = (first + k) % KT_STRANGERS;
        if (!s->function[i] || s->function[i] == function)
            continue;
        stranger[i].call(s->function[i]);
        return;
    }
}
