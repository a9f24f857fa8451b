/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/itself.h"

#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/command/json.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_EXECUTABLE = 126, KILLED = 128 };

/* Of this command, and an end. */
static char **with_name(char *const *arguments)
{
    size_t count = 0;
    while (arguments[count])
        count++;
    char **list = kt_resize(NULL, count + 2, sizeof *list);
    list[0] = kt_copy("ktrace");
    for (size_t i = 0; i <= count; i++)
        list[i + 1] = arguments[i];
    return list;
}

static _Noreturn void be_itself(char *const *arguments, int output)
{
    if (output >= 0)
        dup2(output, STDOUT_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    execv("/proc/self/exe", with_name(arguments));
    _exit(NOT_EXECUTABLE);
}

enum kt_status kt_itself_run(char *const *arguments, int output, int *exit, struct kt_error *error)
{
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        return kt_fail(error, KT_SYSTEM, "a process cannot be made: %s", strerror(errno));
    if (pid == 0)
        be_itself(arguments, output);
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return kt_fail(error, KT_SYSTEM, "waiting for ktrace %s: %s", arguments[0], strerror(errno));
        if (kt_interrupted())
            kill(pid, kt_interrupted());
    }
    *exit = WIFSIGNALED(status) ? KILLED + WTERMSIG(status) : WEXITSTATUS(status);
    return KT_OK;
}

static enum kt_status read_back(int file, const char *what, json_t **out, struct kt_error *error)
{
    off_t size = lseek(file, 0, SEEK_END);
    char *text = kt_resize(NULL, size > 0 ? (size_t)size : 1, 1);
    enum kt_status status = size > 0 && pread(file, text, (size_t)size, 0) == size
                                ? kt_json_take(what, text, (size_t)size, out, error)
                                : kt_fail(error, KT_BAD_INPUT, "%s: ktrace says nothing of it", what);
    free(text);
    return status;
}

enum kt_status kt_itself_ask(char *const *arguments, const char *what, json_t **out, int *exit, struct kt_error *error)
{
    *out = NULL;
    int file = memfd_create("output", MFD_CLOEXEC);
    if (file < 0)
        return kt_fail(error, KT_SYSTEM, "no memory for what ktrace %s says: %s", arguments[0], strerror(errno));
    enum kt_status status = kt_itself_run(arguments, file, exit, error);
    if (status == KT_OK && (*exit == KT_OK || *exit == KT_FINDING))
        status = read_back(file, what, out, error);
    close(file);
    return status;
}
