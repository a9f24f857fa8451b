// SPDX-License-Identifier: BSD-3-Clause
// The same with exceptions. Arguments: the way, how often. Out of a call: throw, again (one that was caught before),
// clean (through a function that has something to clean up, and makes calls then). Within a callback: within. Where
// there is no call: nowhere.
#include "tests/nested/nest.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

static std::string way;
static int errors, wrong;

struct cleaner {
    ~cleaner()
    {
        nest_tagged_from_afar();
    }
};

extern "C" void xerbla_(const char *name, const int *info, size_t length);
extern "C" void xerbla_(const char *, const int *, size_t)
{
    errors++;
    if (way == "again")
        throw;
    throw std::runtime_error("xerbla");
}

static int select_and_throw(const double *re, const double *)
{
    try {
        throw std::runtime_error("within");
    } catch (const std::runtime_error &) {
        return nest_is_small(re);
    }
}

static void fail_in_the_handler()
{
    try {
        throw std::runtime_error("first");
    } catch (const std::runtime_error &) {
        nest_fail();
    }
}

static void fail_and_clean()
{
    cleaner at_the_end;
    nest_fail();
}

static void go_once()
{
    try {
        if (way == "within")
            wrong += !nest_schur(select_and_throw);
        else if (way == "nowhere")
            throw std::runtime_error("nowhere");
        else if (way == "again")
            fail_in_the_handler();
        else if (way == "clean")
            fail_and_clean();
        else
            nest_fail();
    } catch (const std::runtime_error &) {
    }
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 99;
    way = argv[1];
    for (int i = 0; i < std::atoi(argv[2]); i++) {
        go_once();
        nest_tagged_from_afar();
        wrong += !work_solve();
    }
    std::printf("%d wrong, %d errors, %d tags\n", wrong, errors, nest_tags);
    return 0;
}
