// SPDX-License-Identifier: BSD-3-Clause
// The header in C++: a region in which a call is left by an exception.
#include "ktrace/ktrace.h"
#include "tests/fault/work.h"

#include <stdexcept>

namespace
{
struct region {
    explicit region(const char *name)
    {
        ktrace_begin(name);
    }
    ~region()
    {
        ktrace_end();
    }
};

void fail()
{
    region inner("inner");
    work_times(2);
    throw std::runtime_error("as planned");
}
} // namespace

int main()
{
    region outer("outer");
    try {
        fail();
    } catch (const std::runtime_error &) {
        work_times(3);
    }
    ktrace_pause();
    work_times(5);
    ktrace_resume();
    return ktrace_recording() ? 0 : 1;
}
