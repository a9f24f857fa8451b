/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/input.h"

#include <string.h>

const char *const kt_input_names[KT_INPUT_FILES] = {"meta", "definitions", "end", "t7", "t9", "s7"};

bool kt_input_parse(const unsigned char *data, size_t size, struct kt_input *out)
{
    size_t at = KT_INPUT_HEAD;
    if (size < KT_INPUT_HEAD)
        return false;
    *out = (struct kt_input){.how = data[0], .choice = data[1], .missing = data[2]};
    for (int i = 0; i < KT_INPUT_FILES; i++) {
        uint32_t bytes;
        memcpy(&bytes, data + 4 + 4 * i, sizeof bytes);
        if (bytes > size - at)
            bytes = (uint32_t)(size - at);
        out->file[i] = (struct kt_input_file){data + at, bytes};
        at += bytes;
    }
    return true;
}

size_t kt_input_write(const struct kt_input *input, unsigned char *data, size_t room)
{
    size_t at = KT_INPUT_HEAD;
    for (int i = 0; i < KT_INPUT_FILES; i++)
        at += input->file[i].size;
    if (at > room)
        return 0;
    data[0] = (unsigned char)input->how;
    data[1] = (unsigned char)input->choice;
    data[2] = (unsigned char)input->missing;
    data[3] = 0;
    at = KT_INPUT_HEAD;
    for (int i = 0; i < KT_INPUT_FILES; i++) {
        uint32_t bytes = (uint32_t)input->file[i].size;
        memcpy(data + 4 + 4 * i, &bytes, sizeof bytes);
        if (bytes)
            memcpy(data + at, input->file[i].bytes, bytes);
        at += bytes;
    }
    return at;
}
