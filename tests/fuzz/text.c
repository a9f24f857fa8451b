/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damaged text files: what is left of the trace is opened and looked at as a whole. The streams are there so that
 * damaged definitions are used.
 */
#include "tests/fuzz/look.h"
#include "tests/fuzz/memory.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kt_blocks blocks;
    struct kt_trace trace;
    struct kt_error error = {0};
    if (!kt_blocks_take(data, size, &blocks))
        return 0;
    enum kt_status status =
        kt_trace_open_files(kt_blocks_files(&blocks, "input", 0, KT_INPUT_FILES - 1), "input", &trace, &error);
    if (status == KT_OK)
        kt_look_at(&trace);
    else if (status != error.status || !*error.text || strchr(error.text, '\n'))
        abort(); /* one clear line */
    kt_trace_close(&trace);
    kt_blocks_drop(&blocks);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    return kt_mutate_input(data, size, room, seed, 0, KT_INPUT_TEXTS - 1);
}
