/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/advise/what_if.h"

#include "replay/advise/padded.h"
#include "replay/machine/processor.h"
#include "trace/base/memory.h"

#include <math.h>
#include <string.h>

/* --- other forms ------------------------------------------------------------------------------------------- */

static struct kt_layout changed_layout(const struct kt_variation *change, const struct kt_layout *recorded)
{
    struct kt_layout layout = *recorded;
    if (change->layout.align)
        layout.align = change->layout.align;
    if (change->layout.pages != KT_PAGES_ANY)
        layout.pages = change->layout.pages;
    return layout;
}

static bool lies_alike(const struct kt_call *call, const struct kt_layout *x, const struct kt_layout *y)
{
    struct kt_values values;
    struct kt_operand operand[KT_MAX_OPERANDS];
    uint64_t address[2][KT_MAX_OPERANDS];
    uint64_t bytes;
    kt_values_decode(&call->entry->symbol, call->args, &values);
    int count = kt_operands(&call->entry->symbol, &values, call->entry->int_bytes, operand);
    return kt_arena_layout(x, operand, count, address[0], &bytes) &&
           kt_arena_layout(y, operand, count, address[1], &bytes) &&
           !memcmp(address[0], address[1], (size_t)count * sizeof **address);
}

/* Writes the arguments of the other form. NULL: done; otherwise why there is none. */
static const char *make_other(const struct kt_what_if *w, const struct kt_layout *recorded, const struct kt_call *call,
                              unsigned char *args)
{
    struct kt_layout layout = changed_layout(&w->change, recorded);
    if (w->change.padding)
        return kt_padded_args(call, w->change.padding, args);
    memcpy(args, call->args, call->entry->symbol.arg_bytes);
    bool same = w->change.layout.align && lies_alike(call, recorded, &layout);
    return same ? "its operands lie so as recorded" : NULL;
}

/* NULL: the shape has a batch; otherwise why it has none. */
static const char *make_batch(struct kt_what_if *w, const struct kt_layout *layout, size_t number)
{
    char text[KT_WHY_NO_BATCH];
    const char *why = kt_independent_lay_out(&w->independent[number], w->change.batch, layout, text);
    return why ? w->why_no_batch[number] = kt_copy(why) : NULL;
}

static void add_candidate(struct kt_what_if *w, struct kt_what_if_row *row, unsigned char *args)
{
    struct kt_proposal candidate = {.shape = row->shape,
                                    .number = row->number,
                                    .each = 1,
                                    .calls = (double)row->shape->calls,
                                    .seconds = row->shape->total};
    if (w->independent)
        candidate = kt_candidate_batch(row->shape, row->number, &w->independent[row->number], w->loop);
    candidate.args = args;
    row->calls = candidate.calls;
    row->insitu = candidate.seconds;
    w->candidate = kt_room_for_one(w->candidate, w->candidates, sizeof *w->candidate);
    w->candidate[w->candidates++] = candidate;
}

static void add_row(struct kt_what_if *w, const struct kt_layout *recorded, const struct kt_shape_group *shape)
{
    struct kt_what_if_row row = {.shape = shape,
                                 .number = (size_t)(shape - w->setup.shapes.shape),
                                 .trial = KT_NO_TRIAL,
                                 .calls = (double)shape->calls,
                                 .insitu = shape->total,
                                 .seconds = NAN,
                                 .seconds_lo = NAN,
                                 .seconds_hi = NAN};
    unsigned char *args = kt_resize(NULL, shape->first.entry->symbol.arg_bytes, 1);
    if (shape->query)
        row.why = "asks for the size of a workspace only";
    else if (w->candidates == KT_MOST_CANDIDATES)
        row.why = "takes less time than all that are tried";
    else
        row.why = make_other(w, recorded, &shape->usual, args);
    if (!row.why && w->independent)
        row.why = make_batch(w, recorded, row.number);
    if (!row.why) {
        row.trial = w->candidates;
        add_candidate(w, &row, args);
    } else
        free(args);
    w->row = kt_room_for_one(w->row, w->rows, sizeof row);
    w->row[w->rows++] = row;
}

/* --- trials ------------------------------------------------------------------------------------------------ */

/* Calls that are made at the same time get one thread of the library each. */
static enum kt_status find_libraries(const struct kt_what_if *w, const struct kt_replay_options *options,
                                     struct kt_trials_where *where, struct kt_error *error)
{
    const struct kt_variation *change = &w->change;
    struct kt_replay_options other = *options;
    KT_TRY(kt_trials_library(options, &w->setup.trace, &where->library[KT_RECORDED_FORM], error));
    bool is_threaded = where->library[KT_RECORDED_FORM].threads != 1;
    where->apart = kt_variation_is_elsewhere(change) || (change->batch && is_threaded);
    if (!where->apart)
        return KT_OK;
    if (change->batch)
        other.threads = 1;
    if (change->threads)
        other.threads = change->threads;
    if (change->library) {
        other.blas[0] = change->library;
        other.libraries = 1;
    }
    return kt_trials_library(&other, &w->setup.trace, &where->library[KT_OTHER_FORM], error);
}

static enum kt_status check_pages(const struct kt_variation *change, struct kt_error *error)
{
    return change->layout.pages != KT_PAGES_HUGE || kt_pages_huge_exist()
               ? KT_OK
               : kt_fail(error, KT_SYSTEM, "--what-if %s: this system gives no huge pages", change->text);
}

static enum kt_status find_batches(struct kt_what_if *w, struct kt_error *error)
{
    w->loop = 1;
    if (!w->change.batch)
        return KT_OK;
    w->loop = kt_processors_usable();
    if (w->loop < 2)
        return kt_fail(error, KT_SYSTEM, "--what-if %s: there is one processor, so nothing runs at the same time",
                       w->change.text);
    if (w->loop > w->change.batch)
        w->loop = (unsigned)w->change.batch;
    w->independent = kt_independent_find(&w->setup.trace, &w->setup.shapes, w->change.batch);
    w->why_no_batch = kt_zeros(w->setup.shapes.count, sizeof *w->why_no_batch);
    return KT_OK;
}

enum kt_status kt_what_if_open(const struct kt_replay_options *options, struct kt_recall *recall,
                               struct kt_what_if *out, struct kt_error *error)
{
    struct kt_trials_where where = {.label = "what if"};
    *out = (struct kt_what_if){0};
    KT_TRY(kt_variation_parse(options->what_if, &out->change, error));
    KT_TRY(check_pages(&out->change, error));
    KT_TRY(kt_setup_open(options, recall, &out->setup, error));
    KT_TRY(find_batches(out, error));
    where.layout[KT_RECORDED_FORM] = options->layout;
    where.layout[KT_OTHER_FORM] = changed_layout(&out->change, &options->layout);
    if (find_libraries(out, options, &where, error) != KT_OK) {
        kt_library_free(&where.library[KT_RECORDED_FORM]);
        kt_library_free(&where.library[KT_OTHER_FORM]);
        return error->status;
    }
    out->program = kt_trials_program(&out->setup.trace);
    out->blas = out->setup.shapes.seconds;
    out->callers = kt_callers_new();
    out->source = kt_shape_sources_find(&out->setup.shapes, out->callers);
    for (size_t i = 0; i < out->setup.jobs.count; i++)
        add_row(out, &options->layout, out->setup.jobs.job[i].shape);
    kt_trials_open(&out->setup, out->candidate, out->candidates, &where, &out->trials);
    return KT_OK;
}

void kt_what_if_close(struct kt_what_if *w)
{
    kt_trials_close(&w->trials);
    for (size_t i = 0; i < w->candidates; i++)
        free((void *)w->candidate[i].args);
    free(w->candidate);
    free(w->row);
    free(w->source);
    for (size_t i = 0; i < w->setup.shapes.count && w->why_no_batch; i++)
        free(w->why_no_batch[i]);
    free(w->why_no_batch);
    if (w->independent)
        kt_independent_free(w->independent, w->setup.shapes.count);
    kt_callers_free(w->callers);
    kt_setup_close(&w->setup);
    *w = (struct kt_what_if){0};
}

/* --- what they come to ------------------------------------------------------------------------------------- */

static void set_gain(struct kt_what_if_row *row, double insitu, const struct kt_ratio *ratio)
{
    row->verdict = kt_ratio_claim(ratio);
    row->seconds = insitu * (1 - ratio->value);
    row->seconds_lo = insitu * (1 - ratio->hi);
    row->seconds_hi = insitu * (1 - ratio->lo);
}

static struct kt_stat stat_of(const double *seconds, size_t count)
{
    double *copy = kt_copy_of_array(seconds, count, sizeof *copy);
    struct kt_stat stat = kt_stat_of(copy, count, KT_BEST_MEDIAN);
    free(copy);
    return stat;
}

static void find_row(struct kt_what_if *w, struct kt_what_if_row *row)
{
    const struct kt_tried *tried = &w->trials.tried[row->trial];
    row->why = tried->failure ? tried->failure : tried->pairs ? NULL : "there was no time for it";
    if (row->why)
        return;
    row->recorded = stat_of(tried->base, tried->pairs);
    row->other = stat_of(tried->time, tried->pairs);
    set_gain(row, row->insitu, &tried->ratio);
}

void kt_what_if_find(struct kt_what_if *w)
{
    struct kt_pairs *pairs = kt_resize(NULL, w->candidates, sizeof *pairs);
    w->timed = 0;
    w->insitu = 0;
    for (size_t i = 0; i < w->rows; i++) {
        struct kt_what_if_row *row = &w->row[i];
        if (row->trial == KT_NO_TRIAL)
            continue;
        find_row(w, row);
        if (row->why)
            continue;
        pairs[w->timed++] = kt_trials_pairs(&w->trials, row->trial);
        w->insitu += row->insitu;
    }
    w->ratio = w->timed > 1    ? kt_ratio_of_total(pairs, w->timed, 1)
               : w->timed == 1 ? kt_ratio_of(&pairs[0])
                               : (struct kt_ratio){NAN, NAN, NAN, 0};
    set_gain(&w->total, w->insitu, &w->ratio);
    free(pairs);
}
