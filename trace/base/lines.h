/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text files of a trace: lines of fields separated by tabs, with \xHH for every byte that could disturb that.
 */
#ifndef KT_LINES_H
#define KT_LINES_H

#include "trace/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct kt_lines {
    char *text; /* owned */
    size_t bytes;
    size_t at;  /* start of the next line */
    int number; /* of the line returned last, from 1 */
};

/* The first line of a file without its newline; "" and false: there is none. */
bool kt_lines_first(const char *path, char *out, size_t size);

/* Reads a whole file. A missing one is KT_BAD_INPUT, one that cannot be read KT_SYSTEM. */
enum kt_status kt_lines_load(const char *path, struct kt_lines *out, struct kt_error *error);
/* Copies the contents of a file; PATH is for messages. */
enum kt_status kt_lines_take(const char *path, const void *bytes, size_t size, struct kt_lines *out,
                             struct kt_error *error);
void kt_lines_free(struct kt_lines *lines);

/* The next line without its newline, or NULL. A last line without one is not returned: its writing was cut short. */
char *kt_lines_next(struct kt_lines *lines);

/* True if text follows the last line that kt_lines_next returned. */
bool kt_lines_left(const struct kt_lines *lines);

/* Splits a line in place at its first MAX - 1 tabs; returns how many fields there are. */
size_t kt_lines_split(char *line, char **field, size_t max);

/* Replaces \xHH by the byte, in place; returns TEXT. */
char *kt_unescape(char *text);

#endif
