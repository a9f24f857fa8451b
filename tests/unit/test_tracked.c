/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context `tracked`, with a source of placements that knows: what it says reaches the worker, several placements
 * of a shape count by weight, and a shape of which it knows nothing is left out.
 */
#include "replay/setup/setup.h"
#include "replay/measure/worker.h"
#include "tests/parts/tracegen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/timing.h"

#define SPEC "trace/routines"

enum { LARGE, NOT_KNOWN, SHAPES };                                            /* by total time */
enum { WARM, COLD, TRACKED, BY_OPERAND, CONTEXTS, VISITS = 10, BLOCKS = 20 }; /* by operand: only x is in cache */

struct replayed {
    struct kt_gen gen;
    struct kt_replay_options options;
    struct kt_setup setup;
    struct kt_worker worker;
};

static struct kt_placements_of_shape next; /* what the source says of the large shape */

static enum kt_status source(const struct kt_trace *trace, enum kt_level level, const struct kt_shapes *shapes,
                             const struct kt_caches *caches, struct kt_placements_of_shape *out, struct kt_error *error)
{
    (void)trace, (void)level, (void)caches, (void)error;
    assert_int_equal(shapes->count, SHAPES);
    out[LARGE] = next;
    return KT_OK;
}

static enum kt_status broken_source(const struct kt_trace *trace, enum kt_level level, const struct kt_shapes *shapes,
                                    const struct kt_caches *caches, struct kt_placements_of_shape *out,
                                    struct kt_error *error)
{
    (void)trace, (void)level, (void)shapes, (void)caches, (void)out;
    return kt_fail(error, KT_BAD_INPUT, "the history has a hole");
}

static void write_trace(struct replayed *r)
{
    kt_gen_begin(&r->gen, SPEC, 42);
    int dot = kt_gen_entry(&r->gen, "ddot", KT_FORTRAN);
    kt_gen_call(&r->gen, &(struct kt_gen_call){7, dot, 0, 0, 20000, "1500 0x100000 1 0x200000 1"});
    kt_gen_call(&r->gen, &(struct kt_gen_call){7, dot, 0, 100000, 200, "10 0x100000 1 0x200000 1"});
    kt_gen_end(&r->gen, true);
}

static enum kt_status parse(struct replayed *r, char **argv, int argc, struct kt_error *error)
{
    return kt_replay_options_parse(argc, argv, &r->options, error);
}

static void open_replay(struct replayed *r, kt_placements_source *from)
{
    struct kt_error error = {0};
    struct kt_library library;
    memset(r, 0, sizeof *r);
    write_trace(r);
    char *argv[] = {"replay", r->gen.trace, NULL};
    kt_placements = from;
    assert_int_equal(parse(r, argv, 2, &error), KT_OK);
    kt_replay_options_default(&r->options);
    assert_int_equal(r->options.contexts, BY_OPERAND);
    assert_int_equal(
        kt_contexts_parse("x=warm,y=cold", r->options.context, &r->options.contexts, KT_MAX_CONTEXTS, &error), KT_OK);
    assert_int_equal(r->options.contexts, CONTEXTS);
    assert_int_equal(kt_setup_open(&r->options, NULL, &r->setup, &error), KT_OK);
    assert_int_equal(kt_library_find("openblas-serial", &library, &error), KT_OK);
    library.threads = 1;
    kt_worker_prepare(&library, &r->setup.jobs, &r->setup.hierarchy, &r->worker);
    assert_int_equal(kt_worker_start(&r->worker, &error), KT_OK);
}

static void close_replay(struct replayed *r)
{
    kt_worker_close(&r->worker);
    kt_setup_close(&r->setup);
    kt_gen_remove(&r->gen);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Lower quartiles of the times of the large shape in each context. They take turns: what else the machine does is met
 * in all of them. */
static void time_contexts(struct replayed *r, double quartile[CONTEXTS])
{
    static double seconds[CONTEXTS][VISITS * KT_VISIT_SAMPLES];
    size_t n[CONTEXTS] = {0};
    struct kt_error error = {0};
    for (int i = 0; i < VISITS; i++)
        for (int c = 0; c < CONTEXTS; c++) {
            size_t count;
            enum kt_status status =
                kt_worker_time(&r->worker, LARGE, r->options.context[c], seconds[c] + n[c], &count, &error);
            assert_int_equal(status, KT_OK);
            assert_true(count > 0);
            n[c] += count;
        }
    for (int c = 0; c < CONTEXTS; c++) {
        qsort(seconds[c], n[c], sizeof *seconds[c], compare);
        quartile[c] = seconds[c][n[c] / 4];
    }
}

/* The least of several blocks, for each context: what else runs on the core may last as long as a block. */
static void least_times(struct replayed *r, double least[CONTEXTS])
{
    double quartile[CONTEXTS];
    time_contexts(r, least);
    for (int i = 1; i < BLOCKS; i++) {
        time_contexts(r, quartile);
        for (int c = 0; c < CONTEXTS; c++)
            least[c] = quartile[c] < least[c] ? quartile[c] : least[c];
    }
}

/* How far from warm to cold tracked is; 1: as far as with y alone in memory. */
static double place_between(struct replayed *r, int cold)
{
    double took[CONTEXTS];
    least_times(r, took);
    print_message("warm %.2f us, tracked %.2f us, y cold %.2f us, cold %.2f us\n", took[WARM] * 1e6,
                  took[TRACKED] * 1e6, took[BY_OPERAND] * 1e6, took[COLD] * 1e6);
    assert_true(took[COLD] > 1.5 * took[WARM]);
    return (took[TRACKED] - took[WARM]) / (took[cold] - took[WARM]);
}

static void all_in_the_nearest_cache_is_warm(void **state)
{
    (void)state;
    judges_times();
    struct replayed r;
    next = (struct kt_placements_of_shape){{{.share = {{1}, {1}}, .weight = 1}}, 1};
    open_replay(&r, source);
    double place = place_between(&r, COLD);
    assert_true(place > -0.15 && place < 0.15);
    close_replay(&r);
}

static void half_in_memory(void **state)
{
    (void)state;
    judges_times();
    struct replayed r;
    struct kt_caches caches;
    next = (struct kt_placements_of_shape){{{.share = {{1}}, .weight = 1}}, 1}; /* y is nowhere near */
    open_replay(&r, source);
    caches = r.setup.hierarchy.caches;
    assert_true(caches.count > 0);
    double place = place_between(&r, BY_OPERAND);
    assert_true(place > 0.85 && place < 1.15);
    close_replay(&r);
}

static void placements_count_by_weight(void **state)
{
    (void)state;
    judges_times();
    struct replayed r;
    next =
        (struct kt_placements_of_shape){{{.share = {{1}, {1}}, .weight = 0.75}, {.share = {{0}}, .weight = 0.25}}, 2};
    open_replay(&r, source);
    double place = place_between(&r, COLD);
    assert_true(place > 0.1 && place < 0.45);
    close_replay(&r);
}

static void a_shape_of_which_nothing_is_known(void **state)
{
    (void)state;
    struct replayed r;
    next = (struct kt_placements_of_shape){{{.share = {{1}, {1}}, .weight = 1}}, 1};
    open_replay(&r, source);
    assert_false(kt_setup_lacks(&r.setup.jobs.job[LARGE], r.options.context[2], KT_TIMER_WALL));
    assert_true(kt_setup_lacks(&r.setup.jobs.job[NOT_KNOWN], r.options.context[2], KT_TIMER_WALL));
    assert_false(kt_setup_lacks(&r.setup.jobs.job[NOT_KNOWN], r.options.context[0], KT_TIMER_WALL));
    close_replay(&r);
}

static void a_source_that_fails(void **state)
{
    (void)state;
    struct replayed r = {0};
    struct kt_error error = {0};
    write_trace(&r);
    char *argv[] = {"replay", r.gen.trace, NULL};
    kt_placements = broken_source;
    assert_int_equal(parse(&r, argv, 2, &error), KT_OK);
    kt_replay_options_default(&r.options);
    assert_int_equal(kt_setup_open(&r.options, NULL, &r.setup, &error), KT_BAD_INPUT);
    assert_string_equal(error.text, "the history has a hole");
    kt_setup_close(&r.setup);
    kt_gen_remove(&r.gen);
}

static void without_a_source(void **state)
{
    (void)state;
    struct replayed r = {0};
    struct kt_error error = {0};
    char *argv[] = {"replay", "--context", "warm,tracked", "trace", NULL};
    kt_placements = NULL;
    assert_int_equal(parse(&r, argv, 4, &error), KT_USAGE);
    assert_non_null(strstr(error.text, "where operands were"));
    r = (struct replayed){0};
    kt_replay_options_default(&r.options);
    assert_int_equal(r.options.contexts, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_in_the_nearest_cache_is_warm),
        cmocka_unit_test(half_in_memory),
        cmocka_unit_test(placements_count_by_weight),
        cmocka_unit_test(a_shape_of_which_nothing_is_known),
        cmocka_unit_test(a_source_that_fails),
        cmocka_unit_test(without_a_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
