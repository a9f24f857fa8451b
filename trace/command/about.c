/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/about.h"

#include "trace/read/profile.h"
#include "trace/base/memory.h"
#include "trace/library/installed.h"
#include "trace/print/text.h"
#include "trace/shape/hosts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

/* Short names, which are also what a path or version string says, and the names that people know. */
static const struct {
    const char *name, *title;
} libraries[] = {{"openblas", "OpenBLAS"}, {"blis", "BLIS"},   {"mkl", "MKL"},  {"atlas", "ATLAS"},
                 {"flame", "libFLAME"},    {"armpl", "ArmPL"}, {"nvpl", "NVPL"}};

enum { LIBRARIES = sizeof libraries / sizeof *libraries };

enum { TEXT_COLUMN = 11 };

void kt_about_line(const char *label, const char *format, ...)
{
    char text[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("%-10s ", label);
    kt_text_wrap(TEXT_COLUMN, TEXT_COLUMN, kt_text_clean(text));
}

static const char *as_it_is(const char *word)
{
    return word;
}

static const char *without_folder(const char *word)
{
    return *word == '-' ? word : kt_base_name(word);
}

/* Returns how many bytes it has, as snprintf does. */
static size_t put_command(const struct kt_process *process, const char *(*shown)(const char *), char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; process && i < process->metas && used < size; i++)
        if (!strcmp(process->meta[i].key, "arg"))
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "", shown(process->meta[i].value));
    return used;
}

static void describe_command(const struct kt_process *process, const char *(*shown)(const char *), char *out,
                             size_t size)
{
    if (process && process->workload)
        snprintf(out, size, "a workload that stands for %s", KT_COUNT(process->workload, "process"));
    else if (!put_command(process, shown, out, size))
        snprintf(out, size, "a program of which the trace does not have the command");
}

void kt_about_command_text(const struct kt_process *process, char *out, size_t size)
{
    describe_command(process, as_it_is, out, size);
}

void kt_about_command_names(const struct kt_process *process, char *out, size_t size)
{
    describe_command(process, without_folder, out, size);
}

void kt_about_command(const struct kt_process *process, size_t width)
{
    char *text = kt_resize(NULL, width + 1, 1);
    size_t used = put_command(process, as_it_is, text, width + 1);
    if (!process->workload)
        kt_about_line("command", "%s%s", text, used > width ? ".." : "");
    free(text);
}

const char *kt_about_processes(const struct kt_trace *trace, char out[KT_ABOUT_PROCESSES])
{
    size_t processes = 0;
    for (size_t i = 0; i < trace->processes; i++)
        processes += trace->process[i].workload ? trace->process[i].workload : 1;
    *out = '\0';
    if (processes > 1)
        snprintf(out, KT_ABOUT_PROCESSES, " in %zu processes", processes);
    return out;
}

static bool put_time(time_t seconds, char *out, size_t size)
{
    struct tm tm;
    *out = '\0';
    return localtime_r(&seconds, &tm) && strftime(out, size, "%Y-%m-%d %H:%M:%S", &tm) > 0;
}

void kt_about_now(char *out, size_t size)
{
    put_time(time(NULL), out, size);
}

bool kt_about_when(const struct kt_process *process, char *out, size_t size)
{
    const char *anchor = process ? kt_meta(process, "anchor") : NULL;
    long long realtime_ns;
    *out = '\0';
    if (!anchor || process->workload || sscanf(anchor, "%*s %*s %lld", &realtime_ns) != 1)
        return false;
    return put_time((time_t)(realtime_ns / 1000000000), out, size);
}

static int find_library(const struct kt_object *library)
{
    int i = 0;
    const char *file = *library->file ? library->file : library->path;
    while (i < LIBRARIES && !strcasestr(file, libraries[i].name) && !strcasestr(library->version, libraries[i].name))
        i++;
    return i;
}

/* The reference library says nothing of itself and comes last. */
static bool is_reference(const struct kt_object *library)
{
    return strstr(library->soname, "libblas.so") || strstr(library->soname, "liblapack.so");
}

const char *kt_about_library_name(const struct kt_object *library)
{
    int i = find_library(library);
    return i < LIBRARIES ? libraries[i].name : is_reference(library) ? "reference" : "";
}

/* The first word of TEXT that begins with a digit; returns its length, 0 if there is none. */
static size_t find_number(const char *text, const char **out)
{
    size_t length = 0;
    while (*text && !isdigit((unsigned char)*text)) {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    while (isalnum((unsigned char)text[length]) || (text[length] && strchr(".-+", text[length])))
        length++;
    *out = text;
    return length;
}

void kt_about_library(const struct kt_object *library, char *out, size_t size)
{
    const char *number;
    int i = find_library(library);
    const char *title = i < LIBRARIES ? libraries[i].title : is_reference(library) ? "reference" : "";
    const char *slash = strrchr(library->path, '/');
    const char *file = *library->soname ? library->soname : slash ? slash + 1 : library->path;
    int length = (int)find_number(library->version, &number);
    if (length)
        snprintf(out, size, "%s %.*s", *title ? title : file, length, number);
    else
        snprintf(out, size, "%s%s%s", title, *title ? " " : "", file);
}

/* The code that OpenBLAS chose for the processor: of its words the one before that of its threads. Returns its length.
 */
static size_t find_kernel(const char *version, const char **out)
{
    const char *threads = strstr(version, " MAX_THREADS=");
    const char *end = threads ? threads : strstr(version, " SINGLE_THREADED");
    const char *begin = end ? end : version;
    while (begin > version && begin[-1] != ' ')
        begin--;
    *out = begin;
    bool is_kernel = end > begin && isupper((unsigned char)*begin) && !memchr(begin, '_', (size_t)(end - begin));
    return is_kernel ? (size_t)(end - begin) : 0;
}

void kt_about_library_kind(const struct kt_object *library, char *out, size_t size)
{
    char name[64];
    char threads[32] = "";
    const char *kernel;
    int length = (int)find_kernel(library->version, &kernel);
    kt_about_library(library, name, sizeof name);
    if (library->threads && *library->version)
        snprintf(threads, sizeof threads, ", %s", KT_COUNT(library->threads, "thread"));
    snprintf(out, size, "%s%s%.*s%s%s", name, length ? ", " : "", length, kernel, length ? " kernels" : "", threads);
}

bool kt_about_is_of_kind(const struct kt_object *library, const char *kind)
{
    char own[128];
    kt_about_library_kind(library, own, sizeof own);
    return library->is_library && !strcmp(own, kind);
}

bool kt_about_has_kind(const struct kt_process *process, size_t count, const char *kind)
{
    for (size_t i = 0; i < count; i++)
        if (kt_about_is_of_kind(&process->object[i], kind))
            return true;
    return false;
}

void kt_about_ranks(const struct kt_ranks *ranks)
{
    char of[32] = "";
    char job[160] = "";
    if (ranks->count == 0)
        return;
    if (ranks->expected)
        snprintf(of, sizeof of, " of %zu", ranks->expected);
    if (ranks->jobs > 1)
        snprintf(job, sizeof job, " in %zu jobs", ranks->jobs);
    else if (*ranks->rank[0].job)
        snprintf(job, sizeof job, ", job %.128s", ranks->rank[0].job);
    kt_about_line("ranks", "%zu%s%s%s", ranks->count, of, job,
                  ranks->expected > ranks->count ? "; the others made no call that can be seen" : "");
}

void kt_about_profile(const struct kt_trace *trace, const struct kt_state *state)
{
    if (kt_is_workload(trace))
        kt_about_line("mode", "workload: windows of single calls, and sums per shape of all others");
    else if (kt_is_profile(trace))
        kt_about_line("mode", "profile: sums per shape, no single calls");
    if (state->overflow)
        kt_about_line("", "%s %s: counted by routine only", KT_COUNT(state->overflow, "call"),
                      kt_is_workload(trace) ? "not represented"
                                            : kt_count_word((double)state->overflow, "had no room for its shape",
                                                            "had no room for their shape"));
}

void kt_about_selection(const struct kt_trace *trace, const struct kt_state *state)
{
    uint64_t sample = kt_state_sample(trace);
    const char *routines = kt_trace_option(trace, "ROUTINES", "*");
    if (sample > 1)
        kt_about_line("sampled", "one in %" PRIu64 " outermost calls: counts and times are those of the sample",
                      sample);
    if (strcmp(routines, "*") != 0)
        kt_about_line("filtered", "only routines %.50s%s", routines, strlen(routines) > 50 ? ".." : "");
    if (kt_state_keeps_last(trace, state))
        kt_about_line("kept", "the last calls only: KTRACE_MAX_BYTES=%.40s", kt_trace_option(trace, "MAX_BYTES", ""));
    if (state->skipped)
        kt_about_line("skipped", "%s %s", KT_COUNT(state->skipped, "call"),
                      sample > 1 ? "not in the sample, or made during a pause" : "during a pause");
}

void kt_about_losses(const struct kt_trace *trace, const struct kt_state *state)
{
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        if (state->lost[i])
            kt_about_line("lost", "%s: %s", KT_COUNT(state->lost[i], "call"), kt_loss_text(i));
    for (size_t i = 0; i < trace->notes; i++)
        kt_about_line("damage", "%s", trace->note[i]);
}

void kt_about_missing(const struct kt_trace *trace, const struct kt_state *state)
{
    kt_about_selection(trace, state);
    kt_about_losses(trace, state);
}

void kt_about_clock(const struct kt_state *state)
{
    if (state->clock_note)
        kt_about_line("clock", "doubtful: %s", state->clock_note);
    if (state->implausible)
        kt_about_line("clock", "%s of impossible duration: counted, but without time",
                      KT_COUNT(state->implausible, "call"));
}

void kt_about_hosts(const struct kt_trace *trace)
{
    struct kt_hosts hosts;
    char text[KT_HOSTS_TEXT];
    kt_hosts_find(trace, &hosts);
    if (*kt_hosts_text(&hosts, text))
        kt_about_line("clocks", "%s", text);
    if (*kt_hosts_doubt(&hosts, text))
        kt_about_line("", "%s", text);
}

void kt_about_hosts_notice(const struct kt_trace *trace)
{
    struct kt_hosts hosts;
    char text[KT_HOSTS_TEXT];
    kt_hosts_find(trace, &hosts);
    if (*kt_hosts_text(&hosts, text))
        kt_notice("%s", text);
    if (*kt_hosts_doubt(&hosts, text))
        kt_notice("%s", text);
}
