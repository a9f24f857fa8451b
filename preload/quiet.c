/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/quiet.h"

#include "preload/life.h"
#include "preload/system.h"
#include "preload/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* What is changed of this thread, to be put back. */
static __thread struct {
    sigset_t mask;
    int cancel, cancel_type;
} outside __attribute__((tls_model("initial-exec")));

/* Signals that a fault of this thread raises could not be waited with. */
static void block_signals(sigset_t *before)
{
    static const int fault[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof fault / sizeof *fault; i++)
        sigdelset(&all, fault[i]);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

/*
 * Whoever cancels a thread that allows it at any moment sends a signal, which may arrive later. Its handler ends the
 * thread if that is within a system call that is a cancellation point, whether or not it can be cancelled by then
 * (glibc 2.36): it would end with our lock (preload/slow.c). So it is waited for here, where we hold nothing: such a
 * call does not return before a signal that is under way has arrived.
 */
static void await_cancellation(void)
{
    int saved = errno;
    ssize_t none = read(-1, NULL, 0);
    (void)none;
    errno = saved;
}

bool kt_quiet_begin(void)
{
    sigset_t mask;
    kt_life_adopt();
    if (kt_self.busy || !kt_system_may_ask())
        return false;
    /* The type first: whoever cancels this thread at this moment looks at the type alone. */
    int type, state;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    if (type == PTHREAD_CANCEL_ASYNCHRONOUS)
        await_cancellation();
    block_signals(&mask);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    kt_self.busy = true;
    outside.mask = mask;
    outside.cancel_type = type;
    outside.cancel = state;
    return true;
}

void kt_quiet_end(void)
{
    sigset_t mask = outside.mask;
    int type = outside.cancel_type;
    int state = outside.cancel;
    kt_self.busy = false;
    pthread_setcancelstate(state, NULL);
    pthread_setcanceltype(type, NULL); /* a cancellation that waited: only this way it has its result */
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}
