/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace model: finds the part of the verb and runs it.
 */
#include "model/verbs/model_verbs.h"
#include "trace/command/verb.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} parts[] = {
#define KT_PART_ROW(name, arguments, text) {#name, kt_model_##name},
    KT_MODEL_PARTS(KT_PART_ROW)
#undef KT_PART_ROW
};

/* The parts have options. */
const struct kt_verb_option kt_verb_model_options[] = {{0}};

static int fail_unknown(const char *name)
{
    char list[256] = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", parts[i].name);
    return kt_verb_usage("model", name ? "there is no 'model %.40s'; there are: %s" : "%swhich of %s?",
                         name ? name : "", list);
}

int kt_verb_model(int argc, char **argv)
{
    char name[64];
    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(argv[1], parts[i].name) != 0)
            continue;
        snprintf(name, sizeof name, "model %s", parts[i].name);
        argv[1] = name;
        return parts[i].run(argc - 1, argv + 1);
    }
    return fail_unknown(argc > 1 ? argv[1] : NULL);
}
