/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/command/schema.h"

#include <stdio.h>

static const struct {
    const char *type; /* of JSON; NULL: any */
    const char *unit;
} kinds[] = {
    [KT_AS_TEXT] = {"string", "text"},       [KT_AS_FLAG] = {"boolean", "true or false"},
    [KT_AS_COUNT] = {"integer", "count"},    [KT_AS_ID] = {"integer", "integer"},
    [KT_AS_SECONDS] = {"number", "seconds"}, [KT_AS_SHARE] = {"number", "part of 1"},
    [KT_AS_NUMBER] = {"number", "number"},   [KT_AS_INDEX] = {"number", "index"},
    [KT_AS_RECORD] = {"object", "object"},   [KT_AS_MAP] = {"object", "object"},
    [KT_AS_SAME] = {"object", "object"},     [KT_AS_ANY] = {NULL, "any"},
};

static json_t *value_schema(const struct kt_field *field);

static const char *unit_of(const struct kt_field *field)
{
    return field->unit ? field->unit : kinds[field->kind].unit;
}

/* With null where that may stand in place of it. */
static json_t *or_null(json_t *schema, bool may_be_null)
{
    json_t *type = json_object_get(schema, "type");
    if (!may_be_null)
        return schema;
    if (type)
        json_object_set_new(schema, "type", json_pack("[O, s]", type, "null"));
    else
        schema = json_pack("{s:[o, {s:s}]}", "anyOf", schema, "type", "null");
    return schema;
}

static json_t *one_schema(const struct kt_field *field)
{
    if (field->kind == KT_AS_SAME)
        return json_pack("{s:o}", "$ref", json_sprintf("#/properties/%s/items", field->ref));
    if (field->kind == KT_AS_RECORD)
        return kt_schema_object(field->of);
    if (field->kind == KT_AS_MAP && field->of)
        return json_pack("{s:s, s:o}", "type", "object", "additionalProperties", value_schema(field->of));
    return kinds[field->kind].type ? json_pack("{s:s}", "type", kinds[field->kind].type) : json_object();
}

/* For people and for tools: what a value means, its unit, and its column in text. */
static void annotate(json_t *schema, const struct kt_field *field)
{
    if (field->meaning)
        json_object_set_new(schema, "description", json_string(field->meaning));
    if (field->kind < KT_AS_RECORD)
        json_object_set_new(schema, "unit", json_string(unit_of(field)));
    if (field->head)
        json_object_set_new(schema, "column", json_string(field->head));
}

static json_t *value_schema(const struct kt_field *field)
{
    json_t *schema = one_schema(field);
    if (field->flags & KT_MANY)
        schema = json_pack("{s:s, s:o}", "type", "array", "items", or_null(schema, field->flags & KT_NULLS));
    schema = or_null(schema, field->flags & KT_NULL);
    annotate(schema, field);
    return schema;
}

json_t *kt_schema_object(const struct kt_field *field)
{
    const struct kt_field *all[KT_FIELD_COLUMNS];
    size_t fields = kt_field_flat(field, all);
    json_t *properties = json_object();
    json_t *required = json_array();
    for (size_t i = 0; i < fields; i++) {
        if (!all[i]->key)
            continue;
        json_object_set_new(properties, all[i]->key, value_schema(all[i]));
        if (!(all[i]->flags & KT_LACKS))
            json_array_append_new(required, json_string(all[i]->key));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required", required,
                     "additionalProperties", 0);
}

void kt_schema_type(const struct kt_field *field, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s", field->flags & KT_MANY ? "list of " : "", unit_of(field),
             field->flags & (KT_NULL | KT_NULLS) ? " or null" : "");
}
