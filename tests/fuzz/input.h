/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the fuzzers feed the tools with: a trace of one process in one block of bytes.
 *
 *     input = how choice missing 0 size[6] file[6]
 *
 * four bytes, the sizes of the files in 32 bits each, little endian, and their contents in the order of
 * kt_input_names. HOW says what is done with the trace, CHOICE what exactly; bit i of MISSING: file i is not there. Any
 * block of bytes is an input: a size that goes beyond the end is cut.
 */
#ifndef KT_FUZZ_INPUT_H
#define KT_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KT_INPUT_FILES = 6, KT_INPUT_HEAD = 4 + 4 * KT_INPUT_FILES, KT_INPUT_TEXTS = 3 /* the first ones */ };

extern const char *const kt_input_names[KT_INPUT_FILES]; /* in the directory of the process */

struct kt_input_file {
    const unsigned char *bytes;
    size_t size;
};

struct kt_input {
    unsigned how, choice, missing;
    struct kt_input_file file[KT_INPUT_FILES];
};

/* Points into DATA. False if it is too short to be one. */
bool kt_input_parse(const unsigned char *data, size_t size, struct kt_input *out);

/* Bytes written, or 0 if they do not fit into ROOM. DATA must not be what the files point into. */
size_t kt_input_write(const struct kt_input *input, unsigned char *data, size_t room);

#endif
