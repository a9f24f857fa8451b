/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every nano-benchmark of the probe runs on this processor, and the clock says something: no more can be asked of an
 * emulator.
 */
#include "model/loops/probe_kernels.h"
#include "model/loops/probe_streams.h"
#include "model/loops/stopwatch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool runs(const struct kt_probe_kernel *kernel)
{
    for (int streams = 1; streams <= kt_kernel_streams(kernel); streams++)
        kernel->run(3, streams);
    return true;
}

int main(void)
{
    size_t count = 0;
    double *area = aligned_alloc(64, 3 * KT_STREAM_BLOCK * sizeof *area);
    for (size_t i = 0; i < 3 * KT_STREAM_BLOCK; i++)
        area[i] = 1;
    for (size_t i = 0; i < kt_kernel_count; i++)
        count += kt_kernel_present(&kt_kernels[i]) && runs(&kt_kernels[i]);
    for (size_t i = 0; i < kt_stream_loop_count; i++)
        if (kt_stream_loop_present(&kt_stream_loops[i]))
            kt_stream_loops[i].run(area, area + KT_STREAM_BLOCK, area + 2 * KT_STREAM_BLOCK, KT_STREAM_BLOCK, 1);
    double ticks = kt_ticks_per_cycle();
    double hz = kt_ticks_per_second(0.01);
    printf("# %zu kernels, clock %.3g Hz\n", count, hz);
    free(area);
    return count >= 20 && isfinite(ticks) && ticks > 0 && hz > 1e5 ? 0 : 1;
}
