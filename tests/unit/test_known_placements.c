/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements that were found once are read from the store, of that trace, level and caches only. */
#include "replay/setup/known_placements.h"

#include "replay/setup/recall.h"
#include "tests/parts/tracegen.h"
#include "trace/shape/fingerprint.h"
#include "trace/base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define SPEC "trace/routines"

enum { SHAPES = 3 };

static const struct kt_placements_of_shape some[SHAPES] = {
    {.placement = {{.share = {{0.25F, 0.5F, 0, 0.25F}, {1}}, .weight = 0.75},
                   {.share = {[4] = {0, 0, 0, 1}}, .weight = 0.25}},
     .count = 2},
    {.count = 0},
    {.placement = {{.share = {{0}}, .weight = 1}}, .count = 1}};

static void packs_and_unpacks(void **state)
{
    size_t size;
    struct kt_placements_of_shape out[SHAPES] = {{.count = 0}};
    void *bytes = kt_placements_pack(some, SHAPES, &size);
    (void)state;
    assert_true(size < 300);
    assert_true(kt_placements_unpack(bytes, size, SHAPES, out));
    assert_memory_equal(out, some, sizeof some);
    free(bytes);
}

static void refuses_what_is_not_whole(void **state)
{
    size_t size;
    unsigned char *bytes = kt_placements_pack(some, SHAPES, &size);
    (void)state;
    for (size_t part = 0; part < size; part++) {
        struct kt_placements_of_shape out[SHAPES] = {{.count = 0}};
        assert_false(kt_placements_unpack(bytes, part, SHAPES, out));
    }
    struct kt_placements_of_shape out[SHAPES + 1] = {{.count = 0}};
    assert_false(kt_placements_unpack(bytes, size, SHAPES + 1, out));
    assert_false(kt_placements_unpack(bytes, size, SHAPES - 1, out));
    bytes[0] = 200;
    assert_false(kt_placements_unpack(bytes, size, SHAPES, out));
    free(bytes);
}

static void refuses_shares_that_cannot_be(void **state)
{
    size_t size;
    struct kt_placements_of_shape wrong = some[0];
    struct kt_placements_of_shape out = {.count = 0};
    (void)state;
    wrong.placement[0].share[0][0] = -0.5F;
    void *bytes = kt_placements_pack(&wrong, 1, &size);
    assert_false(kt_placements_unpack(bytes, size, 1, &out));
    free(bytes);
}

/* --- fingerprints ------------------------------------------------------------------------------------------ */

static void write_trace(struct kt_gen *gen, uint32_t pid, const char *last)
{
    kt_gen_begin(gen, SPEC, pid);
    int dot = kt_gen_entry(gen, "ddot", KT_FORTRAN);
    kt_gen_call(gen, &(struct kt_gen_call){7, dot, 0, 0, 20000, "1500 0x100000 1 0x200000 1"});
    kt_gen_call(gen, &(struct kt_gen_call){7, dot, 0, 100000, 200, last});
    kt_gen_end(gen, true);
}

static void fingerprint(const char *path, char out[KT_FINGERPRINT])
{
    struct kt_trace trace;
    struct kt_error error = {0};
    assert_int_equal(kt_trace_open(path, &trace, &error), KT_OK);
    kt_trace_fingerprint(&trace, out);
    kt_trace_close(&trace);
}

static void fingerprints_are_of_what_is_in_a_trace(void **state)
{
    struct kt_gen one, same, other;
    char a[KT_FINGERPRINT], b[KT_FINGERPRINT], c[KT_FINGERPRINT];
    (void)state;
    write_trace(&one, 42, "10 0x100000 1 0x200000 1");
    fingerprint(one.trace, a);
    kt_gen_remove(&one);
    write_trace(&same, 42, "10 0x100000 1 0x200000 1");
    fingerprint(same.trace, b);
    kt_gen_remove(&same);
    write_trace(&other, 42, "10 0x100000 1 0x200008 1");
    fingerprint(other.trace, c);
    kt_gen_remove(&other);
    assert_int_equal(strlen(a), KT_FINGERPRINT - 1);
    assert_string_equal(a, b);
    assert_string_not_equal(a, c);
}

/* --- the store --------------------------------------------------------------------------------------------- */

static unsigned asked;

static enum kt_status source(const struct kt_trace *trace, enum kt_level level, const struct kt_shapes *shapes,
                             const struct kt_caches *caches, struct kt_placements_of_shape *out, struct kt_error *error)
{
    (void)trace, (void)level, (void)shapes, (void)caches, (void)error;
    out[0] = some[0];
    asked++;
    return KT_OK;
}

/* Finds placements as a replay does, and tells how often the source was asked. */
static unsigned find(struct kt_replay_options *options, struct kt_setup *setup)
{
    struct kt_recall recall;
    struct kt_error error = {0};
    asked = 0;
    memset(setup->placed, 0, setup->shapes.count * sizeof *setup->placed);
    kt_recall_begin(options, &recall);
    assert_non_null(recall.store);
    assert_int_equal(kt_known_placements(&recall, options, setup, &error), KT_OK);
    assert_memory_equal(&setup->placed[0], &some[0], sizeof some[0]);
    kt_recall_close(&recall);
    return asked;
}

static void are_found_once(void **state)
{
    struct kt_gen gen;
    struct kt_error error = {0};
    char store[] = "/tmp/ktrace-placements-XXXXXX";
    struct kt_replay_options options = {.store = store};
    struct kt_setup setup = {.hierarchy = {.caches = {.cache = {{32768, 1}, {1 << 20, 1}}, .count = 2, .line = 64}}};
    (void)state;
    close(mkstemp(store));
    kt_placements = source;
    write_trace(&gen, 42, "10 0x100000 1 0x200000 1");
    assert_int_equal(kt_trace_open(gen.trace, &setup.trace, &error), KT_OK);
    kt_shapes_collect(&setup.trace, KT_OUTERMOST, &setup.shapes);
    setup.placed = kt_resize(NULL, setup.shapes.count, sizeof *setup.placed);
    assert_int_equal(find(&options, &setup), 1);
    assert_int_equal(find(&options, &setup), 0);
    options.level = KT_LEAVES;
    assert_int_equal(find(&options, &setup), 1);
    options.level = KT_OUTERMOST;
    setup.hierarchy.caches.cache[1].bytes = 2 << 20;
    assert_int_equal(find(&options, &setup), 1);
    assert_int_equal(find(&options, &setup), 0);
    options.fresh = true;
    assert_int_equal(find(&options, &setup), 1);
    free(setup.placed);
    kt_shapes_free(&setup.shapes);
    kt_trace_close(&setup.trace);
    kt_gen_remove(&gen);
    unlink(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_and_unpacks),
        cmocka_unit_test(refuses_what_is_not_whole),
        cmocka_unit_test(refuses_shares_that_cannot_be),
        cmocka_unit_test(fingerprints_are_of_what_is_in_a_trace),
        cmocka_unit_test(are_found_once),
    };
    return cmocka_run_group_tests_name("known_placements", tests, NULL, NULL);
}
