/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/advise/variation.h"

#include "replay/call/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PADDING = 1000000 };

static enum kt_status take_padding(const struct kt_verb_option *kind, const char *value, void *out,
                                   struct kt_error *error)
{
    char *end;
    long number = strtol(value, &end, 10);
    if (*value != '+' || end == value || *end || number < 1 || number > MOST_PADDING)
        return kt_fail(error, KT_USAGE, "--%s needs a whole number of elements from +1 to +%d, not '%s'", kind->name,
                       MOST_PADDING, value);
    *(int64_t *)out = number;
    return KT_OK;
}

static enum kt_status take_batch(const struct kt_verb_option *kind, const char *value, void *out,
                                 struct kt_error *error)
{
    long number = strtol(value, NULL, 10);
    if (strspn(value, "0123456789") != strlen(value) || number < 2 || number > KT_MOST_BATCHED)
        return kt_fail(error, KT_USAGE, "--%s needs a whole number of calls from 2 to %d, not '%s'", kind->name,
                       KT_MOST_BATCHED, value);
    *(size_t *)out = (size_t)number;
    return KT_OK;
}

static enum kt_status take_library(const struct kt_verb_option *kind, const char *value, void *out,
                                   struct kt_error *error)
{
    *(const char **)out = value;
    return *value ? KT_OK : kt_fail(error, KT_USAGE, "--%s needs a path, a soname or a short name", kind->name);
}

/* What stands before "=" is behind BEGIN in the name, which messages have whole. */
#define BEGIN "what-if "

static const struct kt_verb_option kinds[] = {
    {BEGIN "ld", 0, "+N", "leading dimensions longer", take_padding, offsetof(struct kt_variation, padding)},
    {BEGIN "align", 0, "N", "operands aligned", kt_replay_take_alignment, offsetof(struct kt_variation, layout.align)},
    {BEGIN "pages", 0, "huge|small", "other pages", kt_replay_take_pages, offsetof(struct kt_variation, layout.pages)},
    {BEGIN "threads", 0, "N", "threads of the library", kt_replay_take_threads, offsetof(struct kt_variation, threads)},
    {BEGIN "batch", 0, "N", "independent calls in a parallel loop", take_batch, offsetof(struct kt_variation, batch)},
    {BEGIN "library", 0, "LIB", "another library", take_library, offsetof(struct kt_variation, library)},
    {0},
};

static enum kt_status fail_unknown(const char *text, struct kt_error *error)
{
    char known[256] = "";
    size_t used = 0;
    for (const struct kt_verb_option *kind = kinds; kind->name; kind++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s=%s",
                                 kind == kinds  ? ""
                                 : kind[1].name ? ", "
                                                : " or ",
                                 kind->name + strlen(BEGIN), kind->value);
    return kt_fail(error, KT_USAGE, "--what-if %.200s: expected %s", text, known);
}

enum kt_status kt_variation_parse(const char *text, struct kt_variation *out, struct kt_error *error)
{
    size_t length = strcspn(text, "=");
    *out = (struct kt_variation){.text = text};
    for (const struct kt_verb_option *kind = kinds; kind->name && text[length]; kind++)
        if (strlen(kind->name) == strlen(BEGIN) + length && !strncmp(kind->name + strlen(BEGIN), text, length))
            return kind->take(kind, text + length + 1, (char *)out + kind->offset, error);
    return fail_unknown(text, error);
}

bool kt_variation_is_elsewhere(const struct kt_variation *change)
{
    return !change->padding && !change->batch;
}
