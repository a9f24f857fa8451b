/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/file.h"

#include "preload/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* The signal that a write just raised is taken back, unless one like it was waiting already. */
static void discard_signal(int signal, const sigset_t *waiting)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    if (!sigismember(waiting, signal))
        sigtimedwait(&one, NULL, &(struct timespec){0});
}

static size_t write_blocked(int file, const char *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        ssize_t written = write(file, bytes + done, count - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        done += (size_t)written;
    }
    return done;
}

size_t kt_file_write(int file, const char *bytes, size_t count)
{
    sigset_t fatal;
    sigset_t before;
    sigset_t waiting;
    sigemptyset(&fatal);
    sigaddset(&fatal, SIGPIPE);
    sigaddset(&fatal, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &fatal, &before);
    sigpending(&waiting);
    size_t done = write_blocked(file, bytes, count);
    int saved = errno;
    if (done < count) {
        discard_signal(SIGPIPE, &waiting);
        discard_signal(SIGXFSZ, &waiting);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return done;
}

struct transfer {
    const char *path;
    const char *from;
    char *to;
    size_t bytes, done;
};

static void append(void *at)
{
    struct transfer *t = at;
    int file = open(t->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return;
    t->done = kt_file_write(file, t->from, t->bytes);
    if (close(file) != 0 && errno != EINTR)
        t->done = 0;
}

size_t kt_file_append(const char *path, const void *bytes, size_t count)
{
    struct transfer t = {.path = path, .from = bytes, .bytes = count};
    kt_apart(append, &t);
    return t.done;
}

static void read_whole(void *at)
{
    struct transfer *t = at;
    int file = open(t->path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 1;
    if (file < 0)
        return;
    while (got > 0 && t->done < t->bytes) {
        got = read(file, t->to + t->done, t->bytes - t->done);
        t->done += got > 0 ? (size_t)got : 0;
    }
    close(file);
}

size_t kt_file_read(const char *path, char *out, size_t size)
{
    struct transfer t = {.path = path, .to = out, .bytes = size - 1};
    kt_apart(read_whole, &t);
    out[t.done] = '\0';
    return t.done;
}
