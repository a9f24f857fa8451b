/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damaged streams and profiles. The text files of an input stay as they are, and what was read of them is kept from one
 * input to the next, so that most of the time goes into streams.
 */
#include "trace/stream.h"

#include "tests/fuzz/look.h"
#include "tests/fuzz/memory.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"
#include "trace/memory.h"
#include "trace/profile_file.h"

enum { KEPT = 32 };

/* A trace without streams, and the text files it was made of. */
static struct base {
    unsigned char *bytes;
    size_t size;
    unsigned missing;
    struct kt_trace trace;
    bool usable;
} kept[KEPT];
static size_t bases;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

/* Text files follow each other in an input. */
static size_t text_bytes(const struct kt_input *input)
{
    size_t size = 0;
    for (int i = 0; i < KT_INPUT_TEXTS; i++)
        size += input->file[i].size;
    return size;
}

static bool is_of(const struct base *base, const struct kt_input *input)
{
    unsigned missing = input->missing & ((1u << KT_INPUT_TEXTS) - 1);
    return base->bytes && base->missing == missing && base->size == text_bytes(input) &&
           memcmp(base->bytes, input->file[0].bytes, base->size) == 0;
}

static void forget(struct base *base)
{
    if (base->bytes)
        kt_trace_close(&base->trace);
    free(base->bytes);
    *base = (struct base){0};
}

static void make(struct base *base, const struct kt_blocks *blocks)
{
    struct kt_error error = {0};
    const struct kt_input *input = &blocks->input;
    base->size = text_bytes(input);
    base->missing = input->missing & ((1u << KT_INPUT_TEXTS) - 1);
    base->bytes = memcpy(kt_resize(NULL, base->size, 1), input->file[0].bytes, base->size);
    struct kt_files *files = kt_blocks_files(blocks, "input", 0, KT_INPUT_TEXTS - 1);
    base->usable = kt_trace_open_files(files, "input", &base->trace, &error) == KT_OK && base->trace.processes;
}

static struct base *base_of(const struct kt_blocks *blocks)
{
    for (size_t i = 0; i < KEPT; i++)
        if (is_of(&kept[i], &blocks->input))
            return &kept[i];
    struct base *base = &kept[bases++ % KEPT];
    forget(base);
    make(base, blocks);
    return base;
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
    struct base *base = base_of(&blocks);
    if (base->usable) {
        struct kt_process *p = &base->trace.process[0];
        struct kt_stream *own = p->stream;
        size_t notes = base->trace.notes;
        p->stream = streams;
        for (int i = KT_INPUT_TEXTS; i < KT_INPUT_FILES; i++)
            if (kt_blocks_have(&blocks, i))
                add_stream(&base->trace, &blocks, i);
        kt_look_at(&base->trace);
        drop_streams(&base->trace, notes);
        p->stream = own;
    }
    kt_blocks_drop(&blocks);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    return kt_mutate_input(data, size, room, seed, KT_INPUT_TEXTS, KT_INPUT_FILES - 1);
}
