/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damages a good trace at random and reads what is left of it, arguments, operands and JSON included. Meant to be built
 * with -fsanitize=address,undefined; the same arguments always do the same.
 *
 *     fuzz_reader [ITERATIONS [SEED]]
 */
#include "tests/tracegen.h"
#include "trace/json.h"
#include "trace/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const file_names[] = {"meta", "definitions", "end", "t7", "t9"};

enum { FILES = sizeof file_names / sizeof *file_names, MAX_EXTENSION = 9000 };

struct file {
    unsigned char *bytes; /* undamaged */
    size_t size;
};

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random % below;
}

/* --- the good trace ---------------------------------------------------------------------------------------- */

static void make_trace(struct kt_gen *gen)
{
    kt_gen_begin(gen, "trace/routines", 42);
    int gesv = kt_gen_entry(gen, "dgesv", KT_FORTRAN);
    int gemm = kt_gen_entry(gen, "zgemm", KT_CBLAS);
    int dot = kt_gen_entry(gen, "cdotc", KT_CBLAS);
    int band = kt_gen_entry(gen, "dtbmv", KT_FORTRAN);
    int packed = kt_gen_entry(gen, "chpmv", KT_CBLAS);
    for (uint64_t i = 0; i < 40; i++) {
        uint32_t tid = i % 3 ? 7 : 9;
        uint64_t at = i * 10000;
        kt_gen_call(gen, &(struct kt_gen_call){tid, gesv, 0, at, 9000, "9 2 0x1000 9 0x2000 0x3000 9 0"});
        kt_gen_call(gen, &(struct kt_gen_call){tid, gemm, 1, at + 1000, 3000,
                                               "102 111 112 2 3 4 1,0 0x1000 4 0x2000 4 0,0 0x3000 3"});
        kt_gen_call(gen, &(struct kt_gen_call){tid, dot, 2, at + 2000, 1000, "5 0x1000 1 0x2000 -2 0x7000"});
        kt_gen_call(gen, &(struct kt_gen_call){tid, band, 1, at + 5000, 1000, "U N U 9 2 0x1000 3 0x2000 1"});
        kt_gen_call(gen, &(struct kt_gen_call){tid, packed, 1, at + 7000, i == 39 ? 0 : 1000,
                                               "101 122 7 1,2 0x1000 0x2000 1 0,0 0x3000 1"});
    }
    kt_gen_end(gen, true);
}

/* --- damage ------------------------------------------------------------------------------------------------ */

/* Numbers near limits do more harm than random bytes. */
static void hurt(unsigned char *bytes, size_t size, uint64_t *random)
{
    static const uint64_t limits[] = {
        0, 1, 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX, 1u << 16, 4096};
    size_t at = draw(random, size);
    uint64_t limit = limits[draw(random, sizeof limits / sizeof *limits)];
    size_t width = (size_t)1 << draw(random, 4);
    if (draw(random, 3) == 0 && size >= 8) {
        at = at / 8 * 8;
        memcpy(bytes + at, &limit, width < size - at ? width : size - at);
    } else if (draw(random, 2)) {
        bytes[at] ^= (unsigned char)(1u << draw(random, 8));
    } else {
        bytes[at] = (unsigned char)draw(random, 256);
    }
}

static void write_damaged(const struct kt_gen *gen, const char *name, const struct file *good, uint64_t *random)
{
    size_t size = good->size;
    unsigned char *bytes = calloc(1, size + MAX_EXTENSION);
    if (!bytes)
        abort();
    memcpy(bytes, good->bytes, size);
    if (draw(random, 8) == 0)
        size = draw(random, size + 1);
    else if (draw(random, 8) == 0)
        size += draw(random, MAX_EXTENSION);
    for (uint64_t hurts = size ? draw(random, 6) : 0; hurts > 0; hurts--)
        hurt(bytes, size, random);
    kt_gen_cut(gen, name, 0);
    kt_gen_append(gen, name, bytes, size);
    free(bytes);
}

static void damage(const struct kt_gen *gen, const struct file *good, uint64_t *random)
{
    size_t chosen = draw(random, FILES);
    for (size_t i = 0; i < FILES; i++)
        if (i == chosen || draw(random, 4) == 0)
            write_damaged(gen, file_names[i], &good[i], random);
}

static void repair(const struct kt_gen *gen, const struct file *good)
{
    for (size_t i = 0; i < FILES; i++) {
        kt_gen_cut(gen, file_names[i], 0);
        kt_gen_append(gen, file_names[i], good[i].bytes, good[i].size);
    }
}

/* --- reading ----------------------------------------------------------------------------------------------- */

static void look_at(const struct kt_call *call)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    char text[61];
    int64_t info;
    const struct kt_entry *entry = call->entry;
    kt_values_decode(&entry->symbol, call->args, &values);
    int count = kt_operands(&entry->symbol, &values, (size_t)entry->int_bytes, operand);
    (void)(kt_bytes(operand, count) + kt_flops(entry->symbol.routine, &values));
    kt_shape_text(call, text, sizeof text - 1);
    kt_call_info(call, &info);
    kt_object_at(call->process, call->record->caller);
    json_decref(kt_json_args(call, true));
}

/* Returns how many calls could be read. */
static uint64_t read_trace(const char *path)
{
    struct kt_trace trace;
    struct kt_error error = {0};
    struct kt_cursor cursor;
    struct kt_call call;
    struct kt_shapes shapes;
    struct kt_state state = {0};
    if (kt_trace_open(path, &trace, &error) == KT_OK) {
        kt_cursor_begin(&trace, &cursor);
        while (kt_cursor_next(&cursor, &call))
            look_at(&call);
        kt_state_find(&trace, &state);
        for (int level = KT_OUTERMOST; level <= KT_LEAVES; level++) {
            kt_shapes_collect(&trace, (enum kt_level)level, &shapes);
            kt_shapes_free(&shapes);
        }
    } else if (error.status == KT_OK || !*error.text) {
        abort();
    }
    uint64_t calls = state.calls;
    kt_state_free(&state);
    kt_trace_close(&trace);
    return calls;
}

int main(int argc, char **argv)
{
    uint64_t iterations = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    uint64_t random = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * 0x9e3779b97f4a7c15u | 1;
    uint64_t calls = 0;
    struct kt_gen gen;
    struct file good[FILES];
    make_trace(&gen);
    for (size_t i = 0; i < FILES; i++)
        good[i].bytes = kt_gen_read(gen.process, file_names[i], &good[i].size);
    for (uint64_t i = 0; i < iterations; i++) {
        damage(&gen, good, &random);
        calls += read_trace(gen.trace);
        repair(&gen, good);
    }
    uint64_t whole = read_trace(gen.trace);
    printf("%" PRIu64 " damaged traces, %" PRIu64 " calls read; %" PRIu64 " in the whole one\n", iterations, calls,
           whole);
    for (size_t i = 0; i < FILES; i++)
        free(good[i].bytes);
    kt_gen_remove(&gen);
    return whole == 200 ? 0 : 1;
}
