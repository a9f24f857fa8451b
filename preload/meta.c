/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload/meta.h"

#include "preload/allowed.h"
#include "preload/apart.h"
#include "preload/file.h"
#include "preload/file_path.h"
#include "preload/notice.h"
#include "preload/price.h"
#include "preload/recorder.h"
#include "preload/settings.h"
#include "preload/ticks.h"

#include <string.h>
#include <unistd.h>

/* --- the meta file ----------------------------------------------------------------------------------------- */

static void field(struct kt_line *line, const char *key, const char *value)
{
    kt_line_raw(line, key);
    kt_line_raw(line, "\t");
    kt_line_escaped(line, value, strlen(value));
    kt_line_raw(line, "\n");
}

void kt_meta_number(struct kt_line *line, const char *key, uint64_t value)
{
    kt_line_raw(line, key);
    kt_line_raw(line, "\t");
    kt_line_unsigned(line, value, 10);
    kt_line_raw(line, "\n");
}

void kt_meta_anchor(struct kt_line *line)
{
    struct kt_anchor now = kt_ticks_anchor();
    kt_line_raw(line, "anchor\t");
    kt_line_unsigned(line, now.ticks, 10);
    kt_line_raw(line, "\t");
    kt_line_unsigned(line, now.monotonic_ns, 10);
    kt_line_raw(line, "\t");
    kt_line_unsigned(line, now.realtime_ns, 10);
    kt_line_raw(line, "\n");
}

static void argument_fields(struct kt_line *line)
{
    static char text[KT_LINE_BYTES / 2];
    size_t length = kt_file_read("/proc/self/cmdline", text, sizeof text);
    for (size_t at = 0; at < length; at += strlen(text + at) + 1)
        field(line, "arg", text + at);
}

static void first_line_field(struct kt_line *line, const char *key, const char *path)
{
    static char text[256];
    kt_file_read(path, text, sizeof text);
    text[strcspn(text, "\n")] = '\0';
    field(line, key, text);
}

/* --- when the program began --- */

static uint64_t image_began; /* CLOCK_BOOTTIME in ns */

static uint64_t time_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void kt_meta_note_start(void)
{
    image_began = time_of(CLOCK_BOOTTIME);
}

/*
 * In CLOCK_BOOTTIME, which the kernel tells when it made the process by. A program that was put into its place by exec
 * after more than linking takes began with that.
 */
static uint64_t program_start(uint64_t process_ticks)
{
    const uint64_t linking_ns = 1000000000;
    uint64_t made = process_ticks * 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    return image_began > made + linking_ns ? image_began : made;
}

static void began_field(struct kt_line *line, const char *process_ticks)
{
    uint64_t age = time_of(CLOCK_BOOTTIME) - program_start(strtoull(process_ticks, NULL, 10));
    kt_meta_number(line, "began", time_of(CLOCK_MONOTONIC) - age);
}

/* Field 22 of /proc/self/stat; the second, the name, may hold blanks and parentheses. */
static void start_time_field(struct kt_line *line)
{
    static char text[1024]; /* within a slow path, as those below */
    kt_file_read("/proc/self/stat", text, sizeof text);
    char *at = strrchr(text, ')');
    for (int i = 2; at && i < 22; i++)
        at = strchr(at + 1, ' ');
    if (!at)
        return;
    at[1 + strcspn(at + 1, " ")] = '\0';
    field(line, "start_time", at + 1);
    began_field(line, at + 1);
}

static void count_processors(void *at)
{
    *(uint64_t *)at = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
}

static void cpu_model_field(struct kt_line *line)
{
    static char text[8192];
    kt_file_read("/proc/cpuinfo", text, sizeof text);
    char *at = strstr(text, "model name");
    at = at ? strchr(at, ':') : NULL;
    if (!at)
        return;
    at += strspn(at, ": \t");
    at[strcspn(at, "\n")] = '\0';
    field(line, "cpu_model", at);
}

static void option_fields(struct kt_line *line)
{
#define KT_OPTION_WRITE(name, type, fallback, text) \
    kt_line_raw(line, "option\t");                  \
    field(line, #name, kt_option.name);
    KT_OPTIONS(KT_OPTION_WRITE)
#undef KT_OPTION_WRITE
}

bool kt_meta_is_kernel_clock(void)
{
    if (!strcmp(kt_option.CLOCK, "monotonic"))
        return true;
    if (!strcmp(kt_option.CLOCK, "tsc"))
        return false;
    if (*kt_option.CLOCK)
        kt_notice("KTRACE_CLOCK=", kt_option.CLOCK,
                  ": expected tsc or monotonic; it is chosen as if nothing had been said");
    return kt_ticks_doubt() != NULL;
}

static void clock_doubt_fields(struct kt_line *line)
{
    const char *doubt = kt_ticks_doubt();
    if (kt_extras & KT_EXTRA_CLOCK)
        return;
    if (!strcmp(KT_CLOCK_NAME, "tsc"))
        kt_meta_number(line, "tsc_invariant", doubt == NULL);
    if (doubt)
        field(line, "clock_note", doubt);
}

/* Of a parallel job: which one of how many this process is. */
static void rank_fields(struct kt_line *line)
{
    if (kt_rank.rank < 0)
        return;
    kt_meta_number(line, "rank", (uint64_t)kt_rank.rank);
    if (kt_rank.ranks)
        kt_meta_number(line, "ranks", (uint64_t)kt_rank.ranks);
    if (kt_rank.job)
        field(line, "job", kt_rank.job);
}

static void machine_fields(struct kt_line *line)
{
    static char host[256];
    gethostname(host, sizeof host - 1);
    field(line, "host", host);
    first_line_field(line, "boot_id", "/proc/sys/kernel/random/boot_id");
    start_time_field(line);
    field(line, "byte_order", "little");
    field(line, "clock", kt_extras & KT_EXTRA_CLOCK ? "monotonic" : KT_CLOCK_NAME);
    kt_meta_number(line, "clock_ticks", kt_ticks_cost());
    kt_meta_number(line, "self_ticks", kt_price_of_call());
    kt_price_fields(line);
    clock_doubt_fields(line);
    kt_meta_anchor(line);
    uint64_t processors = 1;
    kt_apart(count_processors, &processors); /* the C library opens a file */
    kt_meta_number(line, "cpus", processors);
    kt_allowed_fields(line);
    cpu_model_field(line);
    kt_meta_number(line, "page_bytes", (uint64_t)sysconf(_SC_PAGESIZE));
}

bool kt_meta_write(void)
{
    static struct kt_line line; /* within a slow path: one at a time */
    static char path[PATH_MAX]; /* within a slow path: one at a time */
    line.length = 0;
    kt_line_raw(&line, "format\tktrace\t");
    kt_line_unsigned(&line, KT_FORMAT_MAJOR, 10);
    kt_line_raw(&line, "\t");
    kt_line_unsigned(&line, KT_FORMAT_MINOR, 10);
    kt_line_raw(&line, "\n");
    kt_meta_number(&line, "pid", (uint64_t)getpid());
    kt_meta_number(&line, "ppid", (uint64_t)getppid());
    field(&line, "program", kt_program);
    if (getcwd(path, sizeof path))
        field(&line, "cwd", path);
    rank_fields(&line);
    machine_fields(&line);
    option_fields(&line);
    argument_fields(&line);
    kt_file_path(path, "meta", 0, 0);
    return kt_file_append(path, line.text, line.length) == line.length;
}

void kt_meta_write_readme(void)
{
    static const char text[] =
        "This directory is a trace of BLAS and LAPACK calls, recorded by ktrace.\n"
        "`ktrace report` on it says where the time went; `ktrace help` names everything else.\n"
        "Each directory p<PID> holds one process: meta and definitions (text), t<TID> (a stream of calls for\n"
        "each thread) or s<TID> (a profile), o<N> (what operands of a call held), control, and end (text) if the\n"
        "process ended cleanly.\n";
    static char path[PATH_MAX]; /* within a slow path: one at a time */
    kt_file_path_in(kt_trace, path, "README", 0, 0);
    if (access(path, F_OK) != 0)
        kt_file_append(path, text, sizeof text - 1);
}
