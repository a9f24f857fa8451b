/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hand-written loops to compare `ktrace probe` with: latencies and throughputs of instructions, peaks, a pointer chase
 * and loads, in assembler, with a clock of their own. Prints "NAME VALUE" a line, in core cycles, per cycle, or bytes
 * per cycle. Nothing here is shared with the probe.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <x86intrin.h>

#define R4(x)  x x x x
#define R20(x) R4(x) R4(x) R4(x) R4(x) R4(x)

enum { TRIES = 800, LOOPS = 500 };

static uint64_t ticks(void)
{
    _mm_lfence();
    uint64_t now = __rdtsc();
    _mm_lfence();
    return now;
}

/* Ticks of a core cycle: dependent additions of registers. */
static double clock_ticks(void)
{
    uint64_t a = 1, n = LOOPS;
    uint64_t start = ticks();
    __asm__ volatile("1: " R20("add %0, %0\n") "dec %1\n jnz 1b" : "+r"(a), "+r"(n)::"cc");
    return (double)(ticks() - start) / (LOOPS * 20.0);
}

/* The lower quartile of ratios whose clock is within 2 % of the fastest. */
static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double best(const double *ticks, const double *clock, int n)
{
    static double sorted[TRIES];
    memcpy(sorted, clock, (size_t)n * sizeof *clock);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    double limit = fmax(1.02 * sorted[0], sorted[n / 4]), value[TRIES];
    int good = 0;
    for (int i = 0; i < n; i++)
        if (clock[i] <= limit)
            value[good++] = ticks[i] / clock[i];
    qsort(value, (size_t)good, sizeof *value, by_value);
    return value[good / 4];
}

#define MEASURE(result, per, ...)                      \
    do {                                               \
        static double ticks_[TRIES], clock_[TRIES];    \
        for (int t_ = 0; t_ < TRIES; t_++) {           \
            double before_ = clock_ticks();            \
            uint64_t start_ = ticks();                 \
            __VA_ARGS__;                               \
            ticks_[t_] = (double)(ticks() - start_);   \
            clock_[t_] = fmin(before_, clock_ticks()); \
        }                                              \
        result = best(ticks_, clock_, TRIES) / (per);  \
    } while (0)

/* One chain of 20, and 10 chains of 2. Operands are small constants: 1.0 in every lane. */
#define X10(op, o) op(0, o) op(1, o) op(2, o) op(3, o) op(4, o) op(5, o) op(6, o) op(7, o) op(8, o) op(9, o)
#define SSE(i, o)  o " %%xmm15, %%xmm" #i "\n"
#define AVX(i, o)  o " %%ymm15, %%ymm15, %%ymm" #i "\n"
#define FLOATS                                                                                                 \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", \
        "xmm13", "xmm14", "xmm15", "cc"
#define CHAIN(name, reg, text)                                                                                     \
    do {                                                                                                           \
        double c_;                                                                                                 \
        MEASURE(c_, LOOPS * 20.0, uint64_t n_ = LOOPS; __asm__ volatile(reg "1: " R20(text "\n") "dec %0\n jnz 1b" \
                                                                        : "+r"(n_)::FLOATS, "rax", "rbx", "rdx")); \
        printf("latency %s %.3f\n", name, c_);                                                                     \
    } while (0)
#define FLOW(kind, name, flops, reg, text)                                                                    \
    do {                                                                                                      \
        double c_;                                                                                            \
        MEASURE(c_, LOOPS * 20.0, uint64_t n_ = LOOPS; __asm__ volatile(                                      \
                    reg "1: " text text "dec %0\n jnz 1b"                                                     \
                    : "+r"(n_)::FLOATS, "rax", "rbx", "rdx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11")); \
        printf(kind " %s %.3f\n", name, (flops) / c_);                                                        \
    } while (0)

#define ONE_SSE \
    "mov $0x3ff0000000000000, %%rax\n movq %%rax, %%xmm15\n movlhps %%xmm15, %%xmm15\n movaps %%xmm15, %%xmm0\n"
#define ONE_AVX \
    "mov $0x3ff0000000000000, %%rax\n movq %%rax, %%xmm15\n vbroadcastsd %%xmm15, %%ymm15\n vmovapd %%ymm15, %%ymm0\n"
#define ONE_512 \
    "mov $0x3ff0000000000000, %%rax\n movq %%rax, %%xmm15\n vbroadcastsd %%xmm15, %%zmm15\n vmovapd %%zmm15, %%zmm0\n"
#define FMA256(i, o) "vfmadd231pd %%ymm15, %%ymm15, %%ymm" #i "\n"
#define FMA512(i, o) "vfmadd231pd %%zmm15, %%zmm15, %%zmm" #i "\n"
#define INT10(o)                                                                                          \
    o " %%rax, %%rax\n" o " %%rbx, %%rbx\n" o " %%rdx, %%rdx\n" o " %%rcx, %%rcx\n" o " %%rsi, %%rsi\n" o \
      " %%rdi, %%rdi\n" o " %%r8, %%r8\n" o " %%r9, %%r9\n" o " %%r10, %%r10\n" o " %%r11, %%r11\n"

static void instructions(void)
{
    CHAIN("add int64", "", "add %%rax, %%rax");
    CHAIN("mul int64", "", "imul %%rax, %%rax");
    CHAIN("add double", ONE_SSE, "addsd %%xmm15, %%xmm0");
    CHAIN("mul double", ONE_SSE, "mulsd %%xmm15, %%xmm0");
    CHAIN("add double x2", ONE_SSE, "addpd %%xmm15, %%xmm0");
    CHAIN("mul float", ONE_SSE, "mulss %%xmm15, %%xmm0");
    FLOW("throughput", "mul int64", 1, "", INT10("imul"));
    FLOW("throughput", "mul double", 1, ONE_SSE, X10(SSE, "mulsd"));
    FLOW("throughput", "add double", 1, ONE_SSE, X10(SSE, "addsd"));
    FLOW("throughput", "add double x2", 1, ONE_SSE, X10(SSE, "addpd"));
    if (__builtin_cpu_supports("fma")) {
        CHAIN("fma double", ONE_SSE, "vfmadd231sd %%xmm15, %%xmm15, %%xmm0");
        CHAIN("fma double x4", ONE_AVX, "vfmadd231pd %%ymm15, %%ymm15, %%ymm0");
        FLOW("peak", "fma double x4", 8, ONE_AVX, X10(FMA256, ""));
        FLOW("peak", "mul double x4", 4, ONE_AVX, X10(AVX, "vmulpd"));
        FLOW("peak", "add double x4", 4, ONE_AVX, X10(AVX, "vaddpd"));
    }
    if (__builtin_cpu_supports("avx512f")) {
        CHAIN("fma double x8", ONE_512, "vfmadd231pd %%zmm15, %%zmm15, %%zmm0");
        FLOW("peak", "fma double x8", 16, ONE_512, X10(FMA512, ""));
    }
}

/* --- memory ------------------------------------------------------------------------------------------------ */

static unsigned char *area;
enum { AREA = 64 << 20 };

/* Loads that wait for each other over BYTES in random order. */
static double chase(size_t bytes)
{
    size_t n = bytes / 64;
    static size_t order[1 << 20];
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)rand() % i, kept = order[i - 1];
        order[i - 1] = order[k];
        order[k] = kept;
    }
    for (size_t i = 0; i < n; i++)
        *(void **)(area + order[i] * 64) = area + order[(i + 1) % n] * 64;
    void *p = area;
    double cycles;
    MEASURE(cycles, 2000.0, uint64_t k = 100; __asm__ volatile("1: " R20("mov (%0), %0\n") "dec %1\n jnz 1b"
                                                               : "+r"(p), "+r"(k)::"cc", "memory"));
    return cycles;
}

static void load(size_t bytes)
{
    unsigned char *p = area;
    uint64_t k = bytes / 512;
    if (__builtin_cpu_supports("avx512f"))
        __asm__ volatile("1: vmovapd (%0), %%zmm0\n vmovapd 64(%0), %%zmm1\n vmovapd 128(%0), %%zmm2\n"
                         "vmovapd 192(%0), %%zmm3\n vmovapd 256(%0), %%zmm4\n vmovapd 320(%0), %%zmm5\n"
                         "vmovapd 384(%0), %%zmm6\n vmovapd 448(%0), %%zmm7\n add $512, %0\n dec %1\n jnz 1b"
                         : "+r"(p), "+r"(k)::"memory", FLOATS);
    else
        for (; k; k--, p += 512)
            __asm__ volatile("vmovapd (%0), %%ymm0\n vmovapd 32(%0), %%ymm1\n vmovapd 64(%0), %%ymm2\n"
                             "vmovapd 96(%0), %%ymm3\n vmovapd 128(%0), %%ymm4\n vmovapd 160(%0), %%ymm5\n"
                             "vmovapd 192(%0), %%ymm6\n vmovapd 224(%0), %%ymm7\n vmovapd 256(%0), %%ymm0\n"
                             "vmovapd 288(%0), %%ymm1\n vmovapd 320(%0), %%ymm2\n vmovapd 352(%0), %%ymm3\n"
                             "vmovapd 384(%0), %%ymm4\n vmovapd 416(%0), %%ymm5\n vmovapd 448(%0), %%ymm6\n"
                             "vmovapd 480(%0), %%ymm7" ::"r"(p)
                             : "memory", FLOATS);
}

static void store(size_t bytes)
{
    unsigned char *p = area;
    uint64_t k = bytes / 256;
    if (__builtin_cpu_supports("avx512f"))
        __asm__ volatile("1: vmovapd %%zmm0, (%0)\n vmovapd %%zmm0, 64(%0)\n vmovapd %%zmm0, 128(%0)\n"
                         "vmovapd %%zmm0, 192(%0)\n add $256, %0\n dec %1\n jnz 1b"
                         : "+r"(p), "+r"(k)::"memory", FLOATS);
    else
        for (; k; k--, p += 256)
            __asm__ volatile("vmovapd %%ymm0, (%0)\n vmovapd %%ymm0, 32(%0)\n vmovapd %%ymm0, 64(%0)\n"
                             "vmovapd %%ymm0, 96(%0)\n vmovapd %%ymm0, 128(%0)\n vmovapd %%ymm0, 160(%0)\n"
                             "vmovapd %%ymm0, 192(%0)\n vmovapd %%ymm0, 224(%0)" ::"r"(p)
                             : "memory", FLOATS);
}

static double bandwidth(void (*once)(size_t bytes), size_t bytes)
{
    double cycles;
    int passes = bytes < 1 << 17 ? 1 + (1 << 20) / (int)bytes : 2;
    bytes = bytes / 512 * 512;
    MEASURE(cycles, (double)bytes * passes, for (int i = 0; i < passes; i++) once(bytes));
    return 1 / cycles;
}

/* Arguments: bytes of the first and of the second cache. */
int main(int argc, char **argv)
{
    size_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 32768;
    size_t second = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
    area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(area, AREA, MADV_HUGEPAGE);
    memset(area, 1, AREA);
    instructions();
    printf("latency L1 %.3f\n", chase(first / 2));
    if (second)
        printf("latency L2 %.3f\n", chase(2 * first));
    printf("bandwidth L1 load %.3f\n", bandwidth(load, first / 2));
    printf("bandwidth L1 store %.3f\n", bandwidth(store, first / 2));
    if (second) {
        printf("bandwidth L2 load %.3f\n", bandwidth(load, second / 2));
        printf("bandwidth L2 store %.3f\n", bandwidth(store, second / 2));
    }
    return 0;
}
