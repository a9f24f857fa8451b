/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/verify.h"

#include "trace/base/interrupt.h"
#include "replay/compare/program_run.h"
#include "trace/base/random.h"
#include "trace/base/memory.h"
#include "trace/read/profile.h"
#include "trace/print/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* A run may take so much longer than the recorded program; a slow library is what is looked for. */
static const double patience = 20;
static const double least_limit = 60; /* seconds */

/* --- traces ------------------------------------------------------------------------------------------------ */

static enum kt_status make_directory(struct kt_verify *v, struct kt_error *error)
{
    const char *place = getenv("TMPDIR");
    snprintf(v->directory, sizeof v->directory, "%s/ktrace-verify.XXXXXX", place && *place ? place : "/tmp");
    if (mkdtemp(v->directory))
        return KT_OK;
    kt_fail(error, KT_SYSTEM, "%s: cannot be made: %s", v->directory, strerror(errno));
    v->directory[0] = '\0';
    return error->status;
}

static double typical_of(const struct kt_shape_group *shape)
{
    return (double)shape->calls * kt_samples_stat(&shape->seconds, KT_BEST_MEDIAN).median;
}

static const char *name_of(const struct kt_shape_group *shape)
{
    return shape->first.entry->symbol.routine->name;
}

static bool is_among(const struct kt_shapes *shapes, size_t count, const char *routine)
{
    for (size_t i = 0; i < count; i++)
        if (shapes->shape[i].calls && !strcmp(name_of(&shapes->shape[i]), routine))
            return true;
    return false;
}

/* Those that the program calls itself: to record what only nests in them takes time, as much more as a library makes
 * more such calls. To be freed. */
static char *routines_of(const struct kt_shapes *shapes)
{
    size_t length = 0;
    char *list = kt_resize(NULL, 1, 1);
    *list = '\0';
    for (size_t i = 0; i < shapes->count; i++) {
        if (!shapes->shape[i].calls || is_among(shapes, i, name_of(&shapes->shape[i])))
            continue;
        const char *name = name_of(&shapes->shape[i]);
        list = kt_resize(list, length + strlen(name) + 2, 1);
        length += (size_t)sprintf(list + length, length ? ",%s" : "%s", name);
    }
    return list;
}

/* Did the user choose none? */
static bool is_all(const struct kt_replay_options *which)
{
    return !which->routines && which->level == KT_OUTERMOST;
}

/* Which nested calls are to be recorded: all if they are compared; none once it is known what the program calls itself.
 */
static const char *nested_of(const struct kt_replay_options *which, const struct kt_verify *v)
{
    return which->level == KT_LEAVES ? "all" : v->routines ? "none" : NULL;
}

/* The calls that are compared, of all that there are. */
static enum kt_status read_trace(const char *path, const struct kt_replay_options *which, struct kt_verified *one,
                                 int round, struct kt_error *error)
{
    struct kt_trace trace;
    struct kt_shapes shapes;
    enum kt_status status = kt_trace_open(path, &trace, error);
    if (status == KT_OK) {
        kt_shapes_collect(&trace, which->level, &shapes);
        one->blas[round] = 0;
        one->typical[round] = 0;
        one->calls = 0;
        for (size_t i = 0; i < shapes.count; i++) {
            const struct kt_shape_group *shape = &shapes.shape[i];
            if (!shape->calls || !kt_routine_matches(shape->first.entry->symbol.routine->name, which->routines))
                continue;
            one->calls += shape->calls;
            one->blas[round] += shape->total;
            one->typical[round] += typical_of(shape);
        }
        kt_shapes_free(&shapes);
    }
    kt_trace_close(&trace);
    return status;
}

/* --- recording --------------------------------------------------------------------------------------------- */

/* The run in the middle of several is far less of an accident than the first. Three of them if that does not take too
 * long, of short programs more. */
enum { RECORDINGS = 3, MOST_RECORDINGS = 15 };
static const double enough_recorded = 10; /* seconds */
static const double short_program = 30;   /* seconds; others are recorded once */
static const double most_of_one_processor = 1.1;

static bool is_recorded(int count, double seconds)
{
    return count == MOST_RECORDINGS || (count >= RECORDINGS && seconds > enough_recorded);
}

struct recording {
    int number;
    double blas, wall, cpu;
};

/* Puts its path into v->trace. */
static enum kt_status name_recording(struct kt_verify *v, int number, struct kt_error *error)
{
    if ((size_t)snprintf(v->trace, sizeof v->trace, "%s/recorded%d", v->directory, number) >= sizeof v->trace)
        return kt_fail(error, KT_SYSTEM, "%s: the path is too long", v->directory);
    return KT_OK;
}

static enum kt_status record(const struct kt_compare_options *options, struct kt_verify *v, struct recording *out,
                             struct kt_error *error)
{
    double typical;
    struct kt_program_time time;
    struct kt_verified one = {.blas = &out->blas, .typical = &typical};
    struct kt_program_run run = {
        .command = options->command, .trace = v->trace, .processor = v->processor, .routines = v->routines};
    run.nested = nested_of(&options->replay, v);
    run.threads = options->threads ? options->thread[0] : 0;
    run.are_asked = options->threads > 0;
    KT_TRY(name_recording(v, out->number, error));
    KT_TRY(kt_program_run(&run, &time, error));
    out->wall = time.wall;
    out->cpu = time.cpu;
    return read_trace(v->trace, &options->replay, &one, 0, error);
}

static int compare_blas(const void *a, const void *b)
{
    double x = ((const struct recording *)a)->blas;
    double y = ((const struct recording *)b)->blas;
    return (x > y) - (x < y);
}

/* Removes all others. */
static enum kt_status keep_recording(struct kt_verify *v, const struct recording *one, int count, int kept,
                                     struct kt_error *error)
{
    for (int i = 0; i < count; i++) {
        KT_TRY(name_recording(v, one[i].number, error));
        if (i != kept)
            kt_directory_remove(v->trace);
    }
    return name_recording(v, one[kept].number, error);
}

static bool is_called(const struct kt_shapes *shapes, const struct kt_object *library)
{
    for (size_t i = 0; i < shapes->count; i++)
        if (shapes->shape[i].first.entry->library == library)
            return true;
    return false;
}

/* Does the program itself call all libraries? One that is only called by another would not be in a recording without
 * nested calls, which then does not say what the program ran on. */
static bool are_all_called(const struct kt_trace *trace, const struct kt_shapes *shapes)
{
    for (size_t p = 0; p < trace->processes; p++)
        for (size_t i = 0; i < trace->process[p].objects; i++)
            if (trace->process[p].object[i].is_library && !is_called(shapes, &trace->process[p].object[i]))
                return false;
    return true;
}

/* What the first recording tells of the others: where the calls of a program were that uses one processor at a time
 * (KT_NO_PROCESSOR: it uses more), and which routines it calls. */
static enum kt_status learn(const struct kt_replay_options *which, const struct recording *one, struct kt_verify *v,
                            struct kt_error *error)
{
    struct kt_trace trace;
    struct kt_shapes shapes;
    enum kt_status status = kt_trace_open(v->trace, &trace, error);
    if (status == KT_OK && trace.processes == 1 && kt_process_threads(trace.process) == 1 &&
        kt_library_threads_recorded(&trace) == 1 && one->cpu < most_of_one_processor * one->wall)
        v->processor = kt_shapes_processor(&trace);
    const char *chosen = getenv("KTRACE_ROUTINES"); /* by the user, for all recordings */
    if (status == KT_OK && is_all(which) && !(chosen && *chosen)) {
        kt_shapes_collect(&trace, which->level, &shapes);
        if (shapes.count && are_all_called(&trace, &shapes))
            v->routines = routines_of(&shapes);
        kt_shapes_free(&shapes);
    }
    kt_trace_close(&trace);
    return status;
}

enum kt_status kt_verify_record(struct kt_compare_options *options, struct kt_verify *v, struct kt_error *error)
{
    struct recording one[MOST_RECORDINGS];
    double seconds = 0;
    int count = 0;
    v->processor = KT_NO_PROCESSOR;
    KT_TRY(make_directory(v, error));
    if (options->replay.trace)
        return KT_OK;
    do {
        one[count].number = count;
        KT_TRY(record(options, v, &one[count], error));
        if (count == 0)
            KT_TRY(learn(&options->replay, one, v, error));
        seconds += one[count++].wall;
    } while (one[0].wall < short_program && !is_recorded(count, seconds) && !kt_interrupted());
    /* The first may have been on several processors, and has nested calls, each longer by what it took to record it. */
    int from = count > 1 && (v->processor != KT_NO_PROCESSOR || v->routines);
    options->replay.has_all = from && v->routines;
    qsort(one + from, (size_t)(count - from), sizeof *one, compare_blas);
    options->replay.trace = v->trace;
    return keep_recording(v, one, count, from + (count - from - 1) / 2, error);
}

/* --- one run ----------------------------------------------------------------------------------------------- */

static double longest_process(const struct kt_trace *trace)
{
    double seconds = 0;
    for (size_t p = 0; p < trace->processes; p++)
        seconds = fmax(seconds, trace->process[p].seconds);
    return seconds;
}

static void forget_run(struct kt_verified *one, int round)
{
    one->blas[round] = one->typical[round] = one->wall[round] = one->cpu[round] = NAN;
}

/* The baseline runs as it did when it was recorded: nothing is put in its place. */
static void run_once(const struct kt_comparison *c, struct kt_verify *v, size_t lane, int round)
{
    char path[4128];
    struct kt_error error = {0};
    struct kt_program_time time;
    struct kt_verified *one = &v->lane[lane];
    const bool is_map = lane == c->libraries;
    const struct kt_library *library = &c->worker[is_map ? 0 : lane].library;
    bool is_own = c->is_recorded && kt_library_equal(library, &c->worker[0].library) && !library->in_order;
    double limit = fmax(patience * longest_process(&c->setup.trace), least_limit);
    snprintf(path, sizeof path, "%s/run", v->directory);
    struct kt_program_run run = {.command = c->options.command,
                                 .library = is_own ? NULL : library,
                                 .map = is_map ? v->map : NULL,
                                 .threads = is_own && !c->options.threads ? 0 : library->threads,
                                 .are_asked = c->options.threads > 0,
                                 .trace = path,
                                 .routines = v->routines,
                                 .nested = nested_of(&c->options.replay, v),
                                 .limit = limit,
                                 .processor = library->threads == 1 ? v->processor : KT_NO_PROCESSOR};
    if (kt_program_run(&run, &time, &error) == KT_OK &&
        read_trace(path, &c->options.replay, one, round, &error) == KT_OK) {
        one->wall[round] = time.wall;
        one->cpu[round] = time.cpu;
    } else {
        forget_run(one, round);
        if (!kt_interrupted()) /* then it was we who killed it */
            snprintf(one->failed, sizeof one->failed, "%.*s", (int)sizeof one->failed - 1, error.text);
    }
    kt_directory_remove(path);
}

/* --- all of them ------------------------------------------------------------------------------------------- */

static void make_room(struct kt_verify *v, size_t lanes, size_t runs)
{
    v->lanes = lanes;
    for (size_t l = 0; l < lanes; l++) {
        v->lane[l].blas = kt_resize(NULL, runs, sizeof *v->lane[l].blas);
        v->lane[l].typical = kt_resize(NULL, runs, sizeof *v->lane[l].typical);
        v->lane[l].wall = kt_resize(NULL, runs, sizeof *v->lane[l].wall);
        v->lane[l].cpu = kt_resize(NULL, runs, sizeof *v->lane[l].cpu);
    }
}

void kt_verify_begin(const struct kt_comparison *c, struct kt_verify *v)
{
    if (!v->routines && is_all(&c->options.replay))
        v->routines = routines_of(&c->setup.shapes);
    v->seed = 1;
    make_room(v, c->libraries + (c->options.map != NULL), (size_t)c->options.runs);
    v->lanes = c->libraries;
}

static void run_round(const struct kt_comparison *c, struct kt_verify *v)
{
    size_t order[KT_MOST_LANES + 1];
    kt_shuffle(order, v->lanes, &v->seed);
    for (size_t i = 0; i < v->lanes && !kt_interrupted(); i++) {
        size_t lane = order[i];
        if (*v->lane[lane].failed)
            forget_run(&v->lane[lane], v->runs);
        else
            run_once(c, v, lane, v->runs);
        kt_progress("verify", v->runs * (double)v->lanes + (double)i + 1, (double)c->options.runs * (double)v->lanes);
    }
    v->runs += !kt_interrupted();
}

void kt_verify_run_due(const struct kt_comparison *c, struct kt_verify *v, double part)
{
    while (v->runs < c->options.runs && v->runs < part * c->options.runs && !kt_interrupted())
        run_round(c, v);
}

void kt_verify_add_map(const struct kt_comparison *c, struct kt_verify *v, const struct kt_map_plan *plan)
{
    v->map = c->options.map;
    v->plan = plan;
    v->lanes = c->libraries + 1;
}

void kt_verify_end(const struct kt_comparison *c, struct kt_verify *v)
{
    double predicted[KT_MOST_LANES + 1];
    kt_verify_run_due(c, v, 1);
    kt_progress_end();
    for (size_t l = 0; l < c->libraries; l++)
        predicted[l] = kt_comparison_multiple(c, l).value;
    if (v->map)
        predicted[c->libraries] = v->plan->ratio.value;
    kt_verify_sum_up(v, predicted);
}

bool kt_verify_failed(const struct kt_verify *v)
{
    for (size_t l = 0; l < v->lanes; l++)
        if (*v->lane[l].failed)
            return true;
    return false;
}

void kt_verify_close(struct kt_verify *v)
{
    for (size_t l = 0; l < sizeof v->lane / sizeof *v->lane; l++) {
        free(v->lane[l].blas);
        free(v->lane[l].typical);
        free(v->lane[l].wall);
        free(v->lane[l].cpu);
    }
    free(v->routines);
    if (v->keeps && *v->trace)
        kt_notice("the recorded calls, among them those that are wrong, stay in %s", v->trace);
    else if (*v->directory)
        kt_directory_remove(v->directory);
    *v = (struct kt_verify){0};
}
