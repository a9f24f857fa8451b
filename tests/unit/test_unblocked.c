/* SPDX-License-Identifier: BSD-3-Clause */
/* LAPACK that handed all of a large problem to unblocked code is told; what blocked code does is not. */
#include "model/decomposition/unblocked.h"
#include "tests/parts/tracegen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MS = KT_GEN_HZ / 1000 };

struct made {
    struct kt_gen gen;
    struct kt_trace trace;
    int geqrf, geqr2, gehrd, gehd2, gels;
    uint64_t at;
    struct kt_unblocked *found;
    size_t count;
};

static void begin(struct made *m)
{
    *m = (struct made){.at = MS};
    kt_gen_begin(&m->gen, "trace/routines", 42);
    m->geqrf = kt_gen_entry(&m->gen, "dgeqrf", KT_FORTRAN);
    m->geqr2 = kt_gen_entry(&m->gen, "dgeqr2", KT_FORTRAN);
    m->gehrd = kt_gen_entry(&m->gen, "dgehrd", KT_FORTRAN);
    m->gehd2 = kt_gen_entry(&m->gen, "dgehd2", KT_FORTRAN);
    m->gels = kt_gen_entry(&m->gen, "dgels", KT_FORTRAN);
}

static void add(struct made *m, unsigned depth, int entry, uint64_t ms, const char *args)
{
    m->at = depth ? m->at + 1 : m->at + 100 * MS;
    kt_gen_call(&m->gen, &(struct kt_gen_call){7, entry, depth, m->at, ms * MS, args});
}

static void find(struct made *m)
{
    struct kt_cursor cursor;
    struct kt_call call;
    struct kt_error error = {0};
    struct kt_unblocked_walk *walk = kt_unblocked_walk_new();
    kt_gen_end(&m->gen, true);
    assert_int_equal(kt_trace_open(m->gen.trace, &m->trace, &error), KT_OK);
    kt_cursor_begin(&m->trace, &cursor);
    while (kt_cursor_next(&cursor, &call))
        kt_unblocked_walk_add(walk, &call);
    m->found = kt_unblocked_walk_finish(walk, &m->count);
}

static void end(struct made *m)
{
    kt_unblocked_free(m->found, m->count);
    kt_trace_close(&m->trace);
    kt_gen_remove(&m->gen);
}

#define GEQRF(m, n, lwork) #m " " #n " 0x1000 " #m " 0x2000 0x3000 " #lwork " 0"
#define GEQR2(m, n)        #m " " #n " 0x1000 500 0x2000 0x3000 0"

/* One with room, one that a driver made, one whose workspace is the least; one that was done in blocks. */
static void all_handed_to_unblocked_code(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    add(&m, 0, m.geqrf, 50, GEQRF(500, 400, 12800));
    add(&m, 1, m.geqr2, 40, GEQR2(500, 400));
    add(&m, 0, m.gels, 60, "N 500 400 1 0x1000 500 0x5000 500 0x3000 12800 0");
    add(&m, 1, m.geqrf, 30, GEQRF(500, 400, 12400));
    add(&m, 2, m.geqr2, 20, GEQR2(500, 400));
    add(&m, 0, m.geqrf, 50, GEQRF(500, 400, 400));
    add(&m, 1, m.geqr2, 40, GEQR2(500, 400));
    add(&m, 0, m.geqrf, 50, GEQRF(500, 400, 12800));
    add(&m, 1, m.geqr2, 5, GEQR2(500, 32));
    add(&m, 1, m.geqr2, 5, GEQR2(468, 32));
    find(&m);
    assert_int_equal(m.count, 1);
    assert_string_equal(m.found[0].routine, "dgeqrf");
    assert_string_equal(m.found[0].inner, "dgeqr2");
    assert_int_equal(m.found[0].seen, 4);
    assert_int_equal(m.found[0].calls, 3);
    assert_int_equal(m.found[0].roomy, 2);
    assert_true(m.found[0].seconds > 0.1299 && m.found[0].seconds < 0.1301);
    assert_int_equal(m.found[0].first.n, 0);
    end(&m);
}

static void small_ones_are_done_without_blocks(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    add(&m, 0, m.geqrf, 50, GEQRF(500, 128, 12800));
    add(&m, 1, m.geqr2, 40, GEQR2(500, 128));
    add(&m, 0, m.gehrd, 50, "500 101 228 0x1000 500 0x2000 0x3000 90000 0"); /* a part of the matrix */
    add(&m, 1, m.gehd2, 40, "500 101 228 0x1000 500 0x2000 0x3000 0");
    add(&m, 0, m.gehrd, 50, "500 1 500 0x1000 500 0x2000 0x3000 90000 0"); /* the rest behind the blocks */
    add(&m, 1, m.gehd2, 10, "500 385 500 0x1000 500 0x2000 0x3000 0");
    add(&m, 0, m.geqrf, 1, GEQRF(500, 400, -1));
    find(&m);
    assert_int_equal(m.count, 0);
    end(&m);
    begin(&m);
    add(&m, 0, m.gehrd, 50, "500 101 229 0x1000 500 0x2000 0x3000 90000 0");
    add(&m, 1, m.gehd2, 40, "500 101 229 0x1000 500 0x2000 0x3000 0");
    find(&m);
    assert_int_equal(m.count, 1);
    assert_string_equal(m.found[0].inner, "dgehd2");
    assert_int_equal(m.found[0].roomy, 1);
    end(&m);
}

/* Nothing is known of it, whatever the calls around it are. */
static void an_inside_that_was_not_recorded(void **state)
{
    (void)state;
    struct made m;
    begin(&m);
    kt_gen_nested(&m.gen, "sample");
    add(&m, 0, m.geqrf, 50, GEQRF(500, 400, 12800));
    kt_gen_more(&m.gen, 7, &(struct kt_gen_more){.passed = 900});
    add(&m, 0, m.geqr2, 50, GEQR2(500, 400));
    find(&m);
    assert_int_equal(m.count, 0);
    end(&m);
    begin(&m);
    kt_gen_nested(&m.gen, "sample");
    add(&m, 0, m.geqrf, 50, GEQRF(500, 400, 12800));
    kt_gen_more(&m.gen, 7, &(struct kt_gen_more){.passed = 900});
    kt_gen_inside(&m.gen, 7, 256);
    add(&m, 0, m.geqrf, 50, GEQRF(500, 400, 12800));
    add(&m, 1, m.geqr2, 40, GEQR2(500, 400));
    find(&m);
    assert_int_equal(m.count, 1);
    assert_int_equal(m.found[0].seen, 1);
    end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_handed_to_unblocked_code),
                                       cmocka_unit_test(small_ones_are_done_without_blocks),
                                       cmocka_unit_test(an_inside_that_was_not_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
