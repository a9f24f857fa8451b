/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel of your own, for `ktrace kernel FILE.so`: a shared library that defines one variable, ktrace_kernel. Nothing
 * has to be linked.
 *
 *     #include <ktrace/kernel.h>
 *
 *     static int64_t vector(int64_t n) { return n * (int64_t)sizeof(double); }
 *     static double flops(int64_t n) { return 2.0 * (double)n; }
 *     static void run(int64_t n, void *const *buffer, void *prepared) { ... }
 *
 *     const struct ktrace_kernel ktrace_kernel = {
 *         .version = KTRACE_KERNEL_VERSION, .name = "daxpy", .run = run, .flops = flops,
 *         .buffer = {{"x", KTRACE_READ, vector}, {"y", KTRACE_READ_WRITE, vector}}};
 *
 * The buffers are made by ktrace, which brings them into each context before a call of run. Calls are made in processes
 * of their own; a function may be called in any of them, in several, for several n, but never by two threads at once.
 */
#ifndef KTRACE_KERNEL_H
#define KTRACE_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this interface. It grows where a member is added or changes its meaning. */
#define KTRACE_KERNEL_VERSION 1

enum { KTRACE_MOST_BUFFERS = 8 };

/* What run does with a buffer. One that is only written must be written; one that is read and written holds the same at
 * the start of each call. */
enum ktrace_access { KTRACE_READ = 1, KTRACE_WRITE = 2, KTRACE_READ_WRITE = 3 };

struct ktrace_buffer {
    const char *name;
    enum ktrace_access access;
    int64_t (*bytes)(int64_t n);
    int64_t alignment; /* of its address, which is no multiple of a higher power of two, up to 4096; 0: 64 */
};

struct ktrace_kernel {
    int version;      /* KTRACE_KERNEL_VERSION */
    const char *name; /* in tables and pictures, up to 31 characters */
    int number;       /* bytes of the numbers that buffers hold: 8 (double) or 4 (float); 0: 8 */
    struct ktrace_buffer buffer[KTRACE_MOST_BUFFERS]; /* up to the first that has no name */

    /* What is timed. PREPARED is what prepare returned for this n. */
    void (*run)(int64_t n, void *const *buffer, void *prepared);
    /* Floating-point operations of a call. */
    double (*flops)(int64_t n);

    /* All others may be NULL. */
    /* Bytes that a call moves between caches and memory if its buffers are in memory at the start. NULL: each buffer
     * is loaded once, and what is written is stored as far as it exceeds the last cache. */
    double (*bytes)(int64_t n);
    /* Does it take that n? NULL: any. */
    int (*takes)(int64_t n);
    /* What run needs beside the buffers, such as a plan or a table. It is not timed. NULL is a failure. */
    void *(*prepare)(int64_t n);
    /* What a buffer holds at the start of a call. It is not timed. NULL: random numbers between -1 and 1. */
    void (*fill)(int64_t n, int buffer, void *at);
};

extern const struct ktrace_kernel ktrace_kernel;

#ifdef __cplusplus
}
#endif

#endif
