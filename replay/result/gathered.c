/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/result/gathered.h"

#include "trace/base/memory.h"
#include "trace/command/json.h"
#include "trace/print/text.h"
#include "trace/shape/fingerprint.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* --- kinds of nodes ---------------------------------------------------------------------------------------- */

static uint64_t add_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

static uint64_t add_value(uint64_t hash, const json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS) : NULL;
    hash = add_text(add_text(hash, text ? text : "null"), "\n");
    free(text);
    return hash;
}

/* Sizes of caches as the system or `ktrace probe` has them; what a process gets of the last one differs each time. */
static uint64_t add_caches(uint64_t hash, const json_t *caches)
{
    size_t i;
    json_t *cache;
    json_array_foreach(caches, i, cache)
    {
        const char *source = json_string_value(json_object_get(cache, "source"));
        if (source && strcmp(source, "measured") != 0)
            hash = add_value(hash, json_object_get(cache, "bytes"));
    }
    return hash;
}

void kt_gathered_kind(const json_t *document, const char *recorded, char out[9])
{
    static const char *const keys[] = {"library", "level",         "contexts",        "timer",
                                       "sample",  "only_routines", "last_calls_only", "skipped"};
    const json_t *machine = json_object_get(document, "machine");
    uint64_t hash = 0xcbf29ce484222325u;
    hash = add_text(hash, recorded);
    hash = add_value(hash, json_object_get(machine, "cpu"));
    hash = add_value(hash, json_object_get(machine, "cpus"));
    hash = add_caches(hash, json_object_get(document, "caches"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        hash = add_value(hash, json_object_get(document, keys[i]));
    snprintf(out, 9, "%08" PRIx32, (uint32_t)(hash ^ hash >> 32));
}

/* --- the whole --------------------------------------------------------------------------------------------- */

static void extend(json_t *whole, const json_t *part, const char *key)
{
    json_array_extend(json_object_get(whole, key), json_object_get(part, key));
}

/* What is not known of one is not known of all. */
static void add_number(json_t *to, const json_t *from, const char *key)
{
    const json_t *a = json_object_get(to, key);
    const json_t *b = json_object_get(from, key);
    if (json_is_integer(a) && json_is_integer(b))
        json_object_set_new(to, key, json_integer(json_integer_value(a) + json_integer_value(b)));
    else if (json_is_number(a) && json_is_number(b))
        json_object_set_new(to, key, json_real(json_number_value(a) + json_number_value(b)));
    else if (a && b)
        json_object_set_new(to, key, json_null());
    else if (b)
        json_object_set(to, key, (json_t *)b);
}

static void add_numbers(json_t *whole, const json_t *part, const char *key)
{
    const char *name;
    json_t *value;
    json_t *to = json_object_get(whole, key);
    json_object_foreach(json_object_get(part, key), name, value)
    {
        add_number(to, json_object_get(part, key), name);
    }
}

static int compare_totals(const void *a, const void *b)
{
    double x = json_number_value(json_object_get(*(json_t *const *)a, "total"));
    double y = json_number_value(json_object_get(*(json_t *const *)b, "total"));
    return (x < y) - (x > y);
}

/* Longest total first, as in any replay. */
static void sort_shapes(json_t *whole)
{
    json_t *shapes = json_object_get(whole, "shapes");
    size_t count = json_array_size(shapes);
    json_t **shape = kt_resize(NULL, count, sizeof *shape);
    json_t *sorted = json_array();
    for (size_t i = 0; i < count; i++)
        shape[i] = json_array_get(shapes, i);
    if (count)
        qsort(shape, count, sizeof *shape, compare_totals);
    for (size_t i = 0; i < count; i++)
        json_array_append(sorted, shape[i]);
    json_object_set_new(whole, "shapes", sorted);
    free(shape);
}

static void set_left_out_share(json_t *whole)
{
    size_t i;
    json_t *refused;
    json_t *left_out = json_object_get(whole, "left_out");
    double left = json_number_value(json_object_get(left_out, "seconds"));
    double all = left + json_number_value(json_object_get(json_object_get(whole, "totals"), "insitu"));
    json_array_foreach(json_object_get(whole, "not_replayed"), i, refused) all +=
        json_number_value(json_object_get(refused, "seconds"));
    json_object_set_new(left_out, "share", json_real(all > 0 ? left / all : 0));
}

static json_t *share_of(const json_t *part)
{
    json_t *json = json_object();
    static const char *const keys[] = {"machine", "processor", "seconds_spent", "state"};
    json_object_set_new(json, "shapes", json_integer((json_int_t)json_array_size(json_object_get(part, "shapes"))));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set(json, keys[i], json_object_get(part, keys[i]));
    return json;
}

static void add_part(json_t *whole, const json_t *part)
{
    static const char *const lists[] = {"shapes", "not_replayed"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        extend(whole, part, lists[i]);
    add_numbers(whole, part, "totals");
    add_numbers(whole, part, "left_out");
    add_number(whole, part, "seconds_spent");
    add_number(json_object_get(whole, "store"), json_object_get(part, "store"), "series_reused");
    if (json_is_true(json_object_get(part, "interrupted")))
        json_object_set_new(whole, "interrupted", json_true());
    if (json_integer_value(json_object_get(part, "rounds")) > json_integer_value(json_object_get(whole, "rounds")))
        json_object_set(whole, "rounds", json_object_get(part, "rounds"));
}

json_t *kt_gathered_whole(json_t *const *part, size_t parts)
{
    json_t *whole = json_deep_copy(part[0]);
    json_t *shares = json_array();
    json_array_append_new(shares, share_of(part[0]));
    for (size_t i = 1; i < parts; i++) {
        add_part(whole, part[i]);
        json_array_append_new(shares, share_of(part[i]));
    }
    sort_shapes(whole);
    set_left_out_share(whole);
    json_object_set_new(whole, "shards", shares);
    if (parts > 1)
        json_object_set_new(whole, "state", json_null()); /* each share has its own */
    return whole;
}

/* --- beside the trace -------------------------------------------------------------------------------------- */

static void path_of(const struct kt_files *files, const char *kind, unsigned number, unsigned of, char out[PATH_MAX])
{
    char name[64];
    snprintf(name, sizeof name, "replay.%s.%u-of-%u.json", kind, number, of);
    kt_files_companion(files, name, out, PATH_MAX);
}

/* Those that are not there yet are said by their numbers, as far as they fit. */
static size_t load_all(const struct kt_files *files, const char *kind, const struct kt_share *share, json_t **part,
                       char *missing, size_t size)
{
    size_t found = 0;
    size_t used = 0;
    *missing = '\0';
    for (unsigned i = 1; i <= share->of; i++) {
        char path[PATH_MAX];
        struct kt_error none = {0};
        path_of(files, kind, i, share->of, path);
        if (access(path, R_OK) == 0 && kt_json_load(path, &part[found], &none) == KT_OK)
            found++;
        else if (used + 32 < size)
            used += (size_t)snprintf(missing + used, size - used, "%s%u", used ? ", " : "", i);
        else if (missing[used - 1] != '.')
            used += (size_t)snprintf(missing + used, size - used, ", ...");
    }
    return found;
}

/* Of the file of a share: FOLDER/name-of-a-trace.replay.1234abcd.2-of-4.json. */
struct shares {
    char kind[9];
    unsigned number, of;
};

/* "FOLDER/name-of-a-trace.replay.1234abcd.2-of-4.json": one of another kind, of as many shares? */
static bool is_other(const char *name, const char *prefix, const char *kind, unsigned of)
{
    char tail[32];
    size_t length = strlen(name);
    size_t before = strlen(prefix);
    snprintf(tail, sizeof tail, "-of-%u.json", of);
    return length > before + strlen(kind) + strlen(tail) && !strncmp(name, prefix, before) &&
           strncmp(name + before, kind, strlen(kind)) != 0 && !strcmp(name + length - strlen(tail), tail);
}

/* The folder that the trace's companions are in, and what names of replays begin with; NULL: it cannot be read. */
static DIR *open_folder(const struct kt_files *files, char path[PATH_MAX], char prefix[PATH_MAX])
{
    kt_files_companion(files, "replay.", path, PATH_MAX);
    char *slash = strrchr(path, '/');
    snprintf(prefix, PATH_MAX, "%s", slash ? slash + 1 : path);
    if (slash)
        *slash = '\0';
    return opendir(!slash ? "." : *path ? path : "/");
}

/* Of unlike nodes, libraries, contexts or options, or of an earlier trace of that name. */
static size_t count_others(const struct kt_files *files, const char *kind, unsigned of)
{
    size_t others = 0;
    char path[PATH_MAX];
    char prefix[PATH_MAX];
    DIR *folder = open_folder(files, path, prefix);
    if (!folder)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        others += is_other(entry->d_name, prefix, kind, of);
    closedir(folder);
    return others;
}

/* When it was recorded, which tells it from an earlier trace of the same name. */
static const char *recorded_of(const struct kt_trace *trace)
{
    const char *anchor = trace->processes ? kt_meta(&trace->process[0], "anchor") : NULL;
    return anchor ? anchor : "";
}

bool kt_gathered_add(const struct kt_trace *trace, const struct kt_share *share, json_t **document,
                     struct kt_error *error)
{
    const struct kt_files *files = trace->files[0];
    char kind[9];
    char path[PATH_MAX];
    char missing[256];
    kt_gathered_kind(*document, recorded_of(trace), kind);
    path_of(files, kind, share->number, share->of, path);
    if (kt_json_save(json_incref(*document), path, error) != KT_OK)
        return false;
    json_t **part = kt_resize(NULL, share->of, sizeof *part);
    size_t found = load_all(files, kind, share, part, missing, sizeof missing);
    if (found == share->of) {
        json_decref(*document);
        *document = kt_gathered_whole(part, found);
    } else {
        size_t others = count_others(files, kind, share->of);
        kt_notice("share %u of %u is kept; of this kind of node %zu %s missing: %s (ktrace replay --shard I/%u %s)",
                  share->number, share->of, share->of - found, kt_count_word((double)(share->of - found), "is", "are"),
                  missing, share->of, trace->path);
        if (others)
            kt_notice("%s %s from nodes, libraries or contexts of another kind, or of another trace: not put "
                      "together with this one",
                      KT_COUNT(others, "share"), kt_count_word((double)others, "is", "are"));
    }
    for (size_t i = 0; i < found; i++)
        json_decref(part[i]);
    free(part);
    return found == share->of;
}

/* --- of several directories -------------------------------------------------------------------------------- */

static bool parse_name(const char *name, const char *prefix, struct shares *out)
{
    int end = 0;
    size_t before = strlen(prefix);
    return !strncmp(name, prefix, before) &&
           sscanf(name + before, "%8[0-9a-f].%u-of-%u.json%n", out->kind, &out->number, &out->of, &end) == 3 && end &&
           !name[before + (size_t)end] && out->number >= 1 && out->number <= out->of;
}

/* Beside a trace. To be freed. */
static struct shares *list_shares(const struct kt_files *files, size_t *count)
{
    char path[PATH_MAX];
    char prefix[PATH_MAX];
    struct shares one;
    struct shares *list = NULL;
    *count = 0;
    DIR *folder = open_folder(files, path, prefix);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (parse_name(entry->d_name, prefix, &one)) {
            list = kt_room_for_one(list, *count, sizeof *list);
            list[(*count)++] = one;
        }
    if (folder)
        closedir(folder);
    return list;
}

/* A file that is no document, or is of an earlier trace of that name, is left. */
static void take_share(const struct kt_files *from, const struct shares *share, const struct kt_trace *to)
{
    char path[PATH_MAX];
    char kind[9];
    json_t *document = NULL;
    struct kt_error error = {0};
    path_of(from, share->kind, share->number, share->of, path);
    if (kt_json_load(path, &document, &error) != KT_OK)
        return;
    kt_gathered_kind(document, recorded_of(to), kind);
    path_of(to->files[0], kind, share->number, share->of, path);
    bool is_own = !strcmp(kind, share->kind);
    if (is_own && kt_json_save(json_incref(document), path, &error) != KT_OK)
        kt_notice("share %u of %u of a replay is not taken over: %s", share->number, share->of, error.text);
    json_decref(document);
}

static void take_shares(const char *path, const struct kt_trace *to, const char *fingerprint)
{
    struct kt_trace from;
    struct kt_error none = {0};
    char own[KT_FINGERPRINT];
    size_t count = 0;
    struct shares *list = NULL;
    if (kt_trace_open(path, &from, &none) == KT_OK && (list = list_shares(from.files[0], &count))) {
        kt_trace_fingerprint(&from, own);
        for (size_t i = 0; i < count && !strcmp(own, fingerprint); i++)
            take_share(from.files[0], &list[i], to);
    }
    free(list);
    kt_trace_close(&from);
}

static void join_shares(const struct kt_trace *trace, const struct shares *shares)
{
    char path[PATH_MAX];
    char missing[256];
    struct kt_error error = {0};
    const struct kt_share all = {.of = shares->of};
    json_t **part = kt_resize(NULL, shares->of, sizeof *part);
    size_t found = load_all(trace->files[0], shares->kind, &all, part, missing, sizeof missing);
    kt_files_companion(trace->files[0], "replay.json", path, sizeof path);
    if (found < shares->of)
        kt_notice("of %u shares of a replay on one kind of node %zu %s missing: %s", shares->of, shares->of - found,
                  kt_count_word((double)(shares->of - found), "is", "are"), missing);
    else if (access(path, F_OK) == 0)
        kt_notice("%u shares of a replay, on another kind of node, are not put together: there is one result",
                  shares->of);
    else if (kt_json_save(kt_gathered_whole(part, found), path, &error) == KT_OK)
        kt_notice("%u shares of a replay are put together in %s", shares->of, path);
    else
        kt_notice("the shares of a replay are not put together: %s", error.text);
    for (size_t i = 0; i < found; i++)
        json_decref(part[i]);
    free(part);
}

static bool is_met(const struct shares *list, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (list[k].of == list[i].of && !strcmp(list[k].kind, list[i].kind))
            return true;
    return false;
}

void kt_gathered_merge(char *const *path, size_t paths, const char *merged)
{
    struct kt_trace trace;
    struct kt_error none = {0};
    char fingerprint[KT_FINGERPRINT];
    size_t count = 0;
    struct shares *list = NULL;
    if (kt_trace_open(merged, &trace, &none) == KT_OK) {
        kt_trace_fingerprint(&trace, fingerprint);
        for (size_t i = 0; i < paths; i++)
            take_shares(path[i], &trace, fingerprint);
        list = list_shares(trace.files[0], &count);
    }
    for (size_t i = 0; i < count; i++)
        if (!is_met(list, i))
            join_shares(&trace, &list[i]);
    free(list);
    kt_trace_close(&trace);
}
