/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * To preload: a kernel that has hardware counters. perf_event_open gives real descriptors of an event that never
 * happens, whatever was asked for, and reading them gives counts that are made up. FAKE says how, in words:
 *
 *   room=N      so many counters: a group of more is refused
 *   free=N      so many of them are free: a larger group never counts, smaller ones always do
 *   share=N     counters count during one of N of the time
 *   starve      others have the counters after the first reading
 *   zero        they count, but nothing happens
 *   forbid      counting in the kernel is not allowed
 *   part=ERRNO  the second thread and all later ones get this error
 *
 * Each reading adds 10 to the first counter of a group, 20 to the second and so on, and 1000 ns to the time, but
 * the first 16 count nothing: the shim finds out with them what its own readings add.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILES = 1 << 16, COUNT = 10, TIME = 1000, UNCOUNTED = 16 };

/* By the kernel's number of the leader, which copies of its descriptor share; it goes on from process to process. */
static struct group {
    uint64_t members, readings;
} group_of_id[FILES];

static long (*real)(long, ...);

static long word(const char *name, long otherwise)
{
    const char *at = getenv("FAKE");
    at = at ? strstr(at, name) : NULL;
    if (!at)
        return otherwise;
    at += strlen(name);
    return *at == '=' ? atol(at + 1) : 1;
}

static struct group *group_of(int file)
{
    uint64_t id = 0;
    return real(SYS_ioctl, (long)file, PERF_EVENT_IOC_ID, &id) == 0 ? &group_of_id[id % FILES] : NULL;
}

static long refuse(int error)
{
    errno = error;
    return -1;
}

static long open_fake(const struct perf_event_attr *wanted, long pid, long cpu, long leader, long flags)
{
    struct group *group = leader >= 0 ? group_of((int)leader) : NULL;
    if (word("forbid", 0) && !wanted->exclude_kernel)
        return refuse(EACCES);
    if (word("part", 0) && real(SYS_gettid) != (long)getpid())
        return refuse((int)word("part", 0));
    if (group && (long)group->members >= word("room", 100))
        return refuse(EINVAL);
    struct perf_event_attr dummy = {.type = PERF_TYPE_SOFTWARE,
                                    .config = PERF_COUNT_SW_DUMMY,
                                    .size = sizeof dummy,
                                    .exclude_kernel = 1,
                                    .disabled = wanted->disabled,
                                    .read_format = wanted->read_format};
    long file = real(SYS_perf_event_open, &dummy, pid, cpu, leader, flags);
    group = group ? group : file >= 0 ? group_of((int)file) : NULL;
    if (group)
        group->members++;
    return file;
}

static long read_fake(int file, uint64_t *words, size_t bytes, struct group *group)
{
    long length = real(SYS_read, (long)file, words, bytes);
    uint64_t reading = ++group->readings;
    uint64_t counted = reading > UNCOUNTED && !word("zero", 0) ? reading - UNCOUNTED : 0;
    if (length < (long)(3 * sizeof *words))
        return length;
    words[1] = reading * TIME;
    words[2] = (long)group->members > word("free", 100)
                   ? 0
                   : (word("starve", 0) ? 1 : reading) * TIME / (uint64_t)word("share", 1);
    for (uint64_t i = 0; i < words[0]; i++)
        words[3 + i] = counted * COUNT * (i + 1);
    return length;
}

long syscall(long number, ...)
{
    va_list list;
    long a[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (!real)
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_perf_event_open)
        return open_fake((const struct perf_event_attr *)a[0], a[1], a[2], a[3], a[4]);
    struct group *group = number == SYS_read ? group_of((int)a[0]) : NULL;
    if (group)
        return read_fake((int)a[0], (uint64_t *)a[1], (size_t)a[2], group);
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
