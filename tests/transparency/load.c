/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads modules and has each do its work, twice, in turn: `load MODE:MODULE...`, MODE is local, global or deep. Modules
 * are linked to libraries that define the same names, of which each must get its own.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8 };

typedef void work_function(const char *name);

static int mode_of(const char *name)
{
    if (strncmp(name, "global:", 7) == 0)
        return RTLD_NOW | RTLD_GLOBAL;
    return RTLD_LOCAL | (strncmp(name, "deep:", 5) == 0 ? RTLD_LAZY | RTLD_DEEPBIND : RTLD_NOW);
}

static work_function *load(const char *name)
{
    void *module = dlopen(strchr(name, ':') + 1, mode_of(name));
    if (module)
        return (work_function *)dlsym(module, "work");
    fprintf(stderr, "%s\n", dlerror());
    return NULL;
}

int main(int argc, char **argv)
{
    work_function *work[MOST];
    for (int i = 1; i < argc && i < MOST; i++)
        if (!(work[i] = load(argv[i])))
            return 1;
    for (int round = 0; round < 2; round++)
        for (int i = 1; i < argc && i < MOST; i++)
            work[i](strrchr(argv[i], '/') + 1);
    return 0;
}
