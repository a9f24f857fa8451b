/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/counter_files.h"

#include "preload/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILES_SHARE = 4, HIGH_FILE = 4096 };

static _Atomic int files; /* that all threads hold */

/* --- the kernel -------------------------------------------------------------------------------------------- */

/* By a bare system call: read() and close() are points where a thread may be cancelled, and calls of BLAS are not. */
long kt_counter_files_read(int file, void *out, size_t bytes)
{
    return kt_system_call(SYS_read, file, out, bytes);
}

bool kt_counter_files_is_ours(const struct kt_counter *counter)
{
    uint64_t id = 0;
    return kt_system_call(SYS_ioctl, counter->file, PERF_EVENT_IOC_ID, &id) == 0 && id == counter->id;
}

static void close_file(int file)
{
    kt_system_call(SYS_close, file);
}

static int files_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT32_MAX)
        return INT32_MAX;
    return (int)limit.rlim_cur;
}

/* Out of the way of programs that select() or count on small numbers. */
static int move_high(int file)
{
    int limit = files_limit();
    int high = fcntl(file, F_DUPFD_CLOEXEC, limit >= 2 * HIGH_FILE ? HIGH_FILE : limit / 2);
    int error = errno;
    close_file(file);
    errno = error;
    return high;
}

/* A leader counts when its group is complete. */
static int open_code(const struct perf_event_attr *wanted, int group)
{
    struct perf_event_attr code = *wanted;
    code.disabled = group < 0;
    int file = (int)kt_system_call(SYS_perf_event_open, &code, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
    return file < 0 ? file : move_high(file);
}

/* Counting these in user mode would give 0: the kernel does them. */
static bool happens_in_kernel(const struct perf_event_attr *code)
{
    return code->type == PERF_TYPE_SOFTWARE &&
           (code->config == PERF_COUNT_SW_CONTEXT_SWITCHES || code->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
            code->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

/* --- opening ----------------------------------------------------------------------------------------------- */

void kt_counter_files_close(struct kt_counter *counter)
{
    if (counter->file >= 0 && kt_counter_files_is_ours(counter))
        close_file(counter->file);
    if (counter->file >= 0)
        atomic_fetch_sub(&files, 1);
    if (counter->page)
        munmap((void *)(uintptr_t)counter->page, KT_COUNTER_PAGE);
    *counter = (struct kt_counter){.file = -1};
}

/* A user who may not count in the kernel still may in user mode. */
static int open_allowed(struct kt_wanted *event, int group)
{
    int file = open_code(&event->code, group);
    if (file >= 0 || (errno != EACCES && errno != EPERM) || event->code.exclude_kernel)
        return file;
    int error = errno;
    struct perf_event_attr user_code = event->code;
    user_code.exclude_kernel = 1;
    file = open_code(&user_code, group);
    if (file < 0) {
        errno = error;
        return file;
    }
    if (happens_in_kernel(&event->code)) {
        close_file(file);
        kt_events_found(event, KT_FACT_KERNEL_ONLY);
        errno = 0;
        return -1;
    }
    event->code.exclude_kernel = 1;
    kt_events_found(event, KT_FACT_USER_ONLY);
    return file;
}

/* Counters of one kind can be read together. Software events are apart from the others, which may be multiplexed. */
static uint32_t kind_of(const struct kt_wanted *event)
{
    uint32_t type = event->code.type;
    return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ? PERF_TYPE_RAW : type;
}

static bool is_leader_for(const struct kt_counters *c, unsigned leader, unsigned event)
{
    return c->of[leader].members && c->of[leader].file >= 0 &&
           kind_of(&kt_wanted[leader]) == kind_of(&kt_wanted[event]);
}

/* In a group if that can be: what does not fit into one group has one of its own. */
static int open_event(struct kt_counters *c, unsigned event, bool grouped)
{
    struct kt_counter *counter = &c->of[event];
    for (unsigned leader = 0; grouped && leader < event; leader++) {
        if (!is_leader_for(c, leader, event))
            continue;
        int file = open_allowed(&kt_wanted[event], c->of[leader].file);
        if (file >= 0) {
            counter->leader = leader;
            counter->place = c->of[leader].members++;
            return file;
        }
    }
    counter->leader = event;
    counter->place = 0;
    int file = open_allowed(&kt_wanted[event], -1);
    counter->members = file >= 0;
    return file;
}

static void open_counter(struct kt_counters *c, unsigned event, bool grouped)
{
    struct kt_counter *counter = &c->of[event];
    if (happens_in_kernel(&kt_wanted[event].code) && kt_wanted[event].code.exclude_kernel) {
        kt_events_found(&kt_wanted[event], KT_FACT_KERNEL_ONLY);
        return;
    }
    if (atomic_load(&files) >= files_limit() / FILES_SHARE) {
        kt_events_found(&kt_wanted[event], KT_FACT_TOO_MANY_FILES);
        return;
    }
    int file = open_event(c, event, grouped);
    if (file < 0) {
        if (errno)
            kt_events_failed(&kt_wanted[event], errno);
        return;
    }
    atomic_fetch_add(&files, 1);
    counter->file = file;
    if (kt_system_call(SYS_ioctl, file, PERF_EVENT_IOC_ID, &counter->id) != 0)
        counter->id = UINT64_MAX;
}

void kt_counter_files_leave(struct kt_counters *c, unsigned leader)
{
    for (unsigned i = 0; i < kt_event_count; i++) {
        if (c->of[i].file < 0 || c->of[i].leader != leader)
            continue;
        close_file(c->of[i].file);
        c->of[i].file = -1;
        atomic_fetch_sub(&files, 1);
    }
}

/* Members that join a group at work do not count before the thread was rescheduled (seen in Linux 6.18): 0 would be
 * read.
 */
static void enable_groups(struct kt_counters *c)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        if (c->of[i].members)
            kt_system_call(SYS_ioctl, c->of[i].file, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

void kt_counter_files_open(struct kt_counters *c, bool grouped)
{
    for (unsigned i = 0; i < kt_event_count; i++)
        if (kt_counter_files_has_code(&kt_wanted[i]))
            open_counter(c, i, grouped);
    enable_groups(c);
}

void kt_counter_files_forget(void)
{
    atomic_store(&files, 0);
}
