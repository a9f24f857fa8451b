/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/settings.h"

#include "ktrace/options.h"
#include "preload/line.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

enum { OPTION_BYTES = 4 * PATH_MAX };

struct kt_options kt_option;
char kt_trace[PATH_MAX];
char kt_program[PATH_MAX];

static struct stat standard_error; /* what descriptor 2 was at the start */

/* A program that closed descriptor 2 may have opened a file of its own there. */
static bool is_standard_error_ours(void)
{
    struct stat now;
    return fstat(STDERR_FILENO, &now) == 0 && now.st_dev == standard_error.st_dev &&
           now.st_ino == standard_error.st_ino;
}

void kt_notice(const char *a, const char *b, const char *c)
{
    static struct kt_line line; /* at the start or within a slow path: one at a time */
    if (*kt_option.QUIET == '1' || !is_standard_error_ours())
        return;
    line.length = 0;
    kt_line_raw(&line, "ktrace: ");
    kt_line_raw(&line, a);
    kt_line_raw(&line, b);
    kt_line_raw(&line, c);
    kt_line_raw(&line, "\n");
    kt_write_all(STDERR_FILENO, line.text, line.length);
}

static bool is_option_name(const char *name, size_t length)
{
#define KT_OPTION_NAME(option_name, type, fallback, text)                         \
    if (length == sizeof #option_name - 1 && !memcmp(name, #option_name, length)) \
        return true;
    KT_OPTIONS(KT_OPTION_NAME)
#undef KT_OPTION_NAME
    return false;
}

void kt_warn_of_unknown_options(void)
{
    for (char **variable = environ; variable && *variable; variable++) {
        if (strncmp(*variable, "KTRACE_", 7) != 0)
            continue;
        size_t length = strcspn(*variable + 7, "=");
        char name[64];
        if (is_option_name(*variable + 7, length) || length >= sizeof name)
            continue;
        memcpy(name, *variable + 7, length);
        name[length] = '\0';
        kt_notice("unknown variable KTRACE_", name, " is ignored (ktrace env lists them all)");
    }
}

/* A copy, as programs that set their title overwrite the environment in place. */
static const char *option_value(const char *variable, const char *fallback)
{
    static char values[OPTION_BYTES];
    static size_t used;
    const char *value = getenv(variable);
    size_t bytes = value ? strlen(value) + 1 : 0;
    if (bytes <= 1 || bytes > sizeof values - used)
        return fallback;
    char *copy = memcpy(values + used, value, bytes);
    used += bytes;
    return copy;
}

void kt_read_options(void)
{
#define KT_OPTION_READ(name, type, fallback, text) kt_option.name = option_value("KTRACE_" #name, fallback);
    KT_OPTIONS(KT_OPTION_READ)
#undef KT_OPTION_READ
    if (fstat(STDERR_FILENO, &standard_error) != 0)
        standard_error = (struct stat){0};
    ssize_t length = readlink("/proc/self/exe", kt_program, sizeof kt_program - 1);
    kt_program[length > 0 ? length : 0] = '\0';
}

static const char *program_name(void)
{
    const char *slash = strrchr(kt_program, '/');
    return slash ? slash + 1 : kt_program;
}

bool kt_is_program_selected(void)
{
    const char *patterns = kt_option.PROGRAMS;
    while (*patterns) {
        size_t length = strcspn(patterns, ",");
        char pattern[256];
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, patterns);
        if (fnmatch(pattern, program_name(), 0) == 0)
            return true;
        patterns += length + (patterns[length] == ',');
    }
    return false;
}

static void append(char *out, const char *text)
{
    size_t used = strlen(out);
    snprintf(out + used, PATH_MAX - used, "%s", text);
}

static void append_escape(char *out, char which)
{
    char text[256] = "%";
    if (which == 'p')
        snprintf(text, sizeof text, "%ld", (long)getpid());
    if (which == 'h')
        gethostname(text, sizeof text - 1);
    append(out, which == 'x' ? program_name() : text);
}

void kt_expand_trace_path(void)
{
    kt_trace[0] = '\0';
    if (*kt_option.OUT != '/') {
        if (!getcwd(kt_trace, sizeof kt_trace))
            kt_trace[0] = '\0';
        append(kt_trace, "/");
    }
    for (const char *c = kt_option.OUT; *c; c++) {
        char letter[2] = {*c, '\0'};
        if (*c == '%' && c[1])
            append_escape(kt_trace, *++c);
        else
            append(kt_trace, letter);
    }
}

const char *kt_short_trace_path(void)
{
    static char cwd[PATH_MAX];
    if (!getcwd(cwd, sizeof cwd))
        return kt_trace;
    size_t length = strlen(cwd);
    return !strncmp(kt_trace, cwd, length) && kt_trace[length] == '/' ? kt_trace + length + 1 : kt_trace;
}

static void remove_us_from(const char *variable)
{
    char rest[PATH_MAX] = "";
    const char *list = getenv(variable);
    while (list && *list) {
        size_t length = strcspn(list, ": ");
        if (length && !memmem(list, length, "libktrace", 9)) {
            size_t used = strlen(rest);
            snprintf(rest + used, sizeof rest - used, "%s%.*s", used ? ":" : "", (int)length, list);
        }
        list += length + (list[length] != '\0');
    }
    if (*rest)
        setenv(variable, rest, 1);
    else
        unsetenv(variable);
}

void kt_stop_following(void)
{
    remove_us_from("LD_PRELOAD");
    remove_us_from("LD_AUDIT");
}
