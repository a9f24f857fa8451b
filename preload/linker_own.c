/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/linker_own.h"

#include "preload/file.h"
#include "preload/objects.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

struct own {
    const char *name;
    _Atomic(void *) address;
};

static void *address_of(struct own *own)
{
    void *address = atomic_load_explicit(&own->address, memory_order_acquire);
    if (!address) {
        address = kt_objects_find_next(own->name);
        atomic_store_explicit(&own->address, address, memory_order_release);
    }
    return address;
}

void *kt_linker_own_dlopen(void)
{
    static struct own own = {.name = "dlopen"};
    return address_of(&own);
}

void *kt_linker_own_dlsym(void)
{
    static struct own own = {.name = "dlsym"};
    return address_of(&own);
}

void *kt_linker_own_dlvsym(void)
{
    static struct own own = {.name = "dlvsym"};
    return address_of(&own);
}

void *kt_linker_own_open(const char *file, int mode)
{
    return ((void *(*)(const char *, int))kt_linker_own_dlopen())(file, mode);
}

void *kt_linker_own_find(void *handle, const char *name)
{
    return ((void *(*)(void *, const char *))kt_linker_own_dlsym())(handle, name);
}

int kt_linker_own_close(void *handle)
{
    static struct own own = {.name = "dlclose"};
    return ((int (*)(void *))address_of(&own))(handle);
}

/* Without us the dynamic linker would have ended the program in just this way. */
_Noreturn void kt_linker_own_fail(const char *symbol)
{
    static const char text[] = "symbol lookup error: undefined symbol: ";
    kt_file_write(STDERR_FILENO, text, sizeof text - 1);
    kt_file_write(STDERR_FILENO, symbol, strlen(symbol));
    kt_file_write(STDERR_FILENO, "\n", 1);
    _exit(127);
}
