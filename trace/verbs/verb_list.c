/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/verbs/verb_list.h"

#include <string.h>

const struct kt_verb kt_verb_list[] = {
#define KT_VERB_ROW(name, arguments, text) {#name, arguments, text, kt_verb_##name##_options, kt_verb_##name},
    KT_VERBS(KT_VERB_ROW)
#undef KT_VERB_ROW
        {0},
};

static const struct kt_verb model_part_list[] = {
#define KT_PART_ROW(name, arguments, text) {#name, arguments, text, kt_model_##name##_options, NULL},
    KT_MODEL_PARTS(KT_PART_ROW)
#undef KT_PART_ROW
        {0},
};

const struct kt_verb *kt_verb_find(const struct kt_verb *list, const char *name)
{
    for (const struct kt_verb *verb = list; verb->name; verb++)
        if (!strcmp(name, verb->name))
            return verb;
    return NULL;
}

const struct kt_verb *kt_verb_parts(const struct kt_verb *verb)
{
    return strcmp(verb->name, "model") ? NULL : model_part_list;
}
