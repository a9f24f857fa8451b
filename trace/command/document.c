/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/document.h"

#include "trace/command/field_csv.h"
#include "trace/command/schema.h"
#include "trace/print/text.h"

#include <stdio.h>
#include <string.h>

#define KT_DOCUMENT_ROW(name) &kt_document_##name,
static const struct kt_document *const documents[] = {KT_DOCUMENTS(KT_DOCUMENT_ROW) NULL};
#undef KT_DOCUMENT_ROW

/* --- CSV ----------------------------------------------------------------------------------------------------- */

static struct {
    const char *list; /* NULL: documents are printed as JSON */
    bool is_lacking;
} csv;

static bool is_list(const struct kt_field *field)
{
    return field->key && field->kind == KT_AS_RECORD && field->flags & KT_MANY;
}

static const struct kt_field *list_of(const struct kt_document *document, const char *name)
{
    const struct kt_field *all[KT_FIELD_COLUMNS];
    size_t fields = kt_field_flat(document->field, all);
    for (size_t i = 0; i < fields; i++)
        if (is_list(all[i]) && !strcmp(all[i]->key, name))
            return all[i];
    return NULL;
}

/* Names of lists, those that the document BEFORE has not. */
static void add_lists(const struct kt_document *document, const struct kt_document *before, char *out, size_t size)
{
    const struct kt_field *all[KT_FIELD_COLUMNS];
    size_t fields = kt_field_flat(document->field, all);
    for (size_t i = 0; i < fields; i++) {
        size_t used = strlen(out);
        if (is_list(all[i]) && !(before && list_of(before, all[i]->key)))
            snprintf(out + used, size - used, "%s%s", used ? ", " : "", all[i]->key);
    }
}

static bool is_of_command(const struct kt_document *document, const char *command)
{
    size_t verb = strlen(document->verb);
    bool begins = !strncmp(command, document->verb, verb);
    return begins && (command[verb] ? document->part && !strcmp(command + verb + 1, document->part) : true);
}

enum kt_status kt_document_as_csv(const char *verb, const char *list, struct kt_error *error)
{
    char lists[512] = "";
    const struct kt_document *before = NULL;
    csv.list = list;
    for (size_t i = 0; documents[i]; i++) {
        if (!is_of_command(documents[i], verb))
            continue;
        if (list_of(documents[i], list))
            return KT_OK;
        add_lists(documents[i], before, lists, sizeof lists);
        before = documents[i];
    }
    return kt_fail(error, KT_USAGE, "--csv %s: there is no such list; there are: %s", list, lists);
}

bool kt_document_lacked_list(void)
{
    return csv.is_lacking;
}

static void print_csv(const struct kt_document *document, const json_t *values)
{
    char lists[512] = "";
    const struct kt_field *list = list_of(document, csv.list);
    csv.is_lacking = csv.is_lacking || !list;
    add_lists(document, NULL, lists, sizeof lists);
    if (list)
        kt_field_csv(list->of, json_object_get(values, csv.list));
    else
        kt_notice("--csv %s: '%s' has no such list%s%s", csv.list, document->what, *lists ? "; it has " : "", lists);
}

/* --- what verbs print ---------------------------------------------------------------------------------------- */

static json_t *name_of(const struct kt_document *document)
{
    return json_sprintf("ktrace.%s/%d", document->verb, document->version);
}

static void print_json(const struct kt_document *document, json_t *values)
{
    json_t *all = json_object();
    json_object_set_new(all, "schema", name_of(document));
    json_object_update(all, values);
    if (document->is_line)
        kt_json_print_line(all);
    else
        kt_json_print(all);
}

void kt_document_print(const struct kt_document *document, json_t *values)
{
    if (csv.list)
        print_csv(document, values);
    else
        print_json(document, values);
    json_decref(values);
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
