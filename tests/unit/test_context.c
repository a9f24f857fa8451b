/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts: what the command line says of them, and the plans that they become.
 */
#include "replay/measure/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 8 };

struct parsed {
    const struct kt_context *context[MOST];
    size_t count;
    struct kt_error error;
};

static enum kt_status parse(const char *text, struct parsed *out)
{
    return kt_contexts_parse(text, out->context, &out->count, MOST, &out->error);
}

static void names_are_contexts(void **state)
{
    (void)state;
    struct parsed p = {0};
    assert_int_equal(parse("warm,l2,cold", &p), KT_OK);
    assert_int_equal(parse("warm", &p), KT_OK); /* is there already */
    assert_int_equal(parse("allcold", &p), KT_OK);
    assert_int_equal(p.count, 4);
    assert_ptr_equal(p.context[0], kt_context_find("warm"));
    assert_string_equal(p.context[1]->name, "l2");
    assert_int_equal(p.context[1]->others.kind, KT_EVICTED);
    assert_int_equal(p.context[1]->others.cache, 1);
    assert_false(p.context[2]->code);
    assert_true(p.context[3]->code);
    assert_int_equal(p.context[3]->others.kind, KT_COLD);
}

static void a_list_with_equals_is_one_context(void **state)
{
    (void)state;
    struct parsed p = {0};
    assert_int_equal(parse("A=cold,B=warm,c=l2", &p), KT_OK);
    assert_int_equal(parse("A=cold,B=warm,c=l2", &p), KT_OK);
    assert_int_equal(p.count, 1);
    assert_string_equal(p.context[0]->name, "A=cold,B=warm,c=l2");
    assert_int_equal(p.context[0]->names, 3);
    assert_string_equal(p.context[0]->named[2].operand, "c");
    assert_int_equal(p.context[0]->named[2].condition.cache, 1);
    assert_int_equal(p.context[0]->others.kind, KT_WARM);
    assert_int_equal(parse("allcold,X=warm", &p), KT_OK);
    assert_int_equal(p.context[1]->others.kind, KT_COLD);
    assert_true(p.context[1]->code);
    assert_false(kt_context_is_tracked(p.context[1]));
    assert_int_equal(parse("X=tracked", &p), KT_OK);
    assert_true(kt_context_is_tracked(p.context[2]));
}

static void wrong_text_is_refused(void **state)
{
    (void)state;
    const char *const wrong[] = {"",
                                 "hot",
                                 "warm,",
                                 "warm,,cold",
                                 "A=",
                                 "=cold",
                                 "A=hot",
                                 "A=cold,",
                                 "A=cold,a=warm",
                                 "warm,cold,A=l1",
                                 "A==cold",
                                 "A=allcold",
                                 "warm cold",
                                 "l4",
                                 "A_NAME_OF_AN_OPERAND=cold",
                                 "WARM",
                                 "A=cold B=l1",
                                 "A=cold;B=l1",
                                 "A\x80=cold",
                                 "A=cold,B=l1,\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct parsed p = {0};
        if (parse(wrong[i], &p) == KT_OK)
            fail_msg("'%s' is a context", wrong[i]);
        assert_int_equal(p.error.status, KT_USAGE);
        assert_true(strlen(p.error.text) > 10);
    }
}

static void too_long_or_too_many(void **state)
{
    (void)state;
    struct parsed p = {0};
    char text[400] = "";
    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "%sX%d=warm", i ? "," : "", i);
    assert_int_equal(parse(text, &p), KT_USAGE);
    for (int i = 0; i < MOST; i++) {
        sprintf(text, "X%d=cold", i);
        assert_int_equal(parse(text, &p), i < MOST ? KT_OK : KT_USAGE);
    }
    assert_int_equal(parse("X99=cold", &p), KT_USAGE);
}

/* --- plans ------------------------------------------------------------------------------------------------- */

static const struct kt_caches caches = {{{32 << 10, 1}, {1 << 20, 1}, {32 << 20, 8}}, 3, 64};

static const struct kt_operand operand[] = {
    {.name = "A", .lo = 0x1000, .hi = 0x9000},
    {.name = "X", .lo = 0xa000, .hi = 0xb000},
    {.name = "Y", .lo = 0xc000, .hi = 0xc000}, /* not referenced */
    {.name = "Z", .lo = 0xd000, .hi = 0xe000},
};

/* "flush A, touch X .25-1, evict 2": a plan as text. */
static const char *text_of(const struct kt_plan *plan)
{
    static const char *const kind[] = {"flush", "touch", "evict", "code", "fill", "recall", "pages"};
    static char text[2000];
    char *at = text;
    *at = '\0';
    for (int i = 0; i < plan->steps; i++) {
        const struct kt_step *s = &plan->step[i];
        at += sprintf(at, "%s%s", i ? ", " : "", kind[s->kind]);
        if (s->kind == KT_EVICT)
            at += sprintf(at, " %u", s->cache + 1);
        if (s->kind == KT_FLUSH || s->kind == KT_TOUCH || s->kind == KT_PAGES)
            at += sprintf(at, " %s", operand[s->operand].name);
        if (s->to > 0 && (s->from > 0 || s->to < 1))
            at += sprintf(at, " %.3g-%.3g", (double)s->from, (double)s->to);
    }
    return text;
}

static const char *plan_of(const char *context, const struct kt_placements_of_shape *placed)
{
    static struct kt_plans plans;
    struct parsed p = {0};
    assert_int_equal(parse(context, &p), KT_OK);
    kt_plans_make(p.context[0], operand, sizeof operand / sizeof *operand, &caches, placed, &plans);
    return text_of(&plans.plan[0]);
}

static void plans_of_whole_calls(void **state)
{
    (void)state;
    assert_string_equal(plan_of("warm", NULL), "recall, touch A, touch X, touch Z");
    assert_string_equal(plan_of("cold", NULL), "flush A, flush X, flush Z, fill, recall, pages A, pages X, pages Z");
    assert_string_equal(plan_of("allcold", NULL), "flush A, flush X, flush Z, code, fill");
    assert_string_equal(plan_of("coldcode", NULL), "code, touch A, touch X, touch Z");
    assert_string_equal(plan_of("l1", NULL), "recall, touch A, touch X, touch Z, evict 1");
    assert_string_equal(plan_of("l2", NULL), "touch A, touch X, touch Z, evict 2");
    assert_string_equal(plan_of("l3", NULL), "touch A, touch X, touch Z, evict 3");
}

static void plans_by_operand(void **state)
{
    (void)state;
    assert_string_equal(plan_of("a=cold,X=warm", NULL), "flush A, fill, recall, pages A, touch X, touch Z");
    assert_string_equal(plan_of("A=warm,X=l2,Z=l1", NULL), "touch X, evict 2, touch Z, evict 1, touch A");
    assert_string_equal(plan_of("X=warm,cold", NULL), "flush A, flush Z, fill, recall, pages A, pages Z, touch X");
    assert_string_equal(plan_of("X=l3,cold", NULL), "flush A, flush Z, touch X, evict 3, recall, pages A, pages Z");
    assert_string_equal(plan_of("Y=cold", NULL), "recall, touch A, touch X, touch Z");
}

/* What is near was used last: the end of an operand. */
static void plans_of_parts(void **state)
{
    (void)state;
    const struct kt_placements_of_shape placed = {
        .placement = {{.share = {{0.125F, 0.25F, 0.125F, 0.5F}, {1}, {0}, {0, 0, 1, 0}}, .weight = 1}}, .count = 1};
    assert_string_equal(plan_of("tracked", &placed),
                        "flush A 0-0.5, touch A 0.5-0.625, touch Z, evict 2, recall, touch A 0.625-0.875, evict 1, "
                        "touch A 0.875-1, touch X");
    assert_string_equal(
        plan_of("A=tracked,Z=cold", &placed),
        "flush A 0-0.5, flush Z, touch A 0.5-0.625, evict 2, recall, pages Z, touch A 0.625-0.875, evict 1, "
        "touch A 0.875-1, touch X");
}

/* Shares that do not add up to 1, by rounding or as levels are missing. */
static void shares_that_do_not_add_up(void **state)
{
    (void)state;
    const struct kt_placements_of_shape less = {.placement = {{.share = {{0.5F}}, .weight = 1}}, .count = 1};
    assert_string_equal(plan_of("A=tracked", &less), "flush A 0-0.5, fill, recall, touch A 0.5-1, touch X, touch Z");
    const struct kt_placements_of_shape more = {.placement = {{.share = {{0.75F, 0.75F}}, .weight = 1}}, .count = 1};
    assert_string_equal(plan_of("A=tracked", &more), "recall, touch A 0-0.5, evict 1, touch A 0.5-1, touch X, touch Z");
    const struct kt_placements_of_shape rounded = {
        .placement = {{.share = {{0.333333F, 0.333333F, 0.333333F, -1e-9F}}, .weight = 1}}, .count = 1};
    assert_string_equal(plan_of("A=tracked", &rounded),
                        "touch A 0-0.333, evict 2, recall, touch A 0.333-0.667, evict 1, "
                        "touch A 0.667-1, touch X, touch Z");
}

/* As smoothing leaves them in levels where nothing was. */
static void shares_that_are_no_more_than_a_trace(void **state)
{
    (void)state;
    const struct kt_placements_of_shape faded = {
        .placement = {{.share = {{0.0016F, 0.9966F, 0.0013F, 0.0005F}}, .weight = 1}}, .count = 1};
    assert_string_equal(plan_of("A=tracked", &faded), "recall, touch A, evict 1, touch X, touch Z");
    const struct kt_placements_of_shape memory = {
        .placement = {{.share = {{0.001F, 0.002F, 0.003F, 0.994F}}, .weight = 1}}, .count = 1};
    assert_string_equal(plan_of("A=tracked", &memory), "flush A, fill, recall, touch X, touch Z");
}

static void several_placements_are_weighted(void **state)
{
    (void)state;
    static struct kt_plans plans;
    const struct kt_placements_of_shape placed = {
        .placement = {{.share = {{1}, {1}, {1}, {1}}, .weight = 0.6}, {.share = {{0}}, .weight = 0.2}}, .count = 2};
    kt_plans_make(kt_context_find("tracked"), operand, 4, &caches, &placed, &plans);
    assert_int_equal(plans.count, 2);
    assert_float_equal(plans.weight[0], 0.75, 1e-12);
    assert_float_equal(plans.weight[1], 0.25, 1e-12);
    assert_string_equal(text_of(&plans.plan[0]), "recall, touch A, touch X, touch Z");
    assert_string_equal(text_of(&plans.plan[1]), "flush A, flush X, flush Z, fill, recall");
    kt_plans_make(kt_context_find("cold"), operand, 4, &caches, &placed, &plans);
    assert_int_equal(plans.count, 1); /* is the same wherever they were */
}

static void what_has_to_be_calibrated(void **state)
{
    (void)state;
    struct parsed p = {0};
    const struct kt_caches two = {{{32 << 10, 1}, {1 << 20, 1}}, 2, 64};
    assert_int_equal(parse("X=l1,l3", &p), KT_OK);
    assert_int_equal(kt_context_evicts(kt_context_find("warm"), &caches), 0);
    assert_int_equal(kt_context_evicts(kt_context_find("allcold"), &caches), 0);
    assert_int_equal(kt_context_evicts(kt_context_find("l2"), &caches), 2);
    assert_int_equal(kt_context_evicts(kt_context_find("tracked"), &caches), 3);
    assert_int_equal(kt_context_evicts(kt_context_find("tracked"), &two), 1);
    assert_int_equal(kt_context_evicts(p.context[0], &caches), 5);
    assert_int_equal(kt_context_last_cache(p.context[0]), 2);
    assert_int_equal(kt_context_last_cache(kt_context_find("cold")), 0);
}

static void names_of_operands(void **state)
{
    (void)state;
    struct parsed p = {0};
    assert_int_equal(parse("b=cold,x=cold", &p), KT_OK);
    assert_int_equal(parse("b=cold", &p), KT_OK);
    assert_int_equal(2, kt_context_names_of(p.context[0], operand, 4));
    assert_int_equal(0, kt_context_names_of(p.context[1], operand, 4));
    assert_int_equal(0, kt_context_names_of(kt_context_find("cold"), operand, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_contexts),
        cmocka_unit_test(a_list_with_equals_is_one_context),
        cmocka_unit_test(wrong_text_is_refused),
        cmocka_unit_test(too_long_or_too_many),
        cmocka_unit_test(plans_of_whole_calls),
        cmocka_unit_test(plans_by_operand),
        cmocka_unit_test(plans_of_parts),
        cmocka_unit_test(several_placements_are_weighted),
        cmocka_unit_test(shares_that_do_not_add_up),
        cmocka_unit_test(shares_that_are_no_more_than_a_trace),
        cmocka_unit_test(what_has_to_be_calibrated),
        cmocka_unit_test(names_of_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
