/* SPDX-License-Identifier: BSD-3-Clause */
/* What control groups of both versions grant, by files that are made up; lists of processors; what a trace says. */
#include "ktrace/granted.h"
#include "tests/parts/tracegen.h"
#include "trace/base/cpulist.h"
#include "trace/read/processors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* Path and text, in turns; NULL at the end. */
static const char *const *files;

static size_t read_made_up(const char *path, char *out, size_t size)
{
    out[0] = '\0';
    for (const char *const *file = files; *file; file += 2)
        if (!strcmp(file[0], path))
            return (size_t)snprintf(out, size, "%s", file[1]);
    return 0;
}

static struct kt_granted granted;

static void granted_by(const char *const *made_up)
{
    files = made_up;
    kt_granted_find(&granted, read_made_up);
}

static void second_version(void **state)
{
    static const char *const file[] = {"/proc/self/cgroup",
                                       "0::/a/b\n",
                                       "/sys/fs/cgroup/a/b/cpu.max",
                                       "max 100000\n",
                                       "/sys/fs/cgroup/a/cpu.max",
                                       "200000 100000\n",
                                       "/sys/fs/cgroup/a/b/cpuset.cpus.effective",
                                       "2-3,8\n",
                                       "/sys/fs/cgroup/a/cpuset.cpus.effective",
                                       "0-15\n",
                                       NULL};
    (void)state;
    granted_by(file);
    assert_int_equal(granted.quota_us, 200000);
    assert_int_equal(granted.period_us, 100000);
    assert_string_equal(granted.set, "2-3,8");
}

/* The mount shows the group of a container. */
static void path_of_outside(void **state)
{
    static const char *const file[] = {"/proc/self/cgroup", "0::/docker/0123\n", "/sys/fs/cgroup/cpu.max",
                                       "50000 100000\n", NULL};
    (void)state;
    granted_by(file);
    assert_int_equal(granted.quota_us, 50000);
}

static void first_version(void **state)
{
    static const char *const file[] = {"/proc/self/cgroup",
                                       "4:cpu,cpuacct:/job/step\n3:cpuset:/job\n2:memory:/x\n0::/\n",
                                       "/sys/fs/cgroup/cpu/job/step/cpu.cfs_quota_us",
                                       "300000\n",
                                       "/sys/fs/cgroup/cpu/job/step/cpu.cfs_period_us",
                                       "100000\n",
                                       "/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us",
                                       "25000\n",
                                       "/sys/fs/cgroup/cpu/job/cpu.cfs_period_us",
                                       "10000\n",
                                       "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
                                       "-1\n",
                                       "/sys/fs/cgroup/cpuset/job/cpuset.effective_cpus",
                                       "0-1\n",
                                       NULL};
    (void)state;
    granted_by(file);
    assert_int_equal(granted.quota_us, 25000); /* 2.5 processors are fewer than 3 */
    assert_int_equal(granted.period_us, 10000);
    assert_string_equal(granted.set, "0-1");
}

static void nothing(void **state)
{
    static const char *const none[] = {NULL};
    static const char *const odd[] = {"/proc/self/cgroup", "x\n\n:\n0:\n7:cpuset\n0::\n", "/sys/fs/cgroup/cpu.max",
                                      "\n", NULL};
    static char far[4000];
    const char *const deep[] = {"/proc/self/cgroup", far, NULL};
    (void)state;
    granted_by(none);
    assert_int_equal(granted.quota_us, 0);
    assert_string_equal(granted.set, "");
    granted_by(odd);
    assert_int_equal(granted.quota_us, 0);
    snprintf(far, sizeof far, "0::%03900d", 0);
    granted_by(deep);
    assert_int_equal(granted.quota_us, 0);
}

/* 128 processors of 256: the list is longer than there is room for. */
static void too_long(void **state)
{
    static char list[1024];
    static const char *const file[] = {"/proc/self/cgroup", "0::/a\n", "/sys/fs/cgroup/a/cpuset.cpus.effective", list,
                                       NULL};
    (void)state;
    for (int cpu = 0; cpu < 256; cpu += 2)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%d%s", cpu, cpu < 254 ? "," : "\n");
    granted_by(file);
    assert_string_equal(granted.set, "");
}

static void lists(void **state)
{
    cpu_set_t set;
    (void)state;
    assert_int_equal(kt_cpulist_parse("0", NULL), 1);
    assert_int_equal(kt_cpulist_parse("0-3,8", &set), 5);
    assert_int_equal(CPU_COUNT(&set), 5);
    assert_true(CPU_ISSET(3, &set) && CPU_ISSET(8, &set) && !CPU_ISSET(4, &set));
    assert_int_equal(kt_cpulist_parse("0-63", NULL), 64);
    static const char *const wrong[] = {"", ",", "1-", "-1", "3-1", "1,", "a", "0-99999999999", "1 2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(kt_cpulist_parse(wrong[i], NULL), 0);
}

static void expect(const char *lines, double usable, const char *text)
{
    struct kt_gen gen;
    struct kt_trace trace;
    struct kt_error error = {0};
    struct kt_processors processors;
    char said[64];
    kt_gen_begin(&gen, "trace/routines", 42);
    int dot = kt_gen_entry(&gen, "ddot", KT_FORTRAN);
    kt_gen_call(&gen, &(struct kt_gen_call){7, dot, 0, 1000, 100, "5 0x1000 1 0x2000 1"});
    kt_gen_end(&gen, true);
    kt_gen_replace_line(&gen, "meta", "cpus", "cpus\t16");
    kt_gen_append(&gen, "meta", lines, strlen(lines));
    assert_int_equal(kt_trace_open(gen.trace, &trace, &error), KT_OK);
    kt_processors_recorded(&trace.process[0], &processors);
    kt_processors_text(&processors, said, sizeof said);
    assert_true(processors.usable == usable);
    assert_true(processors.quota < KT_CPULIST_MOST);
    assert_string_equal(said, text);
    kt_trace_close(&trace);
    kt_gen_remove(&gen);
}

static void recorded(void **state)
{
    (void)state;
    expect("", 16, "");
    expect("affinity\t0-15\ncpuset\t0-15\n", 16, "");
    expect("affinity\t0-15\nquota\t200000\t100000\n", 2, "a quota of 2 of 16 processors");
    expect("affinity\t0-3\nquota\t800000\t100000\n", 4, "affinity to 4 of 16 processors");
    expect("affinity\t4-7\ncpuset\t4-7\n", 4, "a cpuset of 4 of 16 processors");
    expect("affinity\t0-1\ncpuset\t0-7\nquota\t50000\t100000\n", 0.5, "a quota of 0.5 of 16 processors");
    expect("quota\t1e300\t1\n", 16, "");
    expect("quota\tinf\tnan\n", 16, "");
    expect("affinity\tx\nquota\t0\t0\ncpuset\t\n", 16, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_version), cmocka_unit_test(path_of_outside), cmocka_unit_test(first_version),
        cmocka_unit_test(nothing),        cmocka_unit_test(too_long),        cmocka_unit_test(lists),
        cmocka_unit_test(recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
