/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/memory.h"

#include "trace/base/memory.h"

#include <stdio.h>

bool kt_blocks_take(const unsigned char *data, size_t size, struct kt_blocks *out)
{
    if (!kt_input_parse(data, size, &out->input))
        return false;
    for (int i = 0; i < KT_INPUT_FILES; i++) {
        const struct kt_input_file *file = &out->input.file[i];
        out->block[i] = malloc(file->size);
        if (file->size)
            memcpy(out->block[i], file->bytes, file->size);
    }
    return true;
}

void kt_blocks_drop(struct kt_blocks *blocks)
{
    for (int i = 0; i < KT_INPUT_FILES; i++)
        free(blocks->block[i]);
}

bool kt_blocks_have(const struct kt_blocks *blocks, int file)
{
    return !(blocks->input.missing >> file & 1);
}

struct kt_files *kt_blocks_files(const struct kt_blocks *blocks, const char *path, int first, int last)
{
    struct kt_files *files = kt_files_new(path);
    for (int i = first; i <= last; i++) {
        char name[32];
        size_t size = blocks->input.file[i].size;
        snprintf(name, sizeof name, "p42/%s", kt_input_names[i]);
        if (kt_blocks_have(blocks, i))
            kt_files_add(files, name, size ? blocks->block[i] : NULL, size);
    }
    kt_files_sort(files);
    return files;
}
