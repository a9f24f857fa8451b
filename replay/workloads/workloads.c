/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/workloads/workloads.h"

#include "trace/base/interrupt.h"
#include "trace/base/memory.h"
#include "trace/base/words.h"
#include "trace/command/itself.h"
#include "trace/print/text.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const suffix = ".ktw";

/* --- which there are --------------------------------------------------------------------------------------------- */

static int is_workload_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && kt_text_ends_with(entry->d_name, suffix);
}

static void add_row(struct kt_workloads *w, const char *directory, const char *name)
{
    struct kt_words path = {0};
    kt_words_add(&path, "%s/%s", directory, name);
    struct kt_workload_row *row = &w->row[w->rows++];
    *row = (struct kt_workload_row){.path = kt_copy(path.word[0])};
    row->name = row->path + strlen(row->path) - strlen(name);
    row->name_length = (int)(strlen(name) - strlen(suffix));
    kt_words_free(&path);
}

static enum kt_status find_rows(struct kt_workloads *w, struct kt_error *error)
{
    struct dirent **entry;
    const char *directory = w->options->workloads;
    int count = scandir(directory, &entry, is_workload_name, alphasort);
    if (count < 0)
        return kt_fail(error, KT_BAD_INPUT, "%s: %s", directory, strerror(errno));
    w->row = kt_zeros((size_t)count, sizeof *w->row);
    for (int i = 0; i < count; i++) {
        add_row(w, directory, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    return count ? KT_OK : kt_fail(error, KT_BAD_INPUT, "%s: has no workload (*%s)", directory, suffix);
}

/* --- what is said of each ---------------------------------------------------------------------------------------- */

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static struct kt_workload_cell cell_of(const json_t *library)
{
    const json_t *ratio = json_object_get(library, "ratio_replayed");
    return (struct kt_workload_cell){
        .seconds = number(library, "seconds_replayed"),
        .ratio = {number(ratio, "value"), number(ratio, "lo"), number(ratio, "hi"),
                  (size_t)json_integer_value(json_object_get(library, "pairs"))},
        .wrong = json_array_size(json_object_get(library, "wrong")),
        .unfinished = json_array_size(json_object_get(library, "unfinished")),
        .failed = json_array_size(json_object_get(library, "failed")),
    };
}

/* The one with that label, a new one if there is none; KT_MOST_LANES: no room. */
static size_t lane_of(struct kt_workloads *w, const char *label)
{
    size_t lane = 0;
    while (lane < w->lanes && strcmp(w->lane[lane].label, label) != 0)
        lane++;
    if (lane == w->lanes && lane < KT_MOST_LANES)
        snprintf(w->lane[w->lanes++].label, sizeof w->lane[0].label, "%s", label);
    return lane;
}

static const char *label_of(const json_t *library)
{
    const char *label = json_string_value(json_object_get(library, "label"));
    return label ? label : "";
}

static char *with_path(const struct kt_workload_row *row, const char *why)
{
    char *text;
    if (asprintf(&text, "%s: %s", row->path, why) < 0)
        abort();
    return text;
}

/* Ratios to another baseline are no part of the table. */
static void take(struct kt_workloads *w, struct kt_workload_row *row)
{
    size_t i;
    json_t *library;
    const json_t *libraries = json_object_get(row->said, "libraries");
    const char *base = label_of(json_array_get(libraries, 0));
    if (w->lanes && strcmp(base, w->lane[0].label) != 0) {
        row->why = with_path(row, "the baseline cannot be loaded");
        row->exit = KT_BAD_INPUT;
        return;
    }
    json_array_foreach((json_t *)libraries, i, library)
    {
        size_t lane = lane_of(w, label_of(library));
        if (lane < KT_MOST_LANES)
            row->cell[lane] = cell_of(library);
    }
    w->spent += number(row->said, "seconds_spent");
    w->compared++;
    w->reused += json_is_true(json_object_get(json_object_get(row->said, "store"), "reused"));
}

/* --- comparing each ---------------------------------------------------------------------------------------------- */

/* The first library that was named is the baseline, unless another one is. */
static void add_libraries(const struct kt_compare_options *o, struct kt_words *words)
{
    size_t first = o->baseline ? 0 : 1;
    kt_words_add(words, "--baseline=%s", o->baseline ? o->baseline : o->replay.blas[0]);
    for (size_t i = first; i < o->replay.libraries; i++)
        kt_words_add(words, "--blas=%s", o->replay.blas[i]);
}

/* Beside the workload nothing is left: a corpus is no place for it, and the store has the times. */
static enum kt_status ask(const struct kt_workloads *w, const struct kt_words *words, struct kt_workload_row *row,
                          struct kt_error *error)
{
    struct kt_words own = {0};
    for (size_t i = 0; i < words->count; i++)
        kt_words_add(&own, "%s", words->word[i]);
    add_libraries(w->options, &own);
    kt_words_add(&own, "--budget=%.3f", w->budget);
    kt_words_add(&own, "--keep=no");
    kt_words_add(&own, "--json");
    kt_words_add(&own, "%s", row->path);
    enum kt_status status = kt_itself_ask(own.word, row->path, &row->said, &row->exit, error);
    kt_words_free(&own);
    return status;
}

static enum kt_status open_it(const char *path, struct kt_error *error)
{
    struct kt_trace trace;
    enum kt_status status = kt_trace_open(path, &trace, error);
    kt_trace_close(&trace);
    return status;
}

/* What makes one workload unusable is said, and is no reason not to compare the others. */
static void refuse(struct kt_workload_row *row, const struct kt_error *cause)
{
    kt_notice("compare: %s", cause->text);
    row->why = kt_copy(cause->text);
    row->exit = (int)cause->status;
}

static void compare_row(struct kt_workloads *w, const struct kt_words *words, struct kt_workload_row *row)
{
    struct kt_error cause = {0};
    if (open_it(row->path, &cause) != KT_OK || ask(w, words, row, &cause) != KT_OK) {
        refuse(row, &cause);
        return;
    }
    if (row->said)
        take(w, row);
    else
        row->why = with_path(row, kt_interrupted() ? "interrupted" : "ktrace compare cannot");
}

static void find_means(struct kt_workloads *w)
{
    for (size_t l = 0; l < w->lanes; l++) {
        size_t count = 0;
        struct kt_ratio *ratio = kt_resize(NULL, w->rows, sizeof *ratio);
        for (size_t i = 0; i < w->rows; i++)
            if (w->row[i].said && !w->row[i].why && w->row[i].cell[l].ratio.value > 0)
                ratio[count++] = w->row[i].cell[l].ratio;
        w->lane[l].mean = kt_ratio_mean(ratio, count);
        w->lane[l].workloads = count;
        free(ratio);
    }
}

enum kt_status kt_workloads_compare(const struct kt_compare_options *options, const struct kt_words *words,
                                    struct kt_workloads *out, struct kt_error *error)
{
    *out = (struct kt_workloads){.options = options};
    KT_TRY(find_rows(out, error));
    out->budget = options->replay.budget / (options->has_budget ? (double)out->rows : 1);
    for (size_t i = 0; i < out->rows; i++) {
        struct kt_workload_row *row = &out->row[i];
        for (size_t l = 0; l < KT_MOST_LANES; l++)
            row->cell[l] = (struct kt_workload_cell){.seconds = NAN, .ratio = {NAN, NAN, NAN, 0}};
        if (kt_interrupted())
            row->why = with_path(row, "interrupted");
        else
            compare_row(out, words, row);
    }
    if (!out->compared && !kt_interrupted())
        return kt_fail(error, KT_BAD_INPUT, "%s: no workload could be compared", options->workloads);
    find_means(out);
    return KT_OK;
}

int kt_workloads_status(const struct kt_workloads *w)
{
    int worst = KT_OK;
    for (size_t i = 0; i < w->rows; i++)
        worst = w->row[i].exit > worst ? w->row[i].exit : worst;
    return worst > KT_SYSTEM ? KT_SYSTEM : worst; /* beyond: a comparison that was killed */
}

void kt_workloads_free(struct kt_workloads *w)
{
    for (size_t i = 0; i < w->rows; i++) {
        free(w->row[i].path);
        free(w->row[i].why);
        json_decref(w->row[i].said);
    }
    free(w->row);
    *w = (struct kt_workloads){0};
}
