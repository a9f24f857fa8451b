/* SPDX-License-Identifier: BSD-3-Clause */
/* What asks a command to end: once, the same at once again as timeout(1) sends it, and a second time in earnest. */
#include "trace/base/interrupt.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void once(void)
{
    raise(SIGTERM);
}

static void to_the_group_too(void)
{
    raise(SIGTERM);
    raise(SIGTERM);
    raise(SIGINT);
}

static void again_later(void)
{
    raise(SIGINT);
    usleep(700 * 1000);
    raise(SIGTERM);
}

static void ignored(void)
{
    kt_interrupt_ignore();
    raise(SIGHUP);
}

/* How a process ends that does WHAT, and then, if it is still there, with the number of the signal that it remembers.
 */
static int end_of(void (*what)(void))
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        kt_interrupt_catch();
        what();
        _exit(kt_interrupted());
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_one_is_remembered(void **state)
{
    (void)state;
    assert_int_equal(end_of(once), SIGTERM);
}

static void test_what_comes_at_once_again_is_the_same(void **state)
{
    (void)state;
    assert_int_equal(end_of(to_the_group_too), SIGTERM);
}

static void test_a_later_one_ends_the_process(void **state)
{
    (void)state;
    assert_int_equal(end_of(again_later), -SIGTERM);
}

static void test_children_leave_it_to_the_command(void **state)
{
    (void)state;
    assert_int_equal(end_of(ignored), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_is_remembered),
        cmocka_unit_test(test_what_comes_at_once_again_is_the_same),
        cmocka_unit_test(test_a_later_one_ends_the_process),
        cmocka_unit_test(test_children_leave_it_to_the_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
