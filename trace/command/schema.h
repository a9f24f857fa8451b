/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON Schema of an object of these fields (json-schema.org, 2020-12). */
#ifndef KT_SCHEMA_H
#define KT_SCHEMA_H

#include "trace/command/field.h"

/* No key may be missing that is not said to, and none may be there that is not described. */
json_t *kt_schema_object(const struct kt_field *field);

/* "seconds", "integer", ...: type and unit of a value, for people. */
void kt_schema_type(const struct kt_field *field, char *out, size_t size);

#endif
