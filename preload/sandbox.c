/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that forbid themselves system calls (seccomp) or the processor's time stamps (PR_SET_TSC), where a call of
 * ours would be their end. They are noticed when they ask the kernel for it, by prctl() or syscall(). If what they set
 * could harm us (preload/filter.h) no slow path is entered from then on: calls are recorded into the memory that is
 * there, and then counted. A program without time stamps is not recorded any more. Filters that a program inherits do
 * not count: containers have them.
 */
#include "preload/control.h"
#include "preload/filter.h"
#include "preload/notice.h"
#include "preload/process.h"
#include "preload/recorder.h"
#include "preload/scopes.h"
#include "preload/slow.h"
#include "preload/system.h"
#include "preload/tape.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* preload/sandbox_hooks.S has it called before a system call that asks for seccomp. */
KT_HIDDEN long kt_sandbox_before_seccomp(long number, unsigned operation, unsigned long flags, void *arguments);

/* The kernel refused. */
static void leave(bool was_inside)
{
    atomic_store(&kt_in_sandbox, was_inside);
}

/* What slow paths ask the kernel for. */
static const uint16_t asked[] = {
    SYS_clone,      SYS_close,         SYS_close_range,    SYS_exit,        SYS_fallocate, SYS_fcntl,
    SYS_fstatfs,    SYS_ftruncate,     SYS_futex,          SYS_getcwd,      SYS_getpid,    SYS_getrusage,
    SYS_gettid,     SYS_madvise,       SYS_mmap,           SYS_mremap,      SYS_munmap,    SYS_newfstatat,
    SYS_openat,     SYS_pread64,       SYS_prlimit64,      SYS_pwrite64,    SYS_pwritev,   SYS_read,
    SYS_readlinkat, SYS_rt_sigpending, SYS_rt_sigprocmask, SYS_sigaltstack, SYS_truncate,  SYS_unlinkat,
    SYS_write,
#ifdef __x86_64__
    SYS_mkdir,      SYS_open,          SYS_readlink,       SYS_rename,      SYS_rmdir,     SYS_stat,
    SYS_unlink,
#endif
};

/* By the kernel: what the program passed may not be there. */
static bool copy(void *out, const void *from, size_t bytes)
{
    struct iovec local = {out, bytes};
    struct iovec remote = {(void *)from, bytes};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

/* Does a filter of the program's harm us? Many refuse some calls only, with an error. Within a slow path. */
static bool is_harmful(const void *filter)
{
    static struct sock_filter line[BPF_MAXINSNS];
    struct sock_fprog program = {0};
    if (!copy(&program, filter, sizeof program) || program.len > BPF_MAXINSNS ||
        !copy(line, program.filter, program.len * sizeof *line))
        return true;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (kt_filter_harms(line, program.len, asked[i]))
            return true;
    return kt_extras & KT_EXTRA_CHECKSUM && kt_filter_harms(line, program.len, SYS_process_vm_readv);
}

/* The last moment at which objects can be listed, and this thread have more memory to record into. FILTER: NULL for the
 * strict mode. */
static void enter(const void *filter)
{
    int saved = errno;
    bool begun = kt_slow_begin();
    bool enters = !filter || !begun || is_harmful(filter);
    if (begun && enters) {
        kt_scopes_resolve("syscall", (uintptr_t)enter); /* reads what objects there are */
        if (!(kt_extras & KT_EXTRA_PROFILE) && kt_self.stream->chunk)
            kt_tape_stock(kt_self.stream);
    }
    if (begun)
        kt_slow_end();
    atomic_store(&kt_in_sandbox, enters);
    errno = saved;
}

/* The strict mode takes the time stamps too (seccomp_assign_mode in the kernel), and the C library's clocks read them.
 */
static void do_without_stamps(void)
{
    atomic_store(&kt_recorder.state, KT_STATE_OFF);
    kt_control_change();
}

/* HOW the program does without. Nothing is said where nothing is recorded. */
static void say_end(const char *how)
{
    int saved = errno;
    kt_process_start();
    if (atomic_load(&kt_recorder.state) != KT_STATE_OFF)
        kt_notice("the program forbids the processor's time stamps (", how, "): nothing is recorded from here on");
    errno = saved;
}

static long ask_for_sandbox(const void *filter, long number, unsigned long a, unsigned long b, const void *c)
{
    bool was_inside = !kt_system_may_ask();
    if (!was_inside && !filter)
        say_end("seccomp's strict mode");
    if (!was_inside)
        enter(filter);
    long result = kt_system_call(number, a, b, c);
    if (result < 0)
        leave(was_inside);
    else if (!filter)
        do_without_stamps();
    return result;
}

long kt_sandbox_before_seccomp(long number, unsigned operation, unsigned long flags, void *arguments)
{
    if (operation != SECCOMP_SET_MODE_STRICT && operation != SECCOMP_SET_MODE_FILTER)
        return kt_system_call(number, operation, flags, arguments);
    const void *filter = operation == SECCOMP_SET_MODE_FILTER ? arguments : NULL;
    return ask_for_sandbox(filter, number, operation, flags, arguments);
}

static long forbid_stamps(void)
{
    long result = kt_system_call(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);
    if (result < 0)
        return result;
    say_end("PR_SET_TSC");
    do_without_stamps();
    return result;
}

/* The declaration in <sys/prctl.h> is variadic; the kernel takes five words. */
KT_EXPORT int kt_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) __asm__("prctl");
int kt_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    if (option == PR_SET_SECCOMP)
        return (int)ask_for_sandbox(a == SECCOMP_MODE_FILTER ? (const void *)b : NULL, SYS_prctl, PR_SET_SECCOMP, a,
                                    (const void *)b);
    if (option == PR_SET_TSC && a == PR_TSC_SIGSEGV)
        return (int)forbid_stamps();
    return (int)kt_system_call(SYS_prctl, option, a, b, c, d);
}
