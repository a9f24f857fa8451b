/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Live ranges: how many variables of a type a loop can use before some have to live in memory (paper 003, 3.5). The
 * time of an addition steps up where the compiler runs out of registers.
 */
#include "model/probe/probe.h"
#include "model/analysis/probe_steps.h"
#include "trace/command/json.h"
#include "trace/base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { KT_LIVE_MIN = 4, KT_LIVE_MAX = 40, COUNTS = KT_LIVE_MAX - KT_LIVE_MIN, ADDITIONS = 4000 };

#if defined(__x86_64__)
#define FLOAT_REGISTER "+x"
#define WIDE_REGISTER  "+v"
#define WIDE_TARGET    __attribute__((target("avx512f")))
typedef double wide __attribute__((vector_size(64)));
#else
#define FLOAT_REGISTER "+w"
#endif
typedef double two __attribute__((vector_size(16)));

#define KT_LIVE_NAME live_int64
#define KT_LIVE_TYPE uint64_t
#define KT_LIVE_TARGET
#define KT_LIVE_KEEP "+r"
#include "model/loops/probe_live.h"

#define KT_LIVE_NAME live_double
#define KT_LIVE_TYPE double
#define KT_LIVE_TARGET
#define KT_LIVE_KEEP FLOAT_REGISTER
#include "model/loops/probe_live.h"

#define KT_LIVE_NAME live_vector
#define KT_LIVE_TYPE two
#define KT_LIVE_TARGET
#define KT_LIVE_KEEP FLOAT_REGISTER
#include "model/loops/probe_live.h"

#if defined(__x86_64__)
#define KT_LIVE_NAME   live_wide
#define KT_LIVE_TYPE   wide
#define KT_LIVE_TARGET WIDE_TARGET
#define KT_LIVE_KEEP   WIDE_REGISTER
#include "model/loops/probe_live.h"
#endif

static const struct kind {
    const char *type;
    void (*run)(uint64_t n, int variables);
    bool wide;
} kinds[] = {
    {"int64", live_int64, false},
    {"double", live_double, false},
    {"double x2", live_vector, false},
#if defined(__x86_64__)
    {"double x8", live_wide, true},
#endif
};

static bool present(const struct kind *kind)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return !kind->wide || __builtin_cpu_supports("avx512f");
#else
    return !kind->wide;
#endif
}

struct live {
    const struct kind *kind;
    int variables;
};

static void run_live(void *context)
{
    const struct live *l = context;
    l->kind->run((uint64_t)(ADDITIONS / 2 / l->variables), l->variables);
}

static struct kt_lap lap_of(void *context, size_t item)
{
    struct live live = {context, KT_LIVE_MIN + (int)item};
    return kt_lap(run_live, &live, 3);
}

void kt_probe_registers(struct kt_probe *probe)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct kt_lap lap[COUNTS];
        double x[COUNTS];
        double y[COUNTS];
        double confidence;
        char name[64];
        if (!present(&kinds[i]))
            continue;
        kt_laps(COUNTS, 200, 0.6, lap_of, (void *)&kinds[i], lap);
        for (int k = 0; k < COUNTS; k++) {
            x[k] = KT_LIVE_MIN + k;
            y[k] = lap[k].cycles / (ADDITIONS / 2 / (KT_LIVE_MIN + k) * 2 * (KT_LIVE_MIN + k));
        }
        int last = kt_live_step(y, COUNTS, &confidence);
        int count = last < 0 ? 0 : KT_LIVE_MIN + last;
        double step = count;
        snprintf(name, sizeof name, "live ranges of %s", kinds[i].type);
        if (!count)
            kt_probe_not_determined(probe, name,
                                    "no step of the time of an addition stands out: this core hides memory operands");
        kt_probe_curve(probe, name, "variables", "cycles per addition", x, y, COUNTS, &step, count ? 1 : 0);
        json_array_append_new(array, json_pack("{s:s, s:o, s:f}", "type", kinds[i].type, "count",
                                               count ? json_integer(count) : json_null(), "confidence", confidence));
    }
    json_object_set_new(probe->answer, "live_ranges", array);
}
