/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/compare/lanes.h"

#include "trace/print/library_label.h"
#include "trace/library/library_probe.h"
#include "trace/print/text.h"

#include <stdio.h>
#include <string.h>

/* The libraries that there are lanes of, before numbers of threads multiply them. */
struct choice {
    struct kt_library library[KT_MAX_LIBRARIES + 1];
    size_t count;
    int recorded_threads; /* 0: not known */
    bool is_recorded;     /* the first one is what was recorded */
};

static void free_choice(struct choice *choice)
{
    for (size_t i = 0; i < choice->count; i++)
        kt_library_free(&choice->library[i]);
}

static void move_to_front(struct choice *choice, size_t i)
{
    struct kt_library first = choice->library[i];
    for (; i > 0; i--)
        choice->library[i] = choice->library[i - 1];
    choice->library[0] = first;
}

/* The first of those named that has all that was called, or COUNT. */
static size_t find_recorded(const struct choice *choice, const struct kt_trace *trace)
{
    size_t i = 0;
    while (i < choice->count && !kt_library_has_all_called(&choice->library[i], trace))
        i++;
    return i;
}

/* Where those named are parts of it, it is none of them. */
static void name_recorded(const struct choice *choice, struct kt_library *recorded)
{
    for (size_t i = 0; i < choice->count; i++)
        if (kt_library_same(&choice->library[i], recorded))
            snprintf(recorded->name, sizeof recorded->name, "recorded");
}

/* The baseline that the user named is the first: is it the recorded library as well? */
static void recognise_baseline(struct choice *choice, const struct kt_trace *trace)
{
    struct kt_library recorded;
    struct kt_error ignored = {0};
    choice->is_recorded = kt_library_has_all_called(&choice->library[0], trace);
    if (kt_library_recorded(trace, &recorded, &ignored) == KT_OK)
        choice->recorded_threads = recorded.threads;
    kt_library_free(&recorded);
}

/* The recorded library comes first, whether it was named or not; if it is not there, the first that was named. A
 * program that called several libraries is compared with itself, each call on the library that it was made to. */
static enum kt_status choose_baseline(struct choice *choice, const struct kt_trace *trace, struct kt_error *error)
{
    struct kt_library recorded;
    struct kt_error cause = {0};
    if (kt_library_recorded(trace, &recorded, &cause) != KT_OK) {
        kt_library_free(&recorded);
        if (choice->count <= 1)
            return kt_fail(error, cause.status, "%s", cause.text);
        kt_notice("%s is the baseline: %s", choice->library[0].name, cause.text);
        return KT_OK;
    }
    choice->is_recorded = true;
    choice->recorded_threads = recorded.threads;
    size_t named = find_recorded(choice, trace);
    if (named < choice->count) {
        kt_library_free(&recorded);
    } else {
        name_recorded(choice, &recorded);
        choice->library[choice->count++] = recorded;
    }
    move_to_front(choice, named);
    return KT_OK;
}

static bool is_chosen(const struct choice *choice, const struct kt_library *library)
{
    for (size_t i = 0; i < choice->count; i++)
        if (kt_library_same(&choice->library[i], library))
            return true;
    return false;
}

/* All that have short names, are on this machine, can be loaded and take the integers that are usual; room is left for
 * the recorded one. */
static void choose_installed(struct choice *choice)
{
    const char *name;
    bool is_alias;
    struct kt_installed files;
    for (int i = 0; kt_installed_line(i, &name, &is_alias, &files); i++) {
        struct kt_library_probe probe;
        struct kt_error ignored = {0};
        struct kt_library *library = &choice->library[choice->count];
        bool is_usable = files.files && !is_alias && choice->count < KT_MAX_LIBRARIES;
        if (is_usable)
            kt_library_probe(&files, &probe);
        kt_installed_free(&files);
        if (!is_usable || probe.int_bytes != 4)
            continue;
        if (kt_library_find(name, library, &ignored) == KT_OK && !is_chosen(choice, library))
            choice->count++;
        else
            kt_library_free(library);
    }
}

static enum kt_status add_named(const struct kt_compare_options *options, const char *name, struct choice *choice,
                                struct kt_error *error)
{
    struct kt_library *library = &choice->library[choice->count++];
    KT_TRY(kt_library_find(name, library, error));
    return options->lapack ? kt_library_add_lapack(library, options->lapack, error) : KT_OK;
}

static enum kt_status find_libraries(const struct kt_compare_options *options, const struct kt_trace *trace,
                                     struct choice *out, struct kt_error *error)
{
    if (options->baseline)
        KT_TRY(add_named(options, options->baseline, out, error));
    for (size_t i = 0; i < options->replay.libraries; i++)
        KT_TRY(add_named(options, options->replay.blas[i], out, error));
    if (options->replay.libraries == 0 && options->threads < 2)
        choose_installed(out);
    if (options->baseline)
        recognise_baseline(out, trace);
    else
        KT_TRY(choose_baseline(out, trace, error));
    for (size_t i = out->is_recorded; i < out->count; i++)
        KT_TRY(kt_library_add_recorded_lapack(&out->library[i], trace, error));
    return KT_OK;
}

/* --- lanes ------------------------------------------------------------------------------------------------- */

/* Numbers of threads, the recorded one first if it is among them and the recorded library is the baseline. */
static size_t order_threads(const struct kt_compare_options *options, const struct choice *choice, int *out)
{
    size_t count = options->threads ? options->threads : 1;
    out[0] = choice->recorded_threads ? choice->recorded_threads : 1;
    for (size_t i = 0; i < options->threads; i++)
        out[i] = options->thread[i];
    for (size_t i = 1; i < options->threads; i++)
        if (!options->baseline && out[i] == choice->recorded_threads) {
            out[i] = out[0];
            out[0] = choice->recorded_threads;
        }
    return count;
}

/* Is its name no more than that of its file? */
static bool is_path(const struct kt_library *library)
{
    return library->files && !strcmp(library->name, kt_base_name(library->file[0]));
}

/* A short name, or what tells its path from the others. */
static void name_lane(const struct kt_lanes *lanes, size_t lane, char out[KT_LIBRARY_LABEL])
{
    const char *path[KT_MOST_LANES];
    size_t paths = 0;
    size_t own = 0;
    snprintf(out, KT_LIBRARY_LABEL, "%s", lanes->library[lane].name);
    if (!is_path(&lanes->library[lane]) || kt_library_short_name(lanes->library[lane].file[0], out))
        return;
    for (size_t i = 0; i < lanes->count; i++) {
        own = i == lane ? paths : own;
        if (is_path(&lanes->library[i]))
            path[paths++] = lanes->library[i].file[0];
    }
    kt_path_distinct(path, paths, own, out, KT_LANE_LABEL - sizeof " #99 x999");
}

/* How many lanes before this one have the name: what no path tells apart has numbers. */
static size_t namesakes(const struct kt_lanes *lanes, size_t lane, char (*name)[KT_LIBRARY_LABEL])
{
    size_t count = 0;
    for (size_t i = 0; i < lane; i++)
        count += lanes->library[i].threads == lanes->library[lane].threads && !strcmp(name[i], name[lane]);
    return count;
}

static void label_lanes(struct kt_lanes *lanes, bool with_threads)
{
    char name[KT_MOST_LANES][KT_LIBRARY_LABEL];
    for (size_t lane = 0; lane < lanes->count; lane++) {
        char number[8] = "";
        char threads[16] = "";
        name_lane(lanes, lane, name[lane]);
        size_t same = namesakes(lanes, lane, name);
        if (same)
            snprintf(number, sizeof number, " #%u", (unsigned)same % 100 + 1);
        if (with_threads)
            snprintf(threads, sizeof threads, " x%d", lanes->library[lane].threads);
        int room = KT_LANE_LABEL - 1 - (int)(strlen(number) + strlen(threads));
        snprintf(lanes->label[lane], KT_LANE_LABEL, "%.*s%s%s", room, name[lane], number, threads);
    }
}

static enum kt_status make_lanes(const struct kt_compare_options *options, const struct choice *choice,
                                 struct kt_lanes *out, struct kt_error *error)
{
    int thread[KT_MOST_LANES];
    size_t threads = order_threads(options, choice, thread);
    if (threads * choice->count > KT_MOST_LANES)
        return kt_fail(error, KT_USAGE, "%zu libraries with %zu numbers of threads are more than %d to compare",
                       choice->count, threads, KT_MOST_LANES);
    for (size_t t = 0; t < threads; t++)
        for (size_t i = 0; i < choice->count; i++) {
            struct kt_library *library = &out->library[out->count++];
            kt_library_copy(&choice->library[i], library);
            library->threads = thread[t];
        }
    label_lanes(out, threads > 1);
    out->is_recorded = choice->is_recorded;
    out->is_as_recorded =
        choice->is_recorded && (!choice->recorded_threads || out->library[0].threads == choice->recorded_threads);
    if (out->count < 2)
        return kt_fail(error, KT_USAGE,
                       "%s is what the trace was recorded with: which library is it to be compared "
                       "to?",
                       out->library[0].name);
    return KT_OK;
}

enum kt_status kt_lanes_choose(const struct kt_compare_options *options, const struct kt_trace *trace,
                               struct kt_lanes *out, struct kt_error *error)
{
    struct choice choice = {0};
    *out = (struct kt_lanes){0};
    enum kt_status status = find_libraries(options, trace, &choice, error);
    if (status == KT_OK)
        status = make_lanes(options, &choice, out, error);
    free_choice(&choice);
    return status;
}

void kt_lanes_free(struct kt_lanes *lanes)
{
    for (size_t i = 0; i < lanes->count; i++)
        kt_library_free(&lanes->library[i]);
    lanes->count = 0;
}
