/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/setup/setup.h"

#include "replay/setup/honoured.h"
#include "replay/store/identity.h"
#include "replay/setup/known_caches.h"
#include "replay/setup/known_placements.h"
#include "replay/setup/recall.h"
#include "trace/base/memory.h"
#include "trace/shape/nested.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <stdio.h>

/* One context, or the conditions of operands joined by commas. A sequence is no condition of one call. */
static enum kt_status add_context(struct kt_replay_options *options, const char *text, struct kt_error *error)
{
    if (!strcmp(text, "sequence")) {
        options->sequence = true;
        return KT_OK;
    }
    KT_TRY(kt_contexts_parse(text, options->context, &options->contexts, KT_MAX_CONTEXTS, error));
    for (size_t i = 0; i < options->contexts; i++)
        if (!kt_placements && kt_context_is_tracked(options->context[i]))
            return kt_fail(error, KT_USAGE, "context '%s': nothing here finds out where operands were",
                           options->context[i]->name);
    return KT_OK;
}

static enum kt_status add_contexts(struct kt_replay_options *options, const char *text, struct kt_error *error)
{
    char *copy = kt_copy(text);
    char *rest = copy;
    enum kt_status status = KT_OK;
    if (strchr(text, '='))
        status = add_context(options, text, error);
    else
        for (char *name; status == KT_OK && (name = strsep(&rest, ","));)
            status = add_context(options, name, error);
    free(copy);
    return status;
}

void kt_replay_options_default(struct kt_replay_options *options)
{
    if (options->contexts || options->sequence)
        return;
    options->context[options->contexts++] = kt_context_find("warm");
    options->context[options->contexts++] = kt_context_find("cold");
    if (kt_placements)
        options->context[options->contexts++] = kt_context_find("tracked");
}

static enum kt_status parse_number(const struct kt_verb_option *option, const char *text, double least, double *out,
                                   struct kt_error *error)
{
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end || !(*out >= least && *out < 1e6))
        return kt_fail(error, KT_USAGE, "--%s needs a number of at least %g, not '%s'", option->name, least, text);
    return KT_OK;
}

enum kt_status kt_replay_take_contexts(const struct kt_verb_option *option, const char *value, void *out,
                                       struct kt_error *error)
{
    (void)option;
    return add_contexts(out, value, error);
}

enum kt_status kt_replay_take_budget(const struct kt_verb_option *option, const char *value, void *out,
                                     struct kt_error *error)
{
    return parse_number(option, value, 0.001, out, error);
}

enum kt_status kt_replay_take_blas(const struct kt_verb_option *option, const char *value, void *out,
                                   struct kt_error *error)
{
    struct kt_replay_options *options = out;
    (void)option;
    if (options->libraries == KT_MAX_LIBRARIES)
        return kt_fail(error, KT_USAGE, "more than %d libraries", KT_MAX_LIBRARIES);
    options->blas[options->libraries++] = value;
    return KT_OK;
}

enum kt_status kt_replay_take_store(const struct kt_verb_option *option, const char *value, void *out,
                                    struct kt_error *error)
{
    *(const char **)out = value;
    return *value ? KT_OK : kt_fail(error, KT_USAGE, "--%s needs the name of a file, or none", option->name);
}

enum kt_status kt_replay_take_threads(const struct kt_verb_option *option, const char *value, void *out,
                                      struct kt_error *error)
{
    double number;
    int *threads = out;
    KT_TRY(parse_number(option, value, 1, &number, error));
    *threads = (int)number;
    return *threads == number ? KT_OK
                              : kt_fail(error, KT_USAGE, "--%s needs a whole number, not '%s'", option->name, value);
}

enum kt_status kt_replay_take_pages(const struct kt_verb_option *option, const char *value, void *out,
                                    struct kt_error *error)
{
    static const enum kt_pages pages[] = {KT_PAGES_HUGE, KT_PAGES_SMALL};
    int place = 0;
    KT_TRY(kt_verb_take_choice(option, value, &place, error));
    *(enum kt_pages *)out = pages[place];
    return KT_OK;
}

enum kt_status kt_replay_take_alignment(const struct kt_verb_option *option, const char *value, void *out,
                                        struct kt_error *error)
{
    double number;
    uint64_t *bytes = out;
    KT_TRY(parse_number(option, value, 1, &number, error));
    *bytes = (uint64_t)number;
    if ((double)*bytes != number || *bytes & (*bytes - 1) || *bytes > KT_ARENA_PAGE)
        return kt_fail(error, KT_USAGE, "--%s needs a power of two of at most %d, not '%s'", option->name,
                       KT_ARENA_PAGE, value);
    return KT_OK;
}

/* What is only to be misaligned is aligned to 8: no element that is not even aligned to itself is meant. */
static enum kt_status check_layout(struct kt_layout *layout, struct kt_error *error)
{
    if (layout->misalign == 1)
        return kt_fail(error, KT_USAGE, "--misalign 1: everything is aligned to 1 byte");
    if (layout->misalign && !layout->align)
        layout->align = layout->misalign < 16 ? layout->misalign / 2 : 8;
    if (layout->misalign && layout->misalign <= layout->align)
        return kt_fail(error, KT_USAGE, "operands aligned to %llu bytes cannot be misaligned to %llu",
                       (unsigned long long)layout->align, (unsigned long long)layout->misalign);
    return KT_OK;
}

const char *kt_gaps_name(enum kt_gaps gaps)
{
    static const char *const name[KT_GAPS_KINDS] = {
        [KT_GAPS_NONE] = "none", [KT_GAPS_IDLE] = "idle", [KT_GAPS_TRAFFIC] = "traffic", [KT_GAPS_CODE] = "code"};
    return name[gaps];
}

enum kt_status kt_replay_take_gaps(const struct kt_verb_option *option, const char *value, void *out,
                                   struct kt_error *error)
{
    struct kt_replay_options *options = out;
    options->has_gaps = true;
    for (options->gaps = KT_GAPS_IDLE; options->gaps < KT_GAPS_KINDS; options->gaps++)
        if (!strcmp(value, kt_gaps_name(options->gaps)))
            return KT_OK;
    return kt_fail(error, KT_USAGE, "--%s %s: expected none, idle, traffic or code", option->name, value);
}

enum kt_status kt_replay_take_runs(const struct kt_verb_option *option, const char *value, void *out,
                                   struct kt_error *error)
{
    enum { MOST_RUNS = 1000 };
    char *end;
    long number = strtol(value, &end, 10);
    if (end == value || *end || number < 1 || number > MOST_RUNS)
        return kt_fail(error, KT_USAGE, "--%s needs a number from 1 to %d, not '%s'", option->name, MOST_RUNS, value);
    *(int *)out = (int)number;
    return KT_OK;
}

enum kt_status kt_replay_take_share(const struct kt_verb_option *option, const char *value, void *out,
                                    struct kt_error *error)
{
    (void)option;
    return kt_share_parse(value, out, error);
}

static enum kt_status take_what_if(const struct kt_verb_option *option, const char *value, void *out,
                                   struct kt_error *error)
{
    const char **change = out;
    if (*change)
        return kt_fail(error, KT_USAGE, "one --%s at a time, not also '%s'", option->name, value);
    *change = value;
    return KT_OK;
}

const struct kt_verb_option kt_verb_replay_options[] = {
    {"context", 0, "LIST", "sequence, " KT_REPLAY_CONTEXTS "; default warm,cold,tracked", kt_replay_take_contexts, 0},
    {"gaps", 0, KT_REPLAY_GAPS, "sequence: what fills the time between calls; default idle", kt_replay_take_gaps, 0},
    {"alone", 0, NULL,
     "sequence: only calls of the busiest thread; default: calls that overlapped are played at the same time and alone",
     KT_VERB_FLAG(struct kt_replay_options, alone)},
    {"blas", 0, "LIB", "a path, a soname or a short name; default: what was recorded", kt_replay_take_blas, 0},
    {"budget", 0, "SECONDS", "time for the samples; default 20", kt_replay_take_budget,
     offsetof(struct kt_replay_options, budget)},
    {"runs", 0, "N",
     "run the program N times between the rounds of the replay: the recorded command, or the one behind --",
     kt_replay_take_runs, offsetof(struct kt_replay_options, runs)},
    {KT_REPLAY_SHARD, offsetof(struct kt_replay_options, share)},
    {KT_VERB_THREADS, kt_replay_take_threads, offsetof(struct kt_replay_options, threads)},
    {KT_VERB_LEVEL(struct kt_replay_options, level)},
    {KT_VERB_ROUTINE(struct kt_replay_options, routines)},
    {KT_REPLAY_STORE, offsetof(struct kt_replay_options, store)},
    {KT_REPLAY_FRESH(struct kt_replay_options, fresh)},
    {KT_VERB_JSON(struct kt_replay_options, json)},
    {KT_VERB_CSV(struct kt_replay_options, json)},
    {"timer", 0, "wall|cpu|sets",
     "wall: wall time (default); cpu: processor time, on busy machines; sets: cold calls below 1 us, many to a sample",
     KT_VERB_CHOICE(struct kt_replay_options, timer)},
    {"pages", 0, "huge|small", "size of the pages of operands; default: as the system does", kt_replay_take_pages,
     offsetof(struct kt_replay_options, layout.pages)},
    {"align", 0, "N", "operands begin at multiples of N bytes; default: as recorded", kt_replay_take_alignment,
     offsetof(struct kt_replay_options, layout.align)},
    {"misalign", 0, "N", "operands never begin at a multiple of N bytes", kt_replay_take_alignment,
     offsetof(struct kt_replay_options, layout.misalign)},
    {"what-if", 0, "CHANGE",
     "time each call beside itself with ld=+N (leading dimensions), align=N, pages=huge, batch=N, threads=N or "
     "library=LIB",
     take_what_if, offsetof(struct kt_replay_options, what_if)},
    {0},
};

/* It chooses contexts as the trace tells, and it stores nothing. */
static enum kt_status check_what_if(const struct kt_replay_options *options, struct kt_error *error)
{
    bool elsewhere = options->contexts || options->sequence || options->alone || options->runs || options->share.of ||
                     options->timer != KT_TIMER_WALL || options->fresh;
    return elsewhere ? kt_fail(error, KT_USAGE,
                               "--what-if goes without --context, --alone, --runs, --shard, --timer and --fresh: "
                               "operands are where the trace says that they were")
                     : KT_OK;
}

enum kt_status kt_replay_options_parse(int argc, char **argv, struct kt_replay_options *out, struct kt_error *error)
{
    KT_TRY(kt_verb_take_options(argc, argv, kt_verb_replay_options, out, error));
    if (argc - optind != 1)
        return kt_fail(error, KT_USAGE, argc == optind ? "which trace?" : "one trace at a time, not also '%s'",
                       argv[argc - 1]);
    out->trace = argv[optind];
    KT_TRY(check_layout(&out->layout, error));
    if (out->has_gaps && !out->sequence)
        return kt_fail(error, KT_USAGE, "--gaps is for --context sequence: other contexts have no calls in between");
    if (out->share.of && (out->sequence || out->runs))
        return kt_fail(error, KT_USAGE, "--shard: a sequence, or runs of the program, are not shared out");
    if (out->what_if)
        KT_TRY(check_what_if(out, error));
    bool elsewhere = out->timer != KT_TIMER_WALL || out->layout.pages != KT_PAGES_ANY || out->layout.align;
    return out->sequence && elsewhere
               ? kt_fail(error, KT_USAGE,
                         "a sequence has wall times and the recorded addresses: --timer, --pages, --align and "
                         "--misalign are for the other contexts")
               : KT_OK;
}

/* Caches that contexts evict from, as bits. */
static enum kt_status find_evicted(const struct kt_replay_options *options, const struct kt_caches *caches,
                                   unsigned *out, struct kt_error *error)
{
    *out = 0;
    for (size_t i = 0; i < options->contexts; i++) {
        const struct kt_context *context = options->context[i];
        if (kt_context_last_cache(context) >= caches->count)
            return kt_fail(error, KT_USAGE, "context '%s': there is no l%u here", context->name,
                           kt_context_last_cache(context) + 1);
        *out |= kt_context_evicts(context, caches);
    }
    return KT_OK;
}

static bool is_tracked(const struct kt_replay_options *options)
{
    bool tracked = false;
    for (size_t i = 0; i < options->contexts; i++)
        tracked = tracked || kt_context_is_tracked(options->context[i]);
    return tracked;
}

void kt_setup_say_doubts(const struct kt_setup *setup)
{
    const struct kt_hierarchy *h = &setup->hierarchy;
    for (unsigned i = 0; i < h->caches.count; i++)
        if (*h->sweep[i].doubt)
            kt_notice("evicting from the L%u cache is not reliable here: %s", i + 1, h->sweep[i].doubt);
    if (h->probed)
        kt_notice("sizes of caches but the last are those that 'ktrace probe' found%s",
                  h->probed + 1 < h->caches.count ? ", as far as it did" : "");
    uint64_t usable = h->caches.count ? h->caches.cache[h->caches.count - 1].bytes : 0;
    if (usable < h->last_bytes / 2)
        kt_notice("of %.1f MB of the last cache this process has only %.1f MB", (double)h->last_bytes / 1e6,
                  (double)usable / 1e6);
}

static enum kt_status find_caches(const struct kt_replay_options *options, struct kt_recall *recall,
                                  struct kt_hierarchy *out, struct kt_error *error)
{
    unsigned evicted;
    kt_caches_find(out);
    KT_TRY(find_evicted(options, &out->caches, &evicted, error));
    kt_known_sweeps(recall, options->fresh, evicted, out);
    if (is_tracked(options))
        kt_known_last_cache(recall, options->fresh, out);
    return KT_OK;
}

static enum kt_status find_placements(const struct kt_replay_options *options, struct kt_recall *recall,
                                      struct kt_setup *setup, struct kt_error *error)
{
    if (!is_tracked(options))
        return KT_OK;
    setup->placed = kt_zeros(setup->shapes.count, sizeof *setup->placed);
    return kt_known_placements(recall, options, setup, error);
}

/* An operand that no call has is a slip. */
static enum kt_status check_names(const struct kt_replay_options *options, const struct kt_jobs *jobs,
                                  struct kt_error *error)
{
    for (size_t i = 0; i < options->contexts; i++) {
        unsigned found = 0;
        for (size_t j = 0; j < jobs->count; j++)
            found |= kt_context_names_of(options->context[i], jobs->job[j].operand, jobs->job[j].operands);
        for (int k = 0; k < options->context[i]->names; k++)
            if (!(found >> k & 1))
                return kt_fail(error, KT_USAGE, "context '%s': no recorded call has an operand %s",
                               options->context[i]->name, options->context[i]->named[k].operand);
    }
    return KT_OK;
}

static enum kt_status fail_empty(const struct kt_replay_options *options, const struct kt_setup *setup,
                                 struct kt_error *error)
{
    if (options->routines && setup->shapes.count)
        return kt_fail(error, KT_USAGE, "%s: no recorded call of a routine that matches '%s'", setup->trace.path,
                       options->routines);
    return kt_fail(error, KT_BAD_INPUT, "%s: no complete call to replay", setup->trace.path);
}

enum kt_status kt_setup_open(const struct kt_replay_options *options, struct kt_recall *recall, struct kt_setup *out,
                             struct kt_error *error)
{
    *out = (struct kt_setup){.has_all = options->has_all};
    KT_TRY(kt_trace_open(options->trace, &out->trace, error));
    kt_honoured_take(&out->trace);
    kt_state_find(&out->trace, &out->state);
    kt_nested_notice(&out->trace, options->level);
    kt_shapes_collect(&out->trace, options->level, &out->shapes);
    kt_share_lock(&options->share, &out->shapes.processor);
    KT_TRY(find_caches(options, recall, &out->hierarchy, error));
    KT_TRY(find_placements(options, recall, out, error));
    if (options->layout.pages == KT_PAGES_HUGE && !kt_pages_huge_exist())
        kt_notice("this system gives no huge pages: operands are in small ones");
    kt_snapshots_load(&out->trace, &out->snapshots);
    out->held = kt_held_by_shape(&out->trace, &out->shapes, &out->snapshots);
    struct kt_jobs_rules rules = {.filter = options->routines,
                                  .limit = kt_pages_limit(),
                                  .layout = options->layout,
                                  .placed = out->placed,
                                  .held = out->held,
                                  .timer = options->timer};
    kt_jobs_make(&out->shapes, &rules, &out->jobs);
    if (!out->jobs.count)
        return fail_empty(options, out, error);
    KT_TRY(check_names(options, &out->jobs, error));
    return KT_OK;
}

bool kt_setup_has_all(const struct kt_setup *setup)
{
    uint64_t missing = setup->state.skipped + setup->trace.notes;
    for (int i = 0; i < KT_LOSS_COUNT; i++)
        missing += setup->state.lost[i];
    return missing == 0 && kt_state_sample(&setup->trace) == 1 &&
           (setup->has_all || strcmp(kt_trace_option(&setup->trace, "ROUTINES", "*"), "*") == 0);
}

void kt_setup_close(struct kt_setup *setup)
{
    kt_jobs_free(&setup->jobs);
    free(setup->placed);
    free(setup->held);
    kt_snapshots_free(&setup->snapshots);
    kt_shapes_free(&setup->shapes);
    kt_state_free(&setup->state);
    kt_trace_close(&setup->trace);
}

void kt_setup_schedule(const struct kt_setup *setup, const struct kt_replay_options *options, size_t lanes, size_t most,
                       struct kt_schedule *out)
{
    kt_schedule_make(setup->jobs.count < most ? setup->jobs.count : most, lanes, out);
    out->budget = options->budget;
    for (size_t i = 0; i < out->items; i++) {
        const struct kt_job *job = &setup->jobs.job[i];
        out->item[i].best = kt_timer_best(options->timer);
        out->item[i].weight = job->shape->total;
        out->item[i].once = job->shape->query || job->shape->bytes == 0;
    }
}

/* Reading the processor's time is a system call, which takes from a call behind it what the core had learnt of its
 * branches: a microsecond or so of a single one. Where calls can be repeated that does not count. */
static bool is_too_short(const struct kt_job *job, const struct kt_context *context, enum kt_timer_kind timer)
{
    static const double shortest = 10e-6;
    return timer == KT_TIMER_CPU && strcmp(context->name, "warm") != 0 && job->insitu.median < shortest;
}

bool kt_setup_lacks(const struct kt_job *job, const struct kt_context *context, enum kt_timer_kind timer)
{
    return (kt_context_is_tracked(context) && !job->placed) || is_too_short(job, context, timer);
}
