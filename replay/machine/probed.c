/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/machine/probed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* More is no cache's, and no line's. */
static const double most_bytes = 0x1p40;
static const double most_line = 0x1p20;

unsigned kt_probed_caches(const struct kt_machine *machine, struct kt_caches *caches)
{
    unsigned known = 0;
    double before = 0;
    for (unsigned i = 0; i + 1 < caches->count && i < machine->caches; i++) {
        double bytes = machine->cache[i].effective_bytes;
        if (!(bytes > before) || bytes > most_bytes)
            break;
        caches->cache[i].bytes = (uint64_t)bytes;
        before = bytes;
        known++;
    }
    if (machine->line_bytes >= 1 && machine->line_bytes <= most_line)
        caches->line = (uint64_t)machine->line_bytes;
    return known;
}

/* The best of one core whose name begins and ends so, per second; 0: there is none. */
static double best_roof(const struct kt_machine *machine, const struct kt_machine_roof *roof, size_t count,
                        const char *first, const char *last)
{
    double best = 0;
    for (size_t i = 0; i < count; i++) {
        const char *end = strstr(roof[i].name, last);
        double rate = isfinite(roof[i].per_second) ? roof[i].per_second : roof[i].per_cycle * machine->core_hz;
        if (roof[i].cores == 1 && end && !strncmp(roof[i].name, first, strlen(first)))
            best = fmax(best, rate);
    }
    return best;
}

static double flops_of(const struct kt_machine *machine, const char *type)
{
    return fmax(best_roof(machine, machine->peak, machine->peaks, "fma", type),
                best_roof(machine, machine->peak, machine->peaks, "", type));
}

static double bytes_of(const struct kt_machine *machine, const char *level, const char *operation)
{
    char name[32];
    snprintf(name, sizeof name, "%s %s", level, operation);
    return best_roof(machine, machine->bandwidth, machine->bandwidths, name, operation);
}

static bool take_level(const struct kt_machine *machine, enum kt_peak_level level, struct kt_bandwidth *out)
{
    const char *name = kt_peak_level_name[level];
    bool is_memory = level == KT_PEAK_MEMORY;
    double size = is_memory ? INFINITY : (size_t)level < machine->caches ? machine->cache[level].effective_bytes : 0;
    *out = (struct kt_bandwidth){
        .capacity = size,
        .read = bytes_of(machine, name, "load"),
        .write = fmax(bytes_of(machine, name, "store"), bytes_of(machine, name, "nt_store")),
        .both = fmax(bytes_of(machine, name, "copy"), bytes_of(machine, name, "triad")),
    };
    return out->read > 0 && out->write > 0 && out->both > 0;
}

bool kt_probed_peaks(const struct kt_machine *machine, int threads, struct kt_peaks *out)
{
    struct kt_peaks peaks = {.threads = threads, .probed = true};
    peaks.flops[KT_PEAK_SINGLE] = flops_of(machine, " float");
    peaks.flops[KT_PEAK_DOUBLE] = flops_of(machine, " double");
    bool whole = threads == 1 && peaks.flops[KT_PEAK_SINGLE] > 0 && peaks.flops[KT_PEAK_DOUBLE] > 0;
    for (int i = 0; i < KT_PEAK_LEVELS; i++) {
        /* A last cache that was too small for a bandwidth of its own is none. */
        if (!take_level(machine, (enum kt_peak_level)i, &peaks.level[i]) && i == KT_PEAK_L3)
            peaks.level[i] = (struct kt_bandwidth){0};
        else
            whole = whole && peaks.level[i].read > 0 && peaks.level[i].write > 0 && peaks.level[i].both > 0;
    }
    if (whole)
        *out = peaks;
    return whole;
}
