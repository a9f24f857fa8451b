/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/comparison_share.h"

#include "trace/base/memory.h"
#include "trace/print/text.h"

#include <stdio.h>

void kt_comparison_share_begin(struct kt_comparison *c)
{
    const struct kt_share *share = &c->options.replay.share;
    if (!share->of)
        return;
    c->options.replay.budget /= share->of;
    if (c->recall.store)
        kt_store_be_patient(c->recall.store);
    if (share->from_launcher)
        kt_notice("rank %u of %u compares its share", share->number - 1, share->of);
}

void kt_comparison_share_out(struct kt_comparison *c)
{
    free(c->owner);
    c->owner = kt_share_owners(&c->options.replay.share, &c->setup.jobs);
}

void kt_comparison_share_leave(struct kt_comparison *c)
{
    for (size_t i = 0; i < c->schedule.items; i++)
        if (kt_comparison_is_elsewhere(c, i) && c->schedule.item[i].stop == KT_STOP_NOT_YET)
            c->schedule.item[i].stop = KT_STOP_NOTHING;
}

/* --- who is there ------------------------------------------------------------------------------------------ */

/* Is anything of that share left to be measured? */
static bool is_missing(const struct kt_comparison *c, const struct kt_comparison_store *store, unsigned number)
{
    if (number == c->options.replay.share.number)
        return false;
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        if (c->owner[i] == number && !c->setup.jobs.job[i].refused && !kt_comparison_store_knows(store, i))
            return true;
    return false;
}

/* By their numbers, as far as they fit. Returns how many they are. */
static unsigned list_missing(const struct kt_comparison *c, const struct kt_comparison_store *store, char *out,
                             size_t size)
{
    unsigned missing = 0;
    size_t used = 0;
    *out = '\0';
    for (unsigned number = 1; number <= c->options.replay.share.of; number++) {
        if (!is_missing(c, store, number))
            continue;
        const char *comma = missing++ ? ", " : "";
        if (used + 32 < size)
            used += (size_t)snprintf(out + used, size - used, "%s%u", comma, number);
        else if (out[used - 1] != '.')
            used += (size_t)snprintf(out + used, size - used, ", ...");
    }
    return missing;
}

static void say_missing(const struct kt_comparison *c, unsigned missing, const char *list, size_t others)
{
    const struct kt_share *share = &c->options.replay.share;
    kt_notice("share %u of %u is kept in %s; of this kind of node %u %s missing: %s (ktrace compare --shard I/%u, with "
              "the same options)",
              share->number, share->of, c->recall.path, missing, kt_count_word(missing, "is", "are"), list, share->of);
    if (others)
        kt_notice("there are shares of %s of node, or of other libraries: not put together with this one",
                  KT_COUNT(others, "other kind"));
}

enum kt_status kt_comparison_share_gather(struct kt_comparison *c, struct kt_comparison_store *store, bool *whole,
                                          struct kt_error *error)
{
    char list[256];
    *whole = false;
    size_t others = store && c->recall.store ? kt_comparison_store_mark(store) : 0;
    if (!store || !c->recall.store)
        return kt_fail(error, KT_SYSTEM, "the share is not kept: there is no store that can be used");
    kt_comparison_store_read_others(store);
    unsigned missing = list_missing(c, store, list, sizeof list);
    *whole = missing == 0;
    if (missing)
        say_missing(c, missing, list, others);
    return KT_OK;
}
