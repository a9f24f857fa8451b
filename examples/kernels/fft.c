/* SPDX-License-Identifier: BSD-3-Clause */
/* Complex Fourier transform of n numbers by FFTW; it counts as 5 n log2 n operations, as is usual. */
#include <ktrace/kernel.h>

#include <fftw3.h>
#include <math.h>

static int64_t bytes(int64_t n)
{
    return n * (int64_t)sizeof(fftw_complex);
}

static double flops(int64_t n)
{
    return 5 * (double)n * log2((double)n);
}

/* FFTW tries plans out on arrays that lie like those which it will work on. */
static void *prepare(int64_t n)
{
    fftw_complex *in = fftw_malloc((size_t)bytes(n));
    fftw_complex *out = fftw_malloc((size_t)bytes(n));
    fftw_plan plan = in && out ? fftw_plan_dft_1d((int)n, in, out, FFTW_FORWARD, FFTW_MEASURE) : NULL;
    fftw_free(in);
    fftw_free(out);
    return plan;
}

static void run(int64_t n, void *const *buffer, void *prepared)
{
    (void)n;
    fftw_execute_dft(prepared, buffer[0], buffer[1]);
}

static int takes(int64_t n)
{
    return n >= 2;
}

const struct ktrace_kernel ktrace_kernel = {
    .version = KTRACE_KERNEL_VERSION,
    .name = "fft",
    .buffer = {{"in", KTRACE_READ, bytes, 64}, {"out", KTRACE_WRITE, bytes, 64}},
    .run = run,
    .flops = flops,
    .takes = takes,
    .prepare = prepare};
