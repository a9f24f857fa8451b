/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damaged streams and profiles (tests/fuzz/profile.c: profiles alone). The text files of an input stay as
 * they are (base.h).
 */
#include "trace/read/stream.h"

#include "tests/fuzz/base.h"
#include "tests/fuzz/look.h"
#include "tests/fuzz/memory.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"
#include "trace/base/memory.h"
#include "trace/read/profile_file.h"

#ifndef FIRST_CHANGED
#define FIRST_CHANGED KT_INPUT_TEXTS
#endif

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

static void add_stream(struct kt_trace *trace, const struct kt_blocks *blocks, int file)
{
    struct kt_process *p = &trace->process[0];
    struct kt_stream *s = &p->stream[p->streams++];
    size_t size = blocks->input.file[file].size;
    *s = (struct kt_stream){.path = kt_copy(kt_input_names[file]), .size = size, .borrowed = true};
    s->bytes = size ? blocks->block[file] : NULL;
    s->tid = (uint32_t)atoi(kt_input_names[file] + 1);
    if (*kt_input_names[file] == 's') {
        kt_profile_check(s, p, trace);
    } else {
        kt_stream_check(s, p, trace);
        p->events++;
    }
}

static void drop_streams(struct kt_trace *trace, size_t notes)
{
    struct kt_process *p = &trace->process[0];
    for (size_t i = 0; i < p->streams; i++)
        kt_stream_free(&p->stream[i]);
    p->streams = p->events = 0;
    while (trace->notes > notes)
        free(trace->note[--trace->notes]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kt_blocks blocks;
    struct kt_stream streams[KT_INPUT_FILES];
    if (!kt_blocks_take(data, size, &blocks))
        return 0;
    struct kt_trace *trace = kt_base_of(&blocks);
    if (trace) {
        struct kt_process *p = &trace->process[0];
        struct kt_stream *own = p->stream;
        size_t notes = trace->notes;
        p->stream = streams;
        for (int i = KT_INPUT_TEXTS; i < KT_INPUT_FILES; i++)
            if (kt_blocks_have(&blocks, i))
                add_stream(trace, &blocks, i);
        kt_look_at(trace);
        drop_streams(trace, notes);
        p->stream = own;
    }
    kt_blocks_drop(&blocks);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    return kt_mutate_input(data, size, room, seed, FIRST_CHANGED, KT_INPUT_FILES - 1);
}
