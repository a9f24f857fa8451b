/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters of system calls, of the kinds that programs set. */
#include "preload/filter.h"

#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>

#include <cmocka.h>

#define LOAD(member)            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define EQUAL(value, yes, no)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define GREATER(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, value, yes, no)
#define ANSWER(action)          BPF_STMT(BPF_RET | BPF_K, action)
#define HARMS(filter, number)   kt_filter_harms(filter, sizeof(filter) / sizeof *(filter), number)

static void a_list_of_what_is_allowed(void **state)
{
    (void)state;
    static const struct sock_filter filter[] = {LOAD(nr), EQUAL(SYS_write, 1, 0), ANSWER(SECCOMP_RET_KILL_PROCESS),
                                                ANSWER(SECCOMP_RET_ALLOW)};
    assert_false(HARMS(filter, SYS_write));
    assert_true(HARMS(filter, SYS_read));
}

static void a_list_of_what_is_refused(void **state)
{
    (void)state;
    static const struct sock_filter filter[] = {LOAD(nr),
                                                EQUAL(SYS_openat, 0, 1),
                                                ANSWER(SECCOMP_RET_ERRNO | 1),
                                                EQUAL(SYS_mmap, 0, 1),
                                                ANSWER(SECCOMP_RET_TRAP),
                                                ANSWER(SECCOMP_RET_ALLOW)};
    assert_false(HARMS(filter, SYS_openat)); /* an error is an answer */
    assert_true(HARMS(filter, SYS_mmap));
    assert_false(HARMS(filter, SYS_close));
}

/* Nobody knows the arguments of calls to come: all ways are looked at. */
static void arguments_are_unknown(void **state)
{
    (void)state;
    static const struct sock_filter filter[] = {LOAD(nr),
                                                EQUAL(SYS_mmap, 0, 3),
                                                LOAD(args[2]),
                                                BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 4, 0, 1),
                                                ANSWER(SECCOMP_RET_KILL_THREAD),
                                                ANSWER(SECCOMP_RET_ALLOW)};
    assert_true(HARMS(filter, SYS_mmap));
    assert_false(HARMS(filter, SYS_munmap));
}

/* As libseccomp makes them: the architecture first, and a tree of comparisons. */
static void trees_and_arithmetic(void **state)
{
    (void)state;
    static const struct sock_filter filter[] = {
        LOAD(arch),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0),
        BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 7),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_LD | BPF_IMM, 7),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 4),
        LOAD(nr),
        GREATER(100, 0, 1),
        EQUAL(200, 1, 2),
        EQUAL(50, 0, 1),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    assert_true(HARMS(filter, 200));
    assert_false(HARMS(filter, 201));
    assert_true(HARMS(filter, 50));
    assert_false(HARMS(filter, 51));
}

static void what_cannot_be_followed_harms(void **state)
{
    (void)state;
    static const struct sock_filter beyond[] = {EQUAL(1, 200, 200), ANSWER(SECCOMP_RET_ALLOW)};
    static const struct sock_filter endless[] = {LOAD(nr), LOAD(nr)};
    static const struct sock_filter far[] = {BPF_STMT(BPF_JMP | BPF_JA, 0xffffffff), ANSWER(SECCOMP_RET_ALLOW)};
    static const struct sock_filter unknown[] = {LOAD(args[0]), BPF_STMT(BPF_RET | BPF_A, 0)};
    assert_true(HARMS(beyond, 1));
    assert_true(HARMS(endless, 1));
    assert_true(HARMS(far, 1));
    assert_true(HARMS(unknown, 1));
    assert_true(kt_filter_harms(beyond, 0, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_what_is_allowed),     cmocka_unit_test(a_list_of_what_is_refused),
        cmocka_unit_test(arguments_are_unknown),         cmocka_unit_test(trees_and_arithmetic),
        cmocka_unit_test(what_cannot_be_followed_harms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
