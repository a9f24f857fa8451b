/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One description of what a verb prints. A field is a key of a JSON object; with a head it is a column of a text table,
 * too. Text, JSON and CSV are made from the same values (field.c, field_text.c), and the JSON Schema and the help
 * follow from the same list (schema.c). A list of fields ends with one of zeros.
 */
#ifndef KT_FIELD_H
#define KT_FIELD_H

#include "trace/command/json.h"

#include <stddef.h>
#include <stdint.h>

/* What a value is, and how text shows it. */
enum kt_field_kind {
    KT_AS_END,
    KT_AS_TEXT,
    KT_AS_FLAG,    /* true or false */
    KT_AS_COUNT,   /* an integer: "12,345" */
    KT_AS_ID,      /* an integer that nobody adds up: "12345" */
    KT_AS_SECONDS, /* "1.23 ms" */
    KT_AS_SHARE,   /* a part of 1: "12.3 %" */
    KT_AS_NUMBER,  /* any other number, three digits of it */
    KT_AS_INDEX,   /* a context index */
    KT_AS_RECORD,  /* an object of the fields OF */
    KT_AS_MAP,     /* an object with any keys; OF is the one field that says what each value is, NULL: anything */
    KT_AS_SAME,    /* an object like those of the list REF of the document: a tree */
    KT_AS_ANY,
};

enum {
    KT_NULL = 1,    /* the value is null where it is not known */
    KT_LACKS = 2,   /* the key may be absent */
    KT_MANY = 4,    /* an array of such values */
    KT_NULLS = 8,   /* an array whose elements may be null */
    KT_INLINE = 16, /* a record without a key: its fields are fields of the object itself */
    KT_SHRINK = 32, /* text: may be cut to fit the line */
    KT_IF_ANY = 64, /* text: no column where no row has a value */
    KT_SPARE = 128, /* text: a column only where there is room */
    KT_RIGHT = 256, /* text: a number, also where KIND is none */
};

/* A value that is stored as it is: type and place in the object of a row. */
enum kt_stored_as {
    KT_NOT_STORED,
    KT_STORED_U64,
    KT_STORED_I64,
    KT_STORED_U32,
    KT_STORED_INT,
    KT_STORED_DOUBLE,
    KT_STORED_BOOL,
    KT_STORED_TEXT
};
#define KT_AT(type, member) \
    .offset = offsetof(type, member), .stored = _Generic(((type *)0)->member, uint64_t: KT_STORED_U64,    \
                                                         int64_t: KT_STORED_I64, uint32_t: KT_STORED_U32, \
                                                         int: KT_STORED_INT, double: KT_STORED_DOUBLE,    \
                                                         bool: KT_STORED_BOOL, char *: KT_STORED_TEXT,    \
                                                         const char *: KT_STORED_TEXT)

/* What a value is asked of: a row of FROM, and the object of that row. */
struct kt_at {
    const void *from, *object;
    size_t row;
};

struct kt_field {
    const char *key;
    enum kt_field_kind kind;
    unsigned flags;
    const char *unit; /* NULL: of its kind */
    const char *meaning;

    /* The value: what GET returns (NULL: the key is absent), or what is stored in the row's object; of a record its
     * fields. Without any of them the verb's code makes the value. */
    json_t *(*get)(const struct kt_at *at);
    enum kt_stored_as stored;
    size_t offset;

    const char *head; /* NULL: not in text */
    unsigned view;    /* 0: in each text table of these rows, otherwise in those whose bit is set */
    void (*cell)(const struct kt_at *at, char *out, size_t size); /* NULL: text as KIND has it */

    const struct kt_field *of;
    const char *ref;
    /* Of a list that is made here: how many rows it has, and the object of each; NULL: that of the list. */
    size_t (*count)(const struct kt_at *at);
    const void *(*row)(const struct kt_at *at, size_t row);
};

/* All fields of OF as fields of the object that has this one. */
#define KT_FIELDS(of_)                                      \
    {                                                       \
        .kind = KT_AS_RECORD, .flags = KT_INLINE, .of = of_ \
    }

/* The values of these fields as an object. */
json_t *kt_field_object(const struct kt_field *field, const struct kt_at *at);
/* The rows of a list. */
json_t *kt_field_list(const struct kt_field *list, const struct kt_at *at);
struct kt_at kt_field_row(const struct kt_field *list, const struct kt_at *at, size_t row);
/* One value; NULL: absent. */
json_t *kt_field_value(const struct kt_field *field, const struct kt_at *at);

enum { KT_FIELD_COLUMNS = 96 };
/* The fields of an object, inline ones among them; returns how many. */
size_t kt_field_flat(const struct kt_field *field, const struct kt_field *out[KT_FIELD_COLUMNS]);

/* What several verbs have. */
extern const struct kt_field kt_field_stat[];     /* kt_json_stat() */
extern const struct kt_field kt_field_context[];  /* the same of a replay in a context */
extern const struct kt_field kt_field_speed[];    /* kt_speed_json() */
extern const struct kt_field kt_field_estimate[]; /* a value with its interval */
extern const struct kt_field kt_field_place[];    /* kt_place_json() */
extern const struct kt_field kt_field_source[];   /* kt_shape_source_json() */

#endif
