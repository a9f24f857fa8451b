/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/measure/strangers.h"

#include "trace/base/random.h"

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
static double matrix[ORDER * ORDER], product[ORDER * ORDER], x[ORDER], y[ORDER];

/* A routine takes addresses and, behind them, lengths of letters; what is too much is not looked at, nor is what
 * functions return. */
enum { WORDS = 16 };
typedef void routine(const void *, const void *, const void *, const void *, const void *, const void *, const void *,
                     const void *, const void *, const void *, const void *, const void *, const void *, const void *,
                     const void *, const void *);
#define LENGTH ((const void *)1)

static const struct stranger {
    const char *symbol;
    const void *word[WORDS];
} stranger[KT_STRANGERS] = {
    {"dgemv_", {"T", &order, &order, &small, matrix, &order, x, &one, &small, y, &one, LENGTH}},
    {"dger_", {&order, &order, &small, x, &one, y, &one, matrix, &order}},
    {"dnrm2_", {&order, x, &one}},
    {"dscal_", {&order, &small, y, &one}},
    {"dgemm_",
     {"N", "N", &order, &order, &order, &small, matrix, &order, matrix, &order, &small, product, &order, LENGTH,
      LENGTH}},
};

static void call(const struct stranger *s, void *function)
{
    const void *const *w = s->word;
    routine *f = (routine *)function;
    f(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]);
}

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
            call(&stranger[i], s->function[i]);
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

/* Its symbol is the routine's name with an underscore. */
static bool is(const struct stranger *s, const char *name)
{
    return !strncmp(s->symbol, name, strlen(s->symbol) - 1) && !name[strlen(s->symbol) - 1];
}

void kt_strangers_call(struct kt_strangers *s, const char *name)
{
    size_t first = kt_random(&s->state) % KT_STRANGERS;
    for (size_t k = 0; k < KT_STRANGERS; k++) {
        size_t i = (first + k) % KT_STRANGERS;
        if (!s->function[i] || is(&stranger[i], name))
            continue;
        call(&stranger[i], s->function[i]);
        return;
    }
}
