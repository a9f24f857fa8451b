/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/base.h"

#include "trace/base/memory.h"

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

struct kt_trace *kt_base_of(const struct kt_blocks *blocks)
{
    struct base *base = NULL;
    for (size_t i = 0; i < KEPT && !base; i++)
        base = is_of(&kept[i], &blocks->input) ? &kept[i] : NULL;
    if (!base) {
        base = &kept[bases++ % KEPT];
        forget(base);
        make(base, blocks);
    }
    return base->usable ? &base->trace : NULL;
}
