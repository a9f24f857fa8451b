/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/roofline/hardware_events.h"

#include "trace/command/counts.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const kt_countable_name[] = {
#define KT_COUNTABLE_NAME(name, text, unit) text,
    KT_COUNTABLES(KT_COUNTABLE_NAME)
#undef KT_COUNTABLE_NAME
};
const char *const kt_countable_unit[] = {
#define KT_COUNTABLE_UNIT(name, text, unit) unit,
    KT_COUNTABLES(KT_COUNTABLE_UNIT)
#undef KT_COUNTABLE_UNIT
};

/* --- the table --------------------------------------------------------------------------------------------- */

/* Intel since Broadwell: an instruction counts once, a multiply-add twice (SDM, volume 3, FP_ARITH_INST_RETIRED), so
 * the weights are elements of a vector. Widths of both precisions share an event where they have as many elements: five
 * counters do. */
static const char intel_flops[] = "retired, of both precisions; no x87";
static const char amd_flops[] = "retired SSE and AVX; multiply-adds count twice; no x87";
static const char lines_loaded[] = "lines loaded that the L3 lacked, prefetched ones too; no write-backs";
static const char loads_missed[] = "loads that the last cache lacked, prefetches in part; no write-backs";
static const char amd_fills[] = "lines from memory to the L1; none that only reached the L2, no write-backs";
static const char l2_lines[] = "lines into the L2, and out of it unless dropped";
static const char streamed[] = "lines of streaming stores";

#define FP(pmu, what) pmu "::FP_ARITH_INST_RETIRED:" what

const struct kt_event_candidate kt_event_candidates[] = {
    {KT_COUNT_FLOPS,
     "Intel Sapphire Rapids",
     intel_flops,
     {{1, FP("spr", "SCALAR")},
      {2, FP("spr", "128B_PACKED_DOUBLE")},
      {4, FP("spr", "4_FLOPS")},
      {8, FP("spr", "8_FLOPS")},
      {16, FP("spr", "512B_PACKED_SINGLE")}}},
    {KT_COUNT_TRAFFIC, "Intel Sapphire Rapids", lines_loaded, {{64, "spr::OCR:READS_TO_CORE_L3_MISS"}}},
    {KT_COUNT_NT_STORES, "Intel Sapphire Rapids", streamed, {{64, "spr::OCR:STREAMING_WR_ANY_RESPONSE"}}},
    {KT_COUNT_L2_TRAFFIC,
     "Intel Sapphire Rapids",
     l2_lines,
     {{64, "spr::L2_LINES_IN:ALL"}, {64, "spr::L2_LINES_OUT:NON_SILENT"}}},
    {KT_COUNT_FLOPS,
     "Intel Ice Lake server",
     intel_flops,
     {{1, FP("icx", "SCALAR")},
      {2, FP("icx", "128B_PACKED_DOUBLE")},
      {4, FP("icx", "4_FLOPS")},
      {8, FP("icx", "8_FLOPS")},
      {16, FP("icx", "512B_PACKED_SINGLE")}}},
    {KT_COUNT_TRAFFIC, "Intel Ice Lake server", lines_loaded, {{64, "icx::OCR:READS_TO_CORE_L3_MISS"}}},
    {KT_COUNT_NT_STORES, "Intel Ice Lake server", streamed, {{64, "icx::OCR:STREAMING_WR_ANY_RESPONSE"}}},
    {KT_COUNT_L2_TRAFFIC,
     "Intel Ice Lake server",
     l2_lines,
     {{64, "icx::L2_LINES_IN:ALL"}, {64, "icx::L2_LINES_OUT:NON_SILENT"}}},
    {KT_COUNT_FLOPS,
     "Intel Cascade Lake",
     intel_flops,
     {{1, FP("clx", "SCALAR_DOUBLE:SCALAR_SINGLE")},
      {2, FP("clx", "128B_PACKED_DOUBLE")},
      {4, FP("clx", "128B_PACKED_SINGLE:256B_PACKED_DOUBLE")},
      {8, FP("clx", "256B_PACKED_SINGLE:512B_PACKED_DOUBLE")},
      {16, FP("clx", "512B_PACKED_SINGLE")}}},
    {KT_COUNT_TRAFFIC, "Intel Cascade Lake", lines_loaded, {{64, "clx::OFFCORE_RESPONSE_0:ANY_DATA:L3_MISS"}}},
    {KT_COUNT_TRAFFIC, "Intel Cascade Lake", loads_missed, {{64, "clx::LONGEST_LAT_CACHE:MISS"}}},
    {KT_COUNT_L2_TRAFFIC,
     "Intel Cascade Lake",
     l2_lines,
     {{64, "clx::L2_LINES_IN:ALL"}, {64, "clx::L2_LINES_OUT:NON_SILENT"}}},
    {KT_COUNT_FLOPS,
     "Intel Skylake-X",
     intel_flops,
     {{1, FP("skx", "SCALAR_DOUBLE:SCALAR_SINGLE")},
      {2, FP("skx", "128B_PACKED_DOUBLE")},
      {4, FP("skx", "128B_PACKED_SINGLE:256B_PACKED_DOUBLE")},
      {8, FP("skx", "256B_PACKED_SINGLE:512B_PACKED_DOUBLE")},
      {16, FP("skx", "512B_PACKED_SINGLE")}}},
    {KT_COUNT_TRAFFIC, "Intel Skylake-X", lines_loaded, {{64, "skx::OFFCORE_RESPONSE_0:ANY_DATA:L3_MISS"}}},
    {KT_COUNT_TRAFFIC, "Intel Skylake-X", loads_missed, {{64, "skx::LONGEST_LAT_CACHE:MISS"}}},
    {KT_COUNT_L2_TRAFFIC,
     "Intel Skylake-X",
     l2_lines,
     {{64, "skx::L2_LINES_IN:ALL"}, {64, "skx::L2_LINES_OUT:NON_SILENT"}}},
    {KT_COUNT_FLOPS, "AMD Zen 4", amd_flops, {{1, "amd64_fam19h_zen4::RETIRED_SSE_AVX_FLOPS:ANY"}}},
    {KT_COUNT_TRAFFIC,
     "AMD Zen 4",
     amd_fills,
     {{64, "amd64_fam19h_zen4::ANY_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_NEAR"},
      {64, "amd64_fam19h_zen4::ANY_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_FAR"}}},
    {KT_COUNT_FLOPS, "AMD Zen 3", amd_flops, {{1, "amd64_fam19h_zen3::RETIRED_SSE_AVX_FLOPS:ANY"}}},
    {KT_COUNT_TRAFFIC,
     "AMD Zen 3",
     amd_fills,
     {{64, "amd64_fam19h_zen3::ANY_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_LCL"},
      {64, "amd64_fam19h_zen3::ANY_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_RMT"}}},
    {KT_COUNT_FLOPS, "AMD Zen 2", amd_flops, {{1, "amd64_fam17h_zen2::RETIRED_SSE_AVX_FLOPS:ANY"}}},
    {KT_COUNT_FLOPS,
     "Arm with SVE of 128 bits",
     "speculative ones too, of fixed and of scalable vectors",
     {{1, "perf_raw::r80c1" /* FP_FIXED_OPS_SPEC */}, {1, "perf_raw::r80c0" /* FP_SCALE_OPS_SPEC */}}},
    {KT_COUNT_TRAFFIC, "Arm", loads_missed, {{64, "perf_raw::r37" /* LL_CACHE_MISS_RD */}}},
    {KT_COUNT_L2_TRAFFIC,
     "Arm",
     l2_lines,
     {{64, "perf_raw::r17" /* L2D_CACHE_REFILL */}, {64, "perf_raw::r18" /* L2D_CACHE_WB */}}},
    {KT_COUNT_TRAFFIC,
     "any",
     "misses of the last cache as the kernel counts them; prefetches left out",
     {{64, "perf::LLC-LOAD-MISSES"}, {64, "perf::LLC-STORE-MISSES"}}},
    {KT_COUNT_TRAFFIC,
     "any",
     "load misses of the last cache as the kernel counts them",
     {{64, "perf::LLC-LOAD-MISSES"}}},
};
#undef FP
const size_t kt_event_candidate_count = sizeof kt_event_candidates / sizeof *kt_event_candidates;

/* --- choice ------------------------------------------------------------------------------------------------ */

static bool has_all(const struct kt_event_candidate *candidate, kt_event_test *has, void *context)
{
    for (int i = 0; i < KT_EVENT_TERMS && candidate->term[i].event; i++)
        if (!has(context, candidate->term[i].event))
            return false;
    return true;
}

void kt_events_choose(kt_event_test *has, void *context, const struct kt_event_candidate *out[KT_COUNTABLES_COUNT])
{
    for (int q = 0; q < KT_COUNTABLES_COUNT; q++) {
        out[q] = NULL;
        for (size_t i = 0; i < kt_event_candidate_count && !out[q]; i++)
            if (kt_event_candidates[i].countable == (enum kt_countable)q &&
                has_all(&kt_event_candidates[i], has, context))
                out[q] = &kt_event_candidates[i];
    }
}

static int terms_of(const struct kt_event_candidate *candidate)
{
    int terms = 0;
    while (terms < KT_EVENT_TERMS && candidate->term[terms].event)
        terms++;
    return terms;
}

void kt_events_setting(const struct kt_event_candidate *const chosen[KT_COUNTABLES_COUNT], char *out, size_t size)
{
    int events = 0;
    size_t length = 0;
    *out = '\0';
    for (int q = 0; q < KT_COUNTABLES_COUNT; q++) {
        if (!chosen[q] || events + terms_of(chosen[q]) > KT_EVENTS_AT_ONCE)
            continue;
        for (int i = 0; i < terms_of(chosen[q]) && length < size; i++)
            length +=
                (size_t)snprintf(out + length, size - length, "%s%s", events++ ? "," : "", chosen[q]->term[i].event);
    }
}

/* --- of a trace -------------------------------------------------------------------------------------------- */

static const struct kt_counter *counter_named(const struct kt_process *process, const char *name)
{
    for (size_t i = 0; i < process->counters; i++)
        if (!strcmp(process->counter[i].name, name))
            return &process->counter[i];
    return NULL;
}

bool kt_event_was_counted(void *context, const char *event)
{
    const struct kt_process *process = context;
    const struct kt_counter *counter = counter_named(process, event);
    return counter && strcmp(counter->status, "n/a") != 0 && strcmp(counter->status, "unused") != 0;
}

double kt_event_sum(const struct kt_event_candidate *candidate, const struct kt_call *call)
{
    double sum = 0;
    for (int i = 0; i < terms_of(candidate); i++) {
        uint64_t count;
        const struct kt_counter *counter = counter_named(call->process, candidate->term[i].event);
        if (!counter || !kt_call_count(call, (size_t)(counter - call->process->counter), &count))
            return NAN;
        sum += candidate->term[i].weight * (double)count;
    }
    return sum;
}

/* --- libpfm4 ----------------------------------------------------------------------------------------------- */

/* What its headers say, which need not be there when we are built. */
enum { PFM_SUCCESS = 0, PFM_OS_PERF_EVENT = 1, PFM_PLM3 = 8 };

struct kernel_encoding { /* pfm_perf_encode_arg_t */
    struct perf_event_attr *attr;
    char **full_name;
    size_t size;
    int index, cpu, flags, padding;
};

static struct {
    bool tried;
    int (*encode)(const char *text, int privilege_levels, int os, void *encoding);
} pfm;

static bool load_library(void)
{
    if (pfm.tried)
        return pfm.encode != NULL;
    pfm.tried = true;
    void *library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    int (*initialize)(void) = (int (*)(void))dlsym(library, "pfm_initialize");
    if (initialize && initialize() == PFM_SUCCESS)
        pfm.encode = (int (*)(const char *, int, int, void *))dlsym(library, "pfm_get_os_event_encoding");
    return pfm.encode != NULL;
}

/* The kernel's own events have no code but the kernel's. */
static int encode_for_kernel(const char *event, struct perf_event_attr *attr)
{
    struct kernel_encoding encoding = {.attr = attr, .size = sizeof encoding};
    *attr = (struct perf_event_attr){.size = sizeof *attr};
    return pfm.encode(event, PFM_PLM3, PFM_OS_PERF_EVENT, &encoding);
}

/* A counter of this thread; below 0: there is none. */
static int open_event(const char *event)
{
    struct perf_event_attr attr;
#ifndef __aarch64__
    if (!strncmp(event, "perf_raw::", 10)) /* numbers of Arm's */
        return -1;
#endif
    if (!load_library() || encode_for_kernel(event, &attr) != PFM_SUCCESS)
        return -1;
    attr.exclude_kernel = 1;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool kt_event_is_here(void *context, const char *event)
{
    (void)context;
    int file = open_event(event);
    if (file >= 0)
        close(file);
    return file >= 0;
}

/* --- counting here ----------------------------------------------------------------------------------------- */

void kt_event_group_open(const struct kt_event_candidate *candidate, struct kt_event_group *out)
{
    *out = (struct kt_event_group){.candidate = candidate, .fine = candidate != NULL};
    for (int i = 0; candidate && i < terms_of(candidate); i++) {
        out->file[i] = open_event(candidate->term[i].event);
        out->fine = out->fine && out->file[i] >= 0;
    }
}

/* False where others had the counter for a part of the time. */
static bool read_count(int file, uint64_t *count)
{
    uint64_t value[3]; /* count, time enabled, time running */
    if (read(file, value, sizeof value) != (ssize_t)sizeof value || value[1] != value[2])
        return false;
    *count = value[0];
    return true;
}

void kt_event_group_begin(struct kt_event_group *group)
{
    for (int i = 0; group->fine && i < terms_of(group->candidate); i++)
        group->fine = read_count(group->file[i], &group->start[i]);
}

double kt_event_group_end(const struct kt_event_group *group)
{
    double sum = group->fine ? 0 : NAN;
    for (int i = 0; group->fine && i < terms_of(group->candidate); i++) {
        uint64_t count;
        if (!read_count(group->file[i], &count))
            return NAN;
        sum += group->candidate->term[i].weight * (double)(count - group->start[i]);
    }
    return sum;
}

void kt_event_group_close(struct kt_event_group *group)
{
    for (int i = 0; group->candidate && i < terms_of(group->candidate); i++)
        if (group->file[i] >= 0)
            close(group->file[i]);
}
