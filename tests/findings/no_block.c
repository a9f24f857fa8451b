/* SPDX-License-Identifier: BSD-3-Clause */
/* An ILAENV that does not know dgeqrf: its block size is that of unknown routines, 1. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef int ilaenv(const int *spec, const char *name, const char *options, const int *n1, const int *n2, const int *n3,
                   const int *n4, size_t name_length, size_t options_length);

ilaenv ilaenv_;
int ilaenv_(const int *spec, const char *name, const char *options, const int *n1, const int *n2, const int *n3,
            const int *n4, size_t name_length, size_t options_length)
{
    static const char unknown[] = "DGEQRF";
    enum { LENGTH = sizeof unknown - 1, BLOCK_SIZE = 1 };
    ilaenv *next = (ilaenv *)dlsym(RTLD_NEXT, "ilaenv_");
    if (*spec == BLOCK_SIZE && name_length >= LENGTH && !memcmp(name, unknown, LENGTH))
        return 1;
    return next(spec, name, options, n1, n2, n3, n4, name_length, options_length);
}
