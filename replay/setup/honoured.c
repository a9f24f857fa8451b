/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/setup/honoured.h"

#include "ktrace/variables.h"
#include "trace/base/cpulist.h"
#include "trace/print/text.h"
#include "trace/read/processors.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum kind { NUMBER, PLACES, WAITS };

static const struct {
    const char *name;
    enum kind kind;
} variable[] = {
#define VARIABLE_ROW(name, kind) {#name, kind},
    KT_THREAD_VARIABLES(VARIABLE_ROW)
#undef VARIABLE_ROW
};

/* Numbers of threads are the replay's own matter; where threads run is that of processors that are the same. */
static bool is_honoured(const char *value, size_t length)
{
    for (size_t i = 0; i < sizeof variable / sizeof *variable; i++)
        if (strlen(variable[i].name) == length && !strncmp(variable[i].name, value, length))
            return variable[i].kind == WAITS;
    return false;
}

static void take_variables(const struct kt_process *process)
{
    for (size_t i = 0; i < process->metas; i++) {
        const char *value = process->meta[i].value;
        size_t length = strcspn(value, "\t");
        char name[64];
        if (strcmp(process->meta[i].key, "env") != 0 || !value[length] || !is_honoured(value, length))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)length, value);
        setenv(name, value + length + 1, 0);
    }
}

/* Takes up to LEFT processors of FROM that are in OF, or are not. Returns how many are still to be taken. */
static int take(const cpu_set_t *from, const cpu_set_t *of, bool is_in, int left, cpu_set_t *out)
{
    for (int cpu = 0; cpu < CPU_SETSIZE && left > 0; cpu++)
        if (CPU_ISSET(cpu, from) && !!CPU_ISSET(cpu, of) == is_in) {
            CPU_SET(cpu, out);
            left--;
        }
    return left;
}

/* Those of the program that may be used here, then others. */
static void take_processors(const struct kt_process *process, const struct kt_processors *recorded)
{
    cpu_set_t here;
    cpu_set_t there;
    cpu_set_t taken;
    const char *list = kt_meta(process, "affinity");
    CPU_ZERO(&taken);
    if (!list || recorded->allowed <= 0 || recorded->allowed == recorded->there ||
        sched_getaffinity(0, sizeof here, &here) != 0 || CPU_COUNT(&here) <= recorded->allowed)
        return;
    kt_cpulist_parse(list, &there);
    int left = take(&here, &there, true, recorded->allowed, &taken);
    take(&here, &there, false, left, &taken);
    if (sched_setaffinity(0, sizeof taken, &taken) == 0)
        kt_notice("recorded on %d of %s: replayed on as many", recorded->allowed,
                  KT_COUNT(recorded->there, "processor"));
}

void kt_honoured_take(const struct kt_trace *trace)
{
    struct kt_processors recorded;
    struct kt_processors here;
    if (!trace->processes)
        return;
    kt_processors_recorded(&trace->process[0], &recorded);
    kt_processors_here(&here);
    take_variables(&trace->process[0]);
    take_processors(&trace->process[0], &recorded);
    if (recorded.quota > 0 && recorded.quota != here.quota)
        kt_notice("recorded with a quota of %.3g processors, which is not that of this replay: calls with more threads "
                  "than that were held up there",
                  recorded.quota);
    else if (here.quota > 0 && recorded.quota != here.quota)
        kt_notice("this replay has a quota of %.3g processors, which the program had not", here.quota);
}
