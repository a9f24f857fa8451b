/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What threads share: execution contexts for integer, floating point and memory work (paper 003, 3.4), cores shared by
 * two processors (paper 004, SMT), the scheduler's time slot (3.6).
 */
#include "model/probe/probe.h"
#include "model/loops/probe_kernels.h"
#include "model/loops/probe_team.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { LINE = 64, GAPS_MAX = 4096, SECONDS = 1 /* for a curve */ };

/* --- execution contexts ------------------------------------------------------------------------------------ */

static void integers(void *context)
{
    kt_kernel_find("div", "int64", 1)->run(*(uint64_t *)context, 2);
}

static void floats(void *context)
{
    kt_kernel_find("div", "double", 1)->run(*(uint64_t *)context, 4);
}

/* In the first cache, so that the memory system is not what is measured. */
static void loads(void *context)
{
    enum { STOPS = 64 };
    void *chain[STOPS * LINE / sizeof(void *)];
    for (size_t i = 0; i < STOPS; i++)
        chain[i * (LINE / sizeof(void *))] = &chain[(i + 27) % STOPS * (LINE / sizeof(void *))];
    void *end = kt_probe_walk(chain, *(uint64_t *)context * 64);
    __asm__ volatile("" : "+r"(end));
}

/* Passes that take about so many seconds. */
static uint64_t passes_of(void (*work)(void *context), double seconds)
{
    uint64_t passes = 64;
    for (;;) {
        double start = kt_seconds_now();
        work(&passes);
        double spent = kt_seconds_now() - start;
        if (spent > seconds / 4)
            return (uint64_t)fmax(1, (double)passes * seconds / spent);
        passes *= 2;
    }
}

/* Normalised times of 1, 2, ... threads; the best of some rounds each, rounds outermost. Each on a processor of its own
 * as long as there are any, if the system lets threads be pinned: its balancing takes longer than the work. */
static void time_teams(void (*work)(void *context), const int *cpu, size_t most, double *y)
{
    uint64_t passes = passes_of(work, 0.0015);
    struct kt_probe_team team = {.work = work, .context = &passes, .cpu = cpu};
    for (size_t m = 0; m < most; m++)
        y[m] = INFINITY;
    double end = kt_seconds_now() + SECONDS;
    for (int round = 0; round < 25 && (round < 4 || kt_seconds_now() < end); round++)
        for (size_t m = 0; m < most; m++) {
            team.members = (int)m + 1;
            y[m] = fmin(y[m], kt_team_run(&team));
        }
    for (size_t m = most; m-- > 0;)
        y[m] /= y[0];
    kt_enforce_monotone(y, most);
}

/* The biggest relative step, where the paper takes the first one: other programs make single threads wait now and then.
 * With one more thread than contexts, somebody waits for a time slot. 0: no step. */
static size_t step_of(const double *y, size_t n)
{
    size_t last = kt_biggest_relative_step(y, n);
    return last < n && y[last] < 1.5 && y[last + 1] > 1.25 * y[last] ? last + 1 : 0;
}

/* Where the system does not let threads be pinned, it may place them. */
static const int *where_to(const int *cpu, size_t cpus, int *room, size_t most)
{
    struct kt_probe_team one = {.work = integers, .context = &(uint64_t){1}, .members = 1, .cpu = cpu};
    for (size_t i = 0; i < most; i++)
        room[i] = cpu[i % cpus];
    return isfinite(kt_team_run(&one)) ? room : NULL;
}

/* Three times over: numbers that differ tell that other programs take processors away. One without any step, 0, does
 * not contradict two that agree, unless they say that there are fewer contexts than processors. */
static json_t *find_contexts(struct kt_probe *probe, const char *name, void (*work)(void *context), const int *cpu,
                             size_t cpus)
{
    enum { TIMES = 3 };
    double y[KT_CPUS_MAX + 2];
    double x[KT_CPUS_MAX + 2];
    int room[KT_CPUS_MAX + 2];
    size_t count[TIMES];
    size_t n = cpus + 2 < KT_CPUS_MAX ? cpus + 2 : KT_CPUS_MAX;
    const int *where = where_to(cpu, cpus, room, n);
    for (int i = 0; i < TIMES; i++) {
        time_teams(work, where, n, y);
        count[i] = step_of(y, n);
    }
    size_t most = (size_t)fmax((double)count[0], fmax((double)count[1], (double)count[2]));
    int agree = 0;
    int other = 0;
    for (int i = 0; i < TIMES; i++) {
        agree += count[i] == most;
        other += count[i] != most && count[i];
    }
    bool found = most && other == 0 && agree >= (most < cpus ? TIMES : 2);
    for (size_t i = 0; i < n; i++)
        x[i] = (double)i + 1;
    double step = (double)most;
    char label[64];
    snprintf(label, sizeof label, "contexts for %s", name);
    kt_probe_curve(probe, label, "threads", "relative time", x, y, n, &step, found ? 1 : 0);
    if (!found)
        kt_probe_not_determined(probe, label, "three measurements said %zu, %zu and %zu: other programs run, too",
                                count[0], count[1], count[2]);
    return found ? json_integer((json_int_t)most) : json_null();
}

/* --- SMT
 * ----------------------------------------------------------------------------------------------------------------------
 */

static void multiplications(void *context)
{
    kt_kernel_find("mul", "double", 1)->run(*(uint64_t *)context, 10);
}

/* How much more processor time the first of two threads takes than alone: the middle of some rounds. Other programs
 * take processors away, but not processor time; a processor that shares a core gets less done in it. The second one may
 * be of another kind of core, which takes longer anyway. NAN: threads cannot be pinned. */
static double slow_down(struct kt_probe_team *team, int a, int b, size_t rounds)
{
    enum { ROUNDS_MAX = 25 };
    double ratio[ROUNDS_MAX];
    double alone = INFINITY;
    rounds = rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX;
    team->cpu = (const int[]){a, b};
    for (size_t i = 0; i < rounds; i++) {
        team->members = 1;
        if (isnan(kt_team_run(team)))
            return NAN;
        alone = fmin(alone, team->busy[0]);
        team->members = 2;
        if (isnan(kt_team_run(team)))
            return NAN;
        ratio[i] = team->busy[0];
    }
    return kt_quantile(ratio, rounds, 0.5) / alone;
}

/* Processors of the first one's core, by how much two that are busy with independent multiplications slow each other
 * down. */
static void find_smt(struct kt_probe *probe, const int *cpu, size_t cpus)
{
    uint64_t passes = passes_of(multiplications, 0.002);
    struct kt_probe_team team = {.work = multiplications, .context = &passes};
    int shared = 1;
    double slowest = 1;
    for (size_t i = 1; i < cpus; i++) {
        double slow = slow_down(&team, cpu[0], cpu[i], cpus > 8 ? 6 : 25);
        if (isnan(slow)) {
            kt_probe_not_determined(probe, "SMT", "threads cannot be pinned to processors");
            json_object_set_new(probe->answer, "smt", json_null());
            return;
        }
        shared += slow > 1.5;
        slowest = fmax(slowest, slow);
    }
    json_object_set_new(probe->answer, "smt", json_integer(shared));
    json_object_set_new(probe->answer, "smt_slowdown", kt_json_number(slowest));
}

/* --- time slot --------------------------------------------------------------------------------------------- */

struct slots {
    double until;
    pthread_mutex_t lock;
    double gap[GAPS_MAX];
    size_t gaps;
};

static void watch(void *context)
{
    struct slots *s = context;
    double last = kt_seconds_now();
    while (last < s->until) {
        double now = kt_seconds_now();
        if (now - last > 20e-6) {
            pthread_mutex_lock(&s->lock);
            if (s->gaps < GAPS_MAX)
                s->gap[s->gaps++] = now - last;
            pthread_mutex_unlock(&s->lock);
        }
        last = now;
    }
}

/* The mode: the middle of the shortest interval in logarithms that holds a quarter of the gaps of a millisecond and
 * more. */
static double mode_of(double *gap, size_t n, double *confidence)
{
    size_t first = 0;
    kt_quantile(gap, n, 0);
    while (first < n && gap[first] < 0.5e-3)
        first++;
    size_t window = (n - first) / 4;
    double best = INFINITY;
    double mode = NAN;
    for (size_t i = first; window > 4 && i + window < n; i++)
        if (gap[i + window] / gap[i] < best) {
            best = gap[i + window] / gap[i];
            mode = gap[i + window / 2];
        }
    *confidence = window > 4 ? 1 / best : 0;
    return mode;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void find_slot(struct kt_probe *probe, size_t cpus)
{
    static struct slots slots;
    slots = (struct slots){.until = kt_seconds_now() + 0.8, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct kt_probe_team team = {
        .work = watch, .context = &slots, .members = (int)(2 * cpus < KT_CPUS_MAX ? 2 * cpus : KT_CPUS_MAX)};
    double confidence = 0;
    double busy = cpu_seconds();
    double spent = kt_team_run(&team);
    double share = (cpu_seconds() - busy) / (0.8 * (double)cpus);
    double mode = mode_of(slots.gap, slots.gaps, &confidence);
    if (share < 0.85 && isfinite(mode)) {
        kt_probe_not_determined(probe, "time slot",
                                "other programs took %.0f %% of the processors, so threads waited for them, too",
                                100 * (1 - share));
        json_object_set_new(probe->answer, "timeslice_ms", json_null());
        return;
    }
    if (isnan(spent) || isnan(mode) || confidence < 0.7) {
        kt_probe_not_determined(probe, "time slot", "no length of interruptions stands out among %zu", slots.gaps);
        mode = NAN;
    }
    json_object_set_new(probe->answer, "timeslice_ms", kt_json_number(1e3 * mode));
    json_object_set_new(probe->answer, "timeslice_confidence", kt_json_number(confidence));
}

void kt_probe_contexts(struct kt_probe *probe)
{
    int cpu[KT_CPUS_MAX];
    size_t cpus = kt_cpus_allowed(cpu);
    json_t *contexts = json_object();
    json_object_set_new(contexts, "int", find_contexts(probe, "integers", integers, cpu, cpus));
    json_object_set_new(contexts, "fp", find_contexts(probe, "floating point", floats, cpu, cpus));
    json_object_set_new(contexts, "mem", find_contexts(probe, "memory", loads, cpu, cpus));
    json_object_set_new(probe->answer, "contexts", contexts);
    find_smt(probe, cpu, cpus);
    find_slot(probe, cpus);
}
