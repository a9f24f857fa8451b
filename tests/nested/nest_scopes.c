/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Modules whose calls reach libraries of their own make them within a call of the program, and outside. Arguments: how
 * often each module is loaded, unloaded and loaded again, or 0 to keep all; then MODULE=ANSWER... A thread makes such
 * calls all the time through the first module, which stays. Prints how many answers were wrong.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

typedef double (*answerer)(void);

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
void xerbla_(const char *name, const int *info, size_t length);

static struct module {
    const char *path;
    double answer;
    void *handle;
    answerer ask;
} module[MOST];

static int modules;
static atomic_int wrong, rounds;
static atomic_bool over;
static __thread const struct module *asked, *last;

static void ask(const struct module *m)
{
    wrong += m->ask() != m->answer;
}

void xerbla_(const char *name, const int *info, size_t length)
{
    (void)name, (void)info, (void)length;
    for (const struct module *m = asked; m <= last; m++) {
        ask(m);
        ask(m);
    }
}

/* Within a call, before and behind it. */
static void ask_all(const struct module *from, const struct module *to)
{
    double a[1] = {0};
    const int one = 1;
    int info;
    asked = from;
    last = to;
    dpotrf_("L", &one, a, &one, &info, 1);
    xerbla_("", &info, 0);
    dpotrf_("L", &one, a, &one, &info, 1);
}

static void *ask_all_the_time(void *unused)
{
    while (!over) {
        ask_all(&module[0], &module[0]);
        rounds++;
    }
    return unused;
}

static void load(struct module *m)
{
    m->handle = dlopen(m->path, RTLD_NOW | RTLD_LOCAL);
    m->ask = m->handle ? (answerer)dlsym(m->handle, "module_dot") : NULL;
    if (!m->ask)
        exit(98);
}

static void reload_all(int times)
{
    for (int i = 0; i < times; i++)
        for (struct module *m = module + 1; m < module + modules; m++) {
            load(m);
            ask_all(m, m);
            dlclose(m->handle);
        }
}

static void keep_all(void)
{
    for (struct module *m = module + 1; m < module + modules; m++)
        load(m);
    for (int i = 0; i < 10; i++)
        ask_all(module, module + modules - 1);
}

static void run(int times)
{
    pthread_t thread;
    if (times) {
        pthread_create(&thread, NULL, ask_all_the_time, NULL);
        while (rounds < 10)
            ;
        reload_all(times);
        over = true;
        pthread_join(thread, NULL);
    } else {
        keep_all();
    }
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc && modules < MOST; i++) {
        char *answer = strchr(argv[i], '=');
        *answer = '\0';
        module[modules++] = (struct module){.path = argv[i], .answer = atof(answer + 1)};
    }
    load(&module[0]);
    run(atoi(argv[1]));
    printf("%d wrong\n", wrong);
    return 0;
}
