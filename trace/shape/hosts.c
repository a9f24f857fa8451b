/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/shape/hosts.h"

#include "trace/base/memory.h"
#include "trace/print/text.h"
#include "trace/shape/ranks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *value_of(const struct kt_process *process, const char *key)
{
    const char *value = kt_meta(process, key);
    return value ? value : "";
}

/* --- clocks ------------------------------------------------------------------------------------------------ */

/* A process whose kernel is not known has the time of day only. */
static bool have_one_clock(const struct kt_process *a, const struct kt_process *b)
{
    const char *boot = value_of(a, "boot_id");
    return a == b || (*boot && !strcmp(boot, value_of(b, "boot_id")));
}

static int compare_clocks(const void *a, const void *b)
{
    const struct kt_process *x = *(const struct kt_process *const *)a;
    const struct kt_process *y = *(const struct kt_process *const *)b;
    int order = strcmp(value_of(x, "boot_id"), value_of(y, "boot_id"));
    return order ? order : (x->start > y->start) - (x->start < y->start);
}

static int compare_names(const void *a, const void *b)
{
    const struct kt_process *x = *(const struct kt_process *const *)a;
    const struct kt_process *y = *(const struct kt_process *const *)b;
    return strcmp(value_of(x, "host"), value_of(y, "host"));
}

/* Of the time of day when recording began, as `ktrace run` asked the kernel (trace/verbs/run_clock.h); NAN: not known.
 */
static double error_of(const struct kt_process *process)
{
    const char *said = kt_process_option(process, "CLOCK_ERROR");
    const char *boot = value_of(process, "boot_id");
    size_t length = strlen(boot);
    uint64_t microseconds;
    bool is_own = said && length && !strncmp(said, boot, length) && said[length] == ':';
    return is_own && sscanf(said + length + 1, "%" SCNu64, &microseconds) == 1 ? (double)microseconds * 1e-6 : NAN;
}

/* Two clocks are apart by their errors at most. PROCESS: by clock, the first process of each in front. */
static void find_clocks(const struct kt_process *const *process, size_t count, struct kt_hosts *out)
{
    double worst = 0;
    double second = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && have_one_clock(process[i - 1], process[i]))
            continue;
        double error = error_of(process[i]);
        out->clocks++;
        if (isnan(error) && !out->unknown)
            out->unknown = *value_of(process[i], "host") ? value_of(process[i], "host") : "an unknown host";
        second = fmax(second, fmin(worst, error));
        worst = fmax(worst, error);
    }
    if (out->clocks < 2)
        out->unknown = NULL;
    out->within = out->clocks < 2 ? 0 : out->unknown ? NAN : worst + second;
}

/* --- ranks ------------------------------------------------------------------------------------------------- */

/* Of the program; its recording starts with its first call. */
static double begin_of(const struct kt_rank *rank)
{
    return rank->first->start - rank->first->before;
}

/* Of several processes one too late by what was before the first call of the last. */
static double end_of(const struct kt_rank *rank)
{
    return (rank->processes > 1 ? rank->first->start : begin_of(rank)) + rank->seconds;
}

/* Of the ranks of one job. Where two with one clock miss each other, ranks need not run at the same time. */
static double missed_by(const struct kt_rank *rank, size_t count)
{
    const struct kt_rank *last = rank;
    const struct kt_rank *first = rank;
    for (size_t i = 1; i < count; i++) {
        last = begin_of(&rank[i]) > begin_of(last) ? &rank[i] : last;
        first = end_of(&rank[i]) < end_of(first) ? &rank[i] : first;
    }
    return have_one_clock(last->first, first->first) ? 0 : fmax(0, begin_of(last) - end_of(first));
}

static double find_missed(const struct kt_trace *trace)
{
    struct kt_ranks ranks;
    double seconds = 0;
    kt_ranks_find(trace, &ranks);
    for (size_t i = 0, end; i < ranks.count; i = end) {
        for (end = i + 1; end < ranks.count && !strcmp(ranks.rank[i].job, ranks.rank[end].job);)
            end++;
        seconds = fmax(seconds, missed_by(&ranks.rank[i], end - i));
    }
    kt_ranks_free(&ranks);
    return seconds;
}

/* --- together ---------------------------------------------------------------------------------------------- */

void kt_hosts_find(const struct kt_trace *trace, struct kt_hosts *out)
{
    const struct kt_process **process = kt_resize(NULL, trace->processes, sizeof *process);
    *out = (struct kt_hosts){0};
    for (size_t i = 0; i < trace->processes; i++)
        process[i] = &trace->process[i];
    if (trace->processes)
        qsort(process, trace->processes, sizeof *process, compare_clocks);
    find_clocks(process, trace->processes, out);
    if (trace->processes)
        qsort(process, trace->processes, sizeof *process, compare_names);
    for (size_t i = 0; i < trace->processes; i++)
        out->hosts += i == 0 || compare_names(&process[i - 1], &process[i]) != 0;
    free(process);
    out->apart = out->clocks > 1 ? find_missed(trace) : 0;
}

const char *kt_hosts_text(const struct kt_hosts *hosts, char out[KT_HOSTS_TEXT])
{
    char within[16];
    *out = '\0';
    if (hosts->clocks < 2 && hosts->hosts > 1)
        snprintf(out, KT_HOSTS_TEXT, "%zu hosts of one kernel: they have one clock", hosts->hosts);
    else if (hosts->clocks > 1 && hosts->unknown)
        snprintf(out, KT_HOSTS_TEXT, "%zu hosts, aligned by time of day; how well clocks agree is not known (%.40s)",
                 hosts->hosts, hosts->unknown);
    else if (hosts->clocks > 1)
        snprintf(out, KT_HOSTS_TEXT, "%zu hosts, aligned by time of day, to within %s as their kernels said",
                 hosts->hosts, kt_text_seconds(hosts->within, within));
    return out;
}

const char *kt_hosts_doubt(const struct kt_hosts *hosts, char out[KT_HOSTS_TEXT])
{
    char apart[16];
    *out = '\0';
    if (hosts->apart > 0)
        snprintf(out, KT_HOSTS_TEXT, "ranks of one job would have missed each other by %s: clocks are apart",
                 kt_text_seconds(hosts->apart, apart));
    return out;
}
