/* SPDX-License-Identifier: BSD-3-Clause */
/* What a probe found and tells of caches, less what is none. */
#include "model/probe/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Four levels, of which one ends where 2,048 entries reach, as an EPYC of family 25 showed them without huge pages. */
static struct kt_probe probe_of(double third, double fourth, double huge)
{
    const double page = (double)sysconf(_SC_PAGESIZE);
    json_t *answer = json_pack(
        "{s:[{s:i, s:f}, {s:i, s:f}, {s:i, s:f}, {s:i, s:n, s:[f, f]}], s:{s:f, s:f}, s:[{s:f}, {s:f}], s:[]}",
        "caches", "level", 1, "bytes", 32768.0, "level", 2, "bytes", 64 * page, "level", 3, "bytes", third, "level", 4,
        "bytes", "bytes_between", fourth / 1.1, fourth * 1.1, "memory", "span_bytes", 1e9, "huge_bytes", huge, "tlb",
        "entries", 64.0, "entries", 2048.0, "not_determined");
    struct kt_probe probe = {.answer = answer};
    kt_probe_not_determined(&probe, "size of cache level 2", "why");
    kt_probe_not_determined(&probe, "ways of cache level 3", "why");
    kt_probe_not_determined(&probe, "size of cache level 4", "why");
    return probe;
}

static void assert_reason(const struct kt_probe *probe, size_t i, const char *what)
{
    const json_t *reason = json_array_get(json_object_get(probe->answer, "not_determined"), i);
    assert_string_equal(json_string_value(json_object_get(reason, "what")), what);
}

static size_t caches_of(const struct kt_probe *probe)
{
    return json_array_size(json_object_get(probe->answer, "caches"));
}

static void the_reach_of_a_tlb_is_no_cache(void **state)
{
    (void)state;
    const double reach = 2048 * (double)sysconf(_SC_PAGESIZE);
    struct kt_probe last = probe_of(4 * reach, reach * 1.02, 0);
    kt_probe_drop_reaches(&last);
    assert_int_equal(caches_of(&last), 3);
    assert_reason(&last, 2, "cache level 4");
    json_decref(last.answer);
    struct kt_probe middle = probe_of(reach * 1.02, 4 * reach, 0);
    kt_probe_drop_reaches(&middle);
    assert_int_equal(caches_of(&middle), 3);
    const json_t *third = json_array_get(json_object_get(middle.answer, "caches"), 2);
    assert_int_equal(json_integer_value(json_object_get(third, "level")), 3);
    assert_reason(&middle, 0, "size of cache level 2"); /* 64 entries reach as far: two caches there are everywhere */
    assert_reason(&middle, 1, "size of cache level 3");
    json_decref(middle.answer);
    struct kt_probe huge = probe_of(reach, 4 * reach, 1e9);
    kt_probe_drop_reaches(&huge);
    assert_int_equal(caches_of(&huge), 4);
    json_decref(huge.answer);
    struct kt_probe other = probe_of(1.5 * reach, 4 * reach, 0);
    kt_probe_drop_reaches(&other);
    assert_int_equal(caches_of(&other), 4);
    json_decref(other.answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reach_of_a_tlb_is_no_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
