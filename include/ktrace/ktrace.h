/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program may tell ktrace. Nothing has to be linked: without libktrace.so these do nothing, and -DKTRACE_OFF
 * leaves not even that in the program.
 *
 *     ktrace_begin("assembly");
 *     ...                          calls of BLAS and LAPACK
 *     ktrace_work(flops, bytes);   what was done, if it is to be seen under the roofs of the machine
 *     ktrace_end();
 *
 * Regions nest, and belong to the thread that enters them; the report tells the time of each. A pause is the whole
 * process's: calls are passed on and counted as skipped until somebody resumes. `ktrace control PID pause` does the
 * same from outside; KTRACE_PAUSED=1 begins with a pause.
 *
 * From Fortran: ktrace_api_begin and the others have C interfaces (bind(C), text ended by a null character); such
 * a program has to be linked with libktrace.so.
 */
#ifndef KTRACE_KTRACE_H
#define KTRACE_KTRACE_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(KTRACE_OFF) || !defined(__GNUC__)

static inline void ktrace_pause(void)
{
}
static inline void ktrace_resume(void)
{
}
static inline void ktrace_begin(const char *name)
{
    (void)name;
}
static inline void ktrace_end(void)
{
}
static inline void ktrace_work(double flops, double bytes)
{
    (void)flops;
    (void)bytes;
}
static inline int ktrace_recording(void)
{
    return 0;
}

#else

/* Of libktrace.so, where that is preloaded. */
__attribute__((weak)) void ktrace_api_pause(void);
__attribute__((weak)) void ktrace_api_resume(void);
__attribute__((weak)) void ktrace_api_begin(const char *name);
__attribute__((weak)) void ktrace_api_end(void);
__attribute__((weak)) void ktrace_api_work(double flops, double bytes);
__attribute__((weak)) int ktrace_api_recording(void);

static inline void ktrace_pause(void)
{
    if (ktrace_api_pause)
        ktrace_api_pause();
}

static inline void ktrace_resume(void)
{
    if (ktrace_api_resume)
        ktrace_api_resume();
}

/* NAME is copied; of long ones the first 199 bytes count. */
static inline void ktrace_begin(const char *name)
{
    if (ktrace_api_begin)
        ktrace_api_begin(name);
}

/* Leaves the region that this thread entered last. */
static inline void ktrace_end(void)
{
    if (ktrace_api_end)
        ktrace_api_end();
}

/*
 * The innermost region that this thread is in has done so many floating-point operations, and moved so many bytes
 * between memory and caches: all of it, calls of BLAS included. It may say so several times, and the sums count. In no
 * region, during a pause, or with a number that is negative or not finite, nothing is told. `ktrace report --by region`
 * and `ktrace roofline` show operations a second and a byte.
 */
static inline void ktrace_work(double flops, double bytes)
{
    if (ktrace_api_work)
        ktrace_api_work(flops, bytes);
}

/* Are calls recorded now? */
static inline int ktrace_recording(void)
{
    return ktrace_api_recording ? ktrace_api_recording() : 0;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
