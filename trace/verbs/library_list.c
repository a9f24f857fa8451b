/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/verbs/library_list.h"

#include "trace/command/document.h"
#include "trace/command/json.h"
#include "trace/library/library_probe.h"
#include "trace/base/memory.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>

enum { MAX_ALIASES = 3 };

struct row {
    struct kt_installed library;
    const char *alias[MAX_ALIASES]; /* other short names of the same files */
    int aliases;
    struct kt_library_probe probe;
};

struct list {
    struct row *row;
    size_t count;
};

/* --- collecting -------------------------------------------------------------------------------------------- */

static bool same_files(const struct kt_installed *a, const struct kt_installed *b)
{
    bool same = a->files == b->files;
    for (int i = 0; i < a->files && same; i++)
        same = kt_same_file(a->file[i], b->file[i]);
    return same;
}

static struct row *find_name(const struct list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->row[i].library.name, name))
            return &list->row[i];
    return NULL;
}

/* The library belongs to the list. */
static void add_row(struct list *list, const struct kt_installed *library)
{
    list->row = kt_room_for_one(list->row, list->count, sizeof *list->row);
    list->row[list->count++] = (struct row){.library = *library};
}

/* A file of Debian's openblas directory that only points to the library beside it is that library. */
static bool stands_for(const struct kt_installed *alias, const struct kt_installed *library)
{
    char a[PATH_MAX];
    char b[PATH_MAX];
    if (same_files(alias, library))
        return true;
    if (!kt_real_directory(alias->file[0], a) || !kt_real_directory(library->file[0], b))
        return false;
    return library->files == 1 && strstr(b, "openblas") && !strcmp(a, b);
}

static void add_alias(struct list *list, const char *name, const struct kt_installed *library)
{
    for (size_t i = 0; i < list->count; i++) {
        struct row *row = &list->row[i];
        for (int a = 0; a < row->aliases; a++)
            if (!strcmp(row->alias[a], name))
                return;
    }
    for (size_t i = 0; i < list->count; i++) {
        struct row *row = &list->row[i];
        if (row->aliases < MAX_ALIASES && stands_for(library, &row->library)) {
            row->alias[row->aliases++] = name;
            return;
        }
    }
}

static void collect_named(struct list *list, bool aliases)
{
    const char *name;
    bool alias;
    struct kt_installed library;
    for (int i = 0; kt_installed_line(i, &name, &alias, &library); i++) {
        if (library.files && !alias && !aliases && !find_name(list, name)) {
            add_row(list, &library);
            continue;
        }
        if (library.files && alias && aliases)
            add_alias(list, name, &library);
        kt_installed_free(&library);
    }
}

static void collect_others(struct list *list)
{
    char **path;
    size_t count = kt_installed_others(&path);
    for (size_t i = 0; i < count; i++) {
        struct kt_installed library = {.file = {path[i]}, .files = 1};
        snprintf(library.name, sizeof library.name, "%s", kt_base_name(path[i]));
        add_row(list, &library);
    }
    free(path);
}

static enum kt_status collect_given(struct list *list, int argc, char **argv, struct kt_error *error)
{
    for (int i = 0; i < argc; i++) {
        struct kt_installed library;
        KT_TRY(kt_installed_find(argv[i], &library, error));
        add_row(list, &library);
    }
    return KT_OK;
}

static void free_list(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        kt_installed_free(&list->row[i].library);
    free(list->row);
}

/* --- printing ---------------------------------------------------------------------------------------------- */

static json_t *files_json(const struct kt_installed *library)
{
    json_t *files = json_array();
    for (int i = 0; i < library->files; i++)
        json_array_append_new(files, kt_json_text(library->file[i]));
    return files;
}

static json_t *aliases_json(const struct row *row)
{
    json_t *names = json_array();
    for (int i = 0; i < row->aliases; i++)
        json_array_append_new(names, json_string(row->alias[i]));
    return names;
}

static json_t *parts_json(const struct kt_library_probe *probe)
{
    return json_pack("{s:b, s:b, s:b, s:b}", "blas", probe->has_blas, "lapack", probe->has_lapack, "cblas",
                     probe->has_cblas, "lapacke", probe->has_lapacke);
}

/* null: not known. */
static json_t *bits_json(int bytes)
{
    return bytes ? json_integer(8 * bytes) : json_null();
}

static json_t *row_json(const struct row *row)
{
    const struct kt_library_probe *p = &row->probe;
    json_t *out = json_pack("{s:o, s:o, s:o, s:b}", "name", kt_json_text(row->library.name), "files",
                            files_json(&row->library), "aliases", aliases_json(row), "usable", p->loaded);
    if (!p->loaded) {
        json_object_set_new(out, "reason", kt_json_text(p->failure));
        return out;
    }
    json_object_set_new(out, "version", kt_json_text(p->version));
    json_object_set_new(out, "number", kt_json_text(p->number));
    json_object_set_new(out, "kernel", kt_json_text(p->kernel));
    json_object_set_new(out, "int_bits", bits_json(p->int_bytes));
    json_object_set_new(out, "int_bits_of_names_with_64", bits_json(p->int_bytes_64));
    json_object_set_new(out, "threads", p->threads ? json_integer(p->threads) : json_null());
    json_object_set_new(out, "threading", kt_json_text(p->threading));
    json_object_set_new(out, "has", parts_json(p));
    return out;
}

static void print_json(const struct list *list)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(rows, row_json(&list->row[i]));
    kt_document_print(&kt_document_libraries, json_pack("{s:o}", "libraries", rows));
}

static void bits_text(const struct kt_library_probe *p, char out[16])
{
    int bytes = p->int_bytes ? p->int_bytes : p->int_bytes_64;
    snprintf(out, 16, bytes ? "%d" : "?", 8 * bytes);
    if (p->int_bytes && p->int_bytes_64 && p->int_bytes != p->int_bytes_64)
        snprintf(out, 16, "%d/%d", 8 * p->int_bytes, 8 * p->int_bytes_64);
}

static void parts_text(const struct kt_library_probe *p, char out[32])
{
    snprintf(out, 32, "%s%s%s%s", p->has_blas ? "B" : "-", p->has_cblas ? "C" : "-", p->has_lapack ? "L" : "-",
             p->has_lapacke ? "E" : "-");
}

static const char *or_unknown(const char *text)
{
    return *text ? text : "?";
}

static void print_row(struct kt_text_table *table, const struct row *row)
{
    const struct kt_library_probe *p = &row->probe;
    char bits[16];
    char threads[16] = "?";
    char parts[32];
    if (!p->loaded) {
        kt_text_table_row(table, (const char *const[]){row->library.name, "-", "-", "-", "-", "-"});
        return;
    }
    bits_text(p, bits);
    parts_text(p, parts);
    if (p->threads)
        snprintf(threads, sizeof threads, "%d", p->threads);
    kt_text_table_row(table, (const char *const[]){row->library.name, or_unknown(p->number), or_unknown(p->kernel),
                                                   bits, threads, parts});
}

static void print_files(const struct row *row)
{
    printf("%s", row->library.name);
    for (int i = 0; i < row->aliases; i++)
        printf("%s%s", i ? ", " : ", also called ", row->alias[i]);
    printf("\n");
    for (int i = 0; i < row->library.files; i++)
        printf("    %s\n", row->library.file[i]);
    if (!row->probe.loaded)
        printf("    cannot be used: %s\n", row->probe.failure);
}

static void print_text(const struct list *list)
{
    static const struct kt_column column[] = {{"name", false, true},    {"version", false, false},
                                              {"kernel", false, true},  {"int bits", true, false},
                                              {"threads", true, false}, {"has", false, false}};
    struct kt_text_table *table = kt_text_table_new(column, sizeof column / sizeof *column);
    for (size_t i = 0; i < list->count; i++)
        print_row(table, &list->row[i]);
    kt_text_table_print(table);
    kt_text_table_free(table);
    printf("has: BLAS, CBLAS, LAPACK, LAPACKE. Names and paths can be given to --blas.\n\n");
    for (size_t i = 0; i < list->count; i++)
        print_files(&list->row[i]);
}

/* --- the verb ---------------------------------------------------------------------------------------------- */

static int finish(struct list *list, bool json, bool given)
{
    bool all = true;
    for (size_t i = 0; i < list->count; i++) {
        kt_library_probe(&list->row[i].library, &list->row[i].probe);
        all &= list->row[i].probe.loaded;
    }
    if (json)
        print_json(list);
    else
        print_text(list);
    return all || !given ? KT_OK : KT_FINDING;
}

int kt_library_list(int argc, char **argv, bool json)
{
    struct list list = {0};
    struct kt_error error = {0};
    bool given = argc > 0;
    enum kt_status status = collect_given(&list, argc, argv, &error);
    if (status == KT_OK && !given) {
        collect_named(&list, false);
        collect_others(&list);
        collect_named(&list, true);
    }
    int result = status == KT_OK ? finish(&list, json, given) : kt_verb_fail("info", &error);
    free_list(&list);
    return result;
}
