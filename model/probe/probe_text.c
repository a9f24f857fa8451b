/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/probe/probe_text.h"

#include "trace/command/about.h"
#include "trace/print/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 24 };

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

/* "32 KiB"; "-" if it is not known. */
static const char *size_text(double bytes, char out[CELL])
{
    if (!(bytes > 0))
        return "-";
    int unit = bytes >= 1048576 ? 2 : bytes >= 1024;
    double value = bytes / (unit == 2 ? 1048576 : unit ? 1024 : 1);
    snprintf(out, CELL, value < 10 && value != floor(value) ? "%.2f %s" : "%.0f %s", value,
             unit == 2 ? "MiB"
             : unit    ? "KiB"
                       : "B");
    return out;
}

static const char *value_text(double value, const char *format, char out[CELL])
{
    if (!isfinite(value))
        return "-";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(out, CELL, format, value);
#pragma GCC diagnostic pop
    return out;
}

/* --- parts -----------------------------------------------------------------------------------------------------------
 */

static void print_clocks(const json_t *d)
{
    const json_t *range = json_object_get(d, "core_hz_range");
    kt_about_line("clock", "core %.3f GHz (%.2f to %.2f while it was looked at)", number(d, "core_hz") / 1e9,
                  json_number_value(json_array_get(range, 0)) / 1e9, json_number_value(json_array_get(range, 1)) / 1e9);
    kt_about_line("", "time stamp counter %.3f GHz: %.2f core cycles a tick", number(d, "tsc_hz") / 1e9,
                  number(d, "core_hz") / number(d, "tsc_hz"));
}

static const char *mark(double claimed, double measured, double ratio)
{
    if (!(claimed > 0) || !(measured > 0))
        return "";
    return fmax(claimed, measured) > ratio * fmin(claimed, measured) ? " !" : "";
}

static const json_t *claim_of(const json_t *claims, double level)
{
    size_t i;
    json_t *claim;
    json_array_foreach(claims, i, claim)
    {
        if (number(claim, "level") == level)
            return claim;
    }
    return NULL;
}

/* What is claimed of a cache's size, marked if it is something else. */
static void claim_text(const json_t *claims, const json_t *cache, char out[2 * CELL])
{
    char c[CELL];
    double bytes = number(claim_of(claims, number(cache, "level")), "bytes");
    const json_t *range = json_object_get(cache, "bytes_between");
    double high = json_number_value(json_array_get(range, 1));
    double low = json_number_value(json_array_get(range, 0));
    bool outside = isnan(number(cache, "bytes")) && range && (bytes > 1.25 * high || bytes < low / 1.25);
    snprintf(out, 2 * CELL, "%s%s", size_text(bytes, c), outside ? " !" : mark(bytes, number(cache, "bytes"), 1.25));
}

static void cache_row(struct kt_text_table *table, const json_t *cache, const json_t *d)
{
    char c[8][CELL];
    char claimed[2][2 * CELL];
    char name[CELL];
    snprintf(name, sizeof name, "L%.0f", number(cache, "level"));
    claim_text(json_object_get(d, "claimed_caches"), cache, claimed[0]);
    claim_text(json_object_get(json_object_get(d, "hwloc"), "caches"), cache, claimed[1]);
    kt_text_table_row(
        table,
        (const char *const[]){
            name, size_text(number(cache, "bytes"), c[1]), size_text(number(cache, "effective_bytes"), c[2]),
            value_text(number(cache, "ways"), "%.0f", c[3]), value_text(number(cache, "latency_cycles"), "%.1f", c[4]),
            value_text(number(cache, "latency_ns"), "%.1f", c[5]),
            value_text(number(cache, "bytes") > 0 ? number(cache, "confidence") : NAN, "%.2f", c[6]), claimed[0],
            claimed[1]});
}

static void print_caches(const json_t *d)
{
    static const struct kt_column columns[] = {
        {"cache", false, false},     {"size", true, false},   {"effective", true, false},
        {"ways", true, false},       {"cycles", true, false}, {"ns", true, false},
        {"confidence", true, false}, {"system", true, false}, {"hwloc", true, false}};
    struct kt_text_table *table = kt_text_table_new(columns, sizeof columns / sizeof *columns);
    const json_t *memory = json_object_get(d, "memory");
    char c[2][CELL];
    size_t i;
    json_t *cache;
    json_array_foreach(json_object_get(d, "caches"), i, cache)
    {
        cache_row(table, cache, d);
    }
    kt_text_table_row(table, (const char *const[]){"memory", "", "", "",
                                                   value_text(number(memory, "latency_cycles"), "%.0f", c[0]),
                                                   value_text(number(memory, "latency_ns"), "%.0f", c[1]), "", "", ""});
    kt_heading("Caches");
    kt_text_table_print(table);
    kt_text_table_free(table);
    const json_t *code = json_object_get(d, "instruction_cache");
    if (code)
        printf("code: %s of instruction cache, up to %s at full rate\n", size_text(number(code, "bytes"), c[0]),
               size_text(number(code, "effective_bytes"), c[1]));
    printf("line %s, page %s", size_text(number(d, "line_bytes"), c[0]), size_text(number(d, "page_bytes"), c[1]));
    if (number(d, "page_joined_bytes") > 0)
        printf(" (the TLB joins neighbours up to %s)", size_text(number(d, "page_joined_bytes"), c[0]));
    json_array_foreach(json_object_get(d, "tlb"), i, cache)
    {
        printf("%s %s", i ? " +" : ", TLB entries", value_text(number(cache, "entries"), "%.0f", c[0]));
    }
    printf("\n");
}

static void print_operations(const json_t *d)
{
    static const struct kt_column columns[] = {{"operation", false, false},
                                               {"type", false, true},
                                               {"latency", true, false},
                                               {"a cycle", true, false},
                                               {"in flight", true, false}};
    struct kt_text_table *table = kt_text_table_new(columns, sizeof columns / sizeof *columns);
    size_t i;
    json_t *op;
    json_array_foreach(json_object_get(d, "operations"), i, op)
    {
        char c[3][CELL];
        bool at_least = json_is_true(json_object_get(op, "in_flight_at_least"));
        kt_text_table_row(
            table, (const char *const[]){text(op, "name"), text(op, "type"),
                                         value_text(number(op, "latency_cycles"), "%.1f", c[0]),
                                         value_text(number(op, "throughput_per_cycle"), "%.2f", c[1]),
                                         value_text(number(op, "in_flight"), at_least ? ">= %.0f" : "%.0f", c[2])});
    }
    kt_heading("Operations (core cycles)");
    kt_text_table_print(table);
    kt_text_table_free(table);
}

static bool is_peak(const json_t *peak, const char *operation, const char *type, bool scalar)
{
    return !strcmp(text(peak, "operation"), operation) && !strcmp(text(peak, "type"), type) &&
           number(peak, "cores") == 1 && (number(peak, "lanes") == 1) == scalar;
}

/* The best, marked if it is a lower limit. */
static const char *best_peak(const json_t *d, const char *operation, const char *type, bool scalar, char out[CELL])
{
    double best = NAN;
    bool at_least = false;
    size_t i;
    json_t *peak;
    json_array_foreach(json_object_get(d, "peak"), i, peak)
    {
        double value = is_peak(peak, operation, type, scalar) ? number(peak, "flops_per_cycle") : NAN;
        if (value > (isnan(best) ? 0 : best)) {
            best = value;
            at_least = json_is_true(json_object_get(peak, "at_least"));
        }
    }
    return value_text(best, at_least ? ">= %.2f" : "%.2f", out);
}

static void print_peaks(const json_t *d)
{
    static const struct kt_column columns[] = {{"flops a cycle", false, false},
                                               {"add", true, false},
                                               {"mul", true, false},
                                               {"balanced", true, false},
                                               {"fma", true, false}};
    static const char *const types[] = {"double", "float"};
    struct kt_text_table *table = kt_text_table_new(columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < 4; i++) {
        char name[CELL];
        char c[4][CELL];
        const char *type = types[i / 2];
        bool scalar = i % 2 == 0;
        snprintf(name, sizeof name, "%s%s", type, scalar ? "" : ", vectors");
        kt_text_table_row(table, (const char *const[]){name, best_peak(d, "add", type, scalar, c[0]),
                                                       best_peak(d, "mul", type, scalar, c[1]),
                                                       best_peak(d, "balance", type, scalar, c[2]),
                                                       best_peak(d, "fma", type, scalar, c[3])});
    }
    kt_heading("Peaks of one core");
    kt_text_table_print(table);
    kt_text_table_free(table);
}

static void print_bandwidth(const json_t *d)
{
    static const struct kt_column columns[] = {
        {"bandwidth", false, false}, {"bytes a cycle", true, false}, {"", true, false}};
    struct kt_text_table *table = kt_text_table_new(columns, sizeof columns / sizeof *columns);
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(d, "bandwidth"), i, row)
    {
        char c[CELL];
        char rate[32];
        kt_text_table_row(
            table, (const char *const[]){text(row, "name"), value_text(number(row, "bytes_per_cycle"), "%.2f", c),
                                         kt_text_rate(number(row, "bytes_per_second"), "B/s", rate, sizeof rate)});
    }
    kt_heading("Bandwidth of one core, and of all");
    kt_text_table_print(table);
    kt_text_table_free(table);
}

/* What a pair exchanges per second, of small blocks to large ones: the slowest and the fastest pair. */
static void print_sharing(const json_t *sharing)
{
    size_t i;
    int first = 0;
    json_t *row;
    json_array_foreach(sharing, i, row)
    {
        const json_t *pairs = json_object_get(row, "pairs");
        double low = INFINITY;
        double high = 0;
        size_t k;
        json_t *pair;
        char size[CELL];
        char rate[2][32];
        json_array_foreach(pairs, k, pair)
        {
            if (isnan(number(pair, "bytes_per_second")))
                continue;
            low = fmin(low, number(pair, "bytes_per_second"));
            high = fmax(high, number(pair, "bytes_per_second"));
        }
        if (high > 0)
            kt_about_line(first++ ? "" : "exchange", "%s blocks by pairs: %s to %s, %zu group(s)",
                          size_text(number(row, "block_bytes"), size), kt_text_rate(low, "B/s", rate[0], 32),
                          kt_text_rate(high, "B/s", rate[1], 32), json_array_size(json_object_get(row, "groups")));
    }
}

static void print_cores(const json_t *d)
{
    const json_t *contexts = json_object_get(d, "contexts");
    char c[5][CELL];
    size_t i;
    json_t *row;
    if (!contexts)
        return;
    kt_heading("Cores");
    kt_about_line("contexts", "%s integer, %s floating point, %s memory; %s thread(s) a core",
                  value_text(number(contexts, "int"), "%.0f", c[0]), value_text(number(contexts, "fp"), "%.0f", c[1]),
                  value_text(number(contexts, "mem"), "%.0f", c[2]), value_text(number(d, "smt"), "%.0f", c[3]));
    kt_about_line("time slot", "%s ms", value_text(number(d, "timeslice_ms"), "%.1f", c[4]));
    json_array_foreach(json_object_get(d, "live_ranges"), i, row)
    {
        kt_about_line(i ? "" : "variables", "%s of %s", value_text(number(row, "count"), "%.0f", c[0]),
                      text(row, "type"));
    }
    if (json_object_get(d, "cores_alike"))
        kt_about_line("cores", "%s",
                      !json_is_boolean(json_object_get(d, "cores_alike")) ? "not compared"
                      : json_is_true(json_object_get(d, "cores_alike"))   ? "alike in clock and second cache"
                                                                          : "not alike: see --json, \"cores\"");
    print_sharing(json_object_get(d, "sharing"));
    if (json_object_get(d, "fma"))
        kt_about_line("fma", "%s", json_is_true(json_object_get(d, "fma")) ? "yes" : "no");
}

enum { INDENT = 4 }; /* of lines that go on */

/* "1 MiB", "16"; "nothing" if there is none. */
static const char *claimed_text(const json_t *row, const char *key, char out[CELL])
{
    const json_t *value = json_object_get(row, key);
    if (!json_is_number(value))
        return "nothing";
    return strstr(text(row, "what"), "ways") ? value_text(json_number_value(value), "%.0f", out)
                                             : size_text(json_number_value(value), out);
}

static void print_differences(const json_t *differences, const char *who)
{
    size_t i;
    json_t *row;
    json_array_foreach(differences, i, row)
    {
        char c[2][CELL];
        char line[1024];
        snprintf(line, sizeof line, "! %s: %s says %s, measured %s", text(row, "what"), who,
                 claimed_text(row, "claimed", c[0]), claimed_text(row, "measured", c[1]));
        kt_text_wrap(0, INDENT, line);
    }
}

static void print_rest(const json_t *d)
{
    const json_t *system = json_object_get(d, "differences");
    const json_t *hwloc = json_object_get(d, "hwloc_differences");
    size_t i;
    json_t *row;
    char line[1024];
    if (json_array_size(system) + json_array_size(hwloc)) {
        kt_heading("Not as is claimed");
        print_differences(system, "the system");
        print_differences(hwloc, "hwloc");
        printf("\n");
    }
    if (json_array_size(json_object_get(d, "not_determined")))
        kt_heading("Not measurable here");
    json_array_foreach(json_object_get(d, "not_determined"), i, row)
    {
        snprintf(line, sizeof line, "%s: %s", text(row, "what"), text(row, "why"));
        kt_text_wrap(0, INDENT, line);
    }
}

void kt_probe_print(const json_t *d)
{
    print_clocks(d);
    printf("\n");
    print_caches(d);
    printf("\n");
    print_operations(d);
    printf("\n");
    print_peaks(d);
    printf("\n");
    print_bandwidth(d);
    printf("\n");
    print_cores(d);
    printf("\n");
    print_rest(d);
    char seconds[16];
    printf("\nmeasured in %s%s\n", kt_text_seconds(number(d, "seconds_spent"), seconds),
           json_is_true(json_object_get(d, "quick")) ? " with --quick: pages, variables and cores were left out" : "");
}
