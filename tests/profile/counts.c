/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes calls in numbers that its arguments say, and prints how many, and how many KiB of memory it then has.
 * How many counts those only that it makes itself, not what nests in them.
 * Usage: counts VERB NUMBER...
 *   shapes N ROUNDS   calls of N shapes, in turn
 *   fixed N           N calls of one shape
 *   threads N         N threads one after the other, thread i makes 1 + i % 3 calls
 *   crowd N           N threads at one time, as many calls
 *   scalars N         daxpy with N different scalars, and with 0, 1, -1
 *   mix ROUNDS        products, equations, eigenvalues: calls nested in others, options in both cases, an info
 *   equations N       of all orders up to N: N shapes, and many more of calls nested in them
 *   large ROUNDS      eigenvalues and factors of orders around 200, long enough for nested calls to be sampled well
 *   fork N            N calls before and N after a fork in the child, which the parent waits for
 *   forever           calls of four shapes until it is killed; in shared memory (descriptor 3) it tells how many
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

double ddot_(const int *n, const double *x, const int *incx, const double *y, const int *incy);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t la, size_t lb);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb, int *info);
int LAPACKE_dgesv(int layout, int n, int nrhs, double *a, int lda, int *ipiv, double *b, int ldb);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t l);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
            const int *lwork, int *info, size_t lj, size_t lu);
void daxpy_(const int *n, const double *a, const double *x, const int *incx, double *y, const int *incy);

static const double x[4] = {1, 2, 3, 4};
static pthread_barrier_t all_are_there;

static void call(int inc)
{
    static const int one = 1;
    ddot_(&one, x, &inc, x, &one);
}

static uint64_t shapes(int number, int rounds)
{
    for (int round = 0; round < rounds; round++)
        for (int i = 1; i <= number; i++)
            call(i);
    return (uint64_t)number * (uint64_t)rounds;
}

static uint64_t fixed(long number)
{
    for (long i = 0; i < number; i++)
        call(1);
    return (uint64_t)number;
}

static void *one_of_many(void *number)
{
    for (intptr_t i = 0; i <= (intptr_t)number % 3; i++)
        call(1);
    return NULL;
}

static void *one_of_a_crowd(void *number)
{
    pthread_barrier_wait(&all_are_there);
    one_of_many(number);
    pthread_barrier_wait(&all_are_there);
    return NULL;
}

static pthread_t start(void *(*run)(void *), intptr_t number)
{
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    if (pthread_create(&thread, &small, run, (void *)number) != 0)
        exit(2);
    return thread;
}

static uint64_t threads(int number)
{
    uint64_t calls = 0;
    for (int i = 0; i < number; i++) {
        pthread_join(start(one_of_many, i), NULL);
        calls += 1 + (uint64_t)i % 3;
    }
    return calls;
}

static uint64_t crowd(int number)
{
    pthread_t *thread = malloc((size_t)number * sizeof *thread);
    uint64_t calls = 0;
    pthread_barrier_init(&all_are_there, NULL, (unsigned)number);
    for (int i = 0; i < number; i++) {
        thread[i] = start(one_of_a_crowd, i);
        calls += 1 + (uint64_t)i % 3;
    }
    for (int i = 0; i < number; i++)
        pthread_join(thread[i], NULL);
    free(thread);
    return calls;
}

static uint64_t scalars(int number)
{
    static const double special[] = {0, 1, -1};
    const int one = 1;
    double y = 0;
    for (int i = 0; i < number + 3; i++) {
        double a = i < 3 ? special[i] : i + 0.5;
        daxpy_(&one, &a, x, &one, &y, &one);
    }
    return (uint64_t)number + 3;
}

enum { ORDER = 24 };

/* Diagonally dominant, symmetric. */
static void fill(double *a, int n)
{
    for (int i = 0; i < n * n; i++)
        a[i] = i % (n + 1) ? 1 / (1.0 + abs(i / n - i % n)) : 4;
}

static void factor(int n)
{
    double a[ORDER * ORDER], b[ORDER] = {1}, w[ORDER], work[8 * ORDER];
    int pivot[ORDER], info;
    const int one = 1, size = 8 * ORDER;
    fill(a, n);
    dgesv_(&n, &one, a, &n, pivot, b, &n, &info);
    fill(a, n);
    LAPACKE_dgesv(102, n, 1, a, n, pivot, b, n); /* a call of a routine within one of the same */
    fill(a, n);
    dsyev_("V", n % 2 ? "u" : "U", &n, a, &n, w, work, &size, &info, 1, 1);
    fill(a, n);
    a[(n + 1) * (n / 2)] = -1;
    dpotrf_("L", &n, a, &n, &info, 1);
}

static uint64_t mix(int rounds)
{
    static const double alpha[] = {0, 1, -1, 2, 3};
    static double a[ORDER * ORDER], c[ORDER * ORDER];
    for (int round = 0; round < rounds; round++)
        for (int n = 2; n <= ORDER; n += 2) {
            dgemm_(n % 4 ? "N" : "n", "T", &n, &n, &n, &alpha[n % 5], a, &n, a, &n, &alpha[round % 2], c, &n, 1, 1);
            factor(n);
        }
    return (uint64_t)rounds * ORDER / 2 * 5;
}

static uint64_t equations(int most)
{
    double *a = malloc(sizeof *a * (size_t)most * (size_t)most);
    double *b = calloc((size_t)most, sizeof *b);
    int *pivot = malloc(sizeof *pivot * (size_t)most);
    const int one = 1;
    int info;
    for (int n = 1; n <= most; n++) {
        fill(a, n);
        dgesv_(&n, &one, a, &n, pivot, b, &n, &info);
    }
    free(a);
    free(b);
    free(pivot);
    return (uint64_t)most;
}

static uint64_t large(int rounds)
{
    enum { LEAST = 160, MOST = 256, STEP = 32, ORDERS = (MOST - LEAST) / STEP + 1, SIZE = 40 * MOST };
    static double a[MOST * MOST], w[MOST], work[SIZE];
    const int size = SIZE;
    int info;
    for (int i = 0; i < rounds * ORDERS; i++) {
        int n = LEAST + STEP * (i % ORDERS);
        fill(a, n);
        dpotrf_("L", &n, a, &n, &info, 1);
        fill(a, n);
        dsyev_("V", "L", &n, a, &n, w, work, &size, &info, 1, 1);
    }
    return (uint64_t)rounds * ORDERS * 2;
}

static uint64_t forked(long number)
{
    fixed(number);
    pid_t child = fork();
    if (child == 0) {
        fixed(number);
        exit(0);
    }
    waitpid(child, NULL, 0);
    return 2 * (uint64_t)number;
}

_Noreturn static void forever(void)
{
    volatile uint64_t *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
    for (uint64_t i = 0;; i++) {
        call(1 + (int)(i % 4));
        *count = i + 1;
    }
}

static long resident_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    if (status)
        fclose(status);
    return kib;
}

int main(int argc, char **argv)
{
    long a = argc > 2 ? atol(argv[2]) : 0;
    long b = argc > 3 ? atol(argv[3]) : 1;
    const char *verb = argc > 1 ? argv[1] : "";
    uint64_t calls = 0;
    if (!strcmp(verb, "shapes"))
        calls = shapes((int)a, (int)b);
    else if (!strcmp(verb, "fixed"))
        calls = fixed(a);
    else if (!strcmp(verb, "threads"))
        calls = threads((int)a);
    else if (!strcmp(verb, "crowd"))
        calls = crowd((int)a);
    else if (!strcmp(verb, "scalars"))
        calls = scalars((int)a);
    else if (!strcmp(verb, "mix"))
        calls = mix((int)a);
    else if (!strcmp(verb, "equations"))
        calls = equations((int)a);
    else if (!strcmp(verb, "large"))
        calls = large((int)a);
    else if (!strcmp(verb, "fork"))
        calls = forked(a);
    else if (!strcmp(verb, "forever"))
        forever();
    else
        return 2;
    printf("%llu %ld\n", (unsigned long long)calls, resident_kib());
    return 0;
}
