/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/file_path.h"

#include "preload/line.h"
#include "preload/recorder.h"

#include <string.h>

/* Formatted print would take 4 KB of stack in programs that have formats of their own, such as Fortran's. */
void kt_file_path_in(const char *directory, char out[PATH_MAX], const char *name, uint64_t number, unsigned suffix)
{
    static struct kt_line line; /* as this is within a slow path; programs have threads with small stacks */
    line.length = 0;
    kt_line_raw(&line, directory);
    kt_line_raw(&line, "/");
    kt_line_raw(&line, name);
    if (number)
        kt_line_unsigned(&line, number, 10);
    if (suffix) {
        kt_line_raw(&line, ".");
        kt_line_unsigned(&line, suffix, 10);
    }
    size_t length = line.length < PATH_MAX ? line.length : PATH_MAX - 1;
    memcpy(out, line.text, length);
    out[length] = '\0';
}

void kt_file_path(char out[PATH_MAX], const char *name, uint64_t number, unsigned suffix)
{
    kt_file_path_in(kt_recorder.directory, out, name, number, suffix);
}
