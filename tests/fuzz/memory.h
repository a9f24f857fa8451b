/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of an input, each in a block of exactly its size, so that a sanitizer sees every access behind it.
 */
#ifndef KT_FUZZ_MEMORY_H
#define KT_FUZZ_MEMORY_H

#include "tests/fuzz/input.h"
#include "trace/files/files.h"

struct kt_blocks {
    struct kt_input input;
    unsigned char *block[KT_INPUT_FILES];
};

/* False if it is too short to be an input; nothing is to be dropped then. */
bool kt_blocks_take(const unsigned char *data, size_t size, struct kt_blocks *out);
void kt_blocks_drop(struct kt_blocks *blocks);
bool kt_blocks_have(const struct kt_blocks *blocks, int file);

/* Files FIRST to LAST of them as those of a process of a trace. The blocks must stay. */
struct kt_files *kt_blocks_files(const struct kt_blocks *blocks, const char *path, int first, int last);

#endif
