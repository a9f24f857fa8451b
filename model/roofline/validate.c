/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/roofline/validate.h"

#include "model/decomposition/spread.h"
#include "model/roofline/hardware_events.h"
#include "model/loops/probe_kernels.h"
#include "model/loops/probe_streams.h"
#include "model/loops/probe_team.h"
#include "model/loops/stopwatch.h"
#include "trace/base/line_flush.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

/* --- what is expected -------------------------------------------------------------------------------------- */

static const struct kernel {
    const char *name, *operation; /* of model/loops/probe_streams.h, or of model/loops/probe_kernels.h */
    int arrays;                   /* 0: registers only */
} kernels[] = {{"Read", "load", 1},   {"Write", "store", 1}, {"WriteStream", "nt_store", 1},
               {"Triad", "triad", 3}, {"ADD", "add", 0},     {"MUL", "mul", 0}};
enum { KERNELS = sizeof kernels / sizeof *kernels, THREADS = 2 };

double kt_validate_error(double expected, double found)
{
    double x = found / expected;
    return x > 0 && isfinite(x) ? 100 * (x > 1 ? x - 1 : 1 / x - 1) : NAN;
}

double kt_validate_volume(const char *kernel, double size, double cache)
{
    if (!strcmp(kernel, "Read") || !strcmp(kernel, "WriteStream"))
        return size;
    if (!strcmp(kernel, "Write"))
        return size + fmax(0, size - cache);
    return !strcmp(kernel, "Triad") ? 3 * size + fmax(0, size - cache / 3) : NAN;
}

/* The roof of that name on so many cores; NAN: it was not measured. */
static double per_second(const struct kt_machine *machine, const char *name, int cores, bool flops)
{
    const struct kt_machine_roof *roof = flops ? machine->peak : machine->bandwidth;
    double best = NAN;
    for (size_t i = 0; i < (flops ? machine->peaks : machine->bandwidths); i++)
        if (!strncmp(roof[i].name, name, strlen(name)) && (roof[i].cores > 1) == (cores > 1))
            best = fmax(best,
                        roof[i].per_second > 0 && !flops ? roof[i].per_second : roof[i].per_cycle * machine->core_hz);
    return best;
}

double kt_validate_rate(const struct kt_machine *machine, const char *roof, int threads)
{
    double one = per_second(machine, roof, 1, false);
    double all = per_second(machine, roof, 2, false);
    return threads == 1 ? one : isnan(all) ? NAN : fmin(threads * one, all);
}

/* --- a measurement ----------------------------------------------------------------------------------------- */

/* Of one repetition; of several threads at once of the slowest, and all bytes and flops. NAN: not counted. */
struct run {
    double seconds, bytes, flops;
};

/* What one thread does. */
struct task {
    const struct kernel *kernel;
    const struct kt_stream_loop *loop;
    const struct kt_probe_kernel *registers;
    double *memory;
    size_t doubles; /* of each array */
    uint64_t passes;
    const struct kt_event_candidate *const *chosen;
    pthread_barrier_t *barrier;
    struct run run[KT_VALIDATE_TIMES];
};

static void run_kernel(const struct task *t)
{
    if (t->registers)
        t->registers->run(t->passes, kt_kernel_streams(t->registers));
    else
        t->loop->run(t->memory, t->memory + t->doubles, t->memory + 2 * t->doubles, t->doubles, 1);
}

/* Only what was counted in this very thread, all the time. */
static struct run measure_once(const struct task *t, struct kt_event_group group[2])
{
    if (!t->registers) {
        size_t bytes = t->doubles * sizeof(double) * (size_t)t->kernel->arrays;
        kt_lines_flush((uint64_t)t->memory, (uint64_t)t->memory + bytes);
        kt_lines_flushed();
    }
    pthread_barrier_wait(t->barrier);
    for (int i = 0; i < 2; i++)
        kt_event_group_begin(&group[i]);
    double start = kt_seconds_now();
    run_kernel(t);
    double seconds = kt_seconds_now() - start;
    double flops = kt_event_group_end(&group[0]);
    double bytes = kt_event_group_end(&group[1]);
    return (struct run){.seconds = seconds, .bytes = bytes, .flops = flops};
}

static void run_task(void *context)
{
    struct task *t = context;
    struct kt_event_group group[2];
    kt_event_group_open(t->chosen[KT_COUNT_FLOPS], &group[0]);
    kt_event_group_open(t->chosen[KT_COUNT_TRAFFIC], &group[1]);
    for (int i = 0; i < KT_VALIDATE_TIMES; i++)
        t->run[i] = measure_once(t, group);
    kt_event_group_close(&group[0]);
    kt_event_group_close(&group[1]);
}

/* Runs the task on so many processors at once. */
static enum kt_status run_tasks(const struct task *task, const int *cpu, int threads, struct task *out,
                                struct kt_error *error)
{
    pthread_barrier_t barrier;
    struct task all[THREADS];
    struct kt_probe_team team = {.work = run_task, .context = all, .each = sizeof *all, .members = threads, .cpu = cpu};
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        all[i] = *task;
        all[i].memory = task->memory + (size_t)i * task->doubles * 3;
        all[i].barrier = &barrier;
    }
    bool ran = !isnan(kt_team_run(&team));
    pthread_barrier_destroy(&barrier);
    if (!ran)
        return kt_fail(error, KT_SYSTEM, "%d thread(s) cannot be made, or not be pinned to processors", threads);
    *out = all[0];
    for (int i = 1; i < threads; i++)
        for (int j = 0; j < KT_VALIDATE_TIMES; j++) {
            out->run[j].seconds = fmax(out->run[j].seconds, all[i].run[j].seconds);
            out->run[j].bytes += all[i].run[j].bytes;
            out->run[j].flops += all[i].run[j].flops;
        }
    return KT_OK;
}

/* The first processor of the core that CPU belongs to, as the system says. */
static int core_of(int cpu)
{
    char path[96];
    int first = cpu;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%d", &first) != 1)
        first = cpu;
    if (file)
        fclose(file);
    return first;
}

/* Processors of different cores that this process may use; how many there are, THREADS at most. */
static int choose_processors(int out[THREADS])
{
    int cpu[KT_CPUS_MAX];
    size_t cpus = kt_cpus_allowed(cpu);
    int chosen = 0;
    for (size_t i = 0; i < cpus && chosen < THREADS; i++) {
        bool is_new = true;
        for (int j = 0; j < chosen; j++)
            is_new = is_new && core_of(out[j]) != core_of(cpu[i]);
        if (is_new)
            out[chosen++] = cpu[i];
    }
    return chosen;
}

/* --- rows -------------------------------------------------------------------------------------------------- */

struct validation {
    const struct kt_machine *machine;
    const struct kt_event_candidate *chosen[KT_COUNTABLES_COUNT];
    double *memory;
    double cache;
    int cpu[THREADS];
    int cpus; /* as many cores as there are, THREADS at most */
    json_t *rows;
};

static const struct kt_stream_loop *widest_loop(const char *operation)
{
    const struct kt_stream_loop *best = NULL;
    for (size_t i = 0; i < kt_stream_loop_count; i++)
        if (!strcmp(kt_stream_loops[i].operation, operation) && kt_stream_loop_present(&kt_stream_loops[i]))
            best = &kt_stream_loops[i];
    return best;
}

static const struct kt_probe_kernel *widest_kernel(const char *operation)
{
    const struct kt_probe_kernel *best = NULL;
    for (int lanes = 1; lanes <= 16; lanes *= 2) {
        const struct kt_probe_kernel *found = kt_kernel_find(operation, "double", lanes);
        best = found ? found : best;
    }
    return best;
}

enum { VALUES = 3 }; /* bytes, flops, seconds */

/* Of the runs in which it is known. */
static struct kt_spread spread_of(const struct task *task, int which)
{
    double value[KT_VALIDATE_TIMES];
    size_t n = 0;
    for (int i = 0; i < KT_VALIDATE_TIMES; i++) {
        const struct run *run = &task->run[i];
        value[n] = (double[VALUES]){run->bytes, run->flops, run->seconds}[which];
        n += !isnan(value[n]);
    }
    return kt_spread_of(value, n);
}

/* Found is the least. */
static void add_row(const struct validation *v, const struct task *task, int threads, double size,
                    const struct task *found, const double expected[VALUES])
{
    static const char *const name[VALUES] = {"bytes", "flops", "seconds"};
    json_t *row = json_pack("{ss si sf}", "kernel", task->kernel->name, "threads", threads, "size", size);
    for (int i = 0; i < VALUES; i++) {
        char key[32];
        struct kt_spread spread = spread_of(found, i);
        snprintf(key, sizeof key, "%s_expected", name[i]);
        json_object_set_new(row, key, kt_json_number(expected[i]));
        snprintf(key, sizeof key, "%s_found", name[i]);
        json_object_set_new(row, key, kt_json_number(spread.least));
        snprintf(key, sizeof key, "%s_error", name[i]);
        json_object_set_new(row, key, kt_json_number(kt_validate_error(expected[i], spread.least)));
        snprintf(key, sizeof key, "%s_spread", name[i]);
        json_object_set_new(row, key, kt_spread_json(&spread));
    }
    json_array_append_new(v->rows, row);
}

static enum kt_status validate_memory(struct validation *v, const struct kernel *kernel, size_t bytes, int threads,
                                      struct kt_error *error)
{
    struct task found;
    char roof[32];
    struct task task = {.kernel = kernel,
                        .loop = widest_loop(kernel->operation),
                        .memory = v->memory,
                        .doubles = bytes / sizeof(double),
                        .chosen = v->chosen};
    if (!task.loop)
        return KT_OK;
    KT_TRY(run_tasks(&task, v->cpu, threads, &found, error));
    snprintf(roof, sizeof roof, "memory %s", kernel->operation);
    double volume = threads * kt_validate_volume(kernel->name, (double)bytes, v->cache / threads);
    double streamed = (double)bytes * kernel->arrays * threads; /* bytes as the roof counts them */
    add_row(v, &task, threads, (double)bytes, &found,
            (double[]){volume, NAN, streamed / kt_validate_rate(v->machine, roof, threads)});
    return KT_OK;
}

static enum kt_status validate_registers(struct validation *v, const struct kernel *kernel, double operations,
                                         int threads, struct kt_error *error)
{
    struct task found;
    char roof[32];
    struct task task = {
        .kernel = kernel, .registers = widest_kernel(kernel->operation), .memory = v->memory, .chosen = v->chosen};
    if (!task.registers)
        return KT_OK;
    double each = (double)kt_kernel_operations(kt_kernel_streams(task.registers)) * task.registers->flops;
    task.passes = (uint64_t)ceil(operations / each);
    double flops = threads * each * (double)task.passes;
    KT_TRY(run_tasks(&task, v->cpu, threads, &found, error));
    snprintf(roof, sizeof roof, "%s double", kernel->operation);
    double rate = threads * per_second(v->machine, roof, 1, true); /* registers are nobody else's */
    add_row(v, &task, threads, operations, &found, (double[]){NAN, flops, flops / rate});
    return KT_OK;
}

static enum kt_status validate_kernel(struct validation *v, const struct kernel *kernel, int threads,
                                      struct kt_error *error)
{
    static const size_t bytes[] = {1 << 14, 1 << 18, 1 << 22, 1 << 26};
    static const double operations[] = {1e5, 1e6, 1e7};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes && kernel->arrays; i++)
        KT_TRY(validate_memory(v, kernel, bytes[i], threads, error));
    for (size_t i = 0; i < sizeof operations / sizeof *operations && !kernel->arrays; i++)
        KT_TRY(validate_registers(v, kernel, operations[i], threads, error));
    return KT_OK;
}

static const char *counter_text(const struct validation *v)
{
    if (v->chosen[KT_COUNT_FLOPS] && v->chosen[KT_COUNT_TRAFFIC])
        return NULL;
    return v->chosen[KT_COUNT_FLOPS]     ? "No counter of memory traffic"
           : v->chosen[KT_COUNT_TRAFFIC] ? "No counter of operations"
                                         : "No counters of operations or memory traffic";
}

static enum kt_status validate_all(struct validation *v, struct kt_error *error)
{
    for (int t = 1; t <= v->cpus; t++)
        for (int k = 0; k < KERNELS; k++) {
            kt_progress("validate", (t - 1) * KERNELS + k, v->cpus * KERNELS);
            KT_TRY(validate_kernel(v, &kernels[k], t, error));
        }
    return KT_OK;
}

enum kt_status kt_validate_measure(const struct kt_machine *machine, json_t **out, struct kt_error *error)
{
    enum { MOST = 1 << 26 };
    struct validation v = {.machine = machine, .cache = kt_machine_last_cache(machine)};
    v.cpus = choose_processors(v.cpu);
    size_t bytes = (size_t)MOST * 3 * (size_t)v.cpus;
    v.memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (v.memory == MAP_FAILED)
        return kt_fail(error, KT_SYSTEM, "there are no %zu MiB of memory for the kernels", bytes >> 20);
    kt_events_choose(kt_event_is_here, NULL, v.chosen);
    madvise(v.memory, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < bytes / sizeof(double); i += 512)
        v.memory[i] = 1;
    v.rows = json_array();
    enum kt_status status = validate_all(&v, error);
    kt_progress_end();
    munmap(v.memory, bytes);
    *out = json_pack("{si so ss?}", "k", KT_VALIDATE_TIMES, "rows", v.rows, "counters", counter_text(&v));
    if (status != KT_OK)
        json_decref(*out);
    return status;
}

/* --- text -------------------------------------------------------------------------------------------------- */

static double number(const json_t *row, const char *name, const char *what)
{
    char key[32];
    snprintf(key, sizeof key, "%s_%s", name, what);
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void error_text(double percent, char out[16])
{
    if (isnan(percent))
        snprintf(out, 16, "n/a");
    else
        snprintf(out, 16, "%.1f %%", percent);
}

static void short_number(double value, char out[16])
{
    if (isnan(value))
        snprintf(out, 16, "n/a");
    else
        snprintf(out, 16, "%.3g", value);
}

static void print_row(struct kt_text_table *table, const json_t *row)
{
    char cell[8][16];
    bool memory = !isnan(number(row, "bytes", "expected"));
    const char *name = memory ? "bytes" : "flops";
    const char *cells[] = {json_string_value(json_object_get(row, "kernel")),
                           cell[0],
                           cell[1],
                           cell[2],
                           cell[3],
                           cell[4],
                           cell[5],
                           cell[6]};
    snprintf(cell[0], sizeof cell[0], "%d", (int)json_integer_value(json_object_get(row, "threads")));
    short_number(number(row, name, "expected"), cell[1]);
    short_number(number(row, name, "found"), cell[2]);
    error_text(number(row, name, "error"), cell[3]);
    kt_text_seconds(number(row, "seconds", "expected"), cell[4]);
    kt_text_seconds(number(row, "seconds", "found"), cell[5]);
    error_text(number(row, "seconds", "error"), cell[6]);
    kt_text_table_row(table, cells);
}

void kt_validate_print(const json_t *document)
{
    static const struct kt_column column[] = {
        {"kernel", false, false}, {"threads", true, false}, {"expected", true, false}, {"counted", true, false},
        {"error", true, false},   {"at roof", true, false}, {"time", true, false},     {"error", true, false}};
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    const char *missing = json_string_value(json_object_get(document, "counters"));
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        print_row(table, row);
    }
    kt_text_table_print(table);
    kt_text_table_free(table);
    printf("expected, counted: bytes between memory and caches, or operations (ADD, MUL); the\n"
           "least of %d times, cold. error: (x > 1 ? x : 1/x) - 1, x = found / expected.\n"
           "at roof: what the roofs of the machine file allow; small sizes pay latency instead.\n",
           KT_VALIDATE_TIMES);
    if (missing)
        printf("%s here ('ktrace roofline --events'):\nonly times are validated.\n", missing);
}
