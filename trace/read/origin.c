/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/origin.h"

#include "ktrace/clock.h"
#include "trace/base/memory.h"
#include "trace/read/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool kt_anchor_parse(const char *text, struct kt_anchor *out)
{
    return text &&
           sscanf(text, "%" SCNu64 "\t%" SCNu64 "\t%" SCNu64, &out->ticks, &out->monotonic_ns, &out->realtime_ns) == 3;
}

/* --- is it still running? ---------------------------------------------------------------------------------- */

static bool read_line_of(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "r");
    bool fine = file && fgets(out, (int)size, file);
    if (file)
        fclose(file);
    if (fine)
        out[strcspn(out, "\n")] = '\0';
    return fine;
}

static bool meta_is(const struct kt_process *p, const char *key, const char *value)
{
    const char *is = kt_meta(p, key);
    return is && !strcmp(is, value);
}

static bool is_of_this_boot(const struct kt_process *p)
{
    char boot[64];
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return read_line_of("/proc/sys/kernel/random/boot_id", boot, sizeof boot) && meta_is(p, "boot_id", boot) &&
           meta_is(p, "host", host);
}

/* Fields 3 (state) and 22 (start time) of the kernel's line; the second, the name, may hold blanks and brackets. */
bool kt_process_is_running(const struct kt_process *p)
{
    char path[64];
    char line[1024];
    char state;
    char start[32];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/stat", p->pid);
    if (!is_of_this_boot(p) || !read_line_of(path, line, sizeof line))
        return false;
    const char *after_name = strrchr(line, ')');
    if (!after_name || sscanf(after_name + 1,
                              " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
                              " %*s %*s %31s",
                              &state, start) != 2)
        return false;
    return state != 'Z' && state != 'X' && meta_is(p, "start_time", start);
}

bool kt_process_may_run_elsewhere(const struct kt_process *p)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    return !p->complete && !kt_files_are_packed(p->files) && !meta_is(p, "host", host);
}

/* --- the clock --------------------------------------------------------------------------------------------- */

static uint64_t monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Ticks per second of this machine's clock; measured once. */
static double calibrate(void)
{
    static double hz = 0;
    const struct timespec pause = {0, 20000000};
    if (hz > 0)
        return hz;
    uint64_t ns = monotonic_ns();
    uint64_t ticks = kt_clock_start();
    nanosleep(&pause, NULL);
    ns = monotonic_ns() - ns;
    ticks = kt_clock_start() - ticks;
    hz = (double)ticks / (double)ns * 1e9;
    return hz;
}

static struct kt_anchor last_anchor(const struct kt_process *p)
{
    struct kt_anchor last = {0};
    for (size_t i = 0; i < p->streams; i++)
        if (p->stream[i].anchor.monotonic_ns > last.monotonic_ns)
            last = p->stream[i].anchor;
    return last;
}

static bool has_value_of(const struct kt_process *p, const struct kt_process *other, const char *key)
{
    const char *value = kt_meta(other, key);
    return value && meta_is(p, key, value);
}

/* The rate of the same clock as another process of the trace has measured it, or as it is here; 0: neither. */
static double rate_of_others(const struct kt_process *p, const struct kt_trace *trace)
{
    for (size_t i = 0; i < trace->processes; i++) {
        const struct kt_process *other = &trace->process[i];
        if (other->tick_hz_known && has_value_of(p, other, "boot_id") && has_value_of(p, other, "clock"))
            return other->tick_hz;
    }
    return is_of_this_boot(p) && meta_is(p, "clock", KT_CLOCK_NAME) ? calibrate() : 0;
}

static void set_tick_hz(struct kt_process *p, const struct kt_anchor *first, const struct kt_anchor *last,
                        struct kt_trace *trace)
{
    static const double shortest_ns = 1e6; /* anchors are good to about 100 ns */
    double ns = (double)(int64_t)(last->monotonic_ns - first->monotonic_ns);
    double hz = (double)(int64_t)(last->ticks - first->ticks) / ns * 1e9;
    bool possible = ns > 0 && hz > 1e6 && hz < 1e11;
    if (meta_is(p, "clock", "monotonic"))
        p->tick_hz = 1e9;
    else if (possible && ns >= shortest_ns)
        p->tick_hz = hz;
    else
        p->tick_hz = rate_of_others(p, trace);
    p->tick_hz_known = p->tick_hz > 0;
    if (p->tick_hz_known)
        return;
    p->tick_hz = possible ? hz : 1e9;
    kt_trace_note(trace, "%s: too short, on another machine, to tell how fast its clock ticked; %s", p->path,
                  possible ? "times are estimates" : "a tick counts as a nanosecond");
}

static uint64_t last_sign_of_life(const struct kt_process *p, uint64_t ticks)
{
    for (size_t i = 0; i < p->streams; i++)
        if (p->stream[i].last_ticks > ticks)
            ticks = p->stream[i].last_ticks;
    return ticks;
}

/* How long the program had run when its first call was recorded; 0: not known. */
static double seconds_before(const struct kt_process *p, const struct kt_anchor *first)
{
    const char *text = kt_meta(p, "began");
    uint64_t began;
    if (!text || sscanf(text, "%" SCNu64, &began) != 1 || began > first->monotonic_ns)
        return 0;
    return (double)(first->monotonic_ns - began) * 1e-9;
}

/* Without a clean end, a chunk's anchor is the later of the two. */
void kt_process_set_clock(struct kt_process *p, const struct kt_anchor *end, struct kt_trace *trace)
{
    struct kt_anchor first;
    kt_anchor_parse(kt_meta(p, "anchor"), &first);
    struct kt_anchor last = end ? *end : last_anchor(p);
    uint64_t last_ticks = end ? end->ticks : last_sign_of_life(p, last.ticks);
    set_tick_hz(p, &first, &last, trace);
    p->tick_seconds = 1 / p->tick_hz;
    p->first_ticks = first.ticks;
    p->last_ticks = last_ticks;
    p->longest_ticks = last_ticks > first.ticks ? last_ticks - first.ticks + (uint64_t)p->tick_hz : 0;
    p->before = seconds_before(p, &first);
    p->seconds = p->before + (last_ticks > first.ticks ? (double)(last_ticks - first.ticks) / p->tick_hz : 0);
}

/* --- one clock for all processes --------------------------------------------------------------------------- */

/* A process on its way to the time line. */
struct place {
    struct kt_process *process;
    const char *boot; /* "" if it is not known */
    struct kt_anchor anchor;
};

static struct place place_of(struct kt_process *process)
{
    const char *boot = kt_meta(process, "boot_id");
    struct place place = {.process = process, .boot = boot ? boot : ""};
    kt_anchor_parse(kt_meta(process, "anchor"), &place.anchor);
    return place;
}

/* By machine, the first process of each in front. */
static int compare_places(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    int order = strcmp(x->boot, y->boot);
    if (order != 0)
        return order;
    return (x->anchor.monotonic_ns > y->anchor.monotonic_ns) - (x->anchor.monotonic_ns < y->anchor.monotonic_ns);
}

/* Nanoseconds since 1970 as that machine's first process would tell them. */
static uint64_t common_time(const struct place *place, const struct place *first)
{
    if (!*place->boot)
        return place->anchor.realtime_ns;
    return first->anchor.realtime_ns + (place->anchor.monotonic_ns - first->anchor.monotonic_ns);
}

void kt_processes_align(struct kt_process *process, size_t count)
{
    struct place *place = kt_resize(NULL, count, sizeof *place);
    uint64_t *time = kt_resize(NULL, count, sizeof *time);
    uint64_t earliest = UINT64_MAX;
    const struct place *first = place;
    for (size_t i = 0; i < count; i++)
        place[i] = place_of(&process[i]);
    qsort(place, count, sizeof *place, compare_places);
    for (size_t i = 0; i < count; i++) {
        first = strcmp(first->boot, place[i].boot) ? &place[i] : first;
        time[i] = common_time(&place[i], first);
        earliest = time[i] < earliest ? time[i] : earliest;
    }
    for (size_t i = 0; i < count; i++)
        place[i].process->start = (double)(time[i] - earliest) * 1e-9;
    free(time);
    free(place);
}
