/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/measure/child.h"

#include "trace/base/interrupt.h"
#include "trace/print/text.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum kt_status kt_child_start(struct kt_child *child, void (*serve)(const void *context, int socket),
                              const void *context, struct kt_error *error)
{
    int pair[2];
    *child = KT_NO_CHILD;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return kt_fail(error, KT_SYSTEM, "cannot create a socket: %s", strerror(errno));
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        kt_interrupt_ignore();
        dup2(STDERR_FILENO, STDOUT_FILENO);
        serve(context, pair[1]);
        _exit(0);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return kt_fail(error, KT_SYSTEM, "cannot start a process: %s", strerror(errno));
    }
    child->pid = pid;
    child->socket = pair[0];
    return KT_OK;
}

/* Nobody else: the kernel takes the number 0 for all processes of our group. */
static void stop(const struct kt_child *child)
{
    if (child->pid)
        kill(child->pid, SIGKILL);
}

/* As poll() returns it: 1, 0 if the time is over, -1 if it is interrupted. */
static int wait_for_message(const struct kt_child *child, double seconds)
{
    struct pollfd poll_fd = {.fd = child->socket, .events = POLLIN};
    int limit_ms = seconds < 1e6 ? (int)ceil(seconds * 1e3) : 1000000000;
    int ready;
    while ((ready = poll(&poll_fd, 1, limit_ms > 0 ? limit_ms : 0)) < 0 && errno == EINTR && !kt_interrupted())
        ;
    return ready;
}

bool kt_child_waits(const struct kt_child *child, double seconds)
{
    return wait_for_message(child, seconds) == 0;
}

/* One that has ended keeps its status; one that has closed its end and goes on does not. */
bool kt_child_receive(struct kt_child *child, void *message, size_t size, double seconds)
{
    int ready = wait_for_message(child, seconds);
    child->limit = seconds;
    if (ready == 1 && recv(child->socket, message, size, 0) == (ssize_t)size)
        return true;
    child->timed_out = ready == 0;
    stop(child);
    return false;
}

bool kt_child_ask(struct kt_child *child, const void *request, size_t request_size, void *reply, size_t reply_size,
                  double seconds)
{
    if (send(child->socket, request, request_size, MSG_NOSIGNAL) == (ssize_t)request_size)
        return kt_child_receive(child, reply, reply_size, seconds);
    stop(child);
    return false;
}

static int wait_for(struct kt_child *child)
{
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(child->socket);
    child->pid = 0;
    child->socket = -1;
    return status;
}

void kt_child_bury(struct kt_child *child, char out[KT_CHILD_END])
{
    char limit[16];
    int status = wait_for(child);
    child->was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !child->timed_out;
    if (WIFEXITED(status))
        snprintf(out, KT_CHILD_END, "ended the process with status %d", WEXITSTATUS(status));
    else if (child->timed_out)
        snprintf(out, KT_CHILD_END, "did not return within the time limit of %s", kt_text_seconds(child->limit, limit));
    else
        snprintf(out, KT_CHILD_END, "died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

void kt_child_end(struct kt_child *child)
{
    if (!child->pid)
        return;
    kill(child->pid, SIGKILL); /* also where it stands still */
    wait_for(child);
}

void kt_child_rest(const struct kt_child *child, bool still)
{
    if (child->pid)
        kill(child->pid, still ? SIGSTOP : SIGCONT);
}
