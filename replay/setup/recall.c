/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/setup/recall.h"

#include "replay/store/identity.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/print/text.h"

#include <limits.h>
#include <stdio.h>

/* Seconds of measuring that a kill may cost. */
static const double interval = 5;

/* Said once: without a store there is nothing more to complain about. */
static void give_up(struct kt_recall *recall, const char *what, const struct kt_error *error)
{
    kt_notice("%s: %s", what, error->text);
    kt_store_close(recall->store);
    recall->store = NULL;
}

/* --- keys -------------------------------------------------------------------------------------------------- */

/* In a sequence the context depends on the calls before. */
static bool can_be_stored(const struct kt_context *context)
{
    return !strstr(context->name, "sequence");
}

/* Where operands were tracked, their places belong to the key. */
static char *describe_context(const struct kt_context *context, const struct kt_replay_options *options,
                              const struct kt_job *job)
{
    return kt_identity_context(context->name, options->timer, options->layout.pages,
                               kt_context_is_tracked(context) ? job->placed : NULL);
}

static struct kt_store_key key_of(const struct kt_recall *recall, size_t item, size_t lane)
{
    return (struct kt_store_key){recall->setting, recall->shape[item],
                                 recall->context[item * recall->schedule->lanes + lane]};
}

static struct kt_kept *kept_of(const struct kt_recall *recall, size_t item, size_t lane)
{
    return &recall->kept[item * recall->schedule->lanes + lane];
}

/* --- reading ----------------------------------------------------------------------------------------------- */

static bool is_end(enum kt_stop stop)
{
    return stop != KT_STOP_NOT_YET && stop != KT_STOP_INTERRUPTED && stop != KT_STOP_FAILED;
}

static void take(struct kt_recall *recall, size_t item, size_t lane, const struct kt_store_note *note)
{
    struct kt_series *series = &recall->schedule->item[item].lane[lane];
    *kept_of(recall, item, lane) = (struct kt_kept){series->samples, note->stop, note->budget};
    /* Sampling that ended for want of time, or of samples that agree, would end alike with no more time. */
    series->enough = series->samples && is_end(note->stop) && note->budget >= recall->options->budget;
    if (note->failure && !recall->jobs->job[item].refused)
        kt_job_refuse(&recall->jobs->job[item], "%s; so it was in an earlier replay (--fresh tries again)",
                      note->failure);
    if (!series->enough)
        return;
    recall->reused++;
    recall->from = recall->from == 0 || note->at < recall->from ? note->at : recall->from;
    recall->to = note->at > recall->to ? note->at : recall->to;
}

static enum kt_status read_item(struct kt_recall *recall, size_t i, struct kt_error *error)
{
    struct kt_item *item = &recall->schedule->item[i];
    enum kt_stop stop = KT_STOP_NOT_YET;
    bool enough = true;
    for (size_t l = 0; l < recall->schedule->lanes; l++) {
        struct kt_store_key key = key_of(recall, i, l);
        struct kt_store_note note = {0};
        bool found = false;
        if (can_be_stored(recall->options->context[l]) && !item->lane[l].absent)
            KT_TRY(kt_store_read(recall->store, &key, &item->lane[l], &note, &found, error));
        if (found) {
            take(recall, i, l, &note);
            stop = note.stop;
            free(note.failure);
        }
        enough = enough && (item->lane[l].enough || item->lane[l].absent);
    }
    if (enough && stop != KT_STOP_NOT_YET)
        item->stop = stop;
    return KT_OK;
}

/* In one transaction, so that it does not matter who writes meanwhile. */
static enum kt_status read_all(struct kt_recall *recall, struct kt_error *error)
{
    enum kt_status status = kt_store_begin(recall->store, false, error);
    for (size_t i = 0; i < recall->schedule->items && status == KT_OK; i++)
        if (!recall->jobs->job[i].refused)
            status = read_item(recall, i, error);
    for (size_t i = 0; i < recall->schedule->items; i++)
        recall->refused[i] = recall->jobs->job[i].refused; /* as it is stored already */
    enum kt_status ended = kt_store_commit(recall->store, error);
    return status == KT_OK ? ended : status;
}

/* --- opening ----------------------------------------------------------------------------------------------- */

static void describe_items(struct kt_recall *recall)
{
    size_t items = recall->schedule->items;
    recall->shape = kt_resize(NULL, items, sizeof *recall->shape);
    recall->context = kt_resize(NULL, items * recall->schedule->lanes, sizeof *recall->context);
    recall->refused = kt_resize(NULL, items, sizeof *recall->refused);
    recall->kept = kt_resize(NULL, items * recall->schedule->lanes, sizeof *recall->kept);
    for (size_t i = 0; i < items * recall->schedule->lanes; i++)
        recall->kept[i] = (struct kt_kept){.stop = KT_STOP_NOT_YET};
    for (size_t i = 0; i < items; i++) {
        recall->shape[i] = kt_identity_shape(&recall->jobs->job[i]);
        recall->refused[i] = recall->jobs->job[i].refused;
        for (size_t l = 0; l < recall->schedule->lanes; l++)
            recall->context[i * recall->schedule->lanes + l] =
                describe_context(recall->options->context[l], recall->options, &recall->jobs->job[i]);
    }
}

static enum kt_status open_store(struct kt_recall *recall, struct kt_error *error)
{
    char path[PATH_MAX];
    if (recall->options->store)
        snprintf(path, sizeof path, "%s", recall->options->store);
    else
        KT_TRY(kt_store_default_path(path, sizeof path, error));
    recall->path = kt_copy(path);
    recall->store = kt_store_open(path, error);
    return recall->store ? KT_OK : error->status;
}

void kt_recall_begin(const struct kt_replay_options *options, struct kt_recall *out)
{
    struct kt_error error = {0};
    *out = (struct kt_recall){.options = options};
    if (options->store && !strcmp(options->store, "none"))
        return;
    if (open_store(out, &error) != KT_OK)
        give_up(out, "the store of results is not used", &error);
}

void kt_recall_open(struct kt_recall *recall, const struct kt_library *library, struct kt_setup *setup,
                    struct kt_schedule *schedule)
{
    struct kt_error error = {0};
    recall->jobs = &setup->jobs;
    recall->schedule = schedule;
    if (!recall->store)
        return;
    recall->setting = kt_identity_setting(library, setup->jobs.processor);
    if (!recall->setting) { /* it cannot be loaded: the worker will say why */
        kt_store_close(recall->store);
        recall->store = NULL;
        return;
    }
    describe_items(recall);
    if (!recall->options->fresh && read_all(recall, &error) != KT_OK)
        give_up(recall, "the store of results is not used any further", &error);
    recall->written = kt_now();
}

void kt_recall_close(struct kt_recall *recall)
{
    kt_store_close(recall->store);
    for (size_t i = 0; recall->shape && i < recall->schedule->items; i++)
        free(recall->shape[i]);
    for (size_t i = 0; recall->context && i < recall->schedule->items * recall->schedule->lanes; i++)
        free(recall->context[i]);
    free(recall->shape);
    free(recall->context);
    free(recall->kept);
    free(recall->refused);
    free(recall->setting);
    free((void *)recall->path);
    *recall = (struct kt_recall){0};
}

bool kt_recall_is_complete(const struct kt_recall *recall)
{
    for (size_t i = 0; i < recall->schedule->items; i++)
        if (recall->schedule->item[i].stop == KT_STOP_NOT_YET && !recall->jobs->job[i].refused)
            return false;
    return true;
}

/* --- writing ----------------------------------------------------------------------------------------------- */

/* A series that was long enough once stays so when adding to it is interrupted. */
static void judge_lane(const struct kt_recall *recall, size_t i, size_t lane, struct kt_store_note *note)
{
    const struct kt_kept *kept = kept_of(recall, i, lane);
    bool stays = !is_end(note->stop) && is_end(kept->stop);
    note->stop = stays ? kept->stop : note->stop;
    note->budget = stays ? kept->budget : note->budget;
}

static enum kt_status write_lane(struct kt_recall *recall, size_t i, size_t lane, struct kt_error *error)
{
    const struct kt_item *item = &recall->schedule->item[i];
    const struct kt_series *series = &item->lane[lane];
    struct kt_store_key key = key_of(recall, i, lane);
    struct kt_store_note note = {.stop = item->stop,
                                 .budget = recall->options->budget,
                                 .at = kt_date(),
                                 .failure = recall->refused[i] ? NULL : recall->jobs->job[i].refused};
    if (series->enough || recall->jobs->job[i].by_chance || !can_be_stored(recall->options->context[lane]) ||
        (!series->samples && !note.failure))
        return KT_OK;
    judge_lane(recall, i, lane, &note);
    KT_TRY(kt_store_write(recall->store, &key, series, &note, recall->options->fresh, error));
    *kept_of(recall, i, lane) = (struct kt_kept){series->samples, note.stop, note.budget};
    return KT_OK;
}

/* Before the end only what has new samples; then everything once more, as now it is known why sampling ended. What was
 * left out keeps the end that it had. */
static enum kt_status write_all(struct kt_recall *recall, bool last, struct kt_error *error)
{
    enum kt_status status = kt_store_begin(recall->store, true, error);
    for (size_t i = 0; i < recall->schedule->reached && status == KT_OK; i++)
        for (size_t l = 0; l < recall->schedule->lanes && status == KT_OK; l++)
            if (last || recall->schedule->item[i].lane[l].samples != kept_of(recall, i, l)->samples)
                status = write_lane(recall, i, l, error);
    enum kt_status ended = kt_store_commit(recall->store, error);
    return status == KT_OK ? ended : status;
}

void kt_recall_keep(struct kt_recall *recall, bool last)
{
    struct kt_error error = {0};
    double time = kt_now();
    if (!recall->store || (!last && time - recall->written < interval))
        return;
    if (write_all(recall, last, &error) != KT_OK)
        give_up(recall, "what is measured is not kept for later replays", &error);
    recall->written = time;
}

/* --- facts ------------------------------------------------------------------------------------------------- */

static char *setting_of(const struct kt_recall *recall, bool of_machine)
{
    return of_machine ? kt_identity_machine() : kt_copy(recall->setting);
}

bool kt_recall_fact(struct kt_recall *recall, bool of_machine, const char *name, void *out, size_t size)
{
    if (!recall->store)
        return false;
    char *setting = setting_of(recall, of_machine);
    bool found = kt_store_fact(recall->store, setting, name, out, size);
    free(setting);
    return found;
}

void *kt_recall_bytes(struct kt_recall *recall, bool of_machine, const char *name, size_t *size)
{
    if (!recall->store)
        return NULL;
    char *setting = setting_of(recall, of_machine);
    void *bytes = kt_store_bytes(recall->store, setting, name, size);
    free(setting);
    return bytes;
}

void kt_recall_set_fact(struct kt_recall *recall, bool of_machine, const char *name, const void *bytes, size_t size)
{
    struct kt_error error = {0};
    if (!recall->store)
        return;
    char *setting = setting_of(recall, of_machine);
    enum kt_status status = kt_store_begin(recall->store, true, &error);
    if (status == KT_OK)
        status = kt_store_set_fact(recall->store, setting, name, bytes, size, &error);
    if (kt_store_commit(recall->store, &error) != KT_OK || status != KT_OK)
        give_up(recall, "what is measured is not kept for later replays", &error);
    free(setting);
}

double kt_recall_fault_seconds(struct kt_recall *recall)
{
    static const char name[] = "page fault (2)";
    double seconds;
    if (kt_recall_fact(recall, true, name, &seconds, sizeof seconds))
        return seconds;
    seconds = kt_pages_fault_seconds();
    kt_recall_set_fact(recall, true, name, &seconds, sizeof seconds);
    return seconds;
}
