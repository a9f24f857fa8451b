/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/program_run.h"

#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- the child --------------------------------------------------------------------------------------------- */

static char *join_files(const struct kt_library *library)
{
    size_t size = 1;
    for (int i = 0; i < library->files; i++)
        size += strlen(library->file[i]) + 1;
    char *text = kt_resize(NULL, size, 1);
    *text = '\0';
    for (int i = 0; i < library->files; i++) {
        strcat(text, i ? "," : "");
        strcat(text, library->file[i]);
    }
    return text;
}

/* "ktrace run -o TRACE [--blas FILES] [--map FILE] -- COMMAND", in memory that the process that executes it leaves
 * behind. */
static char **make_arguments(const struct kt_program_run *run)
{
    size_t words = 0;
    size_t count = 0;
    while (run->command[words])
        words++;
    char **list = kt_resize(NULL, words + 11, sizeof *list);
    list[count++] = kt_copy("ktrace");
    list[count++] = kt_copy("run");
    list[count++] = kt_copy("-o");
    list[count++] = kt_copy(run->trace);
    if (run->library) {
        list[count++] = kt_copy("--blas");
        list[count++] = join_files(run->library);
    }
    if (run->map) {
        list[count++] = kt_copy("--map");
        list[count++] = kt_copy(run->map);
    }
    list[count++] = kt_copy("--");
    for (size_t i = 0; i <= words; i++)
        list[count++] = run->command[i];
    return list;
}

static _Noreturn void be_the_run(const struct kt_program_run *run, int output)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    int input = open(run->has_input ? "/proc/self/fd/0" : "/dev/null", O_RDONLY);
    dup2(input, STDIN_FILENO);
    if (run->directory && chdir(run->directory) != 0)
        _exit(126);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    setenv("KTRACE_QUIET", "1", 1);
    if (run->routines)
        setenv("KTRACE_ROUTINES", run->routines, 0);
    if (run->nested)
        setenv("KTRACE_NESTED", run->nested, 0);
    if (run->threads)
        kt_program_set_threads(run->threads, run->are_asked);
    if (run->processor != KT_NO_PROCESSOR)
        kt_processor_pin(run->processor);
    execv("/proc/self/exe", make_arguments(run));
    _exit(126);
}

/* --- the parent -------------------------------------------------------------------------------------------- */

/* Waits with short naps: what is timed takes seconds, and its time is that of its calls. */
static int wait_until(pid_t pid, double limit, bool *late, struct rusage *usage)
{
    static const struct timespec nap = {.tv_nsec = 5000000};
    double start = kt_now();
    int status = 0;
    *late = false;
    while (wait4(pid, &status, WNOHANG, usage) == 0) {
        *late = limit > 0 && kt_now() - start > limit;
        if (*late || kt_interrupted()) {
            kill(-pid, SIGKILL);
            wait4(pid, &status, 0, usage);
            break;
        }
        nanosleep(&nap, NULL);
    }
    kill(-pid, SIGKILL); /* whom it left behind */
    return status;
}

/* The last line that is not empty of what was printed; "" if there is none. */
static void read_last_line(int file, char *out, size_t size)
{
    char bytes[1024];
    off_t end = lseek(file, 0, SEEK_END);
    off_t from = end > (off_t)sizeof bytes - 1 ? end - (off_t)sizeof bytes + 1 : 0;
    ssize_t got = pread(file, bytes, sizeof bytes - 1, from);
    *out = '\0';
    while (got > 0 && (bytes[got - 1] == '\n' || bytes[got - 1] == ' '))
        got--;
    if (got <= 0)
        return;
    bytes[got] = '\0';
    const char *line = strrchr(bytes, '\n');
    snprintf(out, size, "%.150s", line ? line + 1 : bytes);
}

static enum kt_status judge(const struct kt_program_run *run, int status, bool late, int output, struct kt_error *error)
{
    char line[160];
    read_last_line(output, line, sizeof line);
    if (late)
        return kt_fail(error, KT_BAD_INPUT, "%s did not end within %.0f s", run->command[0], run->limit);
    if (WIFSIGNALED(status))
        return kt_fail(error, KT_BAD_INPUT, "%s was killed by signal %d", run->command[0], WTERMSIG(status));
    if (WEXITSTATUS(status))
        return kt_fail(error, KT_BAD_INPUT, "%s ended with status %d%s%s", run->command[0], WEXITSTATUS(status),
                       *line ? ": " : "", line);
    return KT_OK;
}

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

enum kt_status kt_program_run(const struct kt_program_run *run, struct kt_program_time *time, struct kt_error *error)
{
    bool late;
    struct rusage usage = {0};
    FILE *output = tmpfile();
    if (!output)
        return kt_fail(error, KT_SYSTEM, "no temporary file for what the program prints: %s", strerror(errno));
    fflush(NULL);
    double start = kt_now();
    pid_t pid = fork();
    if (pid == 0)
        be_the_run(run, fileno(output));
    if (pid < 0) {
        fclose(output);
        return kt_fail(error, KT_SYSTEM, "cannot start a process: %s", strerror(errno));
    }
    setpgid(pid, pid);
    int status = wait_until(pid, run->limit, &late, &usage);
    time->wall = kt_now() - start;
    time->cpu = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
    enum kt_status result = judge(run, status, late, fileno(output), error);
    fclose(output);
    return result;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about, (void)kind, (void)at;
    return remove(path);
}

void kt_directory_remove(const char *path)
{
    enum { OPEN_FILES = 16 };
    nftw(path, remove_one, OPEN_FILES, FTW_DEPTH | FTW_PHYS);
}
