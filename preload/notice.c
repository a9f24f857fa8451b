/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/notice.h"

#include "preload/file.h"
#include "preload/line.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const *is_quiet; /* the text of the option */

static struct stat standard_error; /* what descriptor 2 was at the start */

void kt_notice_start(const char *const *quiet)
{
    is_quiet = quiet;
    if (fstat(STDERR_FILENO, &standard_error) != 0)
        standard_error = (struct stat){0};
}

/* A program that closed descriptor 2 may have opened a file of its own there. */
static bool is_standard_error_ours(void)
{
    struct stat now;
    return fstat(STDERR_FILENO, &now) == 0 && now.st_dev == standard_error.st_dev &&
           now.st_ino == standard_error.st_ino;
}

void kt_notice(const char *a, const char *b, const char *c)
{
    static struct kt_line line; /* one at a time */
    if (**is_quiet == '1' || !is_standard_error_ours())
        return;
    line.length = 0;
    kt_line_raw(&line, "ktrace: ");
    kt_line_plain(&line, a);
    kt_line_plain(&line, b);
    kt_line_plain(&line, c);
    kt_line_raw(&line, "\n");
    kt_file_write(STDERR_FILENO, line.text, line.length);
}
