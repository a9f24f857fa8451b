/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/base/line_flush.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

static bool has_clflushopt(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 23 & 1);
}

__attribute__((target("clflushopt"))) static void flush_lines(uint64_t lo, uint64_t hi, uint64_t line)
{
    for (uint64_t at = lo; at < hi; at += line)
        _mm_clflushopt((void *)at);
}

static void flush_lines_in_order(uint64_t lo, uint64_t hi, uint64_t line)
{
    for (uint64_t at = lo; at < hi; at += line)
        _mm_clflush((void *)at);
}

/* clflush waits for the previous one and takes ten times as long; only old processors lack the other. */
static void flush_range(uint64_t lo, uint64_t hi, uint64_t line)
{
    static int optimised = -1;
    if (optimised < 0)
        optimised = has_clflushopt();
    if (optimised)
        flush_lines(lo, hi, line);
    else
        flush_lines_in_order(lo, hi, line);
}

static void finish(void)
{
    _mm_mfence();
}

#elif defined(__aarch64__)

static void flush_range(uint64_t lo, uint64_t hi, uint64_t line)
{
    for (uint64_t at = lo; at < hi; at += line)
        __asm__ volatile("dc civac, %0" ::"r"(at) : "memory");
}

static void finish(void)
{
    __asm__ volatile("dsb sy" ::: "memory");
}

#else

/* Without such an instruction the lines leave when an area larger than most caches has been read. */
enum { SWEEP_BYTES = 64 << 20 };
static volatile unsigned char *sweep_area;

static void flush_range(uint64_t lo, uint64_t hi, uint64_t line)
{
    (void)lo, (void)hi, (void)line;
}

static void finish(void)
{
    if (!sweep_area) {
        sweep_area = malloc(SWEEP_BYTES);
        if (!sweep_area)
            abort();
        memset((void *)sweep_area, 1, SWEEP_BYTES);
    }
    for (size_t i = 0; i < SWEEP_BYTES; i += 32)
        (void)sweep_area[i];
}
#endif

uint64_t kt_line_bytes(void)
{
    static uint64_t bytes;
    if (!bytes) {
        long known = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
        bytes = known > 0 ? (uint64_t)known : 64;
    }
    return bytes;
}

static uint64_t line_of(uint64_t address)
{
    return address - address % kt_line_bytes();
}

void kt_lines_flush(uint64_t lo, uint64_t hi)
{
    flush_range(line_of(lo), hi, kt_line_bytes());
}

void kt_lines_flushed(void)
{
    finish();
}
