/* SPDX-License-Identifier: BSD-3-Clause */
/* turns MINE OTHERS FIRST CALLS: makes calls in turns with another process: waits for a byte of the pipe MINE, calls
 * ddot_ with n = FIRST, FIRST + 2, ..., so that n tells which call was made after which, and puts a byte into the pipe
 * OTHERS. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

int main(int argc, char **argv)
{
    enum { MOST = 1000 };
    static const double x[2 * MOST];
    const int one = 1;
    char turn = 0;
    double sum = 0;
    if (argc != 5)
        return 1;
    int mine = open(argv[1], O_RDWR);
    int others = open(argv[2], O_RDWR);
    int first = atoi(argv[3]);
    int calls = atoi(argv[4]);
    if (mine < 0 || others < 0 || first < 1 || first > 2 || calls > MOST - 1)
        return 1;
    for (int n = first; n <= 2 * calls; n += 2) {
        if ((n > 1 && read(mine, &turn, 1) != 1))
            return 1;
        sum += ddot_(&n, x, &one, x, &one);
        if (write(others, &turn, 1) != 1)
            return 1;
    }
    return sum != 0;
}
