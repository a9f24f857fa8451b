/* SPDX-License-Identifier: BSD-3-Clause */
/* paced FILE: makes a call each millisecond until it is killed; FILE holds how many have returned. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

int main(int argc, char **argv)
{
    const int one = 1;
    const double x = 1;
    int file = argc == 2 ? open(argv[1], O_RDWR | O_CREAT, 0644) : -1;
    volatile uint64_t *made = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof *made) == 0)
        made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (made == MAP_FAILED)
        return 1;
    for (;;) {
        if (ddot_(&one, &x, &one, &x, &one) > 0)
            ++*made;
        usleep(1000);
    }
}
