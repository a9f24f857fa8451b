/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes inputs of the fuzzers of traces: of a process in a trace, or of a small synthetic one. Files that the process
 * has under other names get those of tests/fuzz/input.c, and zeros at their end are left out.
 *
 *     seed PROCESS_DIRECTORY >INPUT
 *     seed -g 0|1|2|3|4|5 >INPUT
 *     seed -s >INPUT                  of a store of results, what is in its cells; seed -d FILE makes it a database
 */
#include "replay/flush/eviction.h"
#include "replay/machine/peak.h"
#include "replay/setup/known_placements.h"
#include "replay/store/store.h"
#include "replay/measure/worker.h"
#include "tests/fuzz/input.h"
#include "tests/parts/tracegen.h"
#include "trace/base/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>

static struct kt_input input;

static struct kt_input_file read_file(const char *directory, const char *name)
{
    char path[4096];
    size_t room = 1 << 24;
    unsigned char *bytes = kt_resize(NULL, room, 1);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(bytes, 1, room, file) : 0;
    while (size && !bytes[size - 1])
        size--;
    if (file)
        fclose(file);
    return (struct kt_input_file){bytes, size};
}

/* The place of a file among those of an input, -1: it has none. */
static int place_of(const char *name, int *streams)
{
    for (int i = 0; i < KT_INPUT_TEXTS; i++)
        if (!strcmp(name, kt_input_names[i]))
            return i;
    if (!isdigit((unsigned char)name[1]))
        return -1;
    if (*name == 't' && *streams < 2)
        return KT_INPUT_TEXTS + (*streams)++;
    return *name == 's' || *name == 'o' ? KT_INPUT_FILES - 1 : -1; /* a profile or, with KTRACE_SNAPSHOT, a snapshot */
}

static void pack(const char *directory)
{
    struct dirent **entry;
    int streams = 0;
    int count = scandir(directory, &entry, NULL, alphasort);
    input.missing = (1u << KT_INPUT_FILES) - 1;
    for (int i = 0; i < count; i++) {
        int place = place_of(entry[i]->d_name, &streams);
        if (place < 0)
            continue;
        input.file[place] = read_file(directory, entry[i]->d_name);
        input.missing &= ~(1u << place);
    }
}

/* --- synthetic traces -------------------------------------------------------------------------------------- */

static struct kt_gen gen;

static void add_call(uint32_t tid, int entry, unsigned depth, uint64_t start, uint64_t ticks, const char *args)
{
    kt_gen_call(&gen, &(struct kt_gen_call){tid, entry, depth, start, ticks, args});
}

/* Calls in calls, of two threads, in short chunks; some that do not return in time. */
static void make_nested(uint64_t calls)
{
    int gesv = kt_gen_entry(&gen, "dgesv", KT_FORTRAN);
    int gemm = kt_gen_entry(&gen, "zgemm", KT_CBLAS);
    int dot = kt_gen_entry(&gen, "cdotc", KT_CBLAS);
    int band = kt_gen_entry(&gen, "dtbmv", KT_FORTRAN);
    int packed = kt_gen_entry(&gen, "chpmv", KT_CBLAS);
    for (uint64_t i = 0; i < calls; i++) {
        uint32_t tid = i % 3 ? 7 : 9;
        uint64_t at = i * 10000;
        add_call(tid, gesv, 0, at, 9000, i % 4 ? "9 2 0x1000 9 0x2000 0x3000 9 0" : "9 2 0x1000 9 0x2000 0x3000 9 3");
        add_call(tid, gemm, 1, at + 1000, 3000, "102 111 112 2 3 4 1,0 0x1000 4 0x2000 4 0,0 0x3000 3");
        add_call(tid, dot, 2, at + 2000, 1000, "5 0x1000 1 0x2000 -2 0x7000");
        add_call(tid, band, 1, at + 5000, 1000, "U N U 9 2 0x1000 3 0x2000 1");
        add_call(tid, packed, 1, at + 7000, i + 1 == calls ? 0 : 1000, "101 122 7 1,2 0x1000 0x2000 1 0,0 0x3000 1");
    }
}

/* As little as there can be: the routine has no relatives whose description must be read, too. */
static void make_small(void)
{
    int dot = kt_gen_entry(&gen, "dsdot", KT_FORTRAN);
    int c_dot = kt_gen_entry(&gen, "dsdot", KT_CBLAS);
    for (uint64_t i = 0; i < 5; i++) {
        add_call(7, c_dot, 0, i * 1000, i == 4 ? 0 : 900, "5 0x1000 1 0x2000 -2");
        add_call(7, dot, 1, i * 1000 + 100, 500, "5 0x1000 1 0x2000 -2");
    }
}

static const char counters[] = "counter\t0\tperf::PAGE-FAULTS\tcounted\ncounter\t1\tx\tn/a\twhy\t3\t0x1\n";

static const char processors[] = "affinity\t0-1\ncpuset\t0,1\nquota\t150000\t100000\nenv\tOMP_WAIT_POLICY\tpassive\n";

/* Counters, a change of the processor, regions, what a container left of the machine. */
static void make_counted(void)
{
    static const uint64_t enter[] = {KT_EVENT_REGION | KT_REGION_WORDS << 8 | 1 << 16, KT_GEN_ORIGIN};
    static const uint64_t leave[] = {KT_EVENT_REGION | KT_REGION_WORDS << 8, KT_GEN_ORIGIN + 5};
    static const uint64_t yardstick[KT_YARDSTICK_WORDS] = {KT_EVENT_YARDSTICK | KT_YARDSTICK_WORDS << 8 | 8 << 16 |
                                                               (uint64_t)4096 << 32,
                                                           KT_GEN_ORIGIN,
                                                           3000 | (uint64_t)4000 << 32,
                                                           2500,
                                                           1000,
                                                           2};
    int gemm = kt_gen_entry(&gen, "dgemm", KT_FORTRAN);
    for (uint64_t i = 0; i < 6; i++) {
        add_call(7, gemm, 0, i * 100, 50, "N T 3 4 5 1 0x1000 3 0x2000 4 0 0x3000 3");
        kt_gen_more(&gen, 7,
                    &(struct kt_gen_more){
                        .migrated = i == 3, .faults = 2, .counters = 2, .counter = {i, i == 4 ? UINT64_MAX : 100}});
        kt_gen_event(&gen, 7, i % 2 ? leave : enter, KT_REGION_WORDS);
        if (i % 3 == 0)
            kt_gen_event(&gen, 7, yardstick, KT_YARDSTICK_WORDS);
        if (i == 2)
            kt_gen_next_chunk(&gen, 7);
    }
}

/* Nested calls are recorded in one outermost call in three, and counted in the others. */
static void make_sampled(void)
{
    int gesv = kt_gen_entry(&gen, "dgesv", KT_FORTRAN);
    int dot = kt_gen_entry(&gen, "ddot", KT_FORTRAN);
    kt_gen_nested(&gen, "sample");
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t tid = i % 2 ? 7 : 9;
        if (i % 3 == 0)
            kt_gen_inside(&gen, tid, i < 2 ? KT_INSIDE_ONE : 64 * KT_INSIDE_ONE);
        add_call(tid, gesv, 0, i * 10000, 9000, "9 2 0x1000 9 0x2000 0x3000 9 0");
        kt_gen_more(&gen, tid, &(struct kt_gen_more){.passed = i % 3 ? 2 * i : 0});
        if (i % 3 == 0)
            add_call(tid, dot, 1, i * 10000 + 1000, 3000, "5 0x1000 1 0x2000 -2");
    }
}

static void make(int which)
{
    kt_gen_begin(&gen, "trace/routines", 42);
    gen.chunk_bytes = which == 1 || which == 5 ? 512 : 2048;
    if (which == 3)
        make_counted();
    else if (which == 4)
        make_small();
    else if (which == 5)
        make_sampled();
    else
        make_nested(which == 2 ? 2 : 8);
    kt_gen_end(&gen, which == 0 || which >= 4);
    if (which == 3) {
        kt_gen_append(&gen, "definitions", counters, sizeof counters - 1);
        kt_gen_append(&gen, "meta", processors, sizeof processors - 1);
    }
}

/* --- stores ------------------------------------------------------------------------------------------------- */

/* As tests/fuzz/store.c has them. */
static void put_record(int place, int type, const void *bytes, size_t size)
{
    unsigned char head[4] = {(unsigned char)place, (unsigned char)type, (unsigned char)size,
                             (unsigned char)(size >> 8)};
    fwrite(head, 1, sizeof head, stdout);
    fwrite(bytes, 1, size, stdout);
}

static struct kt_series make_series(void)
{
    struct kt_series series = {0};
    for (unsigned i = 0; i < 3; i++)
        kt_series_add(&series, i, (const double[]){1e-6, 2e-6 + i}, 2);
    kt_series_leave_out(&series, (const double[]){1e-6, 2e-6, 3e-6}, 2, 3);
    return series;
}

struct facts {
    struct kt_hello hello;
    struct kt_hierarchy hierarchy;
    struct kt_peaks peaks;
    struct kt_placements_of_shape placed[3];
};

static const struct facts facts = {
    .hello = {.version = "a library", .flush_effect = 12, .processor = 1},
    .hierarchy = {.caches = {.cache = {{30000, 1}, {1 << 20, 1}, {1 << 24, 2}}, .count = 3, .line = 64},
                  .last_bytes = 1 << 25,
                  .sweep = {{.bytes = 65536, .resident = 4, .evicted = 10, .doubt = "a doubt"}}},
    .peaks = {.threads = 1, .flops = {6e10, 3e10}, .level = {{32768, 1e11, 5e10, 1e11}}, .seconds = 1},
    .placed = {{.placement = {{.share = {{0.5, 0.5}, {0, 1}}, .weight = 1}}, .count = 1}},
};

static void put_cells(void)
{
    struct kt_series series = make_series();
    double at[2] = {20, 1.7e9};
    size_t size;
    void *placed = kt_placements_pack(facts.placed, 3, &size);
    put_record(0, SQLITE_TEXT, "converged", 9);
    put_record(1, SQLITE_FLOAT, &at[0], 8);
    put_record(2, SQLITE_FLOAT, &at[1], 8);
    put_record(3, SQLITE_TEXT, "!it crashed", 11);
    put_record(4, SQLITE_BLOB, &series, sizeof series);
    put_record(5, SQLITE_BLOB, series.sample, series.samples * sizeof *series.sample);
    put_record(6, SQLITE_BLOB, series.visit, series.visits * sizeof *series.visit);
    put_record(7, SQLITE_BLOB, series.round, series.visits * sizeof *series.round);
    put_record(8, SQLITE_BLOB, series.whole, series.visits * sizeof *series.whole);
    put_record(9, SQLITE_BLOB, series.left, series.lefts * sizeof *series.left);
    put_record(10, SQLITE_BLOB, &facts.hello, sizeof facts.hello);
    put_record(11, SQLITE_BLOB, &facts.hierarchy, sizeof facts.hierarchy);
    put_record(12, SQLITE_BLOB, &facts.peaks, sizeof facts.peaks);
    put_record(13, SQLITE_BLOB, placed, size);
    put_record(14, SQLITE_BLOB, (char[144]){0, 0, 0, 0, 'w', 'h', 'y'}, 144);
    put_record(15, SQLITE_BLOB, (double[]){1e-6, 0, 2e-6}, 24);
    kt_series_forget(&series);
    free(placed);
}

static int put_database(const char *path)
{
    static const struct kt_store_key key = {"s", "h", "c"};
    struct kt_error error = {0};
    struct kt_series series = make_series();
    struct kt_store_note note = {.stop = KT_STOP_CONVERGED, .budget = 20, .at = 1.7e9};
    struct kt_store *store = kt_store_open(path, &error);
    if (!store || kt_store_begin(store, true, &error) != KT_OK ||
        kt_store_write(store, &key, &series, &note, false, &error) != KT_OK ||
        kt_store_set_fact(store, key.setting, "hello", &facts.hello, sizeof facts.hello, &error) != KT_OK ||
        kt_store_commit(store, &error) != KT_OK)
        return 1;
    kt_store_close(store);
    kt_series_forget(&series);
    return 0;
}

int main(int argc, char **argv)
{
    static unsigned char out[1 << 25];
    if (argc == 2 && !strcmp(argv[1], "-s")) {
        put_cells();
        return 0;
    }
    if (argc == 3 && !strcmp(argv[1], "-d"))
        return put_database(argv[2]);
    bool synthetic = argc == 3 && !strcmp(argv[1], "-g");
    if (argc != 2 && !synthetic)
        return 2;
    if (synthetic)
        make(atoi(argv[2]));
    pack(synthetic ? gen.process : argv[1]);
    if (synthetic)
        kt_gen_remove(&gen);
    size_t size = kt_input_write(&input, out, sizeof out);
    return fwrite(out, 1, size, stdout) == size && size > KT_INPUT_HEAD ? 0 : 1;
}
