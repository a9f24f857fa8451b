/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that libraries are loaded in: what one that answers says, and one that is not there any more. */
#include "replay/measure/child.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void answer(const void *context, int socket)
{
    int number;
    while (recv(socket, &number, sizeof number, 0) == sizeof number && number > 0) {
        number += *(const int *)context;
        send(socket, &number, sizeof number, 0);
    }
}

static bool ask(struct kt_child *child, int request, int *reply)
{
    return kt_child_ask(child, &request, sizeof request, reply, sizeof *reply, 60);
}

static void test_answers(void **state)
{
    (void)state;
    const int more = 40;
    int reply = 0;
    struct kt_child child;
    struct kt_error error = {0};
    assert_int_equal(kt_child_start(&child, answer, &more, &error), KT_OK);
    assert_true(ask(&child, 2, &reply));
    assert_int_equal(reply, 42);
    assert_false(ask(&child, -1, &reply)); /* it ends */
    kt_child_end(&child);
    assert_int_equal(child.pid, 0);
}

/* In a group of its own: what goes wrong may hit all of it. */
static void test_nobody_is_hit_where_there_is_none(void **state)
{
    (void)state;
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        int reply;
        struct kt_child none = KT_NO_CHILD;
        setpgid(0, 0);
        _exit(ask(&none, 1, &reply));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers),
                                       cmocka_unit_test(test_nobody_is_hit_where_there_is_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
