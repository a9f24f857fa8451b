/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What other verbs found: libraries compared, two runs. Documents that somebody else may have written: of each key the
 * page shows what it understands.
 */
#include "model/html/html_parts.h"

#include <stdio.h>

enum kt_status kt_html_read_comparison(const struct kt_report *report, json_t **out, struct kt_error *error)
{
    char path[4096];
    *out = NULL;
    if (report->trace.opened == 0)
        return KT_OK;
    return kt_json_companion(report->trace.files[0], "compare.json", path, sizeof path, out, error);
}

/* A copy with these keys only; its lists are cut. */
static json_t *with_keys(const json_t *document, const char *const *key, const char *name, json_t *left_out)
{
    json_t *out = json_object();
    for (; *key; key++) {
        json_t *value = json_object_get(document, *key);
        if (!value)
            continue;
        json_object_set_new(out, *key, json_copy(value));
        char list[64];
        snprintf(list, sizeof list, "%s.%s", name, *key);
        kt_html_cut(out, *key, left_out, list);
    }
    return out;
}

json_t *kt_html_comparison(const json_t *document, json_t *left_out)
{
    static const char *const key[] = {"baseline", "context", "libraries",   "shapes", "best",
                                      "unusable", "rounds",  "interrupted", NULL};
    static const char *const library_key[] = {
        "label",   "version",        "path",           "ratio", "seconds",    "seconds_application",
        "verdict", "worst_residual", "residual_limit", "wrong", "unfinished", "failed",
        NULL};
    if (!json_is_array(json_object_get(document, "libraries")) || !json_is_array(json_object_get(document, "shapes")))
        return json_null();
    json_t *out = with_keys(document, key, "comparison", left_out);
    json_t *libraries = json_array();
    const json_t *all = json_object_get(out, "libraries");
    for (size_t i = 0; i < json_array_size(all); i++)
        json_array_append_new(libraries,
                              with_keys(json_array_get(all, i), library_key, "comparison.libraries", left_out));
    json_object_set_new(out, "libraries", libraries);
    return out;
}

json_t *kt_html_diff(const json_t *document, json_t *left_out)
{
    static const char *const key[] = {
        "traces",   "seconds", "seconds_blas", "drift",  "drift_taken_out", "drift_not_taken_out",
        "margin",   "tested",  "changed",      "failed", "total",           "shapes",
        "routines", NULL};
    return document ? with_keys(document, key, "diff", left_out) : json_null();
}
