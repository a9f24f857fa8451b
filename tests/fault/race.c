/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything at once, for the thread sanitizer: threads make calls, come and go, load and unload a module that makes
 * calls, while main forks. Arguments: rounds, the module. Prints the wrong answers.
 */
#include "tests/fault/work.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CREW = 3 };

static int rounds;
static const char *module;
static atomic_int wrong;

static void *call(void *unused)
{
    for (int i = 0; i < 2000; i++)
        wrong += !work_dot(i % 5) || !(i % 10 != 0 || (work_solve() && work_product() && work_factor()));
    return unused;
}

static void *come_and_go(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, call, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return unused;
}

static void *load_and_unload(void *unused)
{
    for (int i = 0; i < 20 * rounds; i++) {
        void *library = dlopen(module, RTLD_LAZY | RTLD_LOCAL);
        double (*dot)(void) = library ? (double (*)(void))dlsym(library, "module_dot") : NULL;
        wrong += !dot || dot() != 1;
        if (library)
            dlclose(library);
    }
    return unused;
}

static void fork_child(void)
{
    int status = -1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(work_dot(3) && work_solve() ? 0 : 1);
    waitpid(pid, &status, 0);
    wrong += status != 0;
}

int main(int argc, char **argv)
{
    pthread_t thread[CREW + 1];
    if (argc != 3)
        return 99;
    rounds = atoi(argv[1]);
    module = argv[2];
    for (int i = 0; i < CREW; i++)
        pthread_create(&thread[i], NULL, come_and_go, NULL);
    pthread_create(&thread[CREW], NULL, load_and_unload, NULL);
    for (int i = 0; i < rounds; i++)
        fork_child();
    for (int i = 0; i <= CREW; i++)
        pthread_join(thread[i], NULL);
    printf("%d wrong\n", wrong);
    return 0;
}
