/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace probe: measures this machine, or shows what was measured before.
 */
#include "model/probe/claims.h"
#include "trace/command/document.h"
#include "model/probe/probe.h"
#include "model/probe/probe_plot.h"
#include "model/loops/probe_team.h"
#include "model/probe/probe_text.h"
#include "trace/command/machine.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct command {
    bool json, quick, show;
    const char *plots; /* directory, or NULL */
};

const struct kt_verb_option kt_verb_probe_options[] = {
    {"quick", 0, NULL, "measure only what replays need: clocks, operations, caches, bandwidth; below 10 s",
     KT_VERB_FLAG(struct command, quick)},
    {"show", 0, NULL, "print the last result instead of measuring, beside what the system and hwloc say",
     KT_VERB_FLAG(struct command, show)},
    {"output", 'o', "DIR", "plot all curves with the steps that were found, SVG and PNG (needs gnuplot)",
     KT_VERB_TEXT(struct command, plots)},
    {KT_VERB_JSON(struct command, json)},
    {KT_VERB_CSV(struct command, json)},
    {0},
};

static enum kt_status parse(int argc, char **argv, struct command *out, struct kt_error *error)
{
    KT_TRY(kt_verb_take_options(argc, argv, kt_verb_probe_options, out, error));
    if (optind < argc)
        return kt_fail(error, KT_USAGE, "did not expect %s", argv[optind]);
    return KT_OK;
}

static void make_directories(const char *path)
{
    char part[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdir(part, 0777);
    }
}

/* A quick probe does not replace a whole one. */
static bool worth_keeping(const char *path, bool quick)
{
    struct kt_machine known;
    struct kt_error error = {0};
    return !quick || kt_machine_read(path, &known, &error) != KT_OK || known.quick;
}

static void store(json_t *document, bool quick)
{
    char path[PATH_MAX];
    struct kt_error error = {0};
    if (getenv("KTRACE_PROBE_PARTS")) {
        kt_notice("probe: not kept: KTRACE_PROBE_PARTS is set");
        return;
    }
    if (!kt_machine_path(path, sizeof path)) {
        kt_notice("probe: not kept: neither XDG_CACHE_HOME nor HOME is set");
        return;
    }
    if (!worth_keeping(path, quick)) {
        kt_notice("probe: %s, which has more, was left as it is", path);
        return;
    }
    make_directories(path);
    if (kt_json_save(json_incref(document), path, &error) == KT_OK)
        kt_notice("probe: kept in %s%s", path,
                  kt_machine_is_part() ? ", for the processors that may be used here (taskset, cpuset)" : "");
    else
        kt_notice("probe: not kept: %s", error.text);
}

static enum kt_status load(json_t **out, struct kt_error *error)
{
    char path[PATH_MAX];
    struct kt_machine machine;
    KT_TRY(kt_machine_read(NULL, &machine, error));
    kt_machine_path(path, sizeof path);
    return kt_json_load(path, out, error);
}

/* Beside what was measured: what is claimed, and where it differs. */
static void add_claims(json_t *document)
{
    json_t *system = kt_claims_of_system();
    json_t *hwloc = kt_claims_of_hwloc();
    json_object_set_new(document, "differences", kt_claims_compare(document, system));
    json_object_set_new(document, "claimed_caches", system);
    json_object_set_new(document, "hwloc_differences", kt_claims_compare(document, json_object_get(hwloc, "caches")));
    json_object_set_new(document, "hwloc", hwloc);
}

static enum kt_status run(const struct command *command, struct kt_error *error)
{
    json_t *document;
    if (command->show)
        KT_TRY(load(&document, error));
    else
        store(document = kt_probe_machine(command->quick), command->quick);
    enum kt_status status = command->plots ? kt_probe_plot(document, command->plots, error) : KT_OK;
    add_claims(document);
    if (command->json)
        kt_document_print(&kt_document_probe, json_incref(document));
    else
        kt_probe_print(document);
    json_decref(document);
    return status;
}

int kt_verb_probe(int argc, char **argv)
{
    struct kt_error error = {0};
    struct command command = {0};
    if (parse(argc, argv, &command, &error) != KT_OK)
        return kt_verb_usage(argv[0], "%s", error.text);
    return run(&command, &error) == KT_OK ? KT_OK : kt_verb_fail(argv[0], &error);
}
