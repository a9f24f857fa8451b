/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks and the tree of processes, from what meta files say; one time line for processes of several machines.
 */
#include "trace/read/origin.h"
#include "trace/shape/hosts.h"
#include "trace/shape/ranks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_PROCESSES = 16, MAX_METAS = 8 };

/* Processes that consist of a meta file. */
struct fixture {
    struct kt_process process[MAX_PROCESSES];
    struct kt_pair meta[MAX_PROCESSES][MAX_METAS];
    struct kt_trace trace;
};

/* METAS: "key value" pairs, up to NULL. */
static struct kt_process *add(struct fixture *f, uint32_t pid, char *const *metas)
{
    size_t i = f->trace.processes++;
    struct kt_process *process = &f->process[i];
    *process = (struct kt_process){.pid = pid, .meta = f->meta[i], .calls = 1, .seconds = 1};
    for (size_t m = 0; metas[m]; m += 2)
        process->meta[process->metas++] = (struct kt_pair){metas[m], metas[m + 1]};
    f->trace.process = f->process;
    return process;
}

#define ADD(f, pid, ...) add(f, pid, (char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static void test_none(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct kt_ranks ranks;
    ADD(&f, 1);
    ADD(&f, 2, "rank", "x");
    ADD(&f, 3, "rank", "-1");
    kt_ranks_find(&f.trace, &ranks);
    assert_int_equal(ranks.count, 0);
    assert_int_equal(ranks.expected, 0);
    for (int i = 0; i < 3; i++)
        assert_true(ranks.of[i] == KT_NO_RANK);
    kt_ranks_free(&ranks);
}

static void test_order_and_size(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct kt_ranks ranks;
    ADD(&f, 1, "rank", "10", "ranks", "12");
    ADD(&f, 2);
    ADD(&f, 3, "rank", "9", "ranks", "12");
    kt_ranks_find(&f.trace, &ranks);
    assert_int_equal(ranks.count, 2);
    assert_int_equal(ranks.jobs, 1);
    assert_int_equal(ranks.expected, 12);
    assert_int_equal(ranks.rank[0].rank, 9);
    assert_int_equal(ranks.rank[1].rank, 10);
    assert_int_equal(ranks.of[0], 1);
    assert_true(ranks.of[1] == KT_NO_RANK);
    assert_int_equal(ranks.of[2], 0);
    kt_ranks_free(&ranks);
}

/* A rank that runs two programs, one after the other, and another job of the same size. */
static void test_processes_of_a_rank(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct kt_ranks ranks;
    ADD(&f, 1, "rank", "0", "ranks", "2", "job", "b")->start = 7;
    ADD(&f, 2, "rank", "0", "ranks", "2", "job", "a")->start = 5;
    ADD(&f, 3, "rank", "0", "ranks", "2", "job", "a")->start = 2;
    kt_ranks_find(&f.trace, &ranks);
    assert_int_equal(ranks.count, 2);
    assert_int_equal(ranks.jobs, 2);
    assert_int_equal(ranks.expected, 4);
    assert_string_equal(ranks.rank[0].job, "a");
    assert_int_equal(ranks.rank[0].processes, 2);
    assert_int_equal(ranks.rank[0].calls, 2);
    assert_int_equal(ranks.rank[0].first->pid, 3);
    assert_true(ranks.rank[0].seconds == 5 + 1 - 2);
    assert_int_equal(ranks.of[0], 1);
    assert_int_equal(ranks.of[1], 0);
    kt_ranks_free(&ranks);
}

static void test_size_of_one_job_unknown(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct kt_ranks ranks;
    ADD(&f, 1, "rank", "0", "ranks", "2", "job", "a");
    ADD(&f, 2, "rank", "0", "job", "b");
    kt_ranks_find(&f.trace, &ranks);
    assert_int_equal(ranks.expected, 0);
    kt_ranks_free(&ranks);
}

static void expect_tree(const struct fixture *f, const uint32_t *pid, const int *depth)
{
    struct kt_branch *branch = kt_process_tree(&f->trace);
    for (size_t i = 0; i < f->trace.processes; i++) {
        assert_int_equal(branch[i].process->pid, pid[i]);
        assert_int_equal(branch[i].depth, depth[i]);
    }
    free(branch);
}

/* When a process made its first call does not say whose child it is. */
static void test_tree(void **state)
{
    (void)state;
    struct fixture f = {0};
    ADD(&f, 30, "ppid", "20", "boot_id", "x", "start_time", "3")->start = 1;
    ADD(&f, 20, "ppid", "10", "boot_id", "x", "start_time", "2")->start = 2;
    ADD(&f, 40, "ppid", "20", "boot_id", "x", "start_time", "3")->start = 0;
    ADD(&f, 10, "ppid", "1", "boot_id", "x", "start_time", "1")->start = 4;
    ADD(&f, 50, "ppid", "10", "boot_id", "y", "start_time", "9")->start = 5; /* of another machine */
    expect_tree(&f, (const uint32_t[]){10, 20, 40, 30, 50}, (const int[]){0, 1, 2, 2, 0});
}

static void test_tree_of_reused_ids(void **state)
{
    (void)state;
    struct fixture f = {0};
    ADD(&f, 10, "ppid", "20", "boot_id", "x", "start_time", "1");
    ADD(&f, 20, "ppid", "1", "boot_id", "x", "start_time", "5")->start = 1;
    expect_tree(&f, (const uint32_t[]){10, 20}, (const int[]){0, 0});
}

static void test_tree_in_a_circle(void **state)
{
    (void)state;
    struct fixture f = {0};
    ADD(&f, 10, "ppid", "20");
    ADD(&f, 20, "ppid", "10")->start = 1;
    ADD(&f, 30, "ppid", "30")->start = 2;
    struct kt_branch *branch = kt_process_tree(&f.trace);
    assert_int_equal(branch[0].process->pid + branch[1].process->pid + branch[2].process->pid, 60);
    free(branch);
}

static void test_time_line(void **state)
{
    (void)state;
    struct fixture f = {0};
    /* Machine x was set forward by an hour between its processes, y booted at another time. */
    ADD(&f, 1, "boot_id", "x", "anchor", "0\t5000000000\t1003000000000");
    ADD(&f, 2, "boot_id", "x", "anchor", "0\t7500000000\t4605500000000");
    ADD(&f, 3, "boot_id", "y", "anchor", "0\t900000000000\t1002000000000");
    ADD(&f, 4, "boot_id", "y", "anchor", "0\t901000000000\t1003000000000");
    ADD(&f, 5, "anchor", "0\t1\t1002250000000");
    kt_processes_align(f.process, f.trace.processes);
    static const double start[] = {1, 3.5, 0, 1, 0.25};
    for (int i = 0; i < 5; i++)
        assert_true(f.process[i].start == start[i]);
}

/* What kernels said of their clocks counts for the process that was first on each, and if it is of that boot. */
static void test_clocks(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct kt_hosts hosts;
    ADD(&f, 1, "host", "a", "boot_id", "x", "option", "CLOCK_ERROR\tx:2000");
    ADD(&f, 2, "host", "b", "boot_id", "x", "option", "CLOCK_ERROR\tx:9000")->start = 1;
    kt_hosts_find(&f.trace, &hosts);
    assert_true(hosts.hosts == 2 && hosts.clocks == 1 && hosts.within == 0 && !hosts.unknown && hosts.apart == 0);
    ADD(&f, 3, "host", "c", "boot_id", "y", "option", "CLOCK_ERROR\ty:500");
    ADD(&f, 4, "host", "d", "boot_id", "z", "option", "CLOCK_ERROR\tz:700");
    kt_hosts_find(&f.trace, &hosts);
    assert_true(hosts.hosts == 4 && hosts.clocks == 3 && fabs(hosts.within - 2.7e-3) < 1e-12 && !hosts.unknown);
    ADD(&f, 5, "host", "e", "boot_id", "zz", "option", "CLOCK_ERROR\tz:700");
    ADD(&f, 6, "host", "e");
    kt_hosts_find(&f.trace, &hosts);
    assert_true(hosts.hosts == 5 && hosts.clocks == 5 && isnan(hosts.within));
    assert_string_equal(hosts.unknown, "e");
}

static void test_ranks_apart(void **state)
{
    (void)state;
    struct fixture f = {0};
    struct kt_hosts hosts;
    ADD(&f, 1, "boot_id", "x", "rank", "0", "job", "7");
    ADD(&f, 2, "boot_id", "y", "rank", "1", "job", "7")->start = 3;
    kt_hosts_find(&f.trace, &hosts);
    assert_true(hosts.apart == 2);                                  /* each took a second */
    ADD(&f, 3, "boot_id", "y", "rank", "2", "job", "8")->start = 9; /* another job */
    kt_hosts_find(&f.trace, &hosts);
    assert_true(hosts.apart == 2);
    ADD(&f, 4, "boot_id", "y", "rank", "3", "job", "7")->start = -5; /* ranks of one kernel need not run together */
    kt_hosts_find(&f.trace, &hosts);
    assert_true(hosts.apart == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_order_and_size),
        cmocka_unit_test(test_processes_of_a_rank),
        cmocka_unit_test(test_size_of_one_job_unknown),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_tree_of_reused_ids),
        cmocka_unit_test(test_tree_in_a_circle),
        cmocka_unit_test(test_time_line),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_ranks_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
