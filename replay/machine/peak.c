/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A burst is the same work in every thread, begun together; its time ends when the last thread has finished. The work
 * of a burst is doubled until it takes long enough to be timed.
 */
#include "replay/machine/peak.h"

#include "replay/machine/caches.h"
#include "trace/base/line_flush.h"
#include "trace/base/now.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *const kt_peak_level_name[] = {"L1", "L2", "L3", "memory"};

/* The instruction of aarch64 adds to its destination: any other form takes a move for each. The product must not be
 * known to be the same each time, or additions would be left. */
#if defined(__aarch64__)
enum { CHAINS = 24 };
#define MULTIPLY_ADD(v, factor)     \
    ({                              \
        __asm__("" : "+w"(factor)); \
        (v) + (factor) * (factor);  \
    })
#else
enum { CHAINS = 12 };
#define MULTIPLY_ADD(v, factor) ((v) * (factor) + (factor))
#endif
enum { STREAMS = 4, UNROLLED = 8, LINE = 64 };
enum { BURSTS = 15, MEMORY_BURSTS = 10, MAX_THREADS = 256 };
static const double least_burst = 100e-6; /* seconds */
static const double most_bursts = 30e-3;  /* all of one kind, on a machine that others use */

/* Of all threads together: enough for a burst, and a small part of any memory; and of each, where they are many. */
static const long memory_bytes = 8 << 20;
static const long least_of_each = 4 << 20;
static const long piece = 1024; /* lengths are multiples of it */

/* Of each stream in so many bytes. */
static long stream_length(long bytes)
{
    return ((bytes / STREAMS / LINE - 1) | 1) * LINE;
}

/* Of each of three arrays. */
static long third_of(long bytes)
{
    return bytes / 3 / LINE * LINE;
}

/* Not known to the compiler. */
static volatile double one = 1;
static volatile double half = 0.5;
static volatile double sink;

#define FORGET_MEMORY __asm__ volatile("" ::: "memory")

struct kernels {
    int bytes; /* of a vector */
    double (*single)(long rounds);
    double (*twice)(long rounds); /* double precision */
    double (*read)(unsigned char *at, long bytes, long rounds);
    double (*write)(unsigned char *at, long bytes, long rounds);
    double (*both)(unsigned char *at, long bytes, long rounds);
    double (*triad)(unsigned char *at, long bytes, long rounds);
};

#define VECTOR_BYTES 16
#define VECTOR(name) name##_16
#define VECTOR_TARGET
#include "replay/machine/peak_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VECTOR_BYTES  32
#define VECTOR(name)  name##_32
#define VECTOR_TARGET __attribute__((target("avx2,fma")))
#include "replay/machine/peak_kernels.h"

#define VECTOR_BYTES  64
#define VECTOR(name)  name##_64
#define VECTOR_TARGET __attribute__((target("avx512f,avx2,fma")))
#include "replay/machine/peak_kernels.h"

/* Those that this processor has, narrowest first. */
static int find_kernels(const struct kernels *out[3])
{
    int count = 0;
    out[count++] = &kernels_16;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        out[count++] = &kernels_32;
    if (__builtin_cpu_supports("avx512f"))
        out[count++] = &kernels_64;
    return count;
}

/* Past the caches: lines need not be read before they are written. */
static double write_past(unsigned char *at, long bytes, long rounds)
{
    for (long round = 0; round < rounds; round++)
        for (long i = 0; i < bytes; i += (long)sizeof(__m128i))
            _mm_stream_si128((__m128i *)(void *)(at + i), _mm_set1_epi64x(round + 1)); /* not 0 */
    _mm_sfence();
    return 0;
}

/* The second half is read, the first one written. */
static double copy_past(unsigned char *at, long bytes, long rounds)
{
    const unsigned char *from = at + bytes / 2;
    for (long round = 0; round < rounds; round++)
        for (long i = 0; i < bytes / 2; i += (long)sizeof(__m128i))
            _mm_stream_si128((__m128i *)(void *)(at + i), _mm_load_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence();
    return 0;
}

#else
static int find_kernels(const struct kernels *out[3])
{
    out[0] = &kernels_16;
    return 1;
}

static double write_past(unsigned char *at, long bytes, long rounds)
{
    return kernels_16.write(at, bytes, rounds);
}

static double copy_past(unsigned char *at, long bytes, long rounds)
{
    return kernels_16.both(at, bytes / 2, rounds);
}
#endif

/* --- bursts ------------------------------------------------------------------------------------------------ */

/* One of compute and move is there. */
struct work {
    double (*compute)(long rounds);
    double (*move)(unsigned char *at, long bytes, long rounds);
    long bytes;       /* that each thread moves, a part of its memory */
    bool from_memory; /* lines are flushed before */
    double amount;    /* what one round of one thread is: operations, bytes */
};

struct crew {
    int threads;        /* wanted */
    atomic_int present; /* those that came */
    const struct work *work;
    long rounds;
    int bursts; /* 0: enough */
    double deadline;
    atomic_int waiting; /* threads that have come to a meeting, and all that met before */
    double begin[MAX_THREADS], end[MAX_THREADS];
    unsigned char *memory[MAX_THREADS];
    void *mapping[MAX_THREADS]; /* that it is in */
    size_t mapped;
    struct kt_caches caches; /* of each processor */
    double seconds;          /* of the shortest burst */
};

struct member {
    struct crew *crew;
    int number;
};

/* Until all have come to the same meeting, the N-th of this crew. */
static void meet(struct crew *crew, int n)
{
    atomic_fetch_add(&crew->waiting, 1);
    while (atomic_load(&crew->waiting) < n * atomic_load(&crew->present))
        sched_yield();
}

static void note_burst(struct crew *crew)
{
    double begin = crew->begin[0];
    double end = crew->end[0];
    for (int i = 1; i < atomic_load(&crew->present); i++) {
        begin = fmin(begin, crew->begin[i]);
        end = fmax(end, crew->end[i]);
    }
    crew->seconds = fmin(crew->seconds, end - begin);
}

/* Pages are put into the memory next to the processor that touches them first, which was another one's before. */
static void touch_again(unsigned char *memory, long bytes)
{
    madvise(memory, (size_t)bytes, MADV_DONTNEED);
    memset(memory, 1, (size_t)bytes);
}

static void *take_part(void *argument)
{
    const struct member *member = argument;
    struct crew *crew = member->crew;
    const struct work *work = crew->work;
    unsigned char *memory = crew->memory[member->number];
    double result = 0;
    if (work->from_memory)
        touch_again(memory, work->bytes);
    if (member->number == 0)
        crew->deadline = kt_now() + most_bursts;
    for (int burst = 0, meeting = 0; burst < crew->bursts; burst++) {
        if (work->from_memory) {
            kt_lines_flush((uint64_t)memory, (uint64_t)memory + (uint64_t)work->bytes);
            kt_lines_flushed();
        }
        meet(crew, ++meeting);
        crew->begin[member->number] = kt_now();
        result += work->compute ? work->compute(crew->rounds) : work->move(memory, work->bytes, crew->rounds);
        crew->end[member->number] = kt_now();
        meet(crew, ++meeting);
        if (member->number == 0)
            note_burst(crew);
        if (member->number == 0 && kt_now() > crew->deadline)
            crew->bursts = 0;
        meet(crew, ++meeting);
    }
    sink = result;
    return NULL;
}

/* Seconds of the shortest burst. */
static double run_bursts(struct crew *crew, long rounds, int bursts)
{
    pthread_t thread[MAX_THREADS];
    struct member member[MAX_THREADS];
    crew->rounds = rounds;
    crew->bursts = bursts;
    crew->seconds = INFINITY;
    atomic_store(&crew->waiting, 0);
    atomic_store(&crew->present, crew->threads);
    int started = 1;
    for (int i = 0; i < MAX_THREADS; i++)
        member[i] = (struct member){crew, i};
    while (started < crew->threads && pthread_create(&thread[started], NULL, take_part, &member[started]) == 0)
        started++;
    /* The others go on without those that cannot be had: no meeting has ended yet. */
    atomic_store(&crew->present, started);
    take_part(&member[0]);
    for (int i = 1; i < started; i++)
        pthread_join(thread[i], NULL);
    return crew->seconds;
}

/* Amounts per second of all threads. */
static double best_rate(struct crew *crew, const struct work *work, int bursts)
{
    long rounds = 1;
    crew->work = work;
    while (!work->from_memory && rounds < 1 << 28 && run_bursts(crew, rounds, 1) < least_burst)
        rounds *= 2;
    double seconds = run_bursts(crew, rounds, bursts);
    return seconds > 0 ? work->amount * (double)rounds * atomic_load(&crew->present) / seconds : 0;
}

/* --- what is measured -------------------------------------------------------------------------------------- */

static void measure_flops(struct crew *crew, const struct kernels *k, struct kt_peaks *out)
{
    const struct work single = {.compute = k->single, .amount = 2.0 * CHAINS * k->bytes / (int)sizeof(float)};
    const struct work twice = {.compute = k->twice, .amount = 2.0 * CHAINS * k->bytes / (int)sizeof(double)};
    out->flops[KT_PEAK_SINGLE] = fmax(out->flops[KT_PEAK_SINGLE], best_rate(crew, &single, BURSTS));
    out->flops[KT_PEAK_DOUBLE] = fmax(out->flops[KT_PEAK_DOUBLE], best_rate(crew, &twice, BURSTS));
}

/* BYTES: of each thread. */
static void measure_cache(struct crew *crew, const struct kernels *k, long bytes, struct kt_bandwidth *out)
{
    bytes = bytes < piece ? piece : bytes / piece * piece;
    const struct work read = {.move = k->read, .bytes = bytes, .amount = STREAMS * (double)stream_length(bytes)};
    const struct work write = {.move = k->write, .bytes = bytes, .amount = (double)bytes};
    const struct work both = {.move = k->both, .bytes = bytes, .amount = 2 * (double)bytes};
    const struct work triad = {.move = k->triad, .bytes = bytes, .amount = 3 * (double)third_of(bytes)};
    out->read = best_rate(crew, &read, BURSTS);
    out->write = best_rate(crew, &write, BURSTS);
    out->both = fmax(best_rate(crew, &both, BURSTS), best_rate(crew, &triad, BURSTS));
}

static double rate_from_memory(struct crew *crew, double (*move)(unsigned char *, long, long), long bytes,
                               double amount)
{
    const struct work work = {.move = move, .bytes = bytes, .from_memory = true, .amount = amount};
    return best_rate(crew, &work, MEMORY_BURSTS);
}

/* Stores past the caches, and stores that fetch a line and leave it in a cache: whichever is faster. The best mix of
 * loads and stores is not known either. */
static void measure_memory(struct crew *crew, const struct kernels *k, long bytes, struct kt_bandwidth *out)
{
    double all = (double)bytes;
    out->capacity = INFINITY;
    out->read = rate_from_memory(crew, k->read, bytes, STREAMS * (double)stream_length(bytes));
    out->write = fmax(rate_from_memory(crew, write_past, bytes, all), rate_from_memory(crew, k->write, bytes, all));
    out->both = fmax(rate_from_memory(crew, copy_past, bytes, all), rate_from_memory(crew, k->both, bytes, 2 * all));
    out->both = fmax(out->both, rate_from_memory(crew, k->triad, bytes, 3 * (double)third_of(bytes)));
}

static double level_bytes(const struct crew *crew, enum kt_peak_level i)
{
    return (unsigned)i < crew->caches.count ? (double)crew->caches.cache[i].bytes : 0;
}

/* Of the last cache there is one for each so many processors; the system may put each thread near another one. */
static double instances(const struct crew *crew, double processors)
{
    return fmin(crew->threads, ceil(processors / crew->caches.cache[KT_PEAK_L3].shared));
}

static void measure_level(struct crew *crew, const struct kernels *k, struct kt_peaks *out, enum kt_peak_level i)
{
    double inner = i ? level_bytes(crew, (enum kt_peak_level)(i - 1)) : 0;
    double bytes = level_bytes(crew, i);
    out->level[i].capacity = bytes;
    /* More than what fits in the cache before, and what others leave of this one. */
    double used = fmin(fmax(bytes / 2, 1.5 * inner), i == KT_PEAK_L3 ? 2 * inner : bytes);
    if (bytes > 0)
        measure_cache(crew, k, (long)fmin(used, (double)memory_bytes), &out->level[i]);
}

/* Processors that are not a second thread of a core; as many as threads can have for themselves. */
static double count_cores(void)
{
    double cores = 0;
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    for (long i = 0; i < processors; i++) {
        char path[96];
        long first = -1;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%ld/topology/thread_siblings_list", i);
        FILE *file = fopen(path, "re");
        cores += file && fscanf(file, "%ld", &first) == 1 && first == i;
        if (file)
            fclose(file);
    }
    return cores > 0 ? cores : (double)processors;
}

static void scale(struct kt_bandwidth *level, double factor)
{
    level->capacity *= factor;
    level->read *= factor;
    level->write *= factor;
    level->both *= factor;
}

static void raise_level(struct kt_bandwidth *level, const struct kt_bandwidth *other)
{
    level->read = fmax(level->read, other->read);
    level->write = fmax(level->write, other->write);
    level->both = fmax(level->both, other->both);
}

bool kt_peaks_are_sound(const struct kt_peaks *peaks)
{
    unsigned char probed; /* a byte that is neither 0 nor 1 is no bool */
    memcpy(&probed, (const char *)peaks + offsetof(struct kt_peaks, probed), sizeof probed);
    return peaks->threads > 0 && probed <= 1;
}

void kt_peaks_raise(struct kt_peaks *peaks, const struct kt_peaks *other)
{
    for (int i = 0; i < KT_PEAK_PRECISIONS; i++)
        peaks->flops[i] = fmax(peaks->flops[i], other->flops[i]);
    for (int i = 0; i < KT_PEAK_LEVELS; i++)
        raise_level(&peaks->level[i], &other->level[i]);
}

/* In large pages where they can be had: prefetchers stop at the end of a page. */
static bool map_memory(struct crew *crew)
{
    enum { LARGE_PAGE = 2 << 20 };
    for (int i = 0; i < crew->threads; i++) {
        size_t bytes = (size_t)memory_bytes + LARGE_PAGE;
        void *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapping == MAP_FAILED)
            return false;
        uintptr_t at = ((uintptr_t)mapping + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
        crew->mapping[i] = mapping;
        crew->mapped = bytes;
        crew->memory[i] = (unsigned char *)at;
        madvise(crew->memory[i], (size_t)memory_bytes, MADV_HUGEPAGE);
        memset(crew->memory[i], 1, (size_t)memory_bytes);
    }
    return true;
}

static void measure_one(struct crew *crew, struct kt_peaks *out)
{
    const struct kernels *kernels[3];
    int widths = find_kernels(kernels);
    const struct kernels *widest = kernels[widths - 1];
    for (int i = 0; i < widths; i++)
        measure_flops(crew, kernels[i], out);
    for (int i = KT_PEAK_L1; i <= KT_PEAK_L3; i++)
        measure_level(crew, widest, out, (enum kt_peak_level)i);
    measure_memory(crew, widest, memory_bytes, &out->level[KT_PEAK_MEMORY]);
}

/* What threads share is measured with all of them, but counts no less than what one of them gets; what each has for
 * itself is a multiple of what one has. */
static void measure_shared(struct crew *crew, struct kt_peaks *out)
{
    const struct kernels *kernels[3] = {0};
    int widths = find_kernels(kernels);
    const struct kernels *widest = kernels[widths - 1];
    struct kt_peaks all = {0};
    double cores = fmin(crew->threads, count_cores());
    measure_level(crew, widest, &all, KT_PEAK_L3);
    long share = memory_bytes / crew->threads / piece * piece;
    measure_memory(crew, widest, share > least_of_each ? share : least_of_each, &all.level[KT_PEAK_MEMORY]);
    for (int i = 0; i < KT_PEAK_PRECISIONS; i++)
        out->flops[i] *= cores;
    scale(&out->level[KT_PEAK_L1], cores);
    scale(&out->level[KT_PEAK_L2], cores);
    out->level[KT_PEAK_L3].capacity *= instances(crew, (double)sysconf(_SC_NPROCESSORS_ONLN));
    kt_peaks_raise(out, &all);
}

static bool can_measure(void)
{
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#else
    return true;
#endif
}

bool kt_peaks_measure(int threads, struct kt_peaks *out)
{
    static struct crew crew;
    double begin = kt_now();
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int most = processors > 0 && processors < MAX_THREADS ? (int)processors : MAX_THREADS;
    memset(&crew, 0, sizeof crew);
    kt_caches_read(NULL, &crew.caches);
    crew.threads = threads < 1 ? 1 : threads < most ? threads : most;
    *out = (struct kt_peaks){.threads = crew.threads};
    bool measured = can_measure() && map_memory(&crew);
    crew.threads = 1;
    if (measured)
        measure_one(&crew, out);
    crew.threads = out->threads;
    if (measured && crew.threads > 1)
        measure_shared(&crew, out);
    for (int i = 0; i < MAX_THREADS; i++)
        if (crew.mapping[i])
            munmap(crew.mapping[i], crew.mapped);
    out->seconds = kt_now() - begin;
    return measured;
}
