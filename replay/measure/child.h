/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that a library is loaded in: whatever the library does there, crash, hang or exit, the tool goes on. It
 * answers requests over a socket, in messages of fixed size, and dies with the tool. What the library prints goes to
 * standard error.
 */
#ifndef KT_CHILD_H
#define KT_CHILD_H

#include "trace/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct kt_child {
    pid_t pid;       /* 0: none */
    int socket;      /* -1: none */
    double limit;    /* seconds that an answer was waited for, the last time */
    bool timed_out;  /* it was killed for want of an answer */
    bool was_killed; /* ... by somebody else, as the system does for want of memory */
};

enum { KT_CHILD_END = 128 }; /* bytes of a text that says how one ended */

/* None: what a struct that has one begins with. */
#define KT_NO_CHILD ((struct kt_child){.socket = -1})

/* Calls SERVE(CONTEXT, its end of the socket) in a new process, which ends with it. */
enum kt_status kt_child_start(struct kt_child *child, void (*serve)(const void *context, int socket),
                              const void *context, struct kt_error *error);

/* Does it go on without a word for so many seconds? False: there is a message, it has ended, or the wait was
 * interrupted. */
bool kt_child_waits(const struct kt_child *child, double seconds);

/* Waits for a message of SIZE bytes, for at most so many seconds. False: the process has ended, hangs or is not waited
 * for any longer, and is dead, but not buried. */
bool kt_child_receive(struct kt_child *child, void *message, size_t size, double seconds);

/* The same after a request. */
bool kt_child_ask(struct kt_child *child, const void *request, size_t request_size, void *reply, size_t reply_size,
                  double seconds);

/* Buries one that has not answered; OUT says how it ended. */
void kt_child_bury(struct kt_child *child, char out[KT_CHILD_END]);

/* Kills and buries it, if there is one. */
void kt_child_end(struct kt_child *child);

/* Has it stand still, or go on, if there is one. */
void kt_child_rest(const struct kt_child *child, bool still);

#endif
