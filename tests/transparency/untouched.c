/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a call must leave alone besides its results: errno, the floating-point environment with its flags and traps, and
 * the ways out of a routine: an error handler or a callback of the program that returns, jumps, or ends its thread,
 * with the cleanups of all frames in between run. Prints what it sees.
 */
#include <errno.h>
#include <execinfo.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

typedef int select_function(const double *re, const double *im);

void dcopy_(const int *, const double *, const int *, double *, const int *);
double ddot_(const int *, const double *, const int *, const double *, const int *);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *, size_t);
void dlacpy_(const char *, const int *, const int *, const double *, const int *, double *, const int *, size_t);
double dlange_(const char *, const int *, const int *, const double *, const int *, double *, size_t);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dgees_(const char *, const char *, select_function *, const int *, double *, const int *, int *, double *,
            double *, double *, const int *, double *, const int *, int *, int *, size_t, size_t);
void xerbla_(const char *routine, const int *info, size_t length);

enum { N = 8 };

static const int n = N;
static const int one = 1;
static double a[N * N], x[N], y[N];
static jmp_buf back;
static enum { RETURN, JUMP, END_THREAD } way_out;

static void fill(void)
{
    for (int i = 0; i < N * N; i++)
        a[i] = i % 9 == 0 ? 3 : 0.1 * ((i * 7) % 5);
    for (int i = 0; i < N; i++)
        x[i] = y[i] = 1.0 / (i + 1);
}

/* What fenv.h does not tell of: denormal numbers that count as zero, and how they are treated. */
static unsigned control_word(void)
{
#ifdef __SSE__
    return _mm_getcsr();
#else
    return 0;
#endif
}

static void flush_denormals(void)
{
#ifdef __SSE__
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}

/* --- routines, of which each is called for the first time in each state ------------------------------------------- */

static void call_dcopy(void)
{
    dcopy_(&n, x, &one, y, &one);
}

static void call_ddot(void)
{
    printf(" %a", ddot_(&n, x, &one, x, &one));
}

static void call_dgemv(void)
{
    const double alpha = 1e-310;
    const double beta = 0;
    dgemv_("N", &n, &n, &alpha, a, &n, x, &one, &beta, y, &one, 1);
    printf(" %a", y[0]);
}

static void call_dlacpy(void)
{
    double b[N * N];
    dlacpy_("A", &n, &n, a, &n, b, &n, 1);
}

static void call_dlange(void)
{
    double work[N];
    printf(" %a", dlange_("I", &n, &n, a, &n, work, 1));
}

static void call_dgetrf(void)
{
    int pivots[N];
    int info;
    dgetrf_(&n, &n, a, &n, pivots, &info);
    printf(" %d %a", info, a[N * N - 1]);
}

static void (*const routine[])(void) = {call_dcopy, call_ddot, call_dgemv, call_dlacpy, call_dlange, call_dgetrf};

static void call_each(const char *state)
{
    for (size_t i = 0; i < sizeof routine / sizeof *routine; i++) {
        fill();
        feclearexcept(FE_ALL_EXCEPT);
        errno = 77;
        printf("%s %zu:", state, i);
        routine[i]();
        printf(" flags %#x rounding %#x control %#x traps %#x errno %d\n", fetestexcept(FE_ALL_EXCEPT), fegetround(),
               control_word(), fegetexcept(), errno);
    }
}

static void keep_environment(void)
{
    fenv_t usual;
    fegetenv(&usual);
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    call_each("trapping");
    fesetenv(&usual);
    call_each("usual");
    fesetround(FE_UPWARD);
    call_each("upward");
    fesetenv(&usual);
    flush_denormals();
    call_each("flushing");
    fesetenv(&usual);
}

/* --- ways out ----------------------------------------------------------------------------------------------------- */

static void leave(void)
{
    if (way_out == JUMP)
        longjmp(back, 1);
    if (way_out == END_THREAD)
        pthread_exit("ended");
}

/* The functions that make calls are in a section of their own. */
#define CALLER __attribute__((noinline, section("callers")))
extern const char __start_callers[], __stop_callers[];

/* Does the chain of frames lead to the function that made the call? */
static void look_back(void)
{
    void *frame[64];
    int frames = backtrace(frame, 64);
    int found = 0;
    for (int i = 0; i < frames; i++)
        found += (const char *)frame[i] >= __start_callers && (const char *)frame[i] < __stop_callers;
    printf("caller on the stack %d times\n", found);
}

void xerbla_(const char *routine_name, const int *info, size_t length)
{
    printf("error in %.*s, argument %d: ", (int)length, routine_name, *info);
    look_back();
    leave();
}

/* Makes calls itself, on its way. */
static int choose(const double *re, const double *im)
{
    printf("choice %.6f %.6f %.6f: ", *re, *im, ddot_(&n, x, &one, x, &one));
    look_back();
    leave();
    return *re > 2.5;
}

CALLER static void make_error(void)
{
    const int wrong = -1;
    const double zero = 0;
    dgemv_("N", &wrong, &n, &zero, a, &n, x, &one, &zero, y, &one, 1);
    printf("back from dgemv\n");
    int info;
    dgetrf_(&wrong, &n, a, &n, NULL, &info);
    printf("back from dgetrf with info %d\n", info);
}

CALLER static void make_choice(void)
{
    double re[N], im[N], vectors[N * N], work[8 * N];
    int chosen, info, logical[N];
    const int length = 8 * N;
    fill();
    dgees_("V", "S", choose, &n, a, &n, &chosen, re, im, vectors, &n, work, &length, logical, &info, 1, 1);
    printf("%d chosen, info %d, first %a\n", chosen, info, re[0]);
}

static void tell(void *name)
{
    printf("cleaned up behind %s\n", (const char *)name);
}

static void *act(void *action)
{
    pthread_cleanup_push(tell, "action");
    if (setjmp(back) == 0)
        ((void (*)(void))action)();
    else
        printf("jumped\n");
    pthread_cleanup_pop(1);
    return "returned";
}

static void act_in_thread(void (*action)(void))
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, act, (void *)action);
    pthread_join(thread, &result);
    printf("thread %s\n", (const char *)result);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    keep_environment();
    for (way_out = RETURN; way_out <= END_THREAD; way_out++) {
        act_in_thread(make_error);
        act_in_thread(make_choice);
        call_each("afterwards");
    }
    return 0;
}
