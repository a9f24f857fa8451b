/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much memory is free, in systems made of a few files.
 */
#include "trace/base/free_memory.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { MIB = 1 << 20 };
static char root[PATH_MAX];

static void put(const char *path, const char *text)
{
    char full[2 * PATH_MAX];
    int length = snprintf(full, sizeof full, "%s%s", root, path);
    assert_true(length > 0 && (size_t)length < sizeof full);
    for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0777);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A system of its own for each test, with 1,000 MiB free. */
static int setup(void **state)
{
    (void)state;
    const char *folder = getenv("T"); /* of the test, which tests/run removes */
    snprintf(root, sizeof root, "%s/system.XXXXXX", folder ? folder : "/tmp");
    assert_non_null(mkdtemp(root));
    put("/proc/meminfo", "MemTotal:        2048000 kB\nMemAvailable:    1024000 kB\n");
    return 0;
}

static uint64_t free_mib(void)
{
    return kt_free_memory(root) / MIB;
}

static void test_without_groups(void **state)
{
    (void)state;
    assert_int_equal(free_mib(), 1000);
}

/* 500 MiB in use, 300 of which are pages of files. */
static void test_files_read_count_as_free(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/\n");
    put("/sys/fs/cgroup/memory.max", "524288000\n");
    put("/sys/fs/cgroup/memory.current", "524288000\n");
    assert_int_equal(free_mib(), 0);
    put("/sys/fs/cgroup/memory.stat",
        "anon 209715200\ninactive_anon 7\ninactive_file 104857600\nactive_file 209715200\n");
    assert_int_equal(free_mib(), 300);
    put("/sys/fs/cgroup/memory.max", "max\n");
    assert_int_equal(free_mib(), 1000);
}

static void test_groups_above(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/batch/job/step\n");
    put("/sys/fs/cgroup/batch/job/step/memory.max", "max\n");
    put("/sys/fs/cgroup/batch/job/memory.max", "314572800\n");
    put("/sys/fs/cgroup/batch/job/memory.current", "104857600\n");
    assert_int_equal(free_mib(), 200);
    put("/sys/fs/cgroup/batch/memory.max", "104857600\n");
    assert_int_equal(free_mib(), 100);
}

/* In a container, where the groups that it sees begin with its own. */
static void test_first_version(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/docker/0123\n0::/\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "524288000\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "524288000\n");
    put("/sys/fs/cgroup/memory/memory.stat",
        "active_file 1\ninactive_file 1\ntotal_inactive_file 104857600\ntotal_active_file 104857600\n");
    assert_int_equal(free_mib(), 200);
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    assert_int_equal(free_mib(), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_without_groups, setup),
        cmocka_unit_test_setup(test_files_read_count_as_free, setup),
        cmocka_unit_test_setup(test_groups_above, setup),
        cmocka_unit_test_setup(test_first_version, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
