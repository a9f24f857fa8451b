/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sandbox FIRST HOW THEN: makes FIRST calls, forbids itself something, makes THEN calls and ends with status 5.
 *   strict    all system calls but four, by prctl()
 *   filter    all but those that end a process or write, by prctl(); another kills
 *   seccomp   the same by syscall()
 *   wrong     asks for a filter in a way that the kernel refuses
 *   stamps    the processor's time stamps
 */
#include "tests/fault/work.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool set_filter(bool by_syscall)
{
    struct sock_filter line[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof line / sizeof *line, line};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    return by_syscall ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0
                      : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static bool forbid(const char *how)
{
    if (!strcmp(how, "strict"))
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0;
    if (!strcmp(how, "stamps"))
        return prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0;
    if (!strcmp(how, "wrong"))
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 && prctl(PR_SET_SECCOMP, 77) == -1;
    return set_filter(!strcmp(how, "seccomp"));
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    work_times(atoi(argv[1]));
    if (!forbid(argv[2]))
        return 3;
    work_times(atoi(argv[3]));
    work_product();
    work_solve();
    syscall(SYS_exit, 5);
}
