/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ktrace export: the calls of a trace as a table, a database, a time line or a flame graph for other tools. A file is
 * there whole or not at all, and none is replaced.
 */
#include "trace/base/interrupt.h"
#include "trace/export/export.h"
#include "trace/command/document.h"
#include "trace/command/json.h"
#include "trace/print/new_file.h"
#include "trace/read/profile.h"
#include "trace/print/text.h"
#include "trace/command/verb.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* EXPORT writes to any file; AT only to a new file, or a new folder, of that name. The first suffix is the one to
 * recommend; of formats that a file may be in the first counts. */
static const struct format {
    const char *name;
    kt_exporter *export;
    const char *suffix[3];
    kt_exporter_at *at;
    enum kt_new_kind kind;
} formats[] = {
    {.name = "csv", .export = kt_export_csv, .suffix = {".csv"}},
    {.name = "sqlite", .at = kt_export_sqlite, .suffix = {".sqlite", ".db", ".sqlite3"}, .kind = KT_NEW_NAMED},
    {.name = "speedscope", .export = kt_export_speedscope, .suffix = {".speedscope.json", ".speedscope"}},
    {.name = "perfetto", .export = kt_export_perfetto, .suffix = {".json", ".perfetto"}},
    {.name = "folded", .export = kt_export_folded, .suffix = {".folded"}},
    {.name = "pprof", .export = kt_export_pprof, .suffix = {".pprof", ".pb"}},
    {.name = "otf2", .at = kt_export_otf2, .suffix = {".otf2"}, .kind = KT_NEW_FOLDER},
};

enum { FORMATS = sizeof formats / sizeof *formats, SUFFIXES = 3 };

struct export
{
    const struct format *format;
    const char *output; /* NULL: standard output */
    struct kt_export_calls calls;
    bool json;
};

    /* --- options ----------------------------------------------------------------------------------------------- */

#define FORMAT_NAMES "csv, sqlite, perfetto, folded, speedscope, pprof or otf2"

static bool takes_profiles(const struct format *format)
{
    return format->export == kt_export_folded || format->export == kt_export_pprof;
}

static const struct format *format_named(const char *name)
{
    for (int i = 0; i < FORMATS; i++)
        if (!strcmp(name, formats[i].name))
            return &formats[i];
    return NULL;
}

static const struct format *format_of_file(const char *path)
{
    for (int i = 0; i < FORMATS; i++)
        for (int s = 0; s < SUFFIXES; s++)
            if (formats[i].suffix[s] && kt_text_ends_with(path, formats[i].suffix[s]))
                return &formats[i];
    return NULL;
}

static enum kt_status take_format(const struct kt_verb_option *option, const char *value, void *out,
                                  struct kt_error *error)
{
    *(const struct format **)out = format_named(value);
    return format_named(value) ? KT_OK
                               : kt_fail(error, KT_USAGE, "--%s is " FORMAT_NAMES ", not %s", option->name, value);
}

const struct kt_verb_option kt_verb_export_options[] = {
    {"output", 'o', "FILE", "default, as is -: standard output, except for sqlite and otf2",
     KT_VERB_TEXT(struct export, output)},
    {"format", 0, "csv|sqlite|perfetto|folded|speedscope|pprof|otf2",
     "default: as FILE ends (.csv, .sqlite, .json, .folded, .speedscope.json, .pprof, .otf2), or csv", take_format,
     offsetof(struct export, format)},
    {"outermost", 0, NULL, "only the calls that the program made itself", KT_VERB_FLAG(struct export, calls.outermost)},
    {KT_VERB_ROUTINE(struct export, calls.routines)},
    {KT_VERB_JSON(struct export, json)},
    {0},
};

static enum kt_status complete_options(struct export *export, struct kt_error *error)
{
    if (export->output && !strcmp(export->output, "-"))
        export->output = NULL;
    if (!export->format && export->output && !(export->format = format_of_file(export->output)))
        return kt_fail(error, KT_USAGE, "%s: which format? --format " FORMAT_NAMES, export->output);
    if (!export->format)
        export->format = &formats[0];
    if (!export->output && !export->format->export)
        return kt_fail(error, KT_USAGE, "%s needs a name: -o FILE%s", export->format->name, export->format->suffix[0]);
    if (!export->output && export->json)
        return kt_fail(error, KT_USAGE, "--json says what is in a file: -o FILE%s", export->format->suffix[0]);
    return KT_OK;
}

/* --- the file ---------------------------------------------------------------------------------------------- */

static enum kt_status write_file(struct export *export, const struct kt_new_file *to, struct kt_error *error)
{
    FILE *file = fdopen(dup(to->file), "w");
    if (!file)
        return kt_fail(error, KT_SYSTEM, "cannot be written: %s", strerror(errno));
    enum kt_status status = export->format->export(&export->calls, file, error);
    fclose(file); /* after a flush */
    return status;
}

static enum kt_status export_to_file(struct export *export, struct kt_error *error)
{
    struct kt_new_file file;
    struct kt_error cause = {0};
    const struct format *format = export->format;
    enum kt_status status = kt_new_file_create(export->output, format->kind, &file, error);
    if (status == KT_OK) {
        status = format->at ? format->at(&export->calls, file.part, &cause) : write_file(export, &file, &cause);
        if (status != KT_OK)
            kt_fail(error, status, "%s: %s", export->output, cause.text);
    }
    if (status == KT_OK && kt_interrupted())
        status = kt_fail(error, KT_SYSTEM, "%s: interrupted, and not written", export->output);
    if (status == KT_OK)
        status = kt_new_file_publish(&file, error);
    kt_new_file_close(&file);
    return status;
}

/* --- the verb ---------------------------------------------------------------------------------------------- */

static const struct kt_field export_fields[] = {{"path", KT_AS_TEXT, .meaning = "the file or folder"},
                                                {"format", KT_AS_TEXT, .meaning = "its format"},
                                                {"calls", KT_AS_COUNT, .meaning = "calls in it"},
                                                {"bytes", KT_AS_COUNT, .unit = "bytes", .meaning = "its size"},
                                                {0}};

const struct kt_document kt_document_export = {
    .verb = "export", .what = "ktrace export --json", .version = 1, .field = export_fields};

static off_t bytes_written;

static int add_bytes(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)path, (void)where;
    bytes_written += type == FTW_F ? status->st_size : 0;
    return 0;
}

static void tell_result(const struct export *export)
{
    enum { OPEN_FOLDERS = 8 };
    char calls[16];
    char bytes[32];
    uint64_t count = export->calls.count;
    nftw(export->output, add_bytes, OPEN_FOLDERS, FTW_PHYS);
    if (export->json)
        kt_document_print(&kt_document_export, json_pack("{s:o, s:s, s:I, s:I}", "path", kt_json_text(export->output),
                                                         "format", export->format->name, "calls", (json_int_t)count,
                                                         "bytes", (json_int_t)bytes_written));
    else
        printf("%s, %s, in %s\n", KT_COUNT(count, "call"),
               kt_text_rate((double)bytes_written, "B", bytes, sizeof bytes), export->output);
    if (export->calls.left_out)
        kt_notice("left out, as they have no end, or none that can be true: %s",
                  kt_text_count((double)export->calls.left_out, calls));
}

static enum kt_status run(struct export *export, const struct kt_trace *trace, struct kt_error *error)
{
    export->calls.trace = trace;
    for (size_t i = 0; i < trace->notes; i++)
        kt_notice("%s", trace->note[i]);
    if (kt_is_profile(trace) && !takes_profiles(export->format))
        return kt_fail(error, KT_BAD_INPUT, "a %s; ktrace report --json has its shapes, --format folded their paths",
                       kt_is_workload(trace) ? "workload has some single calls only" : "profile has no single calls");
    if (!export->output) {
        export->format->export(&export->calls, stdout,
                               &(struct kt_error){0}); /* main tells if that cannot be written */
        return KT_OK;
    }
    KT_TRY(export_to_file(export, error));
    tell_result(export);
    return KT_OK;
}

int kt_verb_export(int argc, char **argv)
{
    struct kt_trace trace;
    struct export export = {0};
    struct kt_error error = {0};
    if (kt_verb_take_options(argc, argv, kt_verb_export_options, &export, &error) != KT_OK ||
        complete_options(&export, &error) != KT_OK)
        return kt_verb_usage(argv[0], "%s", error.text);
    if (optind == argc)
        return kt_verb_usage(argv[0], "which trace?");
    kt_interrupt_catch();
    enum kt_status status = kt_trace_open_all(argv + optind, (size_t)(argc - optind), &trace, &error);
    export.calls.callers = kt_callers_new();
    if (status == KT_OK)
        status = run(&export, &trace, &error);
    kt_callers_free(export.calls.callers);
    kt_trace_close(&trace);
    if (status != KT_OK)
        kt_verb_fail(argv[0], &error);
    return kt_interrupted() ? kt_verb_status(kt_interrupted()) : (int)status;
}
