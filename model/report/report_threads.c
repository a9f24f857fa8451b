/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads, processes and regions of a report.
 */
#include "model/report/report_lists.h"
#include "model/report/report_row.h"
#include "model/report/report_tables.h"
#include "trace/command/field_text.h"
#include "trace/library/installed.h"

#include <stdio.h>

/* --- threads, processes -------------------------------------------------------------------------------------- */

static const struct kt_sum *sum_of(const struct kt_at *at)
{
    return at->object;
}

static json_t *pid(const struct kt_at *at)
{
    return json_integer(sum_of(at)->process->pid);
}

static json_t *share(const struct kt_at *at)
{
    return kt_report_share(sum_of(at)->seconds, kt_report_of(at)->summary.seconds_blas);
}

static json_t *program(const struct kt_at *at)
{
    return kt_json_text_or_null(kt_meta(sum_of(at)->process, "program"));
}

static void program_cell(const struct kt_at *at, char *out, size_t size)
{
    const char *path = kt_meta(sum_of(at)->process, "program");
    snprintf(out, size, "%s", path ? kt_base_name(path) : "unknown");
}

static json_t *wall(const struct kt_at *at)
{
    return kt_json_number(sum_of(at)->process->seconds);
}

static json_t *busy(const struct kt_at *at)
{
    const struct kt_report *report = kt_report_of(at);
    size_t process = (size_t)(sum_of(at)->process - report->trace.process);
    return report->overlaps.known ? kt_json_number(report->overlaps.busy_in[process]) : json_null();
}

static struct kt_overlap overlap_of(const struct kt_at *at)
{
    return kt_overlap_of_thread(&kt_report_of(at)->overlaps, sum_of(at)->process, sum_of(at)->id);
}

static json_t *at_begin(const struct kt_at *at)
{
    struct kt_overlap overlap = overlap_of(at);
    return kt_json_number(kt_overlap_at_begin(&overlap));
}

static json_t *beside(const struct kt_at *at)
{
    struct kt_overlap overlap = overlap_of(at);
    return kt_json_number(kt_overlap_beside(&overlap));
}

#define CALLS_MEANING "recorded calls"
#define TOP_MEANING   "of these, outermost ones"
#define BLAS_MEANING  "time of outermost calls"
#define SHARE_MEANING "part of all BLAS and LAPACK time"

static const struct kt_field thread_fields[] = {
    {"pid", KT_AS_ID, .meaning = "process id", .get = pid, .head = "process"},
    {"tid", KT_AS_ID, .meaning = "thread id", KT_AT(struct kt_sum, id), .head = "thread"},
    {"calls", KT_AS_COUNT, .meaning = CALLS_MEANING, KT_AT(struct kt_sum, calls), .head = "calls"},
    {"calls_top", KT_AS_COUNT, .meaning = TOP_MEANING, KT_AT(struct kt_sum, calls_top), .head = "outermost"},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = BLAS_MEANING, KT_AT(struct kt_sum, seconds), .head = "time"},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = SHARE_MEANING, .get = share, .head = "share"},
    {"others_at_begin", KT_AS_NUMBER, KT_NULL, .meaning = KT_REPORT_AT_BEGIN, .get = at_begin, .head = "at begin"},
    {"others_beside", KT_AS_NUMBER, KT_NULL, .meaning = KT_REPORT_BESIDE, .get = beside, .head = "beside"},
    {0}};

static const struct kt_field process_fields[] = {
    {"pid", KT_AS_ID, .meaning = "process id", .get = pid, .head = "process"},
    {"program", KT_AS_TEXT, KT_NULL | KT_SHRINK, .meaning = "path of the program; the column is its name",
     .get = program, .head = "program", .cell = program_cell},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "from the start of the process to its end", .get = wall,
     .head = "wall"},
    {"calls", KT_AS_COUNT, .meaning = CALLS_MEANING, KT_AT(struct kt_sum, calls), .head = "calls"},
    {"calls_top", KT_AS_COUNT, .meaning = TOP_MEANING, KT_AT(struct kt_sum, calls_top), .head = "outermost"},
    {"seconds_blas", KT_AS_SECONDS, KT_NULL, .meaning = BLAS_MEANING, KT_AT(struct kt_sum, seconds), .head = "time"},
    {"seconds_busy", KT_AS_SECONDS, KT_NULL, .meaning = "in which at least one of its threads is in a call",
     .get = busy},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = SHARE_MEANING, .get = share, .head = "share"},
    {0}};

static size_t threads(const struct kt_at *at)
{
    return kt_report_of(at)->summary.threads.count;
}

static const void *thread(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->summary.threads.sum[row];
}

static size_t processes(const struct kt_at *at)
{
    return kt_report_of(at)->summary.processes.count;
}

static const void *process(const struct kt_at *at, size_t row)
{
    return &kt_report_of(at)->summary.processes.sum[row];
}

const struct kt_field kt_report_thread_list[] = {{"threads", KT_AS_RECORD, KT_MANY,
                                                  .meaning = "threads, longest time first", .of = thread_fields,
                                                  .count = threads, .row = thread},
                                                 {0}};

const struct kt_field kt_report_process_list[] = {{"processes", KT_AS_RECORD, KT_MANY,
                                                   .meaning = "processes, longest time first", .of = process_fields,
                                                   .count = processes, .row = process},
                                                  {0}};

void kt_report_threads(const struct kt_report *report, size_t top)
{
    kt_heading("Threads");
    kt_field_print(kt_report_thread_list, report, top, 0);
    kt_row_tell_rest(report->summary.threads.count, top, "thread");
}

void kt_report_processes(const struct kt_report *report, size_t top)
{
    kt_heading("Processes");
    kt_field_print(kt_report_process_list, report, top, 0);
    kt_row_tell_rest(report->summary.processes.count, top, "process");
}

/* --- regions ------------------------------------------------------------------------------------------------- */

static const struct kt_region_sum *region_of(const struct kt_at *at)
{
    return at->object;
}

/* Names from the outermost region on; none: what is in no region. */
static json_t *path(const struct kt_at *at)
{
    const struct kt_region_sum *all = kt_report_of(at)->regions.sum;
    json_t *array = json_array();
    for (const struct kt_region_sum *sum = region_of(at); sum->name; sum = &all[sum->parent])
        json_array_insert_new(array, 0, kt_json_text(sum->name));
    return array;
}

static void path_cell(const struct kt_at *at, char *out, size_t size)
{
    const struct kt_region_sums *sums = &kt_report_of(at)->regions;
    kt_region_path(sums, (size_t)(region_of(at) - sums->sum), out, size);
}

static void entered_cell(const struct kt_at *at, char *out, size_t size)
{
    if (region_of(at)->name)
        kt_text_count((double)region_of(at)->entered, out);
    else
        snprintf(out, size, "-");
}

static void inside_cell(const struct kt_at *at, char *out, size_t size)
{
    if (region_of(at)->name)
        kt_text_seconds(region_of(at)->seconds, out);
    else
        snprintf(out, size, "-");
}

static json_t *region_share(const struct kt_at *at)
{
    return kt_report_share(region_of(at)->seconds_blas, kt_report_of(at)->summary.seconds_blas);
}

/* Null where the program said nothing. */
static json_t *stated(double number)
{
    return number > 0 ? json_real(number) : json_null();
}

static json_t *region_flops(const struct kt_at *at)
{
    return stated(region_of(at)->flops);
}

static json_t *region_bytes(const struct kt_at *at)
{
    return stated(region_of(at)->bytes);
}

static json_t *region_gflops(const struct kt_at *at)
{
    const struct kt_region_sum *sum = region_of(at);
    return stated(sum->seconds > 0 ? 1e-9 * sum->flops / sum->seconds : 0);
}

static json_t *region_intensity(const struct kt_at *at)
{
    const struct kt_region_sum *sum = region_of(at);
    return stated(sum->bytes > 0 ? sum->flops / sum->bytes : 0);
}

enum { ALL_REGIONS = 1, REGIONS_WITH_WORK = 2 }; /* views */

static const struct kt_field region_fields[] = {
    {"path", KT_AS_TEXT, KT_MANY | KT_SHRINK, .meaning = "names from the outermost region on; empty: in no region",
     .get = path, .head = "region", .cell = path_cell},
    {"entered", KT_AS_COUNT, .meaning = "how often it was entered", KT_AT(struct kt_region_sum, entered),
     .head = "entered", .cell = entered_cell},
    {"seconds", KT_AS_SECONDS, KT_NULL, .meaning = "time in the region, all threads added",
     KT_AT(struct kt_region_sum, seconds), .head = "inside", .cell = inside_cell},
    {"calls", KT_AS_COUNT, .meaning = CALLS_MEANING, KT_AT(struct kt_region_sum, calls), .head = "calls"},
    {"calls_top", KT_AS_COUNT, .meaning = TOP_MEANING, KT_AT(struct kt_region_sum, calls_top), .head = "outermost",
     .view = ALL_REGIONS},
    {"seconds_blas", KT_AS_SECONDS, KT_NULL, .meaning = BLAS_MEANING, KT_AT(struct kt_region_sum, seconds_blas),
     .head = "BLAS time"},
    {"share", KT_AS_SHARE, KT_NULL, .meaning = SHARE_MEANING, .get = region_share, .head = "share",
     .view = ALL_REGIONS},
    {"flops", KT_AS_NUMBER, KT_NULL, .unit = "operations", .meaning = "what the program says that it did there",
     .get = region_flops},
    {"bytes", KT_AS_NUMBER, KT_NULL, .unit = "bytes", .meaning = "memory traffic, as the program says",
     .get = region_bytes},
    {"gflops", KT_AS_NUMBER, KT_NULL, .unit = "10^9 operations/s", .meaning = "flops over seconds",
     .get = region_gflops, .head = "Gflop/s, stated", .view = REGIONS_WITH_WORK},
    {"intensity", KT_AS_NUMBER, KT_NULL, .unit = "operations per byte", .meaning = "flops over bytes",
     .get = region_intensity, .head = "flop/byte", .view = REGIONS_WITH_WORK},
    {0}};

/* Calls in no region are a row only where there are regions. */
static size_t regions(const struct kt_at *at)
{
    size_t count = kt_report_of(at)->regions.count;
    return count > 1 ? count : 0;
}

static const void *region(const struct kt_at *at, size_t row)
{
    const struct kt_region_sums *sums = &kt_report_of(at)->regions;
    return &sums->sum[sums->order[row]];
}

const struct kt_field kt_report_region_list[] = {
    {"regions", KT_AS_RECORD, KT_MANY, .meaning = "regions that the program named, with those nested in them",
     .of = region_fields, .count = regions, .row = region},
    {0}};

static bool is_any_stated(const struct kt_region_sums *sums)
{
    bool any = false;
    for (size_t i = 0; i < sums->count; i++)
        any |= sums->sum[i].flops > 0 || sums->sum[i].bytes > 0;
    return any;
}

void kt_report_regions(const struct kt_report *report, size_t top)
{
    const struct kt_region_sums *sums = &report->regions;
    kt_heading("Regions, with those nested in them");
    if (sums->count == 1 && !sums->unmatched) {
        printf("The program named no regions (include/ktrace/ktrace.h).\n");
        return;
    }
    kt_field_print(kt_report_region_list, report, top, is_any_stated(sums) ? REGIONS_WITH_WORK : ALL_REGIONS);
    if (sums->unmatched)
        printf("%llu ends of regions have no begin that was recorded\n", (unsigned long long)sums->unmatched);
    kt_row_tell_rest(sums->count, top, "region");
}
