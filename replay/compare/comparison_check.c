/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/comparison_check.h"

#include "trace/print/text.h"

#include <math.h>

static double checked_seconds(double budget)
{
    static const double few = 5;
    return fmax(KT_CHECKED_PART * budget, fmin(budget, few));
}

/* Only where nothing else is asked for: it is no part of a comparison. */
static enum kt_status try_unusual(struct kt_comparison *k, const struct kt_library *const *library,
                                  struct kt_error *error)
{
    static const double part = 0.25;
    return kt_unusual_try(library, k->libraries, &k->setup.jobs, part * k->options.replay.budget, &k->unusual, error);
}

static struct kt_right_options right_options(const struct kt_comparison *k, double seconds)
{
    const struct kt_replay_options *replay = &k->options.replay;
    return (struct kt_right_options){.budget = seconds,
                                     .limit = 0.5,
                                     .store = replay->fresh ? NULL : k->recall.store,
                                     .owner = k->owner,
                                     .number = replay->share.number};
}

static void list_libraries(const struct kt_comparison *k, const struct kt_library *library[KT_MOST_LANES])
{
    for (size_t l = 0; l < k->libraries; l++)
        library[l] = &k->worker[l].library;
}

/* Before the light shapes are left out: these are checked, too. Without room for that times are compared all the same.
 */
enum kt_status kt_comparison_check(struct kt_comparison *k, struct kt_error *error)
{
    struct kt_error cause = {0};
    const struct kt_library *library[KT_MOST_LANES];
    const struct kt_replay_options *replay = &k->options.replay;
    const double seconds = k->options.check == KT_CHECK_ONLY ? replay->budget : checked_seconds(replay->budget);
    const struct kt_right_options options = right_options(k, seconds);
    list_libraries(k, library);
    if (k->options.check == KT_CHECK_NOT)
        return KT_OK;
    enum kt_status status = kt_right_check(library, k->libraries, &k->setup.jobs, &options, &k->right, &cause);
    if (k->options.check == KT_CHECK_ONLY)
        return status == KT_OK ? try_unusual(k, library, error) : kt_fail(error, cause.status, "%s", cause.text);
    if (status == KT_OK)
        return KT_OK;
    kt_notice("results are not checked: %s", cause.text);
    return KT_OK;
}

void kt_comparison_check_others(struct kt_comparison *k)
{
    const struct kt_library *library[KT_MOST_LANES];
    const struct kt_right_options options = right_options(k, 0);
    list_libraries(k, library);
    if (k->options.check == KT_CHECK_TOO && k->right.of)
        kt_right_read_others(library, &options, &k->right);
}
