/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/file.h"

#include "preload/apart.h"
#include "preload/line.h"
#include "preload/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* As the kernel has them, in 8 bytes; the C library's sets of signals take 128 each of stacks that may be small. */
static inline uint64_t only(int signal)
{
    return (uint64_t)1 << (signal - 1);
}

static void change_mask(int how, const uint64_t *mask, uint64_t *before)
{
    kt_system_call(SYS_rt_sigprocmask, how, mask, before, sizeof *mask);
}

/* The signals that a write just raised are taken back, unless ones like them were waiting already. */
static void discard_signals(uint64_t raised)
{
    static const struct timespec at_once;
    while (kt_system_call(SYS_rt_sigtimedwait, &raised, (siginfo_t *)NULL, &at_once, sizeof raised) > 0)
        ;
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
    const uint64_t fatal = only(SIGPIPE) | only(SIGXFSZ);
    uint64_t before;
    uint64_t waiting = 0;
    change_mask(SIG_BLOCK, &fatal, &before);
    kt_system_call(SYS_rt_sigpending, &waiting, sizeof waiting);
    size_t done = write_blocked(file, bytes, count);
    int saved = errno;
    if (done < count)
        discard_signals(fatal & ~waiting);
    change_mask(SIG_SETMASK, &before, NULL);
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
    int file = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe that nobody writes to would stop us */
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

struct link {
    const char *path;
    char *out;
    size_t size;
};

static void follow(void *at)
{
    static struct kt_line self; /* within a slow path: one at a time */
    struct link *link = at;
    int file = open(link->path, O_PATH | O_CLOEXEC);
    if (file < 0)
        return;
    self = (struct kt_line){0};
    kt_line_raw(&self, "/proc/thread-self/fd/");
    kt_line_unsigned(&self, (uint64_t)file, 10);
    ssize_t length = readlink(self.text, link->out, link->size - 1);
    link->out[length > 0 ? length : 0] = '\0';
    close(file);
}

void kt_file_real(const char *path, char *out, size_t size)
{
    struct link link = {path, out, size};
    *out = '\0';
    kt_apart(follow, &link);
}
