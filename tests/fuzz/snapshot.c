/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damaged snapshots: an input is that of a trace (input.h) whose last file is a snapshot. What of it is taken is used
 * as a replay uses it.
 */
#include "trace/shape/snapshots.h"

#include "replay/call/held.h"
#include "tests/fuzz/base.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"
#include "trace/base/memory.h"

#include <stdio.h>

enum { SNAPSHOT = KT_INPUT_FILES - 1, MOST_OPERAND = 1 << 16, FRONT = 320 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

/* That file alone, as the process finds it. */
static struct kt_files *file_of(const struct kt_blocks *blocks)
{
    struct kt_files *files = kt_files_new("input");
    kt_files_add(files, "p42/o1", blocks->block[SNAPSHOT], blocks->input.file[SNAPSHOT].size);
    kt_files_sort(files);
    return files;
}

/* Into memory of exactly the operand's size. */
static void fill(const struct kt_snapshot *s, struct kt_operand *operand, int i)
{
    struct kt_operand *o = &operand[i];
    if (o->hi <= o->lo || o->hi - o->lo > MOST_OPERAND)
        return;
    struct kt_operand was = *o;
    unsigned char *block = kt_resize(NULL, o->hi - o->lo, 1);
    uint64_t shift = (uint64_t)block - o->lo;
    o->base += shift;
    o->lo += shift;
    o->hi += shift;
    kt_held_fill(s, operand, i);
    *o = was;
    free(block);
}

static void use(const struct kt_snapshots *snapshots, const struct kt_snapshot *s)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    char text[61];
    const struct kt_entry *entry = s->call.entry;
    kt_values_decode(&entry->symbol, s->call.args, &values);
    int count = kt_operands(&entry->symbol, &values, entry->int_bytes, operand);
    volatile uint64_t sum = kt_held_number(s);
    for (int p = 0; p < entry->symbol.params; p++) {
        uint64_t bytes;
        const unsigned char *contents = kt_snapshot_contents(s, &entry->symbol.param[p], &bytes);
        for (uint64_t k = 0; contents && k < bytes; k++)
            sum += contents[k];
    }
    (void)sum;
    kt_shape_text(&s->call, text, sizeof text - 1);
    if (kt_held_of_call(snapshots, &s->call))
        for (int i = 0; i < count; i++)
            fill(s, operand, i);
}

static void look(const struct kt_trace *trace)
{
    struct kt_snapshots snapshots;
    kt_snapshots_survey(trace, &snapshots);
    size_t count = snapshots.count;
    kt_snapshots_free(&snapshots);
    kt_snapshots_load(trace, &snapshots);
    if (snapshots.count != count || snapshots.count + snapshots.damaged > trace->processes)
        abort();
    for (size_t i = 0; i < count; i++)
        use(&snapshots, &snapshots.snapshot[i]);
    kt_snapshots_free(&snapshots);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kt_blocks blocks;
    if (!kt_blocks_take(data, size, &blocks))
        return 0;
    struct kt_trace *trace = kt_base_of(&blocks);
    if (trace) {
        struct kt_files *file = file_of(&blocks);
        const struct kt_files *own = trace->process[0].files;
        trace->process[0].files = file;
        look(trace);
        trace->process[0].files = own;
        kt_files_close(file);
    }
    kt_blocks_drop(&blocks);
    return 0;
}

/* A field of the head, a word of the arguments or of an operand: near what it was, near a limit, near the end. */
static size_t change_word(unsigned char *bytes, size_t size, size_t room, uint64_t *random)
{
    size_t front = size < FRONT ? size : FRONT;
    size_t width = kt_draw(random, 2) ? 8 : 4;
    uint64_t value = 0;
    if (front < 8 || kt_draw(random, 6) == 0)
        return kt_mutate_bytes(bytes, size, room, random);
    unsigned char *at = bytes + kt_draw(random, front / width) * width;
    memcpy(&value, at, width);
    switch (kt_draw(random, 3)) {
    case 0:
        value += kt_draw(random, 33) - 16;
        break;
    case 1:
        value = kt_mutate_limit(random);
        break;
    default:
        value = size - kt_draw(random, 33) / 8 * 8;
    }
    memcpy(at, &value, width);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u | 1;
    return kt_mutate_file(data, size, room, &random, SNAPSHOT, change_word);
}
