/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads modules with different BLAS libraries into local scopes and prints which library each call reached. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static const char *const function[] = {"module_dot", "module_cblas_dot", "module_through"};
    for (int i = 1; i < argc; i++) {
        void *module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (!module) {
            printf("%s\n", dlerror());
            return 1;
        }
        for (int f = 0; f < 3; f++) {
            double (*call)(void) = (double (*)(void))dlsym(module, function[f]);
            printf("%s %g %g\n", function[f], call(), call());
        }
    }
    return 0;
}
