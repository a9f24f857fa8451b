/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/again/again.h"

#include "replay/compare/program_run.h"
#include "replay/sequence/sequence_times.h"
#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const double patience = 5; /* times as long as the recorded program a run may take */
static const double least_limit = 60;
static const double other_calls = 0.1; /* of the time in calls whose number differs: it is another computation */

/* --- which job a call of another recording is of ------------------------------------------------------------- */

struct kt_again_known {
    const char *symbol; /* of the trace */
    size_t words;
    uint64_t word[KT_MAX_PARAMS];
    size_t job;
};

static int compare_known(const void *a, const void *b)
{
    const struct kt_again_known *x = a;
    const struct kt_again_known *y = b;
    int order = strcmp(x->symbol, y->symbol);
    if (order == 0 && x->words != y->words)
        order = x->words < y->words ? -1 : 1;
    return order ? order : memcmp(x->word, y->word, x->words * sizeof *x->word);
}

static struct kt_again_known known_of(const struct kt_shape_group *shape, size_t job)
{
    struct kt_again_known known = {.symbol = shape->first.entry->symbol.name, .job = job};
    known.words = kt_shape_key(&shape->first, known.word);
    return known;
}

static void learn_jobs(struct kt_again *a)
{
    const struct kt_jobs *jobs = &a->setup->jobs;
    a->knowns = jobs->count;
    a->known = kt_resize(NULL, jobs->count, sizeof *a->known);
    for (size_t i = 0; i < jobs->count; i++)
        a->known[i] = known_of(jobs->job[i].shape, i);
    qsort(a->known, a->knowns, sizeof *a->known, compare_known);
}

/* SIZE_MAX: it was not recorded. */
static size_t job_of(const struct kt_again *a, const struct kt_shape_group *shape)
{
    const struct kt_again_known key = known_of(shape, 0);
    const struct kt_again_known *found = bsearch(&key, a->known, a->knowns, sizeof key, compare_known);
    return found ? found->job : SIZE_MAX;
}

/* --- what to run --------------------------------------------------------------------------------------------- */

static char **copy_command(char *const *command)
{
    size_t words = 0;
    while (command[words])
        words++;
    char **copy = kt_resize(NULL, words + 1, sizeof *copy);
    for (size_t i = 0; i < words; i++)
        copy[i] = kt_copy(command[i]);
    copy[words] = NULL;
    return copy;
}

/* As it was recorded. */
static char **recorded_command(const struct kt_process *process)
{
    size_t words = 0;
    char **list = kt_resize(NULL, 1, sizeof *list);
    for (size_t i = 0; i < process->metas; i++) {
        if (strcmp(process->meta[i].key, "arg") != 0)
            continue;
        list = kt_resize(list, words + 2, sizeof *list);
        list[words++] = kt_copy(process->meta[i].value);
    }
    list[words] = NULL;
    return list;
}

static enum kt_status make_directory(struct kt_again *a, struct kt_error *error)
{
    const char *place = getenv("TMPDIR");
    snprintf(a->directory, sizeof a->directory, "%s/ktrace-again.XXXXXX", place && *place ? place : "/tmp");
    if (mkdtemp(a->directory))
        return KT_OK;
    kt_fail(error, KT_SYSTEM, "%s: cannot be made: %s", a->directory, strerror(errno));
    a->directory[0] = '\0';
    return error->status;
}

static double longest_process(const struct kt_trace *trace)
{
    double seconds = 0;
    for (size_t p = 0; p < trace->processes; p++)
        seconds = fmax(seconds, trace->process[p].seconds);
    return seconds;
}

/* Where replays of one thread are timed, if the program has one thread, too. */
static int choose_processor(const struct kt_trace *trace, int processor)
{
    bool is_single =
        trace->processes == 1 && kt_process_threads(trace->process) == 1 && kt_library_threads_recorded(trace) == 1;
    return is_single ? processor : KT_NO_PROCESSOR;
}

enum kt_status kt_again_begin(const struct kt_setup *setup, enum kt_level level, char *const *command, int runs,
                              struct kt_again *out, struct kt_error *error)
{
    struct stat input;
    *out = (struct kt_again){.setup = setup, .level = level, .runs_wanted = runs};
    out->has_input = fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode);
    out->command = command ? copy_command(command) : recorded_command(setup->trace.process);
    out->cwd = command ? NULL : kt_meta(setup->trace.process, "cwd");
    out->limit = fmax(patience * longest_process(&setup->trace), least_limit);
    out->processor = choose_processor(&setup->trace, setup->jobs.processor);
    learn_jobs(out);
    if (!out->command[0])
        return kt_fail(error, KT_BAD_INPUT, "%s: the trace does not say which command was recorded: name it behind --",
                       setup->trace.path);
    return make_directory(out, error);
}

/* --- a run --------------------------------------------------------------------------------------------------- */

static double *unknown(size_t count)
{
    double *value = kt_resize(NULL, count, sizeof *value);
    for (size_t i = 0; i < count; i++)
        value[i] = NAN;
    return value;
}

/* Several shapes of a run are one job where libraries or processes differ. */
static void add_shape(const struct kt_shape_group *shape, size_t job, double *calls, struct kt_again_times *out)
{
    double median = kt_samples_stat(&shape->seconds, KT_BEST_MEDIAN).median;
    double all = calls[job] + (double)shape->calls;
    double part = (double)shape->calls / all;
    bool is_first = calls[job] == 0;
    out->mean[job] = is_first ? shape->total / all : (1 - part) * out->mean[job] + shape->total / all;
    out->median[job] = is_first ? median : (1 - part) * out->median[job] + part * median;
    calls[job] = all;
}

/* Seconds of the recording in calls of jobs that are made another number of times. */
static double seconds_elsewhere(const struct kt_again *a, const double *calls, double strange)
{
    double seconds = strange;
    for (size_t i = 0; i < a->setup->jobs.count; i++) {
        const struct kt_shape_group *shape = a->setup->jobs.job[i].shape;
        seconds += shape->total * fmin(fabs(calls[i] / (double)shape->calls - 1), 1);
    }
    return seconds;
}

static double seconds_recorded(const struct kt_again *a)
{
    double seconds = 0;
    for (size_t i = 0; i < a->setup->jobs.count; i++)
        seconds += a->setup->jobs.job[i].shape->total;
    return seconds;
}

static void take_shapes(struct kt_again *a, const struct kt_trace *trace, const struct kt_sequence *played,
                        struct kt_again_run *out)
{
    size_t jobs = a->setup->jobs.count;
    struct kt_shapes shapes;
    double strange = 0;
    kt_shapes_collect(trace, a->level, &shapes);
    double *calls = kt_resize(NULL, jobs, sizeof *calls);
    double *mean = unknown(shapes.count);
    double *median = unknown(shapes.count);
    memset(calls, 0, jobs * sizeof *calls);
    if (played && played->recording.calls)
        kt_recording_times_in(&played->recording, trace, &shapes, a->level, mean, median);
    for (size_t i = 0; i < shapes.count; i++) {
        const struct kt_shape_group *shape = &shapes.shape[i];
        size_t job = shape->calls ? job_of(a, shape) : SIZE_MAX;
        out->blas += shape->total;
        out->calls += (double)shape->calls;
        if (job == SIZE_MAX) {
            strange += shape->total;
            continue;
        }
        add_shape(shape, job, calls, &out->times);
        if (!isnan(mean[i])) {
            out->times.played[job] = mean[i];
            out->times.played_median[job] = median[i];
        }
    }
    if (seconds_elsewhere(a, calls, strange) > other_calls * seconds_recorded(a))
        snprintf(a->stopped, sizeof a->stopped, "it makes other calls each time");
    kt_shapes_free(&shapes);
    free(mean);
    free(median);
    free(calls);
}

static void free_times(struct kt_again_times *times)
{
    free(times->mean);
    free(times->median);
    free(times->played);
    free(times->played_median);
}

static void take_trace(struct kt_again *a, const char *path, const struct kt_sequence *played, struct kt_again_run *out)
{
    struct kt_trace trace;
    struct kt_error error = {0};
    size_t jobs = a->setup->jobs.count;
    out->times = (struct kt_again_times){unknown(jobs), unknown(jobs), unknown(jobs), unknown(jobs)};
    if (kt_trace_open(path, &trace, &error) == KT_OK) {
        out->wall = longest_process(&trace);
        take_shapes(a, &trace, played, out);
    } else {
        snprintf(a->stopped, sizeof a->stopped, "%.250s", error.text);
    }
    kt_trace_close(&trace);
}

static void keep(struct kt_again *a, struct kt_again_run *run)
{
    if (*a->stopped) {
        free_times(&run->times);
        return;
    }
    a->run = kt_room_for_one(a->run, a->runs, sizeof *a->run);
    a->run[a->runs++] = *run;
}

void kt_again_run(struct kt_again *a, unsigned rounds, const struct kt_sequence *played)
{
    char path[4128];
    struct kt_error error = {0};
    struct kt_program_time time;
    struct kt_again_run one = {.before = rounds};
    double begin = kt_now();
    snprintf(path, sizeof path, "%s/run", a->directory);
    const struct kt_program_run run = {.command = a->command,
                                       .directory = a->cwd,
                                       .has_input = a->has_input,
                                       .trace = path,
                                       .nested = a->level == KT_LEAVES ? "all" : "none",
                                       .limit = a->limit,
                                       .processor = a->processor};
    enum kt_status status = kt_program_run(&run, &time, &error);
    if (status == KT_OK) {
        one.cpu = time.cpu;
        take_trace(a, path, played, &one);
        keep(a, &one);
    } else if (!kt_interrupted()) {
        snprintf(a->stopped, sizeof a->stopped, "run again, %.250s", error.text);
    }
    kt_directory_remove(path);
    a->seconds += kt_now() - begin;
}

bool kt_again_is_over(const struct kt_again *a)
{
    return *a->stopped || kt_interrupted() || a->runs >= (size_t)a->runs_wanted;
}

bool kt_again_is_due(const struct kt_again *a, double part)
{
    return !kt_again_is_over(a) && (double)a->runs <= part * a->runs_wanted;
}

void kt_again_keep_pass(struct kt_again *a, unsigned rounds, const struct kt_sequence *played)
{
    size_t jobs = a->setup->jobs.count;
    struct kt_again_pass pass = {rounds, unknown(jobs), unknown(jobs)};
    kt_sequence_times(played, pass.mean, pass.median);
    a->pass = kt_room_for_one(a->pass, a->passes, sizeof *a->pass);
    a->pass[a->passes++] = pass;
}

void kt_again_close(struct kt_again *a)
{
    for (size_t i = 0; i < a->runs; i++)
        free_times(&a->run[i].times);
    for (size_t i = 0; i < a->passes; i++) {
        free(a->pass[i].mean);
        free(a->pass[i].median);
    }
    for (size_t i = 0; a->command && a->command[i]; i++)
        free(a->command[i]);
    free(a->command);
    free(a->run);
    free(a->pass);
    free(a->known);
    if (*a->directory)
        kt_directory_remove(a->directory);
    *a = (struct kt_again){0};
}
