/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/document.h"

#include "trace/command/field_text.h"
#include "trace/command/schema.h"

#include <stdio.h>
#include <string.h>

#define KT_DOCUMENT_ROW(name) &kt_document_##name,
static const struct kt_document *const documents[] = {KT_DOCUMENTS(KT_DOCUMENT_ROW) NULL};
#undef KT_DOCUMENT_ROW

/* --- what verbs print ---------------------------------------------------------------------------------------- */

static json_t *name_of(const struct kt_document *document)
{
    return json_sprintf("ktrace.%s/%d", document->verb, document->version);
}

void kt_document_print(const struct kt_document *document, json_t *values)
{
    json_t *all = json_object();
    json_object_set_new(all, "schema", name_of(document));
    json_object_update(all, values);
    json_decref(values);
    if (document->is_line)
        kt_json_print_line(all);
    else
        kt_json_print(all);
}

/* --- schemas ------------------------------------------------------------------------------------------------- */

static bool is_of(const struct kt_document *document, const char *verb, const char *part)
{
    return !strcmp(document->verb, verb) && (!part || (document->part && !strcmp(document->part, part)));
}

static json_t *schema_of(const struct kt_document *document)
{
    json_t *schema = kt_schema_object(document->field);
    json_t *properties = json_object_get(schema, "properties");
    json_object_set_new(properties, "schema", json_pack("{s:o}", "const", name_of(document)));
    json_array_insert_new(json_object_get(schema, "required"), 0, json_string("schema"));
    json_object_set_new(schema, "title", json_string(document->what));
    return schema;
}

static json_t *with_dialect(json_t *schema)
{
    json_t *out = json_pack("{s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_object_update(out, schema);
    json_decref(schema);
    return out;
}

json_t *kt_document_schema(const char *verb, const char *part)
{
    json_t *variants = json_array();
    for (size_t i = 0; documents[i]; i++)
        if (is_of(documents[i], verb, part))
            json_array_append_new(variants, schema_of(documents[i]));
    size_t count = json_array_size(variants);
    json_t *schema = count == 1 ? json_incref(json_array_get(variants, 0))
                     : count    ? json_pack("{s:O}", "anyOf", variants)
                                : NULL;
    json_decref(variants);
    return schema ? with_dialect(schema) : NULL;
}

/* --- help ---------------------------------------------------------------------------------------------------- */

static void explain_fields(FILE *out, const struct kt_field *field, int depth)
{
    const struct kt_field *all[KT_FIELD_COLUMNS];
    size_t fields = kt_field_flat(field, all);
    for (size_t i = 0; i < fields; i++) {
        char type[64];
        if (!all[i]->key)
            continue;
        kt_schema_type(all[i], type, sizeof type);
        fprintf(out, "%*s%s: %s; %s%s", 2 * depth, "", all[i]->key, all[i]->meaning, type,
                all[i]->flags & KT_LACKS ? ", may be absent" : "");
        if (all[i]->head && strcmp(all[i]->head, all[i]->key) != 0)
            fprintf(out, " (column %s)", all[i]->head);
        fputc('\n', out);
        if (all[i]->of)
            explain_fields(out, all[i]->of, depth + 1);
    }
}

bool kt_document_tell(FILE *out, const char *verb, const char *part)
{
    const char *separator = "";
    for (size_t i = 0; documents[i]; i++) {
        if (!is_of(documents[i], verb, part))
            continue;
        fprintf(out, "%s%s\n  schema: \"ktrace.%s/%d\"\n", separator, documents[i]->what, documents[i]->verb,
                documents[i]->version);
        explain_fields(out, documents[i]->field, 1);
        separator = "\n";
    }
    return *separator;
}
