/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace for other tools. Every format is made from the same two descriptions: a call as dump prints it
 * (trace/command/call_json.h), the trace as info does (trace/command/info_json.h).
 */
#ifndef KT_EXPORT_H
#define KT_EXPORT_H

#include "trace/shape/by_caller.h"
#include "trace/shape/callers.h"

#include <jansson.h>
#include <stdio.h>

/* The calls that are wanted, in their order. */
struct kt_export_calls {
    const struct kt_trace *trace;
    const char *routines; /* patterns; NULL: all */
    bool outermost;       /* only those that the program made */
    bool timed;           /* only those that have an end that can be true; others are LEFT_OUT */
    struct kt_callers *callers;
    struct kt_cursor cursor;
    uint64_t count, left_out; /* so far */
};
void kt_export_begin(struct kt_export_calls *calls);

/* False behind the last call, and once the command is interrupted. */
bool kt_export_next(struct kt_export_calls *calls, struct kt_call *out);

/* A column of a table: a key of a row's object, the column's name if it says no other, or of an object in it. */
struct kt_export_column {
    const char *name, *type; /* type as SQL says it; hexadecimal text in a column of type INTEGER is a number */
    const char *key, *inner; /* both may be NULL */
};
extern const struct kt_export_column kt_export_columns[]; /* ends with a name of NULL */

/* The column's value of a call, or NULL; borrowed. */
const json_t *kt_export_value(const json_t *call, const struct kt_export_column *column);

/* A value as text: strings as they are, null and NULL as nothing, true and false as 1 and 0, all else as JSON. To be
 * freed. */
char *kt_export_text(const json_t *value);

/* A call as dump prints it; an outermost one with the place that made it: "file", "line", "function" and "path", which
 * is null where only the place itself is known. To be released. */
json_t *kt_export_call(const struct kt_export_calls *calls, const struct kt_call *call);

/* "outer (demo.py:9);inner (demo.py:3)": the places that a call of the process was made from. To be freed. */
char *kt_export_path(struct kt_callers *callers, const struct kt_process *process, uint64_t site);

/* Outermost calls of the choice by place and entry, whose index in its process stands for the shape; those of profiles,
 * too. To be freed. */
void kt_export_sums(struct kt_export_calls *calls, struct kt_by_caller *out);

/* Writes all calls to FILE, or into the empty file or folder at PATH. KT_SYSTEM with the cause, which does not name the
 * file, if that cannot be. */
typedef enum kt_status kt_exporter(struct kt_export_calls *calls, FILE *file, struct kt_error *error);
kt_exporter kt_export_csv;      /* RFC 4180: a line of names, a line for each call */
kt_exporter kt_export_perfetto; /* Chrome's trace event format, which ui.perfetto.dev opens */
kt_exporter kt_export_folded;   /* what outermost calls of each call path take; takes profiles, too */
kt_exporter kt_export_speedscope;
kt_exporter kt_export_pprof; /* the same for pprof, not compressed */
typedef enum kt_status kt_exporter_at(struct kt_export_calls *calls, const char *path, struct kt_error *error);
kt_exporter_at kt_export_sqlite; /* a file */
kt_exporter_at kt_export_otf2;   /* a folder; Open Trace Format 2 (www.vi-hps.org/projects/score-p) */

#endif
