/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/comparison_store.h"

#include "replay/sequence/play.h"
#include "replay/sequence/recorded.h"
#include "replay/store/identity.h"
#include "replay/setup/recall.h"
#include "trace/shape/fingerprint.h"
#include "trace/base/memory.h"
#include "trace/base/now.h"
#include "trace/print/text.h"

#include <inttypes.h>
#include <stdio.h>

/* Seconds of measuring shape by shape that a kill may cost; a sequence is kept when it has ended. */
static const double interval = 5;

/* How a failure is kept: one that is a defect of the library, or a routine that it has not. */
enum { DEFECT = '!', LACKING = '-' };

struct kt_comparison_store {
    struct kt_comparison *comparison;
    char *setting[KT_MOST_LANES];
    uint64_t settings;          /* a number that stands for all of them */
    char trace[KT_FINGERPRINT]; /* a sequence is one trace's own */
    char **shape;               /* by item */
    char **context;             /* by item */
    bool *known;                /* by item: read, nothing to write */
    struct kt_kept *kept;       /* by item: the end that was read */
    unsigned round;
    double written; /* on the monotonic clock */
};

/* Said once: without a store there is nothing more to complain about. */
static void give_up(struct kt_comparison_store *s, const char *what, const struct kt_error *error)
{
    struct kt_recall *recall = &s->comparison->recall;
    kt_notice("%s: %s", what, error->text);
    kt_store_close(recall->store);
    recall->store = NULL;
}

/* --- keys -------------------------------------------------------------------------------------------------- */

static int compare_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A number that stands for all the settings, in whatever order. */
static uint64_t number_of_settings(const struct kt_comparison_store *s, size_t lanes)
{
    uint64_t number[KT_MOST_LANES] = {0};
    for (size_t l = 0; l < lanes; l++)
        number[l] = kt_bytes_number(s->setting[l], strlen(s->setting[l]));
    qsort(number, lanes, sizeof *number, compare_number);
    return kt_bytes_number(number, lanes * sizeof *number);
}

/* Two copies of one library are two series all the same. */
static char *setting_of(const struct kt_comparison_store *s, const struct kt_worker *worker, size_t lane)
{
    char *text;
    size_t copies = 0;
    char *identity = kt_identity_setting(&worker->library, worker->jobs->processor);
    if (!identity)
        return NULL;
    if (s->comparison->owner)
        kt_identity_make_kind(identity);
    for (size_t l = 0; l < lane; l++)
        copies += !strncmp(s->setting[l], identity, strlen(identity));
    if (asprintf(&text, "%s | copy %zu%s", identity, copies, worker->library.in_order ? ", in order" : "") < 0)
        abort();
    free(identity);
    return text;
}

static bool describe_lanes(struct kt_comparison_store *s)
{
    for (size_t l = 0; l < s->comparison->libraries; l++) {
        s->setting[l] = setting_of(s, &s->comparison->worker[l], l);
        if (!s->setting[l])
            return false;
    }
    return true;
}

/* To be freed. */
static char *with_settings(const struct kt_comparison_store *s, char *context)
{
    char *text;
    if (asprintf(&text, "%s | compared %016" PRIx64, context, s->settings) < 0)
        abort();
    free(context);
    return text;
}

/* To be freed. */
static char *sequence_of(const struct kt_comparison_store *s)
{
    const struct kt_replay_options *asked = &s->comparison->options.replay;
    char *context;
    if (asprintf(
            &context, "sequence%s, without strange shapes, with first calls of %s level %d routines %s gaps %s %d %g",
            asked->company ? " in company" : "", s->trace, (int)asked->level, asked->routines ? asked->routines : "all",
            kt_gaps_name(asked->gaps), KT_GAP_CODE_PAGES, KT_LONGEST_GAP) < 0)
        abort();
    return with_settings(s, context);
}

/* Where operands were follows from the trace and the kind of host, though hosts do not find the same sizes of caches to
 * the byte. To be freed. */
static char *context_of_share(const struct kt_comparison_store *s, size_t i)
{
    char *text;
    if (asprintf(&text, "%s of %s", s->comparison->context[i]->name, s->trace) < 0)
        abort();
    return with_settings(s, text);
}

/* To be freed. */
static char *context_of(const struct kt_comparison_store *s, size_t i)
{
    const struct kt_comparison *c = s->comparison;
    if (c->met[i])
        return sequence_of(s);
    if (c->owner)
        return context_of_share(s, i);
    bool tracked = kt_context_is_tracked(c->context[i]);
    const struct kt_placements_of_shape *placed = tracked ? c->setup.jobs.job[i].placed : NULL;
    return with_settings(s, kt_identity_context(c->context[i]->name, KT_TIMER_WALL, KT_PAGES_ANY, placed));
}

static void describe_items(struct kt_comparison_store *s)
{
    const struct kt_comparison *c = s->comparison;
    size_t items = c->setup.jobs.count;
    s->shape = kt_resize(NULL, items, sizeof *s->shape);
    s->context = kt_resize(NULL, items, sizeof *s->context);
    s->known = kt_resize(NULL, items, sizeof *s->known);
    s->kept = kt_resize(NULL, items, sizeof *s->kept);
    for (size_t i = 0; i < items; i++) {
        s->shape[i] = kt_identity_shape(&c->setup.jobs.job[i]);
        s->context[i] = NULL;
        s->known[i] = false;
        s->kept[i] = (struct kt_kept){.stop = KT_STOP_NOT_YET};
    }
}

static struct kt_store_key key_of(const struct kt_comparison_store *s, size_t i, size_t lane)
{
    return (struct kt_store_key){s->setting[lane], s->shape[i], s->context[i]};
}

/* --- reading ----------------------------------------------------------------------------------------------- */

/* Seconds that the item is promised its part of; those of all shares together. */
static double budget_of(const struct kt_comparison *c, size_t i)
{
    double alone = c->alone * (c->owner ? c->options.replay.share.of : 1);
    return c->met[i] ? c->options.replay.budget : alone;
}

static bool is_end(const struct kt_store_note *note, double budget)
{
    bool ended = note->stop != KT_STOP_NOT_YET && note->stop != KT_STOP_INTERRUPTED;
    return ended && note->budget >= budget;
}

static void take(struct kt_comparison_store *s, size_t i, size_t lane, const struct kt_store_note *note)
{
    struct kt_comparison *c = s->comparison;
    struct kt_series *series = &c->schedule.item[i].lane[lane];
    for (size_t v = 0; v < series->visits && !c->met[i]; v++)
        s->round = series->round[v] >= s->round ? series->round[v] + 1 : s->round;
    if (note->failure && !c->worker[lane].failure[i]) {
        c->worker[lane].failure[i] = kt_copy(*note->failure ? note->failure + 1 : "");
        c->worker[lane].broken[i] = *note->failure == DEFECT;
        series->absent = true;
    }
    c->measured = note->at > c->measured ? note->at : c->measured;
}

static enum kt_status read_item(struct kt_comparison_store *s, size_t i, struct kt_error *error)
{
    struct kt_comparison *c = s->comparison;
    struct kt_store_note note[KT_MOST_LANES] = {0};
    size_t found = 0;
    bool ended = true;
    for (size_t l = 0; l < c->libraries; l++) {
        struct kt_store_key key = key_of(s, i, l);
        bool is_there = false;
        KT_TRY(kt_store_read(c->recall.store, &key, &c->schedule.item[i].lane[l], &note[l], &is_there, error));
        found += is_there;
        ended = ended && is_there && is_end(&note[l], budget_of(c, i));
    }
    /* Ratios need them all; and a sequence is whole, or played anew. */
    bool is_of_use = found == c->libraries && (ended || !c->met[i]);
    ended = ended && is_of_use;
    if (is_of_use && is_end(&note[0], 0))
        s->kept[i] = (struct kt_kept){.stop = note[0].stop, .budget = note[0].budget};
    for (size_t l = 0; l < c->libraries; l++) {
        if (is_of_use)
            take(s, i, l, &note[l]);
        else
            kt_series_forget(&c->schedule.item[i].lane[l]);
        free(note[l].failure);
    }
    s->known[i] = ended;
    if (ended)
        c->schedule.item[i].stop = note[0].stop;
    return KT_OK;
}

/* Items that were met in sequence, those that were not, and those of other shares. */
enum part { MET, ALONE, OF_OTHERS };

static bool is_of_part(const struct kt_comparison *c, size_t i, enum part part)
{
    if (part == OF_OTHERS)
        return kt_comparison_is_elsewhere(c, i);
    return c->met[i] == (part == MET);
}

static enum kt_status read_items(struct kt_comparison_store *s, enum part part, struct kt_error *error)
{
    struct kt_comparison *c = s->comparison;
    enum kt_status status = kt_store_begin(c->recall.store, false, error);
    for (size_t i = 0; i < c->setup.jobs.count && status == KT_OK; i++) {
        if (c->setup.jobs.job[i].refused || !is_of_part(c, i, part))
            continue;
        free(s->context[i]);
        s->context[i] = context_of(s, i);
        status = read_item(s, i, error);
    }
    enum kt_status ended = kt_store_commit(c->recall.store, error);
    return status == KT_OK ? ended : status;
}

static bool read_part(struct kt_comparison_store *s, enum part part)
{
    struct kt_error error = {0};
    if (!s->comparison->recall.store || s->comparison->options.replay.fresh)
        return false;
    if (read_items(s, part, &error) == KT_OK)
        return true;
    give_up(s, "the store of results is not used any further", &error);
    return false;
}

struct kt_comparison_store *kt_comparison_store_open(struct kt_comparison *c)
{
    struct kt_comparison_store *s = kt_resize(NULL, 1, sizeof *s);
    *s = (struct kt_comparison_store){.comparison = c};
    if (!c->recall.store || !describe_lanes(s)) {
        kt_comparison_store_close(s);
        return NULL;
    }
    s->settings = number_of_settings(s, c->libraries);
    kt_trace_fingerprint(&c->setup.trace, s->trace);
    describe_items(s);
    s->written = kt_now();
    return s;
}

/* Of an item, besides its series. */
struct beside {
    double first;
    struct kt_windowed windowed;
};

/* In that sequence on those libraries, by item. To be freed. */
static char *beside_name(const struct kt_comparison_store *s)
{
    char *name;
    char *sequence = sequence_of(s);
    if (asprintf(&name, "first calls and windows, %zu shapes, %s", s->comparison->setup.jobs.count, sequence) < 0)
        abort();
    free(sequence);
    return name;
}

static void read_beside(struct kt_comparison_store *s)
{
    struct kt_comparison *c = s->comparison;
    size_t items = c->setup.jobs.count;
    struct beside *beside = kt_resize(NULL, items, sizeof *beside);
    char *name = beside_name(s);
    for (size_t l = 0; l < c->libraries; l++)
        if (kt_store_fact(c->recall.store, s->setting[l], name, beside, items * sizeof *beside))
            for (size_t i = 0; i < items; i++) {
                c->first[i * c->libraries + l] = beside[i].first;
                c->windowed[i] = beside[i].windowed;
            }
    free(beside);
    free(name);
}

void kt_comparison_store_read_met(struct kt_comparison_store *s)
{
    struct kt_comparison *c = s ? s->comparison : NULL;
    for (size_t i = 0; s && i < c->setup.jobs.count; i++)
        c->met[i] = !c->setup.jobs.job[i].refused;
    bool is_read = s && read_part(s, MET);
    for (size_t i = 0; s && i < c->setup.jobs.count; i++)
        c->met[i] = is_read && s->known[i];
    if (is_read && kt_comparison_is_any_met(c))
        read_beside(s);
}

void kt_comparison_store_read(struct kt_comparison_store *s)
{
    struct kt_comparison *c = s ? s->comparison : NULL;
    bool all = s && read_part(s, ALONE);
    for (size_t i = 0; s && i < c->setup.jobs.count; i++)
        all = all && (c->setup.jobs.job[i].refused || s->known[i]);
    if (s)
        c->is_reused = all;
}

/* --- shares ------------------------------------------------------------------------------------------------ */

bool kt_comparison_store_knows(const struct kt_comparison_store *s, size_t i)
{
    return s->known[i];
}

void kt_comparison_store_read_others(struct kt_comparison_store *s)
{
    struct kt_comparison *c = s->comparison;
    for (size_t i = 0; i < c->setup.jobs.count; i++)
        for (size_t l = 0; l < c->libraries && kt_comparison_is_elsewhere(c, i); l++)
            kt_series_forget(&c->schedule.item[i].lane[l]);
    read_part(s, OF_OTHERS);
}

size_t kt_comparison_store_mark(struct kt_comparison_store *s)
{
    static const char done = 1;
    char name[KT_FINGERPRINT + 32];
    struct kt_error error = {0};
    struct kt_store *store = s->comparison->recall.store;
    snprintf(name, sizeof name, "shares of a comparison of %s", s->trace);
    enum kt_status status = kt_store_begin(store, true, &error);
    if (status == KT_OK)
        status = kt_store_set_fact(store, s->setting[0], name, &done, sizeof done, &error);
    if (kt_store_commit(store, &error) != KT_OK || status != KT_OK)
        give_up(s, "what is measured is not kept for other shares", &error);
    return status == KT_OK ? kt_store_count_others(store, s->setting[0], name) : 0;
}

void kt_comparison_store_close(struct kt_comparison_store *s)
{
    if (!s)
        return;
    for (size_t l = 0; l < KT_MOST_LANES; l++)
        free(s->setting[l]);
    for (size_t i = 0; s->shape && i < s->comparison->setup.jobs.count; i++) {
        free(s->shape[i]);
        free(s->context[i]);
    }
    free(s->shape);
    free(s->context);
    free(s->known);
    free(s->kept);
    free(s);
}

unsigned kt_comparison_store_round(const struct kt_comparison_store *s)
{
    return s ? s->round : 0;
}

/* --- writing ----------------------------------------------------------------------------------------------- */

/* To be freed; NULL: it has not failed. */
static char *failure_of(const struct kt_comparison *c, size_t i, size_t lane)
{
    char *text;
    const struct kt_worker *worker = &c->worker[lane];
    if (!worker->failure[i] || c->met[i])
        return NULL;
    if (asprintf(&text, "%c%s", worker->broken[i] ? DEFECT : LACKING, worker->failure[i]) < 0)
        abort();
    return text;
}

static enum kt_status write_item(struct kt_comparison_store *s, size_t i, struct kt_error *error)
{
    const struct kt_comparison *c = s->comparison;
    const struct kt_item *item = &c->schedule.item[i];
    enum kt_status status = KT_OK;
    for (size_t l = 0; l < c->libraries && status == KT_OK; l++) {
        struct kt_store_key key = key_of(s, i, l);
        struct kt_store_note note = {
            .stop = item->stop, .budget = budget_of(c, i), .at = kt_date(), .failure = failure_of(c, i, l)};
        if (!is_end(&note, 0) && s->kept[i].stop != KT_STOP_NOT_YET) { /* what was enough stays so */
            note.stop = s->kept[i].stop;
            note.budget = s->kept[i].budget;
        }
        if (item->lane[l].samples || note.failure || item->stop == KT_STOP_FAILED)
            status = kt_store_write(c->recall.store, &key, &item->lane[l], &note, true, error);
        free(note.failure);
    }
    return status;
}

/* An interrupted sequence cannot be gone on with, and must not take the place of a whole one. */
static bool is_torn(const struct kt_comparison *c, size_t i)
{
    return c->met[i] &&
           (c->schedule.item[i].stop == KT_STOP_INTERRUPTED || c->schedule.item[i].stop == KT_STOP_NOT_YET);
}

/* What may work another time is tried then. */
static bool failed_by_chance(const struct kt_comparison *c, size_t i)
{
    for (size_t l = 0; l < c->libraries; l++)
        if (c->worker[l].by_chance[i] && !c->met[i])
            return true;
    return false;
}

/* Of a sequence that was just played. */
static enum kt_status write_beside(struct kt_comparison_store *s, struct kt_error *error)
{
    const struct kt_comparison *c = s->comparison;
    size_t items = c->setup.jobs.count;
    struct beside *beside = kt_resize(NULL, items, sizeof *beside);
    char *name = beside_name(s);
    enum kt_status status = KT_OK;
    for (size_t l = 0; l < c->libraries && status == KT_OK; l++) {
        for (size_t i = 0; i < items; i++)
            beside[i] = (struct beside){c->first[i * c->libraries + l], c->windowed[i]};
        status = kt_store_set_fact(c->recall.store, s->setting[l], name, beside, items * sizeof *beside, error);
    }
    free(beside);
    free(name);
    return status;
}

/* In one transaction: of two comparisons at one time all series of an item are from one of them. */
static enum kt_status write_all(struct kt_comparison_store *s, struct kt_error *error)
{
    const struct kt_comparison *c = s->comparison;
    enum kt_status status = kt_store_begin(c->recall.store, true, error);
    bool is_played = false;
    for (size_t i = 0; i < c->setup.jobs.count && status == KT_OK; i++)
        if (!c->setup.jobs.job[i].refused && !s->known[i] && !is_torn(c, i) && !failed_by_chance(c, i) &&
            !kt_comparison_is_elsewhere(c, i)) {
            free(s->context[i]);
            s->context[i] = context_of(s, i);
            status = write_item(s, i, error);
            is_played = is_played || c->met[i];
        }
    if (is_played && status == KT_OK)
        status = write_beside(s, error);
    enum kt_status ended = kt_store_commit(c->recall.store, error);
    return status == KT_OK ? ended : status;
}

void kt_comparison_store_keep(struct kt_comparison_store *s, bool last)
{
    struct kt_error error = {0};
    double time = kt_now();
    if (!s || !s->comparison->recall.store || (!last && time - s->written < interval))
        return;
    if (write_all(s, &error) != KT_OK)
        give_up(s, "what is measured is not kept for later comparisons", &error);
    s->written = kt_now();
}
