/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/roofline/roofs.h"

#include "model/roofline/quantities.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CORES = 1 << 20 };

/* With the number of cores; the machine file says "all cores" of however many there were. */
static void name_roof(struct kt_roof *roof, const char *name)
{
    const char *all = strstr(name, " all cores");
    int length = all ? (int)(all - name) : (int)strlen(name);
    if (roof->cores > 1)
        snprintf(roof->name, sizeof roof->name, "%.*s on %d cores", length < 50 ? length : 50, name, roof->cores);
    else
        snprintf(roof->name, sizeof roof->name, "%.63s", name);
}

static struct kt_roof *add_roof(struct kt_roofs *out, const char *name, enum kt_roof_kind kind, double value, int cores)
{
    if (out->count == KT_MOST_ROOFS || !(value > 0) || isinf(value))
        return NULL;
    struct kt_roof *roof = &out->roof[out->count++];
    *roof = (struct kt_roof){.kind = kind, .value = value, .cores = cores};
    name_roof(roof, name);
    return roof;
}

/* --- operations -------------------------------------------------------------------------------------------- */

static bool is_vector(const struct kt_machine_roof *roof)
{
    return strstr(roof->name, " x") != NULL;
}

/* The best of a precision; VECTOR: of any width, otherwise of scalars only. */
static const struct kt_machine_roof *best_peak(const struct kt_machine *machine, bool is_single, bool vector, bool all)
{
    const struct kt_machine_roof *best = NULL;
    for (size_t i = 0; i < machine->peaks; i++) {
        const struct kt_machine_roof *roof = &machine->peak[i];
        bool fits = (strstr(roof->name, "float") != NULL) == is_single && (vector || !is_vector(roof)) &&
                    (roof->cores > 1) == all;
        if (fits && (!best || roof->per_cycle > best->per_cycle))
            best = roof;
    }
    return best;
}

static void add_peak(const struct kt_machine_roof *peak, bool is_single, bool vector, struct kt_roofs *out)
{
    struct kt_roof *roof = peak ? add_roof(out, peak->name, KT_ROOF_FLOPS, peak->per_cycle, peak->cores) : NULL;
    if (!roof)
        return;
    roof->is_single = is_single;
    roof->is_main = vector;
}

static void add_peaks(const struct kt_machine *machine, struct kt_roofs *out)
{
    for (int is_single = 0; is_single < 2; is_single++)
        for (int vector = 1; vector >= 0; vector--)
            add_peak(best_peak(machine, is_single, vector, false), is_single, vector, out);
}

/* What is measured on all cores is double precision. Single precision uses the same units, so it gains as much. */
static void add_peaks_of_all(const struct kt_machine *machine, struct kt_roofs *out)
{
    const struct kt_machine_roof *one = best_peak(machine, false, true, false);
    const struct kt_machine_roof *all = best_peak(machine, false, true, true);
    const struct kt_machine_roof *one_single = best_peak(machine, true, true, false);
    const struct kt_machine_roof *all_single = best_peak(machine, true, true, true);
    struct kt_machine_roof scaled;
    add_peak(all, false, true, out);
    if (!all_single && all && one && one_single) {
        scaled = *one_single;
        scaled.cores = all->cores;
        scaled.per_cycle *= all->per_cycle / one->per_cycle;
        snprintf(scaled.name, sizeof scaled.name, "%.40s, scaled", one_single->name);
        all_single = &scaled;
    }
    add_peak(all_single, true, true, out);
}

/* --- bytes ------------------------------------------------------------------------------------------------- */

/* A rate that is known in seconds does not follow the clock of the moment at which it was measured. */
static double bytes_per_cycle(const struct kt_machine *machine, const struct kt_machine_roof *roof)
{
    return roof->per_second > 0 ? roof->per_second / machine->core_hz : roof->per_cycle;
}

/* "L2 load": level and operation. */
static bool is_of_level(const struct kt_machine_roof *roof, const char *level)
{
    size_t length = strlen(level);
    return !strncmp(roof->name, level, length) && roof->name[length] == ' ';
}

static bool is_odd(const struct kt_machine_roof *roof)
{
    return strstr(roof->name, "random") || strstr(roof->name, "nt_store");
}

static void add_level(const struct kt_machine *machine, const char *level, bool all, struct kt_roofs *out)
{
    const struct kt_machine_roof *best = NULL;
    for (size_t i = 0; i < machine->bandwidths; i++) {
        const struct kt_machine_roof *roof = &machine->bandwidth[i];
        bool fits = is_of_level(roof, level) && !is_odd(roof) && (roof->cores > 1) == all;
        if (fits && (!best || bytes_per_cycle(machine, roof) > bytes_per_cycle(machine, best)))
            best = roof;
    }
    struct kt_roof *roof =
        best ? add_roof(out, best->name, KT_ROOF_BYTES, bytes_per_cycle(machine, best), best->cores) : NULL;
    if (!roof)
        return;
    roof->is_main = true;
    snprintf(roof->level, sizeof roof->level, "%.15s", level);
}

static void add_odd(const struct kt_machine *machine, struct kt_roofs *out)
{
    for (size_t i = 0; i < machine->bandwidths; i++) {
        const struct kt_machine_roof *roof = &machine->bandwidth[i];
        if (is_odd(roof) && roof->cores == 1) {
            struct kt_roof *added =
                add_roof(out, roof->name, KT_ROOF_BYTES, bytes_per_cycle(machine, roof), roof->cores);
            if (added)
                snprintf(added->level, sizeof added->level, "memory");
        }
    }
}

static unsigned line_shift_of(const struct kt_machine *machine)
{
    double shift = machine->line_bytes >= 16 ? round(log2(machine->line_bytes)) : KT_LINE_SHIFT;
    return shift <= 12 ? (unsigned)shift : KT_LINE_SHIFT;
}

static void add_cache(struct kt_roofs *out, double bytes)
{
    if (!(bytes > 0) || isinf(bytes) || out->levels == KT_MOST_LEVELS)
        return;
    out->level_bytes[out->levels++] = bytes;
}

void kt_roofs_choose(const struct kt_machine *machine, struct kt_roofs *out)
{
    *out = (struct kt_roofs){
        .hz = machine->core_hz, .line_shift = line_shift_of(machine), .cache = kt_machine_last_cache(machine)};
    for (size_t i = 0; i < machine->caches; i++)
        add_cache(out, machine->cache[i].effective_bytes);
    for (int all = 0; all < 2; all++) {
        if (all)
            add_peaks_of_all(machine, out);
        else
            add_peaks(machine, out);
        add_level(machine, "L1", all, out);
        add_level(machine, "L2", all, out);
        add_level(machine, "L3", all, out);
        add_level(machine, "memory", all, out);
    }
    add_odd(machine, out);
}

/* --- of a replay ------------------------------------------------------------------------------------------- */

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void add_replayed_level(const json_t *level, double hz, int cores, struct kt_roofs *out)
{
    const char *name = json_string_value(json_object_get(level, "name"));
    double value = fmax(number(level, "both"), fmax(number(level, "read"), number(level, "write"))) / hz;
    struct kt_roof *roof = name ? add_roof(out, name, KT_ROOF_BYTES, value, cores) : NULL;
    if (!roof)
        return;
    roof->is_main = true;
    snprintf(roof->level, sizeof roof->level, "%.15s", name);
    add_cache(out, number(level, "bytes"));
}

bool kt_roofs_of_replay(const json_t *replay, double hz, struct kt_roofs *out)
{
    static const char *const name[2] = {"double", "single"};
    static const char *const key[2] = {"flops_double", "flops_single"};
    const json_t *peaks = json_object_get(replay, "peaks");
    size_t i;
    json_t *level;
    int cores = (int)fmin(fmax(1, number(peaks, "threads")), MOST_CORES);
    *out = (struct kt_roofs){.hz = hz, .line_shift = KT_LINE_SHIFT};
    for (int p = 0; p < 2; p++) {
        struct kt_roof *roof = add_roof(out, name[p], KT_ROOF_FLOPS, number(peaks, key[p]) / hz, cores);
        if (!roof)
            return false;
        roof->is_single = p == 1;
        roof->is_main = true;
    }
    json_array_foreach(json_object_get(peaks, "levels"), i, level)
    {
        add_replayed_level(level, hz, cores, out);
    }
    return true;
}

static bool same_kind(const struct kt_roof *a, const struct kt_roof *b)
{
    return a->kind == b->kind && a->is_main && b->is_main && a->cores == b->cores && a->is_single == b->is_single &&
           !strcmp(a->level, b->level);
}

static void raise_to(struct kt_roofs *roofs, const struct kt_roof *other)
{
    for (size_t i = 0; i < roofs->count; i++) {
        struct kt_roof *roof = &roofs->roof[i];
        if (!same_kind(roof, other))
            continue;
        if (other->value > roof->value) {
            roof->value = other->value;
            if (roof->kind == KT_ROOF_BYTES) /* by other loops */
                memcpy(roof->name, other->name, sizeof roof->name);
        }
        return;
    }
    if (other->is_main && roofs->count < KT_MOST_ROOFS)
        roofs->roof[roofs->count++] = *other;
}

void kt_roofs_raise(struct kt_roofs *roofs, const struct kt_roofs *other)
{
    for (size_t i = 0; i < other->count; i++) {
        struct kt_roof roof = other->roof[i];
        roof.value *= other->hz / roofs->hz;
        raise_to(roofs, &roof);
    }
}

/* --- use --------------------------------------------------------------------------------------------------- */

double kt_roofs_ridge(const struct kt_roof *flops, const struct kt_roof *bytes)
{
    return flops->value / bytes->value;
}

bool kt_roofs_are_equal(const struct kt_roofs *a, const struct kt_roofs *b)
{
    bool equal = a->hz == b->hz && a->count == b->count;
    for (size_t i = 0; equal && i < a->count; i++)
        equal = !strcmp(a->roof[i].name, b->roof[i].name) && a->roof[i].value == b->roof[i].value;
    return equal;
}

static const struct kt_roof *higher(const struct kt_roof *a, const struct kt_roof *b)
{
    return !a || b->value > a->value ? b : a;
}

const struct kt_roof *kt_roofs_flops(const struct kt_roofs *roofs, bool is_single, int cores)
{
    const struct kt_roof *best = NULL;
    for (size_t i = 0; i < roofs->count; i++) {
        const struct kt_roof *roof = &roofs->roof[i];
        if (roof->kind == KT_ROOF_FLOPS && roof->is_main && roof->cores == cores && roof->is_single == is_single)
            best = higher(best, roof);
    }
    return best;
}

const struct kt_roof *kt_roofs_bytes(const struct kt_roofs *roofs, const char *level, int cores)
{
    const struct kt_roof *best = NULL;
    for (size_t i = 0; i < roofs->count; i++) {
        const struct kt_roof *roof = &roofs->roof[i];
        if (roof->kind == KT_ROOF_BYTES && roof->is_main && roof->cores == cores && !strcmp(roof->level, level))
            best = higher(best, roof);
    }
    return best;
}

double kt_roofs_limit(const struct kt_roofs *roofs, bool is_single, int cores, const char *level, double intensity)
{
    const struct kt_roof *flops = kt_roofs_flops(roofs, is_single, cores);
    const struct kt_roof *bytes = kt_roofs_bytes(roofs, level, cores);
    if (!flops || !bytes)
        return NAN;
    return fmin(flops->value, intensity * bytes->value);
}

double kt_roofs_highest_limit(const struct kt_roofs *roofs, bool is_single, int cores, double intensity)
{
    static const char *const level[] = {"L1", "L2", "L3", "memory"};
    const struct kt_roof *flops = kt_roofs_flops(roofs, is_single, cores);
    double highest = NAN;
    if (!kt_roofs_bytes(roofs, level[0], cores)) /* what caches give is not known: operations alone are a bound */
        return flops ? flops->value : NAN;
    for (int i = 0; i < 4; i++)
        highest = fmax(highest, kt_roofs_limit(roofs, is_single, cores, level[i], intensity));
    return highest;
}

double kt_roofs_ridge_at(const struct kt_roofs *roofs, const struct kt_roof *roof)
{
    const struct kt_roof *peak = kt_roofs_flops(roofs, false, roof->cores);
    return peak && roof == kt_roofs_bytes(roofs, "memory", roof->cores) ? kt_roofs_ridge(peak, roof) : NAN;
}
