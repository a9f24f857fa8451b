/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/allowed.h"

#include "ktrace/granted.h"
#include "ktrace/variables.h"
#include "preload/file.h"

#include <sched.h>
#include <unistd.h>

enum { MOST_PROCESSORS = 8192, VALUE_BYTES = 2048 };

#define VARIABLE_NAME(name, kind) #name,
static const char *const variable[] = {KT_THREAD_VARIABLES(VARIABLE_NAME)};
enum { VARIABLES = sizeof variable / sizeof *variable };

static struct {
    pid_t pid; /* of the process that ALLOWED is of */
    unsigned char allowed[MOST_PROCESSORS / 8];
    const char *value[VARIABLES]; /* NULL: not set */
} start;

static void note_processors(void)
{
    start.pid = getpid();
    memset(start.allowed, 0, sizeof start.allowed);
    sched_getaffinity(0, sizeof start.allowed, (cpu_set_t *)start.allowed);
}

/* Copies, as programs that set their title overwrite the environment in place. What does not fit is left out. */
static void note_variables(void)
{
    static char values[VALUE_BYTES];
    size_t used = 0;
    for (int i = 0; i < VARIABLES; i++) {
        const char *value = getenv(variable[i]);
        size_t bytes = value ? strlen(value) + 1 : 0;
        if (!bytes || bytes > sizeof values - used)
            continue;
        start.value[i] = memcpy(values + used, value, bytes);
        used += bytes;
    }
}

void kt_allowed_note_start(void)
{
    note_processors();
    note_variables();
}

static bool is_allowed(unsigned cpu)
{
    return cpu < MOST_PROCESSORS && start.allowed[cpu / 8] >> cpu % 8 & 1;
}

/* "0-3,8", as the kernel has it. */
static void list_processors(struct kt_line *line)
{
    const char *separator = "affinity\t";
    for (unsigned cpu = 0; cpu < MOST_PROCESSORS; cpu++) {
        unsigned last = cpu;
        if (!is_allowed(cpu))
            continue;
        while (is_allowed(last + 1))
            last++;
        kt_line_raw(line, separator);
        kt_line_unsigned(line, cpu, 10);
        if (last > cpu) {
            kt_line_raw(line, "-");
            kt_line_unsigned(line, last, 10);
        }
        separator = ",";
        cpu = last;
    }
    if (*separator == ',')
        kt_line_raw(line, "\n");
}

static void group_fields(struct kt_line *line)
{
    static struct kt_granted granted; /* within a slow path: one at a time */
    kt_granted_find(&granted, kt_file_read);
    if (*granted.set) {
        kt_line_raw(line, "cpuset\t");
        kt_line_escaped(line, granted.set, strlen(granted.set));
        kt_line_raw(line, "\n");
    }
    if (granted.quota_us) {
        kt_line_raw(line, "quota\t");
        kt_line_unsigned(line, granted.quota_us, 10);
        kt_line_raw(line, "\t");
        kt_line_unsigned(line, granted.period_us, 10);
        kt_line_raw(line, "\n");
    }
}

/* A child is where its parent's thread was when it forked, whatever the parent's runtime did with that. */
void kt_allowed_fields(struct kt_line *line)
{
    if (getpid() != start.pid)
        note_processors();
    list_processors(line);
    group_fields(line);
    for (int i = 0; i < VARIABLES; i++)
        if (start.value[i]) {
            kt_line_raw(line, "env\t");
            kt_line_raw(line, variable[i]);
            kt_line_raw(line, "\t");
            kt_line_escaped(line, start.value[i], strlen(start.value[i]));
            kt_line_raw(line, "\n");
        }
}
