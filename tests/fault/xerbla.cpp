/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with an error handler of its own, which BLAS and LAPACK call for wrong arguments. Arguments: how the
 * handler is left (return, longjmp, throw, abort, exit, calls), from which routine (blas, lapack), how often.
 */
#include "tests/fault/work.h"

#include <csetjmp>
#include <cstdlib>
#include <stdexcept>
#include <string>

static std::string way;
static std::jmp_buf back;
static int errors;

extern "C" void xerbla_(const char *name, const int *info, size_t length);
extern "C" void xerbla_(const char *name, const int *info, size_t length)
{
    errors++;
    if (way == "longjmp")
        std::longjmp(back, 1);
    if (way == "throw")
        throw std::runtime_error(std::string(name, length) + " " + std::to_string(*info));
    if (way == "abort")
        std::abort();
    if (way == "exit")
        std::exit(5);
    if (way == "calls" && !(work_solve() && work_dot(4)))
        std::puts("wrong");
}

static void call_wrongly(bool lapack)
{
    const int minus = -1;
    const double one = 1;
    double c[4];
    int info = 0;
    if (lapack)
        dpotrf_("L", &minus, c, &minus, &info, 1);
    else
        dgemm_("N", "N", &minus, &minus, &minus, &one, c, &minus, c, &minus, &one, c, &minus, 1, 1);
}

static void try_once(bool lapack)
{
    try {
        if (setjmp(back) == 0)
            call_wrongly(lapack);
    } catch (const std::runtime_error &error) {
        if (errors <= 2)
            std::printf("caught %s\n", error.what());
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 99;
    way = argv[1];
    for (int i = 0; i < std::atoi(argv[3]); i++) {
        try_once(std::string(argv[2]) == "lapack");
        if (!work_solve() || !work_dot(3))
            std::puts("wrong");
    }
    std::printf("%d errors\n", errors);
    return 0;
}
