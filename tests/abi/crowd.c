/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that open, call and close libraries at the same time, so that one is often loaded where another was a moment
 * ago. Arguments: rounds, the modules and libraries; each is opened by a thread of its own. Prints the wrong answers.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 16, CALLS = 5 };

typedef double dot(const int *, const double *, const int *, const double *, const int *);

static int rounds;
static atomic_int wrong;

static double answer(void *library)
{
    static const double x[1] = {1};
    static const int one = 1;
    double (*through_module)(void) = (double (*)(void))dlsym(library, "module_dot");
    if (through_module)
        return through_module();
    return ((dot *)dlsym(library, "ddot_"))(&one, x, &one, x, &one);
}

static void *work(void *file)
{
    double first = 0;
    for (int i = 0; i < rounds; i++) {
        void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL | (i % 3 == 2 ? RTLD_DEEPBIND : 0));
        if (i == 0)
            first = answer(library);
        for (int c = 0; c < CALLS; c++)
            wrong += answer(library) != first;
        dlclose(library);
    }
    printf("%g\n", first);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[MAX_THREADS];
    int count = argc - 2 < MAX_THREADS ? argc - 2 : MAX_THREADS;
    rounds = atoi(argv[1]);
    for (int i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, work, argv[i + 2]);
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    printf("%d wrong\n", wrong);
    return 0;
}
