/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Do the ways of taking operands out of the caches agree (Whaley & Castaldo, section 3: they do)? Ten kernels, each
 * timed with its operands flushed line by line, after a sweep through memory that is larger than the caches, and by a
 * rotation over working sets. The methods of a kernel take turns in random order; ratios are those of paired times.
 *
 * Flushed lines leave holes in the caches: to load the operands again, nothing has to be displaced. Where lines are
 * displaced into a lower cache that takes time. So a flush is also timed with the holes filled by other data.
 *
 * A sweep evicts code and page tables, too. What that costs is measured by a fourth way: after the sweep the kernel
 * is called on other operands, and each page of its own is touched, in a line that is then flushed. The constant is
 * the time after a sweep less that.
 *
 * Then the rotation alone: against single calls at n = 20,000, flushed, with the holes filled, and with the pages of
 * the operands displaced from the TLB as well, and against itself at n = 100.
 *
 * Usage: flush_methods [LIBRARY] [ROUNDS]
 */
#include "ktrace/clock.h"
#include "replay/machine/cache.h"
#include "replay/measure/stage.h"
#include "replay/call/library.h"
#include "trace/base/random.h"
#include "replay/compare/ratio.h"
#include "replay/call/timer.h"
#include "replay/measure/workingset.h"
#include "tests/parts/tracegen.h"
#include "trace/base/memory.h"
#include "trace/base/stats.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum method { WARM, FLUSH, FILLED, PAGES_LOST, SWEEP, SWEEP_DATA, ROTATE, METHODS };
enum { FILL_BYTES = 4 << 20, SMALL_PAGE = 4096, LOST_PAGES = 8192 };
enum { MOST_ROUNDS = 200, KERNELS = 10, REPEATS = 6, INTERVALS = 500 };

static const struct kernel {
    const char *name, *routine, *args;
} kernels[KERNELS + 2] = {
    {"ddot 20000", "ddot", "20000 0x10000010 1 0x20000010 1"},
    {"daxpy 20000", "daxpy", "20000 0.5 0x10000010 1 0x20000010 1"},
    {"dscal 20000", "dscal", "20000 0.5 0x10000010 1"},
    {"dgemv N 300", "dgemv", "N 300 300 1 0x10000010 300 0x20000010 1 0 0x30000010 1"},
    {"dgemv T 300", "dgemv", "T 300 300 1 0x10000010 300 0x20000010 1 0 0x30000010 1"},
    {"dger 300", "dger", "300 300 1 0x20000010 1 0x30000010 1 0x10000010 300"},
    {"dtrsv 300", "dtrsv", "L N N 300 0x10000010 300 0x20000010 1"},
    {"dgemm 100", "dgemm", "N N 100 100 100 1 0x10000010 100 0x20000010 100 0 0x30000010 100"},
    {"dsyrk 100", "dsyrk", "L N 100 100 1 0x10000010 100 0 0x30000010 100"},
    {"dtrsm 100", "dtrsm", "L L N N 100 100 1 0x10000010 100 0x20000010 100"},
    {"ddot 20000", "ddot", "20000 0x10000010 1 0x20000010 1"},
    {"ddot 100", "ddot", "100 0x10000010 1 0x20000010 1"},
};

struct bench {
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_shapes shapes;
    struct kt_jobs jobs;
    struct kt_library library;
    struct kt_data_pool *pool;
    struct kt_arena arena;
    unsigned char *sweep;
    uint64_t sweep_bytes;
    uint64_t fill_at;     /* in the sweep's area: what was read longest ago */
    unsigned char *pages; /* LOST_PAGES small ones */
    uint64_t seed;
    double clock_ticks;
};

static void must(enum kt_status status, const struct kt_error *error)
{
    if (status == KT_OK)
        return;
    fprintf(stderr, "flush_methods: %s\n", error->text);
    exit(1);
}

static void pin(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void open_bench(struct bench *b, const char *library)
{
    struct kt_error error = {0};
    *b = (struct bench){.seed = 1, .pool = kt_data_pool_new(), .clock_ticks = (double)kt_clock_cost()};
    kt_gen_begin(&b->gen, "trace/routines", 42);
    for (int i = 0; i < KERNELS + 2; i++) {
        int entry = kt_gen_entry(&b->gen, kernels[i].routine, KT_FORTRAN);
        uint64_t start = (uint64_t)i * 1000000;
        kt_gen_call(&b->gen, &(struct kt_gen_call){7, entry, 0, start, 1000, kernels[i].args});
    }
    kt_gen_end(&b->gen, true);
    must(kt_trace_open(b->gen.trace, &b->trace, &error), &error);
    kt_shapes_collect(&b->trace, KT_OUTERMOST, &b->shapes);
    kt_jobs_make(&b->shapes, &(struct kt_jobs_rules){.limit = UINT64_C(1) << 40}, &b->jobs);
    must(kt_library_find(library, &b->library, &error), &error);
    b->library.threads = 1;
    must(kt_library_load(&b->library, &error), &error);
    must(kt_arena_open(2 * b->jobs.bytes, KT_PAGES_ANY, &b->arena, &error), &error);
    kt_arena_touch(&b->arena, b->arena.bytes);
    b->sweep_bytes = kt_workingset_flush();
    b->sweep = kt_resize(NULL, b->sweep_bytes, 1);
    memset(b->sweep, 1, b->sweep_bytes);
    b->pages = mmap(NULL, LOST_PAGES * SMALL_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(b->pages, LOST_PAGES * SMALL_PAGE, MADV_NOHUGEPAGE);
    memset(b->pages, 1, LOST_PAGES * SMALL_PAGE);
}

static void close_bench(struct bench *b)
{
    free(b->sweep);
    kt_arena_close(&b->arena);
    kt_data_pool_free(b->pool);
    kt_library_free(&b->library);
    kt_jobs_free(&b->jobs);
    kt_shapes_free(&b->shapes);
    kt_trace_close(&b->trace);
    kt_gen_remove(&b->gen);
}

/* Jobs are sorted by time and equal calls are one. */
static const struct kt_job *find_job(const struct bench *b, const struct kernel *kernel)
{
    for (size_t i = 0; i < b->jobs.count; i++) {
        uint64_t first = b->jobs.job[i].shape->first.n;
        if (!strcmp(kernels[first].name, kernel->name))
            return &b->jobs.job[i];
    }
    abort();
}

/* --- single calls ------------------------------------------------------------------------------------------ */

/* A kernel with its operands at a place in the arena. */
struct placed {
    const struct kt_job *job;
    kt_thunk *thunk;
    void *function;
    struct kt_operand operand[KT_MAX_OPERANDS];
    struct kt_by_reference cells;
    struct kt_parameters parameters;
};

static void place(const struct bench *b, const struct kt_job *job, uint64_t base, struct placed *out)
{
    const struct kt_call *call = &job->shape->first;
    uint64_t address[KT_MAX_OPERANDS];
    *out = (struct placed){.job = job, .thunk = kt_thunk_of(&call->entry->symbol)};
    out->function = kt_library_symbol(&b->library, call->entry->symbol.name, "");
    for (int i = 0; i < job->operands; i++) {
        out->operand[i] = job->operand[i];
        out->operand[i].base += base;
        out->operand[i].lo += base;
        out->operand[i].hi += base;
        address[i] = job->address[i] + base;
    }
    kt_parameters_fill(&call->entry->symbol, call->args, address, b->library.int_bytes, &out->cells, &out->parameters);
}

static void fill(const struct bench *b, const struct placed *p)
{
    for (int i = 0; i < p->job->operands; i++)
        kt_data_fill(b->pool, p->operand, p->job->operands, i);
}

static void read_bytes(const unsigned char *from, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += 32)
        (void)*(const volatile unsigned char *)(from + at);
}

static void sweep(struct bench *b)
{
    read_bytes(b->sweep, b->sweep_bytes);
    b->fill_at = 0;
}

static void fill_holes(struct bench *b)
{
    b->fill_at = b->fill_at + FILL_BYTES > b->sweep_bytes ? 0 : b->fill_at;
    read_bytes(b->sweep + b->fill_at, FILL_BYTES);
    b->fill_at += FILL_BYTES;
}

/* Other pages take the places of the operands' in the TLB: a line of each is read, in all sets of the caches in turn.
 */
static void lose_pages(const struct bench *b)
{
    for (uint64_t i = 0; i < LOST_PAGES; i++)
        (void)*(const volatile unsigned char *)(b->pages + i * SMALL_PAGE + i % (SMALL_PAGE / 64) * 64);
}

/* Has the page tables of the operands in cache, without any of their lines. */
static void touch_pages(const struct placed *p)
{
    for (int i = 0; i < p->job->operands; i++)
        for (uint64_t at = p->operand[i].lo; at < p->operand[i].hi; at = (at / KT_ARENA_PAGE + 1) * KT_ARENA_PAGE) {
            (void)*(volatile unsigned char *)at;
#if defined(__x86_64__)
            _mm_clflush((void *)at);
#endif
        }
#if defined(__x86_64__)
    _mm_mfence();
#endif
}

static void walk(const struct placed *p, void (*action)(uint64_t lo, uint64_t hi))
{
    const struct kt_step whole = {.to = 1};
    for (int i = 0; i < p->job->operands; i++)
        kt_step_walk(&whole, &p->operand[i], action);
}

static void flush(const struct placed *p)
{
    walk(p, kt_lines_flush);
    kt_lines_flushed();
}

/* Before the call that brings the code in, and with it what the library keeps for itself. */
static void displace(struct bench *b, const struct placed *p, enum method method)
{
    if (method == SWEEP_DATA)
        sweep(b);
    if (method == FILLED || method == PAGES_LOST) {
        flush(p);
        fill_holes(b);
    }
}

/* After it. */
static void bring_about(struct bench *b, const struct placed *p, enum method method)
{
    if (method == SWEEP)
        sweep(b);
    else if (method == PAGES_LOST)
        lose_pages(b);
    else if (method == SWEEP_DATA || method == FILLED)
        touch_pages(p);
    else if (method == WARM)
        walk(p, kt_lines_touch);
    else
        flush(p);
}

/* P is timed, OTHER is the same kernel elsewhere: calling it brings the code in. */
static double time_single(struct bench *b, const struct placed *p, const struct placed *other, enum method method)
{
    struct kt_returned returned;
    fill(b, other);
    fill(b, p);
    displace(b, p, method);
    other->thunk(other->function, &other->parameters, &returned);
    bring_about(b, p, method);
    uint64_t start = kt_clock_start();
    p->thunk(p->function, &p->parameters, &returned);
    return ((double)(kt_clock_stop() - start) - b->clock_ticks) * kt_timer_tick();
}

/* --- all methods ------------------------------------------------------------------------------------------- */

struct times {
    double seconds[METHODS][MOST_ROUNDS];
    size_t rounds;
};

static struct kt_workingset *open_set(const struct bench *b, const struct placed *p)
{
    struct kt_error error = {0};
    struct kt_workingset_options options = {.huge = true};
    struct kt_workingset *set =
        kt_workingset_open(p->job, p->function, b->library.int_bytes, b->pool, &options, &error);
    if (!set)
        must(error.status, &error);
    return set;
}

static void measure(struct bench *b, const struct kernel *kernel, size_t rounds, struct times *out)
{
    struct placed p;
    struct placed other;
    const struct kt_job *job = find_job(b, kernel);
    place(b, job, (uint64_t)b->arena.base, &p);
    place(b, job, (uint64_t)b->arena.base + b->jobs.bytes, &other);
    struct kt_workingset *set = open_set(b, &p);
    out->rounds = rounds;
    for (size_t r = 0; r < rounds; r++) {
        enum method order[METHODS];
        for (size_t i = 0; i < METHODS; i++) {
            size_t j = kt_random(&b->seed) % (i + 1);
            order[i] = order[j];
            order[j] = (enum method)i;
        }
        for (size_t i = 0; i < METHODS; i++)
            out->seconds[order[i]][r] =
                order[i] == ROTATE ? kt_workingset_time(set) : time_single(b, &p, &other, order[i]);
    }
    kt_workingset_close(set);
}

static double median_of(const double *seconds, size_t n)
{
    double sorted[MOST_ROUNDS];
    memcpy(sorted, seconds, n * sizeof *sorted);
    return kt_stat_of(sorted, n, KT_BEST_MEDIAN).median;
}

static struct kt_ratio ratio_of(const struct times *t, enum method method, enum method base)
{
    return kt_ratio_of(&(struct kt_pairs){.time = t->seconds[method], .base = t->seconds[base], .n = t->rounds});
}

/* How far sweep and rotation are from the flush, as a logarithm. */
static double distance(const struct times *t, enum method flush)
{
    return fmax(fabs(log(ratio_of(t, SWEEP_DATA, flush).value)), fabs(log(ratio_of(t, ROTATE, flush).value)));
}

struct verdict {
    int within_5, within_15;
    double worst;
};

static void judge(struct verdict *v, double far)
{
    v->within_5 += far <= log(1.05);
    v->within_15 += far <= log(1.15);
    v->worst = fmax(v->worst, far);
}

static void print_verdict(const char *which, const struct verdict *v)
{
    printf("%s: within 5 %%: %d of %d kernels, within 15 %%: %d; farthest: %.1f %%\n", which, v->within_5, KERNELS,
           v->within_15, 100 * (exp(v->worst) - 1));
}

static void print_kernel(const char *name, const struct times *t)
{
    static const enum method compared[] = {FLUSH, SWEEP_DATA, ROTATE};
    double us[METHODS];
    for (int m = 0; m < METHODS; m++)
        us[m] = 1e6 * median_of(t->seconds[m], t->rounds);
    printf("%-12s %8.2f %8.2f %8.2f %8.2f %8.2f  ", name, us[WARM], us[FLUSH], us[FILLED], us[SWEEP],
           us[SWEEP] - us[SWEEP_DATA]);
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++) {
        struct kt_ratio ratio = ratio_of(t, compared[i], FILLED);
        printf("  %5.3f +- %5.3f", ratio.value, (ratio.hi - ratio.lo) / 2);
    }
    printf("\n");
}

static void compare_methods(struct bench *b, size_t rounds)
{
    static struct times times;
    struct verdict plain = {0};
    struct verdict filled = {0};
    printf(
        "Sweep and rotation over %.0f MB, %zu rounds. Medians in us; ratios of pairs to the flush that was filled.\n",
        (double)b->sweep_bytes / 1e6, rounds);
    printf("%-12s %8s %8s %8s %8s %8s    %-14s  %-14s  %s\n", "kernel", "warm", "flushed", "filled", "swept",
           "constant", "flushed", "swept - const.", "rotation");
    for (int k = 0; k < KERNELS; k++) {
        measure(b, &kernels[k], rounds, &times);
        print_kernel(kernels[k].name, &times);
        judge(&plain, distance(&times, FLUSH));
        judge(&filled, distance(&times, FILLED));
    }
    print_verdict("Sweep and rotation against the line flush", &plain);
    print_verdict("... against the flush with the holes filled", &filled);
}

/* --- the rotation alone ------------------------------------------------------------------------------------ */

/* Several working sets of one kernel, all at hand and visited in turn: what differs is where their memory is. */
static void repeat(struct bench *b, const struct kernel *kernel, double best[REPEATS])
{
    static double seconds[REPEATS][INTERVALS];
    struct kt_workingset *set[REPEATS];
    struct placed p;
    place(b, find_job(b, kernel), (uint64_t)b->arena.base, &p);
    for (int i = 0; i < REPEATS; i++)
        set[i] = open_set(b, &p);
    for (int k = 0; k < INTERVALS; k++)
        for (int i = 0; i < REPEATS; i++)
            seconds[i][k] = kt_workingset_time(set[i]);
    for (int i = 0; i < REPEATS; i++) {
        best[i] = kt_stat_of(seconds[i], INTERVALS, KT_BEST_QUARTILE).best;
        kt_workingset_close(set[i]);
    }
}

static void compare_timers(struct bench *b, size_t rounds)
{
    static struct times times;
    measure(b, &kernels[KERNELS], rounds, &times);
    struct kt_ratio ratio = ratio_of(&times, ROTATE, FLUSH);
    struct kt_ratio filled = ratio_of(&times, ROTATE, FILLED);
    struct kt_ratio lost = ratio_of(&times, ROTATE, PAGES_LOST);
    printf(
        "%s: multi-invocation over single-call timer %.3f (%.3f .. %.3f), holes filled %.3f (%.3f .. %.3f), and pages "
        "not in the TLB %.3f (%.3f .. %.3f)\n",
        kernels[KERNELS].name, ratio.value, ratio.lo, ratio.hi, filled.value, filled.lo, filled.hi, lost.value, lost.lo,
        lost.hi);
    double best[REPEATS];
    repeat(b, &kernels[KERNELS + 1], best);
    struct kt_stat stat = kt_stat_of(best, REPEATS, KT_BEST_MEDIAN);
    double middle = best[REPEATS * 3 / 4] / best[REPEATS / 4] - 1;
    printf("%s: multi-invocation timer %d times anew: %.1f ns, middle half within %.1f %%, all within %.1f %%\n",
           kernels[KERNELS + 1].name, REPEATS, 1e9 * stat.median, 100 * middle,
           100 * (best[REPEATS - 1] / best[0] - 1));
}

int main(int argc, char **argv)
{
    static struct bench bench;
    long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 25;
    if (rounds < 6 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "flush_methods: 6 to %d rounds\n", MOST_ROUNDS);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    pin();
    open_bench(&bench, argc > 1 ? argv[1] : "openblas-serial");
    compare_methods(&bench, (size_t)rounds);
    compare_timers(&bench, (size_t)rounds);
    close_bench(&bench);
    return 0;
}
