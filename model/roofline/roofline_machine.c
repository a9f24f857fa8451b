/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/roofline/roofline_machine.h"

#include "model/probe/probe.h"
#include "model/loops/probe_team.h"
#include "model/roofline/roofline.h"
#include "trace/print/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void kt_roofline_processor(char *model, size_t size)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    *model = '\0';
    while (file && !*model && fgets(line, sizeof line, file)) {
        char *colon = strncmp(line, "model name", 10) ? NULL : strchr(line, ':');
        line[strcspn(line, "\n")] = '\0';
        if (colon)
            snprintf(model, size, "%s", colon + strspn(colon, ": \t"));
    }
    if (file)
        fclose(file);
}

static const char *known(const char *text)
{
    return text ? text : "not known";
}

/* What is not known is like nothing. */
static bool is_alike(const char *recorded, const char *here)
{
    return recorded && *recorded && here && !strcmp(recorded, here);
}

bool kt_roofline_is_of_this_machine(const struct kt_process *process)
{
    char model[256];
    char host[256] = "";
    const char *recorded = kt_meta(process, "cpu_model");
    const char *cpus = kt_meta(process, "cpus");
    kt_roofline_processor(model, sizeof model);
    gethostname(host, sizeof host - 1);
    bool unnamed = !(recorded && *recorded) && !*model;
    bool alike = unnamed ? is_alike(kt_meta(process, "host"), host) : is_alike(recorded, model);
    return alike && (!cpus || atoi(cpus) == (int)sysconf(_SC_NPROCESSORS_ONLN));
}

/* --- a machine file ---------------------------------------------------------------------------------------- */

static void make_directories(const char *path)
{
    char part[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdir(part, 0777);
    }
}

static void keep(json_t *document)
{
    char path[PATH_MAX];
    struct kt_error error = {0};
    if (!kt_machine_path(path, sizeof path))
        return;
    make_directories(path);
    if (kt_json_save(json_incref(document), path, &error) != KT_OK)
        kt_notice("roofline: the measurement is not kept: %s", error.text);
}

/* The machine file, or a quick measurement where there is none. */
static enum kt_status own_document(json_t **out, bool *is_new, struct kt_error *error)
{
    char path[PATH_MAX];
    *is_new = !kt_machine_path(path, sizeof path) || access(path, F_OK) != 0;
    if (!*is_new)
        return kt_json_load(path, out, error);
    kt_notice(
        "roofline: this machine has not been measured; measuring it quickly now ('ktrace probe' measures it well)");
    *out = kt_probe_machine(true);
    return KT_OK;
}

/* Only a probe that is not quick measures all cores together. It is done where this process may use all of them. */
static bool lacks_cores(const json_t *document, int cores)
{
    int cpu[KT_CPUS_MAX];
    return cores > 1 && (size_t)cores == kt_cpus_allowed(cpu) && !json_object_get(document, "sharing");
}

enum kt_status kt_roofline_own_machine(const char *file, int cores, struct kt_machine *out, struct kt_error *error)
{
    json_t *document;
    bool is_new;
    if (file)
        return kt_machine_read(file, out, error);
    KT_TRY(own_document(&document, &is_new, error));
    enum kt_status status = kt_machine_take(document, out, error);
    if (status == KT_OK && lacks_cores(document, cores)) {
        kt_notice("roofline: measuring what all %d processors reach together", cores);
        kt_probe_add_cores(document);
        is_new = true;
        status = kt_machine_take(document, out, error);
    }
    if (status == KT_OK && is_new)
        keep(document);
    json_decref(document);
    return status;
}

enum kt_status kt_roofline_own_roofs(const char *file, int cores, struct kt_roofs *out, struct kt_error *error)
{
    struct kt_machine machine;
    KT_TRY(kt_roofline_own_machine(file, cores, &machine, error));
    kt_roofs_choose(&machine, out);
    out->is_own = !file;
    if (!kt_roofs_flops(out, false, 1) || !kt_roofs_bytes(out, "memory", 1))
        return kt_fail(error, KT_BAD_INPUT,
                       "%s: no peak of double precision and no bandwidth of memory in it; 'ktrace probe' measures them",
                       file ? file : "the machine file");
    return KT_OK;
}

/* --- of a trace -------------------------------------------------------------------------------------------- */

static bool was_replayed_there(const struct kt_replayed *replayed, const struct kt_process *process)
{
    const json_t *machine = json_object_get(replayed->document, "machine");
    const char *cpu = json_string_value(json_object_get(machine, "cpu"));
    const char *recorded = kt_meta(process, "cpu_model");
    const char *boot = json_string_value(json_object_get(machine, "boot_id"));
    bool unnamed = !(cpu && *cpu) && !(recorded && *recorded);
    return unnamed ? is_alike(kt_meta(process, "boot_id"), boot) : is_alike(recorded, cpu);
}

enum kt_status kt_roofline_find_roofs(const char *file, const struct kt_trace *trace,
                                      const struct kt_replayed *replayed, struct kt_roofs *out, struct kt_error *error)
{
    const struct kt_process *process = &trace->process[0];
    struct kt_roofs of_replay;
    int cores = kt_roofline_cores(trace);
    if (file)
        return kt_roofline_own_roofs(file, cores, out, error);
    if (kt_roofline_is_of_this_machine(process)) {
        KT_TRY(kt_roofline_own_roofs(NULL, cores, out, error));
        if (was_replayed_there(replayed, process) && kt_roofs_of_replay(replayed->document, out->hz, &of_replay))
            kt_roofs_raise(out, &of_replay);
        return KT_OK;
    }
    if (was_replayed_there(replayed, process) && kt_roofs_of_replay(replayed->document, process->tick_hz, out))
        return KT_OK;
    return kt_fail(error, KT_BAD_INPUT,
                   "%s was recorded on another machine (%s, %s processors, host %s): run 'ktrace probe --json' there "
                   "and name its output with --machine",
                   trace->path, known(kt_meta(process, "cpu_model")), known(kt_meta(process, "cpus")),
                   known(kt_meta(process, "host")));
}
