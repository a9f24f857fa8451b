/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data stand in a script element of type application/json, in which only "</script" and "<!--" mean anything to a
 * browser: each < is written as \u003c.
 */
#include "model/html/html.h"

#include "model/html/html_parts.h"
#include "trace/base/memory.h"
#include "trace/command/document.h"
#include "trace/command/info_json.h"
#include "trace/print/text_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PAGE "report.html"
static const char mark[] = "@DATA@"; /* in the page */

/* Beside the command, as it is built, or in ../share/ktrace, as it is installed. */
static FILE *open_page(struct kt_error *error)
{
    static const char *const places[] = {"", "../share/ktrace/"};
    char self[PATH_MAX] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) {
        kt_fail(error, KT_SYSTEM, "/proc/self/exe: %s", strerror(errno));
        return NULL;
    }
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[2 * PATH_MAX];
        snprintf(path, sizeof path, "%s/%s" PAGE, self, places[i]);
        FILE *file = fopen(path, "r");
        if (file)
            return file;
    }
    kt_fail(error, KT_SYSTEM,
            PAGE " is neither in %s nor in %s/../share/ktrace: it is built where d3 is installed, which draws its "
                 "figures (Debian package node-d3): install that, then run make or make install",
            self, self);
    return NULL;
}

enum kt_status kt_html_check(struct kt_error *error)
{
    FILE *page = open_page(error);
    if (page)
        fclose(page);
    return error->status;
}

/* All of it, to be freed. */
static char *read_page(struct kt_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *page = open_page(error);
    if (!page)
        return NULL;
    if (getdelim(&text, &size, '\0', page) < 0 || !strstr(text, mark)) {
        kt_fail(error, KT_SYSTEM, PAGE " is damaged: run make or make install again");
        free(text);
        text = NULL;
    }
    fclose(page);
    return text;
}

/* --- the data ------------------------------------------------------------------------------------------------ */

static json_t *paths_of(const struct kt_report *report)
{
    json_t *paths = json_array();
    for (size_t i = 0; i < report->paths; i++)
        json_array_append_new(paths, kt_json_text(report->path[i]));
    return paths;
}

/* The report is in the page once, and of the replay it has what is shown. */
static json_t *without_documents(const json_t *explain)
{
    json_t *copy = json_copy((json_t *)explain);
    json_object_del(copy, "report");
    json_object_del(copy, "replay");
    return copy;
}

static json_t *data_of(const struct kt_report *report, const struct kt_html_more *more, json_t *comparison)
{
    json_t *left_out = json_array();
    json_t *data = json_pack("{s:s, s:s, s:o, s:o}", "schema", "ktrace.html/1", "version", KT_VERSION, "trace",
                             paths_of(report), "info", kt_info_json(&report->trace));
    json_object_set_new(data, "report", kt_html_report(report, left_out));
    json_object_set_new(data, "columns", kt_html_columns(report));
    json_object_set_new(data, "calls_from", kt_html_calls_from(report, left_out));
    json_object_set_new(data, "times", kt_html_times(report));
    json_object_set_new(data, "timeline", kt_html_timeline(report, left_out));
    json_object_set_new(data, "roofs", kt_html_roofs(report));
    json_object_set_new(data, "explain", more->explain ? without_documents(more->explain) : json_null());
    json_object_set_new(data, "comparison", kt_html_comparison(comparison, left_out));
    json_object_set_new(data, "diff", kt_html_diff(more->diff, left_out));
    json_object_set_new(data, "left_out", left_out);
    return data;
}

static int put_escaped(const char *text, size_t size, void *file)
{
    for (const char *end = text + size; text < end;) {
        const char *open = memchr(text, '<', (size_t)(end - text));
        size_t length = (size_t)((open ? open : end) - text);
        if (fwrite(text, 1, length, file) < length || (open && fputs("\\u003c", file) < 0))
            return -1;
        text += length + (open ? 1 : 0);
    }
    return 0;
}

enum kt_status kt_html_write(const struct kt_report *report, const struct kt_html_more *more, const char *path,
                             struct kt_error *error)
{
    enum { DIGITS = 9 };
    struct kt_text_file out;
    json_t *comparison = NULL;
    char *page = read_page(error);
    enum kt_status status = page ? kt_html_read_comparison(report, &comparison, error) : error->status;
    if (status == KT_OK)
        status = kt_text_file_begin(&out, path, error);
    if (status == KT_OK) {
        json_t *data = data_of(report, more, comparison);
        char *at = strstr(page, mark);
        fwrite(page, 1, (size_t)(at - page), out.file);
        int wrong = json_dump_callback(data, put_escaped, out.file,
                                       JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(DIGITS));
        fputs(at + strlen(mark), out.file);
        json_decref(data);
        status = kt_text_file_end(&out, error);
        if (status == KT_OK && wrong)
            status = kt_fail(error, KT_SYSTEM, "%s: the data cannot be written as JSON", path);
    }
    json_decref(comparison);
    free(page);
    return status;
}
