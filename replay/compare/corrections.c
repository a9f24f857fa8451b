/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/corrections.h"

#include "trace/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct kt_correction_kind kt_correction[KT_CORRECTION_KINDS] = {
#define KT_CORRECTION_KIND(name, text, what) {text, what},
    KT_CORRECTIONS(KT_CORRECTION_KIND)
#undef KT_CORRECTION_KIND
};

static enum kt_status fail(const char *option, const char *name, struct kt_error *error)
{
    char names[256] = "";
    size_t used = 0;
    for (int i = 0; i < KT_CORRECTION_KINDS && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s, ", kt_correction[i].name);
    return kt_fail(error, KT_USAGE, "--%s %s: expected all, or some of %sseparated by commas", option, name, names);
}

static bool take_one(const char *name, unsigned *without)
{
    bool is_known = false;
    for (unsigned i = 0; i < KT_CORRECTION_KINDS; i++)
        if (!strcmp(name, "all") || !strcmp(name, kt_correction[i].name)) {
            *without |= 1u << i;
            is_known = true;
        }
    return is_known;
}

enum kt_status kt_corrections_take(const struct kt_verb_option *option, const char *value, void *out,
                                   struct kt_error *error)
{
    char *list = kt_copy(value);
    char *rest = list;
    enum kt_status status = KT_OK;
    for (char *name = strsep(&rest, ","); name && status == KT_OK; name = strsep(&rest, ","))
        if (!take_one(name, out))
            status = fail(option->name, name, error);
    free(list);
    return status;
}
