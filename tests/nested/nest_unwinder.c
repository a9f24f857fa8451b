/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Modules that have an unwinder of their own. -DLIBRARY=N: such a library, which says that it is the
 * Nth; -DMODULE: a module that calls what it was linked with; otherwise the program, whose arguments are modules.
 */
#include <dlfcn.h>
#include <stdio.h>

int raise_it(void) __asm__("_Unwind_RaiseException");
int resume_it(void) __asm__("_Unwind_Resume");
int module_answer(void);

#if defined(LIBRARY)
int raise_it(void)
{
    return LIBRARY;
}

int resume_it(void)
{
    return 10 * LIBRARY;
}
#elif defined(MODULE)
int module_answer(void)
{
    return raise_it() + resume_it();
}
#else
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        void *module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        int (*answer)(void) = module ? (int (*)(void))dlsym(module, "module_answer") : NULL;
        printf("%d\n", answer ? answer() : -1);
    }
    return 0;
}
#endif
