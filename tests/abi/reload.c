/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads modules one after the other, each when the last is unloaded; prints what each reached, and dlerror(). */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        void *module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (!module) {
            printf("%s\n", dlerror());
            return 1;
        }
        double (*call)(void) = (double (*)(void))dlsym(module, "module_dot");
        double first = call();
        const char *error = dlerror();
        printf("%g %g %s\n", first, call(), error ? error : "no error");
        dlclose(module);
    }
    return 0;
}
