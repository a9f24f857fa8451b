/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes: how they end, and how they make others. Each argument is done in turn; a number at its end is N.
 *   calls   N calls                          solve    N calls that nest
 *   segv    a routine reads a bad address    segvs    a routine that a routine calls does; handled by leaving with 3
 *   jump    the same, N times, left by siglongjmp           stop     a wrong argument: the library ends the process
 *   _exit, quick_exit, exit   with status N, and calls by the functions that these run
 *   fork    a child makes N calls and exits  chain    children of children, N levels, 5 calls each
 *   clone   a child made by a raw system call makes N calls while its parent does
 *   clones  N children made so, one after the other, 10 calls each
 *   leaver  a child made so makes no call and exits with N
 *   binders N children made so, while threads enter regions, make their first call of a routine
 *   vfork   a child that shares our memory executes this program with N calls
 *   borrow  such a child makes N calls itself
 *   exec, spawn, system       this program in our place, by posix_spawn, by the shell, with N calls
 *   daemon  go on in the background with N calls            say      print a word through the buffer
 */
#include "include/ktrace/ktrace.h"
#include "tests/fault/work.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *self;
static sigjmp_buf back;

static void call_with_bad_address(void)
{
    const int n = 4;
    const int one = 1;
    printf("%g\n", ddot_(&n, (const double *)64, &one, (const double *)64, &one));
}

static void solve_with_bad_address(void)
{
    double a[] = {4, 3, 6, 3};
    const int n = 2;
    const int one = 1;
    int ipiv[2];
    int info;
    dgesv_(&n, &one, a, &n, ipiv, (double *)64, &n, &info);
}

static void leave(int number)
{
    (void)number;
    _exit(3);
}

static void jump(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

static void jump_out_of_faults(int times)
{
    volatile int left = 0;
    struct sigaction action = {.sa_handler = jump};
    sigaction(SIGSEGV, &action, NULL);
    for (volatile int i = 0; i < times; i++) {
        if (sigsetjmp(back, 1))
            left++;
        else if (i % 2)
            call_with_bad_address();
        else
            solve_with_bad_address();
    }
    printf("left %d times\n", left);
}

static void call_wrongly(void)
{
    const int minus = -1;
    int info;
    dpotrf_("L", &minus, NULL, &minus, &info, 1);
}

static void at_end(void)
{
    work_times(2);
}

static void wait_for(pid_t pid)
{
    int status = -1;
    waitpid(pid, &status, 0);
    printf("child: status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

static void fork_child(int calls)
{
    pid_t pid = fork();
    if (pid == 0) {
        work_times(calls);
        exit(4);
    }
    wait_for(pid);
}

static void fork_chain(int levels)
{
    work_times(5);
    if (levels == 0)
        return;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        fork_chain(levels - 1);
        exit(levels);
    }
    wait_for(pid);
}

/* As fork(), without the functions that fork() runs. */
static pid_t raw_fork(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
}

static void clone_child(int calls)
{
    pid_t pid = raw_fork();
    work_times(calls);
    if (pid == 0)
        _exit(6);
    wait_for(pid);
}

static void clone_children(int times)
{
    int status;
    for (int i = 0; i < times; i++) {
        pid_t pid = raw_fork();
        work_times(10);
        if (pid == 0)
            _exit(0);
        waitpid(pid, &status, 0);
    }
}

static void clone_leaver(int status)
{
    pid_t pid = raw_fork();
    if (pid == 0)
        exit(status);
    wait_for(pid);
}

static atomic_bool is_enough;

/* Takes the lock of ktrace's slow paths again and again. */
static void *enter_regions(void *unused)
{
    while (!atomic_load(&is_enough)) {
        ktrace_begin("region");
        ktrace_end();
    }
    return unused;
}

/* Most of them find that a thread of their parent held the lock. */
static void clone_binders(int children)
{
    enum { CREW = 3 };
    pthread_t crew[CREW];
    int wrong = 0;
    for (int i = 0; i < CREW; i++)
        pthread_create(&crew[i], NULL, enter_regions, NULL);
    for (int i = 0; i < children; i++) {
        int found = -1;
        pid_t pid = raw_fork();
        if (pid == 0) {
            alarm(5);
            _exit(work_product() ? 0 : 99);
        }
        waitpid(pid, &found, 0);
        wrong += found != 0;
    }
    atomic_store(&is_enough, true);
    for (int i = 0; i < CREW; i++)
        pthread_join(crew[i], NULL);
    printf("%d wrong\n", wrong);
}

static char **arguments(int calls)
{
    static char text[32];
    static char *list[3];
    snprintf(text, sizeof text, "calls%d", calls);
    list[0] = self;
    list[1] = text;
    return list;
}

static void vfork_program(int calls)
{
    char **list = arguments(calls);
    pid_t pid = vfork();
    if (pid == 0) {
        execv(self, list);
        _exit(127);
    }
    wait_for(pid);
}

static void vfork_borrow(int calls)
{
    pid_t pid = vfork();
    if (pid == 0) {
        work_times(calls);
        _exit(7);
    }
    wait_for(pid);
}

static void spawn(int calls)
{
    pid_t pid;
    if (posix_spawn(&pid, self, NULL, NULL, arguments(calls), environ) == 0)
        wait_for(pid);
}

static void run_by_shell(int calls)
{
    char command[4200];
    snprintf(command, sizeof command, "'%s' calls%d", self, calls);
    printf("shell: status %d\n", system(command));
}

static void perform(const char *what)
{
    size_t length = strcspn(what, "0123456789");
    int n = atoi(what + length);
    fflush(stdout);
#define IS(name) (length == sizeof name - 1 && !strncmp(what, name, length))
    if (IS("calls"))
        work_times(n);
    else if (IS("solve"))
        for (int i = 0; i < n; i++)
            printf(work_solve() ? "" : "wrong\n");
    else if (IS("segv"))
        call_with_bad_address();
    else if (IS("segvs"))
        signal(SIGSEGV, leave), solve_with_bad_address();
    else if (IS("jump"))
        jump_out_of_faults(n);
    else if (IS("stop"))
        call_wrongly();
    else if (IS("_exit"))
        _exit(n);
    else if (IS("quick_exit"))
        at_quick_exit(at_end), quick_exit(n);
    else if (IS("exit"))
        atexit(at_end), exit(n);
    else if (IS("fork"))
        fork_child(n);
    else if (IS("chain"))
        fork_chain(n);
    else if (IS("clone"))
        clone_child(n);
    else if (IS("clones"))
        clone_children(n);
    else if (IS("leaver"))
        clone_leaver(n);
    else if (IS("binders"))
        clone_binders(n);
    else if (IS("vfork"))
        vfork_program(n);
    else if (IS("borrow"))
        vfork_borrow(n);
    else if (IS("exec"))
        execv(self, arguments(n));
    else if (IS("spawn"))
        spawn(n);
    else if (IS("system"))
        run_by_shell(n);
    else if (IS("daemon"))
        printf("%d\n", daemon(0, 1)), work_times(n);
    else if (IS("say"))
        printf("%s\n", what);
    else
        printf("what is %s?\n", what), exit(99);
}

int main(int argc, char **argv)
{
    self = argv[0];
    for (int i = 1; i < argc; i++)
        perform(argv[i]);
    puts("done");
    return 0;
}
