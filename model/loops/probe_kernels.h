/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The nano-benchmarks of the core: dependent chains of one operation on one type. Written in C with the compiler's
 * vectors, one instruction for each operation; tests/probe/probe_kernels.sh disassembles them.
 */
#ifndef KT_PROBE_KERNELS_H
#define KT_PROBE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Chains side by side: 32 registers have room for more of them, and cores with so many may need 16, four operations in
 * each cycle that take four cycles. */
#if defined(__aarch64__)
#define KT_STREAMS_MAX 24
#else
#define KT_STREAMS_MAX 12
#endif

enum {
    KT_STREAMS_DIV = 6,   /* of divisions, which need more registers; no divider has that many under way */
    KT_CHAIN_LENGTH = 60, /* operations of one pass of the loop, at most; see kt_kernel_operations() */
};

struct kt_probe_kernel {
    const char *operation; /* add, mul, div, fma, balance (adds and multiplies by turns) */
    const char *type;      /* int32, int64, float, double */
    int lanes;             /* 1: scalar */
    int flops;             /* of one instruction; 0: integers */
    const char *needs;     /* instruction set, as __builtin_cpu_supports names it; "": always there */
    void (*run)(uint64_t passes, int streams);
};

extern const struct kt_probe_kernel kt_kernels[];
extern const size_t kt_kernel_count;

/* Chains that the kernel can have side by side. */
int kt_kernel_streams(const struct kt_probe_kernel *kernel);

/* Operations of one pass with so many chains. */
int kt_kernel_operations(int streams);

/* Whether this processor, and the system, let it run. */
bool kt_kernel_present(const struct kt_probe_kernel *kernel);

/* NULL: there is none, or it cannot run here. */
const struct kt_probe_kernel *kt_kernel_find(const char *operation, const char *type, int lanes);

/* So many dependent integer additions of registers: one core cycle each on every processor known. Immediate operands
 * would not do: some processors fold them before they execute (X-Ray, section 3, takes any addition). N: passes of
 * KT_CHAIN_LENGTH. */
void kt_kernel_clock(uint64_t passes);

#endif
