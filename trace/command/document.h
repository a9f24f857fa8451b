/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The JSON documents of the verbs. Each begins with "schema": "ktrace.VERB/N"; what else it holds its list of fields
 * says, from which its JSON Schema and the help follow.
 */
#ifndef KT_DOCUMENT_H
#define KT_DOCUMENT_H

#include "trace/command/field.h"

#include <stdio.h>

/* All of them; each stands beside the code of its verb. */
/* clang-format off */
#define KT_DOCUMENTS(X) \
    X(report) X(explain) X(replay) X(replay_what_if) X(advise) X(compare) X(compare_workloads) X(diff) X(diff_results) X(probe) X(roofline) \
    X(roofline_events) X(roofline_validate) X(kernel) X(model_build) X(model_show) X(model_predict) \
    X(model_tune) X(model_rank) X(model_calls) X(info) X(libraries) X(dump) X(merge) X(check) \
    X(score) X(watch) X(pack) X(distill) X(distill_show) X(distill_verify) X(export) X(control) X(env)
/* clang-format on */

struct kt_document {
    const char *verb;
    const char *part; /* of the verb, as 'model build' has one; NULL: there are none */
    const char *what; /* that prints it, in words */
    int version;      /* larger where a key vanished or changed its meaning */
    bool is_line;     /* one of several, each on a line of its own */
    const struct kt_field *field;
};

#define KT_DOCUMENT_DECLARE(name) extern const struct kt_document kt_document_##name;
KT_DOCUMENTS(KT_DOCUMENT_DECLARE)
#undef KT_DOCUMENT_DECLARE

/* Prints the values with "schema" before them on standard output, and releases them. After --csv LIST the rows of that
 * list take their place. */
void kt_document_print(const struct kt_document *document, json_t *values);

/* What --csv LIST asks for. LIST is borrowed; KT_USAGE with the lists that there are if no document of the verb, which
 * may be "model build", has such a one. */
enum kt_status kt_document_as_csv(const char *verb, const char *list, struct kt_error *error);

/* True if a document lacked it: verbs with several have other lists in each. That has been said. */
bool kt_document_lacked_list(void);

/* The JSON Schema of what VERB prints, or that part of it (NULL: all of it); NULL: there is no such document. */
json_t *kt_document_schema(const char *verb, const char *part);

/* Writes what the keys of these documents are, with columns of text tables; false: there is no such document. */
bool kt_document_tell(FILE *out, const char *verb, const char *part);

#endif
