/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of one shape on vectors with elements in each of 7,812 pages: the system has to find these during the call for
 * every "f" in the first argument, once as they are read and once as they are written, and found them before for every
 * "t". Little else takes time, but so much that page faults are counted. */
#define _DEFAULT_SOURCE
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

void dscal_(const int *n, const double *alpha, double *x, const int *incx);

int main(int argc, char **argv)
{
    const int n = 8 * 7812;
    const int step = 64; /* a page has 512 elements */
    const double two = 2;
    const size_t bytes = (size_t)n * (size_t)step * sizeof(double);
    for (const char *kind = argc > 1 ? argv[1] : ""; *kind; kind++) {
        double *x = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (x == MAP_FAILED)
            return 1;
        madvise(x, bytes, MADV_NOHUGEPAGE); /* so that the number of pages is known */
        if (*kind == 't')
            memset(x, 1, bytes);
        dscal_(&n, &two, x, &step);
        munmap(x, bytes);
    }
    return 0;
}
