/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libktrace-block.so: other block sizes for LAPACK. Its blocked routines ask ilaenv for them; where this library is
 * preloaded, the routines that KTRACE_BLOCK_SIZE names get that answer, and all other questions go on to the ilaenv
 * that the caller would have reached.
 *
 * A library of its own, as libktrace.so is to change nothing: programs that did not ask for this never meet an ilaenv
 * of ours. Rules of the environment: no output, no memory from malloc; a variable that cannot be read has no effect,
 * `ktrace run` has checked it.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EXPORT __attribute__((visibility("default")))

enum { MOST = 32, NAME = 16, SITES = 64 };

/* What ilaenv is asked for: the block size, and the size of the rest that is done without blocks. */
enum { BLOCK_SIZE = 1, CROSSOVER = 3 };

static struct {
    char routine[NAME];
    long block, crossover; /* -1: as the library says */
} setting[MOST];
static int settings;

typedef long ilaenv(const void *spec, const char *name, const char *options, const void *n1, const void *n2,
                    const void *n3, const void *n4, size_t name_length, size_t options_length);

/* ROUTINE=NB[:NX] */
static void read_setting(const char *text)
{
    size_t length = strcspn(text, "=,");
    char *end;
    if (text[length] != '=' || length >= NAME || settings == MOST)
        return;
    memcpy(setting[settings].routine, text, length);
    setting[settings].block = strtol(text + length + 1, &end, 10);
    setting[settings].crossover = *end == ':' ? strtol(end + 1, &end, 10) : -1;
    if ((*end == ',' || !*end) && setting[settings].block > 0)
        settings++;
}

__attribute__((constructor)) static void read_settings(void)
{
    const char *at = getenv("KTRACE_BLOCK_SIZE");
    for (; at && *at; at += strcspn(at, ","), at += *at == ',')
        read_setting(at);
}

/* -1: the question is not ours. C programs often pass no length: then LENGTH is anything, and a 0 ends the name. */
static long answer(long spec, const char *name, size_t length)
{
    length = strnlen(name, length < NAME ? length : NAME);
    while (length && name[length - 1] == ' ')
        length--;
    for (int i = 0; i < settings; i++)
        if (strlen(setting[i].routine) == length && !strncasecmp(setting[i].routine, name, length))
            return spec == BLOCK_SIZE ? setting[i].block : spec == CROSSOVER ? setting[i].crossover : -1;
    return -1;
}

/* The object that holds ADDRESS, which is never unloaded from now on; NULL: unknown. */
static void *keep_object(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) && info.dli_fname ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* In the global scope, otherwise in that of the caller: modules of interpreters have their own. */
static ilaenv *look_up(const char *symbol, const void *caller)
{
    void *found = dlsym(RTLD_NEXT, symbol);
    void *scope = found ? NULL : keep_object(caller);
    if (scope)
        found = dlsym(scope, symbol);
    if (found)
        keep_object(found);
    return (ilaenv *)found;
}

/* What was found for each place that asks; a place that is not remembered is looked up again. */
static ilaenv *next_for(const char *symbol, const void *caller)
{
    static struct {
        _Atomic uintptr_t caller;
        _Atomic(ilaenv *) next;
    } site[SITES];
    unsigned at = (unsigned)((uintptr_t)caller >> 2) % SITES;
    if (atomic_load(&site[at].caller) == (uintptr_t)caller)
        return atomic_load(&site[at].next);
    ilaenv *found = look_up(symbol, caller);
    uintptr_t none = 0;
    if (found && !atomic_load(&site[at].next)) {
        ilaenv *nobody = NULL;
        if (atomic_compare_exchange_strong(&site[at].next, &nobody, found))
            atomic_compare_exchange_strong(&site[at].caller, &none, (uintptr_t)caller);
    }
    return found;
}

#define DEFINE_ILAENV(symbol)                                                                            \
    EXPORT ilaenv symbol;                                                                                \
    long symbol(const void *spec, const char *name, const char *options, const void *n1, const void *n2, \
                const void *n3, const void *n4, size_t name_length, size_t options_length)               \
    {                                                                                                    \
        long ours = settings ? answer(*(const int32_t *)spec, name, name_length) : -1;                   \
        if (ours >= 0)                                                                                   \
            return ours;                                                                                 \
        ilaenv *next = next_for(#symbol, __builtin_return_address(0));                                   \
        return next ? next(spec, name, options, n1, n2, n3, n4, name_length, options_length) : 1;        \
    }
DEFINE_ILAENV(ilaenv_)
DEFINE_ILAENV(ilaenv_64_)
