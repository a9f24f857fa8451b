/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles as a reader meets them: written here by FORMAT.md, whole and damaged. */
#include "model/summary/summary.h"
#include "tests/parts/tracegen.h"
#include "trace/read/profile.h"
#include "trace/shape/shape.h"
#include "trace/read/state.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ENTRY_WORDS = 7 /* ddot: depth, caller, n, x, incx, y, incy */, ROOM = 64 << 10 };

struct fixture {
    struct kt_gen gen;
    int ddot;
    _Alignas(8) unsigned char bytes[ROOM];
    size_t used;
    struct kt_trace trace;
};

static struct kt_profile_head *head_of(struct fixture *f)
{
    return (struct kt_profile_head *)(void *)f->bytes;
}

static void begin(struct fixture *f)
{
    *f = (struct fixture){.used = sizeof(struct kt_profile_head)};
    kt_gen_begin(&f->gen, "trace/routines", 42);
    f->ddot = kt_gen_entry(&f->gen, "ddot", KT_FORTRAN);
    head_of(f)->chunk = (struct kt_chunk){.byte_order = KT_BYTE_ORDER,
                                          .major = KT_FORMAT_MAJOR,
                                          .minor = KT_FORMAT_MINOR,
                                          .header_bytes = sizeof(struct kt_profile_head),
                                          .pid = 42,
                                          .tid = 100};
    memcpy(head_of(f)->chunk.magic, KT_PROFILE_MAGIC, 8);
    head_of(f)->threads = 1;
}

/* Of ddot, of order N; TICKS of each call in turn. */
static struct kt_cell *add_cell(struct fixture *f, uint64_t caller, uint64_t n, const uint64_t *ticks, size_t calls)
{
    struct kt_cell *cell = (struct kt_cell *)(void *)(f->bytes + f->used);
    uint64_t *bin = (uint64_t *)(cell + 1);
    const uint64_t word[ENTRY_WORDS] = {0, caller, n, 0x1000, 1, 0x2000, 1};
    *cell = (struct kt_cell){.bytes = sizeof *cell + 8 * (KT_BINS + ENTRY_WORDS),
                             .entry = (uint16_t)f->ddot,
                             .kind = KT_CELL_SHAPE,
                             .begun = calls,
                             .calls = calls,
                             .least = UINT64_MAX,
                             .start = KT_GEN_ORIGIN + 1,
                             .words = ENTRY_WORDS,
                             .first_bin = kt_bin_of(64)};
    for (size_t i = 0; i < calls; i++) {
        cell->ticks += ticks[i];
        cell->least = ticks[i] < cell->least ? ticks[i] : cell->least;
        cell->most = ticks[i] > cell->most ? ticks[i] : cell->most;
        unsigned at = kt_bin_of(ticks[i]) - cell->first_bin;
        bin[at < KT_BINS ? at : KT_BINS - 1]++;
    }
    memcpy(bin + KT_BINS, word, sizeof word);
    f->used += cell->bytes;
    return cell;
}

/* To the cell that was added last. */
static void add_inside(struct fixture *f, struct kt_cell *cell, const struct kt_cell_inside *inside)
{
    memcpy(f->bytes + f->used, inside, sizeof *inside);
    cell->bytes += sizeof *inside;
    f->used += sizeof *inside;
}

static void read_back(struct fixture *f, bool clean)
{
    struct kt_error error = {0};
    if (!head_of(f)->chunk.used_bytes)
        head_of(f)->chunk.used_bytes = f->used;
    kt_gen_append(&f->gen, "s100", f->bytes, f->used);
    kt_gen_end(&f->gen, clean);
    assert_int_equal(kt_trace_open(f->gen.trace, &f->trace, &error), KT_OK);
}

static void end(struct fixture *f)
{
    kt_trace_close(&f->trace);
    kt_gen_remove(&f->gen);
}

static double seconds(uint64_t ticks)
{
    return (double)(ticks - KT_GEN_CLOCK_TICKS) / KT_GEN_HZ;
}

static void bins_cover_all_durations(void **state)
{
    (void)state;
    assert_int_equal(kt_bin_of(0), kt_bin_of(8));
    for (unsigned bin = kt_bin_of(0); bin < kt_bin_of(UINT64_MAX); bin++) {
        assert_int_equal(kt_bin_of(kt_bin_ticks(bin)), bin);
        assert_int_equal(kt_bin_of(kt_bin_ticks(bin + 1) - 1), bin);
    }
}

static void places_of_one_shape_are_one_shape(void **state)
{
    (void)state;
    struct fixture f;
    const uint64_t ticks[] = {1010, 110, 210};
    begin(&f);
    add_cell(&f, 0x10, 5, ticks, 3);
    add_cell(&f, 0x20, 5, ticks + 1, 1);
    add_cell(&f, 0x20, 6, ticks, 1);
    read_back(&f, true);
    assert_int_equal(f.trace.notes, 0);
    struct kt_shapes shapes;
    kt_shapes_collect(&f.trace, KT_OUTERMOST, &shapes);
    assert_int_equal(shapes.count, 2);
    assert_int_equal(shapes.shape[0].calls, 4);
    assert_float_equal(shapes.shape[0].total, 2 * seconds(110) + seconds(210) + seconds(1010), 1e-15);
    assert_true(shapes.shape[0].flops == 9);
    struct kt_stat stat = kt_samples_stat(&shapes.shape[0].seconds, KT_BEST_MEDIAN);
    assert_int_equal(stat.n, 4);
    assert_float_equal(stat.min, seconds(110), 1e-15);
    assert_in_range((uint64_t)(stat.median * 1e12), (uint64_t)(seconds(110) * 1e12), (uint64_t)(seconds(210) * 1e12));
    kt_shapes_free(&shapes);
    struct kt_summary summary;
    kt_summary_collect(&f.trace, &summary);
    assert_int_equal(summary.calls, 5);
    assert_int_equal(summary.callers.count, 2);
    assert_int_equal(summary.callers.sum[0].id, 0x10);
    assert_true(summary.routines.sum[0].flops == 4 * 9 + 11);
    kt_summary_free(&summary);
    end(&f);
}

static void a_histogram_gives_the_median(void **state)
{
    (void)state;
    struct fixture f;
    uint64_t ticks[1001];
    begin(&f);
    for (size_t i = 0; i < 1001; i++)
        ticks[i] = 100 + 2 * i;
    add_cell(&f, 0x10, 5, ticks, 1001);
    read_back(&f, true);
    struct kt_shapes shapes;
    kt_shapes_collect(&f.trace, KT_OUTERMOST, &shapes);
    struct kt_stat stat = kt_samples_stat(&shapes.shape[0].seconds, KT_BEST_MEDIAN);
    assert_float_equal(stat.min, seconds(100), 1e-15);
    assert_float_equal(stat.median, seconds(1100), 0.01 * seconds(1100));
    assert_true(stat.resolution > 0.05 && stat.resolution <= 0.125);
    kt_shapes_free(&shapes);
    end(&f);
}

/* A call that took 10010 ticks, and two of the same routine in it. */
static void add_nest(struct fixture *f)
{
    const uint64_t outer[] = {10010};
    const uint64_t inner[] = {1010, 2010};
    struct kt_cell *cell = add_cell(f, 0x10, 5, outer, 1);
    cell->nests = 1;
    cell->nests_ticks = cell->ticks;
    cell->nested = 2;
    cell->nested_ticks = 3020;
    add_cell(f, 0x20, 6, inner, 2)->nesting = KT_WITHIN_ITSELF;
}

static void time_of_its_own_is_without_what_nests(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    add_nest(&f);
    read_back(&f, true);
    struct kt_summary summary;
    kt_summary_collect(&f.trace, &summary);
    assert_int_equal(summary.calls, 3);
    assert_int_equal(summary.calls_top, 1);
    assert_float_equal(summary.routines.sum[0].seconds, seconds(10010), 1e-15);
    assert_float_equal(summary.seconds_self, seconds(10010), 1e-15);
    assert_true(summary.routines.sum[0].flops == 9);
    kt_summary_free(&summary);
    struct kt_shapes shapes;
    kt_shapes_collect(&f.trace, KT_LEAVES, &shapes);
    assert_int_equal(shapes.count, 1);
    assert_int_equal(shapes.shape[0].calls, 2);
    kt_shapes_free(&shapes);
    end(&f);
}

/* Four outermost calls of 1000 ticks without the clock's. The inside of one of them was drawn, where it took 2000: it
 * stands for three calls, and has two calls of 600 ticks. */
static struct kt_cell *add_sampled(struct fixture *f)
{
    const uint64_t outer[] = {1010, 2010, 1010, 1010};
    const uint64_t inner[] = {610, 610};
    kt_gen_nested(&f->gen, "sample");
    struct kt_cell *cell = add_cell(f, 0x10, 5, outer, 4);
    cell->nests = 1;
    cell->nests_ticks = 2010;
    cell->nested = 2;
    cell->nested_ticks = 1220;
    add_inside(f, cell,
               &(struct kt_cell_inside){.drawn = 1,
                                        .drawn_ticks = 2010,
                                        .passed = 6,
                                        .calls = 3 * KT_INSIDE_ONE,
                                        .ticks = 3 * KT_INSIDE_ONE * 2010,
                                        .nested = 6 * KT_INSIDE_ONE,
                                        .nested_ticks = 3 * KT_INSIDE_ONE * 1220});
    struct kt_cell *nested = add_cell(f, 0x20, 6, inner, 2);
    nested->nesting = KT_WITHIN_ITSELF;
    add_inside(f, nested, &(struct kt_cell_inside){.calls = 6 * KT_INSIDE_ONE, .ticks = 3 * KT_INSIDE_ONE * 1220});
    return cell;
}

static void cells_tell_what_was_passed_on(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    add_sampled(&f);
    read_back(&f, true);
    struct kt_state found;
    kt_state_find(&f.trace, &found);
    assert_int_equal(f.trace.notes, 0);
    assert_int_equal(found.passed, 6);
    assert_int_equal(found.outermost, 4);
    assert_int_equal(found.outermost_inside, 1);
    kt_state_free(&found);
    struct kt_thread_counts *thread;
    assert_int_equal(kt_thread_counts(&f.trace, &thread), 1);
    assert_float_equal(thread[0].seconds, 4 * seconds(1010), 1e-15);
    free(thread);
    end(&f);
}

/* A call that was left by a jump has not returned: only the head and the end file tell what was passed on in it. */
static void calls_that_were_left_may_have_passed_more_on(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    add_sampled(&f)->begun++;
    head_of(&f)->chunk.passed = 9;
    read_back(&f, true);
    struct kt_state found;
    kt_state_find(&f.trace, &found);
    assert_int_equal(f.trace.notes, 0);
    assert_int_equal(found.passed, 9);
    kt_state_free(&found);
    end(&f);
}

static void sampled_insides_add_up_to_what_is_known(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    add_sampled(&f);
    read_back(&f, true);
    struct kt_summary summary;
    kt_summary_collect(&f.trace, &summary);
    const struct kt_sum *sum = &summary.routines.sum[0];
    assert_int_equal(summary.calls + summary.passed, 12);
    assert_float_equal(summary.seconds_blas, 4 * seconds(1010), 1e-15);
    assert_true(summary.estimated && sum->estimate);
    assert_int_equal(sum->calls, 12);
    assert_float_equal(sum->seconds, 4 * seconds(1010), 1e-15); /* nested ones are within the same routine */
    assert_float_equal(summary.seconds_self, 4 * seconds(1010), 1e-15);
    assert_true(isnan(sum->estimate->of[KT_INSIDE_CALLS].lo) && isnan(sum->estimate->of[KT_INSIDE_CALLS].hi));
    assert_int_equal(sum->estimate->sampled, 1);
    assert_int_equal(sum->estimate->outermost, 4);
    assert_int_equal(summary.inside.of.outers, 1);
    assert_int_equal(summary.inside.of.outer[0].sampled, 1);
    assert_int_equal(summary.inside.of.outer[0].calls, 4);
    kt_summary_free(&summary);
    end(&f);
}

/* The two calls of 600 ticks had no room: what is known of the call they were in tells their weight. */
static void nested_calls_without_room_have_the_weight_that_is_missing(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    add_sampled(&f);
    f.used -= sizeof(struct kt_cell_inside) + sizeof(struct kt_cell) + 8 * (KT_BINS + ENTRY_WORDS);
    struct kt_cell *cell = (struct kt_cell *)(void *)(f.bytes + f.used);
    *cell = (struct kt_cell){.bytes = sizeof *cell,
                             .entry = (uint16_t)f.ddot,
                             .kind = KT_CELL_OVERFLOW,
                             .nesting = KT_WITHIN_ITSELF,
                             .begun = 2,
                             .calls = 2,
                             .ticks = 1220};
    f.used += cell->bytes;
    read_back(&f, true);
    struct kt_summary summary;
    kt_summary_collect(&f.trace, &summary);
    assert_int_equal(summary.routines.sum[0].calls, 12);
    assert_float_equal(summary.seconds_self, 4 * seconds(1010), 1e-15);
    kt_summary_free(&summary);
    end(&f);
}

static void calls_in_which_others_were_passed_on_are_no_leaves(void **state)
{
    (void)state;
    struct fixture f;
    struct kt_shapes shapes;
    begin(&f);
    add_sampled(&f);
    read_back(&f, true);
    kt_shapes_collect(&f.trace, KT_LEAVES, &shapes);
    assert_int_equal(shapes.count, 1);
    assert_int_equal(shapes.shape[0].calls, 2);
    assert_float_equal(shapes.shape[0].total, 2 * seconds(610), 1e-15);
    assert_float_equal(shapes.shape[0].stands_for, 6 * seconds(610), 1e-15);
    kt_shapes_free(&shapes);
    kt_shapes_collect(&f.trace, KT_OUTERMOST, &shapes);
    assert_float_equal(shapes.shape[0].total, 4 * seconds(1010), 1e-15);
    assert_int_equal(shapes.shape[0].inside.calls, 4);
    assert_int_equal(shapes.shape[0].inside.recorded, 1);
    kt_shapes_free(&shapes);
    end(&f);
}

/* Before version 2.2 everything was recorded, whatever the process was told. */
static void cells_without_an_inside_count_once(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    kt_gen_nested(&f.gen, "sample");
    add_nest(&f);
    read_back(&f, true);
    struct kt_summary summary;
    kt_summary_collect(&f.trace, &summary);
    assert_int_equal(summary.passed, 0);
    assert_int_equal(summary.routines.sum[0].calls, 3);
    assert_false(summary.estimated);
    kt_summary_free(&summary);
    end(&f);
}

static void impossible_insides_are_noted(void **state)
{
    (void)state;
    const struct kt_cell_inside impossible[] = {{.drawn = 6}, {.passed = UINT64_MAX}, {.drawn = 1}};
    const uint64_t ticks[] = {1010, 2010, 3010, 4010};
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        struct fixture f;
        begin(&f);
        struct kt_cell *cell = add_cell(&f, 0x10, 5, ticks, 4);
        cell->nesting = i == 2 ? KT_NESTED : KT_NOT_NESTED; /* nested calls are not drawn */
        add_inside(&f, cell, &impossible[i]);
        add_cell(&f, 0x10, 6, ticks, 3);
        read_back(&f, true);
        struct kt_state found;
        kt_state_find(&f.trace, &found);
        assert_int_equal(found.calls, 3);
        assert_int_equal(found.passed, 0);
        assert_int_equal(f.trace.notes, 1);
        kt_state_free(&found);
        end(&f);
    }
}

static void overflow_has_no_shape_and_no_work(void **state)
{
    (void)state;
    struct fixture f;
    const uint64_t ticks[] = {1010};
    begin(&f);
    add_cell(&f, 0x10, 5, ticks, 1);
    struct kt_cell *cell = add_cell(&f, 0, 0, ticks, 1);
    f.used -= cell->bytes - sizeof *cell;
    *cell = (struct kt_cell){.bytes = sizeof *cell,
                             .entry = (uint16_t)f.ddot,
                             .kind = KT_CELL_OVERFLOW,
                             .begun = 7,
                             .calls = 6,
                             .ticks = 6060};
    read_back(&f, true);
    struct kt_state found;
    kt_state_find(&f.trace, &found);
    assert_int_equal(found.calls, 8);
    assert_int_equal(found.completed, 7);
    assert_int_equal(found.overflow, 7);
    kt_state_free(&found);
    struct kt_summary summary;
    kt_summary_collect(&f.trace, &summary);
    assert_float_equal(summary.seconds_blas, 7 * seconds(1010), 1e-15);
    assert_true(isnan(summary.routines.sum[0].flops));
    kt_summary_free(&summary);
    end(&f);
}

static void ended_threads_have_what_was_theirs(void **state)
{
    (void)state;
    struct fixture f;
    const uint64_t ticks[] = {1010, 1010, 1010};
    begin(&f);
    add_cell(&f, 0x10, 5, ticks, 3);
    struct kt_thread_cell *cell = (struct kt_thread_cell *)(void *)(f.bytes + f.used);
    *cell = (struct kt_thread_cell){
        .bytes = sizeof *cell, .kind = KT_CELL_THREAD, .tid = 99, .calls = 1, .outermost = 1, .ticks = 1010};
    f.used += sizeof *cell;
    read_back(&f, true);
    struct kt_thread_counts *thread;
    assert_int_equal(kt_thread_counts(&f.trace, &thread), 2);
    assert_int_equal(thread[0].tid, 99);
    assert_int_equal(thread[0].calls, 1);
    assert_int_equal(thread[1].tid, 100);
    assert_int_equal(thread[1].calls, 2);
    assert_float_equal(thread[1].seconds, 2 * seconds(1010), 1e-15);
    free(thread);
    end(&f);
}

static void the_call_in_flight_is_named(void **state)
{
    (void)state;
    struct fixture f;
    const uint64_t ticks[] = {1010};
    begin(&f);
    struct kt_cell *cell = add_cell(&f, 0x10, 5, ticks, 1);
    cell->begun = 2;
    head_of(&f)->current = sizeof(struct kt_profile_head);
    read_back(&f, false);
    struct kt_state found;
    kt_state_find(&f.trace, &found);
    assert_int_equal(found.in_flights, 1);
    assert_false(found.in_flight[0].complete);
    char text[40];
    kt_shape_text(&found.in_flight[0], text, sizeof text - 1);
    assert_string_equal(text, "5");
    kt_state_free(&found);
    end(&f);
}

/* Whatever stands in the file: what is damaged is noted, and all else is read. */
static void damage_is_noted(void **state)
{
    (void)state;
    const uint64_t ticks[] = {1010, 2010, 3010};
    struct {
        size_t offset;
        uint64_t value;
        uint64_t calls; /* that are left */
    } damage[] = {
        {offsetof(struct kt_profile_head, chunk.magic), 0, 0},
        {offsetof(struct kt_profile_head, chunk.header_bytes), 4, 0},
        {offsetof(struct kt_profile_head, chunk.used_bytes), UINT64_MAX - 7, 6},
        {sizeof(struct kt_profile_head), 0, 0},          /* length 0 */
        {sizeof(struct kt_profile_head), UINT32_MAX, 0}, /* beyond the file */
        {sizeof(struct kt_profile_head) + offsetof(struct kt_cell, calls), UINT64_MAX, 3},
        {sizeof(struct kt_profile_head) + offsetof(struct kt_cell, words), 0, 3},
        {sizeof(struct kt_profile_head) + offsetof(struct kt_cell, words), (uint64_t)UINT32_MAX << 32 | ENTRY_WORDS, 3},
    };
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        struct fixture f;
        begin(&f);
        add_cell(&f, 0x10, 5, ticks, 3);
        add_cell(&f, 0x10, 6, ticks, 3);
        head_of(&f)->chunk.used_bytes = f.used;
        memcpy(f.bytes + damage[i].offset, &damage[i].value, sizeof damage[i].value);
        read_back(&f, true);
        struct kt_summary summary;
        kt_summary_collect(&f.trace, &summary);
        assert_int_equal(summary.calls, damage[i].calls);
        assert_int_equal(f.trace.notes, 1);
        kt_summary_free(&summary);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_cover_all_durations),
        cmocka_unit_test(places_of_one_shape_are_one_shape),
        cmocka_unit_test(a_histogram_gives_the_median),
        cmocka_unit_test(time_of_its_own_is_without_what_nests),
        cmocka_unit_test(overflow_has_no_shape_and_no_work),
        cmocka_unit_test(ended_threads_have_what_was_theirs),
        cmocka_unit_test(the_call_in_flight_is_named),
        cmocka_unit_test(damage_is_noted),
        cmocka_unit_test(cells_tell_what_was_passed_on),
        cmocka_unit_test(sampled_insides_add_up_to_what_is_known),
        cmocka_unit_test(cells_without_an_inside_count_once),
        cmocka_unit_test(impossible_insides_are_noted),
        cmocka_unit_test(calls_in_which_others_were_passed_on_are_no_leaves),
        cmocka_unit_test(calls_that_were_left_may_have_passed_more_on),
        cmocka_unit_test(nested_calls_without_room_have_the_weight_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
