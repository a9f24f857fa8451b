/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every way to reach a routine. Each pair of arguments is done in turn and prints what the routine answered:
 *   local global deep noload FILE    open a module with RTLD_LOCAL, _GLOBAL, _DEEPBIND, _NOLOAD|_GLOBAL; call through
 * it handle FILE      look ddot_ up in the library, twice, close the library version FILE     look ddot_ up in the
 * library, with the versions that it has and one that it has not default next program NAME    is there such a routine
 * (RTLD_DEFAULT, RTLD_NEXT, the handle of the program)? linked -         the routine that the program is linked with
 * (-DLINKED)
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double dot(const int *, const double *, const int *, const double *, const int *);

static const double x[1] = {1};
static const int one = 1;

static void *must(void *what)
{
    if (what)
        return what;
    printf("%s\n", dlerror());
    exit(1);
}

static void through_module(const char *file, int mode)
{
    void *module = must(dlopen(file, RTLD_LAZY | mode));
    double (*call)(void) = (double (*)(void))dlsym(module, "module_dot");
    if (call)
        printf("%g %g\n", call(), call());
}

static void through_jump(const char *file)
{
    void *module = must(dlopen(file, RTLD_LAZY | RTLD_LOCAL));
    printf("%g\n", ((dot *)must(dlsym(module, "module_jump")))(&one, x, &one, x, &one));
}

static void through_handle(const char *file)
{
    void *library = must(dlopen(file, RTLD_NOW | RTLD_LOCAL));
    dot *first = (dot *)must(dlsym(library, "ddot_"));
    dot *second = (dot *)must(dlsym(library, "ddot_"));
    printf("%g %g %s\n", first(&one, x, &one, x, &one), second(&one, x, &one, x, &one),
           first == second ? "the same" : "another");
    printf("%s\n", dlsym(library, "dgemmt_") ? "defined" : strrchr(dlerror(), '/'));
    dlclose(library);
}

static void through_versions(const char *file)
{
    static const char *const version[] = {"OLD", "NEW", "NONE"};
    void *library = must(dlopen(file, RTLD_NOW | RTLD_LOCAL));
    for (int i = 0; i < 3; i++) {
        dot *call = (dot *)dlvsym(library, "ddot_", version[i]);
        printf("%s %g\n", version[i], call ? call(&one, x, &one, x, &one) : -1);
    }
    printf("%g\n", ((dot *)must(dlsym(library, "ddot_")))(&one, x, &one, x, &one));
}

static void tell_whether(void *handle, const char *name)
{
    dlerror();
    void *found = dlsym(handle, name);
    const char *error = dlerror();
    const char *colon = error ? strchr(error, ':') : NULL; /* the object is named before it */
    printf("%s: %s%s\n", name, found ? "there" : "not there", colon ? colon : "");
}

static void linked(void)
{
#ifdef LINKED
    extern dot ddot_;
    printf("%g\n", ddot_(&one, x, &one, x, &one));
#endif
}

static void perform(const char *way, const char *name)
{
    if (!strcmp(way, "local"))
        through_module(name, RTLD_LOCAL);
    else if (!strcmp(way, "global"))
        through_module(name, RTLD_GLOBAL);
    else if (!strcmp(way, "deep"))
        through_module(name, RTLD_LOCAL | RTLD_DEEPBIND);
    else if (!strcmp(way, "noload"))
        through_module(name, RTLD_NOLOAD | RTLD_GLOBAL);
    else if (!strcmp(way, "jump"))
        through_jump(name);
    else if (!strcmp(way, "handle"))
        through_handle(name);
    else if (!strcmp(way, "version"))
        through_versions(name);
    else if (!strcmp(way, "default"))
        tell_whether(RTLD_DEFAULT, name);
    else if (!strcmp(way, "next"))
        tell_whether(RTLD_NEXT, name);
    else if (!strcmp(way, "program"))
        tell_whether(dlopen(NULL, RTLD_NOW), name);
    else
        linked();
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2)
        perform(argv[i], argv[i + 1]);
    return 0;
}
