/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes inputs of the fuzzers of traces: of a process in a trace, or of a small synthetic one. Files that the process
 * has under other names get those of tests/fuzz/input.c, and zeros at their end are left out.
 *
 *     seed PROCESS_DIRECTORY >INPUT
 *     seed -g 0|1|2|3|4|5 >INPUT
 */
#include "tests/fuzz/input.h"
#include "tests/tracegen.h"
#include "trace/memory.h"

#include <ctype.h>
#include <dirent.h>
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
    return *name == 's' ? KT_INPUT_FILES - 1 : -1;
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

/* Counters, a change of the processor, regions. */
static void make_counted(void)
{
    static const uint64_t enter[] = {KT_EVENT_REGION | KT_REGION_WORDS << 8 | 1 << 16, KT_GEN_ORIGIN};
    static const uint64_t leave[] = {KT_EVENT_REGION | KT_REGION_WORDS << 8, KT_GEN_ORIGIN + 5};
    int gemm = kt_gen_entry(&gen, "dgemm", KT_FORTRAN);
    for (uint64_t i = 0; i < 6; i++) {
        add_call(7, gemm, 0, i * 100, 50, "N T 3 4 5 1 0x1000 3 0x2000 4 0 0x3000 3");
        kt_gen_more(&gen, 7,
                    &(struct kt_gen_more){
                        .migrated = i == 3, .faults = 2, .counters = 2, .counter = {i, i == 4 ? UINT64_MAX : 100}});
        kt_gen_event(&gen, 7, i % 2 ? leave : enter, KT_REGION_WORDS);
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
    if (which == 3)
        kt_gen_append(&gen, "definitions", counters, sizeof counters - 1);
}

int main(int argc, char **argv)
{
    static unsigned char out[1 << 25];
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
