/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches of calls: which operands meet, which calls depend on each other, and where their operands lie in the arena.
 */
#include "replay/call/batch.h"
#include "replay/setup/forge.h"
#include "trace/table/known.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 8, ORDER = 4, LD = 16, HERE = 1 << 20 };

/* --- operands ---------------------------------------------------------------------------------------------- */

/* ROWS by COLS elements of a matrix whose columns are LD elements apart, from its element (ROW, COL) on. */
static struct kt_operand tile(int64_t row, int64_t col, int64_t rows, int64_t cols)
{
    uint64_t lo = HERE + (uint64_t)(row + col * LD) * BYTES;
    uint64_t hi = lo + (uint64_t)(rows + (cols - 1) * LD) * BYTES;
    return (struct kt_operand){
        .form = KT_FORM_MATRIX, .base = lo, .lo = lo, .hi = hi, .rows = rows, .cols = cols, .ld = LD, .elem = BYTES};
}

static struct kt_operand row_of_matrix(int64_t row, int64_t elements)
{
    struct kt_operand o = tile(row, 0, 1, elements);
    o.form = KT_FORM_VECTOR;
    o.rows = elements;
    o.cols = 1;
    return o;
}

static void check(struct kt_operand a, struct kt_operand b, bool meet)
{
    assert_int_equal(kt_operands_meet(&a, &b), meet);
    assert_int_equal(kt_operands_meet(&b, &a), meet);
}

static void test_tiles_meet_where_they_have_elements_in_common(void **state)
{
    (void)state;
    check(tile(0, 0, 4, 4), tile(4, 0, 4, 4), false);
    check(tile(0, 0, 4, 4), tile(0, 4, 4, 4), false);
    check(tile(0, 4, 4, 4), tile(12, 0, 4, 8), false);
    check(tile(0, 0, 4, 4), tile(3, 3, 4, 4), true);
    check(tile(0, 0, 4, 4), tile(3, 1, 1, 1), true);
    check(tile(0, 1, 4, 4), tile(14, 0, 4, 4), true); /* from one column into the next */
    check(tile(0, 0, 16, 1), tile(0, 0, 16, 1), true);
}

static void test_rows_lie_in_gaps_of_each_other(void **state)
{
    (void)state;
    check(row_of_matrix(0, 8), row_of_matrix(1, 8), false);
    check(row_of_matrix(5, 8), row_of_matrix(5, 2), true);
    check(row_of_matrix(5, 8), tile(0, 0, 5, 8), false);
    check(row_of_matrix(4, 8), tile(0, 0, 5, 8), true);
}

static void test_other_gaps_count_as_bytes(void **state)
{
    (void)state;
    struct kt_operand wide = tile(4, 0, 4, 4);
    wide.ld = LD + 1;
    check(tile(0, 0, 4, 4), wide, true);
    struct kt_operand packed = tile(4, 0, 4, 4);
    packed.form = KT_FORM_PACKED;
    check(tile(0, 0, 4, 4), packed, true);
}

/* --- calls ------------------------------------------------------------------------------------------------- */

struct product {
    struct kt_entry entry;
    unsigned char args[256];
};

/* C = A B of small matrices at these addresses. */
static struct kt_call product(struct product *p, uint64_t a, uint64_t b, uint64_t c)
{
    static const char *const name[] = {"transa", "transb", "m", "n", "k", "lda", "ldb", "ldc", "alpha", "beta"};
    static const double value[] = {'N', 'N', ORDER, ORDER, ORDER, ORDER, ORDER, ORDER, 1, 0};
    const struct kt_routine *r = kt_table_find(kt_known_routines(), "dgemm");
    struct kt_values values = {.row_major = false};
    for (int i = 0; i < r->args; i++)
        for (size_t k = 0; k < sizeof value / sizeof *value; k++)
            if (!strcmp(r->arg[i].name, name[k]))
                values.v[i] = value[k];
    for (int i = 0; i < r->args; i++)
        if (r->arg[i].role == KT_ARRAY)
            values.address[i] = *r->arg[i].name == 'a' ? a : *r->arg[i].name == 'b' ? b : c;
    *p = (struct product){.entry = {.int_bytes = sizeof(int32_t)}};
    assert_true(kt_symbol_make(r, KT_FORTRAN, &p->entry.symbol));
    kt_forge_encode(&p->entry.symbol, &values, p->args);
    return (struct kt_call){.entry = &p->entry, .args = p->args, .complete = true};
}

/* The first call writes at 3 MiB what it reads at 1 and 2. */
static bool is_independent(uint64_t a, uint64_t b, uint64_t c, struct kt_call_batch_conflict *why)
{
    enum { MIB = 1 << 20 };
    struct product p[2];
    struct kt_call_batch batch = {.calls = 0};
    struct kt_call first = product(&p[0], 1 * MIB, 2 * MIB, 3 * MIB);
    struct kt_call next = product(&p[1], a * MIB, b * MIB, c * MIB);
    kt_call_batch_add(&batch, &first);
    bool independent = kt_call_batch_is_independent(&batch, &next, why);
    kt_call_batch_free(&batch);
    return independent;
}

static void test_a_call_depends_on_what_is_written(void **state)
{
    (void)state;
    struct kt_call_batch_conflict why;
    assert_true(is_independent(4, 5, 6, &why));
    assert_true(is_independent(1, 2, 6, &why)); /* the same operands are read */
    assert_false(is_independent(3, 5, 6, &why));
    assert_string_equal(why.written, "c");
    assert_string_equal(why.other, "a");
    assert_false(is_independent(4, 5, 2, &why));
    assert_string_equal(why.written, "c");
    assert_string_equal(why.other, "b");
    assert_false(is_independent(4, 5, 3, &why));
    assert_string_equal(why.other, "c");
}

/* More operands than a call has. What all calls read lies in one place, and what each has alone meets nothing. */
static void test_operands_of_all_calls_have_places(void **state)
{
    (void)state;
    enum { CALLS = 40, MATRIX = ORDER * ORDER * BYTES };
    struct product p;
    struct kt_call_batch batch = {.calls = 0};
    for (uint64_t i = 0; i < CALLS; i++) {
        struct kt_call call = product(&p, 1 << 20, (2 << 20) + i * MATRIX, (UINT64_C(1) << 40) + i * MATRIX);
        kt_call_batch_add(&batch, &call);
    }
    assert_true(kt_call_batch_lay_out(&batch, &(struct kt_layout){0}));
    assert_int_equal(batch.per_call, 3);
    for (int i = 0; i < CALLS; i++) {
        const struct kt_operand *o = &batch.operand[3 * i];
        assert_int_equal(o[0].lo, batch.operand[0].lo);
        assert_int_equal(o[1].lo, batch.operand[1].lo + (uint64_t)i * MATRIX);
        assert_int_equal(o[2].lo, batch.operand[2].lo + (uint64_t)i * MATRIX);
        assert_true(o[2].hi <= batch.bytes);
        assert_false(kt_operands_meet(&o[2], &batch.operand[3 * ((i + 1) % CALLS) + 1]));
    }
    kt_call_batch_free(&batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles_meet_where_they_have_elements_in_common),
        cmocka_unit_test(test_rows_lie_in_gaps_of_each_other),
        cmocka_unit_test(test_other_gaps_count_as_bytes),
        cmocka_unit_test(test_a_call_depends_on_what_is_written),
        cmocka_unit_test(test_operands_of_all_calls_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
