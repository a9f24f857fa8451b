// SPDX-License-Identifier: BSD-3-Clause
// Calls ddot from templates, lambdas, constructors and destructors, and while an exception is on its way.
#include <functional>
#include <stdexcept>
#include <vector>

extern "C" double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);

namespace work
{
volatile double sink;

template <typename T> struct vector {
    std::vector<T> at;
    explicit vector(int n) : at(n, 1) { sink = norm() + 1; }
    ~vector() { sink = norm() + 2; }
    T norm() const
    {
        const int n = (int)at.size();
        const int one = 1;
        T sum = ddot_(&n, at.data(), &one, at.data(), &one);
        return sum + 1;
    }
};

__attribute__((noinline)) double fail(int i)
{
    vector<double> v(i % 5 + 1);
    if (i % 3 == 0)
        throw std::runtime_error("on its way");
    return v.norm();
}

__attribute__((noinline)) double guarded(int i)
{
    try {
        return fail(i) + 1;
    } catch (const std::exception &) {
        vector<double> v(2);
        return v.norm() + 3;
    }
}
} // namespace work

int main()
{
    std::function<double(int)> product = [](int n) { return work::vector<double>(n).norm() + 1; };
    for (int i = 0; i < 16; i++) {
        work::sink = work::guarded(i) + 1;
        work::sink = product(i % 4 + 1) + 1;
    }
}
