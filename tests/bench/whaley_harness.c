/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times ddot with its operands in cache and flushed, knowing nothing of ktrace: what examples/whaley.sh checks replays
 * against. Rounds are the outermost loop, sizes in random order.
 *
 * In both, ddot was called a moment ago, with other operands of that length: its code and the vector units are at hand.
 * The last call before the timed one is a small product, as in a program whose routines take turns: what it displaces
 * of operands that just fill the nearest cache is 3 to 7 % of a ddot of 2,845. A flushed call is a call whose operands
 * are in memory, in a program that is at work: caches are full of other data, and the translations of the operands'
 * pages are at hand: without them 90 elements take 30 % longer, 100,000 10 %. To flush and call with the same operands
 * again and again is another thing: on an AMD EPYC it takes up to 45 % longer, as prefetchers remember these pages.
 *
 * Of each size it prints the lower quartiles in seconds:
 *
 *     N UNFLUSHED FLUSHED CLOCK CLOCK
 *
 * and the clock of the core in Hz, mean over the calls of each kind, from a chain of additions before each call.
 *
 * Usage: whaley_harness LIBRARY SECONDS N...
 */
#include <dlfcn.h>
#include <immintrin.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { SIZES = 64, MOST = 20000, PAGE = 4096, GAP = 65536, OFFSET = 512, ROOM = 64 << 20, LINE = 64 };
/* bytes; elements; additions; calls */
enum { HUGE = 2 << 20, FILL = 4 << 20, FILLERS = 16, OTHERS = 2000, CHAIN = 10000, REPEATED = 1 };

typedef double ddot_function(const int *n, const double *x, const int *incx, const double *y, const int *incy);
typedef void dgemm_function(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                            const double *beta, double *c, const int *ldc, size_t transa_length, size_t transb_length);

struct series {
    double *seconds; /* room for MOST */
    size_t count;
    double clock; /* sum over the calls */
};

struct size {
    int n;
    struct series context[2]; /* in cache, flushed */
};

static ddot_function *ddot;
static dgemm_function *dgemm;
static unsigned char *area;  /* of the vectors */
static unsigned char *other; /* FILLERS times FILL bytes, on huge pages: those of the vectors stay in the TLB */
static size_t area_bytes;
static double tick;      /* seconds */
static uint64_t nothing; /* ticks between two readings */
static double step;      /* seconds: the clock moves in such */
static volatile double result;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What was begun before has ended. */
static uint64_t read_clock(void)
{
    _mm_lfence();
    return __rdtsc();
}

static void calibrate(void)
{
    double begin = now();
    uint64_t ticks = __rdtsc();
    while (now() - begin < 0.05)
        ;
    tick = (now() - begin) / (double)(__rdtsc() - ticks);
    nothing = UINT64_MAX;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        uint64_t start = read_clock();
        uint64_t took = read_clock() - start;
        nothing = took < nothing ? took : nothing;
        least = took && took < least ? took : least;
        least = took > nothing && took - nothing < least ? took - nothing : least;
    }
    step = (double)least * tick;
}

static double core_clock(void)
{
    uint64_t sum = 1;
    uint64_t least = UINT64_MAX;
    for (int piece = 0; piece < 2; piece++) {
        uint64_t start = read_clock();
        for (int i = 0; i < CHAIN / 10; i++)
            __asm__ volatile("add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
                             "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
                             : "+r"(sum)
                             : "r"(start)
                             : "cc");
        uint64_t took = read_clock() - start;
        least = took < least ? took : least;
    }
    return CHAIN / ((double)(least > nothing ? least - nothing : 1) * tick);
}

static void read_vector(const double *x, int n)
{
    for (int i = 0; i < n; i += LINE / (int)sizeof *x)
        (void)*(const volatile double *)(x + i);
}

__attribute__((target("clflushopt"))) static void flush_vector(const double *x, int n)
{
    for (int i = 0; i < n + LINE / (int)sizeof *x - 1; i += LINE / (int)sizeof *x)
        _mm_clflushopt((void *)(x + (i < n ? i : n - 1)));
}

/* A line of each page, which is flushed already, has to be found: nothing is loaded but the translation. */
static void find_pages(const double *x, int n)
{
    for (int i = 0; i < n; i += PAGE / (int)sizeof *x)
        _mm_clflush(x + i);
    _mm_clflush(x + n - 1);
}

/* Other lines where flushed ones were. */
static void fill_caches(void)
{
    static size_t next;
    const unsigned char *at = other + next++ % FILLERS * FILL;
    for (size_t i = 0; i < FILL; i += LINE)
        (void)*(const volatile unsigned char *)(at + i);
}

static double *random_page(size_t bytes)
{
    return (double *)(area + (size_t)rand() % ((area_bytes - bytes) / PAGE) * PAGE);
}

/* A short call: pages of the vectors stay in the TLB. */
static void call_on_others(int length)
{
    const int one = 1;
    const int n = length < OTHERS ? length : OTHERS;
    const double *x = random_page(2 * (size_t)n * sizeof *x);
    result = ddot(&n, x, &one, x + n, &one);
}

static void call_another_routine(void)
{
    enum { ORDER = 8 };
    static double a[ORDER * ORDER], c[ORDER * ORDER];
    const int n = ORDER;
    const double half = 0.5;
    dgemm("N", "N", &n, &n, &n, &half, a, &n, a, &n, &half, c, &n, 1, 1);
}

static double time_call(int n, const double *x, const double *y, int flushed)
{
    const int one = 1;
    if (flushed) {
        flush_vector(x, n);
        flush_vector(y, n);
        _mm_mfence();
        fill_caches();
        call_on_others(n);
        find_pages(x, n);
        find_pages(y, n);
        _mm_mfence();
    } else {
        for (int i = 0; i < REPEATED; i++)
            call_on_others(n);
        read_vector(x, n);
        read_vector(y, n);
    }
    call_another_routine();
    uint64_t start = read_clock();
    result = ddot(&n, x, &one, y, &one);
    uint64_t took = read_clock() - start;
    return (double)(int64_t)(took - nothing) * tick;
}

/* The vectors lie on other pages in each visit: a place in physical memory may be a lucky one. */
static void visit(struct size *s)
{
    size_t x_bytes = ((size_t)s->n * sizeof(double) + PAGE - 1) / PAGE * PAGE;
    double *x = random_page(2 * x_bytes + GAP + 2 * PAGE);
    double *y = (double *)((unsigned char *)x + x_bytes + GAP + OFFSET);
    time_call(s->n, x, y, 0);
    for (int k = rand() % 2, i = 0; i < 2; i++, k = !k)
        if (s->context[k].count < MOST) {
            s->context[k].clock += core_clock();
            s->context[k].seconds[s->context[k].count++] = time_call(s->n, x, y, k);
        }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quartile(double *value, size_t count, size_t which)
{
    qsort(value, count, sizeof *value, compare);
    return value[(count - 1) * which / 4];
}

/* A clock that moves in steps tells the time of a short call by the mean of many only; interrupted ones do not count.
 */
static double mean_of(double *value, size_t count)
{
    double most = quartile(value, count, 2) + 8 * step;
    double sum = 0;
    size_t counted = 0;
    for (size_t i = 0; i < count; i++) {
        sum += value[i] <= most ? value[i] : 0;
        counted += value[i] <= most;
    }
    return sum / (double)counted;
}

static double lower_quartile(struct series *s)
{
    size_t means = 0;
    double few[9];
    memcpy(few, s->seconds, sizeof few);
    double steps = 50 * step / (s->count < 9 ? 1 : mean_of(few, 9)); /* in 2 % of the time */
    size_t together = steps > 0 && steps < 100 ? (size_t)(steps * steps / 6) + 1 : 1000;
    together = together < s->count ? together : s->count;
    for (size_t i = 0; i + together <= s->count; i += together)
        s->seconds[means++] = mean_of(s->seconds + i, together);
    return quartile(s->seconds, means, 1);
}

static void prepare(const char *library, const struct size *size, int sizes)
{
    cpu_set_t one;
    int largest = 1;
    void *handle = dlopen(library, RTLD_NOW);
    ddot = handle ? (ddot_function *)dlsym(handle, "ddot_") : NULL;
    dgemm = handle ? (dgemm_function *)dlsym(handle, "dgemm_") : NULL;
    if (!ddot || !dgemm) {
        fprintf(stderr, "whaley_harness: no ddot_ and dgemm_ in %s: %s\n", library, dlerror());
        exit(1);
    }
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < sizes; i++)
        largest = size[i].n > largest ? size[i].n : largest;
    area_bytes = 2 * (size_t)largest * sizeof(double) + ROOM;
    area_bytes = (area_bytes + PAGE - 1) / PAGE * PAGE;
    area = aligned_alloc(PAGE, area_bytes);
    other = aligned_alloc(HUGE, FILLERS * FILL);
    if (!area || !other)
        exit(1);
    madvise(other, FILLERS * FILL, MADV_HUGEPAGE);
    memset(other, 1, FILLERS * FILL);
    for (size_t i = 0; i < area_bytes / sizeof(double); i++)
        ((double *)area)[i] = rand() / (RAND_MAX / 2.0) - 1;
    calibrate();
}

static void run(struct size *size, int sizes, double seconds)
{
    double begin = now();
    int order[SIZES];
    do {
        for (int i = 0; i < sizes; i++) {
            int j = rand() % (i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        for (int i = 0; i < sizes; i++)
            visit(&size[order[i]]);
    } while (now() - begin < seconds);
}

int main(int argc, char **argv)
{
    static struct size size[SIZES];
    int sizes = argc - 3;
    if (sizes < 1 || sizes > SIZES) {
        fprintf(stderr, "usage: whaley_harness LIBRARY SECONDS N...\n");
        return 2;
    }
    for (int i = 0; i < sizes; i++) {
        size[i].n = atoi(argv[3 + i]);
        for (int k = 0; k < 2; k++)
            size[i].context[k].seconds = malloc(MOST * sizeof(double));
    }
    srand((unsigned)time(NULL));
    prepare(argv[1], size, sizes);
    run(size, sizes, atof(argv[2]));
    for (int i = 0; i < sizes; i++)
        printf("%d %.6e %.6e %.6e %.6e\n", size[i].n, lower_quartile(&size[i].context[0]),
               lower_quartile(&size[i].context[1]), size[i].context[0].clock / (double)size[i].context[0].count,
               size[i].context[1].clock / (double)size[i].context[1].count);
    return 0;
}
