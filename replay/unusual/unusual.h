/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libraries do with contents that are no ordinary numbers: NAN and INFINITY in places, 0, subnormal and huge
 * numbers, and alpha and beta that are 0 or not finite over these. No standard says what is right there, and libraries
 * differ, so this is information beside what the reference library does, and nothing is wrong for it.
 *
 * Calls are small ones with the options of recorded shapes (replay/unusual/unusual_calls.h), each in a process that may
 * crash or never return. What is tried is a function of the shapes alone.
 */
#ifndef KT_UNUSUAL_H
#define KT_UNUSUAL_H

#include "replay/unusual/unusual_outcome.h"
#include "replay/unusual/unusual_contents.h"

#include <jansson.h>

/* A library does another thing than the reference library. */
struct kt_unusual_finding {
    size_t library, job; /* of CALLS */
    enum kt_unusual_kind kind;
    char contents[KT_UNUSUAL_TEXT], gives[KT_OUTCOME_TEXT], reference[KT_OUTCOME_TEXT];
};

struct kt_unusual_counts {
    size_t tried, other; /* calls, and those of these with another outcome */
    size_t given_up;     /* calls not tried after others of the routine that never returned */
    char why[160];       /* why it was not tried (any more); "": it was */
};

struct kt_unusual {
    struct kt_unusual_calls calls;
    size_t libraries;
    struct kt_unusual_counts *of;       /* by library; owned; NULL: nothing was looked at */
    struct kt_unusual_finding *finding; /* in the order of shapes; owned */
    size_t findings;
    size_t left;        /* groups of calls that there was no time for */
    char without[1024]; /* why there is no reference library; "": there is */
};

/* Tries for about so many seconds. JOBS and the libraries, which are not loaded here, must live as long. */
enum kt_status kt_unusual_try(const struct kt_library *const *library, size_t libraries, const struct kt_jobs *jobs,
                              double budget, struct kt_unusual *out, struct kt_error *error);
void kt_unusual_free(struct kt_unusual *unusual);

/* {"calls", "other", "given_up", "groups_left", "not_tried", "findings": [{"routine", "args", "kind", "contents",
 * "gives", "reference"}]} of a library; null if nothing was looked at. */
json_t *kt_unusual_json(const struct kt_unusual *unusual, size_t library);

/* A table; NAME[i] is that of library i. */
void kt_unusual_print(const struct kt_unusual *unusual, const char *const *name);

#endif
