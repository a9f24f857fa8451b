/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shim's operands against the reader's: the same elements and the same end, for every interface and arguments of
 * all kinds.
 */
#include "preload/elements.h"
#include "tests/parts/synth.h"
#include "tests/parts/table_load.h"
#include "trace/table/operand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CALLS = 60, LEGAL_CALLS = 24, RANGES = 4096, FIRST_ADDRESS = 1 << 20, ARG_BYTES = 8 * 64 };

struct range {
    uint64_t lo, hi;
};

/* Ranges of memory, sorted and joined. */
struct ranges {
    struct range range[RANGES];
    size_t count;
};

static int compare_ranges(const void *a, const void *b)
{
    const struct range *x = a;
    const struct range *y = b;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

static void add_range(struct ranges *r, uint64_t lo, uint64_t hi)
{
    if (hi <= lo)
        return;
    assert_true(r->count < RANGES);
    r->range[r->count++] = (struct range){lo, hi};
}

static void join_ranges(struct ranges *r)
{
    size_t kept = 0;
    qsort(r->range, r->count, sizeof *r->range, compare_ranges);
    for (size_t i = 0; i < r->count; i++)
        if (kept && r->range[i].lo <= r->range[kept - 1].hi)
            r->range[kept - 1].hi = r->range[i].hi > r->range[kept - 1].hi ? r->range[i].hi : r->range[kept - 1].hi;
        else
            r->range[kept++] = r->range[i];
    r->count = kept;
}

static void ranges_of_reader(const struct kt_operand *o, struct ranges *out)
{
    out->count = 0;
    for (int64_t i = 0; i < kt_operand_runs(o); i++) {
        uint64_t lo;
        uint64_t hi;
        kt_operand_run(o, i, &lo, &hi);
        add_range(out, lo, hi);
    }
    join_ranges(out);
}

static void ranges_of_shim(const struct kt_elements *o, struct ranges *out)
{
    out->count = 0;
    for (int64_t j = 0; j < o->cols; j++) {
        int64_t at;
        int64_t count = kt_elements_column(o, j, &at);
        uint64_t lo = o->base + (uint64_t)at * o->elem;
        add_range(out, lo, lo + (uint64_t)count * o->elem);
    }
    join_ranges(out);
}

/* --- arguments --------------------------------------------------------------------------------------------- */

static uint64_t state = 88172645463325252u;

static unsigned any_below(unsigned most)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % most;
}

static void put(unsigned char *args, const struct kt_param *p, const void *value)
{
    memcpy(args + p->offset, value, kt_stored_bytes(p->stored));
}

/* Options, good and bad; integers about 0, now and then the length that asks; scalars that are 0 and others. */
static void put_any(unsigned char *args, const struct kt_param *p, int number)
{
    static const char letters[] = "NTCULRSVAEIFBPnlu12 ";
    static const int codes[] = {101, 102, 111, 112, 113, 121, 122, 131, 132, 141, 142, 7};
    static const double scalars[][2] = {{0, 0}, {-0.0, 0}, {0, 2}, {1.5, 0}};
    static const float floats[][2] = {{0, 0}, {-0.0f, 0}, {0, 2}, {1.5f, 0}};
    int64_t integer = any_below(8) ? (int64_t)any_below(12) : -(int64_t)any_below(4);
    uint64_t address = (uint64_t)(number + 1) * FIRST_ADDRESS;
    if (p->stored == KT_CHAR)
        put(args, p, &letters[any_below(sizeof letters - 1)]);
    else if (p->stored == KT_ENUM)
        put(args, p, &codes[p->arg == KT_ARG_LAYOUT ? any_below(2) : any_below(12)]);
    else if (p->stored == KT_INT)
        put(args, p, &integer);
    else if (kt_stored_is_address(p->stored))
        put(args, p, &address);
    else if (p->stored == KT_FLOAT || p->stored == KT_CFLOAT)
        put(args, p, floats[any_below(4)]);
    else
        put(args, p, scalars[any_below(4)]);
}

/* --- comparison -------------------------------------------------------------------------------------------- */

static void compare_operand(const struct kt_symbol *s, const struct kt_operand *o, const struct kt_elements *e)
{
    static struct ranges reader;
    static struct ranges shim;
    ranges_of_reader(o, &reader);
    ranges_of_shim(e, &shim);
    bool same = reader.count == shim.count && !memcmp(reader.range, shim.range, reader.count * sizeof *reader.range);
    if (!same || o->elem != e->elem || (unsigned)o->access != e->access)
        fail_msg(
            "%s, operand %s: %zu ranges instead of %zu, elements of %u instead of %zu bytes, access %u instead of %d",
            s->name, o->name, shim.count, reader.count, e->elem, o->elem, e->access, (int)o->access);
}

static void compare_end(const struct kt_symbol *s, const struct kt_operand *o, const struct kt_elements *e)
{
    uint64_t end = kt_elements_end(e);
    if (end != o->hi - o->base)
        fail_msg("%s, operand %s ends at %llu instead of %llu", s->name, o->name, (unsigned long long)end,
                 (unsigned long long)(o->hi - o->base));
}

/* FULL: all elements, not only where they end. */
static void compare_call(const struct kt_symbol *s, int number, const unsigned char *args, bool wide, bool full)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    struct kt_element_walk walk;
    struct kt_elements extent;
    kt_values_decode(s, args, &values);
    int count = kt_operands(s, &values, wide ? 8 : 4, operand);
    kt_elements_begin((unsigned)number, (const uint64_t *)(const void *)args, wide, &walk);
    assert_int_equal(walk.is_query, kt_is_query(s->routine, &values));
    if (walk.is_query) {
        assert_false(kt_elements_next(&walk, &extent));
        return;
    }
    for (int i = 0; i < count; i++) {
        if (operand[i].access == KT_WORK)
            continue;
        assert_true(kt_elements_next(&walk, &extent));
        if (full)
            compare_operand(s, &operand[i], &extent);
        compare_end(s, &operand[i], &extent);
    }
    assert_false(kt_elements_next(&walk, &extent));
}

static void compare_any_call(const struct kt_symbol *s, int number, bool wide)
{
    _Alignas(8) unsigned char args[ARG_BYTES] = {0};
    for (int i = 0; i < s->params; i++)
        if (!s->param[i].returned)
            put_any(args, &s->param[i], i);
    compare_call(s, number, args, wide, true);
}

/* Sizes of 60 and more, and those of usual calls. */
static void compare_legal_call(const struct kt_symbol *s, int number, struct kt_synth *synth, int call)
{
    _Alignas(8) unsigned char args[KT_SYNTH_ARG_BYTES];
    uint64_t address[KT_MAX_PARAMS];
    for (size_t i = 0; i < KT_MAX_PARAMS; i++)
        address[i] = (i + 1) * FIRST_ADDRESS;
    synth->distinct = call % 4 == 0;
    synth->large = call % 4 == 1;
    synth->queries = call % 4 == 2;
    kt_synth_arguments(synth, s, call / 4 % 2, args);
    kt_synth_set_addresses(s, address, args);
    compare_call(s, number, args, call % 3 == 0, false);
}

static void every_interface_has_the_elements_that_the_reader_knows(void **unused)
{
    (void)unused;
    int number = 0;
    struct kt_synth synth = {.state = 33};
    for (size_t i = 0; i < kt_spec_table.count; i++)
        for (enum kt_view view = 0; view < KT_VIEWS; view++) {
            struct kt_symbol symbol;
            if (!kt_symbol_make(&kt_spec_table.routine[i], view, &symbol))
                continue;
            for (int call = 0; call < CALLS; call++)
                compare_any_call(&symbol, number, call % 2);
            for (int call = 0; call < LEGAL_CALLS; call++)
                compare_legal_call(&symbol, number, &synth, call);
            number++;
        }
    assert_true(number > 4000);
}

static void sizes_beyond_reason_do_no_harm(void **unused)
{
    (void)unused;
    struct kt_element_walk walk;
    struct kt_elements extent;
    uint64_t args[64];
    memset(args, 0x7f, sizeof args);
    for (unsigned number = 0; number < 4000; number++) {
        int64_t at;
        kt_elements_begin(number, args, true, &walk);
        while (kt_elements_next(&walk, &extent))
            assert_true(extent.cols == 0 || kt_elements_column(&extent, extent.cols - 1, &at) >= 0);
    }
}

/* --- integers in place of floating-point numbers ----------------------------------------------------------- */

static int find_n(const void *context, const char *name, size_t length, int *is_option)
{
    (void)context;
    *is_option = 0;
    return length == 1 && *name == 'n' ? 0 : -1;
}

static double value_of(const char *text, int64_t n)
{
    struct kt_expr expr;
    struct kt_error error = {0};
    const struct kt_scope scope = {find_n, NULL};
    const double v[KT_MAX_ARGS] = {(double)n};
    assert_int_equal(kt_expr_parse(&text, &scope, &expr, &error), KT_OK);
    double value = kt_expr_eval(&expr, v);
    kt_expr_free(&expr);
    return value;
}

/* An operand of bytes, whose length is what the program says. */
#define VECTOR(...)                                                                                          \
    {                                                                                                        \
        0, KT_X_READ, KT_X_VECTOR, 1, 0, 0, 0, 8, __VA_ARGS__, KT_X_END, 0, 0, 0, KT_X_NUMBER, 1, 0, 0, 0, 0 \
    }

static int64_t length_of(const unsigned char *operand, const int64_t *args)
{
    struct kt_elements out;
    struct kt_element_walk walk = {.at = operand, .args = (const uint64_t *)(const void *)args, .left = 1};
    assert_true(kt_elements_next(&walk, &out));
    return out.rows;
}

static void logarithms_are_those_of_the_reader(void **unused)
{
    (void)unused;
    static const unsigned char levels[] = VECTOR(KT_X_INT, 0, KT_X_LEVELS);
    static const unsigned char lg[] = VECTOR(KT_X_INT, 0, KT_X_LG);
    const int64_t edges[] = {(13 << 10) - 1, 13 << 10, 1 << 20, (1 << 20) + 1};
    for (int64_t n = -3; n < 1 << 20; n += n < 1000 ? 1 : 997) {
        assert_int_equal(length_of(levels, &n), (int64_t)value_of("levels(n)", n));
        assert_int_equal(length_of(lg, &n), (int64_t)value_of("lg(n)", n));
    }
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        assert_int_equal(length_of(levels, &edges[i]), (int64_t)value_of("levels(n)", edges[i]));
        assert_int_equal(length_of(lg, &edges[i]), (int64_t)value_of("lg(n)", edges[i]));
    }
}

static void quotients_are_rounded_down(void **unused)
{
    (void)unused;
    static const unsigned char program[] = VECTOR(KT_X_INT, 0, KT_X_INT, 1, KT_X_DIV, KT_X_NUMBER, 100, 0, KT_X_ADD);
    const int64_t pair[][3] = {{7, 2, 103}, {-7, 2, 96}, {7, -2, 96}, {-7, -2, 103},
                               {-8, 2, 96}, {7, 0, 100}, {5, -1, 95}, {INT64_MIN, -1, INT32_MAX}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        assert_int_equal(length_of(program, pair[i]), pair[i][2]);
}

/* --- ends that the reader's operands have only in damaged traces -------------------------------------------- */

static struct kt_elements matrix(int64_t rows, int64_t cols, int64_t ld)
{
    return (struct kt_elements){.base = FIRST_ADDRESS,
                                .form = KT_X_MATRIX,
                                .elem = 16,
                                .rows = rows,
                                .cols = cols,
                                .ld = ld,
                                .below = rows,
                                .above = cols};
}

static void ends_without_measure_do_not_wrap(void **unused)
{
    (void)unused;
    struct kt_elements largest = matrix(INT32_MAX, INT32_MAX, INT32_MAX);
    struct kt_elements high = matrix(5, 3, 7);
    struct kt_elements without_ld = matrix(5, 3, 0);
    assert_int_equal(kt_elements_end(&largest), 0);
    assert_int_equal(kt_elements_end(&high), 16 * (2 * 7 + 5));
    high.base = UINT64_MAX - 16 * (2 * 7 + 5) + 1;
    assert_int_equal(kt_elements_end(&high), 0);
    high.base--;
    assert_int_equal(kt_elements_end(&high), 16 * (2 * 7 + 5));
    assert_int_equal(kt_elements_end(&without_ld), 16 * 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_interface_has_the_elements_that_the_reader_knows),
        cmocka_unit_test(sizes_beyond_reason_do_no_harm),
        cmocka_unit_test(logarithms_are_those_of_the_reader),
        cmocka_unit_test(quotients_are_rounded_down),
        cmocka_unit_test(ends_without_measure_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, kt_spec_setup, kt_spec_teardown);
}
